//! Coverage: its counts are those of the decisions, and what it says a rule alone has caught is let
//! through without that rule, in the same state.

use super::policies::{ALL, WHOLE, policies};
use super::replay::{replay, varied};
use super::trial::{Shape, trial};
use super::weighing::{FAILING, through, weighing};
use gate::audit::coverage::{Counting, Coverage};
use gate::engine::Options;
use gate::engine::decision::DecisionKind;
use gate::policy::refused::Refused;
use gate::policy::{Policy, presets};
use gate::stages::weigh::{Configured, LABELS, Weighed};
use gate::stages::{CallContext, Facts, Notes, STAGES, Stage, Verdict};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The coverage says of stages what the decisions and the weighed rules say, call by call.
#[test]
fn counts_are_those_of_the_calls() {
    let policies = policies(&[ALL, &[FAILING]].concat());
    trial(160, Shape::ANY, 50, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        let out = replay(policy, weighing(varied(case)), trace);
        let mut counting = Counting::of(policy);
        let mut naive = vec![[0u64; 4]; counting.clone().finish().stages.len()];
        for decided in &out.decided {
            let weighed = decided.weighed.as_ref().ok_or("not weighed")?;
            counting.add(weighed, &decided.decision);
            let stops: Vec<_> = weighed.iter().map(|s| s.first().is_some()).collect();
            let alone = stops.iter().filter(|stops| **stops).count() == 1;
            let stage = decided
                .decision
                .stage
                .or(decided.decision.rule.and(Some(LABELS)));
            for (counts, (stops, weighed)) in naive.iter_mut().zip(stops.iter().zip(weighed)) {
                counts[0] += u64::from(!weighed.rules.is_empty());
                counts[1] += u64::from(stage == Some(weighed.stage));
                counts[2] += u64::from(*stops);
                counts[3] += u64::from(*stops && alone);
            }
        }
        let coverage = counting.finish();
        let counted = coverage.stages.iter().map(|stage| {
            let met = stage.met;
            [met.evaluated, met.decided, met.stops, met.unique]
        });
        let counted: Vec<_> = counted.collect();
        if counted != naive {
            return Err(format!("{counted:?} are counted, {naive:?} are there"));
        }
        let refused = out.decided.iter().map(|d| d.decision.kind);
        let refused = refused.filter(|kind| *kind != DecisionKind::Allow).count();
        within_reason(&coverage, out.decided.len() as u64, refused as u64)
    });
}

fn within_reason(coverage: &Coverage, calls: u64, refused: u64) -> Result<(), String> {
    let decided: u64 = coverage.rules.iter().map(|rule| rule.met.decided).sum();
    if decided != refused {
        return Err(format!("{decided} decided, {refused} refused"));
    }
    for rule in &coverage.rules {
        let met = rule.met;
        let ordered = met.unique <= met.stops && met.stops <= met.evaluated;
        let possible = met.decided <= met.stops && met.evaluated <= calls;
        if !ordered || !possible || rule.given.is_some_and(|n| n > met.evaluated) {
            return Err(format!("{rule:?}"));
        }
    }
    Ok(())
}

