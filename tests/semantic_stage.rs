//! The semantic firewall with scores that are worked out here: its bands, its records, and what it does
//! where it cannot tell. Descriptions are the tests' own, so that what is near to them is plain.

mod program;

use program::{Ran, Scratch};
use serde_json::Value;

const HARM: &str = "# what must not happen\n\ndelete every backup of the company\n";
const BENIGN: &str = "read the weather report for tomorrow\n";
/// Says what the description of harm says.
const NEAR: &str =
    r#"{"tool":"run","run":"t","id":"c","args":{"text":"delete every backup of the company"}}"#;
/// Says nothing of the kind.
const FAR: &str =
    r#"{"tool":"run","run":"t","id":"c","args":{"text":"weather report for tomorrow"}}"#;
/// The harm alone, without what would be taken off it.
const ALONE: &str = "intent_weight = 0\nbenign_weight = 0\nharm_floor = 2\n";

fn files(policy: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.file("harm.txt", HARM);
    scratch.file("benign.txt", BENIGN);
    let semantic = "[semantic]\nexemplars = 'harm.txt'\nbenign = 'benign.txt'\n";
    scratch.file("p.toml", format!("{semantic}{policy}"));
    scratch
}

fn run(trace: &str, policy: &str, flags: &str) -> Ran {
    let scratch = files(policy);
    scratch.file("t.jsonl", trace);
    let flags = format!("--fail-on none {flags}");
    scratch.gate(&format!(
        "replay t.jsonl --policy p.toml --format jsonl {flags}"
    ))
}

/// The first decision.
fn first(trace: &str, policy: &str, flags: &str) -> Value {
    let records = run(trace, policy, flags).records();
    let mut decisions = records.into_iter().filter(|r| r["record"] == "decision");
    decisions.next().expect("a decision")
}

fn score(trace: &str, policy: &str) -> f64 {
    let decision = first(trace, &format!("{policy}escalate = 2\nblock = 2\n"), "");
    assert_eq!(decision["decision"], "allow");
    decision["semantic_score"].as_f64().expect("a score")
}

fn with_intent(intent: &str, calls: &str) -> String {
    format!("{{\"type\":\"run_start\",\"run\":\"t\",\"intent\":\"{intent}\"}}\n{calls}")
}

#[test]
fn a_score_at_a_threshold_has_reached_it() {
    let s = score(NEAR, ALONE);
    assert!(s > 0.5 && s < 1.0, "{s}");
    let decide = |escalate: f64, block: f64| {
        let policy = format!("{ALONE}escalate = {escalate:?}\nblock = {block:?}\n");
        run(NEAR, &policy, "").decisions().remove(0)
    };
    assert_eq!(decide(s.next_up(), 2.0), "run allow");
    assert_eq!(decide(s, 2.0), "run escalate semantic.harm");
    assert_eq!(decide(0.0, s.next_up()), "run escalate semantic.harm");
    assert_eq!(decide(0.0, s), "run block semantic.harm");
    assert_eq!(decide(s, s), "run block semantic.harm");
    // At zero even a call that says nothing of harm is asked about: scores begin there.
    let policy = format!("{ALONE}escalate = 0\nblock = 2\n");
    assert_eq!(
        run(FAR, &policy, "").decisions(),
        ["run escalate semantic.harm"]
    );
}

#[test]
fn the_record_says_what_the_score_is_made_of() {
    let policy =
        "intent_weight = 0.25\nbenign_weight = 0.5\nharm_floor = 2\nescalate = 0\nblock = 2\n";
    let trace = with_intent("look after the backups", NEAR);
    let decision = first(&trace, policy, "");
    let seen = &decision["semantic"];
    let number = |key: &str| seen[key].as_f64().expect(key);
    let expected =
        number("harm") - 0.25 * number("intent").max(0.0) - 0.5 * number("benign").max(0.0);
    assert_eq!(decision["semantic_score"], expected.clamp(0.0, 1.0));
    assert!(number("intent") > 0.1, "{seen}");
    assert_eq!(
        (&seen["embedder"], &seen["nearest"], &seen["text"]),
        (
            &"static".into(),
            &"delete every backup of the company".into(),
            &Value::Null
        )
    );
    assert!(
        number("chars") >= 38.0 && seen["gloss"].is_array(),
        "{seen}"
    );
    assert_eq!(seen["blanked"], 0);
    let reason = decision["reason"].as_str().expect("a reason");
    assert!(
        reason.contains("near `delete every backup of the company`"),
        "{reason}"
    );
    // A call that passes has its score and nothing more.
    let passed = first(FAR, &format!("{ALONE}escalate = 2\nblock = 2\n"), "");
    assert!(passed["semantic_score"].is_number() && passed.get("semantic") == Some(&Value::Null));
}

