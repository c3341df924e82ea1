//! The pipeline: a call through every stage until one does not pass it.

use super::decision::{Decision, DecisionKind, Reading};
use super::monitor::Monitor;
use super::run::Run;
use super::{Final, Mode, Options};
use crate::policy::matcher::{NameSet, NameTable};
use crate::policy::{LabelRule, Policy};

use crate::stages::bindings::CallBindings;
use crate::stages::weigh::{LABEL, StageWeighed};
use crate::stages::{CallContext, Facts, Finding, Notes, Stage, Verdict};
use crate::state::{AgentState, RunView};
use crate::trace::event::ToolCall;
use crate::trace::fault::Place;
use std::sync::Arc;

/// What the pipeline says of a call.
pub(super) struct Judged {
    pub(super) kind: DecisionKind,
    stage: Option<&'static str>,
    /// Why it did not pass: of few calls, and large.
    pub(super) finding: Option<Box<Finding>>,
    /// How many stages it passed.
    passed: usize,
    pub(super) notes: Notes,
    /// Whether its result has to be checked.
    pub(super) awaits_result: bool,
    /// What every rule says, where that was asked for.
    pub(super) weighed: Option<Box<[StageWeighed]>>,
}

/// The stages that the policy has something for, each with its place in the pipeline: the others pass
/// every call, and are not asked.
pub(super) type Asked = [(usize, &'static dyn Stage)];

impl Judged {
    /// Nothing against the call yet. It is filled in where it stands, since it is large; `room` is where
    /// the readings of the barriers go.
    pub(super) fn new(mut room: Vec<Reading>) -> Judged {
        room.clear();
        Judged {
            kind: DecisionKind::Allow,
            stage: None,
            finding: None,
            passed: 0,
            notes: Notes {
                barriers: room,
                ..Notes::default()
            },
            awaits_result: false,
            weighed: None,
        }
    }

    fn stop(&mut self, kind: DecisionKind, stage: Option<&'static str>, finding: Box<Finding>) {
        (self.kind, self.stage, self.finding) = (kind, stage, Some(finding));
    }

    /// The first stage that refuses every call in this state. Says whether there is one.
    pub(super) fn precheck(&mut self, asked: &Asked, state: &AgentState) -> bool {
        for (_, stage) in asked {
            if let Some(finding) = stage.precheck(state) {
                self.stop(DecisionKind::Block, Some(stage.id()), Box::new(finding));
                return true;
            }
        }
        false
    }

    /// A call whose labels are not known is not judged any further.
    pub(super) fn unlabelled(&mut self, finding: Box<Finding>) {
        self.stop(DecisionKind::Error, None, finding);
    }

    /// Runs the pipeline, of that many stages in all.
    pub(super) fn pipeline(&mut self, asked: &Asked, stages: usize, cx: &CallContext<'_>) {
        self.passed = stages;
        for &(place, stage) in asked {
            let (kind, finding) = match stage.judge(cx, &mut self.notes) {
                Verdict::Pass => continue,
                Verdict::Refuse(finding) => (DecisionKind::Block, finding),
                Verdict::Escalate(finding) => (DecisionKind::Escalate, finding),
                Verdict::Error(finding) => (DecisionKind::Error, finding),
            };
            self.passed = place;
            self.stop(kind, Some(stage.id()), finding);
            break;
        }
        let runs = matches!(self.kind, DecisionKind::Allow | DecisionKind::Escalate);
        self.awaits_result = runs && asked.iter().any(|(_, s)| s.awaits_result(cx));
    }
}

/// The names of a call: its tool, the labels of its record and those the policy's rules give it.
///
/// A rule that cannot be evaluated gives its label: a call is rather taken for too much than for too
/// little. The first one is told, since the call is not to be dispatched then. `met` is told of every
/// rule that meets the call, and whether it gives its label.
pub(super) fn names(
    policy: &Policy,
    table: &mut NameTable,
    call: &ToolCall<'_>,
    state: &AgentState,
    run: RunView<'_>,
    facts: &Facts,
    mut met: impl FnMut(&LabelRule, &Result<bool, String>),
) -> (Arc<NameSet>, Option<Box<Finding>>) {
    let mut labels: Vec<&str> = call.labels.iter().map(|l| &**l).collect();
    let mut names = table.intern(&policy.matchers, &call.tool, &labels);
    let mut failure = None;
    for rule in &policy.labels {
        if rule.tools.is_some_and(|tools| !names.is(tools)) {
            continue;
        }
        let holds = rule.when.as_ref().map_or(Ok(true), |when| {
            let cx = CallContext::new(policy, call, &names, state, run, facts);
            when.test(&CallBindings {
                cx: &cx,
                outcome: None,
            })
        });
        met(rule, &holds);
        if holds == Ok(false) {
            continue;
        }
        if let Err(why) = holds {
            failure.get_or_insert_with(|| {
                Box::new(Finding {
                    rule: LABEL,
                    reason: format!("label `{}` could not be evaluated: {why}", rule.label),
                    policy_line: rule.place.line,
                    ..Finding::default()
                })
            });
        }
        labels.push(&rule.label);
        names = table.intern(&policy.matchers, &call.tool, &labels);
    }
    (names, failure)
}

/// See [`super::labels`].
pub(super) fn labels_alone(policy: &Policy, call: &ToolCall<'_>) -> Vec<String> {
    let mut table = NameTable::default();
    let (state, run) = (AgentState::default(), RunView::default());
    let (names, _) = names(
        policy,
        &mut table,
        call,
        &state,
        run,
        &Facts::default(),
        |_, _| {},
    );
    names.labels.iter().map(|l| l.to_string()).collect()
}

/// What a decision says of its call beside the verdict.
pub(super) struct Subject<'a> {
    pub(super) place: Place,
    pub(super) call: &'a ToolCall<'a>,
    pub(super) agent: Option<Arc<str>>,
    pub(super) names: &'a NameSet,
}

impl Judged {
    /// Writes the decision down, over one that was given. It is not final yet where somebody has to decide
    /// or the result has to be checked.
    pub(super) fn decide(
        self,
        monitor: &Monitor<'_>,
        run: &Run,
        subject: Subject<'_>,
        decided: &mut Final,
    ) {
        let Judged {
            kind,
            stage: by,
            finding,
            passed,
            notes,
            weighed: says,
            awaits_result: _,
        } = self;
        let Options {
            keep_args, mode, ..
        } = monitor.options;
        let Subject {
            place,
            call: subject,
            agent: who,
            names,
        } = subject;
        // Every field is named, so that none keeps what it said of another call.
        let Final {
            decision,
            unscored,
            without_intent,
            scope_inert,
            probed,
            label,
            concurrent,
            named,
            mediated,
            weighed,
        } = decided;
        *unscored = notes.unscored;
        *without_intent = notes.without_intent;
        *scope_inert = notes.scope_inert;
        *probed = notes.probed;
        *label = run.label;
        *concurrent = run.siblings.is_some();
        *named = names.is_named();
        *mediated = monitor.policy.boundary.is_none_or(|tools| names.is(tools));
        *weighed = says;
        let Decision {
            input,
            line,
            run: run_id,
            seq,
            continues,
            call,
            turn,
            tool,
            labels,
            agent,
            kind: decided_kind,
            admitted,
            stage,
            rule,
            broken,
            reason,
            policy_line,
            policy_rule,
            standing,
            checks_passed,
            checks_failed,
            escalated,
            approval,
            semantic_score,
            semantic,
            counterfactual,
            inconclusive,
            recorded,
            hazard,
            composite,
            barriers,
            args_unknown,
            args,
        } = decision;
        (*input, *line) = (place.input, place.line);
        (*seq, *turn) = (run.seq, run.turn);
        *continues = run.resumed;
        share(run_id, &run.id);
        share(tool, &names.tool);
        *agent = who;
        call.clear();
        call.push_str(subject.id.as_deref().unwrap_or_default());
        labels.clear();
        labels.extend(names.labels.iter().map(|l| l.to_string()));
        (*decided_kind, *stage) = (kind, by);
        *admitted = kind == DecisionKind::Allow;
        *escalated = kind == DecisionKind::Escalate;
        *approval = None;
        *checks_passed = monitor.passed(passed);
        let refused = matches!(kind, DecisionKind::Block | DecisionKind::Error);
        *checks_failed = by.filter(|_| refused);
        *semantic_score = notes.semantic_score;
        *semantic = notes.semantic.map(|seen| seen.shown(keep_args));
        *counterfactual = run.parted && mode == Mode::Enforce;
        *inconclusive = run.doubtful;
        *recorded = subject.recorded;
        *hazard = notes.hazard;
        *composite = notes.composite;
        *barriers = notes.barriers;
        *args_unknown = subject.args_unknown;
        *args = (keep_args && !*args_unknown).then(|| subject.args.json().to_compact());
        let finding = finding.map(|finding| *finding);
        let is_found = finding.is_some();
        let found = finding.unwrap_or_default();
        *rule = is_found.then_some(found.rule);
        *reason = is_found.then_some(found.reason);
        *policy_line = Some(found.policy_line).filter(|&line| line > 0);
        *policy_rule = found.policy_rule;
        *standing = found.standing;
        *broken = found.broken;
    }
}

/// Makes a shared text that one, which it mostly is.
fn share(text: &mut Arc<str>, with: &Arc<str>) {
    if !Arc::ptr_eq(text, with) {
        *text = Arc::clone(with);
    }
}

/// Turns an admitted call's decision into a withheld one.
pub(super) fn withhold(decision: &mut Decision, stage: &'static str, finding: Finding) {
    decision.kind = DecisionKind::Withhold;
    decision.stage = Some(stage);
    decision.rule = Some(finding.rule);
    decision.policy_line = (finding.policy_line > 0).then_some(finding.policy_line);
    decision.policy_rule = finding.policy_rule;
    decision.reason = Some(finding.reason);
    decision.checks_passed = decision.checks_passed.without(stage);
    decision.checks_failed = Some(stage);
}
