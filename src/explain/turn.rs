//! Changes of a policy that turn a decision, each held against a replay of the run from its start.
//!
//! A change is worked out for the state that the call meets. Under the changed policy earlier calls may
//! be decided otherwise, and the call may meet another state: then the change is worked out anew there.
//! Where that does not turn the rule either, the number is set so that it stops nothing, and the state
//! that the call meets then tells what is enough. Of a change that turns the rule one step less is tried
//! too; where that turns it as well the least is sought by replays.

use super::change::{Change, Key};
use super::flip::{Rule, asked, beyond, is_ending, keys, turned};
use super::search::{amount, tick};
use super::trial::{Case, Changed, Effort, Replayed, Trials, with};
use crate::engine::Final;
use crate::policy::Policy;
use crate::stages::weigh::Amount;

/// So often a change is worked out for the state that the call meets, before the number is opened.
const NEAR: usize = 5;

/// What it takes to turn a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// The rule.
    pub rule: Rule,
    /// The changes, of one number or of such as belong together. Where the replay is not turned they are
    /// the last that were tried, and none that turns the rule was found.
    pub changes: Vec<Change>,
    /// What a replay with them says.
    pub replay: Replayed,
    /// How they were sought.
    pub effort: Effort,
    /// Whether the rule does not go by these numbers: they let the call through by way of earlier calls,
    /// which are decided otherwise.
    pub by_earlier: bool,
}

impl Flip {
    /// Whether the call is let through with it.
    pub fn is_enough(&self) -> bool {
        self.replay.turned && self.replay.admitted
    }
}

impl Case<'_> {
    /// What it takes to turn that rule, by each number that it goes by: to pass the call where `pass`,
    /// else not to.
    pub fn flips(&self, rule: &Rule, pass: bool) -> Vec<Flip> {
        let Some(decided) = &self.played.sought else {
            return Vec::new();
        };
        let mut keys = keys(self.policy, rule, decided);
        if rule.stage == "semantic" {
            // The others are places where the same threshold can be given.
            keys.truncate(1);
        }
        let keys = keys.into_iter();
        keys.filter_map(|key| self.flip(rule, key, pass)).collect()
    }

    /// The same by one number. Absent where it turns nothing even in the state that the call meets.
    pub fn flip(&self, rule: &Rule, key: Key, pass: bool) -> Option<Flip> {
        let mut turn = Turn {
            case: self,
            rule,
            pass,
            trials: Trials::new(self),
        };
        let (changes, replay) = turn.find(key)?;
        // Of a barrier's rules another may refuse the call than was weighed first.
        let mut stops = replay.stops.iter();
        let named = stops.find(|stop| stop.is_of(rule)).unwrap_or(rule);
        Some(Flip {
            rule: named.clone(),
            changes,
            replay,
            effort: turn.trials.effort,
            by_earlier: false,
        })
    }
}

/// The search for what turns a rule.
struct Turn<'c> {
    case: &'c Case<'c>,
    rule: &'c Rule,
    pass: bool,
    trials: Trials<'c>,
}

/// Changes, and what a replay with them says.
type Found = (Vec<Change>, Replayed);

