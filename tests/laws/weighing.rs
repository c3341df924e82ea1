//! Weighing: what every rule says of a call is what the verdict follows from, and asking for it
//! changes nothing.

use super::policies::{ALL, policies, policy};
use super::replay::{Replay, replay, varied};
use super::trial::{Shape, lines, trial};
use gate::engine::decision::{Decision, DecisionKind};
use gate::engine::{Engine, Final, Options};
use gate::import::drive::{ReadOptions, read};
use gate::policy::Policy;
use gate::stages::weigh::{Configured, LABELS, StageWeighed, Weighed, Weight};
use gate::stages::{CallContext, Notes, STAGES, Stage, Verdict};
use serde_json::Value;
use std::cell::RefCell;

/// Every rule has something to do: what `ALL` has, and contracts whose arguments are not there.
pub const FAILING: &str = r#"
[[labels]]
label = "odd"
tools = ["think"]
when = 'call.args.path == "notes.txt"'
[[contracts]]
id = "paths"
tools = ["file_read", "odd"]
require = ['call.args.path.size() < 20', 'call.turn < 9']
ensure = ['result.bytes > 1000']
[gates]
allow = ["think", "search", "file_read", "write_file", "sql_query", "send_email"]
"#;

pub fn weighing(options: Options) -> Options {
    Options {
        weigh: true,
        ..options
    }
}

/// The rule that decided, as the weighed rules have it.
fn deciding(weighed: &[StageWeighed]) -> (DecisionKind, Option<&'static str>, Option<&Weighed>) {
    const ENDS: [&str; 3] = ["answering", "rejected", "exhausted"];
    let firsts = || weighed.iter().filter_map(|s| Some((s.stage, s.first()?)));
    // The end of a run comes before everything, labels before what goes by them.
    let ended = firsts().find(|(_, rule)| ENDS.contains(&rule.rule));
    let Some((stage, rule)) = ended.or_else(|| firsts().next()) else {
        return (DecisionKind::Allow, None, None);
    };
    let kind = match rule.outcome {
        _ if rule.rule == "ensure" => DecisionKind::Withhold,
        Weight::Refuses => DecisionKind::Block,
        Weight::Escalates => DecisionKind::Escalate,
        _ => DecisionKind::Error,
    };
    (kind, (stage != LABELS).then_some(stage), Some(rule))
}

fn explained(policy: &Policy, decided: &Final) -> Result<(), String> {
    let decision = &decided.decision;
    let weighed = decided.weighed.as_ref().ok_or("not weighed")?;
    let stages: Vec<_> = weighed.iter().map(|s| s.stage).collect();
    let enabled = STAGES.iter().map(|s| s.id());
    let enabled = enabled.filter(|id| !policy.disabled.contains(id));
    let all: Vec<_> = std::iter::once(LABELS).chain(enabled).collect();
    if stages != all {
        return Err(format!("{stages:?} are weighed"));
    }
    let (kind, stage, rule) = deciding(weighed);
    let said = (kind, stage, rule.map(|rule| rule.rule));
    let line = rule.map(|rule| rule.policy_line).filter(|&line| line > 0);
    if said != (decision.kind, decision.stage, decision.rule) || line != decision.policy_line {
        return Err(format!("{said:?} on {line:?}, and it is {decision:?}"));
    }
    Ok(())
}

/// What is weighed leads to the decision: the first rule that does not pass has its rule, its kind
/// and its line; and there is none just where the call is let through.
#[test]
fn the_first_rule_that_does_not_pass_decides() {
    let policies = policies(&[ALL, &[FAILING]].concat());
    trial(300, Shape::ANY, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let weighed = replay(policy, weighing(varied(case)), trace);
        let mut all = weighed.decided.iter();
        all.try_for_each(|decided| explained(policy, decided))
    });
}

