//! Soundness, budgets and limits, against numbers that were worked out by hand.

use super::{exit, report, row, under};
use gate::check::permits::Permits;
use gate::verify::soundness::Soundness;

/// alpha(h) <= h holds for a power above 1 up to kappa^(-1/(power-1)), so that with a greatest value H
/// it is sound iff kappa <= H^(1-power).
#[test]
fn a_power_above_one_is_sound_up_to_a_bound() {
    for (limit, power) in [(10.0_f64, 2.0_f64), (4.0, 3.0), (2.0, 1.5)] {
        let bound = limit.powf(1.0 - power);
        for (kappa, sound) in [(bound * 0.999, true), (bound * 1.001, false)] {
            let text = format!(
                "[dcbf.barriers.resource]\nlimit_usd = {limit:?}\nkappa = {kappa:?}\npower = {power:?}\n"
            );
            let found = row(&text, "resource").soundness;
            assert_eq!(found == Some(Soundness::Sound), sound, "{text}");
        }
    }
}

/// A power below 1 holds at 0 and from kappa^(1/(1-power)) on, one above 1 up to kappa^(-1/(power-1)).
#[test]
fn the_bounds_of_a_function_are_where_it_crosses_h() {
    for (kappa, power) in [
        (1.0_f64, 0.5_f64),
        (0.3, 0.8),
        (2.0, 0.5),
        (0.1, 2.0),
        (3.0, 1.5),
    ] {
        let alpha = row(&under(kappa, power), "resource").alpha;
        let bound = kappa.powf(1.0 / (1.0 - power));
        let holds = |h: f64| alpha.at(h) <= h;
        assert!(holds(0.0), "{kappa} {power}");
        assert_eq!(holds(bound * 1.001), power < 1.0, "{kappa} {power}");
        assert_eq!(holds(bound * 0.999), power > 1.0, "{kappa} {power}");
    }
}

/// With power 1 it holds iff kappa <= 1, and below 1 never near zero.
#[test]
fn a_power_of_one_is_sound_up_to_one_and_below_it_never() {
    for (kappa, power, sound) in [
        (0.0, 1.0, true),
        (1.0, 1.0, true),
        (1.001, 1.0, false),
        (1.0, 0.5, false),
        (0.01, 0.9, false),
    ] {
        let found = row(&under(kappa, power), "resource").soundness;
        assert_eq!(found == Some(Soundness::Sound), sound, "{kappa} {power}");
    }
}

/// The exits that are known to be admitted, and that the report names one that is admitted too.
#[test]
fn known_exits_are_admitted_and_one_is_named() {
    for (name, kappa, power, h, next) in [
        ("resource", 1.0, 2.0, 10.0, -8.0),
        ("resource", 1.5, 1.0, 10.0, -5.0),
        ("privacy", 1.0, 0.5, 0.1, -0.1),
        ("scope", 1.0, 0.5, 0.05, -0.15),
    ] {
        let text = under(kappa, power);
        let alpha = row(&text, name).alpha;
        assert!(alpha.admits(h, next), "{name}: {h} -> {next}");
        let named = exit(&text, name).expect(name);
        assert!(named.h >= 0.0 && named.next < 0.0, "{name}: {named:?}");
        assert!(alpha.admits(named.h, named.next), "{name}: {named:?}");
    }
    // An alpha that overflows admits nothing at all, instead of everything.
    let alpha = row(&under(1.0, 2.0), "resource").alpha;
    assert!(!alpha.admits(1e200, -1.0) && !alpha.admits(1e200, 1e200));
}

/// Unit steps never exit; three outbound calls do iff kappa * 0.1^power >= 0.2.
#[test]
fn on_a_lattice_less_is_enough() {
    for (kappa, power) in [(1.0_f64, 2.0_f64), (7.0, 1.0), (1.0, 0.5), (40.0, 3.0)] {
        assert_eq!(exit(&under(kappa, power), "stability"), None);
    }
    for power in [0.5_f64, 0.8, 1.0, 2.0] {
        for (factor, exits) in [(0.99, false), (1.01, true)] {
            let kappa = factor * 0.2 / 0.1_f64.powf(power);
            let found = exit(&under(kappa, power), "privacy");
            assert_eq!(found.is_some(), exits, "{kappa} {power}");
        }
    }
}

