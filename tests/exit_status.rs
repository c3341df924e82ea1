//! The exit status: 0 without a finding that counts, 1 with one, 2 where the audit cannot be relied
//! on, 130 where it was interrupted.

mod program;

use program::Scratch;

const FINDINGS: [&str; 8] = [
    "block",
    "escalate",
    "withhold",
    "error",
    "violation",
    "hazard",
    "drift",
    "unsound",
];

const CLEAN: &str = "{\"tool\":\"think\",\"result\":1}\n";
const THREE_MAILS: &str = "{\"tool\":\"send_email\",\"result\":1}\n\
    {\"tool\":\"send_email\",\"result\":1}\n{\"tool\":\"send_email\",\"result\":1}\n";
const BLOCKED: &str = "{\"tool\":\"rm\"}\n";
const NO_RM: &str = "[gates]\nallow = [\"think\"]\n";

/// Writes `t.jsonl` and `p.toml`.
fn scratch(trace: &str, policy: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", trace);
    scratch.file("p.toml", policy);
    scratch
}

fn status(trace: &str, policy: &str, flags: &str) -> i32 {
    let args = format!("replay t.jsonl --policy p.toml {flags}");
    scratch(trace, policy).gate(&args).status
}

/// A trace and a policy with exactly these findings, and their status by default.
const CASES: &[(&str, &str, &[&str], i32)] = &[
    (CLEAN, "", &[], 0),
    (BLOCKED, NO_RM, &["block"], 1),
    (THREE_MAILS, "", &["block", "violation"], 1),
    (
        "{\"tool\":\"w\"}\n",
        "[[contracts]]\ntools = [\"w\"]\nrequire = ['call.args.path != \"\"']\n",
        &["error"],
        1,
    ),
    (
        "{\"tool\":\"w\",\"result\":1}\n",
        "[[contracts]]\ntools = [\"w\"]\nensure = ['result > 1']\n",
        &["withhold"],
        0,
    ),
    (
        "{\"tool\":\"w\",\"semantic_score\":0.6}\n",
        "[semantic]\nembedder = \"recorded\"\nescalate = 0.5\nblock = 0.9\n",
        &["escalate"],
        0,
    ),
    (
        "{\"tool\":\"sql_query\",\"turn\":1}\n{\"tool\":\"http_request\",\"turn\":1}\n",
        "",
        &["hazard"],
        0,
    ),
    (
        "{\"tool\":\"think\",\"decision\":\"block\"}\n",
        "",
        &["drift"],
        0,
    ),
    (CLEAN, "[dcbf]\nkappa = 2.0\n", &["unsound"], 0),
];

#[test]
fn each_finding_counts_where_it_is_named() {
    for (trace, policy, found, by_default) in CASES {
        let scratch = scratch(trace, policy);
        let status = |flags: &str| {
            let args = format!("replay t.jsonl --policy p.toml -q {flags}");
            scratch.gate(&args).status
        };
        assert_eq!(status(""), *by_default, "{found:?}");
        assert_eq!(status("--fail-on none"), 0, "{found:?}");
        for finding in FINDINGS {
            let expected = i32::from(found.contains(&finding));
            let flags = format!("--fail-on {finding}");
            assert_eq!(status(&flags), expected, "{found:?} {flags}");
        }
    }
}

#[test]
fn findings_can_be_listed() {
    let escalated = CASES[5];
    assert_eq!(
        status(escalated.0, escalated.1, "--fail-on drift,escalate"),
        1
    );
    assert_eq!(
        status(escalated.0, escalated.1, "--fail-on drift,hazard"),
        0
    );
    assert_eq!(
        status(
            escalated.0,
            escalated.1,
            "--fail-on drift --fail-on escalate"
        ),
        1
    );
}

#[test]
fn wrong_usage_is_unusable() {
    let scratch = scratch(CLEAN, "");
    for args in [
        "",
        "nonsense",
        "replay --nonsense t.jsonl",
        "replay t.jsonl --fail-on none,block",
        "replay t.jsonl --fail-on nothing",
        "replay t.jsonl --fail-on Block",
        "replay t.jsonl --mode watch",
        "replay t.jsonl --dispatch later",
        "replay t.jsonl --on-escalate maybe",
        "replay t.jsonl --format xml",
        "replay t.jsonl --from xml",
        "replay t.jsonl --max-violation-rate 1.5",
        "replay t.jsonl --max-violation-rate=-0.1",
        "replay t.jsonl --max-violation-rate NaN",
        "replay t.jsonl --max-line -1",
        "replay t.jsonl --tool [z",
        "replay t.jsonl --mode observe --mode enforce",
        "verify-barriers t.jsonl --fail-on block",
        "verify-barriers t.jsonl --fail-on none,violation",
        "check p.toml p.toml",
    ] {
        let ran = scratch.gate(args).ends(2);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{args}");
    }
    for args in [
        "--help",
        "--version",
        "replay --help",
        "verify-barriers -h",
        "help check",
    ] {
        assert!(!scratch.gate(args).ends(0).out.is_empty(), "{args}");
    }
}

