//! Requests and responses of the API: a conversation, which every request repeats.

use crate::import::Sink;
use crate::import::foreign::ids::Fingerprint;
use crate::import::foreign::parts::{self, Part};
use crate::import::foreign::{Out, Run, Told, kind, meta, once, quote};
use crate::trace::event::{RunStart, RunStatus, ToolCall};
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::HashMap;

/// A conversation.
pub struct Conversation {
    run: Run,
    /// The contents of the request before, by their hash.
    known: Vec<Fingerprint>,
    /// Calls of responses that the next request repeats.
    told_before: HashMap<Fingerprint, u64>,
    /// Whether the content before is the model's: what follows it of the model is the same answer.
    is_answering: bool,
    is_answered: bool,
    /// Id of the response before, if it has one.
    response: Option<String>,
    /// Where its last content stands.
    place: Place,
}

/// The hash of a content.
pub fn hash(content: &Json<'_>) -> Fingerprint {
    Fingerprint::of("", content.to_compact().as_bytes())
}

impl Conversation {
    /// One without contents. Without a name it is the run named after the file.
    pub fn new(name: Option<String>, place: Place) -> Self {
        Conversation {
            run: Run::new(name),
            known: Vec::new(),
            told_before: HashMap::new(),
            is_answering: false,
            is_answered: false,
            response: None,
            place,
        }
    }

    /// Name of its run; `None` is the run named after the file.
    pub fn name(&self) -> Option<&str> {
        self.run.name()
    }

    /// Whether these contents begin with all those that it has.
    pub fn begins(&self, contents: &[Fingerprint]) -> bool {
        let same = contents.get(..self.known.len());
        !self.known.is_empty() && same == Some(&self.known[..])
    }

    /// Begins the run, unless it has begun.
    pub fn start(&mut self, intent: Option<&str>, model: Option<&Json<'_>>, out: &mut Out<'_>) {
        let start = RunStart {
            intent: intent.map(|text| Cow::Owned(text.to_owned())),
            meta: meta([("model", model)]),
            ..RunStart::default()
        };
        self.run.begin(start, out);
    }

    /// Reads the contents of a request beyond those that the request before had.
    pub fn request(
        &mut self,
        contents: &[Json<'_>],
        hashes: Vec<Fingerprint>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        let new = contents.get(self.known.len()..).unwrap_or_default();
        for content in new {
            self.content(content, true, told, out);
        }
        self.known = hashes;
        // What the request left out of the responses before it is not repeated later.
        self.told_before.clear();
    }

    /// Reads an answer of the model.
    pub fn response(&mut self, response: &Json<'_>, told: &mut Told, out: &mut Out<'_>) {
        let candidates = response.get("candidates").and_then(Json::as_array);
        let candidates = candidates.unwrap_or_default();
        if candidates.len() > 1 {
            let message = "of several candidates the first is taken";
            told.assume(message, out);
        }
        if let Some(content) = candidates.first().and_then(|c| c.get("content")) {
            let id = response.get("responseId").and_then(Json::as_str);
            if id.is_some() && id != self.response.as_deref() {
                self.end_answer();
                self.response = id.map(str::to_owned);
            }
            let model = response.get("modelVersion");
            self.start(None, model, out);
            self.content(content, false, told, out);
        }
    }

    /// The answer of the model that follows is another one.
    pub fn end_answer(&mut self) {
        self.is_answering = false;
    }

    /// Reads a content. `is_repeated` says that it may be a response written again.
    pub fn content(
        &mut self,
        content: &Json<'_>,
        is_repeated: bool,
        told: &mut Told,
        out: &mut Out<'_>,
    ) {
        self.place = out.place();
        if once(content, &["role", "parts"], out).is_err() {
            return;
        }
        let list = match content.get("parts") {
            Some(Json::Array(parts)) => parts,
            // The model may say nothing.
            None | Some(Json::Null) if matches!(content, Json::Object(_)) => &[][..],
            other => {
                let found = kind(other.unwrap_or(content));
                let message = format!("a content has to have `parts`, an array, not {found}");
                return out.fault(FaultCode::BadField, message);
            }
        };
        let is_model = match content.get("role").and_then(Json::as_str) {
            Some("model") => true,
            Some("user" | "function" | "tool" | "system") => false,
            // Only responses leave out who speaks.
            None => !is_repeated,
            Some(role) => {
                let message = format!("unknown role {}", quote(role));
                return out.fault(FaultCode::BadField, message);
            }
        };
        if is_model && !self.is_answering {
            self.is_answered = true;
        }
        let mut is_first = !is_model || !self.is_answering;
        self.is_answering = is_model;
        self.is_answered &= is_model;
        for part in list {
            match parts::read(part, told, out) {
                Some(Part::Call(call)) => {
                    self.is_answered = false;
                    let print = Fingerprint::of(&call.tool, call.args.bytes());
                    if is_repeated && self.is_told_before(print) {
                        continue;
                    }
                    if !is_repeated {
                        *self.told_before.entry(print).or_default() += 1;
                    }
                    self.call(*call, std::mem::take(&mut is_first), out);
                }
                Some(Part::Answer(returned)) => returned.give(&mut self.run, out),
                None => {}
            }
        }
        let says = || list.iter().filter_map(parts::text);
        if !is_model && let Some(text) = says().find(|text| !text.trim().is_empty()) {
            self.start(Some(text.trim()), None, out);
            self.run.release(out);
        }
    }

    fn is_told_before(&mut self, print: Fingerprint) -> bool {
        match self.told_before.get_mut(&print) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }

    fn call(&mut self, call: ToolCall<'static>, is_first: bool, out: &mut Out<'_>) {
        if is_first {
            self.run.turn(None);
            // Results follow the content that asks for them.
            self.run.end_order();
        }
        self.run.call(call, out);
    }

    /// Ends the run: as answered, if its last content is the model's and calls nothing. `stem` names
    /// a run without a name, for notices.
    pub fn finish(self, stem: &str, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, self.place);
        out.set_run(self.run.name().unwrap_or(stem));
        let status = self.is_answered.then_some(RunStatus::Answered);
        self.run.finish(status, &mut out);
    }
}

/// The first prompt in a list of contents.
pub fn intent<'j>(contents: &'j [Json<'j>]) -> Option<&'j str> {
    let role = |content: &Json<'_>| {
        content
            .get("role")
            .and_then(Json::as_str)
            .map(str::to_owned)
    };
    let is_user = |content: &&Json<'_>| matches!(role(content).as_deref(), None | Some("user"));
    let parts = contents
        .iter()
        .filter(is_user)
        .filter_map(|c| c.get("parts")?.as_array());
    let mut texts = parts.flatten().filter_map(parts::text).map(str::trim);
    texts.find(|text| !text.is_empty())
}
