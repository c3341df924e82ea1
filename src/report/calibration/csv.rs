//! A row a fact for spreadsheets: areas, bands, thresholds, categories, calls, faults, the status.

use super::Format;
use crate::calibrate::auc::Auc;
use crate::calibrate::found::{Calibrated, Calibration, Flagged, Share};
use crate::calibrate::worst::Example;
use crate::report::Header;
use crate::report::args::Secrets;
use crate::report::csv::cell;
use crate::report::csv::rows::{Row, write_rows};
use crate::report::json::v1::notice_kind;
use crate::report::number;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "csv",
    doc: "a row a fact: areas, bands, rates, thresholds, categories, calls, faults, the status",
    write,
};

/// The columns.
const COLUMNS: &[&str] = &[
    "record",
    "embedder",
    "name",
    "asked",
    "threshold",
    "alarms",
    "ordinary",
    "alarms_low",
    "alarms_high",
    "caught",
    "attacks",
    "caught_low",
    "caught_high",
    "area",
    "area_low",
    "area_high",
    "file",
    "line",
    "column",
    "run",
    "call",
    "tool",
    "score",
    "harm",
    "intent",
    "nearest",
    "args",
    "message",
    "calls",
];

fn write(found: &Calibration, header: &Header, out: &mut dyn Write) -> io::Result<()> {
    let secrets = Secrets::new();
    let embedders = found.embedders.iter();
    let rows = embedders.flat_map(|embedder| rows(embedder, header, &secrets));
    write_rows(COLUMNS, rows.chain(closing(found, header)), out)
}

fn rows(found: &Calibrated, header: &Header, secrets: &Secrets) -> Vec<Row> {
    let begin = |record: &str, name: &str| -> Row {
        vec![
            ("record", record.to_owned()),
            ("embedder", found.embedder.to_owned()),
            ("name", cell(name).into_owned()),
            ("calls", found.calls.id().to_owned()),
        ]
    };
    let mut rows = Vec::new();
    for (name, auc) in [("score", &found.auc), ("harm", &found.harm_auc)] {
        let mut row = begin("auc", name);
        row.extend(auc.iter().flat_map(area));
        rows.push(row);
    }
    for band in &found.bands {
        let mut row = begin("band", band.key);
        row.push(("threshold", number::exact(band.threshold)));
        row.extend(flagged(&band.flagged));
        rows.push(row);
    }
    for rate in &found.table {
        let mut row = begin("rate", if rate.can_tell { "" } else { "unproven" });
        row.push(("asked", number::exact(rate.rate)));
        row.extend(rate.threshold.map(|t| ("threshold", number::exact(t))));
        row.extend(rate.flagged.iter().flat_map(flagged));
        rows.push(row);
    }
    let suggested = &found.suggested;
    for (key, threshold, what) in [
        ("escalate", suggested.escalate, &suggested.escalated),
        ("block", suggested.block, &suggested.blocked),
    ] {
        let mut row = begin("suggested", key);
        row.extend(threshold.map(|t| ("threshold", number::exact(t))));
        row.extend(what.iter().flat_map(flagged));
        rows.push(row);
    }
    for category in &found.categories {
        for (record, rate) in [
            ("category_escalate", category.escalated),
            ("category_block", category.blocked),
        ] {
            let mut row = begin(record, &category.name);
            row.push(("caught", rate.hits.to_string()));
            row.push(("attacks", rate.of.to_string()));
            rows.push(row);
        }
    }
    for (record, list) in [("ordinary", &found.loudest), ("attack", &found.quietest)] {
        let listed = list
            .iter()
            .map(|e| example(begin(record, ""), e, header, secrets));
        rows.extend(listed);
    }
    if let Some(without) = &found.without_intent {
        rows.extend(self::rows(without, header, secrets));
    }
    rows
}

fn area(auc: &Auc) -> Row {
    vec![
        ("area", number::exact(auc.area)),
        ("area_low", number::exact(auc.interval.low)),
        ("area_high", number::exact(auc.interval.high)),
    ]
}

fn flagged(flagged: &Flagged) -> Row {
    let share = |share: &Share, names: [&'static str; 4]| {
        let [hits, of, low, high] = names;
        let mut row = vec![
            (hits, share.rate.hits.to_string()),
            (of, share.rate.of.to_string()),
        ];
        if let Some(interval) = share.interval() {
            row.push((low, number::exact(interval.low)));
            row.push((high, number::exact(interval.high)));
        }
        row
    };
    let alarms = ["alarms", "ordinary", "alarms_low", "alarms_high"];
    let caught = ["caught", "attacks", "caught_low", "caught_high"];
    let mut row = share(&flagged.alarms, alarms);
    row.extend(share(&flagged.caught, caught));
    row
}

fn example(mut row: Row, example: &Example, header: &Header, secrets: &Secrets) -> Row {
    let text = |text: &str| cell(text).into_owned();
    row.extend([
        ("file", text(header.input(example.place.input))),
        ("line", example.place.line.to_string()),
        ("run", text(&example.run)),
        ("call", text(&example.call)),
        ("tool", text(&example.tool)),
        ("score", number::exact(example.scored.score)),
    ]);
    if let Some(parts) = &example.scored.parts {
        row.extend([
            ("harm", number::exact(parts.harm)),
            ("intent", number::exact(parts.intent)),
            ("nearest", text(&parts.nearest)),
        ]);
    }
    let args = example.args.as_deref().map(|args| secrets.shown(args));
    row.extend(args.map(|args| ("args", text(&args))));
    row
}

/// What belongs to no embedder that was opened.
fn closing(found: &Calibration, header: &Header) -> Vec<Row> {
    let mut rows = Vec::new();
    for closed in &found.closed {
        rows.push(vec![
            ("record", "closed".to_owned()),
            ("embedder", closed.embedder.to_owned()),
            ("message", cell(&closed.why).into_owned()),
        ]);
    }
    for notice in &found.noted.kept {
        let known = |position: u64| match position {
            0 => String::new(),
            position => position.to_string(),
        };
        rows.push(vec![
            ("record", notice_kind(notice).to_owned()),
            ("name", notice.kind.code().to_owned()),
            ("file", cell(header.input(notice.place.input)).into_owned()),
            ("line", known(notice.place.line)),
            ("column", known(notice.place.column)),
            (
                "run",
                cell(notice.run.as_deref().unwrap_or("")).into_owned(),
            ),
            ("message", cell(&notice.message).into_owned()),
        ]);
    }
    for doubt in &found.policy.warnings {
        let known = |position: Option<usize>| position.map_or(String::new(), |at| at.to_string());
        rows.push(vec![
            ("record", "warning".to_owned()),
            ("name", doubt.code.to_owned()),
            ("file", cell(&found.policy.source).into_owned()),
            ("line", known(doubt.place.known_line())),
            ("column", known(doubt.place.known_column())),
            ("message", cell(&doubt.message).into_owned()),
        ]);
    }
    rows.push(vec![
        ("record", "summary".to_owned()),
        ("name", found.exit.status.code().to_string()),
        ("message", cell(&found.exit.reason).into_owned()),
    ]);
    rows
}
