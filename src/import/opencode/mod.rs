//! OpenCode: the document that `opencode export` writes, and the lines of
//! `opencode run --format json`.
//!
//! **Runs.** A session is a run. A session that another one has begun is a run of its own, named
//! `<parent>/<session>`, where the document tells the parent; the lines do not.
//!
//! **Turns.** One message of the assistant is one turn. A call and its result are one part of it, so
//! the calls of a message are handed on first and what became of them after that. The lines come in
//! the order in which calls ended: those of a message are held until its step is finished, and then
//! put in the order in which they began.
//!
//! **Calls that could not be read.** Where the model wrote arguments that do not parse, or named a
//! tool that there is not, OpenCode runs its tool `invalid` instead, whose input names the tool that
//! was meant. That tool is taken, its arguments are not known, and its result is an error. The
//! arguments of a call that is `pending` are not known either: they were still being written.
//!
//! **Refusals** are told by the text of an error, of which OpenCode has one for each kind. Approvals
//! that were given are not recorded.

mod export;
mod part;
mod recognise;
mod stream;

use super::foreign::{Out, Told, check_bytes, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::fault::FaultCode;
use stream::Stream;

/// OpenCode.
pub const FORMAT: Format = Format {
    id: "opencode",
    title: "OpenCode",
    doc: "OpenCode sessions: `opencode export`, and the lines of `opencode run --format json`",
    seen: "1.18",
    mapping: Mapping {
        run: "`info.id`, of a child session `<parentID>/<id>`; `sessionID` of lines",
        agent: "`info.agent`; of a call `agent` of its message, where it is another",
        intent: "the first text of the user; lines have none",
        meta: "`info.directory`, `info.version`, `info.title`, `info.model`",
        turn: "a message of the assistant: `messageID` of lines",
        id: "`callID` of the `tool` part",
        args: "`state.input`",
        result: "`state.output`, or `state.error`",
        error: "`state.status`; a call that could not be read is one",
        cost: "of the model, by message: the next result bears it",
        decision: "refusals only, by the text of an error",
        end: "answered, where the last message of a document stopped without a call; aborted, where it was",
        ts: "`state.time.start`, of a result `state.time.end`",
        ..Mapping::NOTHING
    },
    notes: &[
        "The tool `invalid` stands for a call that could not be read: the tool that was meant is taken, its arguments are not known.",
        "A call that is `pending` or `running` has no result.",
        "A refused call is recorded as blocked and has no result. Approvals that were given are not recorded.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(OpenCode::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &["info", "messages", "type", "sessionID", "part"];

/// Reader of one input.
pub struct OpenCode {
    stem: String,
    told: Told,
    stream: Stream,
    /// How many documents there were.
    documents: u64,
}

impl OpenCode {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        OpenCode {
            stem: opening.stem.to_owned(),
            told: Told::default(),
            stream: Stream::new(opening.max_hold),
            documents: 0,
        }
    }

    /// Name of a document that names no session: after the file, and its number if it is not the
    /// first.
    fn unnamed(&self) -> Option<String> {
        (self.documents > 1).then(|| format!("{}-{}", self.stem, self.documents))
    }
}

impl Importer for OpenCode {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        let Some(json) = open(&record, &mut out) else {
            return;
        };
        let is_usable = once(&json, FIELDS, &mut out).is_ok();
        check_bytes(&record, &mut out);
        if !is_usable {
            return;
        }
        if json.get("sessionID").is_some() {
            self.stream.row(&json, &record, &mut self.told, sink);
        } else if json.get("info").is_some() && json.get("messages").is_some() {
            self.documents += 1;
            let unnamed = self.unnamed();
            let stem = unnamed.as_deref().unwrap_or(&self.stem);
            out.set_run(stem);
            export::read(&json, unnamed.clone(), &mut self.told, &mut out);
        } else {
            let message = "a record without `sessionID` and without `info` and `messages`";
            out.fault(FaultCode::MissingField, message);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.stream.finish(&self.stem, sink);
    }
}