/// Everything but the weighed rules is the same with and without them.
#[test]
fn asking_changes_nothing() {
    let policies = policies(&[ALL, &[FAILING]].concat());
    trial(160, Shape::ANY, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let plain = replay(policy, varied(case), trace);
        let mut weighed = replay(policy, weighing(varied(case)), trace);
        for decided in &mut weighed.decided {
            decided.weighed = None;
        }
        match plain == weighed {
            true => Ok(()),
            false => Err(format!("{plain:?}\n{weighed:?}")),
        }
    });
}

/// Where one call alone is weighed it says what it says where all are, and the other calls tell the
/// same transitions: an explanation does not depend on how little was weighed for it.
#[test]
fn one_call_alone_is_weighed_as_among_all() {
    let policies = policies(&[ALL, &[FAILING]].concat());
    trial(160, Shape::ANY, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let options = Options {
            wordless: false,
            ..weighing(varied(case))
        };
        let only = 1 + case % 20;
        let alone = Options {
            weigh_only: Some(only),
            ..options
        };
        let mut all = replay(policy, options, trace);
        for decided in &mut all.decided {
            if decided.decision.seq != only {
                let weighed = decided.weighed.take().map_or(Vec::new(), Vec::from);
                let stages = weighed.into_iter().filter(|stage| stage.stage != LABELS);
                let bare = stages.map(|stage| StageWeighed {
                    rules: Vec::new(),
                    ..stage
                });
                decided.weighed = Some(bare.collect());
            }
        }
        let alone = replay(policy, alone, trace);
        match all == alone {
            true => Ok(()),
            false => Err(format!("{all:?}\n{alone:?}")),
        }
    });
}

thread_local! {
    /// What the twins found.
    static PARTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Looks at every call, and asks every stage twice.
struct Twins;

impl Stage for Twins {
    fn id(&self) -> &'static str {
        "twins"
    }

    fn doc(&self) -> &'static str {
        "do the stages say twice the same?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        for stage in STAGES {
            if let Err(why) = twice(*stage, cx) {
                PARTED.with_borrow_mut(|parted| parted.get_or_insert(why).len());
            }
        }
        Verdict::Pass
    }

    fn weigh(&self, _: &CallContext<'_>) -> Vec<Weighed> {
        Vec::new()
    }

    fn configured(&self, _: &Policy) -> Vec<Configured> {
        Vec::new()
    }
}

fn twice(stage: &dyn Stage, cx: &CallContext<'_>) -> Result<(), String> {
    let rules = stage.weigh(cx);
    in_order(&rules, &stage.configured(cx.policy))?;
    let silent = rules
        .iter()
        .find(|rule| rule.looked_at.is_empty() != cx.wordless);
    if let Some(silent) = silent {
        return Err(format!("{silent:?}, without words: {}", cx.wordless));
    }
    let known = |rule: &str| stage.rules().iter().any(|(known, _)| *known == rule);
    if let Some(other) = rules.iter().find(|weighed| !known(weighed.rule)) {
        return Err(format!("{} has no rule {}", stage.id(), other.rule));
    }
    let verdict = match stage.precheck(cx.state) {
        Some(finding) => Verdict::Refuse(Box::new(finding)),
        None => stage.judge(cx, &mut Notes::default()),
    };
    let said = match &verdict {
        Verdict::Pass => None,
        Verdict::Refuse(f) | Verdict::Escalate(f) | Verdict::Error(f) => {
            let barrier = f.broken.first().map(|&i| &cx.policy.dcbf.barriers[i].name);
            Some((Weight::from(&verdict), f.rule, f.policy_line, barrier))
        }
    };
    let first = rules.iter().find(|weighed| weighed.outcome.stops());
    let first = first.map(|weighed| {
        let barrier = (stage.id() == "dcbf").then_some(&weighed.name);
        (weighed.outcome, weighed.rule, weighed.policy_line, barrier)
    });
    match said == first {
        true => Ok(()),
        false => Err(format!("{}: {said:?}, and {rules:?}", stage.id())),
    }
}

