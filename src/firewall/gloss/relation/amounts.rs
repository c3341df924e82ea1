//! Sums of money of an action, and whether they are among the intent's numbers.

use super::words::IntentWords;
use crate::firewall::gloss::coded::Coded;
use crate::firewall::gloss::view::head;
use std::collections::BTreeSet;

/// Whether a sum under a key with this word comes on top of what is paid.
fn is_extra(word: &str) -> bool {
    matches!(
        word,
        "bonus" | "donation" | "extra" | "fee" | "gratuity" | "surcharge" | "tip"
    )
}

/// Numbers of an intent that are added up and multiplied.
const NUMBERS: usize = 16;

/// What was met of sums of money.
#[derive(Default)]
pub(super) struct Amounts {
    /// Whether any was.
    any: bool,
    /// The greatest that the intent names.
    named: Option<u64>,
    /// The greatest that it does not name.
    other: u64,
    /// The same of those that come on top.
    extra: u64,
}

impl Amounts {
    /// Looks at an argument.
    pub(super) fn see(&mut self, key: &str, value: &str, intent: &IntentWords) {
        let is_extra = key.split('_').any(is_extra);
        if !is_extra && !is_sum(key) {
            return;
        }
        self.any |= !is_extra;
        for sum in sums(head(value, 64)) {
            let number = sum.parse().unwrap_or(u64::MAX);
            if intent.sums.contains(&sum) || intent.words.contains(&sum) {
                self.named = self.named.max(Some(number));
            } else if is_extra {
                self.extra = self.extra.max(number);
            } else {
                self.other = self.other.max(number);
            }
        }
    }

    /// Tells what was found.
    pub(super) fn tell(&self, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
        match self.named {
            None if self.any => found(Coded::AmountUnnamed),
            // A tenth or a fifth on top is usual.
            Some(named) if self.extra > named / 5 => found(Coded::AmountBeside),
            Some(named) if self.other > named && !is_made_of(self.other, &intent.sums) => {
                found(Coded::AmountBeside);
            }
            _ => {}
        }
    }
}

/// Whether a sum is no more than these together, or the product of two of them.
fn is_made_of(sum: u64, numbers: &BTreeSet<String>) -> bool {
    let numbers = numbers
        .iter()
        .take(NUMBERS)
        .map(|number| number.parse().unwrap_or(0));
    let numbers: Vec<u64> = numbers.collect();
    let all = numbers
        .iter()
        .fold(0_u64, |all, number| all.saturating_add(*number));
    let is_product = |a: &u64| numbers.iter().any(|b| a.checked_mul(*b) == Some(sum));
    sum <= all || numbers.iter().any(is_product)
}

/// The whole parts of a text's numbers: `1,200`, `1.200,00` and `1200.0` are one sum. After a
/// separator three digits are thousands, and others decimals.
pub(super) fn sums(text: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '\'' | '_');
    let runs = text.split(move |c| !is_part(c));
    runs.filter_map(|run| {
        let mut groups = run.split(|c: char| !c.is_ascii_digit());
        let mut sum = groups.find(|g| !g.is_empty())?.to_owned();
        for group in groups.take_while(|group| group.len() == 3) {
            sum.push_str(group);
        }
        Some(sum)
    })
}

/// Whether a key names a sum of money.
fn is_sum(key: &str) -> bool {
    let key = key.as_bytes();
    key.iter().enumerate().any(|(at, first)| {
        let sums: &[&str] = match first {
            b'a' => &["amount"],
            b't' => &["total"],
            b'p' => &["price"],
            b's' => &["sum"],
            b'v' => &["value"],
            b'u' => &["usd"],
            b'e' => &["eur"],
            _ => &[],
        };
        let here = key.get(at..).unwrap_or_default();
        sums.iter().any(|sum| here.starts_with(sum.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_one_however_it_is_written() {
        for text in ["1,200 euros", "1.200,00", "1200.0", "1'200.", "$1_200"] {
            assert_eq!(sums(text).collect::<Vec<_>>(), ["1200"], "{text}");
        }
        assert_eq!(sums("20.50 and 5").collect::<Vec<_>>(), ["20", "5"]);
    }
}
