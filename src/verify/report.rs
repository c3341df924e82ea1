//! What checking barriers over transitions comes to: counts, rates, extremes and the violations
//! themselves.

use super::clusters::ClusteredRate;
use super::limits::{Fourfold, Limits};
use super::stats::{Rate, zero_hit_upper};

/// Difference of barrier values up to which a simulated and an observed state agree.
pub const TOLERANCE: f64 = 1e-9;

/// A transition and what its barriers said. The slices hold one value a barrier, in policy order.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// Which transition it is.
    pub site: Site<'a>,
    /// Values in the state before.
    pub current: &'a [f64],
    /// Values in the simulated next state; absent where nothing was simulated.
    pub next: Option<&'a [f64]>,
    /// Slacks of the simulated transition; empty where nothing was simulated, absent where alpha is
    /// not finite.
    pub slack: &'a [Option<f64>],
    /// Barriers negative in the state before.
    pub outside: &'a [usize],
    /// Whether the state before was outside already without what the call brings along. Where it was
    /// not, the call is the first step out.
    pub standing: bool,
    /// Barriers that the simulated transition violates.
    pub broken: &'a [usize],
    /// Values in the next state as it was observed, where the input gives one.
    pub observed: Option<&'a [f64]>,
}

/// Where a transition stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Site<'a> {
    /// Its index among all transitions, from 0.
    pub index: u64,
    /// Index of the input.
    pub input: usize,
    /// Line in it, from 1.
    pub line: u64,
    /// Run; absent in a states file. Untrusted.
    pub run: Option<&'a str>,
    /// Id of the call; absent in a states file that gives none. Untrusted.
    pub call: Option<&'a str>,
    /// Tool. Untrusted.
    pub tool: &'a str,
}

/// A [`Site`] that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Index among all transitions, from 0.
    pub index: u64,
    /// Index of the input.
    pub input: usize,
    /// Line in it, from 1.
    pub line: u64,
    /// Run; absent in a states file. Untrusted.
    pub run: Option<String>,
    /// Id of the call; absent where none was given. Untrusted.
    pub call: Option<String>,
    /// Tool. Untrusted.
    pub tool: String,
}

impl Site<'_> {
    /// The same place without a borrow.
    pub fn keep(&self) -> Found {
        Found {
            index: self.index,
            input: self.input,
            line: self.line,
            run: self.run.map(Into::into),
            call: self.call.map(Into::into),
            tool: self.tool.into(),
        }
    }
}

/// How a transition counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It begins outside the safe set: skipped.
    Skipped,
    /// There is no barrier that could be asked.
    Unasked,
    /// Every barrier holds.
    Held,
    /// At least one barrier does not.
    Violated,
}

/// Checks and violations of one run, or of one states file, counted while it lasts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunTally {
    /// Transitions checked.
    pub checks: u64,
    /// Those that violate a barrier.
    pub violations: u64,
    /// First refusals: the violations, and calls that leave the safe set by what they bring along.
    pub root: u64,
    /// Transitions that begin outside whatever the call is.
    pub standing: u64,
    /// Violations by barrier, in policy order; fewer entries than barriers are zeros at the end.
    pub barriers: Vec<u64>,
    /// First refusals by barrier, in policy order; fewer entries as above.
    pub roots: Vec<u64>,
    /// Checked transitions in which no barrier could be read: violations of none in particular, and
    /// no check of any.
    pub unread: u64,
    /// First refusals by a barrier without a limit of its own, or by none that could be named.
    pub unnamed: u64,
    /// Whether a state was met in which a barrier is negative.
    pub left: bool,
}

impl RunTally {
    /// Counts a checked transition.
    pub fn check(&mut self, violated: bool, broken: &[usize], limits: &Limits) {
        self.checks += 1;
        if !violated {
            return;
        }
        self.violations += 1;
        self.unread += u64::from(broken.is_empty());
        count(&mut self.barriers, broken);
        self.refuse(broken, limits);
    }

    /// Counts a transition that begins outside the safe set, by these barriers: as standing, or as a
    /// first refusal where the call is what brings the state outside.
    pub fn skip(&mut self, standing: bool, outside: &[usize], limits: &Limits) {
        if standing {
            self.standing += 1;
        } else {
            self.refuse(outside, limits);
        }
    }

    fn refuse(&mut self, by: &[usize], limits: &Limits) {
        self.root += 1;
        let excusable = !by.is_empty() && by.iter().all(|&i| limits.names(i));
        self.unnamed += u64::from(!excusable);
        count(&mut self.roots, by);
    }

    /// First refusals that are no violations, because the call brought the state outside along.
    pub fn brought_out(&self) -> u64 {
        self.root.saturating_sub(self.violations)
    }

    /// Transitions that say something: those checked, and those brought outside by their call.
    pub fn tested(&self) -> u64 {
        self.checks.saturating_add(self.brought_out())
    }

    /// Transitions that one barrier was checked on, and those of them that violate it.
    pub fn checks_of(&self, barrier: usize) -> (u64, u64) {
        let violations = self.barriers.get(barrier).copied().unwrap_or(0);
        (violations, self.checks.saturating_sub(self.unread))
    }

    /// First refusals by one barrier, and the transitions that say something of it: its checks, and
    /// calls that it refuses for what they bring along. Those that others refuse for that are no
    /// checks of this one, and must not make its rate less.
    pub fn roots_of(&self, barrier: usize) -> (u64, u64) {
        let (violations, checks) = self.checks_of(barrier);
        let roots = self.roots.get(barrier).copied().unwrap_or(0);
        let brought_out = roots.saturating_sub(violations);
        (roots, checks.saturating_add(brought_out))
    }
}

