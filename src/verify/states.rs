//! Reading states files: transitions written by hand or dumped by a program, to check barriers on.
//!
//! A file is one of
//! - `{"states": [..], "actions": [..]}`, paired one to one or each with each,
//! - `{"transitions": [{"state": .., "action": .., "next": ..}, ..]}`, `next` being optional,
//! - an array of such transitions,
//! - such transitions one after the other, as in JSONL.
//!
//! Reading is strict: what is not as it should be is told with its line and column. It makes a file of
//! `states` and `actions` unusable, since nothing says what belongs together any more; of transitions
//! that stand one by one it costs those alone.

pub mod call;
pub mod document;
pub mod fields;
pub mod gaps;
pub mod one;
pub mod state;

use crate::trace::event::ToolCall;
use crate::trace::fault::{FaultCode, Notice, Place};
use crate::trace::json::Json;
use document::{Document, Fault, Node};
use fields::{Fields, Spellings, Unknown};
use gaps::Chain;
use state::StateSpec;

const PAIRS: &[Spellings] = &[&["states"], &["actions"], &["transitions"]];
const TRANSITION: &[Spellings] = &[&["state"], &["action"], &["next"]];

/// Help for a file of none of the shapes.
const SHAPES: &str = "a states file holds `states` and `actions`, or `transitions`, or is an array \
                      of transitions, or one transition a line";

/// How the states of a file come together with its actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// The first with the first, the second with the second; there must be as many of both.
    #[default]
    Zip,
    /// Each state with each action, the first state with every action first.
    Cross,
}

/// An action: a call, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSpec<'t> {
    /// The call. Of its outcome only `error` is read, which counts in a history.
    pub call: ToolCall<'t>,
    /// Where it stands.
    pub place: Place,
}

/// A transition of a file.
#[derive(Clone, Copy, Debug)]
pub struct TransitionSpec<'f, 't> {
    /// Its index, from 0: by its place in the file; each with each, states times actions.
    pub index: u64,
    /// Index of its state among the states before, from 0. Transitions of one state come in a row.
    pub state_index: u64,
    /// The state before.
    pub state: &'f StateSpec<'t>,
    /// The call.
    pub action: &'f ActionSpec<'t>,
    /// The state after, where it was observed.
    pub next: Option<&'f StateSpec<'t>>,
    /// Line of the transition or, where states and actions stand apart, of the action.
    pub line: u64,
}

/// A states file.
#[derive(Clone, Debug)]
pub struct StatesFile<'t> {
    content: Content<'t>,
    /// How its states hang together.
    pub chain: Chain,
    /// What is doubtful but was used, and faults of transitions that were left out.
    pub notices: Vec<Notice>,
}

#[derive(Clone, Debug)]
enum Content<'t> {
    Pairs {
        states: Vec<StateSpec<'t>>,
        actions: Vec<ActionSpec<'t>>,
        pairing: Pairing,
    },
    Transitions(Vec<Written<'t>>),
}

#[derive(Clone, Debug)]
struct Written<'t> {
    state: StateSpec<'t>,
    action: ActionSpec<'t>,
    next: Option<StateSpec<'t>>,
    line: u64,
}

