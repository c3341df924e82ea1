//! An answer that was recorded as it streamed: pieces of one call are told by their `index`.

use crate::import::foreign::{Out, arguments, identifier, kind, tool_name};
use crate::trace::event::ToolCall;
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::HashMap;

/// The answer that is streaming.
#[derive(Debug)]
pub struct Stream {
    /// Its id; empty where it has none.
    pub id: String,
    /// Where its first piece stood.
    pub place: Place,
    calls: Vec<Call>,
    /// Where in that list the calls with an index are.
    places: HashMap<String, usize>,
    held: usize,
    most: usize,
    is_full: bool,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    name: String,
    args: String,
}

impl Stream {
    /// One of which nothing has been seen, and which holds `most` bytes.
    pub fn new(id: &str, place: Place, most: usize) -> Self {
        Stream {
            id: id.to_owned(),
            place,
            calls: Vec::new(),
            places: HashMap::new(),
            held: 0,
            most,
            is_full: false,
        }
    }

    /// Takes the next piece of the answer.
    pub fn take(&mut self, body: &Json<'_>, out: &mut Out<'_>) {
        let pieces = match body.get("tool_call_chunks") {
            None | Some(Json::Null) => return,
            Some(Json::Array(pieces)) => pieces,
            Some(other) => {
                let message = format!("`tool_call_chunks` has to be an array, not {}", kind(other));
                return out.fault(FaultCode::BadField, message);
            }
        };
        if self.is_full {
            return;
        }
        for piece in pieces {
            self.piece(piece, out);
        }
        if self.held > self.most {
            self.is_full = true;
            self.calls.clear();
            let message = format!(
                "an answer streams more than {} bytes of calls, they are not used",
                self.most
            );
            out.fault(FaultCode::LineTooLong, message);
        }
    }

    fn piece(&mut self, piece: &Json<'_>, out: &mut Out<'_>) {
        let index = match piece.get("index") {
            Some(Json::Number(index)) => Some((*index).to_owned()),
            Some(Json::String(index)) => Some(index.text.to_string()),
            _ => None,
        };
        let Ok(id) = identifier("id", piece.get("id"), out) else {
            return;
        };
        let Ok(name) = identifier("name", piece.get("name"), out) else {
            return;
        };
        let args = piece.get("args").and_then(Json::as_str).unwrap_or_default();
        let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
        self.held += id.len() + name.len() + args.len() + size_of::<Call>();
        let end = self.calls.len();
        let at = index.map_or(end, |index| *self.places.entry(index).or_insert(end));
        if at == end {
            self.calls.push(Call::default());
        }
        if let Some(call) = self.calls.get_mut(at) {
            call.id.push_str(id);
            call.name.push_str(name);
            call.args.push_str(args);
        }
    }

    /// The calls, put together.
    pub fn finish(self, out: &mut Out<'_>) -> Vec<ToolCall<'static>> {
        let mut calls = Vec::new();
        for call in self.calls {
            let name = Json::from(call.name);
            let Ok(tool) = tool_name("name", Some(&name), out) else {
                continue;
            };
            let args = Json::from(call.args);
            calls.push(ToolCall {
                tool: Cow::Owned(tool.to_owned()),
                id: (!call.id.is_empty()).then_some(Cow::Owned(call.id)),
                args: arguments(tool, Some(&args), out),
                ..ToolCall::default()
            });
        }
        calls
    }
}
