//! A row a record for spreadsheets, the summary last.
//!
//! Untrusted text cannot become a formula: a cell that a spreadsheet would evaluate is led by an
//! apostrophe. Numbers are gate's own and stay numbers, a negative barrier too.

pub(super) mod rows;

use super::json::v1::notice_kind;
use super::{Format, Header, Report, number};
use crate::audit::coverage::{Met, RuleCoverage};
use crate::audit::summary::Summary;
use crate::engine::decision::{Decision, Reading};
use crate::escape;
use crate::policy::PolicyWarning;
use crate::trace::fault::Notice;
use ::csv::{StringRecord, Writer};
use std::borrow::Cow;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "csv",
    doc: "a row a record: decisions; faults and warnings with the code as `rule` and the message \
          as `reason`, those of the policy after the others; tools that no rule names; rules with their coverage, where it is asked for; last the \
          summary with the exit status as `rule`",
    open,
};

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Rows {
        header,
        out: Writer::from_writer(out),
        row: StringRecord::new(),
        begun: false,
    })
}

/// Columns before those of the barriers.
const COLUMNS: &[&str] = &[
    "record",
    "file",
    "line",
    "column",
    "run",
    "seq",
    "call",
    "turn",
    "tool",
    "agent",
    "decision",
    "stage",
    "rule",
    "broken",
    "reason",
    "standing",
    "escalated",
    "approval",
    "semantic_score",
    "counterfactual",
    "inconclusive",
    "recorded",
    "drift",
    "hazard",
    "composite",
    "labels",
    "args_unknown",
    "semantic_harm",
    "semantic_intent",
    "semantic_nearest",
];

/// Columns of a barrier, each after its name.
const READING: &[&str] = &["h", "next", "slack"];

struct Rows<'w> {
    header: Header,
    out: Writer<Box<dyn Write + Send + 'w>>,
    row: StringRecord,
    begun: bool,
}

impl Rows<'_> {
    /// Begins a row, the first one after the names of the columns.
    fn begin(&mut self, record: &str) -> io::Result<()> {
        self.row.clear();
        if !self.begun {
            self.begun = true;
            for column in COLUMNS {
                self.row.push_field(column);
            }
            for barrier in &self.header.barriers {
                for part in READING {
                    self.row.push_field(&cell(&format!("{barrier}_{part}")));
                }
            }
            self.write()?;
            self.row.clear();
        }
        self.row.push_field(record);
        Ok(())
    }

    /// Ends a row, its remaining columns empty.
    fn end(&mut self) -> io::Result<()> {
        let columns = COLUMNS.len() + READING.len() * self.header.barriers.len();
        while self.row.len() < columns {
            self.row.push_field("");
        }
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        write_record(&mut self.out, &self.row)
    }

    /// A warning of the policy, its file and line in the place of an input's.
    fn doubt(&mut self, source: &str, doubt: &PolicyWarning) -> io::Result<()> {
        self.begin("warning")?;
        self.text(source);
        for position in [doubt.place.known_line(), doubt.place.known_column()] {
            match position {
                None => self.skip(1),
                Some(position) => self.count(position as u64),
            }
        }
        self.skip(8);
        self.word(Some(doubt.code));
        self.skip(1);
        self.text(&doubt.message);
        self.end()
    }

    /// A rule of the policy, its file and line in the place of an input's.
    fn coverage(&mut self, source: &str, rule: &RuleCoverage) -> io::Result<()> {
        self.begin("coverage")?;
        self.text(source);
        match rule.policy_line {
            0 => self.skip(1),
            line => self.count(line as u64),
        }
        self.skip(8);
        self.word(Some(rule.stage));
        self.word(Some(rule.rule));
        self.skip(1);
        let Met {
            evaluated,
            decided,
            stops,
            unique,
        } = rule.met;
        let name = match rule.name.as_str() {
            "" => String::new(),
            name => format!("`{name}`: "),
        };
        let given = rule.given.map(|given| format!(", given {given}"));
        let given = given.unwrap_or_default();
        self.text(&format!(
            "{name}evaluated {evaluated}, decided {decided}, stops {stops}, unique {unique}{given}"
        ));
        self.end()
    }

    fn skip(&mut self, columns: usize) {
        for _ in 0..columns {
            self.row.push_field("");
        }
    }

    fn text(&mut self, text: &str) {
        self.row.push_field(&cell(text));
    }

    fn word(&mut self, word: Option<&str>) {
        self.row.push_field(word.unwrap_or(""));
    }

    fn count(&mut self, count: u64) {
        self.row.push_field(&count.to_string());
    }

    fn float(&mut self, value: Option<f64>) {
        match value.filter(|value| value.is_finite()) {
            Some(value) => self.row.push_field(&number::exact(value)),
            None => self.row.push_field(""),
        }
    }

    fn flag(&mut self, flag: bool) {
        self.row.push_field(if flag { "true" } else { "false" });
    }

    /// Barriers by name, with semicolons between them.
    fn barriers(&mut self, barriers: &[usize]) {
        let names: Vec<&str> = barriers.iter().map(|&b| self.header.barrier(b)).collect();
        self.row.push_field(&cell(&names.join(";")));
    }

    fn file(&mut self, input: usize) {
        self.row.push_field(&cell(self.header.input(input)));
    }
}

