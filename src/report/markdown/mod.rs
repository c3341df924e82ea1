//! Markdown for comments on changes and for summaries of build steps: the verdict first, then counts, and
//! the first refusals. It is short, and says how many there are of what it cuts.

mod counts;
mod inputs;
mod text;

use super::finding::RuleId;
use super::{Format, Header, Report, verdict};
use crate::audit::summary::Summary;
use crate::engine::decision::Decision;
use crate::trace::fault::Notice;
use std::io::{self, Write};
use text::{block, cell, code};

/// The format.
pub const FORMAT: Format = Format {
    id: "markdown",
    doc: "Markdown for comments and build summaries: the verdict, counts, rates, barriers, the first \
          refusals, faults, inputs",
    lists: false,
    open,
};

/// Most refusals, inputs, and warnings of the policy that are listed.
const LISTED: usize = 20;

/// Most faults, and most warnings, that are listed.
const NOTICES: usize = 10;

/// Most columns of a name.
const NAME: usize = 60;

/// Most columns of a reason or a message.
const REASON: usize = 300;

fn open<'w>(header: Header, out: Box<dyn Write + Send + 'w>) -> Box<dyn Report + 'w> {
    Box::new(Markdown {
        page: Page {
            header,
            text: String::new(),
        },
        out,
        refusals: Vec::new(),
        refused: 0,
    })
}

struct Markdown<'w> {
    page: Page,
    out: Box<dyn Write + Send + 'w>,
    /// Rows of the first ones that are listed.
    refusals: Vec<Vec<String>>,
    /// How many there are that may be listed.
    refused: u64,
}

impl Report for Markdown<'_> {
    fn decision(&mut self, decision: &Decision, listed: bool) -> io::Result<()> {
        if !listed || !(decision.is_refused() || decision.is_withheld()) {
            return Ok(());
        }
        self.refused += 1;
        if self.refusals.len() < LISTED {
            let rule = RuleId(
                decision.stage.unwrap_or(RuleId::LABEL.0),
                decision.rule.unwrap_or("unknown"),
            );
            let mut reason = decision.reason.clone().unwrap_or_default();
            if decision.standing {
                reason += " (standing)";
            }
            self.refusals.push(vec![
                self.page.place(decision.input, decision.line, 0),
                cell(&decision.run, NAME),
                cell(&decision.call, NAME),
                cell(&decision.tool, NAME),
                decision.kind.as_str().to_owned(),
                format!("`{rule}`"),
                cell(&reason, REASON),
            ]);
        }
        Ok(())
    }

    fn notice(&mut self, _notice: &Notice) -> io::Result<()> {
        // The summary repeats as many as are listed.
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let page = &mut self.page;
        heading(page, summary);
        counts::counts(page, summary);
        counts::decisions(page, summary);
        counts::rates(page, summary);
        counts::barriers(page, summary);
        refusals(
            page,
            summary,
            std::mem::take(&mut self.refusals),
            self.refused,
        );
        inputs::notices(page, summary);
        inputs::inputs(page, summary);
        inputs::policy(page, summary);
        command(page);
        self.out.write_all(self.page.text.as_bytes())?;
        self.out.flush()
    }
}

/// A report being put together.
struct Page {
    header: Header,
    text: String,
}

impl Page {
    fn section(&mut self, title: &str) {
        self.paragraph(&format!("### {title}"));
    }

    fn paragraph(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A table of cells in Markdown. A heading that begins with `#` is that of numbers.
    fn table(&mut self, columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let heads: Vec<&str> = columns
            .iter()
            .map(|head| head.trim_start_matches('#'))
            .collect();
        let kinds = columns
            .iter()
            .map(|head| if head.starts_with('#') { "---:" } else { "---" });
        let kinds: Vec<&str> = kinds.collect();
        let mut text = format!("| {} |\n| {} |", heads.join(" | "), kinds.join(" | "));
        for row in rows {
            text += &format!("\n| {} |", row.join(" | "));
        }
        self.paragraph(&text);
    }

    /// A place in an input as a cell: the file, and line and column where they are known, else 0.
    fn place(&self, input: usize, line: u64, column: u64) -> String {
        let file = cell(self.header.input(input), NAME);
        match (line, column) {
            (0, _) => file,
            (line, 0) => format!("{file} line {line}"),
            (line, column) => format!("{file} line {line}:{column}"),
        }
    }
}

/// What it came to.
fn heading(page: &mut Page, summary: &Summary) {
    page.paragraph(&format!("## gate: {}", verdict::word(summary)));
    let (counts, exit) = (verdict::counts(summary), &summary.exit);
    let reason = match exit.reason.as_str() {
        "" => String::new(),
        reason => format!(": {}", code(reason, REASON)),
    };
    page.paragraph(&format!(
        "**{counts}; exit {}**{reason}",
        exit.status.code()
    ));
    for law in &summary.broken_laws {
        page.paragraph(&format!(
            "gate itself is wrong, as it does not hold that {}",
            code(law, REASON)
        ));
    }
}

fn refusals(page: &mut Page, summary: &Summary, rows: Vec<Vec<String>>, listed: u64) {
    let all: u64 = summary.refusals.iter().map(|run| run.refused).sum();
    let all = all
        + summary
            .decisions
            .of(crate::engine::decision::DecisionKind::Withhold);
    if all == 0 {
        return;
    }
    page.section("First refusals");
    let shown = rows.len() as u64;
    if shown > 0 {
        let columns = ["where", "run", "call", "tool", "decision", "rule", "why"];
        page.table(&columns, rows);
    }
    let filtered = match listed < all {
        true => ", as the options leave out others",
        false => "",
    };
    page.paragraph(&format!(
        "{shown} of {all} refused calls and withheld results{filtered}."
    ));
}

/// How to make the report again.
fn command(page: &mut Page) {
    if page.header.command.is_empty() {
        return;
    }
    page.section("Command");
    let command = block(&page.header.command);
    page.paragraph(&command);
}
