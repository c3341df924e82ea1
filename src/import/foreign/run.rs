//! A run of a foreign recording: its beginning, its turns, its calls and what became of them.
//!
//! **Turns.** One answer of the model is one turn, counted from 1, if it holds a call. Its calls are
//! in flight together, because none carries its outcome.
//!
//! **Ids** need not be unique: a call whose id came before is told apart as `id#2`, and a result
//! belongs to the nearest earlier call of its id that is still open. A call without an id is called
//! `call-<n>`, n its number in the run, and can only be answered in order.
//!
//! **Refusals** are known after the call that they are about, so calls wait for what became of them
//! ([`Held`]).

use super::held::{Answer, Held};
use super::ids::{CallIds, Fingerprint, Pairing};
use super::out::{Out, quote};
use super::record::kind;
use super::told::Told;
use super::unnamed::Unnamed;
use crate::import::Sink;
use crate::trace::event::{
    Approval, ApprovalOutcome, Event, Recorded, RunEnd, RunStart, RunStatus, ToolCall,
};
use crate::trace::fault::{FaultCode, Place, WarningCode};
use crate::trace::json::Json;
use crate::trace::money::Nano;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// The first result of a call.
#[derive(Clone, Copy, Debug)]
struct Settled {
    /// What it bears of what the run has spent.
    cost: Option<Nano>,
    print: Fingerprint,
}

/// A run.
#[derive(Debug, Default)]
pub struct Run {
    name: Option<String>,
    agent: Option<String>,
    rewrites_history: bool,
    begun: bool,
    turn: u64,
    /// What the last answer of the model with a call is told by.
    answer: Option<String>,
    /// What the answer is told by whose calls follow, until one does.
    next_answer: Option<Option<String>>,
    calls: u64,
    ids: CallIds,
    /// Calls without an id that wait for their result, by the id given here.
    unnamed: Unnamed,
    held: Held,
    /// Where repeated history begins, and how many calls of it were left out.
    repeats: Option<(Place, u64)>,
    /// What answers of the model have cost that no result has borne yet.
    spent: Option<Nano>,
    /// The first result of each call, so that a copy of it is told as one.
    settled: HashMap<String, Settled>,
    /// Where the first of those results stands that history written again tells in another way, and
    /// how many there are.
    retold: Option<(Place, u64)>,
    told: Told,
}

impl Run {
    /// A run of which nothing has been seen. Without a name it is the run named after the file.
    pub fn new(name: Option<String>) -> Self {
        Run {
            name,
            ..Run::default()
        }
    }

    /// The same run, in which this agent acts.
    pub fn with_agent(mut self, agent: Option<String>) -> Self {
        self.agent = agent;
        self
    }

    /// The same run, of a format that writes history again under the old call ids: a call that
    /// has come before under its id, with the same tool and arguments, is no second call.
    pub fn rewriting_history(mut self) -> Self {
        self.rewrites_history = true;
        self
    }

    /// Its name; `None` is the run named after the file.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether its beginning has been handed on.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Begins the run, unless it has begun. `start` names no run; its agent is filled in.
    pub fn begin(&mut self, start: RunStart<'static>, out: &mut Out<'_>) {
        if self.begun {
            return;
        }
        self.begun = true;
        out.event(Event::RunStart(RunStart {
            run: self.name.as_deref().map(Cow::Borrowed),
            agent: start.agent.or(self.agent.clone().map(Cow::Owned)),
            ..start
        }));
    }

    /// The calls that follow are of an answer of the model that is told from others by `answer`.
    /// Absent means that it is another answer than the last in any case. An answer without calls
    /// is no turn.
    pub fn turn(&mut self, answer: Option<&str>) {
        self.next_answer = Some(answer.map(str::to_owned));
    }

