//! The defaults a second time: slow, without a policy, straight from what they are meant to do.
//!
//! It keeps whole histories and asks every question anew. It shares no code with the program.

use serde_json::Value;
use std::collections::BTreeMap;

pub const BARRIERS: [&str; 5] = ["safety", "privacy", "resource", "scope", "stability"];

/// What is said of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    pub line: usize,
    pub run: String,
    pub seq: u64,
    pub call: String,
    pub turn: u64,
    pub decision: &'static str,
    pub stage: Option<&'static str>,
    pub rule: Option<&'static str>,
    pub broken: Vec<usize>,
    pub standing: bool,
    pub counterfactual: bool,
    pub inconclusive: bool,
    pub hazard: Vec<usize>,
    pub h: Vec<f64>,
    pub next: Option<Vec<f64>>,
}

#[derive(Clone, Default)]
struct Call {
    record: Value,
    id: String,
    turn: u64,
    /// The first outcome read, with which it settles.
    outcome: Option<Value>,
    /// The outcome read last.
    latest: Option<Value>,
    admitted: bool,
    in_flight: bool,
    /// Whether it came before the run's end, of which nothing but the number of calls is kept.
    forgotten: bool,
}

#[derive(Clone, Default)]
struct State {
    phase: &'static str,
    steps: u64,
    loops: u64,
    nano: i128,
    history: Vec<Value>,
    context: Value,
    action: Value,
    turn: u64,
    calls: Vec<Call>,
    ended: bool,
    /// Results that came before their calls.
    early: Vec<Value>,
    parted: bool,
    /// Whether some call has two results that differ.
    doubtful: bool,
}

fn nano(value: &Value) -> i128 {
    (value.as_f64().unwrap_or(0.0) * 1e9).round() as i128
}

fn estimate(call: &Value) -> i128 {
    match &call["estimated_cost_usd"] {
        Value::Null => 10_000_000,
        usd => nano(usd),
    }
}

/// The inline outcome of a call, or that of a result.
fn outcome(record: &Value) -> Value {
    let keys = ["result", "error", "cost_usd", "tokens"];
    let said = keys.iter().filter(|key| !record[**key].is_null());
    said.map(|key| (key.to_string(), record[*key].clone()))
        .collect()
}

fn is_named(call: &Value, name: &str) -> bool {
    let labels = call["labels"].as_array().into_iter().flatten();
    call["tool"] == name || labels.into_iter().any(|label| label == name)
}

impl State {
    fn barriers(&self) -> Vec<f64> {
        let recent = &self.history[self.history.len().saturating_sub(5)..];
        let met = |name: &str| recent.iter().any(|call| is_named(call, name));
        let pair = (met("sql_query") && met("http_request"))
            || (met("file_read") && met("send_email"))
            || (met("database_query") && met("webhook_post"));
        let outbound =
            |call: &&Value| is_named(call, "send_email") || is_named(call, "http_request");
        let outbound = self.history.iter().filter(outbound).count();
        vec![
            if pair { -1.0 } else { 1.0 } - 0.1,
            0.5 - 0.2 * outbound as f64,
            (10_000_000_000 - self.nano) as f64 / 1e9,
            self.scope(),
            50.0 - self.steps as f64,
        ]
    }

    fn scope(&self) -> f64 {
        let vector = |v: &Value| -> Vec<f64> {
            let parts = v.as_array().into_iter().flatten();
            parts.filter_map(Value::as_f64).collect()
        };
        let (a, b) = (vector(&self.context), vector(&self.action));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let size = (dot(&a, &a) * dot(&b, &b)).sqrt();
        if size == 0.0 {
            return 0.8;
        }
        0.8 - (1.0 - (dot(&a, &b) / size).clamp(-1.0, 1.0))
    }

    fn carry(&mut self, call: &Value) {
        for (own, held) in [
            ("context_embedding", &mut self.context),
            ("action_embedding", &mut self.action),
        ] {
            if !call[own].is_null() {
                *held = call[own].clone();
            }
        }
    }

