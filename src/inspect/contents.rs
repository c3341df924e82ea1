//! What is in a recording, counted.

use super::facts::{Fact, FactCounts};
use super::needs::Met;
use super::times::Times;
use crate::trace::event::{ApprovalOutcome, GroundTruth, Recorded, RunStatus};
use crate::trace::fault::NoticeKind;
use crate::trace::money::Nano;
use std::collections::BTreeMap;

/// What the records of one input, or of several, come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// Runs: each beginning counts, and each end of a run that had not begun.
    pub runs: u64,
    /// Runs by ground truth, in the order of [`GroundTruth::ALL`].
    pub truths: [u64; GroundTruth::ALL.len()],
    /// Ends of runs by how they ended, in the order of [`RunStatus::ALL`].
    pub ends: [u64; RunStatus::ALL.len()],
    /// Calls: those that a replay decides about.
    pub calls: u64,
    /// Calls recorded again under their id, with the same content.
    pub repeated: u64,
    /// Calls by tool. Untrusted.
    pub tools: BTreeMap<Box<str>, u64>,
    /// Calls by agent, the call's own or its run's. Untrusted.
    pub agents: BTreeMap<Box<str>, u64>,
    /// Calls by what is known of them.
    pub known: FactCounts,
    /// Results: inline outcomes, and records of their own.
    pub results: u64,
    /// Results whose call is not known.
    pub results_without_call: u64,
    /// What calls cost together; a result that repeats itself costs once.
    pub cost: Nano,
    /// Recorded tokens together.
    pub tokens: u64,
    /// Calls by what somebody decided about them, in the order of [`ApprovalOutcome::ALL`].
    pub approvals: [u64; ApprovalOutcome::ALL.len()],
    /// Calls by what the live system decided about them, in the order of [`Recorded::ALL`].
    pub decisions: [u64; Recorded::ALL.len()],
    /// When calls were made.
    pub times: Times,
    /// Calls of the largest turn: calls of a run that follow each other in one turn.
    pub largest_turn: u64,
    /// Calls in turns of several.
    pub in_company: u64,
    /// Calls that name a batch.
    pub batched: u64,
    /// Calls whose id is made up: `call-` and their number in the run.
    pub made_ids: u64,
    /// Calls that bring the embedding of what the agent was asked to do.
    pub context_embeddings: u64,
    /// Calls that bring the embedding of what the agent does.
    pub action_embeddings: u64,
    /// Calls by label and tool, of labels that the policy's rules give. Both untrusted but for the
    /// label.
    pub labels: BTreeMap<(Box<str>, Box<str>), u64>,
    /// Calls for which a label rule could not be evaluated, by the rule's line in the policy. Such a
    /// rule gives its label, and the first of a call's counts.
    pub failed_labels: BTreeMap<usize, u64>,
    /// How far the policy's needs are met, in the order of the needs.
    pub needs: Vec<Met>,
    /// Faults by code.
    pub faults: BTreeMap<&'static str, u64>,
    /// Warnings by code.
    pub warnings: BTreeMap<&'static str, u64>,
}

impl Contents {
    /// Nothing yet, with that many needs of a policy.
    pub fn new(needs: usize) -> Contents {
        Contents {
            needs: vec![Met::default(); needs],
            ..Contents::default()
        }
    }

    /// Counts a fault or a warning.
    pub fn notice(&mut self, kind: NoticeKind) {
        let codes = if kind.is_fault() {
            &mut self.faults
        } else {
            &mut self.warnings
        };
        *codes.entry(kind.code()).or_default() += 1;
    }

    /// How many faults there are.
    pub fn fault_count(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Calls whose arguments the recording does not tell.
    pub fn args_unknown(&self) -> u64 {
        self.calls - self.known.of(Fact::Args)
    }

    /// Adds what is in another input.
    pub fn merge(&mut self, other: &Contents) {
        for (sum, more) in [
            (&mut self.runs, other.runs),
            (&mut self.calls, other.calls),
            (&mut self.repeated, other.repeated),
            (&mut self.results, other.results),
            (&mut self.results_without_call, other.results_without_call),
            (&mut self.in_company, other.in_company),
            (&mut self.batched, other.batched),
            (&mut self.made_ids, other.made_ids),
            (&mut self.context_embeddings, other.context_embeddings),
            (&mut self.action_embeddings, other.action_embeddings),
        ] {
            *sum += more;
        }
        add_each(&mut self.truths, &other.truths);
        add_each(&mut self.ends, &other.ends);
        add_each(&mut self.approvals, &other.approvals);
        add_each(&mut self.decisions, &other.decisions);
        add_all(&mut self.tools, &other.tools);
        add_all(&mut self.agents, &other.agents);
        add_all(&mut self.labels, &other.labels);
        add_all(&mut self.failed_labels, &other.failed_labels);
        add_all(&mut self.faults, &other.faults);
        add_all(&mut self.warnings, &other.warnings);
        self.known.merge(&other.known);
        self.cost = Nano(self.cost.0.saturating_add(other.cost.0));
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.times.merge(&other.times);
        self.largest_turn = self.largest_turn.max(other.largest_turn);
        for (sum, more) in self.needs.iter_mut().zip(&other.needs) {
            sum.of += more.of;
            sum.calls += more.calls;
        }
    }
}

fn add_each(sums: &mut [u64], more: &[u64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

fn add_all<K: Ord + Clone>(sums: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (key, count) in more {
        *sums.entry(key.clone()).or_default() += count;
    }
}

/// Counts one more under a name, which is kept only if it is new.
pub fn count_name(counts: &mut BTreeMap<Box<str>, u64>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => {
            counts.insert(name.into(), 1);
        }
    }
}
