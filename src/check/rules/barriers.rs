//! Barriers that can refuse no call, and pairs that hide behind others or meet in one call.

use super::MOST;
use super::lists::element;
use crate::check::binds::Binds;
use crate::check::codes::{Code, Findings, line};
use crate::check::dead::{self, Dead};
use crate::check::limits;
use crate::check::patterns::List;
use crate::check::permits::Permits;
use crate::check::row::BarrierRow;
use crate::policy::{BarrierSpec, Measure, Policy};

pub(super) fn look(policy: &Policy, rows: &[BarrierRow], dead: &[Dead], findings: &mut Findings) {
    if !policy.runs("dcbf") {
        return;
    }
    // That no call comes as far as the barriers is told of once.
    let unreached = dead.iter().any(dead::is_before_barriers);
    for (row, spec) in rows.iter().zip(&policy.dcbf.barriers) {
        // As many steps as `dfa.max_steps` are the default of both: nobody is misled.
        let equal = matches!(spec.measure, Measure::Stability { .. })
            && limits::calls(policy, spec) == Some(Permits::Calls(policy.dfa.max_steps));
        if let Binds::Never(why) = &row.binds
            && !equal
            && !unreached
        {
            let message = format!("the barrier `{}` can refuse no call: {why}", row.name);
            let help = "set `enabled = false` where that is meant";
            findings.add(Code::NeverBinds, row.place, message, Some(help));
        }
        if matches!(spec.measure, Measure::Resource { .. })
            && limits::calls(policy, spec) == Some(Permits::Calls(0))
            && row.start.is_some_and(|h| h >= 0.0)
        {
            estimate_refused(policy, spec, findings);
        }
        if let Measure::Safety { pairs, .. } = &spec.measure {
            let list = |&(a, b): &(_, _)| (List::of(policy, a), List::of(policy, b));
            let pairs: Vec<(List, List)> = pairs.iter().take(MOST).map(list).collect();
            self::pairs(policy, &spec.name, &pairs, findings);
        }
    }
}

/// Said where a barrier that starts inside the safe set does not let a first call pass that has no
/// estimate of its own.
fn estimate_refused(policy: &Policy, spec: &BarrierSpec, findings: &mut Findings) {
    let message = format!(
        "every call without an estimate of its own is refused: the barrier `{}` does not admit {} USD",
        spec.name, policy.dcbf.per_call_cost
    );
    let help = "raise its `limit_usd` or `kappa`, or lower its `per_call_cost_usd` or margin";
    let place = dead::place_of(policy, spec);
    findings.add(Code::RefusesEveryCall, place, message, Some(help));
}

fn pairs(policy: &Policy, barrier: &str, pairs: &[(List, List)], findings: &mut Findings) {
    let path = ["dcbf", "barriers", barrier, "pairs"];
    let texts = |list: &List| {
        let texts = list.patterns.iter().map(|p| p.text.as_str());
        texts.collect::<Vec<_>>().join(" or ")
    };
    for (n, (a, b)) in pairs.iter().enumerate() {
        let place = element(policy, &path, n);
        let (one, other) = (texts(a), texts(b));
        // A name with itself is told of when the policy is read.
        let inner = [(a, b), (b, a)].into_iter().find(|(x, y)| x.covers_list(y));
        if let Some((_, within)) = inner.filter(|_| one != other) {
            let message = format!(
                "every call of `{}` is refused: it matches both `{one}` and `{other}`",
                texts(within)
            );
            let help = "a pair is of calls that may not come near each other; to refuse one call write a contract";
            findings.add(Code::PairWithinItself, place, message, Some(help));
        }
        let hides = |m: usize| {
            let (c, d) = &pairs[m];
            (c.covers_list(a) && d.covers_list(b)) || (c.covers_list(b) && d.covers_list(a))
        };
        let back = |m: usize| {
            let (c, d) = &pairs[m];
            (a.covers_list(c) && b.covers_list(d)) || (a.covers_list(d) && b.covers_list(c))
        };
        let found = (0..pairs.len()).find(|&m| m != n && hides(m) && (m < n || !back(m)));
        if let Some(m) = found {
            let (c, d) = &pairs[m];
            let by = line(element(policy, &path, m));
            let message = format!(
                "the pair `{one}`, `{other}` is covered by the pair `{}`, `{}` {by}",
                texts(c),
                texts(d)
            );
            findings.add(Code::ShadowedPair, place, message, Some("leave it out"));
        }
    }
}
