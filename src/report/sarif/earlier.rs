//! Reading an earlier report piece by piece: of each result no more is kept than the baseline takes of it,
//! and of all that stands around the results nothing.

use super::baseline::{Baseline, Level, Old};
use super::fingerprint::{Fingerprint, KEY};
use super::text::{is_uri, unescaped};
use crate::escape::visible;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, Read};

/// Bytes that are read at once.
const BLOCK: usize = 1 << 16;

/// Reads a SARIF report of gate.
///
/// # Errors
/// It is no such report, or cannot be read; the message says why.
pub(super) fn read(from: impl Read) -> Result<Baseline, String> {
    let mut reading = Reading::default();
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(BLOCK, from));
    let log = Next(Part::Log, &mut reading).deserialize(&mut json);
    log.and_then(|()| json.end())
        .map_err(|error| match error.classify() {
            Category::Io => format!("it cannot be read: {}", io::Error::from(error)),
            _ => format!("it is no SARIF: {error}"),
        })?;
    reading.finish()
}

/// What was read so far.
#[derive(Default)]
struct Reading {
    baseline: Baseline,
    version: String,
    /// The name of the tool of the latest run.
    tool: String,
    runs: u64,
    results: u64,
    /// The first result that is none of gate's, by its number from 1.
    strange: Option<u64>,
    /// Why it is no baseline, though it may be SARIF.
    wrong: Option<String>,
}

impl Reading {
    /// Takes what is needed of a result: nothing of one that was absent already.
    fn result(&mut self, result: Found) {
        self.results += 1;
        let absent = result.baseline_state.as_deref() == Some("absent");
        if absent || self.strange.is_some() || self.wrong.is_some() {
            return;
        }
        let print = result.partial_fingerprints.get(KEY);
        let Some(fingerprint) = print.and_then(|print| Fingerprint::parse(print)) else {
            self.strange = Some(self.results);
            return;
        };
        let place = result.locations.into_iter().next();
        let place = place.and_then(|location| location.physical_location);
        let (uri, region) = place.map_or_else(Default::default, |place| {
            (place.artifact_location.uri, place.region)
        });
        let region = region.unwrap_or_default();
        self.baseline.add(&Old {
            fingerprint,
            rule: &result.rule_id,
            level: Level::named(result.level.as_deref()),
            message: &unescaped(&result.message.text),
            uri: uri.as_deref().filter(|uri| is_uri(uri)),
            line: region.start_line,
            column: region.start_column,
        });
    }

    /// A run has been read.
    fn end_run(&mut self) {
        self.runs += 1;
        let by = &self.tool;
        let wrong = match self.strange {
            _ if by != "gate" => format!("it is a report of `{}`, not of gate", visible(by)),
            Some(at) => format!("result {at} has no `{KEY}` of gate"),
            None => return,
        };
        self.wrong.get_or_insert(wrong);
    }

    fn finish(self) -> Result<Baseline, String> {
        if self.version != "2.1.0" {
            let version = visible(&self.version);
            return Err(format!("it is SARIF {version}, and has to be 2.1.0"));
        }
        if self.runs == 0 {
            return Err("it has no run".to_owned());
        }
        match self.wrong {
            Some(wrong) => Err(wrong),
            None => Ok(self.baseline.sorted()),
        }
    }
}

/// What is read next, and into what.
struct Next<'r>(Part, &'r mut Reading);

/// What is read piece by piece.
#[derive(Clone, Copy)]
enum Part {
    Log,
    Runs,
    Run,
    Results,
}

/// Keys that something is needed of.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Key {
    Version,
    Runs,
    Tool,
    Results,
    #[serde(other)]
    Other,
}

impl Part {
    /// The keys that have to be there, each once.
    fn keys(self) -> &'static [(Key, &'static str)] {
        match self {
            Part::Log => &[(Key::Version, "version"), (Key::Runs, "runs")],
            Part::Run => &[(Key::Tool, "tool"), (Key::Results, "results")],
            Part::Runs | Part::Results => &[],
        }
    }
}

impl<'de> DeserializeSeed<'de> for Next<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        match self.0 {
            Part::Log | Part::Run => json.deserialize_map(self),
            Part::Runs | Part::Results => json.deserialize_seq(self),
        }
    }
}