impl Turn<'_> {
    fn find(&mut self, key: Key) -> Option<Found> {
        if self.pass && is_ending(self.rule) {
            return self.farther(key);
        }
        let mut met = self.case.played.sought.clone()?;
        let mut changed = Changed::new(self.case.policy);
        let mut last = None;
        for _ in 0..NEAR {
            let Some(change) = next(&changed.policy, self.rule, key, &met, self.pass) else {
                break;
            };
            let before = changed.clone();
            changed.set(change.key, change.to);
            let Some((said, now)) = self.said(&changed.policy) else {
                break;
            };
            if said.turned {
                return Some(self.least(&before, &change, said));
            }
            (met, last) = (now, Some((changed.changes.clone(), said)));
        }
        let last = last?;
        let asked = last.0.last().map(|change| (change.key, change.to));
        match asked {
            Some((asked, to)) if asked == key => Some(self.jump(key, to).unwrap_or(last)),
            _ => Some(last),
        }
    }

    /// Where an earlier call ended the run: whether the number open turns that, and how much of it is
    /// enough, in steps that double.
    fn farther(&mut self, key: Key) -> Option<Found> {
        let original = self.case.policy;
        let (from, open) = (key.get(original)?, self.case.opened(original, key, true)?);
        let (said, _) = self.said(&with(original, key, open))?;
        if !said.turned {
            return None;
        }
        let (start, end) = (tick(from), tick(open));
        let (mut not, mut step, mut enough) = (start, 1, (open, said));
        while not + step < end {
            let at = amount(not + step, open);
            let Some((said, _)) = self.said(&with(original, key, at)) else {
                break;
            };
            if said.turned {
                enough = (at, said);
                break;
            }
            (not, step) = (not + step, step * 2);
        }
        let mut before = Changed::new(original);
        before.set(key, amount(not, open));
        let change = Change::of(original, key, enough.0)?;
        Some(self.least(&before, &change, enough.1))
    }

    /// Opens the number, goes back to what is enough in the state that the call meets then, and seeks
    /// the least from there. `not` does not turn the rule.
    fn jump(&mut self, key: Key, not: Amount) -> Option<Found> {
        let original = self.case.policy;
        let open = self.case.opened(original, key, self.pass)?;
        let (mut said, met) = self.said(&with(original, key, open))?;
        if !said.turned {
            return None;
        }
        let enough = asked(original, self.rule, key, &met, self.pass)?;
        let mut to = open;
        let mut not = not;
        if let Some((tried, _)) = self.said(&with(original, key, enough)) {
            match tried.turned {
                true => (to, said) = (enough, tried),
                false => not = enough,
            }
        }
        let from = key.get(original)?;
        let (origin, end) = (tick(from), tick(to));
        // The farthest of those on the way that are known not to turn it.
        let between = (tick(not) - origin).abs() < (end - origin).abs();
        let not = if between { not } else { from };
        let mut changed = Changed::new(original);
        changed.set(key, not);
        let change = Change::of(original, key, to)?;
        Some(self.least(&changed, &change, said))
    }

    /// The least of the changes on the way to one that turns the rule: where earlier calls are decided
    /// otherwise half of it may do. `before` is without the change, and the rule is not turned then.
    fn least(&mut self, before: &Changed<'_>, change: &Change, said: Replayed) -> Found {
        let key = change.key;
        let mut changed = before.clone();
        changed.set(key, change.to);
        let Some(not) = key.get(&before.policy) else {
            return (changed.changes, said);
        };
        let (case, rule, pass) = (self.case, self.rule, self.pass);
        let (to, said) = (self.trials).least(tick(not), (tick(change.to), said), |trials, at| {
            let policy = with(&before.policy, key, amount(at, change.to));
            let tried = trials.run(&policy)?;
            let said = case.replayed(&tried, rule.stops(&tried.met) != pass);
            Some(if said.turned { Ok(said) } else { Err(()) })
        });
        changed.set(key, amount(to, change.to));
        (changed.changes, said)
    }

    /// What comes of the run under another policy, and the call there.
    fn said(&mut self, policy: &Policy) -> Option<(Replayed, Final)> {
        let tried = self.trials.run(policy)?;
        let turned = self.rule.stops(&tried.met) != self.pass;
        Some((self.case.replayed(&tried, turned), tried.met))
    }
}

/// The change that turns the rule in the state that the call met. Of a score, that of whichever
/// threshold it reached.
pub(super) fn next(
    policy: &Policy,
    rule: &Rule,
    key: Key,
    decided: &Final,
    pass: bool,
) -> Option<Change> {
    let keys = match key.is_semantic() {
        true => keys(policy, rule, decided),
        false => vec![key],
    };
    let mut turning = keys
        .iter()
        .filter_map(|&key| Some((key, turned(policy, rule, key, decided, pass)?)));
    let found = turning.next();
    let (key, to) = found.or_else(|| beyond(policy, rule, *keys.first()?, decided, pass))?;
    Change::of(policy, key, to)
}
