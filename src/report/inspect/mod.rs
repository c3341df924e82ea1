//! What `gate inspect` found, one file a format.

mod json;
mod known;
mod table;

use super::Header;
use crate::inspect::Inspection;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A format of these reports.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub id: &'static str,
    /// One line about it for help and documentation.
    pub doc: &'static str,
    /// Writes what was found, and flushes.
    pub write: fn(&Inspection, &Shown, &mut dyn Write) -> io::Result<()>,
    /// Writes the list of formats that can be read, and flushes.
    pub formats: fn(&[Readable], &Shown, &mut dyn Write) -> io::Result<()>,
}

/// Every format; the first is the default.
pub const INSPECT_FORMATS: &[Format] = &[table::FORMAT, json::FORMAT];

/// How a report is shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Names of the inputs, width and colours.
    pub header: Header,
    /// Most names of a list, the others being summed; 0 means all.
    pub top: usize,
}

/// A format that can be read.
#[derive(Clone, Debug)]
pub struct Readable {
    /// Its name, as `--from` takes it.
    pub id: &'static str,
    /// Its name among people.
    pub title: &'static str,
    /// One line about it.
    pub doc: &'static str,
    /// Versions of the programs that wrote the recordings it was made after.
    pub seen: &'static str,
    /// The parts of a trace that it cannot tell.
    pub untold: Vec<&'static str>,
}

/// The first names of a list that is sorted by count, and what the others come to.
struct Top<'c> {
    names: Vec<(&'c str, u64)>,
    /// How many others there are.
    others: u64,
    /// Their counts together.
    rest: u64,
}

/// The names that count most, at most `most` of them; 0 means all.
fn top(counts: &BTreeMap<Box<str>, u64>, most: usize) -> Top<'_> {
    let mut names: Vec<(&str, u64)> = counts.iter().map(|(name, n)| (&**name, *n)).collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let most = if most == 0 { names.len() } else { most };
    let others = names.split_off(most.min(names.len()));
    Top {
        others: others.len() as u64,
        rest: others.iter().map(|(_, count)| count).sum(),
        names,
    }
}

/// The words of an enum of the trace with their counts.
fn words<T>(all: &[(T, &'static str)], counts: &[u64]) -> Vec<(&'static str, u64)> {
    let pairs = all.iter().zip(counts);
    pairs.map(|((_, word), count)| (*word, *count)).collect()
}

/// Which part of all calls these are; absent where there are none.
fn share(calls: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| calls as f64 / of as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_less_is_summed() {
        let counts: BTreeMap<Box<str>, u64> = [("a", 1), ("b", 3), ("c", 3), ("d", 2)]
            .map(|(name, count)| (name.into(), count))
            .into();
        let two = top(&counts, 2);
        assert_eq!(two.names, [("b", 3), ("c", 3)]);
        assert_eq!((two.others, two.rest), (2, 3));
        assert_eq!(top(&counts, 0).names.len(), 4);
    }
}
