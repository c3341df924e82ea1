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
    // No single setting refuses them all here: a look at the start finds it.
    ("[privilege.agents.x]\ntools = []\n", "privilege", false),
    (
        "[gates]\nallow = [\"b\"]\n[privilege.agents.x]\ntools = [\"a\"]\n",
        "privilege",
        false,
    ),
    (
        "[gates]\nallow = [\"a\", \"b\"]\n[gates.per_tool]\na = 0\nb = 0\n",
        "gates",
        false,
    ),
    (
        "[dcbf.barriers.safety]\npairs = [[\"*\", \"*\"]]\n",
        "dcbf",
        false,
    ),
    (
        "[[contracts]]\ntools = [\"*\"]\nrequire = [\"!true\"]\n",
        "contracts",
        false,
    ),
    (
        "[[contracts]]\ntools = [\"*\"]\nrequire = [\"1 > 2\"]\n",
        "contracts",
        false,
    ),
    // Contracts come before the barriers, also before one that starts below zero.
    (
        "[[contracts]]\ntools = [\"*\"]\nrequire = [\"false\"]\n[dcbf.barriers.privacy]\nbudget = 0.1\nmargin = 0.5\n",
        "contracts",
        false,
    ),
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

/// One report does not contradict itself: what is explored of a policy that admits nothing has no calls.
#[test]
fn what_is_explored_of_a_dead_policy_admits_nothing_either() {
    let scratch = Scratch::new();
    for (text, _, _) in DEAD {
        scratch.file("p.toml", text);
        let ran = scratch.gate("check p.toml --reach --format json").ends(0);
        let document: Value = serde_json::from_str(&ran.out).expect("JSON");
        let reach = &document["reach"];
        assert_eq!(reach["more"]["calls"], 0, "{text}");
        for class in reach["classes"].as_array().expect("a list") {
            assert_eq!(class["more"]["calls"], 0, "{text} {class}");
            let refused = !class["never"].is_null() || !class["lost"].is_null();
            assert!(refused, "{text} {class}");
        }
        let ran = scratch.gate("check p.toml --reach").ends(0);
        assert!(!ran.out.contains("  none: "), "{}", ran.out);
    }
}

/// A tool whose budget is nothing is refused for ever, and no other is.
#[test]
fn a_budget_of_nothing_ends_its_tool_alone() {
    let scratch = Scratch::new();
    let text = "[gates]\nallow = [\"a\", \"b\"]\n[gates.per_tool]\na = 0\nb = 9\n";
    assert_eq!(report(text).dead, None);
    scratch.file("p.toml", text);
    let ran = scratch.gate("check p.toml --reach").ends(0);
    let said = "always, by the budget of `a` in `gates.per_tool`";
    assert_eq!(ran.out.matches(said).count(), 1, "{}", ran.out);
    assert!(!ran.out.contains("no call is admitted"), "{}", ran.out);
}

/// That a call needs another one first refuses nothing for ever where that other one is free.
#[test]
fn a_policy_that_admits_one_call_is_not_dead() {
    for text in [
        "[[contracts]]\ntools = [\"a\"]\nrequire = [\"false\"]\n",
        "[gates]\nallow = [\"a\", \"b\"]\n[privilege.agents.x]\ntools = [\"a\"]\n",
        "[dcbf.barriers.safety]\npairs = [[\"a*\", \"*\"]]\n",
    ] {
        assert_eq!(report(text).dead, None, "{text}");
    }
}