#[test]
fn the_text_is_shown_where_arguments_are_and_hides_what_they_hide() {
    let policy = format!("{ALONE}escalate = 0\nblock = 2\n");
    let text = |call: &str| first(call, &policy, "--show-args")["semantic"]["text"].clone();
    let shown = text(NEAR);
    let shown = shown.as_str().expect("a text");
    assert!(shown.contains("delete every backup"), "{shown}");
    let secret = r#"{"tool":"run","args":{"text":"log in","password":"hunter2"}}"#;
    assert_eq!(text(secret), Value::Null);
    let token = format!(
        r#"{{"tool":"run","args":{{"text":"push ghp_{}"}}}}"#,
        "a".repeat(30)
    );
    assert!(text(&token).as_str().expect("a text").contains("[masked]"));
    let long = format!(
        r#"{{"tool":"run","args":{{"text":"{}"}}}}"#,
        "word ".repeat(500)
    );
    assert_eq!(text(&long).as_str().expect("a text").chars().count(), 201);
}

#[test]
fn harm_above_the_floor_is_asked_about_whatever_is_taken_off() {
    let trace = with_intent("back up the company", NEAR);
    let policy = |floor: f64| {
        format!("intent_weight = 50\nharm_floor = {floor:?}\nescalate = 0.5\nblock = 0.9\n")
    };
    let harm = {
        let all = "intent_weight = 50\nharm_floor = 2\nescalate = 0\nblock = 2\n";
        let decision = first(&trace, all, "");
        assert_eq!(decision["semantic_score"], 0);
        decision["semantic"]["harm"].as_f64().expect("harm")
    };
    let at = first(&trace, &policy(harm), "");
    assert_eq!(at["decision"], "escalate");
    assert_eq!(at["semantic_score"], 0.5);
    let reason = at["reason"].as_str().expect("a reason");
    assert!(reason.contains("at least the floor"), "{reason}");
    let below = first(&trace, &policy(harm.next_up()), "");
    assert_eq!(below["decision"], "allow");
}

/// Rationale: the floor keeps harm from being allowed. What is only kept from that is not refused, also
/// where a policy escalates and blocks from one score on.
#[test]
fn the_floor_never_blocks() {
    for trace in [with_intent("back up the company", NEAR), NEAR.to_owned()] {
        let weights = "intent_weight = 50\nbenign_weight = 50\nharm_floor = 0.5\n";
        let all = format!("{weights}escalate = 0.95\nblock = 0.95\n");
        let decision = first(&trace, &all, "");
        assert_eq!(decision["decision"], "escalate", "{decision}");
        assert_eq!(decision["semantic_score"], 0.95);
        // Below both thresholds without the floor, above both with no weights.
        let none = all.replace("= 50", "= 0").replace("0.95", "0.5");
        assert_eq!(first(&trace, &none, "")["decision"], "block");
    }
}

/// Rationale: a call that passed a threshold by a hair reads as if it had not, or the other way round,
/// where the score is rounded onto it.
#[test]
fn a_score_next_to_a_threshold_is_told_with_all_its_digits() {
    let scratch = Scratch::new();
    scratch.file("p.toml", "[semantic]\nembedder = 'recorded'\n");
    for (score, says) in [
        (
            "0.7999999999999999",
            "semantic score 0.7999999999999999 is at least escalate 0.5",
        ),
        ("0.8", "semantic score 0.8 is at least block 0.8"),
        ("0.7", "semantic score 0.7 is at least escalate 0.5"),
        ("7", "semantic score 7 is at least block 0.8"),
    ] {
        scratch.file(
            "t.jsonl",
            format!("{{\"tool\":\"run\",\"semantic_score\":{score}}}"),
        );
        let ran = scratch.gate("replay t.jsonl --policy p.toml --fail-on none --format jsonl");
        assert_eq!(ran.records()[0]["reason"], says, "{score}");
    }
}

