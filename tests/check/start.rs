//! What policies are told that let nothing pass, or whose numbers are at the edge of what floats hold.

use super::{exit, policy, program::Scratch, report, row};
use gate::verify::soundness::{Soundness, unsound_alpha};

fn codes(text: &str) -> Vec<&'static str> {
    report(text).findings.iter().map(|f| f.code).collect()
}

/// Two settings that floats hold may have a difference that they do not. The barrier counts as -1 then,
/// and every format says so.
#[test]
fn a_value_that_is_no_number_is_told_and_not_written() {
    let scratch = Scratch::new();
    for text in [
        "[dcbf.barriers.privacy]\nmargin = -1e308\nbudget = 1e308\n",
        "[dcbf.barriers.x]\nexpr = '1e308'\nmargin = -1e308\n",
    ] {
        scratch.file("p.toml", text);
        for args in ["", " --format json", " --reach", " --reach --format json"] {
            let ran = scratch.gate(&format!("check p.toml{args}")).ends(0);
            assert!(ran.out.contains("unsafe_at_start"), "{}", ran.out);
        }
        let ran = scratch.gate("check p.toml --format json").ends(0);
        let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        let name = if text.contains("privacy") { 1 } else { 5 };
        assert_eq!(document["barriers"][name]["start"], -1);
    }
}

/// An expression that asks for calls, steps and cost alone has a value before the first call, which its
/// own barrier tells; what else it may ask for depends on the run.
#[test]
fn expressions_that_start_outside_are_told_of() {
    for (expr, start) in [
        ("-1", Some(-1.0)),
        ("1 - 2 * state.step_count", Some(1.0)),
        ("count('a') - 1", Some(-1.0)),
        ("size(run.agent) - 100", None),
    ] {
        let text = format!("[dcbf.barriers.x]\nexpr = \"{expr}\"\n");
        assert_eq!(row(&text, "x").start, start, "{expr}");
        let told = codes(&text).contains(&"unsafe_at_start");
        assert_eq!(told, start.is_some_and(|h| h < 0.0), "{expr}");
    }
}

/// Of a start outside of the safe set nothing is explored, so that nothing is said of deadlocks.
#[test]
fn no_states_have_no_deadlock_to_tell_of() {
    let scratch = Scratch::new();
    scratch.file("p.toml", "[dcbf.barriers.x]\nexpr = \"-1\"\n");
    let ran = scratch.gate("check --reach p.toml").ends(0);
    assert!(ran.out.contains("not asked"), "{}", ran.out);
    assert!(!ran.out.contains("some call is admitted"), "{}", ran.out);
}

/// A function that shrinks budgets to nothing refuses as much as a budget of nothing.
#[test]
fn a_kappa_of_nothing_refuses_every_call() {
    let found = codes("[dcbf]\nkappa = 0\n");
    let all = found.iter().filter(|code| **code == "refuses_every_call");
    assert_eq!(all.count(), 2, "stability and resource: {found:?}");
}

/// Without a look at the next state no function keeps anything.
#[test]
fn without_verify_alpha_is_not_said_to_keep_calls_out() {
    let text = "[dcbf]\nverify = false\nkappa = 1.9\n";
    let told = unsound_alpha(&policy(text));
    assert_eq!(told.len(), 5);
    for warning in told {
        let said = &warning.message;
        assert!(said.contains("every call from a safe state"), "{said}");
        assert!(!said.contains("alpha(0"), "{said}");
    }
}

/// Costs are whole nano-dollars: below one of them there is nothing to leave the safe set by.
#[test]
fn an_exit_of_money_is_between_whole_amounts() {
    let under = |kappa: f64, power: f64| {
        format!("[dcbf.barriers.resource]\nkappa = {kappa:?}\npower = {power:?}\n")
    };
    let text = under(1e-6, 0.5);
    let found = row(&text, "resource").soundness;
    assert!(
        matches!(found, Some(Soundness::Unreachable { .. })),
        "alpha exceeds h below 1e-12 alone: {found:?}"
    );
    for (kappa, power) in [(1e-3, 0.5), (0.5, 0.3), (0.01, 0.7), (1.5, 1.0), (1.0, 2.0)] {
        let found = exit(&under(kappa, power), "resource").expect("an exit");
        for value in [found.h, found.next] {
            let nano = value * 1e9;
            assert!(
                (nano - nano.round()).abs() <= nano.abs() * 1e-12 + 1e-6,
                "{found:?}"
            );
        }
        assert!(found.h >= 1e-9 && found.next <= -1e-9, "{found:?}");
    }
}

/// Where recorded costs are not added up each call is asked for its own estimate, which may not fit.
#[test]
fn an_estimate_that_never_fits_permits_no_call() {
    let text = "[dcbf]\ncost_accounting = \"none\"\n[dcbf.barriers.resource]\nlimit_usd = 0.001\n";
    let said = row(text, "resource").permits.join("; ");
    assert!(
        said.starts_with("no call at the default estimate"),
        "{said}"
    );
    assert!(!said.contains("any number"), "{said}");
}

/// A first call of the amount that is told passes, and of one nano-dollar more it does not: 0.7 of 1 is
/// refused under kappa 0.7, by the last digit of a float.
#[test]
fn the_greatest_first_estimate_is_admitted_and_no_greater_one() {
    for (limit, kappa, power) in [(1, 0.7, 1.0), (10, 0.3, 1.0), (3, 0.1, 2.0), (5, 0.9, 0.5)] {
        let text = format!(
            "[dcbf.barriers.resource]\nlimit_usd = {limit}\nkappa = {kappa:?}\npower = {power:?}\n"
        );
        let said = row(&text, "resource").permits.join("; ");
        let (_, rest) = said.split_once("may be estimated at ").expect("told");
        let (most, _) = rest.split_once(" USD").expect("an amount");
        let nano: f64 = (most.parse::<f64>().expect("a number") * 1e9).round();
        for (more, admitted) in [(0.0, true), (1.0, false)] {
            let estimate = (nano + more) / 1e9;
            let call = format!("{{\"tool\":\"x\",\"estimated_cost_usd\":{estimate:.9}}}\n");
            let records = super::program::replay(call, &text, "").records();
            let passed = records[0]["decision"] == "allow";
            assert_eq!(passed, admitted, "{text}: {estimate}\n{}", records[0]);
        }
    }
}
