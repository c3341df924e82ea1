//! How barriers went over a run: a series of at most so many points each, and the calls that made
//! them fall.

use crate::barriers::level::Transition;
use crate::engine::Final;
use crate::policy::Policy;
use crate::stages::weigh::StageWeighed;

/// Most points of a series.
pub const POINTS: usize = 120;

/// Most calls that are kept of those that made a barrier fall: the latest.
pub const FALLS: usize = 8;

/// The barriers of a run so far, in policy order.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// One a barrier.
    pub barriers: Vec<Track>,
    latest: Option<Latest>,
}

#[derive(Clone, Debug)]
struct Latest {
    seq: u64,
    line: u64,
    tool: String,
}

/// One barrier over a run.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// Its values, in order: each is the least that the calls of a stretch met.
    pub points: Vec<Point>,
    /// How many calls a stretch has.
    stretch: u64,
    /// Calls in the last stretch.
    filled: u64,
    /// The latest calls after which it was lower than before.
    pub falls: Vec<Fall>,
    /// How many there were.
    pub fell: u64,
    latest: Option<f64>,
}

/// The least value of a stretch of calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Number in the run of the call that met it.
    pub seq: u64,
    /// The value.
    pub h: f64,
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
    /// The value that it met.
    pub from: f64,
    /// The value that the next call met.
    pub to: f64,
}

impl Course {
    /// Nothing of a run yet.
    pub fn of(policy: &Policy) -> Course {
        Course {
            barriers: vec![Track::default(); policy.dcbf.barriers.len()],
            latest: None,
        }
    }

    /// A call of the run; the one that is explained is the last.
    pub fn call(&mut self, decided: &Final) {
        let decision = &decided.decision;
        let later = self.latest.as_ref().is_none_or(|l| l.seq < decision.seq);
        // One whose decision had to wait for its result comes out of order.
        let Some(transitions) = transitions(decided).filter(|_| later) else {
            return;
        };
        for (track, transition) in self.barriers.iter_mut().zip(transitions) {
            track.met(decision.seq, transition.h, self.latest.as_ref());
        }
        self.latest = Some(Latest {
            seq: decision.seq,
            line: decision.line,
            tool: decision.tool.clone(),
        });
    }
}

/// The barriers before and after a call; absent where no stage checks them.
pub fn transitions(decided: &Final) -> Option<&[Transition]> {
    let stages: &[StageWeighed] = decided.weighed.as_ref()?;
    let found = stages.iter().find(|stage| !stage.transitions.is_empty());
    found.map(|stage| &*stage.transitions)
}

impl Track {
    fn met(&mut self, seq: u64, h: f64, before: Option<&Latest>) {
        if let (Some(from), Some(call)) = (self.latest.filter(|&from| h < from), before) {
            self.fell += 1;
            if self.falls.len() == FALLS {
                self.falls.remove(0);
            }
            self.falls.push(Fall {
                seq: call.seq,
                line: call.line,
                tool: call.tool.clone(),
                from,
                to: h,
            });
        }
        self.latest = Some(h);
        self.stretch = self.stretch.max(1);
        match self.points.last_mut() {
            Some(last) if self.filled < self.stretch => {
                if h < last.h {
                    *last = Point { seq, h };
                }
                self.filled += 1;
            }
            _ => {
                self.points.push(Point { seq, h });
                self.filled = 1;
            }
        }
        if self.points.len() > POINTS {
            let pairs = self.points.chunks(2);
            let least = |pair: &[Point]| match pair {
                [a, b] if b.h < a.h => *b,
                [a, ..] => *a,
                [] => Point { seq, h },
            };
            // The last one stands alone, and its stretch goes on.
            let halves = pairs.map(least).collect();
            self.points = halves;
            self.stretch *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However long a run is, the points are few, in order, and the least value is among them.
    #[test]
    fn long_runs_have_few_points() {
        for calls in [1u64, 2, 119, 120, 121, 241, 5000] {
            let mut track = Track::default();
            let least = calls / 3;
            for seq in 1..=calls {
                let h = if seq == least { -1.0 } else { 1.0 };
                track.met(seq, h, None);
            }
            assert!(track.points.len() <= POINTS, "{calls}");
            assert!(track.points.is_sorted_by_key(|point| point.seq));
            let lowest = track.points.iter().any(|point| point.h == -1.0);
            assert_eq!(lowest, least > 0, "{calls}");
        }
    }
}
