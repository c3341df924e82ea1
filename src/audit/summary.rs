//! The summary of an audit: what every report shows beside the decisions.

use super::coverage::Coverage;
use crate::engine::Options;
use crate::engine::decision::DecisionKind;
use crate::exit::{Exit, Finding};
use crate::import::drive::InputReport;
use crate::policy::{Policy, PolicyWarning};
use crate::trace::fault::Notice;
use crate::verify::robustness::Approach;
use crate::verify::soundness::unsound_alpha;
use crate::verify::stats::Interval;
use std::collections::BTreeMap;

/// Everything an audit came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<InputSummary>,
    /// The policy.
    pub policy: PolicySummary,
    /// How the audit was run.
    pub settings: Settings,
    /// Counts over all inputs.
    pub counts: Counts,
    /// Decisions by kind.
    pub decisions: KindCounts,
    /// Decisions that a stage made, by stage in pipeline order, then by rule.
    pub rules: Vec<RuleCount>,
    /// Decisions by tool.
    pub tools: BTreeMap<String, KindCounts>,
    /// Calls by label: the labels of the policy's rules, given or not, and those that records bring.
    pub labels: BTreeMap<String, LabelCount>,
    /// Refusals by barriers.
    pub violations: Violations,
    /// The barriers, in policy order.
    pub barriers: Vec<BarrierSummary>,
    /// The nearest that a run came to what they refuse; absent where no call reached them.
    pub nearest: Option<Nearest>,
    /// Admitted calls with a batch hazard.
    pub hazards: u64,
    /// Calls that came while others of their run were in flight: none means that the recording shows
    /// nothing of hazards.
    pub concurrent: u64,
    /// Calls whose recorded decision differs.
    pub drift: u64,
    /// Calls with a recorded decision.
    pub recorded: u64,
    /// Calls after the point where replay and record parted.
    pub counterfactual: u64,
    /// Calls that the semantic stage scored, whether by itself or as recorded.
    pub scored: u64,
    /// Those that it scored by itself without knowing what the user of the run wanted.
    pub scored_without_intent: u64,
    /// Calls that the semantic stage could not score, because no score was recorded or the arguments
    /// are not told.
    pub unscored: u64,
    /// Calls that met the scope barrier without usable embeddings.
    pub scope_inert: u64,
    /// Calls whose arguments the recording does not tell.
    pub unknown_arguments: u64,
    /// Admitted calls that bring a barrier to exactly zero: the next step down is out.
    pub boundary: u64,
    /// Results that do not say what their call cost; it counts as nothing.
    pub uncosted: u64,
    /// Tools that no rule of the policy names, with their calls.
    pub unnamed_tools: BTreeMap<String, u64>,
    /// Tools outside the mediation boundary, with their calls.
    pub unmediated: BTreeMap<String, u64>,
    /// Refused calls by run, for the runs that have any, in order of appearance.
    pub refusals: Vec<RunRefusals>,
    /// What the calls say of the policy, where that was asked for.
    pub coverage: Option<Coverage>,
    /// Faults by code.
    pub fault_codes: BTreeMap<&'static str, u64>,
    /// Warnings by code.
    pub warning_codes: BTreeMap<&'static str, u64>,
    /// The first faults and warnings, at most [`Summary::LISTED`] of each; all of them stand among
    /// the records of a machine report.
    pub notices: Vec<Notice>,
    /// Whether every input was read to its end.
    pub complete: bool,
    /// Laws of bookkeeping that do not hold; always empty unless gate itself is wrong.
    pub broken_laws: Vec<String>,
    /// The exit status and why.
    pub exit: ExitSummary,
}

/// The nearest that any run came to a refusal.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The barrier, and how near.
    pub approach: Approach,
    /// The value in its unit, and where it was met.
    pub at: Extreme,
}

impl Summary {
    /// Most faults, and most warnings, that the summary repeats.
    pub const LISTED: usize = 50;
}

/// One input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputSummary {
    /// As it was named; `stdin` for standard input. Untrusted.
    pub name: String,
    /// Format it was read as; absent where it could not be read.
    pub format: Option<&'static str>,
    /// Why it was taken for that format.
    pub format_reason: String,
    /// SHA-256 of its bytes as they stand in the file, in hexadecimal.
    pub sha256: String,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes after decompression.
    pub decompressed_bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Lines that held a record.
    pub records: u64,
    /// Blank lines.
    pub blank: u64,
    /// Faulty lines.
    pub faulty: u64,
    /// Fields of its records that the format does not know, which are ignored.
    pub unknown_fields: u64,
    /// Whether it was read to its end.
    pub complete: bool,
    /// Why it could not be read at all.
    pub error: Option<String>,
}