thread_local! {
    /// What the ablation found.
    static WRONG: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Looks at every call, and takes rules away that stop it.
struct Ablation;

impl Stage for Ablation {
    fn id(&self) -> &'static str {
        "ablation"
    }

    fn doc(&self) -> &'static str {
        "what would the call get without a rule?"
    }

    fn rules(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn judge(&self, cx: &CallContext<'_>, _: &mut Notes) -> Verdict {
        if let Err(why) = alone(cx) {
            WRONG.with_borrow_mut(|wrong| wrong.get_or_insert(why).len());
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

fn alone(cx: &CallContext<'_>) -> Result<(), String> {
    let weighed = STAGES.iter().flat_map(|stage| stage.weigh(cx));
    let stopping: Vec<Weighed> = weighed.filter(|rule| rule.outcome.stops()).collect();
    // A rule may have several conditions.
    let keys = stopping
        .iter()
        .map(|rule| (rule.rule, &rule.name, rule.policy_line));
    let unique = keys.collect::<BTreeSet<_>>().len() == 1;
    for rule in &stopping {
        let Some(policy) = without(cx.policy, rule) else {
            continue;
        };
        let facts = Facts::default();
        let mut less = CallContext::new(&policy, cx.call, cx.names, cx.state, cx.run, &facts);
        (less.id, less.turn, less.siblings) = (cx.id, cx.turn, cx.siblings);
        (less.repeats, less.elapsed_ns) = (cx.repeats, cx.elapsed_ns);
        let passes = |stage: &&dyn Stage| {
            stage.precheck(cx.state).is_none()
                && stage.judge(&less, &mut Notes::default()) == Verdict::Pass
        };
        if STAGES.iter().all(passes) != unique {
            return Err(format!("without {rule:?}, of {stopping:?}"));
        }
    }
    Ok(())
}

/// The policy without a rule; absent where none sets it.
fn without(policy: &Policy, rule: &Weighed) -> Option<Policy> {
    let mut policy = policy.clone();
    let gates = &mut policy.gates;
    let agents = policy.privilege.as_mut().map(|p| &mut p.agents);
    let agent = agents.and_then(|agents| agents.iter_mut().find(|a| a.name == rule.name));
    let contracts = policy.contracts.iter_mut();
    let contracts = contracts.filter(|c| c.place.line == rule.policy_line);
    match rule.rule {
        "whitelist" => gates.allow = None,
        "regex" => {
            let mut rest = gates.refuse.to_vec();
            rest.retain(|p| p.regex.as_str() != rule.name);
            gates.refuse = Refused::new(rest).into();
        }
        "recency" => gates.window = None,
        "budget" => gates.max_tokens = None,
        // Its place in the list is that of its tokens in the ledger.
        "per_tool_budget" => {
            let mut entries = gates.per_tool.iter_mut();
            entries.find(|entry| entry.name == rule.name)?.max_tokens = u64::MAX;
        }
        "tool" => {
            let agent = agent?;
            (agent.tools, agent.deny_tools) = (None, None);
        }
        "call_cost" => agent?.max_call_cost = None,
        "total_cost" => agent?.max_total_cost = None,
        "max_steps" => policy.dfa.max_steps = u64::MAX,
        "max_loops" => policy.dfa.max_loops = u64::MAX,
        "max_repeats" => policy.dfa.max_repeats = None,
        "require" => contracts.for_each(|contract| contract.require.clear()),
        "outside_safe_set" | "forward_invariance" => {
            policy.dcbf.barriers.retain(|spec| spec.name != rule.name);
        }
        "harm" => policy.semantic = None,
        _ => return None,
    }
    Some(policy)
}

/// What only one rule stops passes without it, and what several stop does not pass without one of
/// them: taking a rule out of the policy bears out what is counted without doing so.
#[test]
fn what_a_rule_alone_has_caught_passes_without_it() {
    let crowded = format!("[pipeline]\ndisable = []\n{WHOLE}[dfa]\nmax_steps = 4\nmax_loops = 1\n");
    let policies = policies(&[ALL, &[FAILING, &crowded]].concat());
    let mut stages: Vec<&'static dyn Stage> = vec![&Ablation];
    stages.extend(STAGES);
    trial(130, Shape::ANY, 40, |case, trace| {
        let policy = &policies[case as usize % policies.len()];
        WRONG.with_borrow_mut(|wrong| *wrong = None);
        let options = Options {
            labels_given: true,
            ..varied(case)
        };
        through(policy, &stages, options, trace);
        WRONG.take().map_or(Ok(()), Err)
    });
}

/// Every rule is told of before any call comes, each once: what was never met is known from the
/// policy.
#[test]
fn what_no_call_meets_is_told_of() {
    let named = policies(&[ALL, &[FAILING]].concat());
    let presets = presets::PRESETS.iter();
    let presets = presets.filter_map(|preset| Policy::preset(preset.id));
    for policy in named.into_iter().chain(presets) {
        let coverage = Counting::of(&policy).finish();
        let rules = &coverage.rules;
        let keys = rules
            .iter()
            .map(|r| (r.stage, r.rule, &r.name, r.policy_line));
        assert_eq!(keys.collect::<BTreeSet<_>>().len(), rules.len());
        assert!(
            rules
                .iter()
                .all(|rule| rule.met.evaluated == 0 && !rule.is_idle())
        );
        let of = |rule: &str| rules.iter().filter(|r| r.rule == rule).count();
        assert_eq!(of("regex"), policy.gates.refuse.len());
        let barriers = policy.dcbf.barriers.len();
        let enabled = !policy.disabled.contains(&"dcbf");
        assert_eq!(of("outside_safe_set"), barriers * usize::from(enabled));
        let requiring = policy.contracts.iter().filter(|c| !c.require.is_empty());
        assert_eq!(of("require"), requiring.count());
        let labels: BTreeSet<_> = policy
            .labels
            .iter()
            .map(|l| (&l.label, l.place.line))
            .collect();
        assert_eq!(of("label"), labels.len());
    }
}
