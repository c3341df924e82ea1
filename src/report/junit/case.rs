//! The runs of an audit as tests: what was found in them, kept until the exit status is known.
//!
//! What a run is found to be depends on `--fail-on` and on the violation rate of all runs together, so
//! that findings are counted by what they are. Of each kind of call the first few are put into words, for
//! all runs together no more than there is [`ROOM`] for; after that each run has one.

use crate::audit::summary::Settings;
use crate::engine::RunReport;
use crate::engine::decision::{Decision, DecisionKind};
use crate::exit::Finding;
use crate::report::Header;
use crate::report::runs::{Run, Runs};
use crate::report::table::text;

/// Most calls of one kind that a run tells.
const TOLD: usize = 10;

/// Bytes of words about calls that are kept for all runs together, beside one call a run.
const ROOM: usize = 64 << 20;

/// What a call was found to be: a bit for each [`Finding`], by its place in [`Finding::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    fn of(decision: &Decision) -> Marks {
        let mut marks = Marks::default();
        match decision.kind {
            DecisionKind::Allow => {}
            DecisionKind::Block => marks.set(Finding::Block),
            DecisionKind::Escalate => marks.set(Finding::Escalate),
            DecisionKind::Withhold => marks.set(Finding::Withhold),
            DecisionKind::Error => marks.set(Finding::Error),
        }
        if decision.is_violation() {
            marks.set(Finding::Violation);
        }
        if !decision.hazard.is_empty() {
            marks.set(Finding::Hazard);
        }
        if decision.is_drift() {
            marks.set(Finding::Drift);
        }
        marks
    }

    fn set(&mut self, finding: Finding) {
        self.0 |= 1 << finding as u8;
    }

    /// Whether the call was found to be that.
    pub fn has(self, finding: Finding) -> bool {
        self.0 & 1 << finding as u8 != 0
    }

    /// Whether the call was anything but allowed.
    pub fn is_stopped(self) -> bool {
        use Finding::{Block, Error, Escalate, Withhold};
        [Block, Escalate, Withhold, Error]
            .into_iter()
            .any(|finding| self.has(finding))
    }
}

/// What the exit status goes by.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'s> {
    /// Findings that count, and more.
    pub settings: &'s Settings,
    /// Whether `--max-violation-rate` lets the violations pass.
    pub excused: bool,
}

impl Rule<'_> {
    /// Whether a call with these marks counts as that finding.
    pub fn counts_as(self, marks: Marks, finding: Finding) -> bool {
        let named = |finding| self.settings.fail_on.contains(&finding);
        let let_pass = self.excused && marks.has(Finding::Violation);
        let passes = match finding {
            Finding::Violation => let_pass,
            // A call that a barrier refused is blocked too; the rate that excuses it excuses it whole.
            Finding::Block => let_pass && named(Finding::Violation),
            _ => false,
        };
        named(finding) && marks.has(finding) && !passes
    }

    /// Whether it counts as anything.
    pub fn counts(self, marks: Marks) -> bool {
        let mut all = Finding::ALL.iter();
        all.any(|(finding, _)| self.counts_as(marks, *finding))
    }
}

/// A call in words.
#[derive(Clone, Debug)]
pub struct Told {
    pub marks: Marks,
    /// Whether the filters let it into the list; one that they do not may still head the others.
    pub listed: bool,
    /// Index of its input, which is not that of the run where that went on in another one.
    pub input: usize,
    pub line: u64,
    /// Stage and rule, else what was found.
    pub kind: String,
    /// Why.
    pub message: String,
    /// Everything about it, without its place.
    pub text: String,
}

/// What was found in a run.
#[derive(Clone, Debug, Default)]
struct Findings {
    /// Calls by what they were found to be.
    counts: Vec<(Marks, u64)>,
    /// Some of them, in the order in which they were decided.
    told: Vec<Told>,
}

/// A run.
pub type Case = Run<Found>;

/// What is kept of a run.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Line of its first call; 0 if it has none.
    pub line: u64,
    pub calls: u64,
    /// Whether a fault leaves its state in doubt.
    pub doubtful: bool,
    /// Absent where every call was allowed and nothing else was found.
    findings: Option<Box<Findings>>,
}

impl Found {
    /// How many of its calls count as that finding.
    pub fn counted(&self, is: impl Fn(Marks) -> bool) -> u64 {
        let counts = self.findings.iter().flat_map(|found| &found.counts);
        counts
            .filter(|(marks, _)| is(*marks))
            .map(|(_, count)| count)
            .sum()
    }

    /// Whether there is anything to say of its calls.
    pub fn is_plain(&self) -> bool {
        self.findings.is_none()
    }

