//! What gate says of a call.

use crate::policy::STAGE_IDS;
pub use crate::stages::Reading;
use crate::trace::event::{ApprovalOutcome, Recorded};
use std::fmt;
use std::sync::Arc;

/// What a call would have got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecisionKind {
    /// It may run.
    Allow,
    /// It may not run.
    Block,
    /// Somebody has to decide; `approval` and `on_escalate` say whether it ran.
    Escalate,
    /// It ran, and its result is kept from the agent.
    Withhold,
    /// A stage could not be evaluated: it may not run. So it is before anything is known.
    #[default]
    Error,
}

impl DecisionKind {
    /// Every kind, in the order reports list them.
    pub const ALL: &[DecisionKind] = &[
        DecisionKind::Allow,
        DecisionKind::Block,
        DecisionKind::Escalate,
        DecisionKind::Withhold,
        DecisionKind::Error,
    ];

    /// The word machine formats spell it with.
    pub fn as_str(self) -> &'static str {
        match self {
            DecisionKind::Allow => "allow",
            DecisionKind::Block => "block",
            DecisionKind::Escalate => "escalate",
            DecisionKind::Withhold => "withhold",
            DecisionKind::Error => "error",
        }
    }
}

/// Stages of the pipeline, by their places in [`STAGE_IDS`] and so in pipeline order. A stage that is
/// not in that list is in none of these.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Checks(u16);

const _: () = assert!(STAGE_IDS.len() <= u16::BITS as usize);

impl Checks {
    /// The same and the stage of that id.
    #[must_use]
    pub fn with(self, id: &str) -> Checks {
        Checks(self.0 | Checks::one(id))
    }

    /// The same but the stage of that id.
    #[must_use]
    pub fn without(self, id: &str) -> Checks {
        Checks(self.0 & !Checks::one(id))
    }

    /// Their ids, in pipeline order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = STAGE_IDS.iter().enumerate();
        all.filter_map(move |(place, id)| (self.0 >> place & 1 == 1).then_some(*id))
    }

    fn one(id: &str) -> u16 {
        let place = STAGE_IDS.iter().position(|known| *known == id);
        place.map_or(0, |place| 1 << place)
    }
}

impl<'a> FromIterator<&'a str> for Checks {
    fn from_iter<I: IntoIterator<Item = &'a str>>(ids: I) -> Checks {
        ids.into_iter().fold(Checks::default(), Checks::with)
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Longest id of a call whose room is used again, in bytes.
const LONG: usize = 256;

/// The decision about one call, with everything a report shows of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Index of the input.
    pub input: usize,
    /// Line of the call in it, from 1.
    pub line: u64,
    /// Id of the run.
    pub run: Arc<str>,
    /// The call's number in its run, from 1.
    pub seq: u64,
    /// Whether the run had been reported before and goes on after its end, see
    /// [`RunReport::continues`](super::RunReport::continues).
    pub continues: bool,
    /// Id of the call.
    pub call: String,
    /// Turn.
    pub turn: u64,
    /// Tool.
    pub tool: Arc<str>,
    /// Labels of the call, sorted.
    pub labels: Vec<String>,
    /// Who called: the call's agent, else the run's; absent if neither is known.
    pub agent: Option<Arc<str>>,
    /// What it would have got.
    pub kind: DecisionKind,
    /// Whether it may run: allowed, withheld, or escalated and let through.
    pub admitted: bool,
    /// Stage that decided; absent for an allowed call.
    pub stage: Option<&'static str>,
    /// Rule of that stage; absent for an allowed call.
    pub rule: Option<&'static str>,
    /// Indices of the barriers that refused, in policy order.
    pub broken: Vec<usize>,
    /// Why, in plain words; absent for an allowed call. Holds untrusted text.
    pub reason: Option<String>,
    /// Line of the policy that decided, where it is known.
    pub policy_line: Option<usize>,
    /// Id of the contract that decided, where it has one.
    pub policy_rule: Option<String>,
    /// Whether the state alone refused.
    pub standing: bool,
    /// Stages passed.
    pub checks_passed: Checks,
    /// Stage failed, if any.
    pub checks_failed: Option<&'static str>,
    /// Whether somebody had to decide.
    pub escalated: bool,
    /// What they decided; absent where the trace does not say.
    pub approval: Option<ApprovalOutcome>,
    /// Score of the semantic firewall, where it scored the call.
    pub semantic_score: Option<f64>,
    /// How that score came about, where it was worked out here and the firewall did not pass the
    /// call.
    pub semantic: Option<Box<Semantic>>,
    /// Whether replay and record parted earlier in the run.
    pub counterfactual: bool,
    /// Whether a fault left the run's state in doubt.
    pub inconclusive: bool,
    /// What the live system decided, where the trace says.
    pub recorded: Option<Recorded>,
    /// Indices of the barriers that refuse the call jointly with its in-flight siblings.
    pub hazard: Vec<usize>,
    /// Weighted average of the barriers; absent where they were not reached or there are none.
    pub composite: Option<f64>,
    /// One reading a barrier, in policy order; empty where the barriers were not reached.
    pub barriers: Vec<Reading>,
    /// Whether the recording does not tell the arguments.
    pub args_unknown: bool,
    /// Arguments as compact JSON, where they are known and the audit was asked to keep them.
    /// Untrusted.
    pub args: Option<String>,
}

impl Decision {
    /// Lets go of what few decisions have and what may be long, before another is written over it.
    pub fn let_go(&mut self) {
        (self.reason, self.semantic, self.args) = (None, None, None);
        if self.call.capacity() > LONG {
            self.call = String::new();
        }
    }

    /// Whether what the live system decided is known and differs.
    pub fn is_drift(&self) -> bool {
        self.recorded
            .is_some_and(|r| r.as_str() != self.kind.as_str())
    }

    /// Whether it may not run.
    pub fn is_refused(&self) -> bool {
        !self.admitted
    }

    /// Whether it ran and its result is kept from the agent.
    pub fn is_withheld(&self) -> bool {
        self.kind == DecisionKind::Withhold
    }

    /// Whether barriers refused it.
    pub fn is_violation(&self) -> bool {
        !self.broken.is_empty()
    }
}

/// What the semantic firewall saw in a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Semantic {
    /// The embedder, by its name in a policy.
    pub embedder: &'static str,
    /// Greatest cosine to a description of harm, within [-1, 1].
    pub harm: f64,
    /// Cosine to what the user asked for, within [-1, 1]; 0 where that is not known.
    pub intent: f64,
    /// Greatest cosine to a description of ordinary work, within [-1, 1]; 0 where there are none.
    pub benign: f64,
    /// The description of harm that lies nearest.
    pub nearest: Arc<str>,
    /// Words that gate added for what it knows the call to do.
    pub gloss: Vec<String>,
    /// Words left out because the user's own request has them.
    pub blanked: usize,
    /// Length of the text that was embedded, in characters.
    pub chars: usize,
    /// That text, where the audit was asked to keep arguments. Untrusted.
    pub text: Option<String>,
}

impl Semantic {
    /// The same, its text only where arguments are kept.
    pub(super) fn shown(mut self: Box<Self>, keep_args: bool) -> Box<Self> {
        self.text = self.text.take().filter(|_| keep_args);
        self
    }
}
