//! A row a record for spreadsheets, the summary last.
//!
//! Untrusted text cannot become a formula: a cell that a spreadsheet would evaluate is led by an
//! apostrophe. Numbers are gate's own and stay numbers, a negative barrier too.

pub(super) mod row;
pub(super) mod rows;

use super::json::v1::notice_kind;
use super::json::write::Item;
use super::rendering::{Blocks, Readings};
use super::{Format, Header, Report};
use crate::audit::coverage::{Met, RuleCoverage};
use crate::audit::summary::Summary;
use crate::engine::decision::Decision;
use crate::escape;
use crate::policy::PolicyWarning;
use crate::trace::fault::Notice;
use ::csv::Writer;
use row::Row;
use std::borrow::Cow;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "csv",
    doc: "a row a record: decisions; faults and warnings with the code as `rule` and the message \
          as `reason`, those of the policy after the others; tools that no rule names; rules with their coverage, where it is asked for; last the \
          summary with the exit status as `rule`",
    lists: true,
    open,
};

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Rows {
        render: Render::new(header),
        out: Blocks::new(out),
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

/// A report under way.
struct Rows<'w> {
    render: Render,
    out: Blocks<'w>,
    begun: bool,
}

impl Rows<'_> {
    /// Writes rows, the first ones after the names of the columns.
    fn rows(&mut self, append: impl FnOnce(&mut Render, &mut Vec<u8>)) -> io::Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            self.render.columns(&mut self.out.bytes);
        }
        append(&mut self.render, &mut self.out.bytes);
        self.out.pass_on()
    }
}

impl Report for Rows<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        match listed {
            true => self.rows(|render, out| render.append(decision, out)),
            false => Ok(()),
        }
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        self.rows(|render, out| render.notice(notice, out))
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.rows(|render, out| {
            for doubt in &summary.policy.warnings {
                render.doubt(&summary.policy.source, doubt, out);
            }
            for (tool, &calls) in &summary.unnamed_tools {
                render.unnamed(tool, calls, out);
            }
            let coverage = summary.coverage.iter();
            for rule in coverage.flat_map(|coverage| &coverage.rules) {
                render.coverage(&summary.policy.source, rule, out);
            }
            let mut row = render.begin("summary", out);
            row.skip(11);
            row.count(summary.exit.status.code().into());
            row.skip(1);
            row.text(&summary.exit.reason);
            row.end();
        })?;
        self.out.finish()
    }
}

/// Rows of a report with that header.
struct Render {
    header: Header,
    readings: Readings,
}

impl Render {
    fn new(header: Header) -> Self {
        Render {
            header,
            readings: Readings::new(),
        }
    }

    /// How many columns there are.
    fn width(&self) -> usize {
        COLUMNS.len() + READING.len() * self.header.barriers.len()
    }

    /// Appends the names of the columns.
    fn columns(&self, out: &mut Vec<u8>) {
        let mut row = Row::new(out, &self.header, self.width());
        for column in COLUMNS {
            row.word(Some(column));
        }
        for barrier in &self.header.barriers {
            for part in READING {
                row.text(&format!("{barrier}_{part}"));
            }
        }
        row.end();
    }

    /// Begins a row of that kind.
    fn begin<'a>(&'a self, record: &str, out: &'a mut Vec<u8>) -> Row<'a> {
        let mut row = Row::new(out, &self.header, self.width());
        row.word(Some(record));
        row
    }

    fn notice(&self, notice: &Notice, out: &mut Vec<u8>) {
        let mut row = self.begin(notice_kind(notice), out);
        row.text(self.header.input(notice.place.input));
        for position in [notice.place.line, notice.place.column] {
            match position {
                0 => row.skip(1),
                position => row.count(position),
            }
        }
        row.text(notice.run.as_deref().unwrap_or(""));
        row.skip(7);
        row.word(Some(notice.kind.code()));
        row.skip(1);
        row.text(&notice.message);
        row.end();
    }

    /// A warning of the policy, its file and line in the place of an input's.
    fn doubt(&self, source: &str, doubt: &PolicyWarning, out: &mut Vec<u8>) {
        let mut row = self.begin("warning", out);
        row.text(source);
        for position in [doubt.place.known_line(), doubt.place.known_column()] {
            match position {
                None => row.skip(1),
                Some(position) => row.count(position as u64),
            }
        }
        row.skip(8);
        row.word(Some(doubt.code));
        row.skip(1);
        row.text(&doubt.message);
        row.end();
    }

