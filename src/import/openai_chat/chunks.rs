//! Messages that were recorded as they streamed: each chunk holds a piece, and pieces of one call are
//! told by its `index`.

use crate::import::foreign::{Out, check_value, identifier, kind};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::{Damage, Json, Text};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What the records of a stream name themselves.
const OBJECT: &str = "chat.completion.chunk";

/// Whether the record is a piece of a message.
pub fn is_chunk(record: &Json<'_>) -> bool {
    record.get("object").and_then(Json::as_str) == Some(OBJECT)
        && record.get("choices").and_then(Json::as_array).is_some()
}

/// The message that is streaming.
#[derive(Debug)]
pub struct Stream {
    id: Option<String>,
    /// The model, where the first piece names it.
    pub model: Option<String>,
    choices: BTreeMap<u64, Choice>,
    /// Choices that have said why they ended.
    ended: BTreeSet<u64>,
    held: usize,
    most: usize,
    /// Whether something is left out because it is too long.
    overflowed: bool,
    /// Where the first piece stood.
    pub place: Place,
}

/// One of the messages that the model was asked for.
#[derive(Debug, Default)]
struct Choice {
    /// Calls by their index, which several may have.
    calls: BTreeMap<u64, Vec<Call>>,
    legacy: Option<Call>,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
    /// Whether a piece had arguments.
    has_arguments: bool,
}

impl Stream {
    /// One of which nothing has been seen, and which holds `most` bytes.
    pub fn new(chunk: &Json<'_>, place: Place, most: usize) -> Self {
        Stream {
            id: id(chunk),
            model: chunk.get("model").and_then(Json::as_str).map(str::to_owned),
            choices: BTreeMap::new(),
            ended: BTreeSet::new(),
            held: 0,
            most,
            overflowed: false,
            place,
        }
    }

    /// Whether a chunk is of this message. One that has a call in a choice that has ended is of another,
    /// even under the same id.
    pub fn takes(&self, chunk: &Json<'_>) -> bool {
        let choices = chunk.get("choices").and_then(Json::as_array);
        let is_over = |choice: &Json<'_>| {
            let at = index(choice).unwrap_or_default();
            self.ended.contains(&at) && has_call(choice)
        };
        self.id == id(chunk) && !choices.unwrap_or_default().iter().any(is_over)
    }

    /// Takes the next piece.
    pub fn chunk(&mut self, chunk: &Json<'_>, out: &mut Out<'_>) {
        for choice in chunk
            .get("choices")
            .and_then(Json::as_array)
            .unwrap_or_default()
        {
            let index = index(choice).unwrap_or_default();
            if let Some(Json::String(_)) = choice.get("finish_reason") {
                self.ended.insert(index);
            }
            let Some(delta) = choice.get("delta") else {
                continue;
            };
            let calls = match delta.get("tool_calls") {
                None | Some(Json::Null) => &[][..],
                Some(Json::Array(calls)) => calls,
                Some(other) => {
                    let text = format!("`tool_calls` has to be an array, not {}", kind(other));
                    out.fault(FaultCode::BadField, text);
                    continue;
                }
            };
            for piece in calls {
                self.piece(index, piece, out);
            }
            if let Some(function @ Json::Object(_)) = delta.get("function_call") {
                let call = self.choices.entry(index).or_default();
                let call = call.legacy.get_or_insert_default();
                self.held += call.take(None, Some(function), out);
            }
            self.choices.entry(index).or_default();
        }
        self.check(out);
    }

    fn piece(&mut self, choice: u64, piece: &Json<'_>, out: &mut Out<'_>) {
        let Some(at) = index(piece) else {
            let text = "a piece of a call without `index`";
            return out.fault(FaultCode::MissingField, text);
        };
        let Ok(id) = identifier("id", piece.get("id"), out) else {
            return;
        };
        let calls = &mut self.choices.entry(choice).or_default().calls;
        let function = piece.get("function");
        let name = function.and_then(|function| function.get("name")?.as_str());
        let calls = calls.entry(at).or_default();
        // Some servers give each call the same index: an id or a name of another call begins one.
        if calls.last().is_none_or(|call| call.is_other(id, name)) {
            calls.push(Call::default());
        }
        if let Some(call) = calls.last_mut() {
            self.held += call.take(id, function, out);
        }
    }

    fn check(&mut self, out: &mut Out<'_>) {
        if self.held > self.most && !self.overflowed {
            self.overflowed = true;
            let text = format!(
                "a message streams more than {} bytes of calls, they are not used",
                self.most
            );
            out.fault(FaultCode::LineTooLong, text);
        }
        if self.overflowed {
            self.choices.clear();
        }
    }

    /// The messages, put together.
    pub fn finish(self) -> Vec<Json<'static>> {
        let messages = self.choices.into_values().map(Choice::message);
        messages.collect()
    }
}