    /// The state after a call, as it is foreseen.
    fn foreseen(&self, call: &Value) -> State {
        let mut next = self.clone();
        next.history.push(call.clone());
        next.nano += estimate(call);
        next.steps += 1;
        next
    }

    fn settle(&mut self, at: usize) {
        self.calls[at].in_flight = false;
        self.history.push(self.calls[at].record.clone());
        if let Some(outcome) = &self.calls[at].outcome {
            self.nano += nano(&outcome["cost_usd"]);
        }
        if self.phase == "ACTING" && !self.calls.iter().any(|call| call.in_flight) {
            self.phase = "OBSERVING";
        }
    }

    fn settle_all(&mut self, settles: impl Fn(&Call) -> bool) {
        let due: Vec<usize> = (0..self.calls.len())
            .filter(|&at| self.calls[at].in_flight && settles(&self.calls[at]))
            .collect();
        // Settling together: no call is in flight any more when the first of them settles.
        due.iter().for_each(|&at| self.calls[at].in_flight = false);
        due.iter().for_each(|&at| self.settle(at));
    }
}

fn negative(h: &[f64]) -> Vec<usize> {
    (0..h.len()).filter(|&i| h[i] < 0.0).collect()
}

/// Replays a trace whose records all name their run.
pub fn replay(trace: &[Value], observe: bool) -> Vec<Said> {
    let mut runs: BTreeMap<String, State> = BTreeMap::new();
    let mut said = Vec::new();
    for (at, record) in trace.iter().enumerate() {
        let run = record["run"].as_str().expect("a run").to_owned();
        let fresh = || State {
            phase: "IDLE",
            ..State::default()
        };
        let state = runs.entry(run.clone()).or_insert_with(fresh);
        match record["type"].as_str() {
            Some("run_start") => *state = fresh(),
            Some("run_end") => {
                state.settle_all(|_| true);
                state.early.clear();
                state.ended = true;
                state
                    .calls
                    .iter_mut()
                    .for_each(|call| call.forgotten = true);
                let answered = record["status"] == "answered";
                state.phase = if answered { "ANSWERING" } else { "REJECTED" };
            }
            Some("approval") => state.settle_all(|call| call.outcome.is_some()),
            Some("tool_result") => {
                state.settle_all(|call| call.outcome.is_some());
                result(state, record, observe);
            }
            _ => {
                let mut one = Said {
                    line: at + 1,
                    run,
                    ..Said::default()
                };
                if arrive(state, record, observe, &mut one) {
                    said.push(one);
                }
            }
        }
    }
    said
}

fn result(state: &mut State, record: &Value, observe: bool) {
    let of = |call: &Call| record["call"] == *call.id;
    let Some(at) = state.calls.iter().rposition(of) else {
        if !state.ended {
            state.early.push(record.clone());
        }
        return;
    };
    let (first, outcome) = (state.calls[at].outcome.is_none(), outcome(record));
    let same = state.calls[at].latest.as_ref() == Some(&outcome);
    state.calls[at].latest = Some(outcome.clone());
    state.calls[at].outcome.get_or_insert(outcome.clone());
    let call = state.calls[at].clone();
    state.doubtful |= !first && !same && !call.forgotten;
    if call.in_flight && first {
        state.settle(at);
    } else if same {
    } else if call.admitted {
        state.nano += nano(&outcome["cost_usd"]);
    } else if first && call.record["decision"] != "block" {
        ran_all_the_same(state, at, observe);
    }
}

/// A refused call has run.
fn ran_all_the_same(state: &mut State, at: usize, observe: bool) {
    if !observe {
        state.parted = true;
        return;
    }
    let record = state.calls[at].record.clone();
    state.carry(&record);
    state.steps += 1;
    state.calls[at].admitted = true;
    state.settle(at);
}

