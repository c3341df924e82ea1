//! smolagents: the steps in the memory of an agent, and results of its runs.
//!
//! | record | run |
//! |---|---|
//! | a step, or the task: an element of what `get_full_steps` and `get_succinct_steps` give | all of them in the input are one run, named after the file |
//! | an array of them | one, `<file>-<n>` |
//! | `{"output", "state", "steps": [..]}`, the result of a run | one, `<file>-<n>` |
//!
//! **Calls.** A step is a turn. Where one of its tools has failed, the step has lost its calls: they are
//! those that the model asked for in it. An agent that writes code calls `python_interpreter`; its bare
//! code is put under `code`, where the tool of that name takes it.
//!
//! **Results.** A step has one observation for all its calls, and nothing tells whose part is which. It
//! is the result of the last one, the others have none. An error is that of the call it names.

mod step;

use super::foreign::{
    Answer, Out, Prelude, Run, Told, Unit, Unusable, check_bytes, kind, once, open_value, timestamp,
};
use super::{Format, Importer, Mapping, Opening, Record, Sign, Sink};
use crate::trace::event::RunStatus;
use crate::trace::fault::{FaultCode, Place};
use crate::trace::json::Json;

/// smolagents.
pub const FORMAT: Format = Format {
    id: "smolagents",
    title: "smolagents",
    doc: "smolagents: steps of the memory of an agent, full or succinct, and results of runs",
    seen: "smolagents 1.x",
    mapping: Mapping {
        run: "`<file>-<n>` of a result or of an array in a line, else named after the file",
        intent: "`task`",
        meta: "`model` of the raw answer",
        turn: "a step",
        id: "`id`",
        args: "`function.arguments`; bare code is put under `code`",
        result: "`observations` of the step, and the message of its error",
        error: "`error` of the step",
        end: "answered, by `state`, or where the last step is the final answer",
        ts: "`timing`",
        ..Mapping::NOTHING
    },
    notes: &[
        "A step has one observation for all its calls: it is the result of the last one, the others have none. An error is that of the call that its text names.",
        "A step whose tool failed has lost its calls; they are taken from `model_output_message`.",
        "`final_answer` is a call like any other.",
        "Images that were observed are left out.",
    ],
    recognise,
    importer: |opening| Box::new(Smolagents::new(opening)),
};

/// Fields of a record that decide what it is.
const FIELDS: &[&str] = &[
    "steps",
    "messages",
    "task",
    "step_number",
    "tool_calls",
    "model_output_message",
    "observations",
    "action_output",
    "error",
    "is_final_answer",
];

/// Fields that steps have beside their number.
const MARKS: &[&str] = &["action_output", "code_action", "model_output_message"];

/// Fields of steps that are neither the task nor an action.
const OTHERS: &[&str] = &["output", "plan", "system_prompt"];

fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let is_step = |value: &Json<'_>| {
        let has = |field: &str| value.get(field).is_some();
        let is_action = has("step_number") && has("observations");
        (is_action && MARKS.iter().any(|field| has(field))) || (has("task") && has("task_images"))
    };
    let holds = |record: &Json<'_>| {
        let list = match record {
            Json::Array(steps) => Some(&steps[..]),
            _ => steps(record).and_then(Json::as_array),
        };
        is_step(record) || list.is_some_and(|steps| steps.iter().any(is_step))
    };
    let reason = "steps with their number, observations and the message of the model";
    sample.iter().any(holds).then(|| Sign::decisive(reason))
}

/// The steps of the result of a run.
fn steps<'j>(record: &'j Json<'j>) -> Option<&'j Json<'j>> {
    record.get("steps").or_else(|| record.get("messages"))
}

/// Reader of one input.
pub struct Smolagents {
    stem: String,
    records: u64,
    /// The run of steps that stand alone.
    loose: Option<Memory>,
    told: Told,
}

/// A run.
struct Memory {
    run: Run,
    prelude: Prelude,
    answered: bool,
    place: Place,
}

impl Memory {
    fn new(name: Option<String>) -> Self {
        Memory {
            run: Run::new(name),
            prelude: Prelude::default(),
            answered: false,
            place: Place::default(),
        }
    }

