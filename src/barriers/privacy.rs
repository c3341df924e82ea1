//! A budget for calls that carry data out. It only falls: a history loses no entries.

use super::Definition;
use crate::policy::matcher::MatcherId;
use crate::policy::{Measure, Policy};
use crate::state::StateView;

pub(super) const DEFINITION: Definition = Definition {
    id: "privacy",
    doc: "`budget` less `per_call` for every settled outbound call",
    unit: "budget",
    cause,
};

/// Calls that carried data out.
#[inline]
pub(super) fn count(policy: &Policy, outbound: MatcherId, view: &StateView<'_>) -> u64 {
    view.history.tally(policy, outbound, view.appended).count
}

fn cause(policy: &Policy, measure: &Measure, view: &StateView<'_>, out: &mut String) {
    let Measure::Privacy { outbound, .. } = measure else {
        return;
    };
    match count(policy, *outbound, view) {
        0 => out.push_str("no outbound call so far"),
        n => {
            out.push_str(&ordinal(n));
            out.push_str(" outbound call");
        }
    }
}

fn ordinal(n: u64) -> String {
    const WORDS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
    let word = n
        .checked_sub(1)
        .and_then(|i| WORDS.get(usize::try_from(i).ok()?));
    if let Some(word) = word {
        return (*word).into();
    }
    let suffix = match (n % 10, n % 100) {
        (1, 1..=10 | 12..) => "st",
        (2, 1..=11 | 13..) => "nd",
        (3, 1..=12 | 14..) => "rd",
        _ => "th",
    };
    format!("{n}{suffix}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn ordinals_read_well() {
        let cases = [
            (1, "first"),
            (3, "third"),
            (6, "6th"),
            (11, "11th"),
            (13, "13th"),
            (22, "22nd"),
            (101, "101st"),
            (111, "111th"),
        ];
        for (n, word) in cases {
            assert_eq!(super::ordinal(n), word);
        }
    }
}
