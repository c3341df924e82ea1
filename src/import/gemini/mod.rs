//! Recordings of Gemini: sessions of its command line, and requests and responses of its API.
//!
//! | record | holds |
//! |---|---|
//! | `{"sessionId", "projectHash", "startTime", "kind"}` | the beginning of a session of the command line |
//! | `{"id", "type": "user" \| "gemini", "content", "toolCalls"}` | a message of it, written again under its id when it changes |
//! | `{"$set": {..}}` | a change of the session, which may give messages |
//! | `{"sessionId", "projectHash", "messages": [..]}` | a whole session, of older versions |
//! | `{"type": "init" \| "message" \| "tool_use" \| "tool_result" \| "result"}` | a row of `--output-format stream-json` |
//! | `{"contents": [..]}` | a request |
//! | `{"candidates": [..]}` | a response, or a piece of one |
//! | `{"method", "response"}` | a recorded response of the command line; several pieces are a list |
//! | `{"request": {..}, "response": {..}}` | both |
//! | `{"role", "parts"}` | a content |
//!
//! **Runs.** A session is a run. So is a conversation of the API: it is named `<file>-<n>`, n the
//! number of its first record, and a request whose contents begin with all those of an earlier one
//! goes on with that; the last 32 are remembered. Responses and contents that stand alone go on
//! with the conversation before them; without one they are the run named after the file.
//!
//! **Turns.** A message of the model is a turn. In the stream, calls are of one turn until a result
//! comes.
//!
//! **Messages that change** are written again under their id, and the last copy counts: one message
//! is held back until another one comes, and a call is told once, with what became of it. The result
//! that a message of the user repeats is only taken where its call has none.
//!
//! **Ids.** The API gives none in older versions. Results of calls without an id go to the calls of
//! their function in order, and follow the content that asks for them.
//!
//! **Refusals.** A call that the user cancelled did not run, unless its result says that it had
//! begun: then it failed.

mod api;
mod chat;
mod recognise;
mod stream;

