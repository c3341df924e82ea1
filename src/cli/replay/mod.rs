//! `gate replay`.

mod args;
mod baseline;
mod command;
mod files;
mod github;

use super::aside::Temporary;
use super::inputs::Sources;
use super::options::findings;
use super::outputs::{self, ReportFile, stdout};
use super::reading::read_all;
use super::say;
use super::signals::Unfinished;
use crate::audit::robustness::scales;
use crate::audit::summary::{InputSummary, PolicySummary, Summary};
use crate::audit::tally::Tally;
use crate::audit::verdict::{Leniency, verdict};
use crate::audit::{Audit, Outlet};
use crate::engine::Engine;
use crate::exit::{Exit, Finding};
use crate::policy::{Policy, PolicySource};
use crate::report::{self, FORMATS, Format, Header};
use crate::stages::STAGES;
use anyhow::Context;
pub(super) use args::Args;
use github::Runner;
use std::io::IsTerminal;
use std::path::PathBuf;

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let fail_on = findings(&args.fail_on)?;
    let mut sources = Sources::find(&args.input.files)?;
    let policy = args.policy.load(&mut sources)?;
    let header = header(args, &policy, &sources)?;
    let unfinished = Unfinished::default();
    unfinished.remove_when_interrupted();
    let runner = (!args.no_github).then(Runner::of_environment).flatten();
    let files = report_files(args, &sources, runner.as_ref(), &unfinished)?;
    let mut outlets = reports(args, &header, &files)?;
    let annotated = args.format.id == report::github::FORMAT.id;
    let more = runner
        .iter()
        .flat_map(|runner| runner.outlets(&header, annotated));
    outlets.extend(more);
    let mut audit = Audit::new(tally(args, &policy), args.filter()?, outlets);
    let inputs = replay(args, &policy, &sources, &mut audit);
    let summary = summary(args, &policy, fail_on, inputs, &mut audit);
    let failures = audit.finish(summary.clone());
    if let Some(runner) = runner {
        runner.keep(&sources, args.baseline.as_deref());
    }
    conclude(args, &summary, &sources, files, failures)
}

fn tally(args: &Args, policy: &Policy) -> Tally {
    let barriers = policy.dcbf.barriers.iter().map(|spec| spec.name.clone());
    let labels = policy.labels.iter().map(|rule| rule.label.clone());
    let stages = STAGES.iter().map(|stage| stage.id()).collect();
    let tally = Tally::new(barriers, stages).with_labels(labels);
    let tally = tally.with_scales(scales(policy));
    match args.coverage {
        true => tally.with_coverage(policy),
        false => tally,
    }
}

/// The report files asked for, with their formats.
fn report_files(
    args: &Args,
    sources: &Sources,
    runner: Option<&Runner>,
    unfinished: &Unfinished,
) -> anyhow::Result<Vec<(&'static Format, ReportFile)>> {
    let asked = &args.files.0;
    let paths = || asked.iter().map(|(_, path)| path.as_path());
    outputs::keep_apart(paths())?;
    runner.map_or(Ok(()), |runner| runner.keep_apart(paths()))?;
    let create = |(format, path): &(&'static Format, PathBuf)| {
        let file = ReportFile::create(path, sources, args.force, unfinished)?;
        Ok((*format, file))
    };
    asked.iter().map(create).collect()
}

/// What reports are told beforehand.
fn header(args: &Args, policy: &Policy, sources: &Sources) -> anyhow::Result<Header> {
    let names = sources.list.iter().map(|source| source.name.clone());
    let barriers = policy.dcbf.barriers.iter();
    Ok(Header {
        barriers: barriers.map(|spec| spec.name.clone()).collect(),
        scales: scales(policy),
        merged: args.merge_runs,
        labels: args.show_labels,
        policy: policy.source.to_string(),
        policy_is_file: matches!(policy.source, PolicySource::File(_)),
        baseline: baseline::baseline(args)?,
        policy_sha256: policy.sha256.clone(),
        command: args.given.0.clone(),
        ..args.layout.header(names.collect())
    })
}

