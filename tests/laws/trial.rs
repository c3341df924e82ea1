//! Random traces, and the search for the smallest one that breaks a law.

use super::testing::Random;
use serde_json::{Map, Value, json};

/// What the traces of a trial may hold.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Every call says itself how it came out; there are no results of their own.
    pub inline_only: bool,
    /// Calls may name batches.
    pub batches: bool,
    /// Runs may end, and begin again.
    pub ends: bool,
    /// Calls have ids and turns of their own, and turns never fall.
    pub explicit: bool,
    /// No call costs more than it was expected to.
    pub honest: bool,
    /// Records may say what the live system decided.
    pub recorded: bool,
    /// Calls may repeat an earlier one, id and all.
    pub repeats: bool,
    /// Calls may have more than one result, and results may come before their calls.
    pub stray_results: bool,
}

impl Shape {
    pub const ANY: Shape = Shape {
        inline_only: false,
        batches: true,
        ends: true,
        explicit: false,
        honest: false,
        recorded: true,
        repeats: true,
        stray_results: true,
    };
}

const TOOLS: &[&str] = &[
    "sql_query",
    "http_request",
    "file_read",
    "send_email",
    "database_query",
    "webhook_post",
    "think",
    "think",
    "search",
    "write_file",
];

/// What is known of a run while a trace is made up.
#[derive(Default)]
struct Course {
    calls: Vec<Value>,
    turn: u64,
    ended: bool,
    /// Ids of calls that have an outcome.
    answered: Vec<Value>,
}

/// A trace of up to `most` records.
pub fn trace(random: &mut Random, shape: Shape, most: usize) -> Vec<Value> {
    let runs = 1 + random.below(3);
    let mut courses: Vec<Course> = (0..runs).map(|_| Course::default()).collect();
    let mut trace = Vec::new();
    for _ in 0..1 + random.below(most) {
        let index = random.below(runs);
        let course = &mut courses[index];
        let mut record = record(random, shape, course);
        record["run"] = format!("r{index}").into();
        trace.push(record);
    }
    trace
}

fn record(random: &mut Random, shape: Shape, course: &mut Course) -> Value {
    match random.below(100) {
        0..=1 if shape.ends => {
            *course = Course::default();
            json!({"type": "run_start", "agent": "ops"})
        }
        2..=3 if shape.ends => {
            course.ended = true;
            let status = *random.pick(&["answered", "aborted", "timeout"]);
            json!({"type": "run_end", "status": status})
        }
        4..=6 if shape.repeats && !course.ended && !course.calls.is_empty() => {
            random.pick(&course.calls).clone()
        }
        7..=12 => {
            let decision = *random.pick(&["approved", "denied", "expired"]);
            json!({"type": "approval", "call": known(random, course), "decision": decision})
        }
        13..=32 if !shape.inline_only => {
            let of = match shape.stray_results && random.chance(6) {
                true => format!("c{}", course.calls.len() + 1 + random.below(2)).into(),
                false => known(random, course),
            };
            if !shape.stray_results && course.answered.contains(&of) {
                return call(random, shape, course);
            }
            let mut result = json!({"type": "tool_result", "call": of});
            course.answered.push(of);
            outcome(random, shape, None, &mut result);
            result
        }
        _ => call(random, shape, course),
    }
}

/// The id of a call, mostly a late one of the run.
fn known(random: &mut Random, course: &Course) -> Value {
    let late = course.calls.len().saturating_sub(1 + random.below(4));
    match course.calls.get(late) {
        Some(call) if !random.chance(5) => call["id"].clone(),
        _ => "nobody".into(),
    }
}

fn call(random: &mut Random, shape: Shape, course: &mut Course) -> Value {
    let number = course.calls.len() + 1;
    let mut call = json!({"tool": random.pick(TOOLS)});
    let turn = match random.below(10) {
        0..=4 => course.turn + 1,
        5..=7 => course.turn,
        8 => course.turn + 3,
        _ if shape.explicit => course.turn,
        _ => course.turn.saturating_sub(1),
    };
    if shape.explicit || random.chance(50) {
        course.turn = turn;
        call["turn"] = turn.into();
    } else {
        course.turn += 1;
    }
    let given = shape.explicit || random.chance(60);
    let id = match given {
        true => format!("c{number}"),
        false => format!("call-{number}"),
    };
    fields(random, shape, &mut call);
    let estimate = call["estimated_cost_usd"].as_f64();
    if shape.inline_only || random.chance(55) {
        outcome(random, shape, estimate.or(Some(0.01)), &mut call);
        if shape.inline_only && !known_outcome(&call) {
            call["error"] = false.into();
        }
    }
    call["id"] = id.into();
    if known_outcome(&call) {
        course.answered.push(call["id"].clone());
    }
    course.calls.push(call.clone());
    if !given {
        call.as_object_mut().expect("an object").remove("id");
    }
    call
}