#[test]
fn a_violation_rate_lets_violations_pass_up_to_it() {
    let four = format!("{THREE_MAILS}{CLEAN}");
    for (rate, expected) in [
        ("0", 1),
        ("0.2499999", 1),
        ("0.25", 0),
        ("0.26", 0),
        ("1", 0),
    ] {
        let flags = format!("--max-violation-rate {rate}");
        assert_eq!(status(&four, "", &flags), expected, "{rate}");
    }
    let both = format!("{four}{BLOCKED}");
    let flags = "--max-violation-rate 1";
    let only = "[gates]\nallow = [\"think\", \"send_email\"]\n";
    assert_eq!(status(&both, only, flags), 1, "other blocks still count");
    let flags = "--max-violation-rate 1 --fail-on violation";
    assert_eq!(status(&both, only, flags), 0);
    let two = format!("{four}{{\"tool\":\n");
    assert_eq!(
        status(&two, "", "--max-violation-rate 1"),
        2,
        "no rate excuses a fault"
    );
}

#[test]
fn two_comes_before_one() {
    let faulty = format!("{THREE_MAILS}not json\n");
    assert_eq!(status(&faulty, "", ""), 2);
    assert_eq!(status(&faulty, "", "--fail-on none"), 2);
    assert_eq!(status(&faulty, "", "--allow-faults"), 1);
    assert_eq!(status(&faulty, "", "--allow-faults --fail-on none"), 0);
    assert_eq!(status("not json\n", "", "--allow-faults"), 2, "no call");
    assert_eq!(
        status("not json\n", "", "--allow-faults --allow-empty"),
        0,
        "nothing to find"
    );
    assert_eq!(status("not json\n", "", "--allow-empty"), 2);
}

#[test]
fn warnings_count_where_they_are_denied() {
    let warned = "{\"tool\":\"think\",\"agnet\":\"a\"}\n";
    assert_eq!(status(warned, "", ""), 0);
    assert_eq!(status(warned, "", "--deny-warnings"), 1);
    assert_eq!(status(warned, "", "--deny-warnings --fail-on none"), 1);
    assert_eq!(status(CLEAN, "", "--deny-warnings"), 0);
    let faulty = format!("{warned}not json\n");
    assert_eq!(status(&faulty, "", "--deny-warnings"), 2);
}

#[test]
fn warnings_of_the_policy_are_warnings() {
    let unsound = "[dcbf]\nkappa = 2.0\n";
    assert_eq!(status(CLEAN, unsound, ""), 0);
    assert_eq!(status(CLEAN, unsound, "--deny-warnings"), 1);
    let scratch = scratch(CLEAN, unsound);
    scratch.gate("check p.toml").ends(0);
    scratch.gate("check p.toml --deny-warnings").ends(1);
}

#[test]
fn unreadable_input_is_unusable_and_the_rest_is_audited() {
    let scratch = scratch(CLEAN, "");
    let ran = scratch.gate("replay missing.jsonl t.jsonl --format jsonl");
    let ran = ran.ends(2).says("`missing.jsonl` cannot be read");
    assert_eq!(ran.decisions(), ["think allow"]);
    assert_eq!(ran.summary()["complete"], false);
    scratch
        .gate("replay missing.jsonl t.jsonl --allow-faults --allow-empty --fail-on none")
        .ends(2);
    scratch.gate("verify-barriers missing.json").ends(2);
}

/// Nobody has to run an audit again to learn that more is missing.
#[test]
fn of_several_unreadable_inputs_it_is_told_how_many() {
    let scratch = scratch(CLEAN, "");
    let why = "gate: `a.jsonl` cannot be read: No such file or directory (os error 2)";
    for command in [
        "replay",
        "verify-barriers",
        "inspect",
        "robustness",
        "convert",
        "features",
        "explain --first-refusal",
    ] {
        let told = |inputs: &str, more: &str| {
            let ran = scratch.gate(&format!("{command} {inputs}")).ends(2);
            let said = |line: &str| {
                let rest = line.strip_prefix(why)?.strip_prefix(more)?;
                (rest.is_empty() || rest.starts_with("; ")).then_some(())
            };
            let said = ran.err.lines().filter_map(said).count();
            assert_eq!(said, 1, "{command} {inputs}: {}", ran.err);
        };
        told("a.jsonl t.jsonl", "");
        told("a.jsonl t.jsonl b.jsonl c.jsonl", ", and 2 more");
    }
}

