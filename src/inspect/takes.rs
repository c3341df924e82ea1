//! What each kind of event adds to the counts.

use super::Inspector;
use super::contents::{Contents, count_name};
use super::facts::{Fact, Facts};
use super::needs::{self, Need};
use super::runs::{MOST, Mark, Run};
use crate::engine::asked;
use crate::policy::Policy;
use crate::policy::expr::Variable;
use crate::policy::matcher::{NameSet, NameTable};
use crate::state::RunView;
use crate::trace::event::{
    Approval, ApprovalOutcome, GroundTruth, Outcome, RawJson, Recorded, RunEnd, RunStart,
    RunStatus, ToolCall, ToolResult,
};
use crate::trace::money::Nano;
use std::collections::HashMap;
use std::sync::Arc;

impl Inspector<'_> {
    pub(super) fn run_start(&mut self, start: &RunStart<'_>) {
        self.here.runs += 1;
        count_word(&mut self.here.truths, GroundTruth::ALL, start.label);
        let asks = |variable| self.policy.is_some_and(|policy| policy.names(variable));
        let (intent, meta) = (asks(Variable::RunIntent), asks(Variable::RunMeta));
        let run = self.runs.begin(start.run.as_deref());
        run.agent = start.agent.as_deref().map(Box::from);
        // Texts can be long: they are kept only for rules that ask for them.
        run.intent = start.intent.as_deref().map(|text| match intent {
            true => text.into(),
            false => Box::default(),
        });
        run.meta = start.meta.as_ref().map(|object| match meta {
            true => object.clone().into_owned(),
            false => RawJson::default(),
        });
    }

    pub(super) fn run_end(&mut self, end: &RunEnd<'_>) {
        let run = end.run.as_deref();
        let (_, is_new) = self.runs.open(run);
        self.here.runs += u64::from(is_new);
        count_word(&mut self.here.ends, RunStatus::ALL, Some(end.status));
        self.runs.end(run);
    }

    pub(super) fn tool_call(&mut self, call: &ToolCall<'_>) {
        let key = asked::run_key(self.runs.id(call.run.as_deref()));
        let (run, is_new) = self.runs.open(call.run.as_deref());
        self.here.runs += u64::from(is_new);
        let id = match &call.id {
            Some(id) => id.to_string(),
            None => run.default_id(),
        };
        let (hash, content) = (asked::call_key(&id), asked::content(call));
        if let Some(mark) = run.marks.get_mut(hash) {
            // One with other content is a fault, which is told of the records.
            self.here.repeated += u64::from(mark.content == content);
            return;
        }
        let here = &mut self.here;
        run.calls += 1;
        here.calls += 1;
        here.made_ids += u64::from(id == format!("call-{}", run.calls));
        count_name(&mut here.tools, &call.tool);
        if let Some(agent) = call.agent.as_deref().or(run.agent.as_deref()) {
            count_name(&mut here.agents, agent);
        }
        count_turn(here, run, call);
        let facts = facts_of(here, run, call);
        let names = self.policy.map(|policy| {
            let names = labels(policy, &mut self.names, here, run, call);
            let (needs, score) = (&self.needs, call.semantic_score);
            needs::count(needs, &mut here.needs, &names, score, facts);
            names
        });
        here.known.add(facts);
        let mut mark = Mark {
            content,
            facts,
            score: call.semantic_score,
            names,
            ..Mark::default()
        };
        if let Some(outcome) = &call.outcome {
            here.results += 1;
            settle(here, &self.needs, &mut mark, outcome);
        }
        if let Some(early) = self.early.remove(&(key, hash)) {
            here.results_without_call -= 1;
            let more = early.facts.without(mark.facts);
            learn(here, &self.needs, &mut mark, more);
            mark.outcome = early.outcome;
        }
        run.marks.add(hash, mark);
    }

    pub(super) fn tool_result(&mut self, result: &ToolResult<'_>) {
        let here = &mut self.here;
        here.results += 1;
        let id = asked::call_key(&result.call);
        let key = asked::run_key(self.runs.id(result.run.as_deref()));
        let marks = self.runs.marks(result.run.as_deref());
        if let Some(mark) = marks.and_then(|marks| marks.get_mut(id)) {
            return settle(here, &self.needs, mark, &result.outcome);
        }
        here.results_without_call += 1;
        wait(&mut self.early, (key, id), &result.outcome, here);
    }

    pub(super) fn approval(&mut self, approval: &Approval<'_>) {
        let id = asked::call_key(&approval.call);
        let marks = self.runs.marks(approval.run.as_deref());
        let Some(mark) = marks.and_then(|marks| marks.get_mut(id)) else {
            return;
        };
        if !mark.facts.has(Fact::Approval) {
            let decided = Some(approval.decision);
            count_word(&mut self.here.approvals, ApprovalOutcome::ALL, decided);
            let mut facts = Facts::default();
            facts.add(Fact::Approval, true);
            learn(&mut self.here, &self.needs, mark, facts);
        }
    }
}

/// Counts a value of an enum of the trace.
fn count_word<T: Copy + PartialEq>(counts: &mut [u64], all: &[(T, &str)], value: Option<T>) {
    let place = value.and_then(|value| all.iter().position(|(known, _)| *known == value));
    if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
        *count += 1;
    }
}