impl<'de> Visitor<'de> for Next<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Part::Log => "a log",
            Part::Runs => "a list of runs",
            Part::Run => "a run",
            Part::Results => "a list of results",
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Next(part, into) = self;
        let mut met = Vec::new();
        while let Some(key) = map.next_key()? {
            let Some(&(_, name)) = part.keys().iter().find(|(known, _)| *known == key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if met.contains(&name) {
                return Err(A::Error::duplicate_field(name));
            }
            met.push(name);
            match key {
                Key::Version => into.version = map.next_value()?,
                Key::Runs => map.next_value_seed(Next(Part::Runs, into))?,
                Key::Tool => into.tool = map.next_value::<Tool>()?.driver.name,
                Key::Results => map.next_value_seed(Next(Part::Results, into))?,
                Key::Other => {}
            }
        }
        let missing = part.keys().iter().find(|(_, name)| !met.contains(name));
        missing.map_or(Ok(()), |(_, name)| Err(A::Error::missing_field(name)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Next(part, into) = self;
        if let Part::Results = part {
            while let Some(result) = seq.next_element()? {
                into.result(result);
            }
        } else {
            while let Some(()) = seq.next_element_seed(Next(Part::Run, into))? {
                into.end_run();
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Tool {
    driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    name: String,
}

/// A result, which is read whole.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    rule_id: String,
    level: Option<String>,
    baseline_state: Option<String>,
    message: Message,
    #[serde(default)]
    locations: Vec<Location>,
    #[serde(default)]
    partial_fingerprints: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Message {
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<Physical>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Option<Region>,
}

#[derive(Deserialize)]
struct Artifact {
    uri: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    #[serde(default)]
    start_line: u64,
    #[serde(default)]
    start_column: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"$schema":"s","version":"2.1.0","runs":[{"tool":{"driver":{"name":"gate"}},"results":["#;
    const TAIL: &str = r#"],"invocations":[{"exitCode":1}]}]}"#;

    fn result(n: u64) -> String {
        format!(
            r#"{{"ruleId":"a/b","level":"error","message":{{"text":"call {n}"}},"partialFingerprints":{{"{KEY}":"{n:032x}"}},"properties":{{"barriers":[[{{"h":1e-3}}],"\u00e9"]}}}}"#
        )
    }

    /// A report of so many results, made as it is read and in as small pieces as there are.
    struct Made {
        next: u64,
        results: u64,
        piece: std::vec::IntoIter<u8>,
    }

    impl Read for Made {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            loop {
                if let (Some(byte), Some(to)) = (self.piece.next(), into.first_mut()) {
                    *to = byte;
                    return Ok(1);
                }
                let piece = match self.next {
                    0 => HEAD.to_owned(),
                    n if n <= self.results => {
                        let comma = if n == 1 { "" } else { "," };
                        format!("{comma}{}", result(n))
                    }
                    n if n == self.results + 1 => TAIL.to_owned(),
                    _ => return Ok(0),
                };
                self.next += 1;
                self.piece = piece.into_bytes().into_iter();
            }
        }
    }

    #[test]
    fn a_report_is_read_as_it_comes() {
        let results = 2000;
        let made = Made {
            next: 0,
            results,
            piece: Vec::new().into_iter(),
        };
        let baseline = read(made).expect("a baseline");
        for (n, alike) in [(1, 1), (results, 1), (results + 1, 0)] {
            let print = Fingerprint::parse(&format!("{n:032x}")).expect("a fingerprint");
            assert_eq!(baseline.alike(print).len(), alike, "{n}");
        }
    }

    #[test]
    fn what_fails_on_the_way_is_told() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is gone"))
            }
        }
        let begun = HEAD.as_bytes().chain(Failing);
        let why = read(begun).expect_err("no baseline");
        assert_eq!(why, "it cannot be read: the disk is gone");
    }

    fn refused(text: &str, why: &str) {
        let said = read(text.as_bytes()).expect_err(text);
        assert!(said.contains(why), "{text}: {said}");
    }

    /// Nothing that is malformed is passed over, wherever it stands.
    #[test]
    fn what_is_malformed_is_refused() {
        let whole = format!("{HEAD}{},{}{TAIL}", result(1), result(2));
        assert!(read(whole.as_bytes()).is_ok());
        for end in (0..whole.len()).filter(|&end| whole.is_char_boundary(end)) {
            refused(&whole[..end], "no SARIF");
        }
        for (from, to, why) in [
            ("\"results\":[", "\"results\":{", "no SARIF"),
            ("\"results\":[", "\"findings\":[", "missing field `results`"),
            (
                "\"tool\":",
                "\"results\":[],\"tool\":",
                "duplicate field `results`",
            ),
            (
                "\"version\":",
                "\"version\":\"2.1.0\",\"version\":",
                "duplicate field `version`",
            ),
            ("\"version\":", "\"revision\":", "missing field `version`"),
            ("\"runs\":[", "\"runs\":[7,", "a run"),
            ("\"results\":[", "\"results\":[7,", "no SARIF"),
            ("\"ruleId\":\"a/b\"", "\"ruleId\":7", "no SARIF"),
            ("\"ruleId\":\"a/b\",", "", "missing field `ruleId`"),
            (
                "\"message\":{\"text\"",
                "\"message\":{\"markdown\"",
                "missing field `text`",
            ),
            ("[[{\"h\":1e-3}]", "[[{\"h\":01}]", "no SARIF"),
            ("\"exitCode\":1", "\"exitCode\":", "no SARIF"),
            ("]}]}", "]}]}]", "no SARIF"),
            ("\"name\":\"gate\"", "\"version\":1", "missing field `name`"),
            ("{\"driver\":", "[{\"driver\":", "no SARIF"),
        ] {
            assert!(whole.contains(from), "{from}");
            refused(&whole.replacen(from, to, 1), why);
        }
    }

    /// Members come in any order, and what is said first is what is wrong with the log.
    #[test]
    fn the_order_of_members_is_free() {
        let results = format!("\"results\":[{}]", result(1));
        let log = |name: &str, version: &str, results: &str| {
            let tool = format!("\"tool\":{{\"driver\":{{\"name\":\"{name}\"}}}}");
            format!("{{\"runs\":[{{{results},{tool}}}],\"version\":\"{version}\"}}")
        };
        assert!(read(log("gate", "2.1.0", &results).as_bytes()).is_ok());
        refused(&log("lint", "2.0.0", &results), "it is SARIF 2.0.0");
        refused(&log("lint", "2.1.0", &results), "it is a report of `lint`");
        let strange = results.replace(KEY, "other/v1");
        refused(&log("lint", "2.1.0", &strange), "it is a report of `lint`");
        refused(&log("gate", "2.1.0", &strange), "result 1 has no");
        refused(&format!("[{}]", log("gate", "2.1.0", &results)), "a log");
    }
}