/// Outbound calls that are admitted: kappa < .4: 0; .4 <= kappa < 2/3: 1; 2/3 <= kappa < 2: 2. Unit
/// steps of fifty: 50, 49, 49, 46, 41, 31, 1, and 0 below.
#[test]
fn a_small_kappa_shrinks_budgets() {
    for (kappa, outbound) in [
        (0.39, 0),
        (0.4, 1),
        (0.66, 1),
        (0.67, 2),
        (1.0, 2),
        (1.9, 2),
    ] {
        let found = row(&under(kappa, 1.0), "privacy").calls;
        assert_eq!(found, Some(Permits::Calls(outbound)), "{kappa}");
    }
    for (kappa, steps) in [
        (1.0, 50),
        (0.9, 49),
        (0.5, 49),
        (0.2, 46),
        (0.1, 41),
        (0.05, 31),
        (0.02, 1),
    ] {
        let found = row(&under(kappa, 1.0), "stability").calls;
        assert_eq!(found, Some(Permits::Calls(steps)), "{kappa}");
    }
    // No step at all: nothing is counted of a policy that refuses every call.
    let dead = report(&under(0.019, 1.0)).dead;
    assert!(dead.is_some_and(|dead| dead.why.contains("a single step")));
}

#[test]
fn what_is_permitted_is_told_in_sentences() {
    let says = |text: &str, name: &str| row(text, name).permits;
    assert_eq!(
        says("", "privacy"),
        [
            "2 outbound calls, then none for the rest of the run",
            "0.1 of 0.5 can never be used"
        ]
    );
    assert_eq!(
        says(&under(0.5, 1.0), "privacy"),
        [
            "1 outbound call, then none for the rest of the run",
            "0.3 of 0.5 can never be used, 0.2 of it because of kappa 0.5"
        ]
    );
    assert_eq!(
        says(&under(0.5, 1.0), "stability"),
        [
            "49 calls, then none for the rest of the run",
            "1 of 50 steps can never be used, because of kappa 0.5"
        ]
    );
    assert_eq!(
        says("", "stability"),
        ["50 calls, then none for the rest of the run"]
    );
    assert_eq!(
        says("", "resource"),
        ["1000 calls at the default estimate of 0.01 USD, 10 of 10 USD"]
    );
    assert_eq!(
        says(&under(0.5, 1.0), "resource")[1],
        "the first call may be estimated at 5 USD at most"
    );
    let pair = "[dcbf.barriers.safety]\npairs = [[\"sql_query\", \"http_request\"]]\n";
    for (window, told) in [
        (
            5,
            "after `sql_query` no `http_request` in the next 4 calls, nor the other way round",
        ),
        (
            2,
            "after `sql_query` no `http_request` as the next call, nor the other way round",
        ),
        (1, "no call that is both `sql_query` and `http_request`"),
    ] {
        assert_eq!(
            says(&format!("{pair}window = {window}\n"), "safety"),
            [told]
        );
    }
    let leaving = says("[dcbf.barriers.privacy]\nkappa = 2.5\n", "privacy");
    assert_eq!(
        leaving,
        [
            "3 outbound calls, then none for the rest of the run",
            "the last of them leaves the safe set: then every call is refused"
        ]
    );
    let none = says("[dcbf.barriers.privacy]\nkappa = 0.1\n", "privacy");
    assert_eq!(none[0], "no outbound call at all");
}

/// Money is counted in integers: 0.3 - 3 * 0.1 is below zero in floats.
#[test]
fn the_last_legitimate_call_of_a_budget_is_counted() {
    let text = "[dcbf.barriers.resource]\nlimit_usd = 0.3\nper_call_cost_usd = 0.1\n";
    assert_eq!(row(text, "resource").calls, Some(Permits::Calls(3)));
    assert_eq!(row(text, "resource").stranded, None);
}

