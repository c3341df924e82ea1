//! The document: what each run came to, by what the exit status counts.

use super::case::{Case, Cases, Rule};
use super::names::Names;
use super::outcome::{Outcome, input_outcome, lines, outcome, to_look_at};
use super::{NOTICES, Notices, xml};
use crate::audit::summary::{InputSummary, Summary};
use crate::audit::verdict::excused;
use crate::engine::decision::DecisionKind;
use crate::exit::{Exit, Finding};
use crate::number::count;
use crate::report::Header;
use crate::report::rendering::Blocks;
use crate::report::table::text;
use std::borrow::Cow;
use std::io;

/// A test to be written.
struct Test {
    name: String,
    /// Where to look; absent where there is no one place.
    place: Option<Place>,
    outcome: Outcome,
    /// What there is to say beside the outcome; empty if nothing.
    text: String,
}

/// Where the call of a test stands.
struct Place {
    /// Name of its input, where that is not the one of the suite.
    file: Option<String>,
    line: u64,
}

/// A suite to be written.
#[derive(Default)]
struct Suite<'c> {
    name: String,
    /// Index of the input that it is of, if it is of one; that has a file of its name.
    input: Option<usize>,
    properties: Vec<(&'static str, String)>,
    /// Its runs, which are put into words as they are written.
    cases: Vec<&'c Case>,
    /// The test behind those of its runs.
    last: Option<Test>,
    totals: Totals,
    /// Faults and warnings.
    system_err: String,
}

/// How many tests there are, and what they come to.
#[derive(Clone, Copy, Default)]
struct Totals {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

impl Totals {
    fn add(&mut self, outcome: &Outcome) {
        self.tests += 1;
        match outcome {
            Outcome::Passed => {}
            Outcome::Skipped(_) => self.skipped += 1,
            Outcome::Failure { .. } => self.failures += 1,
            Outcome::Error { .. } => self.errors += 1,
        }
    }
}

/// Writes everything.
pub fn document(
    header: &Header,
    cases: &Cases,
    notices: &[Notices],
    summary: &Summary,
    out: &mut Blocks<'_>,
) -> io::Result<()> {
    let rule = Rule {
        settings: &summary.settings,
        excused: excused(summary),
    };
    let mut names = Names::default();
    let own = names.unique(Cow::Borrowed("gate"));
    let mut by_input: Vec<Vec<&Case>> = vec![Vec::new(); notices.len()];
    for case in cases.list() {
        if let Some(list) = by_input.get_mut(case.input) {
            list.push(case);
        }
    }
    let mut suites = Vec::new();
    for (input, (list, notices)) in by_input.into_iter().zip(notices).enumerate() {
        let suite = Suite {
            name: names.unique(shown(header.input(input))),
            input: Some(input),
            ..Suite::default()
        };
        let about = summary.inputs.get(input);
        suites.push(input_suite(suite, list, notices, about, rule));
    }
    suites.insert(0, own_suite(own, header, summary, &suites));
    let total = |of: fn(&Totals) -> u64| {
        let counts = suites.iter().map(|suite| of(&suite.totals));
        counts.sum::<u64>().to_string()
    };
    out.bytes
        .extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    for (name, value) in [
        ("name", "gate".to_owned()),
        ("tests", total(|totals| totals.tests)),
        ("failures", total(|totals| totals.failures)),
        ("errors", total(|totals| totals.errors)),
        ("time", "0".to_owned()),
    ] {
        xml::attribute(name, &value, &mut out.bytes);
    }
    out.bytes.extend_from_slice(b">\n");
    for (id, suite) in suites.iter().enumerate() {
        write(id, suite, header, rule, out)?;
    }
    out.bytes.extend_from_slice(b"</testsuites>\n");
    Ok(())
}

/// The suite of an input: its runs, and the input itself where that is no good.
fn input_suite<'c>(
    mut suite: Suite<'c>,
    cases: Vec<&'c Case>,
    notices: &Notices,
    about: Option<&InputSummary>,
    rule: Rule<'_>,
) -> Suite<'c> {
    suite.properties = about.map_or_else(Vec::new, properties);
    for case in &cases {
        suite.totals.add(&outcome(&case.kept, rule));
    }
    let doubtful = cases.iter().any(|case| case.kept.doubtful);
    suite.cases = cases;
    if let Some(outcome) = input_outcome(notices, about, doubtful, rule) {
        suite.totals.add(&outcome);
        suite.last = Some(Test {
            name: "the input".to_owned(),
            place: None,
            outcome,
            text: notices.told.first().cloned().unwrap_or_default(),
        });
    }
    suite.system_err = notices.told.join("\n");
    let all = notices.faults + notices.warnings;
    if all > notices.told.len() as u64 {
        let more = all - notices.told.len() as u64;
        let (faults, warnings) = (notices.faults, notices.warnings);
        suite.system_err.push_str(&format!(
            "\nand {more} more: {}, {} in all, the first {NOTICES} are told",
            count(faults, "fault", "faults"),
            count(warnings, "warning", "warnings")
        ));
    }
    suite
}

