//! Decisions, notices and what an audit comes to as attributes: those of the GenAI conventions where they
//! have a name for it, the others below `gate.`.

use super::attributes::Attributes;
use crate::audit::summary::{InputSummary, Summary};
use crate::engine::decision::{Decision, DecisionKind};
use crate::report::Header;
use crate::trace::fault::Notice;

/// Attributes of a decision of a run that began in the input `began`. `args` are its arguments as far as
/// they are shown.
pub fn decision(
    decision: &Decision,
    began: usize,
    args: Option<&str>,
    header: &Header,
    to: &mut Attributes<'_>,
) {
    to.text("gen_ai.operation.name", "execute_tool");
    to.text("gen_ai.tool.name", &decision.tool);
    to.text("gen_ai.tool.call.id", &decision.call);
    to.maybe("gen_ai.agent.name", decision.agent.as_deref());
    to.text("gate.decision", decision.kind.as_str());
    to.flag("gate.admitted", decision.admitted);
    to.maybe("gate.stage", decision.stage);
    to.maybe("gate.rule", decision.rule);
    to.maybe("gate.reason", decision.reason.as_deref());
    if decision.input != began {
        to.text("gate.file", header.input(decision.input));
    }
    to.count("gate.line", decision.line);
    to.count("gate.seq", decision.seq);
    to.count("gate.turn", decision.turn);
    if let Some(line) = decision.policy_line {
        to.count("gate.policy.line", line as u64);
    }
    to.maybe("gate.policy.rule", decision.policy_rule.as_deref());
    let names = |list: &[usize]| {
        let names = list.iter().map(|&barrier| header.barrier(barrier));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    to.texts(
        "gate.broken",
        names(&decision.broken).iter().map(String::as_str),
    );
    to.flag("gate.standing", decision.standing);
    to.texts("gate.checks.passed", decision.checks_passed.names());
    to.maybe("gate.checks.failed", decision.checks_failed);
    to.flag("gate.escalated", decision.escalated);
    to.maybe(
        "gate.approval",
        decision.approval.map(|outcome| outcome.as_str()),
    );
    for (key, value) in [
        ("gate.semantic.score", decision.semantic_score),
        ("gate.composite", decision.composite),
    ] {
        if let Some(value) = value {
            to.float(key, value);
        }
    }
    to.flag("gate.counterfactual", decision.counterfactual);
    to.flag("gate.inconclusive", decision.inconclusive);
    to.maybe(
        "gate.recorded",
        decision.recorded.map(|recorded| recorded.as_str()),
    );
    to.flag("gate.drift", decision.is_drift());
    to.texts(
        "gate.hazard",
        names(&decision.hazard).iter().map(String::as_str),
    );
    for (barrier, reading) in decision.barriers.iter().enumerate() {
        let barrier = header.barrier(barrier);
        let values = [
            ("h", Some(reading.h)),
            ("next", reading.next),
            ("slack", reading.slack),
        ];
        for (part, value) in values {
            if let Some(value) = value {
                to.float(&format!("gate.barrier.{barrier}.{part}"), value);
            }
        }
    }
    to.texts("gate.labels", decision.labels.iter().map(String::as_str));
    to.flag("gate.args.unknown", decision.args_unknown);
    to.maybe("gate.args", args);
}

/// Attributes of a fault or a warning.
pub fn notice(notice: &Notice, header: &Header, to: &mut Attributes<'_>) {
    to.text("gate.code", notice.kind.code());
    to.text("gate.message", &notice.message);
    to.maybe("gate.help", notice.help.as_deref());
    to.text("gate.file", header.input(notice.place.input));
    for (key, position) in [
        ("gate.line", notice.place.line),
        ("gate.column", notice.place.column),
    ] {
        if position > 0 {
            to.count(key, position);
        }
    }
    to.maybe("gate.run", notice.run.as_deref());
}

/// Attributes of an input.
pub fn input(input: &InputSummary, to: &mut Attributes<'_>) {
    to.text("gate.file", &input.name);
    to.maybe("gate.format", input.format);
    to.text("gate.sha256", &input.sha256);
    to.flag("gate.complete", input.complete);
    to.count("gate.lines", input.lines);
    to.count("gate.records", input.records);
    to.count("gate.faulty", input.faulty);
    to.maybe("gate.error", input.error.as_deref());
}

/// Attributes of the audit.
pub fn summary(summary: &Summary, to: &mut Attributes<'_>) {
    let counts = &summary.counts;
    to.count("gate.exit.status", summary.exit.status.code().into());
    to.text("gate.exit.reason", &summary.exit.reason);
    to.flag("gate.complete", summary.complete);
    to.count("gate.runs", counts.runs);
    to.count("gate.runs.inconclusive", counts.inconclusive_runs);
    to.count("gate.calls", counts.calls);
    to.count("gate.calls.listed", counts.listed);
    for &kind in DecisionKind::ALL {
        let key = format!("gate.decisions.{}", kind.as_str());
        to.count(&key, summary.decisions.of(kind));
    }
    to.count("gate.violations.root", summary.violations.root);
    to.count("gate.violations.standing", summary.violations.standing);
    to.count("gate.hazards", summary.hazards);
    to.count("gate.drift", summary.drift);
    to.count("gate.faults", counts.faults);
    to.count("gate.warnings", counts.warnings);
    let settings = &summary.settings;
    to.texts("gate.fail_on", settings.fail_on.iter().map(|f| f.as_str()));
    to.flag("gate.allow_faults", settings.allow_faults);
    to.text("gate.mode", settings.replayed.mode);
    to.text("gate.dispatch", settings.replayed.dispatch);
    to.text("gate.on_escalate", settings.replayed.on_escalate);
    to.texts(
        "gate.broken_laws",
        summary.broken_laws.iter().map(String::as_str),
    );
}
