//! Whether a class-K function keeps its barrier from turning negative.
//!
//! While 0 <= alpha(h) <= h at every value the barrier attains, no admitted transition leaves the
//! safe set; where values and drops form a continuum that is also necessary (Ahmadi, Singletary,
//! Burdick and Ames, CDC 2019, ask alpha(r) < r). Where they form a lattice less is enough: an exit
//! needs an attained h and a possible drop d with h - d < 0 and d <= alpha(h).

use super::range::{Range, last_step_out};
use crate::barriers::UNKNOWN;
use crate::policy::{Alpha, BarrierSpec, Measure, Policy, PolicyWarning};
use crate::trace::money::Nano;

/// Stable code of the warning.
pub const CODE: &str = "unsound_alpha";

/// A transition out of the safe set that the condition admits: h >= 0 > next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exit {
    /// The value before.
    pub h: f64,
    /// The value after.
    pub next: f64,
}

/// What is to be said of an alpha on a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Soundness {
    /// alpha(h) <= h for every h from 0 to the greatest value.
    Sound,
    /// alpha(h) > h for some of them, here for `h`, but no fall is admitted that turns the barrier
    /// negative.
    Unreachable {
        /// A value at which alpha exceeds it.
        h: f64,
    },
    /// An exit is admitted.
    Exits(Exit),
    /// The only exit that is admitted is into a state in which the barrier cannot be computed, which
    /// counts as -1.
    Uncomputed(Exit),
    /// An exit would be admitted, but is no call's: embeddings that a call brings belong to both of its
    /// states. Only where states are told of, one after the other, can they change in between.
    Between(Exit),
    /// An exit would be admitted, if the barrier takes such a value at all, which is not known.
    Possible(Exit),
    /// The same, where an exploration with default costs and labels by the policy came to no exit. Calls
    /// of other costs, or with labels of their own, may come to one.
    Unseen(Exit),
}

/// Judges an alpha on what a barrier can attain.
pub fn judge(alpha: Alpha, range: Range) -> Soundness {
    let high = range.high().unwrap_or_else(|| beyond(alpha));
    let Some(h) = excess(alpha, high) else {
        return Soundness::Sound;
    };
    let exit = match range {
        Range::Unknown => Some(lowest(alpha, h, f64::NEG_INFINITY)),
        Range::Continuum { low, .. } | Range::Fallible { low, .. } => Some(lowest(alpha, h, low)),
        Range::Lattice { top, step } => last_step(top, step),
        Range::Two { high, low } => Some(Exit { h: high, next: low }),
        Range::Constant(_) => None,
    };
    let admitted = |e: &Exit| e.h >= 0.0 && e.next < 0.0 && alpha.admits(e.h, e.next);
    if let Some(exit) = exit.filter(admitted) {
        return Soundness::Exits(exit);
    }
    match uncomputed(h, range).filter(admitted) {
        Some(exit) => Soundness::Uncomputed(exit),
        None => Soundness::Unreachable { h },
    }
}

/// Judges the alpha of a barrier. Costs are whole nano-dollars, so that what is left of a limit, and
/// what a call takes of it, is no continuum where alpha exceeds h by less than one. The values of a
/// lattice are those that floats give it: rounding may let a step end just below zero.
pub fn of(barrier: &BarrierSpec) -> Soundness {
    let judged = judge(barrier.alpha, Range::of(barrier));
    let exit = match (&barrier.measure, judged) {
        (Measure::Resource { limit }, Soundness::Exits(exit)) => whole(barrier, *limit, exit),
        (Measure::Privacy { .. } | Measure::Stability { .. }, _) => last_step_out(barrier)
            .map(|(h, next)| Exit { h, next })
            .filter(|e| barrier.alpha.admits(e.h, e.next)),
        (Measure::Scope { .. }, Soundness::Exits(exit) | Soundness::Uncomputed(exit)) => {
            return Soundness::Between(exit);
        }
        (Measure::Custom(_) | Measure::Neural(_), Soundness::Exits(exit)) => {
            return Soundness::Possible(exit);
        }
        _ => return judged,
    };
    match (exit, judged) {
        (Some(exit), _) => Soundness::Exits(exit),
        (None, Soundness::Exits(exit)) => Soundness::Unreachable { h: exit.h },
        (None, judged) => judged,
    }
}

