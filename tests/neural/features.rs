//! Features: their values, that a simulated state has those of the state it stands for, and that the
//! documentation lists them.

use crate::testing::Random;
use gate::barriers::simulate;
use gate::features::row;
use gate::policy::Policy;
use gate::policy::features::{FEATURES, VERSION, schema_sha256};
use gate::policy::matcher::{NameSet, NameTable};
use gate::state::{AgentState, Phase, RunView};
use gate::trace::money::Nano;
use std::sync::Arc;

fn policy() -> Policy {
    let mut policy = Policy::built_in();
    policy.count_default_features();
    policy
}

fn names(policy: &Policy, tool: &str) -> Arc<NameSet> {
    NameTable::default().intern(&policy.matchers, tool, &[])
}

fn feature(row: &[f64], name: &str) -> f64 {
    let at = FEATURES.iter().position(|f| f.name == name);
    row[at.expect("a feature")]
}

/// Counted by hand: two outbound calls, the latest side of a pair one call back.
#[test]
fn values_are_those_of_the_definitions() {
    let policy = policy();
    let mut state = AgentState {
        step_count: 25,
        loop_count: 2,
        cost: Nano(2_500_000_000),
        phase: Phase::Observing,
        context: Some(vec![1.0, 0.0].into()),
        action: Some(vec![0.0, 2.0].into()),
        ..AgentState::default()
    };
    state.ledger.tokens = 77;
    for tool in ["send_email", "x", "x", "y", "file_read", "send_email", "x"] {
        state.history.push(&policy, &names(&policy, tool), false);
    }
    let row = row(&policy, &state.view(RunView::default()));
    for (name, value) in [
        ("steps", 25.0),
        ("step_ratio", 0.5),
        ("loops", 2.0),
        ("calls", 7.0),
        ("outbound", 2.0),
        ("privacy_left", 0.2),
        ("pair_met", 1.0),
        ("pair_half", 1.0),
        ("pair_age", 1.0),
        ("window_tools", 4.0),
        ("window_outbound", 1.0),
        ("cost_usd", 2.5),
        ("cost_ratio", 0.25),
        ("tokens", 77.0),
        ("drift", 1.0),
        ("drift_known", 1.0),
        ("phase_idle", 0.0),
        ("phase_planning", 0.0),
        ("phase_acting", 0.0),
        ("phase_observing", 1.0),
        ("phase_terminal", 0.0),
    ] {
        assert!(
            (feature(&row, name) - value).abs() < 1e-12,
            "{name}: {}",
            feature(&row, name)
        );
    }
    assert_eq!(row.len(), FEATURES.len());
}

#[test]
fn a_run_that_has_not_begun_has_defined_features() {
    let policy = policy();
    let row = row(&policy, &AgentState::default().view(RunView::default()));
    assert!(row.iter().all(|x| x.is_finite()));
    for (name, value) in [
        ("pair_age", 5.0),
        ("privacy_left", 1.0),
        ("drift", 0.0),
        ("phase_idle", 1.0),
    ] {
        assert_eq!(feature(&row, name), value, "{name}");
    }
}

/// Where the recording keeps what the distance is taken of to itself, or it is of two worlds, the
/// distance is no number, and is not said to be known.
#[test]
fn a_distance_that_is_no_number_is_not_known() {
    let policy = policy();
    let told = |state: &AgentState, untold: bool| {
        let mut view = state.view(RunView::default());
        view.untold = untold;
        let row = row(&policy, &view);
        (
            feature(&row, "drift").is_nan(),
            feature(&row, "drift_known"),
        )
    };
    let mut state = AgentState {
        context: Some(vec![1.0, 0.0].into()),
        action: Some(vec![0.0, 2.0].into()),
        ..AgentState::default()
    };
    assert_eq!(told(&state, false), (false, 1.0));
    assert_eq!(told(&state, true), (true, 0.0));
    state.action = Some(vec![1.0].into());
    assert_eq!(told(&state, false), (true, 0.0));
}

/// A budget of nothing is used up, not divided by.
#[test]
fn budgets_of_nothing_have_defined_features() {
    let text = "[dcbf.barriers.privacy]\nbudget = 0\n[dcbf.barriers.resource]\nlimit_usd = 0\n\
                [dcbf.barriers.stability]\nstep_budget = 0\n";
    let nothing = |_: &str| Err("none".to_owned());
    let source = gate::policy::PolicySource::BuiltIn;
    let mut policy = gate::policy::parse(text, "gate.toml", source, &nothing).expect("a policy");
    policy.count_default_features();
    let row = row(&policy, &AgentState::default().view(RunView::default()));
    assert_eq!(feature(&row, "privacy_left"), 0.0);
    assert_eq!(feature(&row, "cost_ratio"), 1.0);
    assert_eq!(feature(&row, "step_ratio"), 1.0);
}

/// What the barriers check is the simulated state: its features are those of a state to which the
/// same has really happened.
#[test]
fn a_simulated_state_has_the_features_of_the_real_one() {
    const TOOLS: [&str; 5] = [
        "sql_query",
        "http_request",
        "file_read",
        "send_email",
        "think",
    ];
    let policy = policy();
    let mut random = Random::new(1);
    for _ in 0..200 {
        let mut state = AgentState::default();
        for _ in 0..random.below(12) {
            state
                .history
                .push(&policy, &names(&policy, TOOLS[random.below(5)]), false);
            state.step_count += 1;
        }
        let call = [names(&policy, TOOLS[random.below(5)])];
        let estimate = Nano(random.below(1 << 31));
        let simulated = {
            let view = state.view(RunView::default());
            row(&policy, &simulate(&view, &call, estimate))
        };
        state.history.push(&policy, &call[0], false);
        state.step_count += 1;
        state.cost = estimate;
        state.phase = Phase::Acting;
        assert_eq!(simulated, row(&policy, &state.view(RunView::default())));
    }
}

/// The table of the page has every feature, with its definition, its unit and its range.
#[test]
fn every_feature_is_documented_as_it_is() {
    let page = include_str!("../../docs/neural-barriers.md");
    assert!(page.contains(VERSION) && page.contains(&schema_sha256()));
    for f in FEATURES {
        let range = match f.range {
            (least, Some(greatest)) if least.is_finite() => format!("{least} to {greatest}"),
            (_, Some(greatest)) => format!("up to {greatest}"),
            (least, None) => format!("from {least}"),
        };
        let row = format!("| `{}` | {} | {} | {range} |", f.name, f.doc, f.unit);
        assert!(page.contains(&row), "{row}");
    }
    for (_, name) in gate::neural::Activation::ALL {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
