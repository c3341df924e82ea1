//! From a transition of a states file to the states that barriers are evaluated on.

use super::states::state::{PastCall, StateSpec};
use super::states::{ActionSpec, TransitionSpec};
use crate::policy::Policy;
use crate::policy::matcher::{NameSet, NameTable};
use crate::state::{AgentState, Phase};
use crate::trace::event::ToolCall;
use crate::trace::fault::{FaultCode, Notice, NoticeKind};
use crate::trace::money::Nano;
use std::sync::Arc;

/// The states of one transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The names the call goes by.
    pub names: Arc<NameSet>,
    /// The state before, with the embeddings that the call brings along.
    pub current: AgentState,
    /// The state before without what the call brings along, where it brings anything.
    pub bare: Option<AgentState>,
    /// The state that the call is taken to lead to.
    pub next: AgentState,
    /// The state after as it was observed, where the file gives it.
    pub observed: Option<AgentState>,
}

/// Builds the states of transitions under one policy.
///
/// The labels that a record brings along always count. `label` adds those that the policy gives to a
/// call, one of the history included.
pub struct Builder<'p, L> {
    policy: &'p Policy,
    names: NameTable,
    label: L,
    last: Option<(u64, AgentState)>,
}

impl<'p, L: FnMut(&ToolCall<'_>, &mut Vec<String>)> Builder<'p, L> {
    /// Begins.
    pub fn new(policy: &'p Policy, label: L) -> Self {
        Builder {
            policy,
            names: NameTable::default(),
            label,
            last: None,
        }
    }

    /// The states of a transition of the one file this builder is for.
    ///
    /// # Errors
    /// Context and action embedding, the call's own included, differ in length.
    pub fn build(&mut self, spec: &TransitionSpec<'_, '_>) -> Result<Transition, Box<Notice>> {
        let mut current = self.before(spec);
        let call = &spec.action.call;
        let brings = call.context_embedding.is_some() || call.action_embedding.is_some();
        let bare = brings.then(|| current.clone());
        carry(&mut current, spec.action)?;
        let names = self.names_of(&spec.action.call);
        Ok(Transition {
            next: self.simulate(&current, &names, spec.action.call.estimated_cost),
            observed: spec.next.map(|next| self.state(next)),
            names,
            bare,
            current,
        })
    }

    /// The state before. Transitions that share it come in a row, so it is kept for the next.
    fn before(&mut self, spec: &TransitionSpec<'_, '_>) -> AgentState {
        if let Some((index, state)) = &self.last
            && *index == spec.state_index
        {
            return state.clone();
        }
        let state = self.state(spec.state);
        self.last = Some((spec.state_index, state.clone()));
        state
    }

    /// A state as the file gives it. Its cost counts whether or not the policy adds up recorded ones:
    /// it is not added up here.
    pub fn state(&mut self, spec: &StateSpec<'_>) -> AgentState {
        let mut state = AgentState {
            phase: spec.phase,
            step_count: spec.steps(),
            loop_count: spec.loop_count,
            cost: spec.cost,
            context: spec.context.clone(),
            action: spec.action.clone(),
            ..AgentState::default()
        };
        state.ledger.tokens = spec.tokens;
        for past in &spec.history {
            let (names, error) = match past {
                PastCall::Name(name) => {
                    let call = ToolCall {
                        tool: name.as_ref().into(),
                        ..ToolCall::default()
                    };
                    (self.names_of(&call), false)
                }
                PastCall::Call(call) => {
                    let error = call.outcome.as_ref().and_then(|outcome| outcome.error);
                    (self.names_of(call), error.unwrap_or(false))
                }
            };
            state.history.push(self.policy, &names, error);
        }
        state
    }

    fn names_of(&mut self, call: &ToolCall<'_>) -> Arc<NameSet> {
        let mut given = Vec::new();
        (self.label)(call, &mut given);
        let labels: Vec<&str> = call
            .labels
            .iter()
            .map(AsRef::as_ref)
            .chain(given.iter().map(String::as_str))
            .collect();
        self.names
            .intern(&self.policy.matchers, &call.tool, &labels)
    }

    /// The next state: the call settled without an error, charged its estimate, counted as a step.
    /// Sums that do not fit stay at the greatest number, where every budget is spent.
    fn simulate(
        &self,
        current: &AgentState,
        names: &Arc<NameSet>,
        estimate: Option<Nano>,
    ) -> AgentState {
        let estimate = estimate.unwrap_or(self.policy.dcbf.per_call_cost);
        let mut next = current.clone();
        next.history.push(self.policy, names, false);
        next.cost = next.cost.checked_add(estimate).unwrap_or(Nano(i128::MAX));
        next.step_count = next.step_count.saturating_add(1);
        next.phase = Phase::Acting;
        next
    }
}

