//! Label rules that give no label, or none that an earlier rule does not give.

use super::lists::BUT_LABELS;
use super::{MOST, plain};
use crate::check::codes::{Code, Findings, line};
use crate::check::patterns::List;
use crate::check::tools::Tools;
use crate::policy::{LabelRule, Policy};

pub(super) fn look(policy: &Policy, tools: &Tools, findings: &mut Findings) {
    let when = |rule: &LabelRule| rule.when.as_ref().map(|expr| plain(expr.source()));
    let list = |rule: &LabelRule| rule.tools.map(|id| List::of(policy, id));
    let rules = policy.labels.iter().take(MOST);
    let rules: Vec<_> = rules.map(|r| (r, list(r), when(r))).collect();
    for (n, (rule, list, condition)) in rules.iter().enumerate() {
        let matched = rule.tools.is_none_or(|id| tools.may_match(policy, id));
        if !matched {
            let message = format!(
                "the label `{}` is given to no call: `gates.allow` lets none of these tools through",
                rule.label
            );
            findings.add(Code::DeadLabelRule, rule.place, message, Some(BUT_LABELS));
            continue;
        }
        let earlier = rules.iter().take(n).find(|(other, covers, on)| {
            other.label == rule.label
                && (on.is_none() || on == condition)
                && match (covers, list) {
                    (None, _) => true,
                    (Some(covers), Some(list)) => covers.covers_list(list),
                    (Some(_), None) => false,
                }
        });
        if let Some((other, ..)) = earlier {
            let message = format!(
                "the rule {} gives the label `{}` to all of these calls already",
                line(other.place),
                rule.label
            );
            let help = "leave it out";
            findings.add(Code::ShadowedLabelRule, rule.place, message, Some(help));
        }
    }
}