/// An exit between amounts of whole nano-dollars, next to where alpha exceeds h the most: h - alpha(h)
/// has one lowest point, so that there is none elsewhere if there is none here.
fn whole(barrier: &BarrierSpec, limit: Nano, exit: Exit) -> Option<Exit> {
    let near = |value: f64, round: fn(f64) -> f64| {
        // Saturates, and what is beyond any amount is filtered out below.
        let n = round((value + barrier.margin) * 1e9) as i64;
        [n, n.saturating_add(1), n.saturating_sub(1)].map(i128::from)
    };
    let value = |n: i128| Nano(n).usd() - barrier.margin + 0.0;
    let from = near(exit.h, f64::round).into_iter();
    let mut exits = from.filter(|n| *n <= limit.0).flat_map(|n| {
        let h = value(n);
        let floor = barrier.alpha.floor(h);
        let to = floor.map(|floor| near(floor, f64::ceil));
        to.into_iter()
            .flatten()
            .map(move |m| Exit { h, next: value(m) })
    });
    exits.find(|e| e.h >= 0.0 && e.next < 0.0 && barrier.alpha.admits(e.h, e.next))
}

/// The fall of a barrier that cannot be computed in the next state, from the value it attains at which
/// alpha exceeds it the most: beyond `h` that is the least.
fn uncomputed(h: f64, range: Range) -> Option<Exit> {
    match range {
        Range::Fallible { low, .. } => Some(Exit {
            h: h.max(low),
            next: UNKNOWN,
        }),
        _ => None,
    }
}

/// The h in (0, high] at which alpha exceeds h the most, as far as alpha is finite; absent where
/// alpha(h) <= h for all of them.
fn excess(alpha: Alpha, high: f64) -> Option<f64> {
    let h = if alpha.power < 1.0 {
        // Where the derivative of alpha(h) - h vanishes, unless the range ends before.
        (alpha.kappa * alpha.power)
            .powf(1.0 / (1.0 - alpha.power))
            .min(high)
    } else {
        high
    };
    // An alpha that is not finite admits nothing, so an exit lies lower.
    let mut h = h.min(f64::MAX);
    while h > 0.0 && alpha.floor(h).is_none() {
        h /= 2.0;
    }
    (h > 0.0 && alpha.at(h) > h).then_some(h)
}

/// A value of a barrier without known bounds at which alpha exceeds it, if there is any.
fn beyond(alpha: Alpha) -> f64 {
    if alpha.power > 1.0 && alpha.kappa > 0.0 {
        (2.0 * threshold(alpha)).max(1.0)
    } else {
        1.0
    }
}

/// The h > 0 with alpha(h) = h, for a power other than 1.
fn threshold(alpha: Alpha) -> f64 {
    alpha.kappa.powf(1.0 / (1.0 - alpha.power))
}

/// The deepest fall that is admitted from h and does not lead below `low`.
fn lowest(alpha: Alpha, h: f64, low: f64) -> Exit {
    Exit {
        h,
        next: alpha.floor(h).unwrap_or(f64::NAN).max(low),
    }
}

/// The step of a lattice that leads below zero.
fn last_step(top: f64, step: f64) -> Option<Exit> {
    let mut taken = (top / step).floor();
    // The quotient may be off by a step: 0.6 / 0.2 is less than 3.
    if top - step * (taken + 1.0) >= 0.0 {
        taken += 1.0;
    } else if top - step * taken < 0.0 {
        taken -= 1.0;
    }
    let exit = Exit {
        h: top - step * taken,
        next: top - step * (taken + 1.0),
    };
    (taken >= 0.0).then_some(exit)
}

