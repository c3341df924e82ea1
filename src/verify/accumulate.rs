//! From transitions, one by one, to the report. Memory does not grow with their number.

use super::clusters::Clusters;
use super::limits::{Fourfold, Limits};
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
    limits: Limits,
    /// Over all transitions.
    total: RunTally,
    rows: Vec<Row>,
    listed: Vec<Violation>,
    clusters: Clusters,
    runs: u64,
    bad_runs: u64,
    fourfold: Fourfold,
    observed: u64,
    mismatches: u64,
    first_mismatch: Option<Found>,
}

#[derive(Clone, Debug, Default)]
struct Row {
    name: String,
    clusters: Clusters,
    runs: u64,
    bad_runs: u64,
    standing: u64,
    mismatches: u64,
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
            limits: Limits::default(),
            total: RunTally::default(),
            rows: names.into_iter().map(row).collect(),
            listed: Vec::new(),
            clusters: Clusters::default(),
            runs: 0,
            bad_runs: 0,
            fourfold: Fourfold::default(),
            observed: 0,
            mismatches: 0,
            first_mismatch: None,
        }
    }

    /// The same, with the rates that are let pass.
    pub fn with_limits(self, limits: Limits) -> Self {
        Accumulator { limits, ..self }
    }

    /// Counts a transition, in the tally of its run or states file too. One that begins inside the
    /// safe set and was not simulated, or lacks the value of a barrier before or after, counts as
    /// violated: nothing showed that it holds.
    pub fn observe(&mut self, t: Observation<'_>, run: &mut RunTally) -> Counted {
        self.transitions += 1;
        for (row, &h) in self.rows.iter_mut().zip(t.current) {
            lower(&mut row.least_h, h, &t.site);
        }
        run.left |= t.observed.is_some_and(any_negative);
        if !t.outside.is_empty() {
            self.skip(&t, run);
            return Counted::Skipped;
        }
        if self.rows.is_empty() {
            return Counted::Unasked;
        }
        self.compare(&t);
        let complete = |values: &[f64]| values.len() == self.rows.len();
        let simulated = complete(t.current) && t.next.is_some_and(complete);
        if simulated {
            self.measure(&t);
        }
        let violated = !(simulated && t.broken.is_empty());
        let broken = if simulated { t.broken } else { &[] };
        for tally in [&mut self.total, run] {
            tally.check(violated, broken, &self.limits);
        }
        if !violated {
            return Counted::Held;
        }
        self.list(&t, broken);
        Counted::Violated
    }

    fn skip(&mut self, t: &Observation<'_>, run: &mut RunTally) {
        self.skipped += 1;
        run.left = true;
        for tally in [&mut self.total, run] {
            tally.skip(t.standing, t.outside, &self.limits);
        }
        if !t.standing {
            return self.list(t, t.outside);
        }
        for (i, row) in self.rows.iter_mut().enumerate() {
            row.standing += u64::from(t.outside.contains(&i));
        }
    }

    /// Adds a run whose transitions have all been observed, with the values of the barriers in the
    /// state it ends in, if there is one. Runs without checks are left out of the rates.
    pub fn end_run(&mut self, mut run: RunTally, last: Option<&[f64]>) {
        run.left |= last.is_some_and(any_negative);
        self.clusters.add(run.checks, run.violations);
        self.runs += u64::from(run.checks > 0 || run.root > 0);
        self.bad_runs += u64::from(run.root > 0);
        for (i, row) in self.rows.iter_mut().enumerate() {
            let ((violations, checks), (roots, tested)) = (run.checks_of(i), run.roots_of(i));
            row.clusters.add(checks, violations);
            row.runs += u64::from(tested > 0);
            row.bad_runs += u64::from(roots > 0);
        }
        self.fourfold.add(&run, &self.limits);
    }

    /// Adds a states file whose transitions have all been observed.
    pub fn end_file(&mut self, file: &RunTally) {
        self.fourfold.add(file, &self.limits);
    }

    fn measure(&mut self, t: &Observation<'_>) {
        for (i, row) in self.rows.iter_mut().enumerate() {
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
        let next = t.next.unwrap_or_default();
        let differs = |i: usize| match (next.get(i), observed.get(i)) {
            (Some(a), Some(b)) => {
                // A difference that is no number does not agree.
                let agrees = (a - b).abs() <= TOLERANCE;
                !agrees
            }
            _ => true,
        };
        let mut any = next.len() != observed.len();
        for (i, row) in self.rows.iter_mut().enumerate() {
            row.mismatches += u64::from(differs(i));
            any |= differs(i);
        }
        if any {
            self.mismatches += 1;
            self.first_mismatch.get_or_insert_with(|| t.site.keep());
        }
    }

    fn list(&mut self, t: &Observation<'_>, by: &[usize]) {
        if self.listed.len() >= self.max_listed {
            return;
        }
        let value = |values: &[f64], i: usize| values.get(i).copied().unwrap_or(f64::NAN);
        let brought_out = !t.outside.is_empty();
        let broken = |&i: &usize| Broken {
            barrier: i,
            h: value(t.current, i),
            next: (!brought_out).then(|| value(t.next.unwrap_or_default(), i)),
            slack: t.slack.get(i).copied().flatten().filter(|_| !brought_out),
        };
        self.listed.push(Violation {
            at: t.site.keep(),
            brought_out,
            broken: by.iter().map(broken).collect(),
        });
    }

    /// All that was found.
    pub fn finish(self) -> BarriersReport {
        let runs = |bad: u64, of: u64| (self.runs > 0).then(|| Rate::new(bad, of));
        let (total, limits) = (&self.total, &self.limits);
        let of = |(hits, of): (u64, u64)| Rate::new(hits, of);
        let row = |(i, row): (usize, Row)| BarrierRow {
            rate: of(total.checks_of(i)),
            runs: runs(row.bad_runs, row.runs),
            clustered: row.clusters.rate(),
            max_rate: limits.barriers.get(i).copied().flatten(),
            root: total.roots.get(i).copied().unwrap_or(0),
            standing: row.standing,
            mismatches: row.mismatches,
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
            rate: Rate::new(total.violations, total.checks),
            forward_invariant: (total.tested() > 0).then_some(total.root == 0),
            root: total.root,
            brought_out: total.brought_out(),
            standing: total.standing,
            runs: runs(self.bad_runs, self.runs),
            fourfold: self.fourfold,
            max_rate: limits.all,
            rate_met: (total.tested() > 0).then(|| limits.met(total)),
            clustered: self.clusters.rate(),
            barriers: self.rows.into_iter().enumerate().map(row).collect(),
            unlisted: total.root - self.listed.len() as u64,
            listed: self.listed,
            observed: self.observed,
            model_mismatches: self.mismatches,
            first_mismatch: self.first_mismatch,
        }
    }
}

/// Whether a value is not at least zero.
fn any_negative(values: &[f64]) -> bool {
    values.iter().any(|value| !value.ge(&0.0))
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
