//! Labelled cases: one call a record, with what the user asked for and what the call is known to be.
//! They are what the semantic firewall is calibrated on.
//!
//! **Runs.** A case is a run of one call, named by its `id`. A case that comes again under its id is
//! read once; another one of that id is a fault, and is not used.

use super::foreign::{
    Out, Told, Unusable, arguments, check_bytes, check_value, identifier, kind, meta, once, open,
    quote, tool_name,
};
use super::{Format, Importer, Mapping, Record, Sign, Sink, near};
use crate::import::foreign::ids::Fingerprint;
use crate::trace::event::{Event, GroundTruth, RunEnd, RunStart, RunStatus, ToolCall};
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::Json;
use std::borrow::Cow;
use std::collections::HashMap;

/// Labelled cases.
pub const FORMAT: Format = Format {
    id: "cases",
    title: "labelled cases",
    doc: "Labelled cases to calibrate with: a call a line, with its `intent` and a `label`",
    seen: "all",
    mapping: Mapping {
        run: "`id`, or the number of the case",
        intent: "`intent`",
        meta: "`category` and `group`",
        args: "`args`",
        label: "`label`: `benign`; `attack` and `harm` are attacks",
        end: "with its call",
        ..Mapping::NOTHING
    },
    notes: &[
        "A file is recognised by a record with `tool` and a `label` of the three, and neither `type` nor `run`; cases without labels have to be named with `--from cases`.",
        "`category` says what kind of harm it is. Cases of one `group` are not independent of each other, as those \
         with one intent are not.",
        "A case without `args` has none; one without `intent` is judged without.",
    ],
    recognise,
    importer: |_| Box::new(Cases::default()),
};

/// The words of `label`.
const LABELS: &[(GroundTruth, &str)] = &[
    (GroundTruth::Benign, "benign"),
    (GroundTruth::Attack, "harm"),
    (GroundTruth::Attack, "attack"),
];

/// Fields that mean something.
const FIELDS: &[&str] = &["id", "intent", "tool", "args", "label", "category", "group"];

/// Fields that no case has, but records of traces do.
const FOREIGN: &[&str] = &["type", "run"];

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let text = |record: &Json<'_>, field: &str| {
        let value = record.get(field).and_then(Json::as_str);
        value.map(str::to_owned)
    };
    let is_case = |record: &Json<'_>| {
        let label = text(record, "label").unwrap_or_default();
        text(record, "tool").is_some() && LABELS.iter().any(|(_, word)| *word == label)
    };
    let strange = |record: &Json<'_>| FOREIGN.iter().any(|field| record.get(field).is_some());
    let cases = sample.iter().any(is_case) && !sample.iter().any(strange);
    cases.then(|| Sign::decisive("a record with `tool` and a `label`"))
}

/// Reader of one input.
#[derive(Default)]
struct Cases {
    /// Records so far.
    records: u64,
    /// What the case of each id is.
    seen: HashMap<Box<str>, Fingerprint>,
    unknown: u64,
    told: Told,
}

impl Importer for Cases {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        let Some(case) = open(&record, &mut out) else {
            return;
        };
        check_bytes(&record, &mut out);
        // What is wrong with it has been told.
        let _ = self.case(&case, &mut out);
    }

    fn unknown_fields(&self) -> u64 {
        self.unknown
    }
}

