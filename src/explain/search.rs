//! The nearest setting that makes a difference.
//!
//! Settings of every kind are counted in ticks: whole numbers as they are, dollars in billionths, floats
//! by their place among all floats. So the nearest one is exact: one tick less makes no difference.

use crate::stages::weigh::Amount;
use crate::trace::money::Nano;

/// Its tick. Amounts of a kind stand in order.
pub fn tick(amount: Amount) -> i128 {
    match amount {
        Amount::Count(n) => n.into(),
        Amount::Money(Nano(nano)) => nano,
        Amount::Span(ns) => ns,
        Amount::Real(x) => {
            let bits = i64::from_ne_bytes(x.to_bits().to_ne_bytes());
            // Negative floats fall while their bits rise.
            i128::from(if bits < 0 {
                i64::MIN.wrapping_sub(bits)
            } else {
                bits
            })
        }
    }
}

/// The amount of that tick, of the same kind as `like`; the nearest there is where there is none.
pub fn amount(tick: i128, like: Amount) -> Amount {
    match like {
        Amount::Count(_) => Amount::Count(u64::try_from(tick.max(0)).unwrap_or(u64::MAX)),
        Amount::Money(_) => Amount::Money(Nano(tick)),
        Amount::Span(_) => Amount::Span(tick),
        Amount::Real(_) => {
            let bound = |x: f64| crate::explain::search::tick(Amount::Real(x));
            let tick = tick.clamp(bound(f64::MIN), bound(f64::MAX));
            let tick = i64::try_from(tick).unwrap_or(0);
            let bits = if tick < 0 {
                i64::MIN.wrapping_sub(tick)
            } else {
                tick
            };
            Amount::Real(f64::from_bits(u64::from_ne_bytes(bits.to_ne_bytes())))
        }
    }
}

/// The tick nearest to `from`, on the way to `end`, for which `holds`: it does not at `from`, and from
/// the one found on it does. Absent where it does not on the whole way. Steps double until it does and
/// are halved from there.
pub fn nearest(from: i128, end: i128, mut holds: impl FnMut(i128) -> bool) -> Option<i128> {
    let way = end.saturating_sub(from);
    let (span, side) = (way.unsigned_abs(), way.signum());
    let at = |steps: u128| from + side * i128::try_from(steps).unwrap_or(i128::MAX);
    let (mut not, mut step) = (0u128, 1u128);
    let mut is = loop {
        let next = not.saturating_add(step).min(span);
        if next == not {
            return None;
        }
        if holds(at(next)) {
            break next;
        }
        (not, step) = (next, step.saturating_mul(2));
    };
    while is - not > 1 {
        let middle = not + (is - not) / 2;
        match holds(at(middle)) {
            true => is = middle,
            false => not = middle,
        }
    }
    Some(at(is))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours among floats are neighbours among ticks, through zero too.
    #[test]
    fn floats_stand_in_order() {
        let floats = [f64::MIN, -1.5, -5e-324, 0.0, 5e-324, 0.6, 1.0, f64::MAX];
        let ticks: Vec<i128> = floats.iter().map(|&x| tick(Amount::Real(x))).collect();
        assert!(ticks.is_sorted());
        for (&x, &t) in floats.iter().zip(&ticks) {
            assert_eq!(amount(t, Amount::Real(0.0)), Amount::Real(x));
        }
        let next = amount(tick(Amount::Real(0.6)) + 1, Amount::Real(0.0));
        assert_eq!(next, Amount::Real(0.6f64.next_up()));
        assert_eq!(tick(Amount::Real(-0.0)), 0);
    }

    #[test]
    fn the_nearest_is_found_on_both_sides() {
        for (from, end, least) in [(0, 1000, 1), (0, 1000, 617), (0, 1000, 1000), (5, -900, -7)] {
            let reached = |t: i128| if end > from { t >= least } else { t <= least };
            assert_eq!(nearest(from, end, reached), Some(least));
        }
        assert_eq!(nearest(0, 1000, |_| false), None);
        assert_eq!(nearest(3, 3, |_| true), None);
    }
}
