//! What a record of a recorder holds: a message, a batch of them, or an envelope around one.

use crate::import::Sign;
use crate::import::foreign::stranger::may_call;
use crate::import::foreign::{Out, Unusable, identifier};
use crate::trace::fault::FaultCode;
use crate::trace::json::{Json, parse};

/// Who sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The program of the agent, which calls tools.
    Client,
    /// The program that has the tools.
    Server,
}

impl Side {
    /// The one that gets it.
    pub fn other(self) -> Side {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }
}

/// Fields of an envelope that hold its message, or the text of it.
pub const INNER: &[&str] = &[
    "message", "msg", "frame", "payload", "data", "json", "raw", "body", "request", "response",
];

/// What recorders call a message by its sender. Words such as `out` depend on where the recorder
/// sits and tell nothing.
const CLIENT: &[&str] = &[
    "client->server",
    "client-to-server",
    "client_to_server",
    "clienttoserver",
    "c2s",
    "fromclient",
    "from_client",
    "client",
];
const SERVER: &[&str] = &[
    "server->client",
    "server-to-client",
    "server_to_client",
    "servertoclient",
    "s2c",
    "fromserver",
    "from_server",
    "fromagent",
    "server",
];

/// What the envelopes around a message tell of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around<'j> {
    /// Who sent it; absent where no envelope tells.
    pub side: Option<Side>,
    /// When it was sent.
    pub ts: Option<&'j Json<'j>>,
    /// The session it belongs to.
    pub session: Option<&'j Json<'j>>,
}

impl<'j> Around<'j> {
    /// The same with what this object tells in addition.
    pub fn within(self, object: &'j Json<'j>) -> Self {
        let first = |fields: &[&str]| fields.iter().find_map(|field| object.get(field));
        let word = first(&["direction", "dir"]).and_then(Json::as_str);
        let word = word.map(str::to_ascii_lowercase).unwrap_or_default();
        let side = if CLIENT.contains(&word.as_str()) {
            Some(Side::Client)
        } else if SERVER.contains(&word.as_str()) {
            Some(Side::Server)
        } else {
            None
        };
        Around {
            side: side.or(self.side),
            ts: first(&["ts", "timestamp", "time"]).or(self.ts),
            session: first(&["session_id", "sessionId"]).or(self.session),
        }
    }
}

/// An object, by what has to be done with it.
#[derive(Debug)]
pub enum Kind<'j> {
    /// A message, with or without the fields of an envelope beside it.
    Message,
    /// An envelope around messages.
    Envelope(Vec<&'j Json<'j>>),
    /// A call of a method of the client library, or its return.
    Library,
    /// A session of such calls.
    Session(&'j [Json<'j>]),
    /// Nothing of this.
    Other,
}

/// What an object is.
pub fn kind<'j>(object: &'j Json<'j>) -> Kind<'j> {
    if is_marked(object) {
        return Kind::Message;
    }
    if is_library(object) {
        return Kind::Library;
    }
    if let Some(calls) = session(object) {
        return Kind::Session(calls);
    }
    let inner = INNER.iter().filter_map(|field| object.get(field));
    let inner: Vec<_> = inner.filter(|value| may_hold(value)).collect();
    if !inner.is_empty() {
        Kind::Envelope(inner)
    } else if is_bare(object) {
        Kind::Message
    } else {
        Kind::Other
    }
}

/// Whether it says that it is a message.
fn is_marked(object: &Json<'_>) -> bool {
    object.get("jsonrpc").and_then(Json::as_str) == Some("2.0")
}

/// Whether it has the fields of a message, without saying that it is one.
fn is_bare(object: &Json<'_>) -> bool {
    let has = |field: &str| object.get(field).is_some();
    let is_request = object.get("method").and_then(Json::as_str).is_some();
    // The result of a response is an object; others have an `id` and a `result` too.
    let is_result = matches!(object.get("result"), None | Some(Json::Object(_)));
    let is_ours = is_result || has("dir") || has("direction");
    is_request || (has("id") && is_ours && (has("result") || has("error")))
}

/// Whether an object that holds no message is what a recorder notes beside them: it has a direction,
/// or is flat, has a time and names no tool.
pub fn is_note(object: &Json<'_>) -> bool {
    let Json::Object(members) = object else {
        return false;
    };
    let has = |fields: &[&str]| fields.iter().any(|field| object.get(field).is_some());
    let is_flat = members
        .iter()
        .all(|(_, value)| !matches!(value, Json::Array(_) | Json::Object(_)));
    let is_timed = has(&["ts", "timestamp", "time", "session_id", "sessionId"]);
    !may_call(object) && (has(&["direction", "dir"]) || (is_flat && is_timed))
}

fn may_hold(value: &Json<'_>) -> bool {
    match value {
        Json::String(text) => text.text.trim_start().starts_with(['{', '[']),
        Json::Array(items) => items.iter().any(|item| is_marked(item) || is_bare(item)),
        object => is_marked(object) || is_bare(object),
    }
}

fn is_library(object: &Json<'_>) -> bool {
    let is = |field: &str| object.get(field).is_some_and(|v| v.as_str().is_some());
    let kind = object.get("type").and_then(Json::as_str);
    matches!(kind, Some("request" | "response"))
        && matches!(object.get("count"), Some(Json::Number(_)))
        && is("method")
}

