//! A call of the table: what its row says, column by column, and the lines under it.

use super::text::{self, Tone};
use crate::engine::decision::{Decision, DecisionKind, Reading};
use crate::report::Header;
use crate::report::number::Digits;
use std::fmt::Write;

/// Led by this, a line under a call says why.
const WHY: &str = "      ↳ ";

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Line in the input.
    Line,
    /// Run.
    Run,
    /// Turn.
    Turn,
    /// Tool.
    Tool,
    /// Decision, with `*` for a counterfactual and `?` for an inconclusive call.
    Decision,
    /// Stage and rule.
    Rule,
    /// A barrier before and after the call.
    Barrier(usize),
    /// A barrier after the call, or before it where nothing was simulated.
    Next(usize),
    /// The barrier that refused with, or else has, the least slack.
    Tightest,
}

impl Column {
    /// What stands above it.
    pub fn heading(self, header: &Header) -> String {
        match self {
            Column::Line => "line".to_owned(),
            Column::Run => "run".to_owned(),
            Column::Turn => "turn".to_owned(),
            Column::Tool => "tool".to_owned(),
            Column::Decision => "decision".to_owned(),
            Column::Rule => "stage.rule".to_owned(),
            Column::Barrier(barrier) | Column::Next(barrier) => text::name(header.barrier(barrier)),
            Column::Tightest => "tightest barrier".to_owned(),
        }
    }

    /// Whether its cells end at one edge, as whole numbers do.
    pub fn is_right_aligned(self) -> bool {
        matches!(self, Column::Line | Column::Turn)
    }

    /// Whether its cells may be cut where the line is too narrow.
    pub fn may_be_cut(self) -> bool {
        matches!(self, Column::Run | Column::Tool | Column::Rule)
    }
}

/// What the table keeps of a decision until its rows are laid out.
#[derive(Clone, Debug)]
pub struct Call {
    line: u64,
    run: String,
    turn: u64,
    tool: String,
    kind: DecisionKind,
    marks: &'static str,
    rule: String,
    broken: Vec<usize>,
    readings: Vec<Reading>,
    why: String,
    labels: String,
    args: Option<String>,
}

impl Call {
    /// Takes what is shown of a decision; `args` are masked and cut already.
    pub fn new(decision: &Decision, header: &Header, args: Option<String>) -> Self {
        Call {
            line: decision.line,
            run: text::name(&decision.run),
            turn: decision.turn,
            tool: text::name(&decision.tool),
            kind: decision.kind,
            marks: match (decision.counterfactual, decision.inconclusive) {
                (false, false) => "",
                (true, false) => "*",
                (false, true) => "?",
                (true, true) => "*?",
            },
            rule: match (decision.stage, decision.rule) {
                (Some(stage), Some(rule)) => format!("{stage}.{rule}"),
                (stage, rule) => stage.or(rule).unwrap_or("").to_owned(),
            },
            broken: decision.broken.clone(),
            readings: decision.barriers.clone(),
            why: why(decision, header),
            labels: match header.labels {
                true => names(&decision.labels),
                false => String::new(),
            },
            args: args.map(|args| text::prose(&args)),
        }
    }

    /// Appends its cell in a column. Gives how that stands out.
    pub fn cell(
        &self,
        column: Column,
        header: &Header,
        digits: &mut Digits,
        out: &mut String,
    ) -> Tone {
        // Writing to a string does not fail.
        match column {
            Column::Line => _ = write!(out, "{}", self.line),
            Column::Run => out.push_str(&self.run),
            Column::Turn => _ = write!(out, "{}", self.turn),
            Column::Tool => out.push_str(&self.tool),
            Column::Decision => {
                out.push_str(self.kind.as_str());
                out.push_str(self.marks);
                return self.tone();
            }
            Column::Rule => {
                out.push_str(&self.rule);
                return self.tone();
            }
            Column::Barrier(barrier) => return self.reading(barrier, both, digits, out),
            Column::Next(barrier) => return self.reading(barrier, after, digits, out),
            Column::Tightest => return self.tightest(header, digits, out),
        }
        Tone::Plain
    }

