//! What `gate explain` claims of its changes: of which rules they are, what they make of the call, and where
//! there are none.

mod program;

use program::explained::{MAIL, explained, flip, scratch, table, text};
use serde_json::Value;

const RECORDED: &str = "[semantic]\nembedder = \"recorded\"\nescalate = 0.5\nblock = 0.9\n";

/// A run that its recording ended with a failure stays ended however many refusals it may have.
#[test]
fn no_number_turns_what_the_recording_ended() {
    for status in ["aborted", "timeout"] {
        let trace = format!(
            "{{\"tool\":\"search\",\"run\":\"r\",\"id\":\"c1\",\"result\":1}}\n\
             {{\"type\":\"run_end\",\"run\":\"r\",\"status\":\"{status}\"}}\n\
             {{\"tool\":\"search\",\"run\":\"r\",\"id\":\"c2\",\"result\":1}}\n"
        );
        let explained = explained(&scratch(&trace, "[dfa]\nmax_refusals = 5\n"), "--call c2");
        assert_eq!(explained["turned_by"], "no_number", "{explained}");
        let stuck = &explained["by_no_number"][0];
        assert_eq!(stuck["stage"], "dfa", "{explained}");
        assert_eq!(stuck["rule"], explained["decision"]["rule"]);
        // No barrier refuses it, so each tells the latest call that lowered it.
        assert!(
            table(&scratch(&trace, ""), "--call c2").contains("stability was lowered by call 1")
        );
    }
}

/// An escalation that lets the call through needs nothing to run: what is told is how it would be a plain
/// allow.
#[test]
fn a_call_let_through_is_told_how_it_is_allowed() {
    let call = |approval: &str| {
        format!(
            "{{\"tool\":\"search\",\"run\":\"r\",\"id\":\"z\",\"semantic_score\":0.6{approval},\"result\":1}}\n"
        )
    };
    for (trace, flags) in [
        (call(",\"approval\":\"approved\""), "--call z"),
        (call(""), "--call z --on-escalate allow"),
    ] {
        let scratch = scratch(&trace, RECORDED);
        let explained = explained(&scratch, flags);
        assert_eq!(explained["turns_to"], "plain_allow", "{explained}");
        assert_eq!(explained["turned_by"], Value::Null);
        assert_eq!(explained["together"], Value::Null);
        let (_, replay) = flip(&explained, "semantic.escalate");
        assert_eq!(replay["decision"], "allow");
        let shown = table(&scratch, flags);
        assert!(shown.contains("let through already; "), "{shown}");
    }
}

/// More than what calls with an intent are blocked from can be said of the others alone, and a threshold
/// of all calls goes up together with the one that calls without an intent have of their own.
#[test]
fn thresholds_without_room_are_told_with_what_makes_room() {
    let gone =
        "{\"tool\":\"delete_user\",\"run\":\"r\",\"id\":\"z\",\"args\":{\"id\":3},\"result\":1}\n";
    let asked = format!(
        "{{\"type\":\"run_start\",\"run\":\"r\",\"intent\":\"delete all old user accounts\"}}\n{}",
        "{\"tool\":\"bash\",\"run\":\"r\",\"id\":\"z\",\"args\":{\"cmd\":\"dd if=/dev/zero of=/dev/sda\"},\"result\":1}\n"
    );
    let of_all = "semantic.escalate = 0.4\n";
    let of_others = "semantic.embedder = 'static'\nsemantic.without_intent.block = 0.6\n";
    for (trace, policy, key) in [
        (gone, of_all, "semantic.without_intent.escalate"),
        (&asked, of_others, "semantic.without_intent.block"),
    ] {
        let scratch = scratch(trace, policy);
        let explained = explained(&scratch, "--call z");
        let (_, replay) = flip(&explained, key);
        assert_eq!(replay["decision"], "allow", "{explained}");
        let mut lines = policy.to_owned();
        for change in explained["flips"][0]["changes"].as_array().expect("a list") {
            let line = format!("{} = ", text(&change["key"]));
            let kept = lines.lines().filter(|known| !known.starts_with(&line));
            let kept: Vec<&str> = kept.collect();
            let to = text(&change["to"]);
            lines = format!("{}\n{line}{to}\n", kept.join("\n"));
        }
        scratch.file("p.toml", &lines);
        let again = self::explained(&scratch, "--call z");
        assert_eq!(again["decision"]["decision"], "allow", "{lines}");
    }
}

/// Where replays are few, what counts calls is still no more than the run has.
#[test]
fn counts_of_calls_stay_within_the_run() {
    let mail = |n: u64| format!("{{\"tool\":\"rm\",\"run\":\"r\",\"id\":\"c{n}\"}}\n");
    let mut trace: String = (1..=200).map(mail).collect();
    trace += "{\"tool\":\"search\",\"run\":\"r\",\"id\":\"z\",\"result\":1}\n";
    let policy = "gates.allow = [\"search\"]\ndfa.max_refusals = 2\ndfa.max_steps = 1000\n";
    let explained = explained(&scratch(&trace, policy), "--call z");
    let (to, _) = flip(&explained, "dfa.max_refusals");
    assert!(to.parse::<u64>().is_ok_and(|to| to <= 201), "{explained}");
}

/// A number that the deciding rule does not go by is told as what it is: it lets an earlier call through,
/// and what that one observes is what the deciding rule asks for.
#[test]
fn a_way_through_earlier_calls_is_told_as_one() {
    let call = |id: &str, cost: &str| {
        format!(
            "{{\"tool\":\"search\",\"run\":\"r\",\"id\":\"{id}\",\"agent\":\"a\"{cost},\"result\":1}}\n"
        )
    };
    let cost = ",\"estimated_cost_usd\":0.02";
    let trace = call("c1", "") + &call("c2", cost) + &call("c3", cost);
    let policy = "gates.window = 1\nprivilege.unknown_agent = \"allow\"\n\
                  privilege.agents.a.max_total_cost_usd = 0.01\n";
    let scratch = scratch(&trace, policy);
    let explained = explained(&scratch, "--call c3");
    assert_eq!(explained["decision"]["rule"], "recency");
    assert_eq!(explained["turned_by"], "one_number");
    for flip in explained["flips"].as_array().expect("a list") {
        let own = flip["changes"][0]["key"] == "gates.window";
        assert_eq!(flip["by_earlier"], !own, "{flip}");
        assert_eq!(flip["replay"]["admitted"], !own, "{flip}");
    }
    let (to, _) = flip(&explained, "privilege.agents.a.max_total_cost_usd");
    assert_eq!(to, "0.02");
    let says = "by way of earlier calls";
    assert!(table(&scratch, "--call c3").contains(says));
}

/// Doubts about the policy are rows of every report that has rows.
#[test]
fn doubts_are_rows() {
    let scratch = scratch(MAIL, "[dcbf]\npower = 0.5\n");
    for command in ["verify-barriers", "robustness"] {
        let ran = scratch.gate(&format!("{command} t.jsonl --policy p.toml --format csv"));
        let mut rows = ran.out.lines();
        let doubt = rows.find(|row| row.starts_with("warning,"));
        let doubt = doubt.unwrap_or_else(|| panic!("{command}: {}", ran.out));
        assert!(
            doubt.contains("p.toml") && doubt.contains("unsound_alpha"),
            "{doubt}"
        );
    }
}
