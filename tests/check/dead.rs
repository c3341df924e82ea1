//! Policies under which no call is admitted: what is said of them instead of counts.

use super::program::{Scratch, replay};
use super::{report, row};
use gate::check::binds::Binds;
use serde_json::Value;

/// A policy that refuses every call, the stage that does, and whether it comes before the barriers.
const DEAD: &[(&str, &str, bool)] = &[
    ("[gates]\nallow = []\n", "gates", true),
    ("[gates]\nmax_tokens = 0\n", "gates", true),
    ("[gates.per_tool]\n\"*\" = 0\n", "gates", true),
    ("[privilege]\nunknown_agent = \"deny\"\n", "privilege", true),
    ("[dfa]\nmax_steps = 0\n", "dfa", true),
    ("[dcbf.barriers.safety]\nmargin = 1.5\n", "dcbf", false),
    (
        "[dcbf.barriers.stability]\nstep_budget = 0\n",
        "dcbf",
        false,
    ),
    ("[dcbf.barriers.x]\nexpr = \"-1\"\n", "dcbf", false),
    ("[semantic]\nblock = 0\nescalate = 0\n", "semantic", false),
];

const CALLS: &str = "{\"tool\":\"a\",\"result\":1}\n{\"tool\":\"sql_query\",\"estimated_cost_usd\":99}\n{\"tool\":\"http_request\",\"args\":{\"url\":\"x\"}}\n";

#[test]
fn no_counts_are_told_of_a_policy_that_admits_nothing() {
    let scratch = Scratch::new();
    for (text, stage, before) in DEAD {
        let found = report(text);
        let dead = found.dead.as_ref().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(dead.stage, *stage, "{text}");
        assert!(
            found.limits.is_empty() && found.conditions.is_empty(),
            "{text}"
        );
        assert!(
            found
                .findings
                .iter()
                .any(|f| f.message.contains("every call is refused")
                    || f.code == "refuses_every_call"),
            "{text}: {:?}",
            found.findings
        );
        for barrier in &found.barriers {
            assert_eq!((barrier.calls, barrier.permits.len()), (None, 0), "{text}");
            let never = matches!(barrier.binds, Binds::Never(_));
            assert!(never || !before, "{text}: {barrier:?}");
        }
        let advised = found.findings.iter().filter(|f| f.code == "never_binds");
        assert!(advised.count() == 0, "{text}: it is told once");
        scratch.file("p.toml", text);
        let ran = scratch.gate("check p.toml").ends(0);
        assert!(ran.out.contains("no call is admitted: "), "{}", ran.out);
        assert!(!ran.out.contains("limits of a run"), "{}", ran.out);
        let ran = scratch.gate("check p.toml --format json").ends(0);
        let document: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(document["dead"]["stage"], *stage);
    }
    assert_eq!(report("").dead, None);
}

/// The claim itself: nothing passes, and where a stage before them refuses, no barrier decides, also
/// where refused calls run.
#[test]
fn what_is_called_dead_admits_nothing() {
    for (text, _, before) in DEAD {
        for mode in ["", "--mode observe"] {
            for record in replay(CALLS, text, mode).records() {
                assert_ne!(record["decision"], "allow", "{text} {mode} {record}");
                let by_barrier = record["stage"] == "dcbf";
                assert!(!(by_barrier && *before), "{text} {mode} {record}");
            }
        }
    }
}

/// A run of one call cannot bring two calls together.
#[test]
fn a_single_call_makes_no_pair() {
    let found = row("[dfa]\nmax_steps = 1\n", "safety").binds;
    assert!(
        matches!(&found, Binds::Only(why) if why.contains("1 call at most")),
        "{found:?}"
    );
    assert_eq!(row("[dfa]\nmax_steps = 2\n", "safety").binds, Binds::Can);
}