/// Each stage by itself, in whatever state calls meet it: its verdict is that of the first weighed
/// rule that does not pass, and all pass where it passes.
#[test]
fn every_stage_says_twice_the_same() {
    let mut stages: Vec<&'static dyn Stage> = vec![&Twins];
    stages.extend(STAGES);
    let policies = policies(&[ALL, &[FAILING]].concat());
    trial(240, Shape::ANY, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        PARTED.with_borrow_mut(|parted| *parted = None);
        let options = Options {
            labels_given: true,
            ..varied(case)
        };
        through(policy, &stages, options, trace);
        match PARTED.take() {
            None => Ok(()),
            Some(why) => Err(why),
        }
    });
}

/// Whether what is weighed is configured, in the same order.
fn in_order(weighed: &[Weighed], configured: &[Configured]) -> Result<(), String> {
    let mut rest = configured;
    for rule in weighed {
        let same = |c: &Configured| {
            let known = (c.rule, &c.name, c.policy_line);
            known == (rule.rule, &rule.name, rule.policy_line)
        };
        let Some(at) = rest.iter().position(same) else {
            return Err(format!("{rule:?} is not among {rest:?}"));
        };
        // A rule may have several conditions.
        rest = &rest[at..];
    }
    Ok(())
}

pub fn through(policy: &Policy, stages: &[&'static dyn Stage], options: Options, trace: &[Value]) {
    let bytes = lines(trace);
    let mut out = Replay::default();
    let mut engine = Engine::new(policy, stages, options, &mut out);
    engine.begin_input(0, "t");
    let options = ReadOptions::default();
    read(
        0,
        "t.jsonl",
        "t",
        Box::new(&bytes[..]),
        &options,
        &mut engine,
    );
    engine.end_input();
}

/// The rules of a stage that stop a call, by name.
fn stops<'w>(decided: &'w Final, stage: &str) -> Vec<(&'static str, &'w str)> {
    let weighed = decided.weighed.iter().flat_map(|stages| stages.iter());
    let of = weighed.filter(|weighed| weighed.stage == stage);
    let rules = of.flat_map(|weighed| &weighed.rules);
    let stopping = rules.filter(|rule| rule.outcome.stops());
    stopping.map(|rule| (rule.rule, &*rule.name)).collect()
}

/// After the first refusal the other stages are still asked, in a run that is over too.
#[test]
fn what_else_would_have_refused_is_told() {
    let text = "[gates]\nallow = [\"search\"]\nrefuse = ['rm']\n[dfa]\nmax_steps = 1\n\
                [dcbf.barriers.privacy]\nbudget = 0.1\nper_call = 0.2\noutbound = [\"mail\"]\n";
    let policy = policy(text);
    let trace: Vec<Value> = [
        r#"{"run":"r","tool":"search","result":"x"}"#,
        r#"{"run":"r","tool":"mail","args":{"t":"rm"}}"#,
        r#"{"type":"run_end","run":"r","status":"answered"}"#,
        r#"{"run":"r","tool":"mail"}"#,
    ]
    .iter()
    .map(|line| serde_json::from_str(line).expect("JSON"))
    .collect();
    let out = replay(&policy, weighing(Options::default()), &trace);
    let decisions: Vec<&Decision> = out.decided.iter().map(|d| &d.decision).collect();
    let decided: Vec<_> = decisions.iter().map(|d| d.rule).collect();
    assert_eq!(decided, [None, Some("whitelist"), Some("answering")]);
    assert_eq!(
        stops(&out.decided[1], "gates"),
        [("whitelist", ""), ("regex", "rm")]
    );
    assert_eq!(stops(&out.decided[1], "dfa"), [("max_steps", "")]);
    let privacy = [("forward_invariance", "privacy")];
    assert_eq!(stops(&out.decided[1], "dcbf"), privacy);
    assert_eq!(
        stops(&out.decided[2], "dfa"),
        [("answering", ""), ("max_steps", "")]
    );
    assert_eq!(stops(&out.decided[2], "gates"), [("whitelist", "")]);
    assert_eq!(stops(&out.decided[2], "dcbf"), privacy);
}
