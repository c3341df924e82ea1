//! What an audit comes to: its exit status and why.

use super::summary::{ExitSummary, InputSummary, Summary};
use crate::engine::decision::DecisionKind;
use crate::exit::{Exit, Finding};

/// What makes the status 2 beside the counts of the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leniency {
    /// Whether faults leave the status alone.
    pub allow_faults: bool,
    /// Whether warnings, of the input and of the policy, make the status 1.
    pub deny_warnings: bool,
    /// Whether nothing to audit is no failure.
    pub allow_empty: bool,
}

/// The exit status of an audit. Status 2 comes before 1, and 1 before 0.
pub fn verdict(summary: &Summary, leniency: Leniency) -> ExitSummary {
    let unusable = unusable(summary, leniency);
    let (status, reason) = match unusable {
        Some(reason) => (Exit::Unusable, reason),
        None => match findings(summary, leniency) {
            found if found.is_empty() => (Exit::Clean, clean(summary)),
            found => (Exit::Findings, found.join(", ")),
        },
    };
    ExitSummary { status, reason }
}

fn unusable(summary: &Summary, leniency: Leniency) -> Option<String> {
    if let Some(law) = summary.broken_laws.first() {
        return Some(format!("internal error: it does not hold that {law}"));
    }
    unusable_inputs(
        summary.inputs.iter(),
        summary.counts.faults,
        summary.counts.calls,
        leniency,
    )
}

/// Why the inputs alone make the status 2, if they do: one could not be read, there are faults, or
/// there is no call.
pub fn unusable_inputs<'i>(
    inputs: impl Iterator<Item = &'i InputSummary>,
    faults: u64,
    calls: u64,
    leniency: Leniency,
) -> Option<String> {
    if let Some(why) = unread(inputs.filter_map(InputSummary::unreadable)) {
        return Some(why);
    }
    if faults > 0 && !leniency.allow_faults {
        return Some(crate::number::count(faults, "input fault", "input faults"));
    }
    (calls == 0 && !leniency.allow_empty).then(|| "no call in any input".into())
}

/// Why inputs could not be read, by what is said of each of these: the first, and how many more there are.
pub fn unread(mut inputs: impl Iterator<Item = String>) -> Option<String> {
    let first = inputs.next()?;
    Some(match inputs.count() {
        0 => first,
        more => format!("{first}, and {more} more"),
    })
}

/// The exit status of a command that reads inputs and judges nothing, and why.
pub fn exit_of_reading<'i>(
    inputs: impl Iterator<Item = &'i InputSummary>,
    faults: u64,
    calls: u64,
    leniency: Leniency,
) -> ExitSummary {
    match unusable_inputs(inputs, faults, calls, leniency) {
        Some(reason) => ExitSummary {
            status: Exit::Unusable,
            reason,
        },
        None => ExitSummary {
            status: Exit::Clean,
            reason: match faults {
                0 => "no input fault".into(),
                _ => "input faults are allowed".into(),
            },
        },
    }
}

fn findings(summary: &Summary, leniency: Leniency) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for &(finding, _) in Finding::ALL {
        let count = count(summary, finding);
        if summary.settings.fail_on.contains(&finding) && count > 0 {
            found.push(finding.counted(count));
        }
    }
    let warnings = summary.counts.warnings + summary.policy.warnings.len() as u64;
    if leniency.deny_warnings && warnings > 0 {
        found.push(crate::number::count(warnings, "warning", "warnings"));
    }
    found
}

/// How many findings of a kind count against the status.
fn count(summary: &Summary, finding: Finding) -> u64 {
    let kind = |kind| summary.decisions.of(kind);
    let violations = summary.violations.root + summary.violations.standing;
    let named = |finding| summary.settings.fail_on.contains(&finding);
    match finding {
        // A call that a barrier refused is blocked too; the rate that excuses it excuses it whole.
        Finding::Block if excused(summary) && named(Finding::Violation) => {
            kind(DecisionKind::Block).saturating_sub(violations)
        }
        Finding::Block => kind(DecisionKind::Block),
        Finding::Escalate => kind(DecisionKind::Escalate),
        Finding::Withhold => kind(DecisionKind::Withhold),
        Finding::Error => kind(DecisionKind::Error),
        Finding::Violation if excused(summary) => 0,
        Finding::Violation => violations,
        Finding::Hazard => summary.hazards,
        Finding::Drift => summary.drift,
        Finding::Unsound => summary.policy.unsound(),
    }
}

/// Whether the violation rate is one that `--max-violation-rate` lets pass.
pub fn excused(summary: &Summary) -> bool {
    let Some(max) = summary.settings.max_violation_rate else {
        return false;
    };
    summary.violations.rate.rate.is_none_or(|rate| rate <= max)
}

fn clean(summary: &Summary) -> String {
    if summary.settings.fail_on.is_empty() {
        "no finding makes the status 1".into()
    } else if summary.counts.calls == 0 {
        "nothing to audit".into()
    } else if excused(summary) && summary.violations.rate.hits > 0 {
        let violations = Finding::Violation.counted(summary.violations.rate.hits);
        format!("{violations}, a rate that `--max-violation-rate` lets pass")
    } else {
        let words: Vec<_> = summary
            .settings
            .fail_on
            .iter()
            .map(|f| f.as_str())
            .collect();
        format!("no {}", words.join(", no "))
    }
}
