//! The record of a decision. There is one a call, so it is put together by hand, its keys as they
//! are written: nothing is told over again for every record.

use super::DECISION;
use crate::engine::decision::{Checks, Decision, DecisionKind, Reading, Semantic};
use crate::report::Header;
use crate::report::args::Secrets;
use crate::report::json::write::{Item, Word, text};
use crate::report::number::Digits;
use crate::report::rendering::{Readings, Texts};
use crate::trace::event::{ApprovalOutcome, Recorded};

/// What is shown of a call's arguments, masked and cut already.
#[derive(Debug)]
pub struct Shown {
    /// The arguments.
    pub args: String,
    /// The text that the semantic firewall made of them; absent where it made none, or it is not
    /// to be shown.
    pub text: Option<String>,
}

impl Shown {
    /// What is shown of a call whose arguments were kept.
    pub fn of(args: &str, decision: &Decision, secrets: &Secrets) -> Shown {
        let seen = decision.semantic.as_ref();
        let text = seen.and_then(|seen| seen.text.as_deref());
        Shown {
            args: secrets.shown(args),
            text: text.and_then(|text| secrets.shown_text(text, args)),
        }
    }
}

/// Appends members to an object that is begun already, each key with the value that follows it.
macro_rules! members {
    ($out:expr, $($key:literal: $value:expr,)+) => {$(
        $out.extend_from_slice(concat!(",\"", $key, "\":").as_bytes());
        $value.append($out);
    )+};
}

/// What records of one report have in common, and what was spelled for earlier ones and is likely to
/// come again. A record does not depend on it.
#[derive(Debug)]
pub struct Records {
    /// What a record of this input begins with, up to the number of the line.
    head: (usize, Vec<u8>),
    /// The name of each barrier as the key of an object, up to the first value in that.
    barriers: Vec<Vec<u8>>,
    readings: Readings,
    texts: Texts,
    /// What was said of the last decision between its names and its numbers.
    verdict: (Option<Verdict>, Vec<u8>),
    /// What was said behind its numbers.
    rest: (Option<Rest>, Vec<u8>),
}

impl Records {
    /// Records of a report with that header.
    pub fn new(header: &Header) -> Self {
        Records {
            head: (0, head(header.input(0))),
            barriers: header.barriers.iter().map(|name| key(name)).collect(),
            readings: Readings::new(),
            texts: Texts::new(text),
            verdict: (None, Vec::new()),
            rest: (None, Vec::new()),
        }
    }