    fn begin_turn(&mut self) {
        if let Some(answer) = self.next_answer.take() {
            if answer.is_none() || self.answer != answer {
                self.turn += 1;
            }
            self.answer = answer;
        }
        self.turn = self.turn.max(1);
    }

    /// Takes a call, which names no run and no turn yet. Returns the unique id it goes by; `None`
    /// means that it is history written again, which is counted.
    pub fn call(&mut self, call: ToolCall<'static>, out: &mut Out<'_>) -> Option<String> {
        let print = Fingerprint::of(&call.tool, call.args.bytes());
        let given = call.id.as_deref().filter(|id| !id.is_empty());
        if self.rewrites_history && given.is_some_and(|id| self.ids.repeats(id, print)) {
            self.repeats.get_or_insert((out.place(), 0)).1 += 1;
            return None;
        }
        self.calls += 1;
        let id = given.map_or_else(|| format!("call-{}", self.calls), str::to_owned);
        let unique = self.ids.add(&id, print);
        if unique != id {
            self.tell_reuse(&id, &unique, out);
        }
        if given.is_none() {
            self.unnamed.push(&call.tool, id);
        }
        self.begin(RunStart::default(), out);
        self.begin_turn();
        let call = ToolCall {
            id: Some(Cow::Owned(unique.clone())),
            turn: Some(self.turn),
            ..call
        };
        self.held.call(call, self.name.as_deref(), out);
        Some(unique)
    }

    fn tell_reuse(&mut self, id: &str, unique: &str, out: &mut Out<'_>) {
        if self.told.first("reuse") {
            let message = format!(
                "call ids are used more than once, the next {} is taken as {}",
                quote(id),
                quote(unique)
            );
            out.warn(WarningCode::Assumed, message);
        }
    }

    /// Takes the cost of an answer of the model. Recordings of agents have no costs of tools, but what
    /// a run spends is what its budget is about: the next result bears the cost of the answers up to
    /// it. Absent and null are nothing.
    pub fn spend(&mut self, dollars: Option<&Json<'_>>, out: &mut Out<'_>) {
        let lexeme = match dollars {
            None | Some(Json::Null) => return,
            Some(Json::Number(lexeme)) => *lexeme,
            Some(other) => {
                let message = format!("a cost has to be a number, not {}", kind(other));
                return out.fault(FaultCode::BadField, message);
            }
        };
        let sum = Nano::parse(lexeme)
            .ok()
            .filter(|(cost, _)| *cost >= Nano::default())
            .and_then(|(cost, _)| self.spent.unwrap_or_default().checked_add(cost));
        match sum {
            Some(sum) => self.spent = Some(sum),
            None => out.fault(FaultCode::BadField, "a cost that is negative or too large"),
        }
    }

    /// Whether the run has a call that went by this id in the recording.
    pub fn knows(&self, id: &str) -> bool {
        self.ids.knows(id)
    }

    /// Takes what became of the call that the recording calls `id`. One that is empty is an answer
    /// to no call; it is never paired by its position.
    pub fn answer(&mut self, id: &str, answer: Answer, out: &mut Out<'_>) {
        if id.is_empty() {
            let message = "a result that names no call is taken as the result of none";
            self.told.assume(message, out);
            return self.hand_on(String::new(), answer, out);
        }
        match self.ids.close(id) {
            // The call was left out, and so is its result.
            Pairing::Answered { repeated: true, id } => {
                let first = self.settled.get(&id);
                if first.is_some_and(|first| first.print != print_of(&answer)) {
                    self.retold.get_or_insert((out.place(), 0)).1 += 1;
                }
            }
            Pairing::Open(call) | Pairing::Answered { id: call, .. } => {
                self.settle(call, answer, out);
            }
            Pairing::Unknown => self.hand_on(id.to_owned(), answer, out),
        }
    }

