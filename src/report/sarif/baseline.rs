//! An earlier report, to tell what is new since, what is as it was, and what is gone.

use super::fingerprint::{Fingerprint, KEY};
use super::model::{Artifact, Found, Location, Message, Prints, ROOT};
use super::rules::Rules;
use super::text::{is_uri, unescaped};
use crate::escape::visible;
use crate::report::json::write;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;

/// The results of an earlier report, as far as they are needed.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// In the order of the report.
    results: Vec<Old>,
}

/// An earlier result.
#[derive(Clone, Debug)]
struct Old {
    fingerprint: Fingerprint,
    rule: String,
    level: &'static str,
    /// Not escaped.
    message: String,
    uri: Option<String>,
    line: u64,
    column: u64,
}

impl Baseline {
    /// Reads a SARIF report of gate. Results that were absent in it already are left out.
    ///
    /// # Errors
    /// It is no such report; the message says why.
    pub fn parse(bytes: &[u8]) -> Result<Baseline, String> {
        let log: Log<'_> =
            serde_json::from_slice(bytes).map_err(|error| format!("it is no SARIF: {error}"))?;
        if log.version != "2.1.0" {
            return Err(format!(
                "it is SARIF {}, and has to be 2.1.0",
                visible(&log.version)
            ));
        }
        if log.runs.is_empty() {
            return Err("it has no run".to_owned());
        }
        let mut results = Vec::new();
        for run in log.runs {
            let by = &run.tool.driver.name;
            if by != "gate" {
                return Err(format!("it is a report of `{}`, not of gate", visible(by)));
            }
            for result in run.results {
                let at = results.len() + 1;
                let old =
                    Old::of(result).ok_or_else(|| format!("result {at} has no `{KEY}` of gate"))?;
                results.extend(old);
            }
        }
        Ok(Baseline { results })
    }
}

impl Old {
    /// What is needed of a result: nothing of one that was absent. Absent where it is none of gate's.
    fn of(result: OldResult<'_>) -> Option<Option<Old>> {
        if result.baseline_state.as_deref() == Some("absent") {
            return Some(None);
        }
        let print = result.partial_fingerprints.get(KEY)?;
        let place = result
            .locations
            .into_iter()
            .next()
            .and_then(|location| location.physical_location);
        let (uri, region) = match place {
            Some(place) => (
                place.artifact_location.uri,
                place.region.unwrap_or_default(),
            ),
            None => (None, OldRegion::default()),
        };
        Some(Some(Old {
            fingerprint: Fingerprint::parse(print)?,
            rule: result.rule_id.into_owned(),
            level: match result.level.as_deref() {
                Some("error") => "error",
                Some("note") => "note",
                Some("none") => "none",
                _ => "warning",
            },
            message: unescaped(&result.message.text),
            uri: uri.map(Cow::into_owned).filter(|uri| is_uri(uri)),
            line: region.start_line,
            column: region.start_column,
        }))
    }
}

/// A baseline that a report is held against.
#[derive(Debug)]
pub struct Compared {
    results: Vec<Old>,
    /// Results by fingerprint that were not met again, the last first.
    left: HashMap<Fingerprint, Vec<usize>>,
}

impl Compared {
    /// Nothing is met yet.
    pub fn with(baseline: Baseline) -> Compared {
        let mut left: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
        for (at, old) in baseline.results.iter().enumerate().rev() {
            left.entry(old.fingerprint).or_default().push(at);
        }
        Compared {
            results: baseline.results,
            left,
        }
    }

    /// Whether a finding is one of the baseline, which is then taken.
    pub fn state(&mut self, fingerprint: Fingerprint) -> &'static str {
        let known = self.left.get_mut(&fingerprint).and_then(Vec::pop);
        if known.is_some() { "unchanged" } else { "new" }
    }

    /// Appends the results of the baseline that were not met again, each behind what `lead` appends.
    ///
    /// # Errors
    /// They cannot be told in JSON; none is like that.
    pub fn absent(
        &self,
        rules: &Rules,
        mut lead: impl FnMut(&mut Vec<u8>),
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let mut absent: Vec<usize> = self.left.values().flatten().copied().collect();
        absent.sort_unstable();
        let mut met = super::fingerprint::Met::default();
        for old in absent.into_iter().filter_map(|at| self.results.get(at)) {
            lead(out);
            let own = old.fingerprint.hex();
            let location = old.uri.as_ref().map(|uri| Location {
                physical_location: Some(
                    Artifact {
                        uri: Some(uri.clone()),
                        uri_base_id: (!uri.starts_with("file:")).then_some(ROOT),
                        index: None,
                    }
                    .at(old.line, old.column),
                ),
                ..Location::default()
            });
            let object = Found {
                rule_id: &old.rule,
                rule_index: rules.index(&old.rule),
                level: old.level,
                baseline_state: Some("absent"),
                message: Message::plain(&old.message),
                locations: location.into_iter().collect(),
                related_locations: Vec::new(),
                partial_fingerprints: Prints {
                    counted: format!("{own}:{}", met.again(old.fingerprint)),
                    own,
                },
            };
            write::append(&object, out)?;
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    version: Cow<'a, str>,
    #[serde(borrow)]
    runs: Vec<OldRun<'a>>,
}

#[derive(Deserialize)]
struct OldRun<'a> {
    #[serde(borrow)]
    tool: OldTool<'a>,
    #[serde(borrow)]
    results: Vec<OldResult<'a>>,
}

#[derive(Deserialize)]
struct OldTool<'a> {
    #[serde(borrow)]
    driver: Driver<'a>,
}

#[derive(Deserialize)]
struct Driver<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldResult<'a> {
    #[serde(borrow)]
    rule_id: Cow<'a, str>,
    level: Option<String>,
    baseline_state: Option<String>,
    #[serde(borrow)]
    message: OldMessage<'a>,
    #[serde(borrow, default)]
    locations: Vec<OldLocation<'a>>,
    #[serde(default)]
    partial_fingerprints: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct OldMessage<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldLocation<'a> {
    #[serde(borrow)]
    physical_location: Option<OldPhysical<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldPhysical<'a> {
    #[serde(borrow)]
    artifact_location: OldArtifact<'a>,
    region: Option<OldRegion>,
}

#[derive(Deserialize)]
struct OldArtifact<'a> {
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldRegion {
    #[serde(default)]
    start_line: u64,
    #[serde(default)]
    start_column: u64,
}