/// The suite of the audit as a whole, with a test where no other tells of the exit status.
fn own_suite<'c>(
    name: String,
    header: &Header,
    summary: &Summary,
    suites: &[Suite<'_>],
) -> Suite<'c> {
    let status = summary.exit.status;
    let reason = &summary.exit.reason;
    let any = |of: fn(&Totals) -> u64| suites.iter().any(|suite| of(&suite.totals) > 0);
    let unsound =
        summary.settings.fail_on.contains(&Finding::Unsound) && summary.policy.unsound() > 0;
    let kind = format!("exit/{}", status.code());
    let outcome = match status {
        Exit::Clean => None,
        Exit::Findings if any(|totals| totals.failures) && !unsound => None,
        Exit::Findings => Some(Outcome::Failure {
            kind,
            message: text::prose(reason),
        }),
        Exit::Unusable | Exit::Signal(_) if any(|totals| totals.errors) => None,
        Exit::Unusable | Exit::Signal(_) => Some(Outcome::Error {
            kind,
            message: text::prose(reason),
        }),
    };
    let mut totals = Totals::default();
    let last = outcome.map(|outcome| {
        totals.add(&outcome);
        Test {
            name: "exit status".to_owned(),
            place: None,
            outcome,
            text: String::new(),
        }
    });
    let warnings = summary.policy.warnings.iter().map(|doubt| {
        let line = doubt.place.known_line();
        let line = line.map_or(String::new(), |line| format!(":{line}"));
        let source = text::name(&summary.policy.source);
        let message = text::prose(&doubt.message);
        format!("{source}{line}: warning {}: {message}", doubt.code)
    });
    Suite {
        name,
        properties: verdict(header, summary),
        last,
        totals,
        system_err: warnings.collect::<Vec<_>>().join("\n"),
        ..Suite::default()
    }
}

/// The verdict, and what it was reached by.
fn verdict(header: &Header, summary: &Summary) -> Vec<(&'static str, String)> {
    let settings = &summary.settings;
    let counts = &summary.counts;
    let kind = |kind| summary.decisions.of(kind).to_string();
    let fail_on: Vec<&str> = settings.fail_on.iter().map(|f| f.as_str()).collect();
    let rate = settings.max_violation_rate;
    vec![
        ("exit.status", summary.exit.status.code().to_string()),
        ("exit.reason", summary.exit.reason.clone()),
        ("complete", summary.complete.to_string()),
        ("command", header.command.clone()),
        ("policy", summary.policy.source.clone()),
        ("policy.sha256", summary.policy.sha256.clone()),
        ("fail_on", fail_on.join(",")),
        (
            "max_violation_rate",
            rate.map_or(String::new(), |rate| rate.to_string()),
        ),
        ("allow_faults", settings.allow_faults.to_string()),
        ("mode", settings.replayed.mode.to_owned()),
        ("dispatch", settings.replayed.dispatch.to_owned()),
        ("on_escalate", settings.replayed.on_escalate.to_owned()),
        ("runs", counts.runs.to_string()),
        ("inconclusive_runs", counts.inconclusive_runs.to_string()),
        ("calls", counts.calls.to_string()),
        ("allow", kind(DecisionKind::Allow)),
        ("block", kind(DecisionKind::Block)),
        ("escalate", kind(DecisionKind::Escalate)),
        ("withhold", kind(DecisionKind::Withhold)),
        ("error", kind(DecisionKind::Error)),
        ("violations.root", summary.violations.root.to_string()),
        (
            "violations.standing",
            summary.violations.standing.to_string(),
        ),
        ("hazards", summary.hazards.to_string()),
        ("drift", summary.drift.to_string()),
        ("faults", counts.faults.to_string()),
        ("warnings", counts.warnings.to_string()),
    ]
}

/// What an input is.
fn properties(input: &InputSummary) -> Vec<(&'static str, String)> {
    vec![
        ("format", input.format.unwrap_or("").to_owned()),
        ("sha256", input.sha256.clone()),
        ("complete", input.complete.to_string()),
        ("lines", input.lines.to_string()),
        ("records", input.records.to_string()),
        ("faulty", input.faulty.to_string()),
    ]
}