impl Cases {
    fn case(&mut self, case: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        if FOREIGN.iter().any(|field| case.get(field).is_some()) {
            out.stranger(FORMAT.title);
            return Err(Unusable);
        }
        once(case, FIELDS, out)?;
        let given = id(case, out)?;
        let run = given.clone();
        let run = run.unwrap_or_else(|| format!("case-{}", self.records));
        out.set_run(&*run);
        let tool = tool_name("tool", case.get("tool"), out)?;
        let label = label(case, out)?;
        let intent = prose("intent", case, out)?;
        prose("category", case, out)?;
        if let Some(group @ (Json::Array(_) | Json::Object(_) | Json::Bool(_))) = case.get("group")
        {
            let found = kind(group);
            let message = format!("`group` has to be a string or a number, not {found}");
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
        if let Some(id) = given {
            self.first_of(id, case, out)?;
        }
        self.strange_fields(case, out);
        let args = arguments(tool, case.get("args"), out);
        let name = || Some(Cow::Borrowed(&*run));
        out.event(Event::RunStart(RunStart {
            run: name(),
            intent: intent.map(Cow::Borrowed),
            label,
            meta: meta(["category", "group"].map(|field| (field, case.get(field)))),
            ..RunStart::default()
        }));
        out.event(Event::ToolCall(Box::new(ToolCall {
            run: name(),
            tool: Cow::Borrowed(tool),
            args,
            ..ToolCall::default()
        })));
        out.event(Event::RunEnd(RunEnd {
            run: name(),
            status: RunStatus::Answered,
        }));
        Ok(())
    }

    /// Counts fields that mean nothing, and tells once of each that may be a slip.
    fn strange_fields(&mut self, case: &Json<'_>, out: &mut Out<'_>) {
        let Json::Object(members) = case else { return };
        let known = |name: &str| FIELDS.contains(&name);
        for (key, _) in members.iter().filter(|(key, _)| !known(&key.text)) {
            self.unknown += 1;
            let Some(meant) = near::similar(&key.text, FIELDS.iter().copied()) else {
                continue;
            };
            if self.told.first(&key.text) {
                let message = format!("{} is no known field and is ignored", quote(&key.text));
                let help = format!("did you mean `{meant}`");
                out.warn_with_help(WarningCode::SimilarField, message, help);
            }
        }
    }

    /// Whether no case of that id came before.
    fn first_of(&mut self, id: String, case: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let print = Fingerprint::of(&id, case.to_compact().as_bytes());
        match self.seen.get(&*id) {
            None => {
                self.seen.insert(id.into(), print);
                return Ok(());
            }
            Some(before) if *before == print => {
                let message = format!("case {} came before; it is read once", quote(&id));
                out.warn(WarningCode::RepeatedCall, message);
            }
            Some(_) => {
                let message = format!("case {} came before, with other content", quote(&id));
                out.fault(FaultCode::DuplicateCallId, message);
            }
        }
        Err(Unusable)
    }
}

/// The id of a case: a text or a number. Absent, null and empty are none.
fn id(case: &Json<'_>, out: &mut Out<'_>) -> Result<Option<String>, Unusable> {
    if let Some(Json::Number(number)) = case.get("id") {
        return Ok(Some((*number).to_owned()));
    }
    let id = identifier("id", case.get("id"), out)?;
    Ok(id.filter(|id| !id.is_empty()).map(str::to_owned))
}

/// What the case is known to be; absent and null are unknown.
fn label(case: &Json<'_>, out: &mut Out<'_>) -> Result<Option<GroundTruth>, Unusable> {
    let Some(word) = identifier("label", case.get("label"), out)? else {
        return Ok(None);
    };
    if let Some((truth, _)) = LABELS.iter().find(|(_, known)| *known == word) {
        return Ok(Some(*truth));
    }
    let message = format!("`label` is {}, the case is not used", quote(word));
    let help = "a label is `benign`, `harm` or `attack`";
    out.fault_with_help(FaultCode::BadField, message, help);
    Err(Unusable)
}

/// A text that people read; absent and null are none.
fn prose<'j>(
    field: &str,
    case: &'j Json<'_>,
    out: &mut Out<'_>,
) -> Result<Option<&'j str>, Unusable> {
    match case.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(value @ Json::String(text)) => {
            check_value(&format!("`{field}`"), value, out);
            Ok(Some(&text.text))
        }
        Some(other) => {
            let message = format!("`{field}` has to be a string, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            Err(Unusable)
        }
    }
}
