//! Every rule of every stage: a recording that passes it and one that it refuses. The list of stages
//! is walked, so that a new rule without its pair fails here.

mod program;

use gate::stages::STAGES;
use program::replay;

/// A rule, a policy, and two recordings: the last call of the first passes, of the second is refused.
struct Pair {
    rule: &'static str,
    policy: &'static str,
    passes: &'static [&'static str],
    refused: &'static [&'static str],
}

const A: &str = r#"{"tool":"a","agent":"ops"}"#;
const B: &str = r#"{"tool":"b","agent":"ops"}"#;
const A_READ: &str = r#"{"tool":"a","result":"x","tokens":10}"#;
const A_PAID: &str = r#"{"tool":"a","agent":"ops","result":"x","cost_usd":0.5}"#;

const PAIRS: &[Pair] = &[
    Pair {
        rule: "gates.whitelist",
        policy: "[gates]\nallow = ['a']",
        passes: &[A],
        refused: &[B],
    },
    Pair {
        rule: "gates.regex",
        policy: "[gates]\nrefuse = ['7 x']",
        passes: &[r#"{"tool":"a","args":{"n":7,"y":["y"]}}"#],
        refused: &[r#"{"tool":"a","args":{"n":7,"skip":null,"y":["x"]}}"#],
    },
    Pair {
        rule: "gates.recency",
        policy: "[gates]\nwindow = 2",
        passes: &[A_READ, r#"{"tool":"a","turn":3}"#],
        refused: &[A_READ, r#"{"tool":"a","turn":4}"#],
    },
    Pair {
        rule: "gates.budget",
        policy: "[gates]\nmax_tokens = 20",
        passes: &[A_READ, A],
        refused: &[A_READ, A_READ, A],
    },
    Pair {
        rule: "gates.per_tool_budget",
        policy: "[gates.per_tool]\na = 10",
        passes: &[A_READ, B],
        refused: &[A_READ, A],
    },
    Pair {
        rule: "privilege.unknown_agent",
        policy: "[privilege.agents.ops]",
        passes: &[A],
        refused: &[r#"{"tool":"a","agent":"eve"}"#],
    },
    Pair {
        rule: "privilege.tool",
        policy: "[privilege.agents.ops]\ndeny_tools = ['out']\ntools = ['a']",
        passes: &[A],
        refused: &[r#"{"tool":"a","agent":"ops","labels":["out"]}"#],
    },
    Pair {
        rule: "privilege.resource",
        policy: "[privilege.agents.ops]\nresources = ['docs/*']",
        passes: &[r#"{"tool":"a","agent":"ops","resources":["docs/a","docs/b"]}"#],
        refused: &[r#"{"tool":"a","agent":"ops","resources":["docs/a","keys/b"]}"#],
    },
    Pair {
        rule: "privilege.call_cost",
        policy: "[privilege.agents.ops]\nmax_call_cost_usd = 0.02",
        passes: &[A],
        refused: &[r#"{"tool":"a","agent":"ops","estimated_cost_usd":0.020000001}"#],
    },
    Pair {
        rule: "privilege.total_cost",
        policy: "[privilege.agents.ops]\nmax_total_cost_usd = 0.51",
        passes: &[A_PAID, A],
        refused: &[
            A_PAID,
            r#"{"tool":"a","agent":"ops","estimated_cost_usd":0.02}"#,
        ],
    },
    Pair {
        rule: "dfa.answering",
        policy: "",
        passes: &[A],
        refused: &[r#"{"type":"run_end","run":"t","status":"answered"}"#, A],
    },
    Pair {
        rule: "dfa.rejected",
        policy: "[gates]\nallow = ['a']\n[dfa]\nmax_refusals = 2",
        passes: &[B, A],
        refused: &[B, B, A],
    },
    Pair {
        rule: "dfa.exhausted",
        policy: "[dfa]\nmax_steps = 1",
        passes: &[A],
        refused: &[A, A, A],
    },
    Pair {
        rule: "dfa.max_steps",
        policy: "[dfa]\nmax_steps = 1",
        passes: &[A],
        refused: &[A, A],
    },
    Pair {
        rule: "dfa.max_loops",
        policy: "[dfa]\nmax_loops = 1\n[gates]\nallow = ['a']",
        passes: &[B, A],
        refused: &[B, B, A],
    },
    Pair {
        rule: "dfa.max_repeats",
        policy: "[dfa]\nmax_repeats = 1",
        passes: &[
            r#"{"tool":"a","args":{"x":1}}"#,
            r#"{"tool":"a","args":{"x":2}}"#,
        ],
        refused: &[
            r#"{"tool":"a","args":{"x":1,"y":2}}"#,
            r#"{"tool":"a","args":{"y":2.0,"x":1}}"#,
        ],
    },
    Pair {
        rule: "dfa.timeout",
        policy: "[dfa]\ntimeout_seconds = 60",
        passes: &[
            r#"{"type":"run_start","run":"t","ts":"2026-01-01T00:00:00Z"}"#,
            r#"{"tool":"a","ts":"2026-01-01T00:01:00Z"}"#,
        ],
        refused: &[
            r#"{"type":"run_start","run":"t","ts":"2026-01-01T00:00:00Z"}"#,
            r#"{"tool":"a","ts":"2026-01-01T00:01:00.001Z"}"#,
        ],
    },
    Pair {
        rule: "contracts.require",
        policy: "[[contracts]]\ntools = ['a']\nrequire = ['count(\"b\") > 0 && last_ok(\"b\") && since(\"b\") == 0 && recent(\"b\", 2) == 1 && seen(\"?\")']",
        passes: &[r#"{"tool":"b","result":1}"#, A],
        refused: &[r#"{"tool":"b","error":true}"#, A],
    },
    Pair {
        rule: "dcbf.outside_safe_set",
        policy: "[dcbf.barriers.spent]\nexpr = '0.25 - state.cost_usd'",
        passes: &[A],
        refused: &[A_PAID, A],
    },
    Pair {
        rule: "dcbf.forward_invariance",
        policy: "[dcbf.barriers.resource]\nlimit_usd = 1\nper_call_cost_usd = 0.5",
        passes: &[A_PAID, A],
        refused: &[A_PAID, r#"{"tool":"a","estimated_cost_usd":0.500000001}"#],
    },
    Pair {
        rule: "semantic.harm",
        policy: "[semantic]\nembedder = 'recorded'\nescalate = 0.5\nblock = 0.8",
        passes: &[r#"{"tool":"a","semantic_score":0.49}"#],
        refused: &[r#"{"tool":"a","semantic_score":0.8}"#],
    },
];

/// Rules whose cases need files or results and stand in `tests/cases/contracts.md`.
const ELSEWHERE: &[&str] = &["contracts.schema", "contracts.ensure"];

#[test]
fn every_rule_has_its_pair() {
    let known = STAGES.iter().flat_map(|stage| {
        let rules = stage.rules().iter();
        rules.map(|(rule, _)| format!("{}.{rule}", stage.id()))
    });
    let mut known: Vec<String> = known.collect();
    let covered = PAIRS.iter().map(|pair| pair.rule);
    let mut covered: Vec<&str> = covered.chain(ELSEWHERE.iter().copied()).collect();
    known.sort();
    covered.sort_unstable();
    assert_eq!(covered, known);
}

#[test]
fn every_rule_passes_what_it_should_and_refuses_what_it_should() {
    for pair in PAIRS {
        let last = |records: &[&str]| {
            let ran = replay(records.join("\n") + "\n", pair.policy, "");
            let decisions = ran.decisions();
            let last = decisions
                .last()
                .unwrap_or_else(|| panic!("{}: {}", pair.rule, ran.err));
            last.split_once(' ')
                .expect("tool and decision")
                .1
                .to_owned()
        };
        assert_eq!(last(pair.passes), "allow", "{}", pair.rule);
        assert_eq!(last(pair.refused), format!("block {}", pair.rule));
    }
}

#[test]
fn spending_counts_only_where_it_is_to_be_counted() {
    let records = format!("{A_PAID}\n{A_PAID}\n{A_PAID}\n");
    let policy = "[dcbf.barriers.resource]\nlimit_usd = 1\n";
    let ran = replay(&records, policy, "").ends(1);
    assert_eq!(ran.decisions()[2], "a block dcbf.forward_invariance");
    let none = format!("[dcbf]\ncost_accounting = 'none'\n{policy}");
    let ran = replay(&records, &none, "").ends(0);
    let last = &ran.records()[2];
    assert_eq!(last["barriers"]["resource"]["h"], 1);
    assert_eq!(last["barriers"]["resource"]["next"], 0.99);
}

#[test]
fn what_was_not_mediated_and_what_lies_on_a_boundary_is_counted() {
    let policy = "[boundary]\ntools = ['a']\n[dcbf.barriers.stability]\nstep_budget = 2\n";
    let records = format!(
        "{A_READ}\n{}\n",
        r#"{"tool":"b","result":"x","cost_usd":0}"#
    );
    let summary = replay(records, policy, "").ends(0).summary();
    assert_eq!(summary["unmediated"], serde_json::json!({ "b": 1 }));
    assert_eq!(summary["boundary"], 1);
    assert_eq!(summary["uncosted"], 1);
    assert_eq!(summary["concurrent"], 0);
}