use super::foreign::{Out, Told, check_bytes, identifier, kind, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use api::Conversation;
use chat::Chat;
use std::collections::VecDeque;
use stream::Stream;

/// Gemini.
pub const FORMAT: Format = Format {
    id: "gemini",
    title: "Gemini",
    doc: "Gemini CLI sessions and its stream-json output, requests and responses of the Gemini API",
    seen: "Gemini CLI 0.61, API v1beta",
    mapping: Mapping {
        run: "`sessionId`, `session_id` of the stream; a conversation of the API is `<file>-<n>`",
        intent: "the first prompt of the user",
        meta: "`model`, `kind`",
        turn: "a message of the model; in the stream, calls until a result comes",
        id: "`id`, `tool_id`; the API may have none",
        args: "`args`, `parameters`",
        result: "`functionResponse.response`, without the object around a lone `output`, `result` or `error`",
        error: "`status`; of the API `error` or `status` in the response",
        decision: "calls that the user cancelled",
        end: "`result` of the stream; answered, where the last content of a conversation is the model's and calls nothing",
        ts: "`timestamp`; the API has none",
        ..Mapping::NOTHING
    },
    notes: &[
        "Messages of a session are written again when they change: a call is counted once, with its last state.",
        "A cancelled call is recorded as blocked and has no result, unless its result says that it had begun to run.",
        "Results of calls without an id go to the calls of their function in order.",
        "A log of requests tells the conversation again with each of them: what a request has in common with the one before is counted once.",
        "Code that the model runs on the server is a call of `code_execution`.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(Gemini::new(opening)),
};

/// Conversations of the API that are remembered, so that a later request goes on with one.
const REMEMBERED: usize = 32;

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "candidates",
    "contents",
    "messages",
    "method",
    "parts",
    "projectHash",
    "request",
    "response",
    "role",
    "session_id",
    "sessionId",
    "type",
    "$set",
];

/// Reader of one input.
pub struct Gemini {
    stem: String,
    records: u64,
    chat: Option<Chat>,
    stream: Option<Stream>,
    /// The conversation that was last read stands last.
    conversations: VecDeque<Conversation>,
    told: Told,
}

impl Gemini {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Gemini {
            stem: opening.stem.to_owned(),
            records: 0,
            chat: None,
            stream: None,
            conversations: VecDeque::new(),
            told: Told::default(),
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        if once(record, FIELDS, out).is_err() {
            return;
        }
        let has = |field: &str| record.get(field).is_some();
        let word = |field: &str| record.get(field).and_then(Json::as_str);
        if has("sessionId") && has("projectHash") {
            self.header(record, out);
        } else if let Some(operation) = operation(record) {
            self.patch(operation, record, out);
        } else if has("contents") || has("candidates") {
            self.exchange(record, out);
        } else if has("request") || has("response") {
            self.envelope(record, out);
        } else if has("parts") {
            self.content(record, out);
        } else if let Some(kind) =
            word("type").filter(|kind| !has("id") && stream::TYPES.contains(kind))
        {
            self.row(kind, record, out);
        } else if has("type") {
            let told = &mut self.told;
            let chat = self
                .chat
                .get_or_insert_with(|| Chat::new(None, out.place()));
            out.set_run(chat.name().unwrap_or(&self.stem));
            chat.message(record, told, out);
        } else {
            out.fault(FaultCode::MissingField, "a record of no known kind");
        }
    }

    /// Reads the beginning of a session, or all of one.
    fn header(&mut self, header: &Json<'_>, out: &mut Out<'_>) {
        let Ok(name) = identifier("sessionId", header.get("sessionId"), out) else {
            return;
        };
        let name = name.filter(|name| !name.is_empty());
        if self.chat.as_ref().is_none_or(|chat| chat.name() != name) {
            self.end_chat(out);
        }
        out.set_run(name.unwrap_or(&self.stem));
        let new = || Chat::new(name.map(str::to_owned), out.place());
        let chat = self.chat.get_or_insert_with(new);
        chat.header(header, &mut self.told, out);
        if let Some(messages) = header.get("messages") {
            chat.messages(messages, &mut self.told, out);
        }
    }

    fn patch(&mut self, operation: &str, record: &Json<'_>, out: &mut Out<'_>) {
        let chat = self
            .chat
            .get_or_insert_with(|| Chat::new(None, out.place()));
        out.set_run(chat.name().unwrap_or(&self.stem));
        match operation {
            "$set" => {
                let messages = record.get("$set").and_then(|set| set.get("messages"));
                if let Some(messages) = messages {
                    chat.messages(messages, &mut self.told, out);
                }
            }
            // What a session goes back behind has happened all the same.
            "$rewindTo" => {}
            other => self.told.skip("changes", other, out),
        }
    }

    fn end_chat(&mut self, out: &mut Out<'_>) {
        if let Some(chat) = self.chat.take() {
            out.set_run(chat.name().unwrap_or(&self.stem));
            chat.finish(out);
        }
    }

    fn row(&mut self, kind: &str, row: &Json<'_>, out: &mut Out<'_>) {
        if kind == "init" {
            self.end_stream(out);
        }
        let Ok(name) = identifier("session_id", row.get("session_id"), out) else {
            return;
        };
        let told = &mut self.told;
        if self.stream.is_none() {
            let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
            self.stream = Some(Stream::new(name, row, told, out));
        }
        if let Some(stream) = &mut self.stream {
            out.set_run(stream.name().unwrap_or(&self.stem));
            if let Some(status) = stream.row(kind, row, told, out)
                && let Some(stream) = self.stream.take()
            {
                stream.finish(Some(status), out);
            }
        }
    }

    fn end_stream(&mut self, out: &mut Out<'_>) {
        if let Some(stream) = self.stream.take() {
            out.set_run(stream.name().unwrap_or(&self.stem));
            stream.finish(None, out);
        }
    }

    /// Reads a request or a response, or both where they are in one object.
    fn exchange(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        if let Some(contents) = record.get("contents") {
            self.request(record, contents, out);
        }
        if record.get("candidates").is_some() {
            let told = &mut std::mem::take(&mut self.told);
            self.last(out).response(record, told, out);
            self.told = std::mem::take(told);
        }
    }

    fn envelope(&mut self, record: &Json<'_>, out: &mut Out<'_>) {
        let is_one = record.get("method").is_some();
        for part in ["request", "response"]
            .iter()
            .filter_map(|field| record.get(field))
        {
            if is_one && let Some(conversation) = self.conversations.back_mut() {
                conversation.end_answer();
            }
            let pieces = match part {
                Json::Array(pieces) => pieces,
                Json::Null => &[][..],
                one => std::slice::from_ref(one),
            };
            for piece in pieces {
                if piece.get("contents").is_some() || piece.get("candidates").is_some() {
                    self.exchange(piece, out);
                } else {
                    let message = "requests and responses without contents are left out";
                    self.told.assume(message, out);
                }
            }
        }
    }

    fn request(&mut self, request: &Json<'_>, contents: &Json<'_>, out: &mut Out<'_>) {
        let contents = match contents {
            Json::Array(contents) => contents,
            one @ Json::Object(_) => std::slice::from_ref(one),
            other => {
                let message = format!("`contents` has to be an array, not {}", kind(other));
                return out.fault(FaultCode::BadField, message);
            }
        };
        let hashes: Vec<_> = contents.iter().map(api::hash).collect();
        let found = self.conversations.iter().rposition(|c| c.begins(&hashes));
        let conversation = match found.and_then(|at| self.conversations.remove(at)) {
            Some(conversation) => conversation,
            None => {
                let name = format!("{}-{}", self.stem, self.records);
                Conversation::new(Some(name), out.place())
            }
        };
        self.conversations.push_back(conversation);
        if let Some(conversation) = self.conversations.back_mut() {
            out.set_run(conversation.name().unwrap_or(&self.stem));
            conversation.start(api::intent(contents), request.get("model"), out);
            conversation.request(contents, hashes, &mut self.told, out);
        }
    }

    fn content(&mut self, content: &Json<'_>, out: &mut Out<'_>) {
        let told = &mut std::mem::take(&mut self.told);
        self.last(out).content(content, true, told, out);
        self.told = std::mem::take(told);
    }

    /// The conversation that was last read, or a new one without a name.
    fn last(&mut self, out: &mut Out<'_>) -> &mut Conversation {
        let last = match self.conversations.pop_back() {
            Some(last) => last,
            None => Conversation::new(None, out.place()),
        };
        out.set_run(last.name().unwrap_or(&self.stem));
        self.conversations.push_back(last);
        let at = self.conversations.len() - 1;
        &mut self.conversations[at]
    }
}

/// What a record changes of a session, if it is a change.
fn operation<'j>(record: &'j Json<'j>) -> Option<&'j str> {
    let Json::Object(members) = record else {
        return None;
    };
    let mut keys = members.iter().map(|(key, _)| &*key.text);
    keys.find(|key| key.starts_with('$'))
}

impl Importer for Gemini {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            self.dispatch(&json, &mut out);
        }
        while self.conversations.len() > REMEMBERED
            && let Some(oldest) = self.conversations.pop_front()
        {
            oldest.finish(&self.stem, sink);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, Place::default());
        self.end_chat(&mut out);
        self.end_stream(&mut out);
        for conversation in std::mem::take(&mut self.conversations) {
            conversation.finish(&self.stem, sink);
        }
    }
}
