//! Every rule of every stage on a call, for those who ask why and what else: after the first refusal
//! too. What a call is let through for or not is not decided here.

use crate::policy::LabelRule;
use crate::stages::weigh::{LABEL, LABELS, StageWeighed, Weighed, Weight};
use crate::stages::{CallContext, Stage};
use crate::trace::event::Outcome;

/// What became of a label rule, in words. One that fails stops the call, unless labels are `given` for
/// good.
pub(super) fn label(rule: &LabelRule, holds: &Result<bool, String>, given: bool) -> Weighed {
    let (outcome, looked_at) = match (holds, &rule.when) {
        (Ok(false), _) => (Weight::Passes, "the condition does not hold".to_owned()),
        (Ok(true), Some(_)) => (Weight::Gives, "the condition holds".to_owned()),
        (Ok(true), None) => (Weight::Gives, "the names match".to_owned()),
        (Err(why), _) => {
            let outcome = if given { Weight::Gives } else { Weight::Fails };
            (outcome, format!("could not be evaluated: {why}"))
        }
    };
    Weighed {
        rule: LABEL,
        name: rule.label.clone(),
        policy_line: rule.place.line,
        outcome,
        met: None,
        measured: None,
        let_through: false,
        looked_at,
    }
}

/// The label rules, as they were met, and all rules of all stages.
pub(super) fn call(
    stages: &[&'static dyn Stage],
    labels: Vec<Weighed>,
    cx: &CallContext<'_>,
) -> Box<[StageWeighed]> {
    let labels = StageWeighed {
        stage: LABELS,
        rules: labels,
        transitions: Vec::new(),
    };
    let weighed = stages.iter().map(|stage| StageWeighed {
        stage: stage.id(),
        rules: stage.weigh(cx),
        transitions: match cx.wordless {
            true => Vec::new(),
            false => stage.transitions(cx),
        },
    });
    std::iter::once(labels).chain(weighed).collect()
}

/// The barriers before and after the call, without any rule.
pub(super) fn transitions(
    stages: &[&'static dyn Stage],
    cx: &CallContext<'_>,
) -> Box<[StageWeighed]> {
    let all = stages.iter().map(|stage| StageWeighed {
        stage: stage.id(),
        rules: Vec::new(),
        transitions: stage.transitions(cx),
    });
    all.collect()
}

/// Adds the rules that look at the call's result.
pub(super) fn result(
    stages: &[&'static dyn Stage],
    weighed: &mut [StageWeighed],
    cx: &CallContext<'_>,
    outcome: &Outcome<'_>,
) {
    for stage in stages {
        let same = |weighed: &&mut StageWeighed| weighed.stage == stage.id();
        if let Some(weighed) = weighed.iter_mut().find(same) {
            weighed.rules.extend(stage.weigh_result(cx, outcome));
        }
    }
}