/// A warning for every barrier of the policy on whose range alpha(h) <= h does not hold, in policy
/// order.
pub fn unsound_alpha(policy: &Policy) -> Vec<PolicyWarning> {
    let barriers = policy.dcbf.barriers.iter();
    barriers
        .filter_map(|barrier| warning(policy, barrier, of(barrier)))
        .collect()
}

/// The warning about a barrier of which that was found; absent where it is sound.
pub fn warning(policy: &Policy, barrier: &BarrierSpec, found: Soundness) -> Option<PolicyWarning> {
    let tail = match found {
        Soundness::Sound => return None,
        _ if !policy.dcbf.verify => {
            "`verify = false` does not ask for alpha: every call from a safe \
                                     state is admitted, also one that leaves the safe set"
                .into()
        }
        Soundness::Exits(exit) => format!(
            "a call that takes it {} is admitted and leaves the safe set",
            step_text(exit)
        ),
        Soundness::Possible(exit) => possible(exit),
        Soundness::Unseen(exit) => format!(
            "{}; the exploration, with default costs and labels by the policy, reaches no exit",
            possible(exit)
        ),
        Soundness::Uncomputed(exit) => format!(
            "a state in which it cannot be computed counts as -1, and {}",
            possible(exit)
        ),
        Soundness::Between(exit) => format!(
            "a step {} would be admitted where embeddings change between states (states files, live \
             monitors); those that a call brings belong to both of its states",
            step_text(exit)
        ),
        Soundness::Unreachable { h } => format!(
            "alpha({}) is {}, but no call that makes it negative is admitted",
            shown(h),
            shown(barrier.alpha.at(h))
        ),
    };
    Some(PolicyWarning {
        code: CODE,
        place: barrier.place,
        message: format!(
            "barrier `{}`: {}: {tail}",
            barrier.name,
            condition(barrier.alpha, Range::of(barrier))
        ),
    })
}

fn possible(exit: Exit) -> String {
    let step = step_text(exit);
    format!(
        "a call that takes it {step}, if it comes to such values, would be admitted and leaves the safe set"
    )
}

fn step_text(exit: Exit) -> String {
    format!("from {} to {}", shown(exit.h), shown(exit.next))
}

/// Why alpha(h) <= h fails, with the policy's numbers.
fn condition(alpha: Alpha, range: Range) -> String {
    let (kappa, power) = (shown(alpha.kappa), shown(alpha.power));
    if alpha.power == 1.0 {
        return format!("kappa {kappa} is above 1");
    }
    let bound = shown(threshold(alpha));
    if alpha.power < 1.0 {
        return format!("with kappa {kappa} and power {power} alpha(h) exceeds h below {bound}");
    }
    let high = match range.high() {
        Some(high) => format!("and h may be as great as {}", shown(high)),
        None => "and its values have no known bound".into(),
    };
    format!("with kappa {kappa} and power {power} alpha(h) exceeds h above {bound}, {high}")
}

/// The nearest number of at most 12 significant digits: more are the noise of floats.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value) + 0.0
}

