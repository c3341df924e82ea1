//! How the barriers went over runs, for reports that draw it: of the runs that came nearest a refusal, as
//! many as there is room for.

use super::Header;
use super::runs::{Run, Runs};
use crate::engine::RunReport;
use crate::engine::decision::{Decision, Reading};
use crate::series::Series;
use crate::verify::robustness::{Approach, Scales, distance};
use std::cmp::Ordering;

/// Most calls of a run that are marked: the first ones.
pub const MARKS: usize = 100;

/// Least number of runs that are kept during an audit: of so many that take turns none is let go, to be
/// known from a later call only.
const AT_ONCE: usize = 128;

/// The courses of runs.
#[derive(Debug)]
pub struct Courses {
    scales: Scales,
    barriers: usize,
    /// Most runs that are told of in the end.
    most: usize,
    /// Calls so far.
    calls: u64,
    runs: Runs<Went>,
}

/// The course of one run.
pub type Course = Run<Went>;

/// How a run went.
#[derive(Clone, Debug, Default)]
pub struct Went {
    /// Number of the first call that is known: above 1 where the run went on after it had been let go.
    pub first: u64,
    /// Calls.
    pub calls: u64,
    /// Those refused.
    pub refused: u64,
    /// Those with a batch hazard.
    pub hazards: u64,
    /// The nearest that it came to a refusal by a barrier, and the call; absent where no call reached
    /// the barriers.
    pub nearest: Option<Nearest>,
    /// The values that its calls met, a series a barrier, in policy order.
    pub series: Vec<Series>,
    /// Calls that stand out, by number: the first [`MARKS`] of them.
    pub marks: Vec<Mark>,
    /// Whether a fault left its state in doubt.
    pub inconclusive: bool,
}

/// The nearest that a run came to a refusal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The barrier and its distance.
    pub approach: Approach,
    /// Where the call stands.
    pub at: At,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Its number in the run.
    pub seq: u64,
    /// Index of its input, which is not that of the run where that went on in another one.
    pub input: usize,
    /// Its line there.
    pub line: u64,
}

/// A call that stands out.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where it stands.
    pub at: At,
    /// Whether it may not run.
    pub refused: bool,
    /// Stage that decided; absent for an allowed call.
    pub stage: Option<&'static str>,
    /// Indices of the barriers that refused.
    pub broken: Vec<usize>,
    /// Indices of the barriers that refuse it jointly with its in-flight siblings.
    pub hazard: Vec<usize>,
    /// What it was told of the barriers; empty where they were not reached.
    pub readings: Vec<Reading>,
}

impl Courses {
    /// Of the runs of an audit with that header the `most` that come nearest a refusal.
    pub fn new(header: &Header, most: usize) -> Courses {
        Courses {
            scales: header.scales.clone(),
            barriers: header.barriers.len(),
            most,
            calls: 0,
            runs: Runs::new(header.merged),
        }
    }

    /// A call, listed or not.
    pub fn decision(&mut self, decision: &Decision) {
        self.calls += 1;
        if self.runs.find_by_call(decision).is_none() {
            self.make_room();
        }
        let place = self.runs.decision(decision);
        let Some(run) = self.runs.list.get_mut(place) else {
            return;
        };
        let went = &mut run.kept;
        if went.calls == 0 {
            went.first = decision.seq;
            went.series.resize_with(self.barriers, Series::default);
        }
        went.decision(decision);
        went.approach(decision, &self.scales, self.calls);
        // One whose decision had to wait comes out of order: it would draw a line back.
        if run.latest == decision.seq {
            for (series, reading) in went.series.iter_mut().zip(&decision.barriers) {
                series.met(decision.seq, reading.h);
            }
        }
    }

    /// The end of a run.
    pub fn run(&mut self, run: &RunReport) {
        let place = self.runs.end_if_called(run);
        if let Some(course) = place.and_then(|place| self.runs.list.get_mut(place)) {
            course.kept.inconclusive |= run.inconclusive;
        }
    }

    /// The runs, those that came nearest a refusal first, of equals the earlier.
    pub fn nearest(&self) -> Vec<&Course> {
        let mut runs: Vec<&Course> = self.runs.list.iter().collect();
        runs.sort_by(|a, b| nearer(a, b));
        runs.truncate(self.most);
        runs
    }

    /// Lets go of the runs that came least near once there are twice as many as are to be kept, so
    /// that each costs a comparison or two.
    fn make_room(&mut self) {
        let keep = self.most.max(AT_ONCE);
        let runs = &self.runs.list;
        if runs.len() < 2 * keep {
            return;
        }
        let mut order: Vec<(usize, &Course)> = runs.iter().enumerate().collect();
        order.sort_by(|(_, a), (_, b)| nearer(a, b));
        let mut stays = vec![false; runs.len()];
        for &(place, _) in order.iter().take(keep) {
            if let Some(stays) = stays.get_mut(place) {
                *stays = true;
            }
        }
        self.runs.keep(&stays);
    }
}