impl Call {
    /// Whether a piece with this id and this name is of another call. Both may be repeated with each
    /// piece of one.
    fn is_other(&self, id: Option<&str>, name: Option<&str>) -> bool {
        let differs = |known: &str, new: Option<&str>| {
            let new = new.filter(|new| !new.is_empty());
            !known.is_empty() && new.is_some_and(|new| new != known)
        };
        let is_known = !self.id.is_empty() && id == Some(&*self.id);
        differs(&self.id, id) || (!is_known && self.has_arguments && differs(&self.name, name))
    }

    /// Takes a piece; returns how many bytes it had.
    fn take(&mut self, id: Option<&str>, function: Option<&Json<'_>>, out: &mut Out<'_>) -> usize {
        let before = self.len();
        let text = |field: &str| function.and_then(|function| function.get(field));
        // An id and a name come once; some servers repeat them with each piece.
        if let Some(id) = id.filter(|_| self.id.is_empty()) {
            id.clone_into(&mut self.id);
        }
        if self.name.is_empty()
            && let Ok(Some(name)) = identifier("name", text("name"), out)
        {
            name.clone_into(&mut self.name);
        }
        match text("arguments") {
            Some(value @ Json::String(piece)) => {
                check_value("a piece of the arguments", value, out);
                self.has_arguments = true;
                self.arguments.push_str(&piece.text);
            }
            None | Some(Json::Null) => {}
            Some(other) => {
                let message = format!(
                    "a piece of the arguments has to be a string, not {}",
                    kind(other)
                );
                out.fault(FaultCode::BadField, message);
            }
        }
        self.len().saturating_sub(before)
    }

    fn len(&self) -> usize {
        self.id.len() + self.name.len() + self.arguments.len()
    }

    fn function(&mut self) -> Json<'static> {
        let mut members = vec![(text("name"), Json::from(std::mem::take(&mut self.name)))];
        if self.has_arguments {
            let arguments = std::mem::take(&mut self.arguments);
            members.push((text("arguments"), Json::from(arguments)));
        }
        Json::Object(members)
    }
}

impl Choice {
    fn message(self) -> Json<'static> {
        let entry = |mut call: Call| {
            Json::Object(vec![
                (text("function"), call.function()),
                (text("id"), Json::from(call.id)),
            ])
        };
        let calls = self.calls.into_values().flatten().map(entry).collect();
        let mut members = vec![
            (text("role"), Json::from("assistant".to_owned())),
            (text("tool_calls"), Json::Array(calls)),
        ];
        if let Some(mut call) = self.legacy {
            members.push((text("function_call"), call.function()));
        }
        Json::Object(members)
    }
}

fn text(word: &'static str) -> Text<'static> {
    Text {
        text: Cow::Borrowed(word),
        damage: Damage::None,
    }
}

/// Whether a choice has a piece of a call.
fn has_call(choice: &Json<'_>) -> bool {
    let has = |field: &&str| {
        let piece = choice.get("delta").and_then(|delta| delta.get(field));
        piece.is_some_and(|piece| *piece != Json::Null)
    };
    ["tool_calls", "function_call"].iter().any(has)
}

fn id(chunk: &Json<'_>) -> Option<String> {
    chunk.get("id").and_then(Json::as_str).map(str::to_owned)
}

fn index(of: &Json<'_>) -> Option<u64> {
    match of.get("index") {
        Some(Json::Number(number)) => number.parse().ok(),
        _ => None,
    }
}
