//! OpenHands: the events of its first version (V0) and of its software agent SDK (V1).
//!
//! | record | run |
//! |---|---|
//! | an event | all such events of the input are one run, named after the file |
//! | `{"history": [..]}` or `{"trajectory": [..]}`, as evaluations write | one, named by `instance_id`, else the file, from the second one on `<file>-<n>` |
//!
//! **V0.** An action of the agent that does something is a call, of the tool that `tool_call_metadata`
//! names, else of the action. The metadata hold the whole answer of the model and come again with the
//! observation; a call is counted at its action alone. The arguments are those that the model wrote,
//! where the metadata have them, else `args` without what the program adds. An observation belongs to
//! the action whose `id` is its `cause`. What the user and the environment do is left out.
//!
//! An action that somebody had to confirm is written twice: as one that waits, and again with the
//! decision. It is one call, with the approval that was given or denied. One that is never decided
//! was escalated.
//!
//! **V1.** An `ActionEvent` is a call of `tool_name`. Its arguments are those of `tool_call`; `action`
//! is null where they were not valid. What the model writes for the program alone, `security_risk`
//! and `summary`, is no argument. Observations belong to the call by `tool_call_id`, else by
//! `action_id`. `UserRejectObservation` is a refusal.
//!
//! **Turns.** Calls of one answer of the model are one turn: of one `llm_response_id`, or of one `id`
//! of the `model_response`. Without these each call is a turn of its own.
//!
//! Times are naive and stay as they are written.

mod args;
mod recognise;
mod session;
mod v0;
mod v1;

use super::foreign::{Out, Told, Unusable, check_bytes, identifier, kind, meta, once, open};
use super::{Format, Importer, Mapping, Opening, Record, Sink};
use crate::trace::event::RunStart;
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;
use session::Session;

/// OpenHands.
pub const FORMAT: Format = Format {
    id: "openhands",
    title: "OpenHands",
    doc: "OpenHands events: V0 trajectories and V1 SDK events, in a list or one a line",
    seen: "V0, SDK 1.58",
    mapping: Mapping {
        run: "`instance_id` of a list, else the file",
        intent: "the first message of the user",
        meta: "of an evaluation: `agent_class`, `model`",
        turn: "calls of one answer of the model: `llm_response_id`, `model_response.id` of V0",
        id: "`tool_call_id`, else `id` of the event",
        args: "`tool_call.arguments`; of V0 the arguments in `model_response`, else `args`",
        result: "`observation.content` or `error`; of V0 `content`",
        error: "`is_error`, or an `AgentErrorEvent`; of V0 an observation `error`, or `success`",
        cost: "V0 only, of the model: what `accumulated_cost` grew by; the next result bears it",
        approval: "V0 only: `confirmation_state` of an action that waited",
        decision: "what was rejected, and of V0 what waited to be confirmed",
        end: "answered at `finish` or a last message of the agent; aborted by an error, or stopped",
        ts: "`timestamp`, naive as it is written",
        ..Mapping::NOTHING
    },
    notes: &[
        "`security_risk` and `summary`, which the model writes for the program, are no arguments and decide nothing.",
        "A call whose arguments did not parse has unknown arguments.",
        "Files with one event each are to be joined first: `jq -c . events/*.json`, in the order of their numbers.",
        "Calls of agents behind the Agent Client Protocol (`ACPToolCallEvent`) are not read: a fault says so.",
    ],
    recognise: recognise::recognise,
    importer: |opening| Box::new(OpenHands::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "action",
    "action_id",
    "cause",
    "history",
    "id",
    "instance_id",
    "kind",
    "llm_response_id",
    "observation",
    "source",
    "tool_call",
    "tool_call_id",
    "tool_call_metadata",
    "tool_name",
    "trajectory",
];

/// Reader of one input.
pub struct OpenHands {
    stem: String,
    lists: u64,
    told: Told,
    /// The run of events that stand alone, and where its last event stood.
    loose: Option<(Session, Place)>,
}

impl OpenHands {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        OpenHands {
            stem: opening.stem.to_owned(),
            lists: 0,
            told: Told::default(),
            loose: None,
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        once(record, FIELDS, out)?;
        let list = ["history", "trajectory"];
        let events = list.iter().find_map(|field| record.get(field));
        let Some(events) = events.filter(|_| !recognise::is_event(record)) else {
            out.set_run(&*self.stem);
            let new = || (Session::new(None), out.place());
            let (session, place) = self.loose.get_or_insert_with(new);
            *place = out.place();
            return event(session, record, &mut self.told, out);
        };
        self.lists += 1;
        let id = identifier("instance_id", record.get("instance_id"), out)?;
        let name = match id.filter(|id| !id.is_empty()) {
            Some(id) => Some(id.to_owned()),
            None => (self.lists > 1).then(|| format!("{}-{}", self.stem, self.lists)),
        };
        out.set_run(name.as_deref().unwrap_or(&self.stem));
        let Json::Array(events) = events else {
            let message = format!("events have to be an array, not {}", kind(events));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        };
        let mut session = Session::new(name);
        session.start = start(record);
        // Older evaluations write pairs of an action and its observation.
        let events = events.iter().flat_map(|event| match event {
            Json::Array(pair) => &pair[..],
            event => std::slice::from_ref(event),
        });
        for one in events {
            // What makes it unusable has been reported.
            let _ = event(&mut session, one, &mut self.told, out);
        }
        if !session.run.has_begun() {
            session.run.begin(std::mem::take(&mut session.start), out);
        }
        session.finish(out);
        Ok(())
    }
}

fn start(record: &Json<'_>) -> RunStart<'static> {
    let of = |path: &[&str]| {
        path.iter()
            .try_fold(record, |value, field| value.get(field))
    };
    let model = of(&["metadata", "llm_config", "model"]);
    let known = [
        ("agent_class", of(&["metadata", "agent_class"])),
        ("model", model.or_else(|| of(&["metadata", "llm", "model"]))),
    ];
    RunStart {
        meta: meta(known),
        ..RunStart::default()
    }
}

fn event(
    session: &mut Session,
    event: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    if !matches!(event, Json::Object(_)) {
        let message = format!("an event has to be an object, not {}", kind(event));
        out.fault(FaultCode::BadField, message);
        return Err(Unusable);
    }
    once(event, FIELDS, out)?;
    if event.get("kind").is_some() {
        v1::read(session, event, told, out)
    } else {
        v0::read(session, event, told, out)
    }
}

impl Importer for OpenHands {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open(&record, &mut out) {
            check_bytes(&record, &mut out);
            // What makes it unusable has been reported.
            let _ = self.dispatch(&json, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        if let Some((session, place)) = self.loose.take() {
            let mut out = Out::new(sink, place);
            out.set_run(&*self.stem);
            session.finish(&mut out);
        }
    }
}