/// Whether a call says itself how it came out.
pub fn known_outcome(call: &Value) -> bool {
    let keys = ["result", "error", "cost_usd", "tokens"];
    keys.iter().any(|key| !call[*key].is_null())
}

fn fields(random: &mut Random, shape: Shape, call: &mut Value) {
    if random.chance(70) {
        let args = [
            json!({"path": "notes.txt"}),
            json!({"path": "/etc/passwd", "n": 3}),
            json!({"text": "rm -rf /"}),
            json!(["a", {"b": [true, null, 1.5]}]),
            json!("plain text"),
        ];
        call["args"] = random.pick(&args).clone();
    }
    if random.chance(30) {
        call["estimated_cost_usd"] =
            (*random.pick(&[0.0, 0.01, 0.5, 2.0, 6.0, 0.000_000_001])).into();
    }
    if shape.batches && random.chance(30) {
        call["batch"] = (*random.pick(&["b1", "b1", "b2"])).into();
    }
    if shape.recorded && random.chance(25) {
        call["decision"] = (*random.pick(&["allow", "block", "escalate", "withhold"])).into();
    }
    if random.chance(20) {
        call["semantic_score"] = (*random.pick(&[0.1, 0.5, 0.6, 0.95])).into();
        if random.chance(40) {
            call["approval"] = (*random.pick(&["approved", "denied", "expired"])).into();
        }
    }
    if random.chance(15) {
        call["labels"] = json!([random.pick(&["send_email", "sql_query", "slow"])]);
    }
    if random.chance(30) {
        call["agent"] = (*random.pick(&["ops", "dev", "nobody"])).into();
    }
    for key in ["context_embedding", "action_embedding"] {
        if random.chance(12) {
            // No two of these vectors have a cosine at which the default barrier is zero.
            let mut part = || *random.pick(&[0.0, 1.0, 3.0]);
            call[key] = json!([part(), part(), part()]);
        }
    }
}

/// An outcome; `estimate` is what an honest call may cost at most, nothing without one.
fn outcome(random: &mut Random, shape: Shape, estimate: Option<f64>, record: &mut Value) {
    if random.chance(80) {
        let results = [
            json!(1),
            json!(null),
            json!("some words of a result"),
            json!({"bytes": 1200, "ok": true}),
        ];
        record["result"] = random.pick(&results).clone();
    }
    if random.chance(25) {
        record["error"] = random.chance(50).into();
    }
    if random.chance(45) {
        let cost = *random.pick(&[0.0, 0.01, 0.25, 1.5, 3.0, 0.000_000_007]);
        if !shape.honest || estimate.is_some_and(|estimate| cost <= estimate) {
            record["cost_usd"] = cost.into();
        }
    }
    if random.chance(20) {
        record["tokens"] = random.below(60).into();
    }
}

/// The trace as JSON lines.
pub fn lines(trace: &[Value]) -> Vec<u8> {
    let mut text = String::new();
    for record in trace {
        text += &record.to_string();
        text.push('\n');
    }
    text.into_bytes()
}

/// Records of one run, in order.
pub fn of_run(trace: &[Value], run: &str) -> Vec<Value> {
    let of = |record: &&Value| record["run"] == run;
    trace.iter().filter(of).cloned().collect()
}

/// The ids of the runs of a trace, sorted.
pub fn run_ids(trace: &[Value]) -> Vec<String> {
    let id = |record: &Value| record["run"].as_str().unwrap_or_default().to_owned();
    let mut ids: Vec<String> = trace.iter().map(id).collect();
    ids.sort();
    ids.dedup();
    ids
}

/// Whether the record is a call.
pub fn is_call(record: &Value) -> bool {
    record.get("tool").is_some()
}

/// The members of a record, to be changed.
pub fn members(record: &mut Value) -> &mut Map<String, Value> {
    record.as_object_mut().expect("records are objects")
}

/// Tries a law on random traces. It gets the number of the case to choose by, and says what does
/// not hold.
pub fn trial(
    cases: u64,
    shape: Shape,
    most: usize,
    law: impl Fn(u64, &[Value]) -> Result<(), String>,
) {
    for case in 0..cases {
        let mut random = Random::new(case);
        let mut trace = trace(&mut random, shape, most);
        let Err(mut why) = law(case, &trace) else {
            continue;
        };
        let mut at = trace.len();
        while at > 0 {
            at -= 1;
            let mut less = trace.clone();
            less.remove(at);
            if let Err(still) = law(case, &less) {
                (trace, why) = (less, still);
                at = at.min(trace.len());
            }
        }
        let text = String::from_utf8(lines(&trace)).expect("UTF-8");
        panic!("case {case}: {why}\nwith the trace\n{text}");
    }
}