/// A call arrives; false if it was there before.
fn arrive(state: &mut State, record: &Value, observe: bool, said: &mut Said) -> bool {
    said.seq = state.calls.len() as u64 + 1;
    said.call = match record["id"].as_str() {
        Some(id) => id.to_owned(),
        None => format!("call-{}", said.seq),
    };
    let known = |call: &&Call| call.id == said.call && !call.forgotten;
    let known = state.calls.iter().find(known);
    // A repeat is a record like any other, but no call; one with other content is a fault.
    let repeats = known.map(|call| (call.turn, call.record == *record));
    if let Some((_, false)) = repeats {
        return false;
    }
    let own = || record["turn"].as_u64().unwrap_or(state.turn + 1);
    let turn = repeats.map_or_else(own, |(turn, _)| turn);
    state.settle_all(|call| match &call.outcome {
        Some(_) => record["batch"].is_null() || call.record["batch"] != record["batch"],
        None => turn > call.turn,
    });
    if repeats.is_some() {
        return false;
    }
    said.turn = turn;
    state.turn = turn;
    said.counterfactual = state.parted;
    said.inconclusive = state.doubtful;
    judge(state, record, said);
    let mut early: Vec<Value> = state.early.clone();
    early.retain(|result| result["call"] == *said.call);
    state.early.retain(|result| result["call"] != *said.call);
    let mut inline = Some(outcome(record)).filter(|o| o.as_object().is_some_and(|o| !o.is_empty()));
    if inline.is_none() && !early.is_empty() {
        inline = Some(outcome(&early.remove(0)));
    }
    let ran = inline.is_some();
    state.calls.push(Call {
        record: record.clone(),
        id: said.call.clone(),
        turn,
        latest: inline.clone(),
        outcome: inline,
        ..Call::default()
    });
    let at = state.calls.len() - 1;
    let recorded_block = record["decision"] == "block";
    if said.decision == "block" {
        if ran && !recorded_block {
            ran_all_the_same(state, at, observe);
        }
    } else if !(recorded_block && observe) {
        state.parted |= recorded_block;
        state.carry(record);
        state.steps += 1;
        state.calls[at].admitted = true;
        if ran && record["batch"].is_null() {
            state.settle(at);
        } else {
            state.calls[at].in_flight = true;
        }
    }
    for more in early {
        result(state, &more, observe);
    }
    true
}

fn judge(state: &mut State, record: &Value, said: &mut Said) {
    said.decision = "block";
    said.stage = Some("dfa");
    said.rule = match state.phase {
        "ANSWERING" => Some("answering"),
        "REJECTED" => Some("rejected"),
        "EXHAUSTED" => Some("exhausted"),
        _ => None,
    };
    if said.rule.is_some() {
        said.standing = true;
        return;
    }
    state.loops = if state.phase == "ACTING" {
        state.loops + 1
    } else {
        0
    };
    state.phase = "ACTING";
    if state.steps >= 50 {
        said.rule = Some("max_steps");
    } else if state.loops > 10 {
        said.rule = Some("max_loops");
    }
    if said.rule.is_some() {
        state.phase = "EXHAUSTED";
        return;
    }
    said.stage = Some("dcbf");
    let bare = state.barriers();
    let mut current = state.clone();
    current.carry(record);
    said.h = current.barriers();
    said.broken = negative(&said.h);
    if !said.broken.is_empty() {
        said.rule = Some("outside_safe_set");
        said.standing = !negative(&bare).is_empty();
        return;
    }
    let next = current.foreseen(record).barriers();
    said.broken = negative(&next);
    said.next = Some(next);
    if !said.broken.is_empty() {
        said.rule = Some("forward_invariance");
        return;
    }
    (said.decision, said.stage) = ("allow", None);
    let mut jointly = current;
    for call in jointly.calls.clone().iter().filter(|call| call.in_flight) {
        jointly.history.push(call.record.clone());
        jointly.nano += estimate(&call.record);
    }
    said.hazard = negative(&jointly.barriers());
    if said.hazard.is_empty() {
        said.hazard = negative(&jointly.foreseen(record).barriers());
    }
}
