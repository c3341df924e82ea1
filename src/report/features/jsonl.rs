//! `gate.features/1`: an object a call.

use super::{Format, Rows};
use crate::audit::features::FeatureRow;
use crate::policy::features::FEATURES;
use crate::report::Header;
use crate::report::json::v1::tally::Keyed;
use crate::report::json::write;
use crate::report::number::Number;
use serde::Serialize;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "jsonl",
    doc: "a JSON object a call, of the schema `gate.features/1`",
    open,
};

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Rows + 'w> {
    Box::new(Lines { header, out })
}

struct Lines<'w> {
    header: Header,
    out: Box<dyn Write + Send + 'w>,
}

#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    file: &'a str,
    line: u64,
    run: &'a str,
    seq: u64,
    call: &'a str,
    tool: &'a str,
    label: Option<&'static str>,
    recorded: Option<&'static str>,
    inconclusive: bool,
    safe: bool,
    next_safe: bool,
    features: Keyed<'a, Option<Number>>,
    next: Keyed<'a, Option<Number>>,
}

/// Values by the names of features; null where one is not finite.
fn keyed(values: &[f64]) -> Keyed<'static, Option<Number>> {
    let pairs = FEATURES.iter().zip(values);
    let pair = |(f, value): (&'static crate::policy::features::Described, &f64)| {
        (f.name, Some(Number(*value)).filter(|n| n.0.is_finite()))
    };
    Keyed(pairs.map(pair).collect())
}

impl Rows for Lines<'_> {
    fn row(&mut self, row: &FeatureRow) -> io::Result<()> {
        let line = Line {
            schema: "gate.features/1",
            file: self.header.input(row.input),
            line: row.line,
            run: &row.run,
            seq: row.seq,
            call: &row.call,
            tool: &row.tool,
            label: row.label.map(|label| label.as_str()),
            recorded: row.recorded.map(|recorded| recorded.as_str()),
            inconclusive: row.inconclusive,
            safe: row.safe,
            next_safe: row.next_safe,
            features: keyed(&row.features),
            next: keyed(&row.next),
        };
        write::line(&line, &mut self.out)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