fn session<'j>(object: &'j Json<'j>) -> Option<&'j [Json<'j>]> {
    object.get("session_id")?;
    let calls = object.get("calls")?.as_array()?;
    let is_call = |call: &Json<'_>| {
        let method = call.get("request").and_then(|r| r.get("method"));
        method.is_some_and(|m| m.as_str().is_some())
    };
    calls.iter().all(is_call).then_some(calls)
}

/// Why the sample is of MCP, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let messages = "messages with `jsonrpc`, by themselves or in the envelope of a recorder";
    sample.iter().find_map(|record| {
        let reason = match record {
            record if is_message(record) => messages,
            record if is_library(record) => "calls of an MCP client library, with `count`",
            record if session(record).is_some_and(|calls| !calls.is_empty()) => {
                "a session of `calls` with `request` and `response`"
            }
            record if is_flat(record) => "messages with `dir` and `ts` beside `method` or `result`",
            _ => return None,
        };
        Some(Sign::decisive(reason))
    })
}

fn is_message(record: &Json<'_>) -> bool {
    match record {
        Json::Array(batch) => batch.iter().any(is_marked),
        record if is_marked(record) => true,
        record => INNER.iter().any(|field| match record.get(field) {
            Some(Json::String(text)) => {
                parse(text.text.as_bytes()).is_ok_and(|inner| is_marked(&inner))
            }
            Some(Json::Array(batch)) => batch.iter().any(is_marked),
            Some(inner) => is_marked(inner),
            None => false,
        }),
    }
}

fn is_flat(record: &Json<'_>) -> bool {
    let word = record.get("dir").and_then(Json::as_str);
    matches!(word, Some("req" | "res")) && record.get("ts").is_some() && is_bare(record)
}

/// Id of a request. The number 7 and the text `7` are two ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// A number, as it is written; a whole one without a fraction.
    Number(String),
    /// A text.
    Text(String),
}

impl Id {
    /// Reads the id of a message. `None` means that it has none: nothing answers it.
    ///
    /// # Errors
    /// It is neither a number nor a text, or its text is damaged; the fault has been reported.
    pub fn read(
        field: &str,
        value: Option<&Json<'_>>,
        out: &mut Out<'_>,
    ) -> Result<Option<Id>, Unusable> {
        match value {
            Some(Json::Number(number)) => Ok(Some(Id::Number(whole(number)))),
            Some(Json::Bool(_) | Json::Array(_) | Json::Object(_)) => {
                let message = format!("`{field}` has to be a number or a string");
                out.fault(FaultCode::BadField, message);
                Err(Unusable)
            }
            value => {
                let text = identifier(field, value, out)?;
                Ok(text.map(|text| Id::Text(text.to_owned())))
            }
        }
    }

    /// The name of a call with this id. A text that could be a number keeps its quotes.
    pub fn name(&self) -> String {
        match self {
            Id::Number(number) => number.clone(),
            Id::Text(text) if text.is_empty() || text.parse::<f64>().is_ok() => {
                format!("\"{text}\"")
            }
            Id::Text(text) => text.clone(),
        }
    }
}

/// A number as it is written, but a whole one without its fraction: `2.0` is `2`.
fn whole(number: &str) -> String {
    let zeros = |fraction: &str| fraction.bytes().all(|digit| digit == b'0');
    match number.split_once('.') {
        Some((whole, fraction)) if zeros(fraction) => whole.to_owned(),
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours(text: &str) -> bool {
        recognise(&[parse(text.as_bytes()).expect("valid")]).is_some()
    }

    #[test]
    fn messages_are_recognised_in_their_envelopes() {
        for ours in [
            r#"{"id":1,"result":{},"jsonrpc":"2.0"}"#,
            r#"[{"jsonrpc":"2.0","method":"ping","id":1}]"#,
            r#"{"ts":1,"message":{"jsonrpc":"2.0","method":"ping","id":1}}"#,
            r#"{"direction":"fromClient","json":"{\"jsonrpc\":\"2.0\",\"id\":1}"}"#,
            r#"{"ts":1,"dir":"req","id":1,"method":"ping"}"#,
            r#"{"type":"request","count":1,"method":"call_tool","args":["f",{}]}"#,
            r#"{"session_id":"s","calls":[{"request":{"method":"call_tool"}}]}"#,
        ] {
            assert!(is_ours(ours), "{ours}");
        }
    }

    #[test]
    fn look_alikes_are_not() {
        for other in [
            r#"{"tool":"http","args":{"jsonrpc":"2.0"}}"#,
            r#"{"type":"request","method":"GET"}"#,
            r#"{"session_id":"s","calls":[]}"#,
            r#"{"message":{"role":"user","content":"{\"jsonrpc\":\"2.0\"}"}}"#,
            r#"{"method":"generateContent","response":{"candidates":[]}}"#,
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }

    #[test]
    fn a_whole_number_is_the_same_with_a_fraction() {
        assert_eq!(
            ["2", "2.0", "2.00", "2.5", "-1.0"].map(whole),
            ["2", "2", "2", "2.5", "-1"]
        );
    }

    #[test]
    fn a_text_that_could_be_a_number_keeps_its_quotes() {
        assert_eq!(Id::Number("7".into()).name(), "7");
        assert_eq!(Id::Text("7".into()).name(), "\"7\"");
        assert_eq!(Id::Text("a7".into()).name(), "a7");
    }
}