    /// Takes what became of a call by the unique id that [`Run::call`] gave it, for formats that keep
    /// a call and its result together.
    pub fn settle(&mut self, call: String, mut answer: Answer, out: &mut Out<'_>) {
        // What bears a cost has to be the result of a call: that of none is counted nowhere.
        let settled = match self.settled.get(&call) {
            Some(settled) => *settled,
            None => {
                let is_result = matches!(answer, Answer::Result(_));
                let settled = Settled {
                    cost: self.spent.take_if(|_| is_result),
                    print: print_of(&answer),
                };
                self.settled.insert(call.clone(), settled);
                settled
            }
        };
        if let Answer::Result(result) = &mut answer {
            let own = result.outcome.cost.unwrap_or_default();
            if let Some(sum) = settled.cost.and_then(|cost| own.checked_add(cost)) {
                result.outcome.cost = Some(sum);
            }
        }
        self.hand_on(call, answer, out);
    }

    fn hand_on(&mut self, call: String, answer: Answer, out: &mut Out<'_>) {
        self.held.answer(call, answer, self.name.as_deref(), out);
    }

    /// Takes what was decided about the open call that the recording calls `id`, before what became
    /// of it. For a call that has been handed on, all that can still be said is what somebody decided.
    pub fn decide(
        &mut self,
        id: &str,
        recorded: Recorded,
        approval: Option<(ApprovalOutcome, &'static str)>,
        out: &mut Out<'_>,
    ) {
        let Some(call) = self.ids.open(id) else {
            return;
        };
        let outcome = approval.map(|(outcome, _)| outcome);
        if !self.held.decide(call, recorded, outcome)
            && let Some((decision, by)) = approval
        {
            out.event(Event::Approval(Approval {
                run: self.name.as_deref().map(Cow::Borrowed),
                call: Cow::Borrowed(call),
                decision,
                by: Some(Cow::Borrowed(by)),
            }));
        }
    }

    /// Takes what became of the earliest open call that has no id in the recording: of any tool, or
    /// of `tool` where the recording names it. For formats whose calls never have ids.
    pub fn answer_in_order(&mut self, tool: Option<&str>, answer: Answer, out: &mut Out<'_>) {
        let call = self.unnamed.take(tool);
        self.answer(&call.unwrap_or_default(), answer, out);
    }

    /// Whether a call of `tool` that has no id in the recording waits for its result.
    pub fn waits_in_order(&mut self, tool: &str) -> bool {
        self.unnamed.waits(tool)
    }

    /// Calls without an id so far get no result any more: in formats whose results follow their turn,
    /// one that comes later belongs to a later call.
    pub fn end_order(&mut self) {
        self.unnamed.clear();
    }

    /// Hands on the calls that are held: nothing more is to be expected for them.
    pub fn release(&mut self, out: &mut Out<'_>) {
        self.held.release(self.name.as_deref(), out);
    }

    /// Where the first call held stands; `None` if none is.
    pub fn held_from(&self) -> Option<Place> {
        self.held.place()
    }

    /// Ends the run: nothing of it follows in the recording. Without a status it just stops there.
    pub fn finish(mut self, status: Option<RunStatus>, out: &mut Out<'_>) {
        self.release(out);
        self.tell_repeats(out);
        if let Some(status) = status {
            self.begin(RunStart::default(), out);
            let run = self.name.map(Cow::Owned);
            out.event(Event::RunEnd(RunEnd { run, status }));
        }
    }

    fn tell_repeats(&self, out: &mut Out<'_>) {
        if let Some((place, count)) = self.repeats {
            let plural = if count == 1 { "call" } else { "calls" };
            let message = format!(
                "{count} {plural} of earlier history, written again from here on, counted once"
            );
            out.warn_at(place, WarningCode::RepeatedCall, message);
        }
        if let Some((place, count)) = self.retold {
            let (plural, differ) = match count {
                1 => ("result", "differs"),
                _ => ("results", "differ"),
            };
            let message = format!(
                "{count} {plural} of calls that are written again, from here on, {differ} from the first and \
                 {} left out",
                if count == 1 { "is" } else { "are" }
            );
            out.warn_at(place, WarningCode::RepeatedResult, message);
        }
    }
}

/// What tells an answer from others of the same call. When it came and what it cost do not.
fn print_of(answer: &Answer) -> Fingerprint {
    match answer {
        Answer::Result(result) => {
            let content = result
                .outcome
                .result
                .as_ref()
                .map(|content| content.bytes());
            let how = match result.outcome.error {
                Some(true) => "error",
                Some(false) => "ok",
                None => "",
            };
            Fingerprint::of(how, content.unwrap_or_default())
        }
        Answer::Refusal(by) => Fingerprint::of("refused", by.as_bytes()),
    }
}

/// The runs of an input whose records interleave.
#[derive(Debug)]
pub struct Runs<R>(BTreeMap<Option<String>, R>);

impl<R> Default for Runs<R> {
    fn default() -> Self {
        Runs(BTreeMap::new())
    }
}

impl<R: Into<Run>> Runs<R> {
    /// The run of that name, which `new` makes where it is met for the first time.
    pub fn get(&mut self, name: Option<&str>, new: impl FnOnce() -> R) -> &mut R {
        self.0.entry(name.map(str::to_owned)).or_insert_with(new)
    }