#[test]
fn without_its_policy_nothing_is_replayed() {
    let scratch = scratch(CLEAN, "[dcbf]\nkapa = 1.0\n");
    scratch.file("binary.toml", b"\xff\xfe");
    for (policy, why) in [
        ("missing.toml", "cannot be read"),
        (".", "cannot be read"),
        ("binary.toml", "not UTF-8"),
        ("p.toml", "p.toml:2:1: "),
        ("p.toml", "kappa"),
    ] {
        for command in ["replay", "verify-barriers"] {
            let args = format!("{command} t.jsonl --policy {policy} --format json");
            let ran = scratch.gate(&args).ends(2).says(why);
            assert!(ran.out.is_empty(), "{args}: {}", ran.out);
        }
        scratch.gate(&format!("check {policy}")).ends(2).says(why);
    }
    scratch.gate("replay t.jsonl --policy default").ends(0);
}

#[test]
fn nothing_to_audit_is_no_success() {
    let scratch = scratch("", "");
    scratch.file("d/readme.txt", "no trace");
    std::fs::create_dir(scratch.path().join("empty")).expect("a directory");
    for input in ["t.jsonl", "d", "empty", "-", ""] {
        scratch.gate(&format!("replay {input}")).ends(2);
        scratch
            .gate(&format!("replay --allow-empty {input}"))
            .ends(0);
        scratch.gate(&format!("verify-barriers {input}")).ends(2);
    }
    scratch
        .gate("replay d")
        .says("passed over in directories: 1 ");
    let ended = "{\"type\":\"run_start\",\"run\":\"r\"}\n{\"type\":\"run_end\",\"run\":\"r\"}\n";
    assert_eq!(status(ended, "", ""), 2, "records, but no call");
}

#[test]
fn verifying_barriers_counts_violations() {
    let scratch = Scratch::new();
    let state = |cost: f64| format!("{{\"resource_usage\":{{\"cost_usd\":{cost}}}}}");
    let file = |states: &[f64]| {
        let states: Vec<_> = states.iter().map(|&cost| state(cost)).collect();
        let actions = vec!["{\"tool\":\"think\"}"; states.len()];
        format!(
            "{{\"states\":[{}],\"actions\":[{}]}}",
            states.join(","),
            actions.join(",")
        )
    };
    scratch.file("good.json", file(&[0.0, 9.99]));
    scratch.file("bad.json", file(&[0.0, 0.0, 0.0, 9.995]));
    scratch.file("unsafe.json", file(&[11.0]));
    scratch.file("broken.json", "{\"states\":[1,2],\"actions\":[]}");
    scratch.file("unsound.toml", "[dcbf]\nkappa = 2.0\n");
    for (args, expected) in [
        ("good.json", 0),
        ("bad.json", 1),
        ("bad.json --fail-on none", 0),
        ("bad.json --fail-on unsound", 0),
        ("bad.json --max-violation-rate 0.24", 1),
        ("bad.json --max-violation-rate 0.25", 0),
        ("bad.json --max-violation-rate 0.26", 0),
        ("bad.json --max-violation-rate resource=0.24", 1),
        ("bad.json --max-violation-rate resource=0.25", 0),
        ("bad.json --max-violation-rate privacy=1", 1),
        (
            "bad.json --max-violation-rate 1 --max-violation-rate resource=0.2",
            1,
        ),
        ("bad.json --max-violation-rate resorce=1", 2),
        ("bad.json --max-violation-rate resource=2", 2),
        ("bad.json --max-violation-rate =1", 2),
        ("bad.json --max-violation-rate 1 --max-violation-rate 1", 2),
        ("bad.json broken.json", 2),
        ("broken.json", 2),
        ("broken.json --allow-faults", 2),
        ("bad.json broken.json --allow-faults", 1),
        ("unsafe.json", 0),
        ("good.json --policy unsound.toml --fail-on unsound", 1),
        ("good.json --policy unsound.toml", 0),
    ] {
        let status = scratch.gate(&format!("verify-barriers {args}")).status;
        assert_eq!(status, expected, "{args}");
    }
}

#[test]
fn what_was_checked_alone_is_said_by_check_and_init() {
    let scratch = Scratch::new();
    scratch.gate("check").ends(0);
    scratch.gate("init").ends(0);
    scratch.gate("init").ends(2).says("--force");
    scratch.gate("init --force").ends(0);
    scratch.gate("init no/such/place.toml").ends(2);
    scratch.gate("check").ends(0);
}