impl InputSummary {
    /// What reports say of an input of that name that was read.
    pub fn of(name: &str, report: InputReport) -> InputSummary {
        InputSummary {
            name: name.into(),
            format: report.format,
            format_reason: report.reason,
            sha256: report.sha256,
            bytes: report.raw_bytes,
            decompressed_bytes: report.bytes,
            lines: report.lines,
            records: report.records,
            blank: report.blank,
            faulty: report.faulty,
            unknown_fields: report.unknown_fields,
            complete: report.complete,
            error: None,
        }
    }

    /// Why it could not be read at all, in words.
    pub fn unreadable(&self) -> Option<String> {
        let why = self.error.as_ref()?;
        Some(format!("`{}` cannot be read: {why}", self.name))
    }
}

/// The policy of the audit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicySummary {
    /// `built-in`, or the file.
    pub source: String,
    /// SHA-256 of the effective policy, in hexadecimal.
    pub sha256: String,
    /// Doubts about it, unsound class-K functions among them.
    pub warnings: Vec<PolicyWarning>,
    /// What works semantic scores out; absent where nothing does.
    pub semantic: Option<SemanticSummary>,
}

/// What works semantic scores out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemanticSummary {
    /// The embedder, by its name in a policy.
    pub embedder: &'static str,
    /// SHA-256 of the data it goes by, in hexadecimal; absent where it goes by none.
    pub sha256: Option<String>,
    /// How many descriptions of harm there are.
    pub harm_exemplars: usize,
    /// How many descriptions of ordinary work there are.
    pub benign_exemplars: usize,
}

impl SemanticSummary {
    /// What reports say of the semantic firewall of a policy.
    fn of(policy: &Policy) -> Option<SemanticSummary> {
        let computed = policy.semantic.as_ref()?.computed()?;
        Some(SemanticSummary {
            embedder: computed.embedder.id(),
            sha256: computed.embedder.sha256().map(str::to_owned),
            harm_exemplars: computed.harm.count,
            benign_exemplars: computed.benign.count,
        })
    }
}

impl PolicySummary {
    /// What reports say of a policy.
    pub fn of(policy: &Policy) -> PolicySummary {
        PolicySummary {
            source: policy.source.to_string(),
            sha256: policy.sha256.clone(),
            warnings: policy
                .warnings
                .iter()
                .cloned()
                .chain(unsound_alpha(policy))
                .collect(),
            semantic: SemanticSummary::of(policy),
        }
    }

    /// How many barriers have an unsound class-K function.
    pub fn unsound(&self) -> u64 {
        self.warnings
            .iter()
            .filter(|w| w.code == "unsound_alpha")
            .count() as u64
    }
}

/// How calls were replayed, in the words of the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How recorded outcomes of refused calls were taken: `enforce` or `observe`.
    pub mode: &'static str,
    /// When admitted calls settled: `recorded` or `sequential`.
    pub dispatch: &'static str,
    /// What became of escalated calls that nobody decided about: `block` or `allow`.
    pub on_escalate: &'static str,
}

impl Replayed {
    /// A replay by these options.
    pub fn by(options: &Options) -> Replayed {
        Replayed {
            mode: options.mode.as_str(),
            dispatch: options.dispatch.as_str(),
            on_escalate: options.on_escalate(),
        }
    }
}

/// How the audit was run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// How calls were replayed.
    pub replayed: Replayed,
    /// Findings that make the status 1.
    pub fail_on: Vec<Finding>,
    /// Greatest violation rate that passes; absent means none does.
    pub max_violation_rate: Option<f64>,
    /// Whether input faults leave the status alone.
    pub allow_faults: bool,
    /// Whether runs go on from one input into the next.
    pub merge_runs: bool,
}