/// Without a look at the next state the call that spends too much still passes.
#[test]
fn without_verify_one_more_call_passes_and_nothing_is_sound() {
    let found = row("[dcbf]\nverify = false\n", "privacy");
    assert_eq!(found.calls, Some(Permits::Calls(3)));
    assert_eq!(found.soundness, None);
}

#[test]
fn the_limit_that_ends_a_run_comes_first() {
    let names = |text: &str| {
        let limits = report(text).limits;
        limits.into_iter().map(|l| l.name).collect::<Vec<_>>()
    };
    assert_eq!(
        names(""),
        ["privacy", "dfa.max_steps", "stability", "resource"]
    );
    let sooner = "[dfa]\nmax_steps = 100\n[privilege.agents.a]\nmax_total_cost_usd = 0.2\n";
    assert_eq!(
        names(sooner),
        [
            "privacy",
            "max_total_cost_usd of agent a",
            "stability",
            "dfa.max_steps",
            "resource"
        ]
    );
    assert_eq!(
        names("[pipeline]\ndisable = [\"dcbf\"]\n"),
        ["dfa.max_steps"]
    );
}

/// Budgets above what is counted one by one are told exactly, and what ends a run first is.
#[test]
fn large_limits_are_exact_and_in_order() {
    let text = "[dfa]\nmax_steps = 1_200_000\n[dcbf.barriers.stability]\nstep_budget = 1_500_000\n\
                [dcbf.barriers.privacy]\nbudget = 1_000_000\nper_call = 0.5\n";
    let limits = report(text).limits;
    let told: Vec<(&str, Permits)> = limits.iter().map(|l| (&*l.name, l.calls)).collect();
    let expected = [
        ("resource", Permits::Calls(1_000)),
        ("dfa.max_steps", Permits::Calls(1_200_000)),
        ("stability", Permits::Calls(1_500_000)),
        ("privacy", Permits::Calls(2_000_000)),
    ];
    assert_eq!(told, expected);
}

/// Of a count that stopped only a lower bound is known: it is neither ordered nor told as a limit.
#[test]
fn a_lower_bound_is_not_told_as_a_limit() {
    let text = "[dfa]\nmax_steps = 9_000_000_000_000_000_000\n[dcbf.barriers.stability]\n\
                step_budget = 9_000_000_000_000_000_000\n";
    let scratch = super::program::Scratch::new();
    scratch.file("p.toml", text);
    let ran = scratch.gate("check p.toml").ends(0);
    assert!(
        ran.out.contains(
            "not known which ends a run first: `stability` refuses the next after at least "
        ),
        "{}",
        ran.out
    );
    let binds = row(text, "stability").binds;
    assert_eq!(binds.as_str(), "unknown", "{binds:?}");
    assert!(!ran.out.contains("no run goes on after"), "{}", ran.out);
    assert_eq!(
        report(text).limits.last().map(|l| &*l.name),
        Some("stability")
    );
}

/// More than the limit may be spent where the margin is negative; of how much is told.
#[test]
fn a_negative_margin_adds_to_the_limit() {
    let text = "[dcbf.barriers.resource]\nlimit_usd = 1\nmargin = -0.5\nper_call_cost_usd = 0.3\n";
    let said = row(text, "resource").permits;
    assert_eq!(
        said[0],
        "5 calls at the default estimate of 0.3 USD, 1.5 of 1.5 USD, the limit of 1 less a margin of -0.5"
    );
}

/// 0.6 - 0.2 * 3 is less than zero in floats: what looks like room for a third call is none.
#[test]
fn what_rounding_keeps_from_use_is_said_so() {
    let said = row("[dcbf.barriers.privacy]\nbudget = 0.6\n", "privacy").permits;
    assert_eq!(
        said[1],
        "0.2 of 0.6 can never be used: the next call would take it below zero, by rounding alone"
    );
}