    /// A tool that no rule of the policy names.
    fn unnamed(&self, tool: &str, calls: u64, out: &mut Vec<u8>) {
        let mut row = self.begin("unnamed_tool", out);
        row.skip(7);
        row.text(tool);
        row.skip(5);
        let plural = if calls == 1 { "" } else { "s" };
        row.text(&format!("{calls} call{plural}, and no rule names the tool"));
        row.end();
    }

    /// A rule of the policy, its file and line in the place of an input's.
    fn coverage(&self, source: &str, rule: &RuleCoverage, out: &mut Vec<u8>) {
        let mut row = self.begin("coverage", out);
        row.text(source);
        match rule.policy_line {
            0 => row.skip(1),
            line => row.count(line as u64),
        }
        row.skip(8);
        row.word(Some(rule.stage));
        row.word(Some(rule.rule));
        row.skip(1);
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
        row.text(&format!(
            "{name}evaluated {evaluated}, decided {decided}, stops {stops}, unique {unique}{given}"
        ));
        row.end();
    }

    /// Appends a decision.
    fn append(&mut self, decision: &Decision, out: &mut Vec<u8>) {
        let mut row = Row::new(out, &self.header, self.width());
        let digits = self.readings.digits();
        row.word(Some("decision"));
        row.text(self.header.input(decision.input));
        row.count(decision.line);
        row.skip(1);
        row.text(&decision.run);
        row.count(decision.seq);
        row.text(&decision.call);
        row.count(decision.turn);
        row.text(&decision.tool);
        row.text(decision.agent.as_deref().unwrap_or(""));
        row.word(Some(decision.kind.as_str()));
        row.word(decision.stage);
        row.word(decision.rule);
        row.barriers(&decision.broken);
        row.text(decision.reason.as_deref().unwrap_or(""));
        row.flag(decision.standing);
        row.flag(decision.escalated);
        row.word(decision.approval.map(|outcome| outcome.as_str()));
        row.float(digits, decision.semantic_score);
        row.flag(decision.counterfactual);
        row.flag(decision.inconclusive);
        row.word(decision.recorded.map(|recorded| recorded.as_str()));
        row.flag(decision.is_drift());
        row.barriers(&decision.hazard);
        row.float(digits, decision.composite);
        row.list(decision.labels.iter().map(String::as_str));
        row.flag(decision.args_unknown);
        let seen = decision.semantic.as_deref();
        row.float(digits, seen.map(|seen| seen.harm));
        row.float(digits, seen.map(|seen| seen.intent));
        row.text(seen.map_or("", |seen| &seen.nearest));
        row.readings(&mut self.readings, &decision.barriers);
        row.end();
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

/// A cell of untrusted texts with a separator between them, or as a JSON array, which alone begins with a
/// bracket, where they could not be told from one another, or not be told as they are.
pub(super) fn list(texts: &[&str], separator: &str) -> String {
    let joined = texts.join(separator);
    let parted = |text: &&str| !text.is_empty() && !text.contains(separator);
    if texts.iter().all(parted) && !joined.starts_with('[') && *cell(&joined) == joined {
        return joined;
    }
    let mut array = Vec::new();
    Item::append(texts, &mut array);
    String::from_utf8_lossy(&array).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Whatever the texts, they are read back: a cell that begins with a bracket as JSON, every other by
    /// its separators.
    #[test]
    fn lists_read_back() {
        assert_eq!(list(&["safety", "a b"], ";"), "safety;a b");
        assert_eq!(list(&["a;b", "\u{1b}"], ";"), r#"["a;b","\u001b"]"#);
        assert_eq!(list(&["=1"], ";"), r#"["=1"]"#);
        let mut random = Random::new(4);
        for _ in 0..20_000 {
            let signs = [
                "a", " ", ", ", ";", "\"", "'", "[", "]", "=", "\\", "\n", "\u{1b}",
            ];
            let mut text = || (0..random.below(4)).map(|_| *random.pick(&signs)).collect();
            let texts: [String; 3] = [text(), text(), text()];
            let texts = texts.each_ref().map(String::as_str);
            let texts = &texts[..1 + random.below(3)];
            for separator in [";", ", "] {
                let told = list(texts, separator);
                assert_eq!(cell(&told), told);
                let read: Vec<String> = match told.starts_with('[') {
                    true => serde_json::from_str(&told).expect("JSON"),
                    false => told.split(separator).map(str::to_owned).collect(),
                };
                assert_eq!(read, texts, "{told}");
            }
        }
    }

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
