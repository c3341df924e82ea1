//! An earlier report, to tell what is new since, what is as it was, and what is gone.

use super::earlier;
use super::fingerprint::Fingerprint;
use super::model::{Artifact, Found, Location, Message, Prints, ROOT};
use super::rules::Rules;
use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

/// The results of an earlier report, as far as they are needed.
#[derive(Debug, Default)]
pub struct Baseline {
    /// In the order of the report.
    results: Vec<Kept>,
    /// Their places there, by fingerprint and, of one fingerprint, in order.
    sorted: Vec<usize>,
    /// Their messages, one behind the other. Not escaped.
    messages: String,
    rules: Names,
    uris: Names,
}

/// A result of an earlier report.
#[derive(Clone, Copy, Debug)]
pub(super) struct Old<'t> {
    pub(super) fingerprint: Fingerprint,
    pub(super) rule: &'t str,
    pub(super) level: Level,
    /// Not escaped.
    pub(super) message: &'t str,
    pub(super) uri: Option<&'t str>,
    /// From 1; 0 where it is not told.
    pub(super) line: u64,
    /// From 1; 0 where it is not told.
    pub(super) column: u64,
}

/// What is kept of a result.
#[derive(Debug)]
struct Kept {
    fingerprint: Fingerprint,
    line: u64,
    column: u64,
    /// Where its message begins.
    message: usize,
    rule: u32,
    uri: Option<u32>,
    level: Level,
}

/// How grave a result is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Level {
    Error,
    Warning,
    Note,
    None,
}

impl Level {
    /// The level of that name, else that of results that have none.
    pub(super) fn named(name: Option<&str>) -> Level {
        match name {
            Some("error") => Level::Error,
            Some("note") => Level::Note,
            Some("none") => Level::None,
            _ => Level::Warning,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
            Level::None => "none",
        }
    }
}

/// Names that come again and again, each by a number.
#[derive(Debug, Default)]
struct Names {
    list: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        // Nothing holds more of them.
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let name: Arc<str> = name.into();
        self.list.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    fn name(&self, number: u32) -> &str {
        self.list.get(number as usize).map_or("", |name| name)
    }
}

impl Baseline {
    /// Reads a SARIF report of gate, piece by piece. Results that were absent in it already are left out.
    ///
    /// # Errors
    /// It is no such report, or cannot be read; the message says why.
    pub fn read(from: impl Read) -> Result<Baseline, String> {
        earlier::read(from)
    }

    /// Adds a result behind the others.
    pub(super) fn add(&mut self, old: &Old<'_>) {
        self.results.push(Kept {
            fingerprint: old.fingerprint,
            line: old.line,
            column: old.column,
            message: self.messages.len(),
            rule: self.rules.number(old.rule),
            uri: old.uri.map(|uri| self.uris.number(uri)),
            level: old.level,
        });
        self.messages.push_str(old.message);
    }

    /// Puts the results in order, after which they can be looked up.
    pub(super) fn sorted(mut self) -> Baseline {
        self.results.shrink_to_fit();
        self.messages.shrink_to_fit();
        let results = &self.results;
        self.sorted = (0..results.len()).collect();
        self.sorted
            .sort_unstable_by_key(|&at| (results.get(at).map(|kept| kept.fingerprint), at));
        self
    }

    fn print(&self, at: usize) -> Option<Fingerprint> {
        self.results.get(at).map(|kept| kept.fingerprint)
    }

    /// Which of the sorted results have that fingerprint.
    pub(super) fn alike(&self, fingerprint: Fingerprint) -> Range<usize> {
        let before = |at: &usize| self.print(*at) < Some(fingerprint);
        let start = self.sorted.partition_point(before);
        let rest = self.sorted.get(start..).unwrap_or_default();
        let alike = rest.partition_point(|&at| self.print(at) == Some(fingerprint));
        start..start + alike
    }

    /// The result at a place; absent where there are fewer.
    fn result(&self, at: usize) -> Option<Old<'_>> {
        let kept = self.results.get(at)?;
        let next = self.results.get(at + 1).map(|next| next.message);
        let message = kept.message..next.unwrap_or(self.messages.len());
        Some(Old {
            fingerprint: kept.fingerprint,
            rule: self.rules.name(kept.rule),
            level: kept.level,
            message: self.messages.get(message).unwrap_or_default(),
            uri: kept.uri.map(|uri| self.uris.name(uri)),
            line: kept.line,
            column: kept.column,
        })
    }
}

/// A baseline that a report is held against.
#[derive(Debug)]
pub struct Compared {
    baseline: Arc<Baseline>,
    /// How many of the results of a fingerprint were met again, at the place of the first of them among
    /// those that are sorted.
    met: Vec<u32>,
}

impl Compared {
    /// Nothing is met yet.
    pub fn with(baseline: Arc<Baseline>) -> Compared {
        let met = vec![0; baseline.results.len()];
        Compared { baseline, met }
    }

    /// Whether a finding is one of the baseline, which is then taken.
    pub fn state(&mut self, fingerprint: Fingerprint) -> &'static str {
        let alike = self.baseline.alike(fingerprint);
        match self.met.get_mut(alike.start) {
            Some(met) if (*met as usize) < alike.len() => {
                *met += 1;
                "unchanged"
            }
            _ => "new",
        }
    }

    /// Which of the results of its fingerprint that were not met again the one at a place is, from 1; absent
    /// where it was met.
    fn left(&self, at: usize, fingerprint: Fingerprint) -> Option<usize> {
        let alike = self.baseline.alike(fingerprint);
        let met = self.met.get(alike.start).map_or(0, |met| *met as usize);
        let left = self.baseline.sorted.get(alike)?.get(met..)?;
        Some(left.binary_search(&at).ok()? + 1)
    }

    /// Tells `each` the results of the baseline that were not met again, in order.
    ///
    /// # Errors
    /// Those of `each`, which is told no more after one.
    pub fn absent(
        &self,
        rules: &Rules,
        mut each: impl FnMut(&Found<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let all =
            (0..self.baseline.results.len()).filter_map(|at| Some((at, self.baseline.result(at)?)));
        for (at, old) in all {
            let Some(number) = self.left(at, old.fingerprint) else {
                continue;
            };
            let own = old.fingerprint.hex();
            let location = old.uri.map(|uri| Location {
                physical_location: Some(
                    Artifact {
                        uri: Some(uri.to_owned()),
                        uri_base_id: (!uri.starts_with("file:")).then_some(ROOT),
                        index: None,
                    }
                    .at(old.line, old.column),
                ),
                ..Location::default()
            });
            each(&Found {
                rule_id: old.rule,
                rule_index: rules.index(old.rule),
                level: old.level.as_str(),
                baseline_state: Some("absent"),
                message: Message::plain(old.message),
                locations: location.into_iter().collect(),
                related_locations: Vec::new(),
                partial_fingerprints: Prints {
                    counted: format!("{own}:{number}"),
                    own,
                },
            })?;
        }
        Ok(())
    }
}
