//! How barriers went over a run: a series each, and the calls that made them fall.

use crate::barriers::level::Transition;
use crate::engine::Final;
use crate::policy::Policy;
use crate::series::Series;
use crate::stages::weigh::StageWeighed;

/// Most calls that are kept of those that made a barrier fall: the latest.
pub const FALLS: usize = 8;

/// The barriers of a run so far, in policy order.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// One a barrier.
    pub barriers: Vec<Track>,
    /// Number of the latest call whose barriers were told.
    latest: u64,
    /// The calls that arrived, by number and line.
    arrived: Vec<(u64, u64)>,
    /// Whether the call that is explained has arrived: what comes after it did not lead there.
    closed: bool,
}

/// One barrier over a run.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// Its values, as the calls met them.
    pub series: Series,
    /// The latest calls after which it was lower than before.
    pub falls: Vec<Fall>,
    /// How many there were.
    pub fell: u64,
    /// What the first call met.
    pub first: Option<f64>,
    /// What the latest call met.
    pub latest: Option<f64>,
    /// The value after all that calls have done so far.
    now: Option<f64>,
}

/// A call after which a barrier was lower than before.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// Its number in the run.
    pub seq: u64,
    /// Its line.
    pub line: u64,
    /// Its tool. Untrusted.
    pub tool: String,
    /// The value before it was admitted, or before it settled.
    pub from: f64,
    /// The value right after it did.
    pub to: f64,
}

impl Course {
    /// Nothing of a run yet.
    pub fn of(policy: &Policy) -> Course {
        Course {
            barriers: vec![Track::default(); policy.dcbf.barriers.len()],
            ..Course::default()
        }
    }

    /// A call arrives; the one that is explained is `sought`.
    pub fn arrival(&mut self, seq: u64, line: u64, sought: bool) {
        self.closed |= sought;
        self.arrived.push((seq, line));
    }

    /// What a call did to the barriers, as [`Output::effect`](crate::engine::Output::effect) tells it.
    pub fn effect(&mut self, seq: u64, line: u64, tool: &str, values: &[f64]) {
        if self.closed {
            return;
        }
        let known = || {
            let mut arrived = self.arrived.iter().rev();
            let found = arrived.find(|call| call.1 == line);
            found.map_or(0, |call| call.0)
        };
        let by = By {
            seq: if seq > 0 { seq } else { known() },
            line,
            tool,
        };
        for (track, &value) in self.barriers.iter_mut().zip(values) {
            // A run that goes on after its end is not told again where it began.
            if line > 0 || track.now.is_none() {
                track.changed(by, value);
            }
        }
    }

    /// A call of the run; the one that is explained is the last.
    pub fn call(&mut self, decided: &Final, sought: bool) {
        let decision = &decided.decision;
        // One whose decision had to wait for its result comes out of order.
        let later = self.latest < decision.seq;
        let Some(transitions) = transitions(decided).filter(|_| later) else {
            return;
        };
        let by = By {
            seq: decision.seq,
            line: decision.line,
            tool: &decision.tool,
        };
        for (track, transition) in self.barriers.iter_mut().zip(transitions) {
            track.met(decision.seq, transition.h);
            if sought {
                // What it brings along itself, such as embeddings, counts before it.
                track.changed(by, transition.h);
            }
        }
        self.latest = decision.seq;
    }
}

/// Who did something.
#[derive(Clone, Copy)]
struct By<'t> {
    seq: u64,
    line: u64,
    tool: &'t str,
}

/// The barriers before and after a call; absent where no stage checks them.
pub fn transitions(decided: &Final) -> Option<&[Transition]> {
    let stages: &[StageWeighed] = decided.weighed.as_ref()?;
    let found = stages.iter().find(|stage| !stage.transitions.is_empty());
    found.map(|stage| &*stage.transitions)
}

impl Track {
    /// The value is that now, by what a call did.
    fn changed(&mut self, by: By<'_>, value: f64) {
        let before = self.now.replace(value);
        let Some(from) = before.filter(|&from| value < from) else {
            return;
        };
        // A call may lower it as it is admitted and again as it settles.
        if let Some(last) = self
            .falls
            .last_mut()
            .filter(|last| last.seq == by.seq && last.to == from)
        {
            last.to = value;
            return;
        }
        self.fell += 1;
        if self.falls.len() == FALLS {
            self.falls.remove(0);
        }
        self.falls.push(Fall {
            seq: by.seq,
            line: by.line,
            tool: by.tool.to_owned(),
            from,
            to: value,
        });
    }

    fn met(&mut self, seq: u64, h: f64) {
        self.first = self.first.or(Some(h));
        self.latest = Some(h);
        self.series.met(seq, h);
    }
}