    /// Those of its calls that are told.
    pub fn told(&self) -> &[Told] {
        self.findings.as_ref().map_or(&[], |found| &found.told)
    }
}

/// Every run.
#[derive(Debug)]
pub struct Cases {
    runs: Runs<Found>,
    room: usize,
}

impl Cases {
    /// None yet.
    pub fn new(merged: bool) -> Cases {
        Cases {
            runs: Runs::new(merged),
            room: ROOM,
        }
    }

    /// All of them, in order of appearance.
    pub fn list(&self) -> &[Case] {
        &self.runs.list
    }

    /// Inputs up to the last that has a run.
    pub fn inputs(&self) -> usize {
        let inputs = self.list().iter().map(|case| case.input + 1);
        inputs.max().unwrap_or(0)
    }

    /// A call, listed or not.
    pub fn decision(&mut self, decision: &Decision, listed: bool, header: &Header) {
        let at = self.runs.decision(decision);
        let Some(case) = self.runs.list.get_mut(at) else {
            return;
        };
        let found = &mut case.kept;
        found.calls += 1;
        if found.line == 0 {
            found.line = decision.line;
        }
        let marks = Marks::of(decision);
        if marks != Marks::default() {
            let findings = found.findings.get_or_insert_default();
            findings.add(decision, marks, listed, &mut self.room, header);
        }
    }

    /// The end of a run.
    pub fn run(&mut self, run: &RunReport) {
        let at = self.runs.end(run);
        if let Some(case) = self.runs.list.get_mut(at) {
            case.kept.doubtful |= run.inconclusive;
        }
    }

    /// A fault of a run, which may have ended.
    pub fn doubt(&mut self, input: usize, run: &str) {
        let place = self.runs.find(input, run);
        if let Some(case) = place.and_then(|at| self.runs.list.get_mut(at)) {
            case.kept.doubtful = true;
        }
    }
}

impl Findings {
    fn add(
        &mut self,
        decision: &Decision,
        marks: Marks,
        listed: bool,
        room: &mut usize,
        header: &Header,
    ) {
        match self.counts.iter_mut().find(|(known, _)| *known == marks) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((marks, 1)),
        }
        let alike = |told: &&Told| told.marks == marks;
        let told = self.told.iter().filter(alike).count();
        let listed_before = self.told.iter().filter(alike).any(|told| told.listed);
        let wanted = told == 0 || listed && (told < TOLD && *room > 0 || !listed_before);
        if wanted {
            let told = Told::new(decision, marks, listed, header);
            *room = room.saturating_sub(told.text.len() + told.message.len());
            self.told.push(told);
        }
    }
}

impl Told {
    fn new(decision: &Decision, marks: Marks, listed: bool, header: &Header) -> Told {
        let barriers = |list: &[usize]| {
            let names = list
                .iter()
                .map(|&barrier| text::name(header.barrier(barrier)));
            names.collect::<Vec<_>>().join(", ")
        };
        let kind = match decision.rule {
            Some(rule) => format!("{}/{rule}", decision.stage.unwrap_or("labels")),
            None if marks.has(Finding::Hazard) => Finding::Hazard.as_str().to_owned(),
            None => Finding::Drift.as_str().to_owned(),
        };
        let recorded = decision.recorded.filter(|_| decision.is_drift());
        let drift = recorded.map(|recorded| format!("drift: recorded {}", recorded.as_str()));
        let hazard = (!decision.hazard.is_empty())
            .then(|| format!("batch hazard: {}", barriers(&decision.hazard)));
        let reason = decision.reason.as_deref().map(text::prose);
        let message = reason.or_else(|| hazard.clone()).or_else(|| drift.clone());
        let message = message.unwrap_or_else(|| decision.kind.as_str().to_owned());
        let asides = [
            decision.standing.then(|| "standing".to_owned()),
            decision
                .policy_line
                .map(|line| format!("policy line {line}")),
            (decision.policy_rule.as_ref()).map(|rule| format!("rule {}", text::name(rule))),
            decision.approval.map(|outcome| outcome.as_str().to_owned()),
            hazard.filter(|hazard| *hazard != message),
            drift.filter(|drift| *drift != message),
            decision.counterfactual.then(|| "counterfactual".to_owned()),
            decision.inconclusive.then(|| "inconclusive".to_owned()),
        ];
        let mut text = format!(
            "{} {kind}: {}, call {}, turn {}: {message}",
            decision.kind.as_str(),
            text::name(&decision.tool),
            text::name(&decision.call),
            decision.turn,
        );
        for aside in asides.iter().flatten() {
            text.push_str("; ");
            text.push_str(aside);
        }
        Told {
            marks,
            listed,
            input: decision.input,
            line: decision.line,
            kind,
            message,
            text,
        }
    }
}
