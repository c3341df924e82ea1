//! How the barriers went over runs, for reports that draw it: of the runs that came nearest a refusal, as
//! many as there is room for.

use super::Header;
use crate::engine::RunReport;
use crate::engine::decision::{Decision, Reading};
use crate::series::Series;
use crate::verify::robustness::{Measured, Scales, compare, distance};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

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
    /// Whether a run goes on from one input into the next.
    merged: bool,
    /// Most runs that are told of in the end.
    most: usize,
    /// In order of appearance.
    kept: Vec<Course>,
    /// Where the latest course of a run lies in `kept`, by input and id.
    places: HashMap<(usize, Arc<str>), usize>,
    /// The latest call's run and where its course lies: most calls follow one of their own run.
    last: Option<(usize, Arc<str>, usize)>,
}

/// The course of one run.
#[derive(Clone, Debug)]
pub struct Course {
    /// Index of the input.
    pub input: usize,
    /// Id of the run. Untrusted.
    pub run: Arc<str>,
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
    /// Number of the latest call.
    latest: u64,
    /// Whether it has ended.
    ended: bool,
}

/// The nearest that a run came to a refusal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The barrier and its distance.
    pub measured: Measured,
    /// Number of the call.
    pub seq: u64,
    /// Line of the call.
    pub line: u64,
}

/// A call that stands out.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its number in the run.
    pub seq: u64,
    /// Its line.
    pub line: u64,
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
            merged: header.merged,
            most,
            kept: Vec::new(),
            places: HashMap::new(),
            last: None,
        }
    }

    /// A call, listed or not.
    pub fn decision(&mut self, decision: &Decision) {
        let place = self.place(decision);
        if let Some(course) = self.kept.get_mut(place) {
            course.decision(decision, &self.scales);
        }
    }

    /// Where the course of its run lies, which begins where there is none.
    fn place(&mut self, decision: &Decision) -> usize {
        if let Some((input, run, place)) = &self.last
            && *input == decision.input
            && Arc::ptr_eq(run, &decision.run)
        {
            return *place;
        }
        let key = self.key(decision.input, &decision.run);
        let place = self.places.get(&key).copied();
        let place = place.filter(|&place| {
            // A call after the end of a run is of another one unless it says that the run goes on.
            let course = self.kept.get(place);
            course.is_some_and(|course| !course.ended || decision.continues)
        });
        let place = place.unwrap_or_else(|| {
            self.make_room();
            self.kept.push(Course::new(decision, self.barriers));
            self.places.insert(key, self.kept.len() - 1);
            self.kept.len() - 1
        });
        self.last = Some((decision.input, Arc::clone(&decision.run), place));
        place
    }

    /// The end of a run.
    pub fn run(&mut self, run: &RunReport) {
        self.last = None;
        let key = self.key(run.input, &run.id);
        let place = self.places.get(&key);
        let Some(course) = place.and_then(|&place| self.kept.get_mut(place)) else {
            return;
        };
        if course.ended && !run.continues {
            // Another run, without a call so far.
            self.places.remove(&key);
            return;
        }
        course.ended = true;
        course.inconclusive |= run.inconclusive;
    }

    /// The runs, those that came nearest a refusal first, of equals the earlier.
    pub fn nearest(&self) -> Vec<&Course> {
        let mut runs: Vec<&Course> = self.kept.iter().collect();
        runs.sort_by(|a, b| nearer(a, b));
        runs.truncate(self.most);
        runs
    }

    fn key(&self, input: usize, run: &Arc<str>) -> (usize, Arc<str>) {
        (if self.merged { 0 } else { input }, Arc::clone(run))
    }

    /// Lets go of the runs that came least near once there are twice as many as are to be kept, so
    /// that each costs a comparison or two.
    fn make_room(&mut self) {
        let keep = self.most.max(AT_ONCE);
        if self.kept.len() < 2 * keep {
            return;
        }
        let mut order: Vec<usize> = (0..self.kept.len()).collect();
        order.sort_by(|&a, &b| match (self.kept.get(a), self.kept.get(b)) {
            (Some(a), Some(b)) => nearer(a, b),
            _ => Ordering::Equal,
        });
        let mut stays = vec![false; self.kept.len()];
        for &place in order.iter().take(keep) {
            if let Some(stays) = stays.get_mut(place) {
                *stays = true;
            }
        }
        let mut moved = vec![None; self.kept.len()];
        let mut next = 0;
        for (stays, moved) in stays.iter().zip(&mut moved) {
            if *stays {
                *moved = Some(next);
                next += 1;
            }
        }
        let mut stays = stays.into_iter();
        self.kept.retain(|_| stays.next().unwrap_or(false));
        self.places.retain(|_, place| {
            let moved = moved.get(*place).copied().flatten();
            *place = moved.unwrap_or(0);
            moved.is_some()
        });
    }
}

/// Which run came nearer a refusal: one by a barrier, then one by a stage before, then none.
fn nearer(a: &Course, b: &Course) -> Ordering {
    let by_barrier = match (&a.nearest, &b.nearest) {
        (Some(a), Some(b)) => compare(a.measured.scaled, b.measured.scaled),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    };
    by_barrier.then_with(|| b.refused.min(1).cmp(&a.refused.min(1)))
}

impl Course {
    fn new(decision: &Decision, barriers: usize) -> Course {
        Course {
            input: decision.input,
            run: Arc::clone(&decision.run),
            first: decision.seq,
            calls: 0,
            refused: 0,
            hazards: 0,
            nearest: None,
            series: vec![Series::default(); barriers],
            marks: Vec::new(),
            inconclusive: false,
            latest: 0,
            ended: false,
        }
    }

    fn decision(&mut self, decision: &Decision, scales: &Scales) {
        self.calls += 1;
        self.first = self.first.min(decision.seq);
        self.refused += u64::from(decision.is_refused());
        self.hazards += u64::from(!decision.hazard.is_empty());
        self.inconclusive |= decision.inconclusive;
        let distances = decision.barriers.iter();
        let distances = distances.map(|reading| distance(reading.h, reading.next, reading.slack));
        if let Some(measured) = scales.least(distances) {
            let known = self.nearest.map(|known| known.measured.scaled);
            if known.is_none_or(|known| compare(measured.scaled, known).is_lt()) {
                self.nearest = Some(Nearest {
                    measured,
                    seq: decision.seq,
                    line: decision.line,
                });
            }
        }
        // One whose decision had to wait comes out of order: it would draw a line back.
        if self.latest < decision.seq {
            self.latest = decision.seq;
            for (series, reading) in self.series.iter_mut().zip(&decision.barriers) {
                series.met(decision.seq, reading.h);
            }
        }
        let stands_out = decision.is_refused() || !decision.hazard.is_empty();
        if stands_out && self.marks.len() < MARKS {
            self.marks.push(Mark {
                seq: decision.seq,
                line: decision.line,
                refused: decision.is_refused(),
                stage: decision.stage,
                broken: decision.broken.clone(),
                hazard: decision.hazard.clone(),
                readings: decision.barriers.clone(),
            });
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
            let kept: Vec<String> = kept.iter().map(|course| course.run.to_string()).collect();
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
        let whole = |course: &&Course| (course.first, course.calls) == (1, 5);
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
            .map(|c| (c.first, c.calls))
            .collect();
        assert_eq!(told, [(1, 1), (1, 4)]);
    }
}