    /// Reads a step.
    ///
    /// # Errors
    /// It cannot be used; the fault has been reported.
    fn step(
        &mut self,
        step: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        if !matches!(step, Json::Object(_)) {
            let message = format!("a step has to be an object, not {}", kind(step));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
        once(step, FIELDS, out)?;
        self.place = out.place();
        let has = |field: &str| step.get(field).is_some();
        if has("step_number") || has("tool_calls") || has("observations") {
            return self.action(step, told, out);
        }
        if let Some(task) = step.get("task") {
            self.answered = false;
            let ts = timestamp(step.get("timestamp"), Unit::Seconds, told, out);
            self.prelude.prompt(task.as_str(), ts, out);
        } else if !OTHERS.iter().any(|field| has(field)) {
            let message = "a step without `step_number` and without `task`";
            out.fault(FaultCode::MissingField, message);
            return Err(Unusable);
        }
        Ok(())
    }

    fn action(
        &mut self,
        step: &Json<'_>,
        told: &mut Told,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let step::Step {
            calls,
            result,
            answers,
        } = step::read(step, told, out)?;
        self.answered = answers;
        let raw = step.get("model_output_message").and_then(|m| m.get("raw"));
        self.prelude
            .note("model", raw.and_then(|raw| raw.get("model")));
        if calls.is_empty() {
            return Ok(());
        }
        self.prelude.begin(&mut self.run, out);
        self.run.turn(None);
        let calls = calls.into_iter().map(|call| self.run.call(call, out));
        let ids: Vec<_> = calls.collect();
        let (index, result) = match result {
            Some((index, result)) => (Some(index), Some(result)),
            None => (None, None),
        };
        let id = index.and_then(|index| ids.into_iter().nth(index)).flatten();
        if let (Some(id), Some(result)) = (id, result) {
            self.run.settle(id, Answer::Result(result), out);
        }
        // Those of its calls that have no result get none.
        self.run.release(out);
        Ok(())
    }

    fn finish(mut self, out: &mut Out<'_>) {
        let mut out = out.at(self.place);
        if self.answered {
            self.prelude.begin(&mut self.run, &mut out);
        }
        self.prelude.end(&mut self.run, &mut out);
        let status = self.answered.then_some(RunStatus::Answered);
        self.run.finish(status, &mut out);
    }
}

impl Smolagents {
    /// Begins an input.
    pub fn new(opening: Opening<'_>) -> Self {
        Smolagents {
            stem: opening.stem.to_owned(),
            records: 0,
            loose: None,
            told: Told::default(),
        }
    }

    fn dispatch(&mut self, record: &Json<'_>, out: &mut Out<'_>) -> Result<(), Unusable> {
        let steps = match record {
            Json::Array(_) => record,
            Json::Object(_) => {
                once(record, FIELDS, out)?;
                let Some(steps) = steps(record) else {
                    out.set_run(&self.stem);
                    let loose = self.loose.get_or_insert_with(|| Memory::new(None));
                    return loose.step(record, &mut self.told, out);
                };
                steps
            }
            other => {
                let message = format!("expected an object, found {}", kind(other));
                out.fault(FaultCode::NotAnObject, message);
                return Err(Unusable);
            }
        };
        let Some(steps) = steps.as_array() else {
            let message = format!("`steps` has to be an array, not {}", kind(steps));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        };
        let name = format!("{}-{}", self.stem, self.records);
        out.set_run(&name);
        let mut memory = Memory::new(Some(name));
        for step in steps {
            // What makes it unusable has been reported.
            let _ = memory.step(step, &mut self.told, out);
        }
        if let Some(state) = record.get("state").and_then(Json::as_str) {
            memory.answered = state == "success";
        }
        memory.finish(out);
        Ok(())
    }
}

impl Importer for Smolagents {
    fn record(&mut self, record: Record<'_>, sink: &mut dyn Sink) {
        self.records += 1;
        let mut out = Out::new(sink, record.place);
        if let Some(json) = open_value(&record, &mut out) {
            check_bytes(&record, &mut out);
            // What makes it unusable has been reported.
            let _ = self.dispatch(&json, &mut out);
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        if let Some(memory) = self.loose.take() {
            let mut out = Out::new(sink, Place::default());
            out.set_run(memory.run.name().unwrap_or(&self.stem));
            memory.finish(&mut out);
        }
    }
}