fn write(
    id: usize,
    suite: &Suite<'_>,
    header: &Header,
    rule: Rule<'_>,
    out: &mut Blocks<'_>,
) -> io::Result<()> {
    let totals = &suite.totals;
    let file = suite.input.map(|_| &suite.name);
    let mut attributes = vec![("name", suite.name.clone())];
    attributes.extend(file.map(|file| ("file", file.clone())));
    attributes.extend([
        ("id", id.to_string()),
        ("tests", totals.tests.to_string()),
        ("failures", totals.failures.to_string()),
        ("errors", totals.errors.to_string()),
        ("skipped", totals.skipped.to_string()),
        ("time", "0".to_owned()),
    ]);
    open("  <testsuite", &attributes, ">\n", &mut out.bytes);
    if !suite.properties.is_empty() {
        out.bytes.extend_from_slice(b"    <properties>\n");
        for (name, value) in &suite.properties {
            let attributes = [("name", (*name).to_owned()), ("value", value.clone())];
            open("      <property", &attributes, "/>\n", &mut out.bytes);
        }
        out.bytes.extend_from_slice(b"    </properties>\n");
    }
    let mut names = Names::default();
    for case in &suite.cases {
        let test = Test {
            name: names.unique(shown(&case.id)),
            place: place(case, header, rule),
            outcome: outcome(&case.kept, rule),
            text: lines(case, header, rule),
        };
        write_test(&test, suite, &mut out.bytes);
        out.pass_on()?;
    }
    if let Some(test) = &suite.last {
        let test = Test {
            name: names.unique(Cow::Borrowed(&test.name)),
            place: None,
            outcome: test.outcome.clone(),
            text: test.text.clone(),
        };
        write_test(&test, suite, &mut out.bytes);
    }
    if !suite.system_err.is_empty() {
        out.bytes.extend_from_slice(b"    <system-err>");
        xml::text(&suite.system_err, &mut out.bytes);
        out.bytes.extend_from_slice(b"</system-err>\n");
    }
    out.bytes.extend_from_slice(b"  </testsuite>\n");
    out.pass_on()
}

fn write_test(test: &Test, suite: &Suite<'_>, out: &mut Vec<u8>) {
    let mut attributes = vec![
        ("name", test.name.clone()),
        ("classname", suite.name.clone()),
    ];
    let place = test.place.as_ref();
    if suite.input.is_some() {
        let file = place.and_then(|place| place.file.as_ref());
        attributes.push(("file", file.unwrap_or(&suite.name).clone()));
    }
    attributes.extend(place.map(|place| ("line", place.line.to_string())));
    attributes.push(("time", "0".to_owned()));
    let (tag, attributes_of_outcome) = match &test.outcome {
        Outcome::Passed if test.text.is_empty() => {
            return open("    <testcase", &attributes, "/>\n", out);
        }
        Outcome::Passed => ("system-out", Vec::new()),
        Outcome::Skipped(why) => ("skipped", vec![("message", why.clone())]),
        Outcome::Failure { kind, message } => (
            "failure",
            vec![("type", kind.clone()), ("message", message.clone())],
        ),
        Outcome::Error { kind, message } => (
            "error",
            vec![("type", kind.clone()), ("message", message.clone())],
        ),
    };
    open("    <testcase", &attributes, ">\n", out);
    open(&format!("      <{tag}"), &attributes_of_outcome, ">", out);
    xml::text(&test.text, out);
    out.extend_from_slice(format!("</{tag}>\n    </testcase>\n").as_bytes());
}

/// Where to look at a run; absent where it has no call.
fn place(case: &Case, header: &Header, rule: Rule<'_>) -> Option<Place> {
    let (input, line) = to_look_at(case, rule);
    let file = (input != case.input).then(|| shown(header.input(input)).into_owned());
    (line > 0).then_some(Place { file, line })
}

/// Appends a tag with its attributes.
fn open(tag: &str, attributes: &[(&'static str, String)], end: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(tag.as_bytes());
    for (name, value) in attributes {
        xml::attribute(name, value, out);
    }
    out.extend_from_slice(end.as_bytes());
}

/// A name that is not nothing.
fn shown(name: &str) -> Cow<'_, str> {
    match crate::escape::visible(name) {
        blank if blank.trim().is_empty() => Cow::Owned(format!("\"{blank}\"")),
        name => name,
    }
}
