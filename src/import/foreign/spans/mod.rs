//! Recordings that are trees of spans: what each span says, held until the input ends, then put in
//! order.
//!
//! A span is written when it ends, so children come before their parents and a trace is spread over
//! lines and interleaves with others. Nothing of a run can be told before the last line.
//! [`Spans`] takes spans as they come and holds what matters of them, up to a limit. At the end
//! [`Spans::finish`] makes runs of them:
//!
//! **Runs.** A trace is a run. Traces of one conversation are one run, named after it.
//!
//! **Order.** Calls come as they started, in file order where that is the same; a result comes when
//! its call ended. So calls that overlap are in flight together and calls that follow one another are
//! not. A span without a time comes last.
//!
//! **Turns.** The first call after a model began to answer begins a turn. In a run without model
//! answers every call does that starts while no other is open. A call that starts while another is
//! open never begins one, because that would settle the other.
//!
//! **One call, several spans.** A call is often seen by the agent, by a client and by a server. A
//! tool span below another of the same tool is the same call if it has the same id, or is a
//! server's, or tells the same arguments or none.
//!
//! **Requests.** A model's answer names the calls it asks for. These are calls only in a trace without
//! a tool span; their results are taken from what later answers were given to read. Else they only tell
//! the name of an argument where a tool span has its value alone.

mod attributes;
mod bare;
mod call;
mod collect;
mod conventions;
mod feed;
mod flat;
mod hold;
mod messages;
mod tree;
mod vocabulary;

pub use attributes::{Attributes, Value, member, nested};
pub use collect::Spans;
pub use conventions::{About, args_of, named, read, result_of, tell_dropped};
pub use messages::{Said, tool_message};
pub use vocabulary::DECIDING;

use super::out::Out;
use super::time::{Unit, timestamp};
use super::told::Told;
use crate::trace::event::RawJson;
use crate::trace::json::Json;
use jiff::Timestamp;

/// What a span stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call of a tool.
    Tool,
    /// An answer of a model.
    Answer,
    /// An agent at work.
    Agent,
    /// Anything else.
    Other,
}

/// A span, or a part of one that is written in parts.
#[derive(Debug, Default)]
pub struct Span {
    /// Its id, unique in its trace; `None` is a span that no other refers to.
    pub id: Option<String>,
    /// Id of the span that it is a part of.
    pub parent: Option<String>,
    /// What it stands for; `None` where this part of it does not say.
    pub kind: Option<Kind>,
    /// When it began.
    pub start: Option<Timestamp>,
    /// When it ended; `None` if it did not.
    pub end: Option<Timestamp>,
    /// What it says.
    pub details: Details,
}

/// What a span says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    /// Name of the tool or the agent.
    pub name: Option<String>,
    /// Id of the call.
    pub call: Option<String>,
    /// Arguments of the call; `None` is not told.
    pub args: Option<RawJson<'static>>,
    /// Whether the arguments are the value of the only one, without its name.
    pub is_bare: bool,
    /// What the call returned.
    pub result: Option<RawJson<'static>>,
    /// Whether the call failed; `None` is not told.
    pub error: Option<bool>,
    /// Whether it is the side of the one who serves the call, not of the one who makes it.
    pub is_served: bool,
    /// The agent that the span itself names.
    pub agent: Option<String>,
    /// The conversation that it belongs to.
    pub session: Option<String>,
    /// What the user asked for.
    pub prompt: Option<String>,
    /// The calls that an answer asks for.
    pub requests: Vec<Request>,
    /// The results that a model was given to read.
    pub answers: Vec<Answered>,
    /// What an answer cost, in dollars: the digits.
    pub cost: Option<String>,
    /// What else is known of the run, by name.
    pub meta: Vec<(&'static str, String)>,
}

/// A call that a model asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Name of the tool as it is written.
    pub tool: String,
    /// Id of the call.
    pub id: Option<String>,
    /// Its arguments as they are written; `None` is not told.
    pub args: Option<RawJson<'static>>,
    /// Whether name or id had to be repaired.
    pub is_damaged: bool,
    /// Whether the arguments had to be repaired.
    pub is_repaired: bool,
}

/// A result that a model was given to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// Id of the call.
    pub call: String,
    /// What it returned.
    pub result: Option<RawJson<'static>>,
    /// Whether it failed; `None` is not told.
    pub error: Option<bool>,
}

/// Reads a time as a point in time. One without an offset is UTC. Absent, null, zero and what is no
/// time give `None`; the last is said.
pub fn instant(
    value: Option<&Json<'_>>,
    expected: Unit,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Option<Timestamp> {
    let written = timestamp(value, expected, told, out)?;
    let text = written.0.trim();
    let at = text.parse::<Timestamp>().ok().or_else(|| {
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        jiff::tz::Offset::UTC.to_timestamp(civil).ok()
    });
    if at.is_none() {
        told.assume("spans whose times cannot be read come last", out);
    }
    at.filter(|at| *at != Timestamp::UNIX_EPOCH)
}
