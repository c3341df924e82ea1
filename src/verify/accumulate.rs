//! From transitions, one by one, to the report. Memory does not grow with their number.

use super::clusters::Clusters;
use super::report::{
    BarrierRow, BarriersReport, Broken, Counted, Extreme, Found, Observation, RunTally, Site,
    TOLERANCE, Violation,
};
use super::stats::Rate;

/// Takes transitions and comes to a report.
#[derive(Clone, Debug)]
pub struct Accumulator {
    max_listed: usize,
    transitions: u64,
    skipped: u64,
    checks: u64,
    violations: u64,
    rows: Vec<Row>,
    listed: Vec<Violation>,
    clusters: Clusters,
    bad_runs: u64,
    observed: u64,
    mismatches: u64,
    first_mismatch: Option<Found>,
}

#[derive(Clone, Debug, Default)]
struct Row {
    name: String,
    violations: u64,
    least_h: Option<Extreme>,
    least_slack: Option<Extreme>,
    no_floor: Option<Found>,
}

impl Accumulator {
    /// Begins with the names of the barriers, in policy order. At most `max_listed` violations are
    /// kept; the others are counted.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>, max_listed: usize) -> Self {
        let row = |name: S| Row {
            name: name.into(),
            ..Row::default()
        };
        Accumulator {
            max_listed,
            transitions: 0,
            skipped: 0,
            checks: 0,
            violations: 0,
            rows: names.into_iter().map(row).collect(),
            listed: Vec::new(),
            clusters: Clusters::default(),
            bad_runs: 0,
            observed: 0,
            mismatches: 0,
            first_mismatch: None,
        }
    }

    /// Counts a transition. One that begins inside the safe set and was not simulated, or lacks the
    /// value of a barrier before or after, counts as violated: nothing showed that it holds.
    pub fn observe(&mut self, t: Observation<'_>) -> Counted {
        self.transitions += 1;
        for (row, &h) in self.rows.iter_mut().zip(t.current) {
            lower(&mut row.least_h, h, &t.site);
        }
        if !t.outside.is_empty() {
            self.skipped += 1;
            return Counted::Skipped;
        }
        self.checks += 1;
        self.compare(&t);
        let complete = |values: &[f64]| values.len() == self.rows.len();
        let simulated = complete(t.current) && t.next.is_some_and(complete);
        if simulated {
            self.measure(&t);
        }
        if simulated && t.broken.is_empty() {
            return Counted::Held;
        }
        self.violations += 1;
        self.list(&t);
        Counted::Violated
    }

    /// Adds a run whose transitions have all been observed. Runs without checks are left out.
    pub fn end_run(&mut self, run: RunTally) {
        self.clusters.add(run.checks, run.violations);
        self.bad_runs += u64::from(run.violations > 0);
    }

    fn measure(&mut self, t: &Observation<'_>) {
        for (i, row) in self.rows.iter_mut().enumerate() {
            row.violations += u64::from(t.broken.contains(&i));
            match t.slack.get(i) {
                Some(&Some(slack)) => lower(&mut row.least_slack, slack, &t.site),
                _ if row.no_floor.is_none() => row.no_floor = Some(t.site.keep()),
                _ => {}
            }
        }
    }

    fn compare(&mut self, t: &Observation<'_>) {
        let Some(observed) = t.observed else {
            return;
        };
        self.observed += 1;
        let agrees = t.next.is_some_and(|next| {
            next.len() == observed.len()
                && next
                    .iter()
                    .zip(observed)
                    .all(|(a, b)| (a - b).abs() <= TOLERANCE)
        });
        if !agrees {
            self.mismatches += 1;
            self.first_mismatch.get_or_insert_with(|| t.site.keep());
        }
    }

    fn list(&mut self, t: &Observation<'_>) {
        if self.listed.len() >= self.max_listed {
            return;
        }
        let value = |values: &[f64], i: usize| values.get(i).copied().unwrap_or(f64::NAN);
        let broken = |&i: &usize| Broken {
            barrier: i,
            h: value(t.current, i),
            next: value(t.next.unwrap_or_default(), i),
            slack: t.slack.get(i).copied().flatten(),
        };
        self.listed.push(Violation {
            at: t.site.keep(),
            broken: t.broken.iter().map(broken).collect(),
        });
    }

    /// All that was found.
    pub fn finish(self) -> BarriersReport {
        let runs = self.clusters.runs();
        let row = |row: Row| BarrierRow {
            rate: Rate::new(row.violations, self.checks),
            worst: row
                .no_floor
                .or_else(|| row.least_slack.as_ref().map(|least| least.at.clone())),
            name: row.name,
            least_h: row.least_h,
            least_slack: row.least_slack,
        };
        BarriersReport {
            transitions: self.transitions,
            skipped_unsafe: self.skipped,
            rate: Rate::new(self.violations, self.checks),
            forward_invariant: (self.checks > 0).then_some(self.violations == 0),
            runs: (runs > 0).then(|| Rate::new(self.bad_runs, runs)),
            clustered: self.clusters.rate(),
            barriers: self.rows.into_iter().map(row).collect(),
            unlisted: self.violations - self.listed.len() as u64,
            listed: self.listed,
            observed: self.observed,
            model_mismatches: self.mismatches,
            first_mismatch: self.first_mismatch,
        }
    }
}

/// Keeps the lesser of what is kept and `value`. NaN is below everything.
fn lower(least: &mut Option<Extreme>, value: f64, site: &Site<'_>) {
    let stays = least
        .as_ref()
        .is_some_and(|l| l.value <= value || l.value.is_nan());
    if !stays {
        *least = Some(Extreme {
            value,
            at: site.keep(),
        });
    }
}
