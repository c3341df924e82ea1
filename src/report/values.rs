//! The values of barriers, a row a call and barrier: what plots and statistics are made of.

use super::csv::row::Row;
use super::rendering::{Blocks, Readings};
use super::{Format, Header, Report};
use crate::audit::summary::Summary;
use crate::engine::decision::{Decision, Reading};
use crate::trace::fault::Notice;
use std::io;

/// The format.
pub const FORMAT: Format = Format {
    id: "values",
    doc: "CSV for plots: a row a call and barrier with h, next and slack",
    lists: true,
    open,
};

/// The columns.
const COLUMNS: [&str; 16] = [
    "file",
    "line",
    "run",
    "seq",
    "call",
    "tool",
    "decision",
    "admitted",
    "counterfactual",
    "inconclusive",
    "barrier",
    "h",
    "next",
    "slack",
    "broken",
    "hazard",
];

/// A call that did not reach the barriers.
const UNREACHED: Reading = Reading {
    h: f64::NAN,
    next: None,
    slack: None,
};

fn open<'w>(header: Header, out: Box<dyn io::Write + Send + 'w>) -> Box<dyn Report + 'w> {
    let mut out = Blocks::new(out);
    out.bytes.extend_from_slice(COLUMNS.join(",").as_bytes());
    out.bytes.push(b'\n');
    Box::new(Values {
        header,
        readings: Readings::new(),
        out,
    })
}

struct Values<'w> {
    header: Header,
    readings: Readings,
    out: Blocks<'w>,
}

impl Report for Values<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        if !listed {
            return Ok(());
        }
        for (index, barrier) in self.header.barriers.iter().enumerate() {
            let mut row = Row::new(&mut self.out.bytes, &self.header, COLUMNS.len());
            row.text(self.header.input(decision.input));
            row.count(decision.line);
            row.text(&decision.run);
            row.count(decision.seq);
            row.text(&decision.call);
            row.text(&decision.tool);
            row.word(Some(decision.kind.as_str()));
            row.flag(decision.admitted);
            row.flag(decision.counterfactual);
            row.flag(decision.inconclusive);
            row.text(barrier);
            let reading = decision.barriers.get(index).unwrap_or(&UNREACHED);
            row.reading(&mut self.readings, index, reading);
            row.flag(decision.broken.contains(&index));
            row.flag(decision.hazard.contains(&index));
            row.end();
        }
        self.out.pass_on()
    }

    /// Faults are told on standard error and in the other formats: every row here is one of numbers.
    fn notice(&mut self, _: &Notice) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.out.finish()
    }
}
