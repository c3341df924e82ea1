//! Calls that wait to learn whether they were let through.
//!
//! The rows of a call come before the row of its refusal, but whether a call ran is a part of the
//! call. So the calls of one answer of the model wait for what became of them, and their results
//! wait behind them.

use crate::import::foreign::Out;
use crate::trace::event::{Approval, ApprovalOutcome, Event, Recorded, ToolCall, ToolResult};
use crate::trace::fault::Place;
use std::borrow::Cow;
use std::collections::HashMap;

/// What became of a call.
#[derive(Debug)]
pub enum Answer {
    /// It ran. The result names neither run nor call yet.
    Result(ToolResult<'static>),
    /// It was refused by this one, and did not run.
    Refusal(&'static str),
}

impl Answer {
    /// Sends the answer of a call that has been handed on before.
    fn send(self, place: Place, call: String, run: Option<&str>, out: &mut Out<'_>) {
        let run = run.map(Cow::Borrowed);
        let call = Cow::Owned(call);
        let event = match self {
            Answer::Result(result) => Event::ToolResult(ToolResult {
                run,
                call,
                ..result
            }),
            Answer::Refusal(by) => Event::Approval(Approval {
                run,
                call,
                decision: ApprovalOutcome::Denied,
                by: Some(Cow::Borrowed(by)),
            }),
        };
        out.event_at(place, event);
    }
}

/// The calls of one answer of the model and what has become of them so far.
#[derive(Debug, Default)]
pub struct Held {
    turn: Option<u64>,
    calls: Vec<(Place, ToolCall<'static>)>,
    results: Vec<(Place, String, ToolResult<'static>)>,
    ids: HashMap<String, Waiting>,
    /// How many calls have no answer yet.
    open: usize,
}

/// A call that can get an answer.
#[derive(Debug)]
struct Waiting {
    index: usize,
    is_answered: bool,
}

impl Held {
    /// Holds a call, which names no run yet. A call of another turn ends the wait of those before
    /// it; one without an id can get no answer and waits for others only.
    pub fn call(&mut self, call: ToolCall<'static>, run: Option<&str>, out: &mut Out<'_>) {
        if self.turn != call.turn {
            self.release(run, out);
            self.turn = call.turn;
        }
        if let Some(id) = &call.id {
            let waiting = Waiting {
                index: self.calls.len(),
                is_answered: false,
            };
            self.ids.insert(id.clone().into_owned(), waiting);
            self.open += 1;
        }
        self.calls.push((out.place(), call));
        self.release_complete(run, out);
    }

    /// Takes what became of a call. For a call that is not held the answer goes on at once. So it
    /// does for a call that has one already, after everything held, which bounds what is held.
    pub fn answer(&mut self, id: String, answer: Answer, run: Option<&str>, out: &mut Out<'_>) {
        let index = match self.ids.get_mut(&id) {
            Some(waiting) if !waiting.is_answered => {
                waiting.is_answered = true;
                waiting.index
            }
            Some(_) => {
                self.release(run, out);
                return answer.send(out.place(), id, run, out);
            }
            None => return answer.send(out.place(), id, run, out),
        };
        self.open -= 1;
        match answer {
            Answer::Result(result) => self.results.push((out.place(), id, result)),
            Answer::Refusal(_) => {
                if let Some((_, call)) = self.calls.get_mut(index) {
                    call.recorded = Some(Recorded::Block);
                }
            }
        }
        self.release_complete(run, out);
    }

    /// Puts what was decided about a call on the call itself. Returns whether it is held, so that this
    /// can still be done.
    pub fn decide(
        &mut self,
        id: &str,
        recorded: Recorded,
        approval: Option<ApprovalOutcome>,
    ) -> bool {
        let waiting = self.ids.get(id).filter(|waiting| !waiting.is_answered);
        let call = waiting.and_then(|waiting| self.calls.get_mut(waiting.index));
        let Some((_, call)) = call else {
            return false;
        };
        call.recorded = Some(recorded);
        call.approval = approval;
        true
    }

    fn release_complete(&mut self, run: Option<&str>, out: &mut Out<'_>) {
        if self.open == 0 {
            self.release(run, out);
        }
    }

    /// Hands on everything held: the calls as they stand in the file, then their results in the
    /// order in which they came.
    pub fn release(&mut self, run: Option<&str>, out: &mut Out<'_>) {
        let held = std::mem::take(self);
        for (place, call) in held.calls {
            let run = run.map(Cow::Borrowed);
            out.event_at(place, Event::ToolCall(Box::new(ToolCall { run, ..call })));
        }
        for (place, call, result) in held.results {
            Answer::Result(result).send(place, call, run, out);
        }
    }

    /// Where the first call held stands; `None` if none is.
    pub fn place(&self) -> Option<Place> {
        self.calls.first().map(|(place, _)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Sink;
    use crate::trace::fault::Notice;

    /// Line and short name of each event.
    #[derive(Default)]
    struct Log(Vec<String>);

    impl Sink for Log {
        fn event(&mut self, place: Place, event: Event<'_>) {
            let what = match event {
                Event::ToolCall(call) => {
                    let recorded = call.recorded.map_or("", |_| " blocked");
                    format!("call {}{recorded}", call.id.as_deref().unwrap_or("-"))
                }
                Event::ToolResult(result) => format!("result {}", result.call),
                Event::Approval(approval) => format!("denied {}", approval.call),
                _ => String::new(),
            };
            self.0.push(format!("{} {what}", place.line));
        }

        fn notice(&mut self, _: Notice) {}
    }

    /// Plays words, one a line: `1a` calls `a` in turn 1, `+a` is its result, `-a` its refusal.
    fn play(words: &str) -> (Vec<String>, Held) {
        let mut held = Held::default();
        let mut log = Log::default();
        for (line, word) in (1..).zip(words.split(' ')) {
            let place = Place {
                line,
                ..Place::default()
            };
            let mut out = Out::new(&mut log, place);
            let id = word[1..].to_owned();
            match &word[..1] {
                "+" => held.answer(id, Answer::Result(ToolResult::default()), None, &mut out),
                "-" => held.answer(id, Answer::Refusal("user"), None, &mut out),
                turn => {
                    let call = ToolCall {
                        id: (!id.is_empty()).then_some(Cow::Owned(id)),
                        turn: turn.parse().ok(),
                        ..ToolCall::default()
                    };
                    held.call(call, None, &mut out);
                }
            }
        }
        (log.0, held)
    }

    fn events(words: &str) -> Vec<String> {
        play(words).0
    }

    #[test]
    fn calls_come_before_their_results() {
        let parallel = ["1 call a", "2 call b", "3 result b", "4 result a"];
        assert_eq!(events("1a 1b +b +a"), parallel);
        let direct = ["1 call a", "2 result a", "3 call b", "4 result b"];
        assert_eq!(events("1a +a 1b +b"), direct);
        let split = [
            "1 call a",
            "2 call b",
            "4 call c",
            "3 result a",
            "5 result c",
            "6 result b",
        ];
        assert_eq!(events("1a 1b +a 1c +c +b"), split);
    }

    #[test]
    fn a_refusal_blocks_its_call() {
        assert_eq!(events("1a -a"), ["1 call a blocked"]);
        let one = ["1 call a", "2 call b blocked", "4 result a"];
        assert_eq!(events("1a 1b -b +a"), one);
    }

    #[test]
    fn a_decision_is_put_on_a_call_that_waits() {
        let (_, mut held) = play("1a");
        assert!(held.decide("a", Recorded::Allow, Some(ApprovalOutcome::Approved)));
        let approval = held.calls.first().and_then(|(_, call)| call.approval);
        assert_eq!(approval, Some(ApprovalOutcome::Approved));
        let (_, mut held) = play("1a +a");
        assert!(!held.decide("a", Recorded::Allow, None));
    }

    #[test]
    fn a_call_of_another_turn_ends_the_wait() {
        let (events, held) = play("1a 1b -b 2c");
        assert_eq!(events, ["1 call a", "2 call b blocked"]);
        assert_eq!(held.place().map(|place| place.line), Some(4));
        let late = ["1 call a", "3 denied a", "2 call b", "4 result b"];
        assert_eq!(self::events("1a 2b -a +b"), late);
    }

    #[test]
    fn a_second_answer_goes_on_after_all_that_is_held() {
        let again = ["1 call a blocked", "2 call b", "4 result a", "5 denied b"];
        assert_eq!(events("1a 1b -a +a -b"), again);
    }

    #[test]
    fn a_call_without_an_id_waits_for_others_only() {
        assert_eq!(events("1 1a"), ["1 call -"]);
        assert_eq!(events("1a 1 +a"), ["1 call a", "2 call -", "3 result a"]);
    }
}