/// Rationale: scores without an intent lie higher, so that they have thresholds of their own; which
/// ones hold is decided as the count is.
#[test]
fn calls_without_a_usable_intent_have_their_own_thresholds() {
    let policy = format!(
        "{ALONE}escalate = 2\nblock = 2\n[semantic.without_intent]\nescalate = 0.5\nblock = 2\n"
    );
    for (intent, usable) in [
        ("look after the backups", true),
        ("ok", false),
        ("implement #231", false),
        ("请修复解析器模块中失败的测试", false),
        ("", false),
    ] {
        let ran = run(&with_intent(intent, NEAR), &policy, "");
        let decided = if usable {
            "run allow"
        } else {
            "run escalate semantic.harm"
        };
        assert_eq!(ran.decisions(), [decided], "{intent}");
        let without = &ran.summary()["scored_without_intent"];
        assert_eq!(*without, u64::from(!usable), "{intent}");
        if !usable {
            let record = &ran.records()[0];
            let reason = record["reason"].as_str().expect("a reason");
            assert!(reason.contains("no usable intent"), "{reason}");
            assert_eq!(record["semantic"]["intent"], 0);
        }
    }
}

#[test]
fn an_escalated_call_is_decided_as_any_other() {
    let policy = format!("{ALONE}escalate = 0.5\nblock = 2\n");
    let approved =
        |approval: &str| NEAR.replace("\"id\"", &format!("\"approval\":\"{approval}\",\"id\""));
    let refused = |ran: &Ran| ran.summary()["refusals"].as_array().map_or(0, Vec::len);
    for (approval, expected) in [("approved", 0), ("denied", 1), ("expired", 1)] {
        let ran = run(&approved(approval), &policy, "");
        assert_eq!(ran.records()[0]["approval"], approval);
        assert_eq!(refused(&ran), expected, "{approval}");
        let later =
            format!("{NEAR}\n{{\"type\":\"approval\",\"call\":\"c\",\"decision\":\"{approval}\"}}");
        let ran = run(&later, &policy, "");
        assert_eq!(ran.records()[0]["approval"], approval);
        assert_eq!(refused(&ran), expected, "{approval}, later");
    }
    assert_eq!(refused(&run(NEAR, &policy, "")), 1);
    assert_eq!(refused(&run(NEAR, &policy, "--on-escalate block")), 1);
    assert_eq!(refused(&run(NEAR, &policy, "--on-escalate allow")), 0);
    let failing = files(&policy);
    failing.file("t.jsonl", NEAR);
    failing
        .gate("replay t.jsonl --policy p.toml --fail-on escalate --on-escalate allow")
        .ends(1);
}

#[test]
fn closeness_to_the_intent_lowers_a_score_and_a_copy_of_it_does_not() {
    let policy = "intent_weight = 1\nbenign_weight = 0\nharm_floor = 2\n";
    let asked = |intent: &str, call: &str| score(&with_intent(intent, call), policy);
    let alone = score(NEAR, policy);
    assert!(asked("delete the backups", NEAR) < alone - 0.1);
    // Whoever knows the request can copy it, so that its words are left out.
    let intent = "please summarise the quarterly sales figures";
    let copied = NEAR.replace("delete", &format!("{intent} delete"));
    let blanked = with_intent(intent, &copied);
    let policy_of_all = format!("{policy}escalate = 0\nblock = 2\n");
    let decision = first(&blanked, &policy_of_all, "");
    let plain = first(&with_intent(intent, NEAR), &policy_of_all, "");
    if decision["semantic"]["blanked"] != 0 {
        let harm = |d: &Value| d["semantic"]["harm"].as_f64().expect("harm");
        assert!((harm(&decision) - harm(&plain)).abs() < 0.1);
    }
}

