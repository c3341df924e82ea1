//! One state of a states file.

use super::call;
use super::document::{Document, Fault, Node};
use super::fields::{self, Fields, Spellings, Unknown};
use crate::state::Phase;
use crate::trace::event::ToolCall;
use crate::trace::fault::Place;
use crate::trace::money::Nano;
use std::borrow::Cow;
use std::sync::Arc;

const FIELDS: &[Spellings] = &[
    &["tool_history"],
    &["step_count"],
    &["loop_count"],
    &["phase"],
    &["resource_usage"],
    &["context_embedding"],
    &["action_embedding"],
];

const USAGE: &[Spellings] = &[&["cost_usd"], &["tokens"]];

/// A state as it was given; what it leaves out is as in the initial state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateSpec<'t> {
    /// Settled calls, oldest first.
    pub history: Vec<PastCall<'t>>,
    /// Calls admitted; absent where that is left out, which stands for none but is no sign of a
    /// trajectory.
    pub step_count: Option<u64>,
    /// Self-loops since the last observation.
    pub loop_count: u64,
    /// Phase.
    pub phase: Phase,
    /// Cost so far.
    pub cost: Nano,
    /// Tokens observed.
    pub tokens: u64,
    /// What the agent was asked to do.
    pub context: Option<Arc<[f64]>>,
    /// What the agent last did.
    pub action: Option<Arc<[f64]>>,
    /// Where it stands.
    pub place: Place,
}

impl StateSpec<'_> {
    /// Calls admitted.
    pub fn steps(&self) -> u64 {
        self.step_count.unwrap_or(0)
    }
}

/// A settled call of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum PastCall<'t> {
    /// The tool's name alone.
    Name(Cow<'t, str>),
    /// More than the name.
    Call(Box<ToolCall<'t>>),
}

/// Reads a state.
///
/// # Errors
/// The value is no object, has an unknown key, or a field of it is not as it should be.
pub fn read<'t>(
    document: &mut Document<'t>,
    node: Node<'t>,
    what: &str,
) -> Result<StateSpec<'t>, Fault> {
    let fields = Fields::read(document, node, what, FIELDS, Unknown::Refuse)?;
    let mut state = StateSpec {
        place: document.place(node.at),
        context: call::embedding(document, &fields, "context_embedding")?.map(Arc::from),
        action: call::embedding(document, &fields, "action_embedding")?.map(Arc::from),
        ..StateSpec::default()
    };
    if let (Some(context), Some(action)) = (&state.context, &state.action)
        && context.len() != action.len()
    {
        let message = format!(
            "`context_embedding` has {} numbers and `action_embedding` {}",
            context.len(),
            action.len()
        );
        return Err(document.bad(node.at, message, None));
    }
    if let Some(node) = fields.get("tool_history") {
        state.history = history(document, node)?;
    }
    if let Some(node) = fields.get("step_count") {
        state.step_count = Some(document.count(node, "`step_count`")?);
    }
    if let Some(node) = fields.get("loop_count") {
        state.loop_count = document.count(node, "`loop_count`")?;
    }
    if let Some(node) = fields.get("phase") {
        state.phase = phase(document, node)?;
    }
    if let Some(node) = fields.get("resource_usage") {
        let usage = Fields::read(document, node, "`resource_usage`", USAGE, Unknown::Refuse)?;
        if let Some(node) = usage.get("cost_usd") {
            state.cost = document.money(node, "`cost_usd`")?;
        }
        if let Some(node) = usage.get("tokens") {
            state.tokens = document.count(node, "`tokens`")?;
        }
    }
    Ok(state)
}

fn history<'t>(document: &mut Document<'t>, node: Node<'t>) -> Result<Vec<PastCall<'t>>, Fault> {
    let mut past = Vec::new();
    for node in document.elements(node, "`tool_history`")? {
        let call = call::read(document, node, "each of `tool_history`")?;
        past.push(if node.is_string() {
            PastCall::Name(call.tool)
        } else {
            PastCall::Call(Box::new(call))
        });
    }
    Ok(past)
}

fn phase(document: &Document<'_>, node: Node<'_>) -> Result<Phase, Fault> {
    let names = || Phase::ALL.iter().map(|(_, name)| *name);
    let written = crate::trace::json::parse(node.bytes).ok();
    let Some(text) = written.as_ref().and_then(|json| json.as_str()) else {
        return Err(document.wrong(node, "`phase`", "a string"));
    };
    if let Some((phase, _)) = Phase::ALL.iter().find(|(_, name)| *name == text) {
        return Ok(*phase);
    }
    let help = match fields::nearest(text, names()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("phases are {}", names().collect::<Vec<_>>().join(", ")),
    };
    Err(document.bad(node.at, format!("unknown phase `{text}`"), Some(help)))
}
