//! One message in any of the forms that it is written in.

use crate::trace::json::Json;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'j> {
    /// What the user said.
    Human,
    /// An answer of the model.
    Ai,
    /// A piece of an answer, as it streamed.
    Piece,
    /// What became of a call.
    Tool,
    /// What became of a call without an id, in the older form.
    Function,
    /// Nothing about calls.
    Other,
    /// A message of a class that is not known.
    Unknown(&'j str),
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub struct Message<'j> {
    /// What it is.
    pub kind: Kind<'j>,
    /// The object that holds its fields.
    pub body: &'j Json<'j>,
    /// All of it, as it is written.
    pub whole: &'j Json<'j>,
}

/// Fields that messages of this kind have, and hardly anything else.
const MARKS: &[&str] = &[
    "additional_kwargs",
    "invalid_tool_calls",
    "response_metadata",
    "tool_call_id",
    "tool_calls",
    "usage_metadata",
];

/// Reads what a value is; `None` is no message.
pub fn open<'j>(value: &'j Json<'j>) -> Option<Message<'j>> {
    if let Some((class, body)) = constructed(value) {
        let kind = kind(class, body).unwrap_or(Kind::Unknown(class));
        return class.contains("Message").then_some(Message {
            kind,
            body,
            whole: value,
        });
    }
    let text = |field: &str| value.get(field).and_then(Json::as_str);
    let says = |body: &Json<'_>| body.get("content").is_some() || body.get("tool_calls").is_some();
    let (kind, body) = match (text("type"), text("role")) {
        (Some(word), _) => match value.get("data") {
            Some(data @ Json::Object(_)) if says(data) => (kind(word, data)?, data),
            _ => (kind(word, value)?, value),
        },
        // Nodes of a graph may write messages the way that models are asked.
        (None, Some(role)) => (of_role(role)?, value),
        (None, None) => return None,
    };
    says(body).then_some(Message {
        kind,
        body,
        whole: value,
    })
}

/// The class of an object that was written with the way to make it, and what it is made of.
pub fn constructed<'j>(value: &'j Json<'j>) -> Option<(&'j str, &'j Json<'j>)> {
    let is_one = matches!(value.get("lc"), Some(Json::Number(_)))
        && value.get("type").and_then(Json::as_str) == Some("constructor");
    let class = value.get("id").filter(|_| is_one)?.as_array()?.last()?;
    let body = value.get("kwargs")?;
    matches!(body, Json::Object(_)).then_some((class.as_str()?, body))
}

fn kind<'j>(word: &str, body: &Json<'_>) -> Option<Kind<'j>> {
    Some(match word {
        "human" | "HumanMessage" | "HumanMessageChunk" => Kind::Human,
        "ai" | "AIMessage" => Kind::Ai,
        // Only what is told to be in pieces is.
        "AIMessageChunk" if body.get("tool_call_chunks").is_none() => Kind::Ai,
        "AIMessageChunk" => Kind::Piece,
        "tool" | "ToolMessage" | "ToolMessageChunk" => Kind::Tool,
        "function" | "FunctionMessage" | "FunctionMessageChunk" => Kind::Function,
        "chat" | "generic" | "ChatMessage" | "ChatMessageChunk" => {
            match body.get("role").and_then(Json::as_str) {
                Some("user" | "human") => Kind::Human,
                _ => Kind::Other,
            }
        }
        "system" | "SystemMessage" | "SystemMessageChunk" | "remove" | "RemoveMessage" => {
            Kind::Other
        }
        _ => return None,
    })
}

fn of_role<'j>(role: &str) -> Option<Kind<'j>> {
    Some(match role {
        "user" | "human" => Kind::Human,
        "assistant" | "ai" => Kind::Ai,
        "tool" => Kind::Tool,
        "function" => Kind::Function,
        "system" | "developer" => Kind::Other,
        _ => return None,
    })
}

impl<'j> Message<'j> {
    /// Whether nothing else writes such messages.
    pub fn is_marked(&self) -> bool {
        let has = |field: &&str| self.body.get(field).is_some();
        let is_wrapped = !std::ptr::eq(self.body, self.whole);
        is_wrapped || (self.is_typed() && MARKS.iter().any(has))
    }

    /// Whether its type, not its role, tells what it is.
    pub fn is_typed(&self) -> bool {
        self.whole.get("type").is_some() && self.whole.get("role").is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    #[test]
    fn every_form_is_told() {
        for (text, expected) in [
            (
                r#"{"type":"human","content":"x","additional_kwargs":{}}"#,
                Some((Kind::Human, true)),
            ),
            (
                r#"{"type":"ai","data":{"content":"x"}}"#,
                Some((Kind::Ai, true)),
            ),
            (
                r#"{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"x"}}"#,
                Some((Kind::Tool, true)),
            ),
            (
                r#"{"lc":1,"type":"constructor","id":["a","OddMessage"],"kwargs":{}}"#,
                Some((Kind::Unknown("OddMessage"), true)),
            ),
            (
                r#"{"lc":1,"type":"constructor","id":["a","ChatOpenAI"],"kwargs":{}}"#,
                None,
            ),
            (r#"{"type":"ai","content":"x"}"#, Some((Kind::Ai, false))),
            (
                r#"{"role":"user","content":"x"}"#,
                Some((Kind::Human, false)),
            ),
            (
                r#"{"type":"AIMessageChunk","content":"x","tool_calls":[]}"#,
                Some((Kind::Ai, true)),
            ),
            (
                r#"{"type":"AIMessageChunk","content":"","tool_call_chunks":[]}"#,
                Some((Kind::Piece, false)),
            ),
            (r#"{"type":"message","content":"x"}"#, None),
            (r#"{"type":"tool"}"#, None),
        ] {
            let json = parse(text.as_bytes()).expect("valid");
            let found = open(&json).map(|message| (message.kind, message.is_marked()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
