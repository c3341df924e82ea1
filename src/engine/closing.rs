//! The end of a run: what is in flight settles, and what shows only over the whole run is told.

use super::RunReport;
use super::early::Held;
use super::marks::{Fate, Mark};
use super::monitor::Monitor;
use super::run::Run;
use crate::state::Phase;
use crate::trace::event::RunStatus;
use crate::trace::fault::{Place, WarningCode};
use std::sync::Arc;

impl Monitor<'_> {
    /// The run ends. Says whether nothing that comes after can depend on its state.
    pub(super) fn end(&mut self, run: &mut Run, status: RunStatus) -> bool {
        self.settle_rest(run);
        run.state.phase = match status {
            RunStatus::Answered => Phase::Answering,
            RunStatus::Aborted | RunStatus::Timeout => Phase::Rejected,
        };
        let closed = self.stages.iter().any(|s| s.precheck(&run.state).is_some());
        if closed {
            self.report(run);
        }
        closed
    }

    /// The input ends, or the run begins afresh.
    pub(super) fn finish(&mut self, run: &mut Run) {
        self.settle_rest(run);
        self.report(run);
    }

    fn settle_rest(&mut self, run: &mut Run) {
        self.resolve_unanswered(run);
        let unanswered = run.settle_all(self.policy);
        self.give_up_waiting(unanswered);
        self.flush(run);
    }

    fn report(&mut self, run: &mut Run) {
        self.tell_of_the_whole(run);
        self.out.last(run.view(), &run.state);
        self.out.run(RunReport {
            input: run.input,
            id: Arc::clone(&run.id),
            calls: run.tally.calls,
            refused: run.tally.refused,
            judged: run.tally.judged,
            root: run.tally.root,
            standing: run.tally.standing,
            inconclusive: run.doubtful && !run.doubt_told,
            continues: run.resumed,
        });
    }

    fn tell_of_the_whole(&mut self, run: &mut Run) {
        let clock = run.clock.take();
        let mut told = clock.map_or_else(Vec::new, |clock| clock.warnings());
        told.extend(unanswered(run));
        if let Some(blind) = std::mem::take(&mut run.blind).met() {
            let calls = match blind.times {
                1 => "the arguments of 1 call".to_owned(),
                calls => format!("the arguments of {calls} calls"),
            };
            let message = format!(
                "the recording does not tell {calls}; a rule that asks for them gives `error`, a barrier is -1"
            );
            told.push((WarningCode::UnknownArguments, blind.first, message));
        }
        told.sort_by_key(|(code, place, _)| (*place, *code));
        for (code, place, message) in told {
            self.warn(code, place, run, message);
        }
        let left = self.early.of_run(&run.id);
        self.orphans(left);
    }

    /// Results whose calls have not come.
    pub(super) fn orphans(&mut self, results: Vec<Held>) {
        for held in results {
            self.orphan(WarningCode::OrphanResult, held.place, &held.run, &held.call);
        }
    }
}

/// Calls that ran and whose result the recording does not have, where it has others: what they cost
/// and brought back is not known. One that the live system blocked, or
/// that somebody denied, did not run. A run without any result is one that does not record them.
fn unanswered(run: &Run) -> Option<(WarningCode, Place, String)> {
    let open = |mark: &Mark| {
        let ran = mark.origin.fate() == Fate::Admitted && !mark.origin.stopped();
        ran && mark.outcome.is_none()
    };
    let mut without = run.marks.iter().filter(open);
    let first = without.next()?;
    if run.marks.iter().all(|mark| mark.outcome.is_none()) {
        return None;
    }
    let line = first.origin.line().filter(|_| !run.moved);
    let place = Place {
        input: run.input,
        line: line.unwrap_or(0).into(),
        column: 0,
    };
    let message = match 1 + without.count() as u64 {
        1 => "1 call has no result, and others of the run have one".to_owned(),
        calls => format!("{calls} calls have no result, and others of the run have one"),
    };
    Some((WarningCode::UnansweredCall, place, message))
}
