//! Money adds up exactly, in any order and however it was written.

use super::policies::policy;
use super::replay::{OBSERVE, replay_bytes};
use super::testing::Random;
use gate::trace::money::Nano;

/// A decimal of that many nano-dollars, in one of its spellings.
fn spelled(nano: u64, random: &mut Random) -> String {
    let exact = Nano(i128::from(nano)).to_string();
    match random.below(4) {
        0 => format!("{nano}e-9"),
        1 => format!("{nano}.000E-9"),
        2 if exact.contains('.') => format!("{exact}00"),
        _ => exact,
    }
}

/// What the resource barrier has left after calls of these costs.
fn left(costs: &[String], limit: &str) -> f64 {
    let policy = policy(&format!(
        "[pipeline]\ndisable = [\"dfa\"]\n[dcbf.barriers.stability]\nenabled = false\n\
         [dcbf.barriers.resource]\nlimit_usd = {limit}\n"
    ));
    let mut trace = String::new();
    for cost in costs {
        trace += &format!("{{\"tool\":\"t\",\"cost_usd\":{cost}}}\n");
    }
    trace += "{\"tool\":\"t\"}\n";
    let replay = replay_bytes(&policy, OBSERVE, trace.as_bytes());
    let last = &replay.decided.last().expect("a decision").decision;
    let names: Vec<_> = policy.dcbf.barriers.iter().map(|b| &*b.name).collect();
    let at = names.iter().position(|name| *name == "resource");
    last.barriers[at.expect("the barrier")].h
}

#[test]
fn sums_are_exact_whatever_their_order_and_spelling() {
    for case in 0..40 {
        let mut random = Random::new(case);
        let mut costs: Vec<u64> = (0..1 + random.below(60))
            .map(|_| match random.below(3) {
                0 => random.next() % 1_000,
                1 => random.next() % 1_000_000_000_000,
                _ => 100_000_000,
            })
            .collect();
        let sum: u64 = costs.iter().sum();
        let limit = 1_000_000_000_000_000_000 - sum as i128;
        let expected = limit as f64 / 1e9;
        for _ in 0..3 {
            let texts: Vec<_> = costs.iter().map(|&n| spelled(n, &mut random)).collect();
            assert_eq!(left(&texts, "1000000000.0"), expected, "{texts:?}");
            for at in (1..costs.len()).rev() {
                costs.swap(at, random.below(at + 1));
            }
        }
    }
}

#[test]
fn a_limit_can_be_met_to_the_last_nano_dollar() {
    let costs: Vec<String> = (0..10).map(|_| "0.1".to_owned()).collect();
    assert_eq!(left(&costs, "1.0"), 0.0);
    let costs: Vec<String> = (0..3).map(|_| "0.333333333".to_owned()).collect();
    assert_eq!(left(&costs, "1.0"), 1e-9);
    let costs = ["9007199254740993".to_owned(), "0.000000001".to_owned()];
    assert_eq!(left(&costs, "9007199254740993.000000001"), 0.0);
}