    /// The lines under its row, the reason first.
    pub fn details(&self, columns: Option<usize>) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.why.is_empty() {
            lines.extend(text::wrapped(WHY, &self.why, columns));
        }
        if !self.labels.is_empty() {
            lines.extend(text::wrapped("        labels ", &self.labels, columns));
        }
        if let Some(args) = &self.args {
            lines.extend(text::wrapped("        args ", args, columns));
        }
        lines
    }

    fn tone(&self) -> Tone {
        match self.kind {
            DecisionKind::Allow => Tone::Plain,
            DecisionKind::Block | DecisionKind::Error => Tone::Bad,
            DecisionKind::Escalate | DecisionKind::Withhold => Tone::Doubt,
        }
    }

    fn reading(
        &self,
        barrier: usize,
        shown: fn(&Reading, &mut Digits, &mut String),
        digits: &mut Digits,
        out: &mut String,
    ) -> Tone {
        let Some(reading) = self.readings.get(barrier) else {
            return Tone::Plain;
        };
        shown(reading, digits, out);
        if self.broken.contains(&barrier) {
            out.push('!');
            return Tone::Bad;
        }
        Tone::Plain
    }

    fn tightest(&self, header: &Header, digits: &mut Digits, out: &mut String) -> Tone {
        let room = |&(_, reading): &(usize, &Reading)| reading.slack.unwrap_or(reading.h);
        let tightest = self
            .readings
            .iter()
            .enumerate()
            .filter(|(barrier, _)| self.broken.is_empty() || self.broken.contains(barrier))
            .min_by(|a, b| room(a).total_cmp(&room(b)));
        let Some((barrier, _)) = tightest else {
            return Tone::Plain;
        };
        out.push_str(&text::cut(&text::name(header.barrier(barrier)), 24));
        out.push(' ');
        self.reading(barrier, both, digits, out)
    }
}

fn names(labels: &[String]) -> String {
    let labels: Vec<String> = labels.iter().map(|label| text::name(label)).collect();
    labels.join(", ")
}

fn both(reading: &Reading, digits: &mut Digits, out: &mut String) {
    digits.push(reading.h, out);
    if let Some(next) = reading.next {
        out.push_str(" -> ");
        digits.push(next, out);
    }
}

fn after(reading: &Reading, digits: &mut Digits, out: &mut String) {
    digits.push(reading.next.unwrap_or(reading.h), out);
}

/// The reason, then what else sets the call apart.
fn why(decision: &Decision, header: &Header) -> String {
    let mut notes: Vec<String> = decision
        .reason
        .as_deref()
        .map(text::prose)
        .into_iter()
        .collect();
    if decision.standing {
        notes.push("standing".to_owned());
    }
    if let Some(line) = decision.policy_line {
        notes.push(format!("policy line {line}"));
    }
    if let Some(rule) = &decision.policy_rule {
        notes.push(format!("rule {rule}"));
    }
    match decision.approval {
        Some(outcome) => notes.push(format!("approval {}", outcome.as_str())),
        None if decision.escalated => notes.push("no approval recorded".to_owned()),
        None => {}
    }
    if let Some(recorded) = decision.recorded.filter(|_| decision.is_drift()) {
        notes.push(format!("drift: recorded {}", recorded.as_str()));
    }
    if !decision.hazard.is_empty() {
        let barriers = decision
            .hazard
            .iter()
            .map(|&b| text::name(header.barrier(b)));
        let barriers: Vec<String> = barriers.collect();
        notes.push(format!("batch hazard: {}", barriers.join(", ")));
    }
    if decision.args_unknown {
        notes.push("arguments not known".to_owned());
    }
    notes.join("; ")
}