/// Adds one for each of these barriers.
fn count(counts: &mut Vec<u64>, barriers: &[usize]) {
    for &barrier in barriers {
        if counts.len() <= barrier {
            counts.resize(barrier + 1, 0);
        }
        if let Some(count) = counts.get_mut(barrier) {
            *count += 1;
        }
    }
}

/// A least value and the first transition that had it.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// The transition.
    pub at: Found,
}

/// One barrier over all transitions.
#[derive(Clone, Debug, PartialEq)]
pub struct BarrierRow {
    /// Its name.
    pub name: String,
    /// Transitions it was checked on, and those that violate it.
    pub rate: Rate,
    /// Runs in which it was checked or refuses a step out, and those in which it refuses one; absent
    /// unless the transitions come in runs.
    pub runs: Option<Rate>,
    /// Its rate of violations with the runs taken as clusters; absent as above.
    pub clustered: Option<ClusteredRate>,
    /// The greatest rate that was asked for, if one was.
    pub max_rate: Option<f64>,
    /// Steps out that it refuses: its violations, and calls that make it negative by what they bring
    /// along.
    pub root: u64,
    /// Transitions before which it is negative whatever the call is.
    pub standing: u64,
    /// Checked transitions whose observed value differs from the simulated one.
    pub mismatches: u64,
    /// Least value in the states before, skipped ones included; absent without transitions.
    pub least_h: Option<Extreme>,
    /// Least slack; absent where no transition has one.
    pub least_slack: Option<Extreme>,
    /// The transition to look at first: the first without a finite alpha, which nothing can satisfy,
    /// else the one with the least slack.
    pub worst: Option<Found>,
}

/// A barrier that a transition violates, or that is negative by what the call brings along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Broken {
    /// Index of the barrier in the policy.
    pub barrier: usize,
    /// Value before, with what the call brings along.
    pub h: f64,
    /// Value after; absent where nothing was simulated.
    pub next: Option<f64>,
    /// Distance above the floor, negative; absent where alpha is not finite, or nothing was
    /// simulated.
    pub slack: Option<f64>,
}

/// What a rate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Runs with a root violation.
    Run,
    /// Checks that violate a barrier.
    Check,
}

/// A first refusal: a transition that violates at least one barrier, or whose call brings the state
/// outside along.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The transition.
    pub at: Found,
    /// Whether the call brings the state outside along, so that the transition is skipped and no
    /// violation.
    pub brought_out: bool,
    /// The barriers, in policy order.
    pub broken: Vec<Broken>,
}

/// All that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct BarriersReport {
    /// Transitions seen.
    pub transitions: u64,
    /// Those that begin outside the safe set, which are not checked.
    pub skipped_unsafe: u64,
    /// Transitions checked, and those that violate a barrier: `total_checks`, `violations` and
    /// `violation_rate`.
    pub rate: Rate,
    /// Whether barriers refuse no step out; absent where there was none and nothing was checked, which
    /// shows nothing either way.
    pub forward_invariant: Option<bool>,
    /// First refusals: the violations, and calls that leave the safe set by what they bring along. The
    /// latter are skipped, and no checks.
    pub root: u64,
    /// Those of them whose call brings the state outside along.
    pub brought_out: u64,
    /// Transitions that begin outside whatever the call is.
    pub standing: u64,
    /// Runs with a checked transition or a step out, and those with a step out; absent unless the
    /// transitions come in runs.
    pub runs: Option<Rate>,
    /// Runs and states files by whether they stayed in the safe set and met the rate.
    pub fourfold: Fourfold,
    /// The greatest rate of all checks that was asked for, if one was.
    pub max_rate: Option<f64>,
    /// Whether the rates keep to what was asked for: to none where nothing was. Absent where there was
    /// neither a check nor a step out.
    pub rate_met: Option<bool>,
    /// Rate of violations with the runs taken as clusters; absent as above.
    pub clustered: Option<ClusteredRate>,
    /// The barriers, in policy order.
    pub barriers: Vec<BarrierRow>,
    /// The first of the first refusals, in order of their transitions.
    pub listed: Vec<Violation>,
    /// First refusals that are not listed.
    pub unlisted: u64,
    /// Checked transitions whose next state was observed.
    pub observed: u64,
    /// Those of them in which a simulated barrier value differs from the observed one by more than
    /// [`TOLERANCE`].
    pub model_mismatches: u64,
    /// The first of them.
    pub first_mismatch: Option<Found>,
}

impl BarriersReport {
    /// Whether nothing was checked, and no step out was met without a check.
    pub fn is_vacuous(&self) -> bool {
        self.rate.of == 0 && self.root == 0
    }

    /// Where barriers refused no step out, what rate of them is still open with 95% confidence, and of
    /// what: of runs where there are any, since the calls of a run depend on each other, else of
    /// checks. Absent where one was refused or nothing was checked.
    pub fn zero_hit_upper(&self) -> Option<(f64, Unit)> {
        let (of, unit) = match self.runs {
            Some(runs) => (runs.of, Unit::Run),
            None => (self.rate.of, Unit::Check),
        };
        let upper = zero_hit_upper(of).filter(|_| self.root == 0);
        upper.map(|upper| (upper, unit))
    }

    /// Why nothing was checked; absent where something was.
    pub fn vacuous_because(&self) -> Option<&'static str> {
        match (self.is_vacuous(), self.barriers.is_empty()) {
            (false, _) => None,
            (true, true) => Some("the policy has no barrier that is enabled"),
            (true, false) => Some("no transition was checked"),
        }
    }
}
