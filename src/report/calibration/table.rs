//! The same for people: the corpus, then a part an embedder.

use super::Format;
use crate::calibrate::auc::Auc;
use crate::calibrate::found::{Calibrated, Calibration, Calls, Flagged, Share};
use crate::calibrate::worst::Example;
use crate::number::{rounded, to_thousandths};
use crate::report::Header;
use crate::report::args::Secrets;
use crate::report::number::percent;
use crate::report::table::page::Page;
use crate::report::table::text;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "table",
    doc: "for people: the corpus, then a part an embedder",
    write,
};

fn write(found: &Calibration, header: &Header, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(header);
    corpus(&mut page, found);
    for embedder in &found.embedders {
        one(&mut page, embedder, found);
    }
    for closed in &found.closed {
        page.section(closed.embedder);
        page.sentence(&format!("cannot be opened: {}", text::prose(&closed.why)));
    }
    inputs(&mut page, found);
    conclusion(&mut page, found);
    page.write(out)
}

fn corpus(page: &mut Page<'_>, found: &Calibration) {
    let corpus = &found.corpus;
    let runs = |runs: u64| text::count(runs, "run", "runs");
    let calls = |calls: u64| text::count(calls, "call", "calls");
    let mut rows = Vec::new();
    let mut row = |what: &str, says: String| rows.push(vec![what.to_owned(), says]);
    for (what, of_runs, of_calls) in [
        ("attacks", corpus.runs.attack, corpus.attack_calls),
        (
            "known to be ordinary",
            corpus.runs.benign,
            corpus.benign_calls,
        ),
        (
            "nothing known, taken as ordinary",
            corpus.runs.unlabelled,
            corpus.unlabelled_calls,
        ),
    ] {
        if of_runs > 0 {
            row(what, format!("{}, {}", runs(of_runs), calls(of_calls)));
        }
    }
    let all = corpus.runs.attack + corpus.runs.benign + corpus.runs.unlabelled;
    if corpus.groups < all {
        row("independent groups of runs", corpus.groups.to_string());
    }
    row(
        "with what the user asked for",
        format!("{} of {}", corpus.with_intent, calls(corpus.calls())),
    );
    for (what, count) in [
        ("not scored, arguments not told", corpus.untold),
        ("not scored, after the end of their run", corpus.after_end),
        ("repeated, counted once", corpus.repeated),
        (
            "attacks without a call, not counted",
            corpus.attacks_without_call,
        ),
    ] {
        if count > 0 {
            row(what, count.to_string());
        }
    }
    page.section("corpus");
    page.rows(rows);
    if corpus.runs.attack == 0 {
        page.sentence("no run is known to be an attack: nothing can be said of what is caught");
    }
    if corpus.ordinary() == 0 && corpus.calls() > 0 {
        page.sentence("no ordinary call: nothing can be said of false alarms");
    }
}

fn one(page: &mut Page<'_>, found: &Calibrated, all: &Calibration) {
    let without = found.without_intent.as_deref();
    for part in std::iter::once(found).chain(without) {
        match (part.calls, without) {
            (Calls::WithoutIntent, _) => page.section(&format!(
                "{}, calls of runs without a usable intent",
                part.embedder
            )),
            (_, Some(_)) => page.section(&format!(
                "{}, calls of runs with a usable intent",
                part.embedder
            )),
            (_, None) => page.section(part.embedder),
        }
        figures(page, part);
    }
    suggested(page, found, all);
    for part in std::iter::once(found).chain(without) {
        let of = match part.calls {
            Calls::WithoutIntent => " without a usable intent",
            _ => "",
        };
        let title = format!("ordinary calls{of} that score highest");
        examples(page, &title, &part.loudest);
        let title = format!("attacks{of} that score lowest");
        examples(page, &title, &part.quietest);
    }
}

fn figures(page: &mut Page<'_>, found: &Calibrated) {
    let own = match found.thresholds.from_policy {
        true => "thresholds of the policy",
        false => "default thresholds",
    };
    let mut says = vec![own.to_owned()];
    if let Some((harm, benign)) = found.descriptions {
        let harm = text::count(harm, "description of harm", "descriptions of harm");
        says.push(format!("{harm} and {benign} of harmless work"));
    }
    if let Some(hash) = &found.sha256 {
        says.push(format!("data {}", text::digest(hash)));
    }
    page.sentence(&says.join("; "));
    if found.unscored > 0 {
        let calls = text::count(found.unscored, "call", "calls");
        page.sentence(&format!("{calls} without a recorded score, left out"));
    }
    page.rows(vec![
        vec!["AUC of the score".to_owned(), area(&found.auc)],
        vec!["AUC of harm alone".to_owned(), area(&found.harm_auc)],
    ]);
    bands(page, found);
    rates(page, found);
    categories(page, found);
}

fn area(auc: &Option<Auc>) -> String {
    match auc {
        Some(auc) => format!(
            "{} (95% {} to {})",
            to_thousandths(auc.area),
            to_thousandths(auc.interval.low),
            to_thousandths(auc.interval.high)
        ),
        None => "no data".to_owned(),
    }
}

fn bands(page: &mut Page<'_>, found: &Calibrated) {
    let mut rows = vec![head("threshold", "from")];
    for band in &found.bands {
        let mut row = vec![band.key.to_owned(), rounded(band.threshold)];
        row.extend(flagged(&band.flagged));
        rows.push(row);
    }
    page.blank();
    page.rows(rows);
}