/// The same in words.
pub(super) fn shown(value: f64) -> String {
    let rounded = rounded(value);
    if (1e-5..1e15).contains(&rounded.abs()) || rounded == 0.0 {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::testing::{alpha, policy};

    fn messages(kappa: f64, power: f64) -> Vec<String> {
        unsound_alpha(&policy(alpha(kappa, power)))
            .into_iter()
            .map(|w| w.message)
            .collect()
    }

    fn exit(name: &str, kappa: f64, power: f64) -> Soundness {
        let policy = policy(alpha(kappa, power));
        let barrier = policy.dcbf.barriers.iter().find(|b| b.name == name);
        let barrier = barrier.expect("a default barrier");
        of(barrier)
    }

    #[test]
    fn known_exits_are_admitted() {
        for (kappa, power, h, next) in [
            (1.0, 2.0, 10.0, -8.0),
            (1.5, 1.0, 10.0, -5.0),
            (1.0, 0.5, 0.1, -0.1),
            (1.0, 0.5, 0.05, -0.15),
        ] {
            assert!(alpha(kappa, power).admits(h, next), "{h} -> {next}");
            assert!(!alpha(1.0, 1.0).admits(h, next));
        }
    }

    #[test]
    fn the_default_is_sound_and_so_is_any_smaller_kappa() {
        for kappa in [0.0, 0.02, 0.5, 1.0] {
            assert!(messages(kappa, 1.0).is_empty());
        }
        assert!(messages(0.0, 0.5).is_empty(), "alpha is zero everywhere");
        assert!(messages(0.02, 2.0).is_empty(), "0.02 * 50 is not above 1");
    }

    #[test]
    fn each_barrier_has_its_own_exit() {
        let of = |h, next| Soundness::Exits(Exit { h, next });
        assert_eq!(exit("resource", 1.5, 1.0), of(10.0, -5.0));
        assert_eq!(exit("resource", 1.0, 2.0), of(10.0, -90.0));
        let between = |h, next| Soundness::Between(Exit { h, next });
        assert_eq!(exit("scope", 1.0, 0.5), between(0.25, -0.25));
        assert_eq!(
            exit("scope", 9.0, 1.0),
            between(0.8, -1.2),
            "a distance of 2 at most"
        );
        assert_eq!(exit("safety", 3.0, 1.0), of(0.9, -1.1));
        let Soundness::Exits(Exit { h, next }) = exit("privacy", 1.0, 0.5) else {
            panic!("the third outbound call");
        };
        assert!((h - 0.1).abs() < 1e-15 && (next + 0.1).abs() < 1e-15);
    }

    #[test]
    fn a_lattice_may_make_an_exit_impossible() {
        let unreachable = |s| matches!(s, Soundness::Unreachable { .. });
        for (kappa, power) in [(7.0, 1.0), (1.0, 2.0), (1.0, 0.5)] {
            assert!(unreachable(exit("stability", kappa, power)), "unit steps");
        }
        // A drop of 0.2 from 0.1 needs kappa * 0.1^power >= 0.2.
        assert!(unreachable(exit("privacy", 1.9, 1.0)));
        assert!(!unreachable(exit("privacy", 2.1, 1.0)));
        assert!(unreachable(exit("safety", 2.0, 1.0)));
        let messages = messages(1.9, 1.0);
        assert_eq!(messages.len(), 5);
        assert_eq!(
            messages[1],
            "barrier `privacy`: kappa 1.9 is above 1: alpha(0.5) is 0.95, but no call that makes \
             it negative is admitted"
        );
        assert_eq!(
            messages[2],
            "barrier `resource`: kappa 1.9 is above 1: a call that takes it from 10 to -9 is \
             admitted and leaves the safe set"
        );
    }

    /// 0.5 - 0.2 * 4 + 0.3 is zero, but for floats, as is 0.6 - 0.2 * 3: the fourth call goes below zero.
    #[test]
    fn an_exit_by_rounding_is_an_exit() {
        let judged = |text: &str| {
            let nothing = |_: &str| Err("no file".to_owned());
            let source = crate::policy::PolicySource::BuiltIn;
            let policy = crate::policy::parse(text, "p.toml", source, &nothing).expect("a policy");
            of(&policy.dcbf.barriers[1])
        };
        let barrier = "[dcbf.barriers.privacy]\n";
        let text = format!("{barrier}margin = -0.3\nkappa = 0.9\npower = 0.5\n");
        let Soundness::Exits(exit) = judged(&text) else {
            panic!("{:?}", judged(&text));
        };
        assert!(exit.next < 0.0 && exit.next > -1e-15, "{exit:?}");
        assert!(alpha(0.9, 0.5).admits(exit.h, exit.next));
        // With exact values, which a quarter and a half have, there is none.
        let text = format!(
            "{barrier}budget = 0.5\nper_call = 0.25\nmargin = -0.25\nkappa = 0.9\npower = 0.5\n"
        );
        assert!(matches!(judged(&text), Soundness::Unreachable { .. }));
    }

    #[test]
    fn margins_move_the_lattice() {
        let half = Range::Lattice {
            top: 49.5,
            step: 1.0,
        };
        assert!(matches!(judge(alpha(3.0, 1.0), half), Soundness::Exits(_)));
        assert!(matches!(
            judge(alpha(1.9, 1.0), half),
            Soundness::Unreachable { .. }
        ));
        let never_safe = Range::Continuum {
            high: -1.0,
            low: f64::NEG_INFINITY,
        };
        assert_eq!(judge(alpha(3.0, 1.0), never_safe), Soundness::Sound);
        let never_negative = Range::Continuum {
            high: 2.5,
            low: 0.5,
        };
        assert!(matches!(
            judge(alpha(3.0, 1.0), never_negative),
            Soundness::Unreachable { .. }
        ));
        assert!(matches!(
            judge(alpha(3.0, 1.0), Range::Constant(1.0)),
            Soundness::Unreachable { .. }
        ));
    }

    #[test]
    fn expressions_have_no_known_bound() {
        for (kappa, power) in [
            (1.1, 1.0),
            (0.001, 2.0),
            (1.0, 0.5),
            (1.0, 40.0),
            (1e300, 3.0),
        ] {
            let Soundness::Exits(exit) = judge(alpha(kappa, power), Range::Unknown) else {
                panic!("{kappa} {power}");
            };
            assert!(exit.h >= 0.0 && exit.next < 0.0);
        }
        assert_eq!(judge(alpha(0.0, 2.0), Range::Unknown), Soundness::Sound);
        assert_eq!(judge(alpha(1.0, 1.0), Range::Unknown), Soundness::Sound);
    }

    #[test]
    fn an_alpha_that_overflows_at_the_top_still_exits_below() {
        let range = Range::Continuum {
            high: 1e200,
            low: f64::NEG_INFINITY,
        };
        let Soundness::Exits(exit) = judge(alpha(1.0, 2.0), range) else {
            panic!("sound");
        };
        assert!(exit.next.is_finite() && alpha(1.0, 2.0).admits(exit.h, exit.next));
    }

    #[test]
    fn judgement_agrees_with_trying_every_transition() {
        for k in 0..=30 {
            for power in [0.5, 0.8, 1.0, 1.5, 2.0, 3.0] {
                let a = alpha(f64::from(k) * 0.1, power);
                for (top, step) in [(0.5, 0.2), (5.0, 1.0), (4.5, 1.0), (0.6, 0.2)] {
                    let mut exits = false;
                    for n in 0..30 {
                        let (h, next) = (top - step * f64::from(n), top - step * f64::from(n + 1));
                        exits |= h >= 0.0 && next < 0.0 && a.admits(h, next);
                    }
                    let judged = judge(a, Range::Lattice { top, step });
                    assert_eq!(
                        matches!(judged, Soundness::Exits(_)),
                        exits,
                        "{a:?} {top} {step}"
                    );
                }
                let mut exceeds = false;
                for n in 1..=1000 {
                    let h = f64::from(n) * 0.01;
                    exceeds |= a.at(h) > h + 1e-12;
                }
                let range = Range::Continuum {
                    high: 10.0,
                    low: f64::NEG_INFINITY,
                };
                if exceeds {
                    assert!(matches!(judge(a, range), Soundness::Exits(_)), "{a:?}");
                } else if power >= 1.0 {
                    assert_eq!(judge(a, range), Soundness::Sound, "{a:?}");
                }
            }
        }
    }
}