/// Whether a file is a states file rather than a trace, by its first values: the elements of a
/// top-level array, the lines of JSONL, or the one value there is.
pub fn is_states_file(sample: &[Json<'_>]) -> bool {
    sample.iter().any(|value| {
        let has = |key: &str| value.get(key).is_some();
        let lists = ["states", "transitions"]
            .iter()
            .any(|key| value.get(key).and_then(Json::as_array).is_some());
        let transition = has("state") && (has("action") || has("next"));
        // A record of a trace may carry anything beside its own fields.
        (lists || transition) && !["type", "tool", "tool_name", "name"].into_iter().any(has)
    })
}

impl<'t> StatesFile<'t> {
    /// Reads the text of the input of that index, decompressed.
    ///
    /// # Errors
    /// The first thing that is not as it should be, a fault with its line and column. A text without
    /// any state is no error: it is [`StatesFile::is_empty`].
    pub fn read(text: &'t [u8], input: usize, pairing: Pairing) -> Result<Self, Fault> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut document = Document::new(text, input)?;
        let values = document.values()?;
        let content = match values.as_slice() {
            [one] if one.is_array() => array(&mut document, *one)?,
            [one] => object(&mut document, *one, pairing)?,
            many => transitions(&mut document, many.iter().copied())?,
        };
        if pairing == Pairing::Cross
            && let (Content::Transitions(_), Some(first)) = (&content, values.first())
        {
            let message = "pairing each with each needs `states` and `actions`".into();
            return Err(document.bad(first.at, message, None));
        }
        let chain = match &content {
            Content::Pairs {
                states,
                pairing: Pairing::Zip,
                ..
            } => gaps::of_states(&mut document, states.iter()),
            Content::Pairs { .. } => Chain::default(),
            Content::Transitions(list) => gaps::of_transitions(&mut document, list),
        };
        Ok(StatesFile {
            content,
            chain,
            notices: document.notices,
        })
    }

    /// How many transitions there are.
    pub fn len(&self) -> u64 {
        match &self.content {
            Content::Pairs {
                states,
                actions,
                pairing: Pairing::Cross,
            } => (states.len() as u64).saturating_mul(actions.len() as u64),
            Content::Pairs { actions, .. } => actions.len() as u64,
            Content::Transitions(list) => list.len() as u64,
        }
    }

    /// Whether the file holds no state at all: nothing to audit.
    pub fn is_empty(&self) -> bool {
        match &self.content {
            Content::Pairs { states, .. } => states.is_empty(),
            Content::Transitions(list) => list.is_empty(),
        }
    }

    /// The transitions, in order of their index.
    pub fn transitions(&self) -> Box<dyn Iterator<Item = TransitionSpec<'_, 't>> + '_> {
        match &self.content {
            Content::Transitions(list) => {
                Box::new((0u64..).zip(list).map(|(index, written)| TransitionSpec {
                    index,
                    state_index: index,
                    state: &written.state,
                    action: &written.action,
                    next: written.next.as_ref(),
                    line: written.line,
                }))
            }
            Content::Pairs {
                states,
                actions,
                pairing: Pairing::Zip,
            } => Box::new(
                (0u64..)
                    .zip(states.iter().zip(actions))
                    .map(|(index, (state, action))| pair(index, index, state, action)),
            ),
            Content::Pairs {
                states, actions, ..
            } => Box::new((0u64..).zip(states).flat_map(move |(row, state)| {
                let first = row * actions.len() as u64;
                (first..)
                    .zip(actions)
                    .map(move |(index, action)| pair(index, row, state, action))
            })),
        }
    }
}

fn pair<'f, 't>(
    index: u64,
    state_index: u64,
    state: &'f StateSpec<'t>,
    action: &'f ActionSpec<'t>,
) -> TransitionSpec<'f, 't> {
    TransitionSpec {
        index,
        state_index,
        state,
        action,
        next: None,
        line: action.place.line,
    }
}

fn array<'t>(document: &mut Document<'t>, node: Node<'t>) -> Result<Content<'t>, Fault> {
    let elements = document.elements(node, "the file")?;
    transitions(document, elements)
}

/// A file of one object: lists, or a single transition.
fn object<'t>(
    document: &mut Document<'t>,
    node: Node<'t>,
    pairing: Pairing,
) -> Result<Content<'t>, Fault> {
    if !node.is_object() {
        let message = format!("the file holds {}", node.kind());
        return Err(document.shapeless(node, message));
    }
    let members = document.members(node, "the file")?;
    let single = |key: &str| TRANSITION.iter().any(|spellings| spellings.contains(&key));
    if members.iter().any(|m| single(&m.key.text)) {
        return transitions(document, std::iter::once(node));
    }
    if members.is_empty() {
        return Err(document.shapeless(node, "the file holds an empty object".into()));
    }
    let fields = Fields::read(document, node, "the file", PAIRS, Unknown::Refuse)?;
    match (
        fields.get("transitions"),
        fields.get("states"),
        fields.get("actions"),
    ) {
        (Some(list), None, None) => {
            let elements = document.elements(list, "`transitions`")?;
            transitions(document, elements)
        }
        (Some(list), _, _) => {
            let message = "`transitions` stands beside `states` or `actions`".into();
            Err(document.shapeless(list, message))
        }
        (None, Some(states), actions) => pairs(document, states, actions, pairing),
        (None, None, _) => Err(document.fault(
            node.at,
            FaultCode::MissingField,
            "the file has no `states`".into(),
        )),
    }
}

