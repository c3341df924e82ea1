//! Results of the Berkeley Function Calling Leaderboard: the `*_result.json` files, a test a line.
//!
//! | `result` | what it holds |
//! |---|---|
//! | `[{name: arguments}, ..]` | the calls of one answer |
//! | `[[[{name: arguments}, ..], ..], ..]` | turns of the user, steps in each, the calls of each step |
//! | text, or text in place of a step | what the model wrote, or why it failed: no call |
//!
//! **Runs.** A test is a run, named by its `id`. **Turns.** A step is one answer of the model.
//!
//! Results are not recorded: the calls of single-turn tests are never made. Models that are asked in
//! prose write their calls as text, `[f(a=1)]` or in one of many other ways, which is not read and is a
//! fault.

mod recognise;
mod written;

use super::foreign::{
    Out, Run, Unusable, arguments, check_bytes, identifier, kind, once, open, quote,
};
use super::{Format, Importer, Mapping, Record, Sink};
use crate::trace::event::{RunStart, ToolCall};
use crate::trace::fault::FaultCode;
use crate::trace::json::{Damage, Json, Text};
use std::borrow::Cow;
use written::holds_calls;

/// Results of the Berkeley Function Calling Leaderboard.
pub const FORMAT: Format = Format {
    id: "bfcl",
    title: "BFCL",
    doc: "Results of the Berkeley Function Calling Leaderboard: a test a line, in one turn or several",
    seen: "v3 and v4",
    mapping: Mapping {
        run: "`id`",
        turn: "a step, which is one answer of the model",
        args: "the value under the name of the function",
        ..Mapping::NOTHING
    },
    notes: &[
        "Results, prompts and the name of the model are not recorded.",
        "Calls that a model wrote as text are not read: text that is not plainly prose is a fault.",
    ],
    recognise: recognise::recognise,
    importer: |_| Box::new(Bfcl),
};

/// Reader of one input.
pub struct Bfcl;

impl Importer for Bfcl {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        let mut out = Out::new(sink, record.place);
        let Some(test) = open(&record, &mut out) else {
            return;
        };
        let id = once(&test, &["id", "result"], &mut out)
            .and_then(|()| identifier("id", test.get("id"), &mut out));
        if let Ok(Some(id)) = id {
            out.set_run(id);
        }
        check_bytes(&record, &mut out);
        match id {
            Ok(Some(id)) if !id.is_empty() => read(id, &test, &mut out),
            Ok(_) => out.fault(FaultCode::MissingField, "a test without `id`"),
            Err(_) => {}
        }
    }
}

fn read(id: &str, test: &Json<'_>, out: &mut Out<'_>) {
    let mut run = Run::new(Some(id.to_owned()));
    run.begin(RunStart::default(), out);
    match test.get("result") {
        None => out.fault(FaultCode::MissingField, "a test without `result`"),
        Some(Json::Array(turns)) if turns.iter().any(|turn| turn.as_array().is_some()) => {
            for turn in turns {
                let steps = turn.as_array().unwrap_or(std::slice::from_ref(turn));
                steps.iter().for_each(|one| step(&mut run, one, out));
            }
        }
        Some(answer) => step(&mut run, answer, out),
    }
    run.finish(None, out);
}

/// Reads one answer of the model.
fn step(run: &mut Run, step: &Json<'_>, out: &mut Out<'_>) {
    run.turn(None);
    for entry in step.as_array().unwrap_or(std::slice::from_ref(step)) {
        match entry {
            Json::Object(members) => {
                for (name, args) in members {
                    // What makes a call unusable has been reported.
                    let _ = call(run, name, args, out);
                }
            }
            Json::String(text) if holds_calls(&text.text) => {
                let message = format!(
                    "calls that are written as text are not read: {}",
                    quote(&text.text)
                );
                out.fault(FaultCode::BadField, message);
            }
            Json::String(_) | Json::Null => {}
            other => {
                let message = format!("a call has to be an object, not {}", kind(other));
                out.fault(FaultCode::BadField, message);
            }
        }
    }
}

fn call(
    run: &mut Run,
    name: &Text<'_>,
    args: &Json<'_>,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    if name.damage != Damage::None {
        out.fault(
            FaultCode::InvalidUtf8,
            "the name of a function is damaged, the call is not used",
        );
        return Err(Unusable);
    }
    if name.text.is_empty() {
        out.fault(FaultCode::BadField, "a call with an empty tool name");
        return Err(Unusable);
    }
    let call = ToolCall {
        tool: Cow::Owned(name.text.to_string()),
        args: arguments(&name.text, Some(args), out),
        ..ToolCall::default()
    };
    run.call(call, out);
    Ok(())
}