impl Report for Rows<'_> {
    fn decision(&mut self, decision: &Decision) -> io::Result<()> {
        self.begin("decision")?;
        self.file(decision.input);
        self.count(decision.line);
        self.skip(1);
        self.text(&decision.run);
        self.count(decision.seq);
        self.text(&decision.call);
        self.count(decision.turn);
        self.text(&decision.tool);
        self.text(decision.agent.as_deref().unwrap_or(""));
        self.word(Some(decision.kind.as_str()));
        self.word(decision.stage);
        self.word(decision.rule);
        self.barriers(&decision.broken);
        self.text(decision.reason.as_deref().unwrap_or(""));
        self.flag(decision.standing);
        self.flag(decision.escalated);
        self.word(decision.approval.map(|outcome| outcome.as_str()));
        self.float(decision.semantic_score);
        self.flag(decision.counterfactual);
        self.flag(decision.inconclusive);
        self.word(decision.recorded.map(|recorded| recorded.as_str()));
        self.flag(decision.is_drift());
        self.barriers(&decision.hazard);
        self.float(decision.composite);
        self.text(&decision.labels.join(";"));
        self.flag(decision.args_unknown);
        let seen = decision.semantic.as_deref();
        self.float(seen.map(|seen| seen.harm));
        self.float(seen.map(|seen| seen.intent));
        self.text(seen.map_or("", |seen| &seen.nearest));
        for Reading { h, next, slack } in &decision.barriers {
            self.float(Some(*h));
            self.float(*next);
            self.float(*slack);
        }
        self.end()
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        self.begin(notice_kind(notice))?;
        self.file(notice.place.input);
        for position in [notice.place.line, notice.place.column] {
            match position {
                0 => self.skip(1),
                position => self.count(position),
            }
        }
        self.text(notice.run.as_deref().unwrap_or(""));
        self.skip(7);
        self.word(Some(notice.kind.code()));
        self.skip(1);
        self.text(&notice.message);
        self.end()
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        for doubt in &summary.policy.warnings {
            self.doubt(&summary.policy.source, doubt)?;
        }
        for (tool, &calls) in &summary.unnamed_tools {
            self.begin("unnamed_tool")?;
            self.skip(7);
            self.text(tool);
            self.skip(5);
            let plural = if calls == 1 { "" } else { "s" };
            self.text(&format!("{calls} call{plural}, and no rule names the tool"));
            self.end()?;
        }
        let coverage = summary.coverage.iter();
        for rule in coverage.flat_map(|coverage| &coverage.rules) {
            self.coverage(&summary.policy.source, rule)?;
        }
        self.begin("summary")?;
        self.skip(11);
        self.count(summary.exit.status.code().into());
        self.skip(1);
        self.text(&summary.exit.reason);
        self.end()?;
        self.out.flush()
    }
}

/// Writes a row.
///
/// # Errors
/// The output cannot be written. Why is kept as it is: that a reader went away is told from every other
/// failure by its kind.
pub(super) fn write_record<W, I>(out: &mut Writer<W>, row: I) -> io::Result<()>
where
    W: Write,
    I: IntoIterator,
    I::Item: AsRef<[u8]>,
{
    out.write_record(row)
        .map_err(|error| match error.into_kind() {
            ::csv::ErrorKind::Io(error) => error,
            _ => io::Error::other("a row that CSV cannot tell"),
        })
}

/// A cell of untrusted text: hidden characters shown, and an apostrophe before what a spreadsheet
/// would take for a formula, white space before it or not, in full width or not.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    let shown = escape::visible(text);
    let formula = text.trim_start().starts_with([
        '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]);
    if formula || text.starts_with(['\t', '\r', '\n']) {
        return Cow::Owned(format!("'{shown}"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_defused() {
        for text in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\rx",
            "  =1",
            "\u{a0}=1",
            "\u{3000}=1",
            "\u{ff1d}1",
            "\n=1",
        ] {
            assert!(cell(text).starts_with('\''), "{text:?}");
        }
        assert_eq!(cell("\t=cmd"), r"'\u{9}=cmd");
        assert_eq!(cell("a=1"), "a=1");
        assert_eq!(cell("r-1"), "r-1");
        // What is hidden before the sign is shown, and the cell is no formula any more.
        assert_eq!(cell("\u{200b}=1"), r"\u{200b}=1");
    }
}