/// States and actions. A single state without any action is a trajectory that has not begun: no
/// transitions, and nothing wrong.
fn pairs<'t>(
    document: &mut Document<'t>,
    states: Node<'t>,
    actions: Option<Node<'t>>,
    pairing: Pairing,
) -> Result<Content<'t>, Fault> {
    let mut list = Vec::new();
    for node in document.elements(states, "`states`")? {
        list.push(state::read(document, node, "each of `states`")?);
    }
    let mut calls = Vec::new();
    if let Some(actions) = actions {
        for node in document.elements(actions, "`actions`")? {
            calls.push(action(document, node, "each of `actions`")?);
        }
    }
    let vacuous = calls.is_empty() && list.len() <= 1;
    if actions.is_none() && !vacuous {
        let message = "the file has `states` and no `actions`".into();
        return Err(document.fault(states.at, FaultCode::MissingField, message));
    }
    let unpaired = match pairing {
        Pairing::Zip => list.len() != calls.len(),
        Pairing::Cross => list.is_empty() != calls.is_empty(),
    };
    if unpaired && !vacuous {
        let message = format!("{} states and {} actions", list.len(), calls.len());
        let help = match pairing {
            Pairing::Zip => {
                "there must be one action for each state; `--pairing cross` pairs each \
                             with each"
            }
            Pairing::Cross => "there must be at least one of both",
        };
        let at = actions.map_or(states.at, |node| node.at);
        return Err(document.bad(at, message, Some(help.into())));
    }
    Ok(Content::Pairs {
        states: list,
        actions: calls,
        pairing,
    })
}

fn action<'t>(
    document: &mut Document<'t>,
    node: Node<'t>,
    what: &str,
) -> Result<ActionSpec<'t>, Fault> {
    Ok(ActionSpec {
        call: call::read(document, node, what)?,
        place: document.place(node.at),
    })
}

/// Transitions one after the other. What is wrong with one is told and costs that one, unless all of
/// them are wrong: then the file is none.
fn transitions<'t>(
    document: &mut Document<'t>,
    nodes: impl Iterator<Item = Node<'t>>,
) -> Result<Content<'t>, Fault> {
    let (mut list, mut faults) = (Vec::new(), Vec::new());
    for node in nodes {
        match transition(document, node) {
            Ok(written) => list.push(written),
            Err(fault) => faults.push(*fault),
        }
    }
    if list.is_empty() && !faults.is_empty() {
        return Err(Box::new(faults.swap_remove(0)));
    }
    document.notices.append(&mut faults);
    Ok(Content::Transitions(list))
}

fn transition<'t>(document: &mut Document<'t>, node: Node<'t>) -> Result<Written<'t>, Fault> {
    let what = "a transition";
    let fields = Fields::read(document, node, what, TRANSITION, Unknown::Refuse)?;
    let before = fields.require(document, "state", what)?;
    let call = fields.require(document, "action", what)?;
    Ok(Written {
        state: state::read(document, before, "`state`")?,
        action: action(document, call, "`action`")?,
        next: match fields.get("next") {
            Some(after) => Some(state::read(document, after, "`next`")?),
            None => None,
        },
        line: document.place(node.at).line,
    })
}

impl Document<'_> {
    fn shapeless(&self, node: Node<'_>, message: String) -> Fault {
        self.bad(node.at, message, Some(SHAPES.into()))
    }
}
