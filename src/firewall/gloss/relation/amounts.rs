//! Sums of money of an action, and whether they are among the intent's numbers.

use super::words::IntentWords;
use crate::firewall::gloss::coded::Coded;
use crate::firewall::gloss::view::head;

/// Whether sums of money are among the intent's numbers.
pub(super) fn amounts(view: &str, intent: &IntentWords, found: &mut impl FnMut(Coded)) {
    if intent.numbers {
        found(Coded::AmountAsked);
    }
    let mut any = false;
    for at in memchr::memchr_iter(b'\x02', view.as_bytes()) {
        let line = &view[at + 1..];
        let Some(end) = memchr::memchr2(b'=', b'\x02', line.as_bytes()) else {
            break;
        };
        let (key, value) = line.split_at(end);
        if !value.starts_with('=') || !is_sum(key) {
            continue;
        }
        let value = &value[1..];
        let value = &value[..memchr::memchr(b'\x02', value.as_bytes()).unwrap_or(value.len())];
        any = true;
        let mut numbers = sums(head(value, 64));
        if numbers.any(|sum| intent.sums.contains(&sum) || intent.words.contains(&sum)) {
            return;
        }
    }
    if any {
        found(Coded::AmountUnnamed);
    }
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