    /// Appends the record of a decision. `shown` is what is shown of its arguments; absent where they are
    /// not shown. The header is the one the records were made for.
    pub fn append(
        &mut self,
        decision: &Decision,
        header: &Header,
        shown: Option<Shown>,
        out: &mut Vec<u8>,
    ) {
        let (args, seen_text) = match shown {
            Some(shown) => (Some(shown.args), shown.text),
            None => (None, None),
        };
        if self.head.0 != decision.input {
            self.head = (decision.input, head(header.input(decision.input)));
        }
        out.extend_from_slice(&self.head.1);
        decision.line.append(out);
        out.extend_from_slice(br#","run":"#);
        self.texts.append(&decision.run, out);
        members!(out,
            "seq": decision.seq,
            "call": &*decision.call,
            "turn": decision.turn,
        );
        out.extend_from_slice(br#","tool":"#);
        self.texts.append(&decision.tool, out);
        out.extend_from_slice(br#","agent":"#);
        match &decision.agent {
            Some(agent) => self.texts.append(agent, out),
            None => out.extend_from_slice(b"null"),
        }
        self.verdict(decision, header, out);
        out.extend_from_slice(br#","composite":"#);
        float(decision.composite, self.readings.digits(), out);
        self.readings(&decision.barriers, out);
        self.rest(decision, seen_text, out);
        if let Some(args) = args {
            members!(out, "args": &*args,);
        }
        out.push(b'}');
    }

    /// What became of the call and why, up to the hazards.
    fn verdict(&mut self, decision: &Decision, header: &Header, out: &mut Vec<u8>) {
        let (kept, spelled) = &mut self.verdict;
        if !kept.as_ref().is_some_and(|kept| kept.is_of(decision)) {
            kept.get_or_insert_default().take(decision);
            spelled.clear();
            said(decision, header, spelled);
        }
        out.extend_from_slice(spelled);
    }

    /// What stands behind the numbers. `seen_text` is the text that the semantic firewall made of the call,
    /// where that is shown.
    fn rest(&mut self, decision: &Decision, seen_text: Option<String>, out: &mut Vec<u8>) {
        let rest = Rest::of(decision);
        let (kept, spelled) = &mut self.rest;
        if rest.is_none() || *kept != rest {
            *kept = rest;
            spelled.clear();
            let seen = decision.semantic.as_deref();
            members!(spelled,
                "policy_line": decision.policy_line,
                "labels": &*decision.labels,
                "args_unknown": decision.args_unknown,
                "policy_rule": decision.policy_rule.as_deref(),
                "semantic": seen.map(|seen| Seen(seen, seen_text)),
            );
        }
        out.extend_from_slice(spelled);
    }

    /// Readings by the name of their barrier.
    fn readings(&mut self, readings: &[Reading], out: &mut Vec<u8>) {
        out.extend_from_slice(br#","barriers":{"#);
        let barriers = &self.barriers;
        self.readings.append(
            readings,
            out,
            |barrier, reading, digits, out| match barriers.get(barrier) {
                Some(name) => self::reading(name, reading, digits, out),
                None => self::reading(&key(""), reading, digits, out),
            },
        );
        out.push(b'}');
    }
}

/// What stands behind the numbers of a call that has no labels, no rule of its own and no meaning to be
/// told, as most have none.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rest {
    policy_line: Option<usize>,
    args_unknown: bool,
}

impl Rest {
    fn of(decision: &Decision) -> Option<Rest> {
        let short = decision.labels.is_empty()
            && decision.policy_rule.is_none()
            && decision.semantic.is_none();
        short.then_some(Rest {
            policy_line: decision.policy_line,
            args_unknown: decision.args_unknown,
        })
    }
}

/// All that [`said`] goes by: it is the same for nearly all calls that are let through, and for those of a
/// run that has nothing left, and copying what is said of one takes a tenth of saying it.
#[derive(Debug, Default)]
struct Verdict {
    kind: DecisionKind,
    stage: Option<&'static str>,
    rule: Option<&'static str>,
    standing: bool,
    passed: Checks,
    failed: Option<&'static str>,
    escalated: bool,
    approval: Option<ApprovalOutcome>,
    semantic_score: Option<f64>,
    counterfactual: bool,
    inconclusive: bool,
    recorded: Option<Recorded>,
    reason: Option<String>,
    broken: Vec<usize>,
    hazard: Vec<usize>,
}

impl Verdict {
    fn is_of(&self, decision: &Decision) -> bool {
        self.kind == decision.kind
            && self.reason == decision.reason
            && self.stage == decision.stage
            && self.rule == decision.rule
            && self.standing == decision.standing
            && self.passed == decision.checks_passed
            && self.failed == decision.checks_failed
            && self.escalated == decision.escalated
            && self.approval == decision.approval
            && self.semantic_score == decision.semantic_score
            && self.counterfactual == decision.counterfactual
            && self.inconclusive == decision.inconclusive
            && self.recorded == decision.recorded
            && self.broken == decision.broken
            && self.hazard == decision.hazard
    }

    /// Takes that of a decision, its texts and lists in the room of those before.
    fn take(&mut self, decision: &Decision) {
        self.kind = decision.kind;
        self.reason.clone_from(&decision.reason);
        self.stage = decision.stage;
        self.rule = decision.rule;
        self.standing = decision.standing;
        self.passed = decision.checks_passed;
        self.failed = decision.checks_failed;
        self.escalated = decision.escalated;
        self.approval = decision.approval;
        self.semantic_score = decision.semantic_score;
        self.counterfactual = decision.counterfactual;
        self.inconclusive = decision.inconclusive;
        self.recorded = decision.recorded;
        self.broken.clone_from(&decision.broken);
        self.hazard.clone_from(&decision.hazard);
    }
}

/// Appends what became of the call and why, up to the hazards.
fn said(decision: &Decision, header: &Header, out: &mut Vec<u8>) {
    let passed: Vec<Word> = decision.checks_passed.names().map(Word).collect();
    members!(out,
        "decision": Word(decision.kind.as_str()),
        "stage": decision.stage.map(Word),
        "rule": decision.rule.map(Word),
        "broken": Names(&decision.broken, header),
        "reason": decision.reason.as_deref(),
        "standing": decision.standing,
        "checks_passed": passed.as_slice(),
        "checks_failed": decision.checks_failed.map(Word).as_slice(),
        "escalated": decision.escalated,
        "approval": decision.approval.map(|outcome| Word(outcome.as_str())),
        "semantic_score": decision.semantic_score,
        "counterfactual": decision.counterfactual,
        "inconclusive": decision.inconclusive,
        "recorded": decision.recorded.map(|recorded| Word(recorded.as_str())),
        "drift": decision.is_drift(),
        "hazard": Names(&decision.hazard, header),
    );
}

/// What a record of that input begins with, up to the number of the line.
fn head(file: &str) -> Vec<u8> {
    let mut head = br#"{"schema":"#.to_vec();
    text(DECISION, &mut head);
    members!(&mut head, "record": "decision", "file": file,);
    head.extend_from_slice(br#","line":"#);
    head
}

/// The name of a barrier as the key of its readings, up to the first of them.
fn key(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    text(name, &mut key);
    key.extend_from_slice(br#":{"h":"#);
    key
}

fn reading(key: &[u8], reading: &Reading, digits: &mut Digits, out: &mut Vec<u8>) {
    out.extend_from_slice(key);
    digits.append(reading.h, out);
    out.extend_from_slice(br#","next":"#);
    float(reading.next, digits, out);
    out.extend_from_slice(br#","slack":"#);
    float(reading.slack, digits, out);
    out.push(b'}');
}

#[inline]
fn float(value: Option<f64>, digits: &mut Digits, out: &mut Vec<u8>) {
    match value {
        Some(value) => digits.append(value, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Barriers by index, written by name.
struct Names<'a>(&'a [usize], &'a Header);

impl Item for Names<'_> {
    fn append(&self, out: &mut Vec<u8>) {
        if self.0.is_empty() {
            // As it mostly is.
            return out.extend_from_slice(b"[]");
        }
        let names = self.0.iter().map(|&barrier| self.1.barrier(barrier));
        names.collect::<Vec<_>>().as_slice().append(out);
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
