//! The record of a decision. There is one a call, so it is put together by hand, its keys as they
//! are written: nothing is told over again for every record.

use super::DECISION;
use crate::engine::decision::{Decision, Reading, Semantic};
use crate::report::Header;
use crate::report::json::write::{Item, float, text};

/// What is shown of a call's arguments, masked and cut already.
#[derive(Debug)]
pub struct Shown {
    /// The arguments.
    pub args: String,
    /// The text that the semantic firewall made of them; absent where it made none, or it is not
    /// to be shown.
    pub text: Option<String>,
}

/// Appends members to an object that is begun already, each key with the value that follows it.
macro_rules! members {
    ($out:expr, $($key:literal: $value:expr,)+) => {$(
        $out.extend_from_slice(concat!(",\"", $key, "\":").as_bytes());
        $value.append($out);
    )+};
}

/// Appends the record of a decision. `shown` is what is shown of its arguments; absent where they are
/// not shown.
pub fn append(decision: &Decision, header: &Header, shown: Option<Shown>, out: &mut Vec<u8>) {
    let (args, seen_text) = match shown {
        Some(shown) => (Some(shown.args), shown.text),
        None => (None, None),
    };
    out.extend_from_slice(b"{\"schema\":");
    text(DECISION, out);
    members!(out,
        "record": "decision",
        "file": header.input(decision.input),
        "line": decision.line,
        "run": &*decision.run,
        "seq": decision.seq,
        "call": &*decision.call,
        "turn": decision.turn,
        "tool": &*decision.tool,
        "agent": decision.agent.as_deref(),
        "decision": decision.kind.as_str(),
        "stage": decision.stage,
        "rule": decision.rule,
        "broken": Names(&decision.broken, header),
        "reason": decision.reason.as_deref(),
        "standing": decision.standing,
        "checks_passed": &*decision.checks_passed,
        "checks_failed": &*decision.checks_failed,
        "escalated": decision.escalated,
        "approval": decision.approval.map(|outcome| outcome.as_str()),
        "semantic_score": decision.semantic_score,
        "counterfactual": decision.counterfactual,
        "inconclusive": decision.inconclusive,
        "recorded": decision.recorded.map(|recorded| recorded.as_str()),
        "drift": decision.is_drift(),
        "hazard": Names(&decision.hazard, header),
        "composite": decision.composite,
        "barriers": Readings(&decision.barriers, header),
        "policy_line": decision.policy_line,
        "labels": &*decision.labels,
        "args_unknown": decision.args_unknown,
        "policy_rule": decision.policy_rule.as_deref(),
        "semantic": decision.semantic.as_deref().map(|seen| Seen(seen, seen_text)),
    );
    if let Some(args) = args {
        members!(out, "args": &*args,);
    }
    out.push(b'}');
}

/// Barriers by index, written by name.
struct Names<'a>(&'a [usize], &'a Header);

impl Item for Names<'_> {
    fn append(&self, out: &mut Vec<u8>) {
        let names = self.0.iter().map(|&barrier| self.1.barrier(barrier));
        names.collect::<Vec<_>>().as_slice().append(out);
    }
}

/// Readings by the name of their barrier.
struct Readings<'a>(&'a [Reading], &'a Header);

impl Item for Readings<'_> {
    fn append(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (barrier, reading) in self.0.iter().enumerate() {
            if barrier > 0 {
                out.push(b',');
            }
            text(self.1.barrier(barrier), out);
            out.extend_from_slice(b":{\"h\":");
            float(reading.h, out);
            members!(out, "next": reading.next, "slack": reading.slack,);
            out.push(b'}');
        }
        out.push(b'}');
    }
}

/// What the semantic firewall saw, and the text it made of the call where that is shown.
struct Seen<'a>(&'a Semantic, Option<String>);

impl Item for Seen<'_> {
    fn append(&self, out: &mut Vec<u8>) {
        let Seen(seen, shown) = self;
        out.extend_from_slice(b"{\"embedder\":");
        text(seen.embedder, out);
        members!(out,
            "harm": seen.harm,
            "intent": seen.intent,
            "benign": seen.benign,
            "nearest": &*seen.nearest,
            "gloss": &*seen.gloss,
            "blanked": seen.blanked,
            "chars": seen.chars,
            "text": shown.as_deref(),
        );
        out.push(b'}');
    }
}