/// Money is whole nano-dollars, in every format.
#[test]
fn money_that_is_left_is_an_exact_amount() {
    let text = "[dcbf.barriers.resource]\nlimit_usd = 1\nkappa = 0.05\nper_call_cost_usd = 0.03\n";
    let part = row(text, "resource").stranded.expect("kappa leaves some");
    for usd in [part.left, part.of, part.by_alpha] {
        assert_eq!(usd, (usd * 1e9).round() / 1e9, "{part:?}");
    }
}

/// Where no call takes anything there is no limit in calls.
#[test]
fn a_budget_that_nothing_uses_is_no_limit() {
    let text = "[dcbf.barriers.privacy]\noutbound = []\n";
    let found = row(text, "privacy");
    assert_eq!((found.calls, found.permits.len()), (None, 0));
    assert!(report(text).limits.iter().all(|l| l.name != "privacy"));
}

/// A limit of an agent is one of its runs alone, and is said to be.
#[test]
fn limits_of_agents_are_told_of_their_runs() {
    let text = "[privilege.agents.x]\nmax_total_cost_usd = 0.05\n[privilege.agents.y]\nmax_total_cost_usd = 0.01\n";
    let scratch = super::program::Scratch::new();
    scratch.file("p.toml", text);
    let ran = scratch.gate("check p.toml").ends(0);
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for (agent, calls) in [("x", "5 calls"), ("y", "1 call")] {
        let sentence = format!(
            "in runs of agent `{agent}` whose calls cost the default estimate, its `max_total_cost_usd` comes sooner, after {calls}"
        );
        assert!(said.contains(&sentence), "{said}");
    }
    assert!(!ran.out.contains('"'), "{}", ran.out);
    let agents = report(text).limits.into_iter().filter_map(|l| l.agent);
    assert_eq!(agents.collect::<Vec<_>>(), ["y", "x"]);
}

/// Recorded costs may come to more than any limit; what is true is that the barrier refuses whatever
/// the limit of the agent does.
#[test]
fn a_limit_behind_the_barrier_is_said_to_decide_nothing() {
    for accounting in ["recorded", "none"] {
        let text = format!(
            "[privilege.agents.x]\nmax_total_cost_usd = 12\n[dcbf]\ncost_accounting = \"{accounting}\"\n"
        );
        let found = report(&text).findings;
        let found = found.iter().find(|f| f.code == "shadowed_limit");
        let said = &found.expect("a finding").message;
        assert!(said.starts_with("it never decides alone"), "{said}");
        assert!(!said.contains("never spent"), "{said}");
    }
}

/// What is left is counted in integers: a single step or a cent is told of any budget, and no next call
/// is put down to rounding because the budget is large.
#[test]
fn what_is_left_of_large_budgets_is_exact() {
    let steps = |budget: u64| {
        let text = format!("[dcbf.barriers.stability]\nstep_budget = {budget}\nkappa = 0.5\n");
        row(&text, "stability")
    };
    for budget in [1_000, 1_000_000_000, 10_000_000_000_000] {
        let found = steps(budget);
        let part = found
            .stranded
            .unwrap_or_else(|| panic!("{budget}: {:?}", found.calls));
        assert_eq!((part.left, part.by_alpha), (1.0, 1.0), "{budget}");
    }
    let money = |text: &str| {
        let found = row(&format!("[dcbf.barriers.resource]\n{text}"), "resource");
        let said = found.permits.join("\n");
        (found.stranded.map(|part| (part.left, part.by_alpha)), said)
    };
    let (part, said) = money("limit_usd = 10000000\nper_call_cost_usd = 0.01\nkappa = 0.5\n");
    assert_eq!(part, Some((0.01, 0.01)), "{said}");
    let (part, said) = money("limit_usd = 10000000.005\nper_call_cost_usd = 0.01\n");
    assert_eq!(part, Some((0.005, 0.0)), "{said}");
    assert!(!said.contains("by rounding"), "{said}");
    assert_eq!(
        money("limit_usd = 10000000\nper_call_cost_usd = 0.01\n").0,
        None
    );
}