/// Counts over all inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines.
    pub lines: u64,
    /// Lines that held a record.
    pub records: u64,
    /// Blank lines.
    pub blank: u64,
    /// Faulty lines.
    pub faulty: u64,
    /// Faults.
    pub faults: u64,
    /// Warnings.
    pub warnings: u64,
    /// Runs.
    pub runs: u64,
    /// Runs that a fault left in doubt.
    pub inconclusive_runs: u64,
    /// Calls decided.
    pub calls: u64,
    /// Results read.
    pub results: u64,
    /// Calls repeated with the same content, evaluated once.
    pub repeats: u64,
    /// Decisions that the filters let into the list.
    pub listed: u64,
}

/// Decisions by kind, in the order of [`DecisionKind::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCounts(pub [u64; 5]);

impl KindCounts {
    /// Adds a decision.
    pub fn add(&mut self, kind: DecisionKind) {
        self.0[kind as usize] += 1;
    }

    /// Decisions of that kind.
    pub fn of(&self, kind: DecisionKind) -> u64 {
        self.0[kind as usize]
    }

    /// Decisions of all kinds.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// Calls with a label. A call with several counts for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelCount {
    /// Calls in all.
    pub calls: u64,
    /// Calls by tool.
    pub tools: BTreeMap<String, u64>,
}

impl LabelCount {
    /// Adds a call of that tool.
    pub fn add(&mut self, tool: &str) {
        self.calls += 1;
        match self.tools.get_mut(tool) {
            Some(count) => *count += 1,
            None => {
                self.tools.insert(tool.to_owned(), 1);
            }
        }
    }
}

/// How often a rule decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCount {
    /// Its stage.
    pub stage: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// Decisions it made.
    pub count: u64,
}

/// A rate with its 95% interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSummary {
    /// How many had it.
    pub hits: u64,
    /// Out of how many.
    pub of: u64,
    /// hits / of; absent without data.
    pub rate: Option<f64>,
    /// Wilson interval, on the effective number where calls of a run hang together.
    pub interval: Option<Interval>,
    /// Design effect the interval allows for; absent where the unit is the run.
    pub design_effect: Option<f64>,
    /// Whether there are too few runs (under 30) to lean on it.
    pub approximate: bool,
}

/// Refusals by barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Violations {
    /// Calls that would have left the safe set, or left it by their own embeddings.
    pub root: u64,
    /// Calls refused because the run was outside already.
    pub standing: u64,
    /// Runs with a root violation, out of all runs.
    pub runs: RateSummary,
    /// Root violations, out of the calls that reached the barriers.
    pub root_rate: RateSummary,
    /// Standing ones, out of the same.
    pub standing_rate: RateSummary,
    /// Both, out of the same: what `--max-violation-rate` is held against.
    pub rate: RateSummary,
}

impl Violations {
    /// The rates, each with its field in a report and in words: runs first, since the calls of a run
    /// hang together.
    pub fn rates(&self) -> [(&'static str, &'static str, &RateSummary); 4] {
        [
            ("runs", "runs with a root violation", &self.runs),
            ("root_rate", "calls refused at the root", &self.root_rate),
            (
                "standing_rate",
                "calls refused standing",
                &self.standing_rate,
            ),
            ("rate", "calls refused, both", &self.rate),
        ]
    }
}

/// A barrier over the whole audit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarrierSummary {
    /// Its name.
    pub name: String,
    /// Least value met; absent where no call reached the barriers.
    pub least_h: Option<Extreme>,
    /// Least slack; absent where no transition was simulated.
    pub least_slack: Option<Extreme>,
    /// Root violations it took part in.
    pub root: u64,
    /// Standing ones.
    pub standing: u64,
    /// Hazards it took part in.
    pub hazards: u64,
}

/// An extreme value and the call that had it; the first where several tie.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// Index of the input.
    pub input: usize,
    /// Line, from 1.
    pub line: u64,
    /// Run. Untrusted.
    pub run: String,
    /// Call. Untrusted.
    pub call: String,
}

/// Refused calls of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRefusals {
    /// Index of the input.
    pub input: usize,
    /// Run. Untrusted.
    pub run: String,
    /// Calls refused.
    pub refused: u64,
    /// Calls in all.
    pub calls: u64,
}

/// The exit status and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitSummary {
    /// The status.
    pub status: Exit,
    /// Plain words.
    pub reason: String,
}

impl Default for ExitSummary {
    fn default() -> Self {
        ExitSummary {
            status: Exit::Clean,
            reason: String::new(),
        }
    }
}