/// The report on standard output, then those in files.
fn reports(
    args: &Args,
    header: &Header,
    files: &[(&'static Format, ReportFile)],
) -> anyhow::Result<Vec<Outlet<'static>>> {
    let lists = !(args.quiet && args.format.lists);
    let shown = (args.format.open)(header.clone(), stdout());
    let mut outlets = vec![Outlet::new(shown, lists)];
    for (format, file) in files {
        let header = Header {
            width: None,
            color: false,
            ..header.clone()
        };
        let writer = file.writer().context("a report file cannot be written")?;
        outlets.push(Outlet::new((format.open)(header, writer), true));
    }
    Ok(outlets)
}

fn replay(
    args: &Args,
    policy: &Policy,
    sources: &Sources,
    audit: &mut Audit<'_>,
) -> Vec<InputSummary> {
    let aside = Temporary::default();
    let failure = aside.failure();
    let engine = Engine::new(policy, STAGES, args.engine_options(), audit);
    let mut engine = engine.putting_aside(aside);
    let mut inputs = read_all(sources, &args.input, !args.quiet, &mut engine);
    engine.end();
    if let (Some(why), Some(last)) = (failure.get(), inputs.last_mut()) {
        (last.error, last.complete) = (Some(why.clone()), false);
    }
    inputs
}

fn summary(
    args: &Args,
    policy: &Policy,
    fail_on: Vec<Finding>,
    inputs: Vec<InputSummary>,
    audit: &mut Audit<'_>,
) -> Summary {
    let summary = audit.tally().summary();
    for input in &inputs {
        let counts = &mut summary.counts;
        counts.lines += input.lines;
        counts.records += input.records;
        counts.blank += input.blank;
        counts.faulty += input.faulty;
    }
    summary.complete = inputs.iter().all(|input| input.complete);
    summary.inputs = inputs;
    summary.policy = PolicySummary::of(policy);
    summary.settings = args.settings(fail_on);
    let mut summary = std::mem::take(audit.tally()).finish();
    let leniency = Leniency {
        deny_warnings: args.deny_warnings,
        ..args.input.leniency()
    };
    summary.exit = verdict(&summary, leniency);
    summary
}

/// Keeps the complete report files, says on standard error what standard output may not show, and
/// gives the status.
fn conclude(
    args: &Args,
    summary: &Summary,
    sources: &Sources,
    files: Vec<(&'static Format, ReportFile)>,
    failures: Vec<Option<std::io::Error>>,
) -> anyhow::Result<Exit> {
    let mut status = summary.exit.status;
    let mut failures = failures.into_iter();
    if let Some(error) = failures.next().flatten() {
        say(&format!("gate: standard output cannot be written: {error}"));
        status = Exit::Unusable;
    }
    for ((_, file), failure) in files.into_iter().zip(failures) {
        let kept = match failure {
            Some(error) => Err(file.failed(error)),
            None => file.keep(),
        };
        if let Err(error) = kept {
            say(&format!("gate: {}", super::error_text(&error)));
            status = Exit::Unusable;
        }
    }
    sources.tell_passed_over();
    if !args.quiet {
        tell(args, summary);
    }
    if status == Exit::Unusable && summary.exit.status == Exit::Unusable {
        say(&format!("gate: {}", summary.exit.reason));
    }
    Ok(status)
}

/// What a reader of standard error has to know: faults, where standard output is no terminal that
/// shows them.
fn tell(args: &Args, summary: &Summary) {
    if args.format.id == FORMATS[0].id && std::io::stdout().is_terminal() {
        return;
    }
    let name = |input: usize| summary.inputs.get(input).map_or("", |input| &*input.name);
    super::tell_faults(
        &summary.notices,
        summary.counts.faults,
        super::MACHINE_FORMATS,
        name,
    );
}
