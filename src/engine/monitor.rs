//! The reference monitor: what it goes by, and what it tells of runs and their records.

use super::decision::Checks;
use super::early::Early;
use super::forms::{Forms, Kind};
use super::run::{Caller, Run};
use super::{Counted, Final, Options, Output};
use crate::policy::Policy;
use crate::policy::lookalike::Lookalikes;
use crate::policy::matcher::NameTable;
use crate::stages::{Remembered, Rooms, Stage};
use crate::tokens::TokenCounter;
use crate::trace::event::{Outcome, Timestamp};
use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};
use std::sync::Arc;

/// The reference monitor: the pipeline, and what happens to a run's state around it.
pub(super) struct Monitor<'a> {
    pub(super) policy: &'a Policy,
    pub(super) options: Options,
    pub(super) out: Box<dyn Output + 'a>,
    pub(super) stages: Vec<&'static dyn Stage>,
    /// The first of them, by their number.
    first: Vec<Checks>,
    /// Those that the policy has something for, with their places.
    pub(super) asked: Vec<(usize, &'static dyn Stage)>,
    pub(super) tokens: TokenCounter,
    /// Results whose calls have not come yet.
    pub(super) early: Early,
    pub(super) names: NameTable,
    pub(super) lookalikes: Lookalikes,
    pub(super) forms: Forms,
    /// The agent of the latest call that names one.
    pub(super) agent: Arc<str>,
    /// Scores of the calls from earlier replays.
    pub(super) remembered: Option<&'a Remembered>,
    /// Decisions that became final with the event at hand, to be given in call order.
    #[expect(clippy::vec_box, reason = "a decision stays where it was written down")]
    pub(super) ready: Vec<Box<Final>>,
    /// Decisions that were given, to be filled in again.
    #[expect(clippy::vec_box, reason = "a decision stays where it was written down")]
    spare: Vec<Box<Final>>,
    /// Where contents of calls are put together.
    pub(super) room: Vec<u8>,
    /// The same for their texts.
    pub(super) rooms: Rooms,
}

/// Decisions that are kept to be filled in again, at most: more become final at a time where many
/// calls waited.
const SPARE: usize = 4;

impl<'a> Monitor<'a> {
    pub(super) fn new(
        policy: &'a Policy,
        stages: &[&'static dyn Stage],
        options: Options,
        out: Box<dyn Output + 'a>,
    ) -> Self {
        let enabled = |stage: &&&'static dyn Stage| !policy.disabled.contains(&stage.id());
        let stages: Vec<_> = stages.iter().filter(enabled).copied().collect();
        let first = |count| stages.iter().take(count).map(|stage| stage.id()).collect();
        Monitor {
            policy,
            options,
            out,
            first: (0..=stages.len()).map(first).collect(),
            asked: stages
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, stage)| !stage.is_idle(policy))
                .collect(),
            stages,
            early: Early::default(),
            names: NameTable::default(),
            lookalikes: Lookalikes::new(&policy.matchers),
            forms: Forms::of(policy),
            agent: Arc::default(),
            remembered: None,
            tokens: TokenCounter::for_policy(policy),
            ready: Vec::new(),
            spare: Vec::new(),
            room: Vec::new(),
            rooms: Rooms::default(),
        }
    }

    /// That many stages, from the first on.
    pub(super) fn passed(&self, count: usize) -> Checks {
        self.first.get(count).copied().unwrap_or_default()
    }

    /// Tells what calls did to the barriers, for those who ask for their course.
    pub(super) fn tell_effects(&mut self, run: &mut Run) {
        for effect in run.effects.iter_mut().flat_map(|e| e.list.drain(..)) {
            let Caller { seq, line } = effect.by;
            self.out.effect(seq, line, &effect.tool, &effect.values);
        }
    }

    /// Where a decision is written down. Decisions are large, so that each stays where it is from then on,
    /// and those that were given are used again, with the room of their texts and lists.
    pub(super) fn blank(&mut self) -> Box<Final> {
        self.spare.pop().unwrap_or_default()
    }

    /// Gives the decisions that became final, in call order.
    pub(super) fn flush(&mut self, run: &mut Run) {
        self.tell_effects(run);
        if self.ready.len() > 1 {
            self.ready.sort_by_key(|f| f.decision.seq);
        }
        for mut decided in self.ready.drain(..) {
            run.count(&decided.decision);
            self.out.decision(&mut decided);
            if self.spare.len() < SPARE {
                self.spare.push(decided);
            }
        }
    }

    /// Looks at the time of a call or of the run's start: nanoseconds since the run began. One that
    /// cannot be read is a fault where a rule asks for it.
    pub(super) fn pass(
        &mut self,
        run: &mut Run,
        place: Place,
        ts: Option<&Timestamp<'_>>,
    ) -> Option<i128> {
        let ts = ts?;
        let clock = run.clock.get_or_insert_default();
        let elapsed = clock.pass(place, ts);
        if elapsed.is_some() {
            return elapsed;
        }
        if self.policy.dfa.timeout_ns.is_none() {
            clock.unreadable(place);
        } else {
            let message = format!(
                "`ts` is `{}`, which is no time, and a time rule is active",
                ts.0
            );
            self.fault(FaultCode::BadField, place, run, message);
        }
        None
    }

    /// Looks at the time of a result, on which nothing depends.
    pub(super) fn look(&mut self, run: &mut Run, place: Place, ts: Option<&Timestamp<'_>>) {
        let Some(ts) = ts else { return };
        let clock = run.clock.get_or_insert_default();
        if clock.look(place, ts).is_none() {
            clock.unreadable(place);
        }
    }

    /// Counts an outcome that was read.
    pub(super) fn read_outcome(&mut self, outcome: &Outcome<'_>) {
        self.out.count(Counted::Result {
            costed: outcome.cost.is_some(),
        });
    }

    pub(super) fn warn(&mut self, code: WarningCode, place: Place, run: &Run, message: String) {
        self.tell(NoticeKind::Warning(code), place, &run.id, message);
    }

    pub(super) fn orphan(&mut self, code: WarningCode, place: Place, run: &str, call: &str) {
        let message = match call {
            "" => "the record names no call".to_owned(),
            call => format!("the run has no call `{call}`"),
        };
        self.tell(NoticeKind::Warning(code), place, run, message);
        self.meet(Kind::Call, place, run, call);
    }

    /// Warns of a name that differs in Unicode form alone from one that is known.
    pub(super) fn meet(&mut self, kind: Kind, place: Place, run: &str, name: &str) {
        if let Some(message) = self.forms.meet(kind, run, name) {
            let kind = NoticeKind::Warning(WarningCode::UnicodeForm);
            self.tell(kind, place, run, message);
        }
    }

    pub(super) fn fault(&mut self, code: FaultCode, place: Place, run: &mut Run, message: String) {
        run.doubtful = true;
        self.tell(NoticeKind::Fault(code), place, &run.id, message);
    }

    pub(super) fn tell(&mut self, kind: NoticeKind, place: Place, run: &str, message: String) {
        self.out.notice(Notice {
            kind,
            place,
            run: Some(run.into()),
            message,
            help: None,
        });
    }
}
