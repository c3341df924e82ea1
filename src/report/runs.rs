//! The runs of an audit, for reports that keep something of each.

use crate::engine::RunReport;
use crate::engine::decision::Decision;
use std::collections::HashMap;
use std::sync::Arc;

/// Runs in order of appearance, with what is kept of each.
#[derive(Debug)]
pub struct Runs<T> {
    /// All of them.
    pub list: Vec<Run<T>>,
    /// Where the latest run of an id lies, by input and id.
    places: HashMap<(usize, Arc<str>), usize>,
    /// Whether runs go on from one input into the next.
    merged: bool,
    /// Input and run of the latest call, and where it lies: most calls follow one of their own run.
    last: Option<(usize, Arc<str>, usize)>,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run<T> {
    /// Index of the input in which it began.
    pub input: usize,
    /// Its id. Untrusted.
    pub id: Arc<str>,
    /// Which of the runs of that id it is, from 1.
    pub number: u64,
    /// What is kept of it.
    pub kept: T,
    /// Number of its latest call; 0 if it has none.
    pub latest: u64,
    /// Whether it has ended. Calls may come after that.
    pub ended: bool,
}

impl<T: Default> Runs<T> {
    /// None yet.
    pub fn new(merged: bool) -> Runs<T> {
        Runs {
            list: Vec::new(),
            places: HashMap::new(),
            merged,
            last: None,
        }
    }

    fn key(&self, input: usize, id: &Arc<str>) -> (usize, Arc<str>) {
        (if self.merged { 0 } else { input }, Arc::clone(id))
    }

    fn push(&mut self, input: usize, id: &Arc<str>) -> usize {
        let key = self.key(input, id);
        let before = self.places.get(&key).and_then(|&at| self.list.get(at));
        self.list.push(Run {
            input,
            id: Arc::clone(id),
            number: before.map_or(0, |run| run.number) + 1,
            kept: T::default(),
            latest: 0,
            ended: false,
        });
        let at = self.list.len() - 1;
        self.places.insert(key, at);
        at
    }

    /// Where in the list the run of a call lies.
    pub fn decision(&mut self, decision: &Decision) -> usize {
        let at = self.find_by_call(decision).unwrap_or_else(|| {
            let at = self.push(decision.input, &decision.run);
            self.last = Some((decision.input, Arc::clone(&decision.run), at));
            at
        });
        if let Some(run) = self.list.get_mut(at) {
            run.latest = run.latest.max(decision.seq);
        }
        at
    }

    /// Where in the list the run of a call lies, if it is there.
    pub fn find_by_call(&mut self, decision: &Decision) -> Option<usize> {
        if let Some((input, run, at)) = &self.last
            && *input == decision.input
            && Arc::ptr_eq(run, &decision.run)
        {
            return Some(*at);
        }
        let key = self.key(decision.input, &decision.run);
        let at = self.latest(&key, decision.continues)?;
        self.last = Some((decision.input, key.1, at));
        Some(at)
    }

    /// Where in the list the run lies that is over.
    pub fn end(&mut self, report: &RunReport) -> usize {
        let key = self.key(report.input, &report.id);
        let known = self.latest(&key, report.continues);
        let at = known.unwrap_or_else(|| self.push(report.input, &report.id));
        self.ended(at);
        at
    }

    /// The same where it lies in the list: one that has no call yet is not taken into it.
    pub fn end_if_called(&mut self, report: &RunReport) -> Option<usize> {
        let key = self.key(report.input, &report.id);
        let known = self.latest(&key, report.continues);
        match known {
            Some(at) => self.ended(at),
            // What goes on is this run from now on, and not the one before.
            None => _ = self.places.remove(&key),
        }
        known
    }

    fn ended(&mut self, at: usize) {
        self.last = None;
        if let Some(run) = self.list.get_mut(at) {
            run.ended = true;
        }
    }

    /// Lets go of runs but those that stay, by where they lie. Later calls of the others are as of new ones.
    pub fn keep(&mut self, stays: &[bool]) {
        let mut next = 0..;
        let moved = stays
            .iter()
            .map(|&stays| if stays { next.next() } else { None });
        let moved: Vec<Option<usize>> = moved.collect();
        let to = |at: usize| moved.get(at).copied().flatten();
        let mut at = 0..;
        self.list.retain(|_| at.next().and_then(to).is_some());
        self.places.retain(|_, at| {
            let to = to(*at);
            *at = to.unwrap_or(0);
            to.is_some()
        });
        self.last = None;
    }

    /// Where the latest run of an id lies, if what comes is of it: after its end that alone which says
    /// that it goes on.
    fn latest(&self, key: &(usize, Arc<str>), continues: bool) -> Option<usize> {
        let at = self.places.get(key).copied()?;
        let run = self.list.get(at)?;
        (!run.ended || continues).then_some(at)
    }

    /// Where in the list the latest run of that id lies.
    pub fn find(&self, input: usize, id: &str) -> Option<usize> {
        self.places.get(&self.key(input, &Arc::from(id))).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(runs: &mut Runs<u64>, input: usize, seq: u64, continues: bool) {
        let decision = Decision {
            input,
            run: "a".into(),
            seq,
            continues,
            ..Decision::default()
        };
        let at = runs.decision(&decision);
        runs.list[at].kept += 1;
    }

    fn end(runs: &mut Runs<u64>, continues: bool) {
        let report = RunReport {
            id: "a".into(),
            continues,
            ..RunReport::default()
        };
        runs.end(&report);
    }

    fn kept(runs: &Runs<u64>) -> Vec<(u64, u64)> {
        runs.list.iter().map(|run| (run.number, run.kept)).collect()
    }

    #[test]
    fn a_run_that_begins_again_is_another() {
        let mut runs = Runs::new(false);
        call(&mut runs, 0, 1, false);
        call(&mut runs, 0, 2, false);
        end(&mut runs, false);
        call(&mut runs, 0, 3, true);
        end(&mut runs, true);
        assert_eq!(kept(&runs), [(1, 3)]);
        call(&mut runs, 0, 1, false);
        end(&mut runs, false);
        assert_eq!(kept(&runs), [(1, 3), (2, 1)]);
    }

    #[test]
    fn runs_without_a_call_are_counted() {
        let mut runs = Runs::new(false);
        end(&mut runs, false);
        end(&mut runs, false);
        call(&mut runs, 0, 1, false);
        end(&mut runs, false);
        assert_eq!(kept(&runs), [(1, 0), (2, 0), (3, 1)]);
        assert!(runs.list.iter().all(|run| run.ended));
    }

    /// Its first call bears the number 1, as that of another run would.
    #[test]
    fn a_run_without_a_call_goes_on() {
        let mut runs = Runs::new(false);
        call(&mut runs, 0, 1, false);
        end(&mut runs, false);
        end(&mut runs, false);
        call(&mut runs, 0, 1, true);
        end(&mut runs, true);
        assert_eq!(kept(&runs), [(1, 1), (2, 1)]);
    }

    #[test]
    fn inputs_have_their_own_runs_unless_they_are_merged() {
        for (merged, expected) in [(false, 2), (true, 1)] {
            let mut runs = Runs::new(merged);
            call(&mut runs, 0, 1, false);
            call(&mut runs, 1, 2, false);
            assert_eq!(runs.list.len(), expected);
            assert!(runs.find(1, "a").is_some() && runs.find(1, "b").is_none());
        }
    }
}