/// Brings a call's own embeddings to the state it meets.
fn carry(state: &mut AgentState, action: &ActionSpec<'_>) -> Result<(), Box<Notice>> {
    let call = &action.call;
    if let Some(context) = &call.context_embedding {
        state.context = Some(Arc::from(context.as_slice()));
    }
    if let Some(action) = &call.action_embedding {
        state.action = Some(Arc::from(action.as_slice()));
    }
    match (&state.context, &state.action) {
        (Some(context), Some(act)) if context.len() != act.len() => Err(Box::new(Notice {
            kind: NoticeKind::Fault(FaultCode::BadField),
            place: action.place,
            run: None,
            message: format!(
                "the call meets a `context_embedding` of {} numbers with an `action_embedding` of {}",
                context.len(),
                act.len()
            ),
            help: None,
        })),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Measure;
    use crate::verify::states::{Pairing, StatesFile};
    use crate::verify::testing::{alpha, policy};

    fn build(text: &str, pairing: Pairing) -> Vec<Result<Transition, Box<Notice>>> {
        let policy = policy(alpha(1.0, 1.0));
        let file = StatesFile::read(text.as_bytes(), 0, pairing).expect(text);
        let mut builder = Builder::new(&policy, |call: &ToolCall<'_>, labels: &mut Vec<String>| {
            if call.tool == "mail" {
                labels.push("send_email".into());
            }
        });
        file.transitions().map(|t| builder.build(&t)).collect()
    }

    fn one(text: &str) -> Transition {
        build(text, Pairing::Zip).remove(0).expect("lengths agree")
    }

    /// Outbound calls of a state's history.
    fn outbound(state: &AgentState) -> u64 {
        let policy = policy(alpha(1.0, 1.0));
        let ids = policy.dcbf.barriers.iter().find_map(|b| match b.measure {
            Measure::Privacy { outbound, .. } => Some(outbound),
            _ => None,
        });
        let id = ids.expect("a privacy barrier");
        state.history.tally(&policy, id, &[]).count
    }

    #[test]
    fn the_next_state_has_the_call_in_it() {
        let t = one(
            r#"[{"state":{"tool_history":["mail",{"tool":"x","labels":["send_email"],"error":true}],
                "step_count":2,"loop_count":3,"phase":"OBSERVING","resource_usage":{"cost_usd":0.5,"tokens":9}},
                "action":{"name":"http_request","estimated_cost":0.25}}]"#,
        );
        assert_eq!((outbound(&t.current), outbound(&t.next)), (2, 3));
        assert_eq!((t.current.step_count, t.next.step_count), (2, 3));
        assert_eq!((t.current.loop_count, t.next.loop_count), (3, 3));
        assert_eq!(
            (t.current.phase, t.next.phase),
            (Phase::Observing, Phase::Acting)
        );
        assert_eq!(t.next.cost, Nano(750_000_000));
        assert_eq!(t.next.ledger.tokens, 9);
        assert!(t.observed.is_none());
    }

    #[test]
    fn a_call_without_an_estimate_is_charged_the_policys() {
        let t = one(r#"{"state":{},"action":"search","next":{"step_count":1}}"#);
        assert_eq!(
            (t.current.cost, t.next.cost),
            (Nano::ZERO, Nano(10_000_000))
        );
        assert_eq!(t.current.phase, Phase::Idle);
        assert_eq!(t.observed.expect("given").step_count, 1);
    }

    #[test]
    fn a_call_brings_its_embeddings_to_both_states() {
        let t = one(
            r#"{"state":{"context_embedding":[1,0]},"action":{"tool":"a","action_embedding":[0,1]}}"#,
        );
        for state in [&t.current, &t.next] {
            assert_eq!(state.context.as_deref(), Some(&[1.0, 0.0][..]));
            assert_eq!(state.action.as_deref(), Some(&[0.0, 1.0][..]));
        }
    }

    #[test]
    fn embeddings_of_two_lengths_are_a_fault() {
        let built = build(
            "{\"states\":[{\"context_embedding\":[1,0]}],\n\"actions\":[\"a\",{\"tool\":\"b\",\"action_embedding\":[1]}]}",
            Pairing::Cross,
        );
        assert!(built[0].is_ok());
        let fault = built[1].as_ref().expect_err("two lengths");
        assert_eq!((fault.place.line, fault.kind.code()), (2, "bad_field"));
    }

    #[test]
    fn a_state_shared_by_transitions_stays_itself() {
        let built = build(
            r#"{"states":[{"step_count":1},{"step_count":2}],"actions":["mail",{"tool":"b","context_embedding":[1]}]}"#,
            Pairing::Cross,
        );
        let steps: Vec<_> = built
            .iter()
            .map(|t| t.as_ref().expect("built"))
            .map(|t| {
                (
                    t.current.step_count,
                    t.next.step_count,
                    t.current.context.is_some(),
                )
            })
            .collect();
        assert_eq!(
            steps,
            [(1, 2, false), (1, 2, true), (2, 3, false), (2, 3, true)]
        );
    }

    #[test]
    fn sums_that_do_not_fit_spend_the_budget() {
        let t = one(r#"[{"state":{"step_count":18446744073709551615},"action":"a"}]"#);
        assert_eq!(t.next.step_count, u64::MAX);
    }
}
