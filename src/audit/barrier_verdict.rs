//! What `verify-barriers` says beside the transitions: inputs, policy, notices, exit status.

use super::barriers::Checked;
use super::summary::{ExitSummary, PolicySummary};
use super::verdict::unread;
use crate::policy::Policy;
use crate::trace::fault::Notice;
use crate::verify::states::gaps::Chain;

/// One input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarrierInput {
    /// As it was named. Untrusted.
    pub name: String,
    /// `states`, or the format of the trace; absent where it is neither.
    pub format: Option<&'static str>,
    /// SHA-256 of its bytes, in hexadecimal; empty where it could not be read.
    pub sha256: String,
    /// Transitions it gave.
    pub transitions: u64,
    /// How its states hang together, where it is a states file.
    pub chain: Chain,
    /// Why it could not be read at all.
    pub error: Option<String>,
}

/// Everything a report on barriers shows beside the transitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarrierVerdict {
    /// The inputs, in order.
    pub inputs: Vec<BarrierInput>,
    /// The policy.
    pub policy: PolicySummary,
    /// What has to be known to take the report for what it is, in plain words.
    pub notes: Vec<String>,
    /// Faults and warnings, in order.
    pub notices: Vec<Notice>,
    /// States seen: none is nothing to audit, one without a transition shows nothing.
    pub states: u64,
    /// The exit status and why.
    pub exit: ExitSummary,
}

impl BarrierVerdict {
    /// Begins with a policy.
    pub fn of_policy(policy: &Policy) -> BarrierVerdict {
        BarrierVerdict {
            policy: PolicySummary::of(policy),
            notes: sampled(policy).into_iter().collect(),
            ..BarrierVerdict::default()
        }
    }

    /// An input could not be read.
    pub fn cannot_read(&mut self, name: &str, why: &str) {
        self.inputs.push(BarrierInput {
            name: name.into(),
            error: Some(why.into()),
            ..BarrierInput::default()
        });
    }

    /// An input was named before.
    pub fn repeated(&mut self, index: usize, name: &str) {
        self.notices.push(Notice::repeated_input(index));
        self.inputs.push(BarrierInput {
            name: name.into(),
            ..BarrierInput::default()
        });
    }

    /// An input was checked.
    pub fn add(&mut self, name: &str, checked: Checked) {
        self.states += checked.states;
        self.notices.extend(checked.notices);
        self.inputs.push(BarrierInput {
            name: name.into(),
            format: checked.format,
            sha256: checked.sha256,
            transitions: checked.transitions,
            chain: checked.chain,
            error: None,
        });
    }

    /// The inputs that could not be read, in words: the first, and how many more.
    pub fn unreadable(&self) -> Option<String> {
        let failed = |input: &BarrierInput| {
            let why = input.error.as_ref()?;
            Some(format!("`{}` cannot be read: {why}", input.name))
        };
        unread(self.inputs.iter().filter_map(failed))
    }

    /// How many faults there are.
    pub fn faults(&self) -> u64 {
        self.notices
            .iter()
            .filter(|notice| notice.kind.is_fault())
            .count() as u64
    }

    /// How the states of all states files hang together.
    pub fn chain(&self) -> Chain {
        let add = |sum: Chain, input: &BarrierInput| Chain {
            links: sum.links + input.chain.links,
            gaps: sum.gaps + input.chain.gaps,
        };
        self.inputs.iter().fold(Chain::default(), add)
    }

    /// How many barriers have an unsound class-K function.
    pub fn unsound(&self) -> u64 {
        self.policy.unsound()
    }

    /// The name of an input. Untrusted.
    pub fn name(&self, input: usize) -> &str {
        self.inputs.get(input).map_or("", |input| &input.name)
    }
}

/// What checks of a learned barrier do not show; absent where the policy has none.
fn sampled(policy: &Policy) -> Option<String> {
    let names: Vec<String> = policy
        .neural()
        .map(|(spec, _)| format!("`{}`", spec.name))
        .collect();
    let subject = match names.as_slice() {
        [] => return None,
        [name] => format!("barrier {name} is a neural network"),
        _ => format!("barriers {} are neural networks", names.join(", ")),
    };
    Some(format!(
        "{subject}: these are checks of sampled transitions, and sampled checks are no proof; between the \
         samples it may be anything"
    ))
}