    /// Whether there is a run of that name.
    pub fn has(&self, name: Option<&str>) -> bool {
        self.0.contains_key(&name.map(str::to_owned))
    }

    /// All of them, by name.
    pub fn each(&mut self) -> impl Iterator<Item = &mut R> {
        self.0.values_mut()
    }

    /// Ends all of them, the one that has waited longest for an answer first. `stem` names the run
    /// that has no name, for notices.
    pub fn finish(self, stem: &str, sink: &mut dyn Sink) {
        let mut runs: Vec<Run> = self.0.into_values().map(Into::into).collect();
        runs.sort_by_key(Run::held_from);
        let mut out = Out::new(sink, Place::default());
        for run in &mut runs {
            run.release(&mut out);
        }
        runs.sort_by(|a, b| a.name.cmp(&b.name));
        for run in &runs {
            out.set_run(run.name().unwrap_or(stem));
            run.tell_repeats(&mut out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::foreign::held::Answer;
    use crate::trace::event::ToolResult;
    use crate::trace::fault::Notice;

    /// The call of each result, and what it bears in billionths.
    #[derive(Default)]
    struct Costs(Vec<String>);

    impl Sink for Costs {
        fn event(&mut self, _: Place, event: Event<'_>) {
            if let Event::ToolResult(result) = event {
                self.0
                    .push(format!("{} {:?}", result.call, result.outcome.cost));
            }
        }

        fn notice(&mut self, _: Notice) {}
    }

    #[test]
    fn a_cost_is_borne_by_the_next_result_of_a_call() {
        let mut sink = Costs::default();
        let mut out = Out::new(&mut sink, Place::default());
        let mut run = Run::default();
        let call = |id: &str| ToolCall {
            id: Some(Cow::Owned(id.to_owned())),
            ..ToolCall::default()
        };
        let result = || Answer::Result(ToolResult::default());
        run.call(call("a"), &mut out);
        run.spend(Some(&Json::Number("0.5")), &mut out);
        run.answer("", result(), &mut out);
        run.answer("nobody", result(), &mut out);
        run.spend(Some(&Json::Number("0.25")), &mut out);
        run.answer("a", result(), &mut out);
        run.answer("a", result(), &mut out);
        let sum = Nano::parse("0.75").map(|(sum, _)| sum).ok();
        let none: Option<Nano> = None;
        let expected = [
            format!(" {none:?}"),
            format!("nobody {none:?}"),
            format!("a {sum:?}"),
            // The same again, which counts once.
            format!("a {sum:?}"),
        ];
        assert_eq!(sink.0, expected);
    }
}