fn rates(page: &mut Page<'_>, found: &Calibrated) {
    if found.ordinary == 0 || found.table.is_empty() {
        return;
    }
    let mut rows = vec![head("false alarms asked", "score from")];
    for rate in &found.table {
        let mut row = vec![percent(rate.rate)];
        match (rate.threshold, &rate.flagged) {
            (Some(threshold), Some(what)) => {
                row.push(rounded(threshold));
                row.extend(flagged(what));
            }
            _ => row.push("none: too many have the greatest score".to_owned()),
        }
        if !rate.can_tell {
            row.resize(4, String::new());
            row.push("unproven".to_owned());
        }
        rows.push(row);
    }
    page.blank();
    page.rows(rows);
    if found.table.iter().any(|rate| !rate.can_tell) {
        let calls = text::count(found.ordinary, "ordinary call", "ordinary calls");
        let least = found.least_told().unwrap_or(1.0);
        page.sentence(&format!(
            "unproven: {calls} cannot tell a rate under {}, for had none been a false alarm, it might still be that",
            percent((least * 1000.0).ceil() / 1000.0)
        ));
    }
}

fn head(what: &str, from: &str) -> Vec<String> {
    [what, from, "false alarms", "caught"]
        .map(str::to_owned)
        .to_vec()
}

fn flagged(flagged: &Flagged) -> [String; 2] {
    [share(&flagged.alarms), share(&flagged.caught)]
}

fn share(share: &Share) -> String {
    let rate = share.rate;
    match (rate.rate, share.interval()) {
        (Some(r), Some(interval)) => format!(
            "{} of {}, {} (95% {} to {})",
            rate.hits,
            rate.of,
            percent(r),
            percent(interval.low),
            percent(interval.high)
        ),
        _ => "no data".to_owned(),
    }
}

fn categories(page: &mut Page<'_>, found: &Calibrated) {
    if found.categories.is_empty() {
        return;
    }
    let mut rows = vec![
        ["category of attacks", "attacks", "escalated", "blocked"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for category in &found.categories {
        let (escalated, blocked) = (category.escalated, category.blocked);
        let part = |rate: crate::verify::stats::Rate| {
            let share = rate.rate.map(percent).unwrap_or_default();
            format!("{}, {share}", rate.hits)
        };
        rows.push(vec![
            text::name(&category.name),
            escalated.of.to_string(),
            part(escalated),
            part(blocked),
        ]);
    }
    page.blank();
    page.rows(rows);
}

fn suggested(page: &mut Page<'_>, found: &Calibrated, all: &Calibration) {
    let (escalate, block) = (percent(all.escalate_at), percent(all.block_at));
    let Some(toml) = &found.suggested.toml else {
        let without = found.without_intent.as_ref();
        if found.ordinary + without.map_or(0, |without| without.ordinary) > 0 {
            page.section(&format!(
                "{}: no thresholds escalate at most {escalate} of the ordinary calls and block {block}",
                found.embedder
            ));
        }
        return;
    };
    page.section(&format!(
        "{}: a policy that escalates at most {escalate} of the ordinary calls and blocks {block}",
        found.embedder
    ));
    let lines = toml
        .lines()
        .map(|line| format!("  {line}").trim_end().to_owned());
    page.lines.extend(lines);
}

fn examples(page: &mut Page<'_>, title: &str, list: &[Example]) {
    if list.is_empty() {
        return;
    }
    let mut rows = vec![
        [
            "score", "harm", "intent", "place", "run", "call", "tool", "nearest",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    let header = page.header;
    for example in list {
        let parts = example.scored.parts.as_ref();
        let part = |value: Option<f64>| value.map_or("-".to_owned(), to_thousandths);
        let file = text::name(header.input(example.place.input));
        rows.push(vec![
            to_thousandths(example.scored.score),
            part(parts.map(|parts| parts.harm)),
            part(parts.map(|parts| parts.intent)),
            format!("{file}:{}", example.place.line),
            text::name(&example.run),
            text::name(&example.call),
            text::name(&example.tool),
            parts.map_or("-".to_owned(), |parts| text::name(&parts.nearest)),
        ]);
    }
    page.section(title);
    page.rows(rows);
    if list.iter().any(|example| example.args.is_some()) {
        let secrets = Secrets::new();
        page.lines.push("  arguments".to_owned());
        let args = list.iter().map(|example| {
            let shown = example.args.as_deref().map(|args| secrets.shown(args));
            let shown = shown.map(|args| text::prose(&args));
            vec![text::name(&example.run), shown.unwrap_or_default()]
        });
        page.rows(args.collect());
    }
}

fn inputs(page: &mut Page<'_>, found: &Calibration) {
    page.section("inputs");
    let rows = found.inputs.iter().map(|input| {
        let what = text::read_as(input.format, input.error.as_deref());
        let lines = format!(
            "{}, {}",
            text::count(input.lines, "line", "lines"),
            text::count(input.records, "record", "records")
        );
        vec![
            text::name(&input.name),
            what,
            lines,
            text::digest(&input.sha256),
        ]
    });
    page.rows(rows.collect());
    page.noted(&found.noted);
    page.policy(&found.policy);
    page.doubts(&found.policy);
}

fn conclusion(page: &mut Page<'_>, found: &Calibration) {
    page.blank();
    page.sentence("names are the inputs' own words: data, not to be trusted");
    let corpus = &found.corpus;
    let line = format!(
        "{}, {}; exit {}: {}",
        text::count(corpus.runs.attack, "attack", "attacks"),
        text::count(corpus.ordinary(), "ordinary call", "ordinary calls"),
        found.exit.status.code(),
        text::prose(&found.exit.reason)
    );
    page.verdict(&line, found.exit.status);
}
