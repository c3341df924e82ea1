//! Messages that are spread over attributes: `llm.output_messages.0.message.tool_calls.1.…`.

use super::attributes::Attributes;
use crate::trace::json::{Damage, Json, Text};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most messages, and calls of a message, that are put together again; numbers beyond are of no
/// recorder.
const MOST: usize = 100_000;

/// A message as it is put together.
#[derive(Default)]
struct Message<'j> {
    fields: Vec<(&'static str, Json<'j>)>,
    texts: BTreeMap<usize, &'j str>,
    calls: BTreeMap<usize, Vec<(&'static str, Json<'j>)>>,
}

/// The messages whose parts are named `<prefix><number>.…`, in the order of their numbers.
pub fn messages<'j>(attributes: &Attributes<'j>, prefix: &str) -> Vec<Json<'j>> {
    let mut messages: BTreeMap<usize, Message<'j>> = BTreeMap::new();
    for (key, value) in attributes.iter() {
        let Some((number, field)) = key.strip_prefix(prefix).and_then(numbered) else {
            continue;
        };
        let field = field.strip_prefix("message.").unwrap_or(field);
        let message = messages.entry(number).or_default();
        if let Some(call) = field.strip_prefix("tool_calls.") {
            let Some((number, field)) = numbered(call) else {
                continue;
            };
            let field = field.strip_prefix("tool_call.").unwrap_or(field);
            let field = field.strip_prefix("function.").unwrap_or(field);
            if let Some(field) = one_of(field, &["id", "name", "arguments"]) {
                let call = message.calls.entry(number).or_default();
                call.push((field, value.json().into_owned()));
            }
        } else if let Some(part) = field.strip_prefix("contents.") {
            if let Some((number, "message_content.text")) = numbered(part) {
                let text = value.scalar().as_str().unwrap_or_default();
                message.texts.insert(number, text);
            }
        } else if let Some(field) = one_of(field, &["role", "content", "tool_call_id"]) {
            message.fields.push((field, value.json().into_owned()));
        }
    }
    messages.into_values().map(Message::json).collect()
}

fn numbered(text: &str) -> Option<(usize, &str)> {
    let (number, rest) = text.split_once('.')?;
    let number = number.parse().ok().filter(|&number| number < MOST)?;
    Some((number, rest))
}

fn one_of(field: &str, known: &[&'static str]) -> Option<&'static str> {
    known.iter().find(|name| **name == field).copied()
}

impl<'j> Message<'j> {
    fn json(mut self) -> Json<'j> {
        if self.fields.iter().all(|(name, _)| *name != "content") && !self.texts.is_empty() {
            let texts: Vec<_> = self.texts.into_values().collect();
            self.fields.push(("content", Json::from(texts.join("\n"))));
        }
        if !self.calls.is_empty() {
            let calls = self.calls.into_values().map(object).collect();
            self.fields.push(("tool_calls", Json::Array(calls)));
        }
        object(self.fields)
    }
}

fn object<'j>(fields: Vec<(&'static str, Json<'j>)>) -> Json<'j> {
    let member = |(name, value)| {
        let name = Text {
            text: Cow::Borrowed(name),
            damage: Damage::None,
        };
        (name, value)
    };
    Json::Object(fields.into_iter().map(member).collect())
}
