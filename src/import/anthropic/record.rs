//! What a record holds: a list of messages, a message, or an envelope around them.

use crate::import::foreign::stranger::may_call;
use crate::trace::json::Json;

/// Roles of messages.
pub const ROLES: &[&str] = &["user", "assistant", "system"];

/// Fields of an envelope that hold a request.
const ASKED: &[&str] = &["request", "params", "body"];

/// A part of a record that holds messages.
#[derive(Clone, Copy, Debug)]
pub enum Part<'j> {
    /// An object with `messages`: a request, or a conversation that was kept.
    List(&'j Json<'j>),
    /// A message: one of a conversation, or a response.
    Message(&'j Json<'j>),
}

/// The parts of a record, in order. A record of none is not of this format.
pub fn parts<'j>(record: &'j Json<'j>) -> Vec<Part<'j>> {
    if let Some(part) = part(record) {
        return vec![part];
    }
    let field = |name: &str| record.get(name);
    let asked = ASKED.iter().find_map(|name| field(name));
    let batch = || field("result")?.get("message");
    let answered = field("response").or_else(batch);
    let parts = asked.into_iter().chain(answered);
    parts.filter_map(part).collect()
}

/// Whether a record is not of this format but looks like a call, or like a message with one.
pub fn is_stranger(record: &Json<'_>) -> bool {
    record.get("content").and_then(Json::as_array).is_none() && may_call(record)
}

/// Whether a record has a request or a response, or is an error, besides `count` parts of messages.
pub fn has_others(record: &Json<'_>, count: usize) -> bool {
    if part(record).is_some() {
        return false;
    }
    let has = |name: &&str| record.get(name).is_some_and(|value| *value != Json::Null);
    let is_error = record.get("type").and_then(Json::as_str) == Some("error");
    let asked = usize::from(ASKED.iter().any(has));
    let outcome = record.get("result").and_then(|result| result.get("type"));
    let is_outcome = outcome.and_then(Json::as_str).is_some();
    let answered = usize::from(has(&"response") || is_outcome);
    is_error || asked + answered > count
}

fn part<'j>(object: &'j Json<'j>) -> Option<Part<'j>> {
    let role = object.get("role").and_then(Json::as_str);
    if object.get("messages").is_some() {
        Some(Part::List(object))
    } else if role.is_some() && object.get("content").is_some() {
        Some(Part::Message(object))
    } else {
        None
    }
}

/// The name that a record gives its conversation: the field and its value.
pub fn name<'j>(record: &'j Json<'j>) -> Option<(&'static str, &'j Json<'j>)> {
    // The id of a message is not that of its conversation.
    let own = record.get("role").is_none().then_some("id");
    ["custom_id", "conversation_id", "session_id"]
        .into_iter()
        .chain(own)
        .find_map(|field| Some((field, record.get(field)?)))
        .filter(|(_, value)| **value != Json::Null)
}