fn count_turn(here: &mut Contents, run: &mut Run, call: &ToolCall<'_>) {
    let turn = call.turn.unwrap_or_else(|| run.turn.saturating_add(1));
    if turn == run.turn && run.calls > 1 {
        run.in_turn += 1;
        // The first of them turns out to have company, too.
        here.in_company += if run.in_turn == 2 { 2 } else { 1 };
    } else {
        (run.turn, run.in_turn) = (turn, 1);
    }
    here.largest_turn = here.largest_turn.max(run.in_turn);
    here.batched += u64::from(call.batch.is_some());
}

/// What is known of a call when it arrives, but for its outcome.
fn facts_of(here: &mut Contents, run: &mut Run, call: &ToolCall<'_>) -> Facts {
    let direction = |embedding: &Vec<f64>| embedding.iter().any(|&x| x != 0.0);
    let (context, action) = (&call.context_embedding, &call.action_embedding);
    here.context_embeddings += u64::from(context.is_some());
    here.action_embeddings += u64::from(action.is_some());
    run.context = context.as_ref().map_or(run.context, direction);
    run.action = action.as_ref().map_or(run.action, direction);
    count_word(&mut here.approvals, ApprovalOutcome::ALL, call.approval);
    count_word(&mut here.decisions, Recorded::ALL, call.recorded);
    let time = call.ts.as_ref().and_then(asked::instant);
    if let (Some(ts), Some(ns)) = (&call.ts, time) {
        here.times.add(ns, &ts.0, run.last.replace(ns));
    }
    here.times.unreadable += u64::from(call.ts.is_some() && time.is_none());
    let mut facts = Facts::default();
    let resources = !call.resources.is_empty();
    for (fact, known) in [
        (Fact::Args, !call.args_unknown),
        (Fact::Agent, call.agent.is_some() || run.agent.is_some()),
        (Fact::Time, time.is_some()),
        (Fact::Estimate, call.estimated_cost.is_some()),
        (Fact::Resources, resources || !call.args_unknown),
        (Fact::Embeddings, run.context && run.action),
        (Fact::Score, call.semantic_score.is_some()),
        (Fact::Intent, run.intent.is_some()),
        (Fact::Meta, run.meta.is_some()),
        (Fact::Approval, call.approval.is_some()),
        (Fact::Decision, call.recorded.is_some()),
    ] {
        facts.add(fact, known);
    }
    facts
}

/// The names of a call under the policy, whose labels are counted.
fn labels(
    policy: &Policy,
    table: &mut NameTable,
    here: &mut Contents,
    run: &Run,
    call: &ToolCall<'_>,
) -> Arc<NameSet> {
    let view = RunView {
        id: &run.id,
        agent: run.agent.as_deref(),
        intent: run.intent.as_deref(),
        meta: run.meta.as_ref(),
    };
    let (names, failure) = asked::names(policy, table, call, view);
    for label in &names.labels {
        let is_own = call.labels.iter().any(|own| **own == **label);
        if !is_own {
            let key = (label.clone(), Box::from(&*call.tool));
            *here.labels.entry(key).or_default() += 1;
        }
    }
    if let Some(failure) = failure {
        *here.failed_labels.entry(failure.policy_line).or_default() += 1;
    }
    names
}

/// What an outcome tells.
fn told_by(outcome: &Outcome<'_>) -> Facts {
    let result = outcome.result.as_ref();
    let result = result.is_some_and(|result| result.bytes() != b"null");
    let mut facts = Facts::default();
    facts.add(Fact::Outcome, true);
    facts.add(Fact::Result, result);
    facts.add(Fact::Failure, outcome.error == Some(true));
    facts.add(Fact::Observation, result || outcome.tokens.is_some());
    facts.add(Fact::Cost, outcome.cost.is_some());
    facts.add(Fact::Tokens, outcome.tokens.is_some());
    facts
}

/// A call comes out. What it costs counts once, however often it is told.
fn settle(here: &mut Contents, needs: &[Need], mark: &mut Mark, outcome: &Outcome<'_>) {
    let hash = asked::outcome(outcome);
    if !mark.facts.has(Fact::Outcome) || mark.outcome != hash {
        spend(here, outcome);
    }
    mark.outcome = hash;
    learn(here, needs, mark, told_by(outcome));
}

fn spend(here: &mut Contents, outcome: &Outcome<'_>) {
    let cost = outcome.cost.unwrap_or_default();
    here.cost = Nano(here.cost.0.saturating_add(cost.0));
    here.tokens = here.tokens.saturating_add(outcome.tokens.unwrap_or(0));
}

/// Something has become known of a call that was counted before.
fn learn(here: &mut Contents, needs: &[Need], mark: &mut Mark, facts: Facts) {
    let news = facts.without(mark.facts);
    mark.facts = mark.facts.and(news);
    here.known.add(news);
    if let Some(names) = &mark.names {
        needs::count_late(needs, &mut here.needs, names, mark.score, news);
    }
}

/// Keeps what an outcome tells until its call comes, unless too many wait.
fn wait(
    early: &mut HashMap<(u128, u64), Mark>,
    key: (u128, u64),
    outcome: &Outcome<'_>,
    here: &mut Contents,
) {
    if early.contains_key(&key) || early.len() >= MOST {
        return;
    }
    // It costs what it costs, whether or not the call comes.
    spend(here, outcome);
    let mark = Mark {
        outcome: asked::outcome(outcome),
        facts: told_by(outcome),
        ..Mark::default()
    };
    early.insert(key, mark);
}