#[test]
fn calls_without_an_intent_are_scored_and_counted() {
    let two = format!("{NEAR}\n{}", FAR.replace("\"c\"", "\"d\""));
    let count = |trace: &str| {
        let summary = run(trace, "", "").summary();
        ["scored", "scored_without_intent", "unscored"].map(|key| summary[key].as_u64())
    };
    assert_eq!(count(&two), [Some(2), Some(2), Some(0)]);
    for nothing in ["  ", "Hi!", "👍", "继续修复测试"] {
        assert_eq!(
            count(&with_intent(nothing, &two)),
            [Some(2), Some(2), Some(0)],
            "{nothing}"
        );
    }
    let known = with_intent("look after the backups", &two);
    assert_eq!(count(&known), [Some(2), Some(0), Some(0)]);
    let summary = run(&two, "", "").summary();
    let semantic = &summary["semantic"];
    assert_eq!(semantic["embedder"], "static");
    assert_eq!(semantic["sha256"].as_str().map(str::len), Some(64));
    assert_eq!(
        (&semantic["harm_exemplars"], &semantic["benign_exemplars"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn a_long_intent_is_looked_at_up_to_a_bound() {
    let policy = "intent_weight = 1\nbenign_weight = 0\nharm_floor = 2\n";
    let scored = |intent: &str| score(&with_intent(intent, NEAR), policy);
    let long = "look after the weather ".repeat(400);
    let bound = &long[..8192];
    let attached = format!("{bound}{}", "delete every backup ".repeat(50_000));
    assert_eq!(scored(&attached), scored(bound));
    // The bound may lie inside a character.
    assert!(scored(&format!("x{}", "é".repeat(5000))).is_finite());
}

#[test]
fn unknown_arguments_cannot_be_scored() {
    let blind = r#"{"tool":"run","args_unknown":true}"#;
    let ran = run(blind, "", "");
    assert_eq!(ran.decisions(), ["run error semantic.harm"]);
    let record = &ran.records()[0];
    assert_eq!(
        record["reason"],
        "the recording does not tell the arguments"
    );
    assert_eq!(record["semantic_score"], Value::Null);
    assert_eq!(ran.summary()["unscored"], 1);
    let off = "[pipeline]\ndisable = ['semantic']\n";
    assert_eq!(run(blind, off, "").decisions(), ["run allow"]);
}

#[test]
fn only_calls_that_reach_the_stage_are_scored() {
    let policy = "escalate = 0\nblock = 0\n[gates]\nallow = ['other']\n";
    let ran = run(NEAR, policy, "");
    assert_eq!(ran.decisions(), ["run block gates.whitelist"]);
    assert_eq!(ran.records()[0]["semantic_score"], Value::Null);
    assert_eq!(ran.summary()["scored"], 0);
    let off = "escalate = 0\nblock = 0\n[pipeline]\ndisable = ['semantic']\n";
    let ran = run(NEAR, off, "");
    assert_eq!(ran.decisions(), ["run allow"]);
    assert_eq!(ran.records()[0]["semantic_score"], Value::Null);
}

#[test]
fn a_command_line_beyond_what_is_read_is_scored_by_its_words() {
    let call = r#"{"tool":"bash","args":{"command":"echo {1..300}{1..300}; delete every backup of the company"}}"#;
    let decision = first(call, &format!("{ALONE}escalate = 0.3\nblock = 2\n"), "");
    assert_eq!(decision["decision"], "escalate", "{decision}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let calls: Vec<String> = (0..40)
        .map(|n| format!(r#"{{"tool":"run","id":"{n}","args":{{"n":{n},"text":"delete backup {n} of the company"}}}}"#))
        .collect();
    let trace = with_intent("tidy up", &calls.join("\n"));
    let policy = "escalate = 0.1\nblock = 2\n";
    let out = run(&trace, policy, "--show-args").out;
    assert!(out.contains("\"nearest\""));
    for _ in 0..3 {
        assert_eq!(run(&trace, policy, "--show-args").out, out);
    }
}

#[test]
fn descriptions_are_shown_escaped_and_cut() {
    let scratch = files(&format!("{ALONE}escalate = 0\nblock = 2\n"));
    let name = "=delete \u{1b}[2J every \u{202e} backup";
    scratch.file("harm.txt", format!("{name} {}", "of all ".repeat(100)));
    scratch.file("t.jsonl", NEAR);
    let replay = |format: &str| {
        let args = format!("replay t.jsonl --policy p.toml --fail-on none --format {format}");
        scratch.gate(&args).ends(0).out
    };
    for format in ["table", "csv", "json", "jsonl"] {
        let out = replay(format);
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{format}: {out}");
        assert!(out.contains("delete "), "{format}: {out}");
    }
    assert!(replay("csv").contains("'=delete"));
    let record = program::records(&replay("jsonl")).remove(0);
    let reason = record["reason"].as_str().expect("a reason");
    assert!(
        reason.contains('…') && reason.chars().count() < 300,
        "{reason}"
    );
    assert!(record["semantic"]["nearest"].as_str().expect("text").len() > 600);
}

#[test]
fn csv_has_what_the_score_is_made_of() {
    let scratch = files(&format!("{ALONE}escalate = 0.5\nblock = 2\n"));
    scratch.file(
        "t.jsonl",
        format!("{NEAR}\n{}", FAR.replace("\"c\"", "\"d\"")),
    );
    let out = scratch
        .gate("replay t.jsonl --policy p.toml --fail-on none --format csv")
        .ends(0)
        .out;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(out.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("CSV");
    let column = |name: &str| rows[0].iter().position(|c| c == name).expect(name);
    let (harm, nearest) = (column("semantic_harm"), column("semantic_nearest"));
    assert_eq!(&rows[1][nearest], "delete every backup of the company");
    assert!(rows[1][harm].parse::<f64>().is_ok());
    assert_eq!((&rows[2][harm], &rows[2][nearest]), ("", ""));
}