/// Which run came nearer a refusal: one by a barrier, then one by a stage before, then none.
fn nearer(a: &Course, b: &Course) -> Ordering {
    let (a, b) = (&a.kept, &b.kept);
    match (&a.nearest, &b.nearest) {
        (Some(a), Some(b)) => a.approach.rank(&b.approach),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => b.refused.min(1).cmp(&a.refused.min(1)),
    }
}

impl Went {
    fn decision(&mut self, decision: &Decision) {
        self.calls += 1;
        self.first = self.first.min(decision.seq);
        self.refused += u64::from(decision.is_refused());
        self.hazards += u64::from(!decision.hazard.is_empty());
        self.inconclusive |= decision.inconclusive;
        let stands_out = decision.is_refused() || !decision.hazard.is_empty();
        if stands_out && self.marks.len() < MARKS {
            self.marks.push(Mark {
                at: At::of(decision),
                refused: decision.is_refused(),
                stage: decision.stage,
                broken: decision.broken.clone(),
                hazard: decision.hazard.clone(),
                readings: decision.barriers.clone(),
            });
        }
    }

    /// How near a call comes, the one of that number among all.
    fn approach(&mut self, decision: &Decision, scales: &Scales, order: u64) {
        let distances = decision.barriers.iter();
        let distances = distances.map(|reading| distance(reading.h, reading.next, reading.slack));
        let Some(measured) = scales.least(distances) else {
            return;
        };
        let approach = Approach { measured, order };
        if approach.is_nearer(self.nearest.as_ref().map(|known| &known.approach)) {
            let at = At::of(decision);
            self.nearest = Some(Nearest { approach, at });
        }
    }
}

impl At {
    fn of(decision: &Decision) -> At {
        At {
            seq: decision.seq,
            input: decision.input,
            line: decision.line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn decision(run: &str, seq: u64, h: f64) -> Decision {
        let reading = Reading {
            h,
            next: Some(h),
            slack: Some(h),
        };
        Decision {
            run: run.into(),
            seq,
            line: seq,
            admitted: true,
            barriers: vec![reading],
            ..Decision::default()
        }
    }

    fn courses(most: usize) -> Courses {
        let header = Header {
            barriers: vec!["safety".to_owned()],
            scales: Scales::new(&[1.0]),
            ..Header::default()
        };
        Courses::new(&header, most)
    }

    /// Whatever order runs come in, those that are kept are the nearest of all that speak once.
    #[test]
    fn the_nearest_runs_are_kept() {
        let mut random = Random::new(7);
        for count in [1usize, 3, 255, 256, 257, 2000] {
            let mut courses = courses(4);
            let mut plain: Vec<(u64, usize)> = Vec::new();
            for run in 0..count {
                let h = random.below(1000) as u64;
                courses.decision(&decision(&run.to_string(), 1, h as f64 / 1000.0));
                plain.push((h, run));
            }
            plain.sort();
            plain.truncate(4);
            let kept = courses.nearest();
            let kept: Vec<String> = kept.iter().map(|course| course.id.to_string()).collect();
            let plain: Vec<String> = plain.iter().map(|(_, run)| run.to_string()).collect();
            assert_eq!(kept, plain);
        }
    }

    /// Runs that take turns, more than are told of.
    #[test]
    fn courses_of_runs_that_take_turns_are_whole() {
        let mut courses = courses(4);
        for seq in 1..=5 {
            for run in 0..2 * AT_ONCE {
                courses.decision(&decision(&run.to_string(), seq, 1.0 + run as f64));
            }
        }
        let whole = |course: &&Course| (course.kept.first, course.kept.calls) == (1, 5);
        assert!(courses.nearest().iter().all(whole));
    }

    #[test]
    fn a_run_that_begins_again_is_another() {
        let mut courses = courses(4);
        for seq in 1..=3 {
            courses.decision(&decision("a", seq, 0.5));
        }
        courses.run(&RunReport {
            id: "a".into(),
            ..RunReport::default()
        });
        courses.decision(&Decision {
            continues: true,
            ..decision("a", 4, 0.4)
        });
        courses.run(&RunReport {
            id: "a".into(),
            continues: true,
            ..RunReport::default()
        });
        courses.decision(&decision("a", 1, 0.3));
        let told: Vec<(u64, u64)> = courses
            .nearest()
            .iter()
            .map(|c| (c.kept.first, c.kept.calls))
            .collect();
        assert_eq!(told, [(1, 1), (1, 4)]);
    }
}
