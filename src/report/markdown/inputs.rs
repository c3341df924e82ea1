//! What was read, what was wrong with it, and by which policy it was judged.

use super::text::{cell, code};
use super::{LISTED, NAME, NOTICES, Page, REASON};
use crate::audit::summary::Summary;
use crate::trace::fault::Notice;

/// Faults, then warnings: by code, and the first of them.
pub fn notices(page: &mut Page, summary: &Summary) {
    let kinds = [
        ("Input faults", &summary.fault_codes, true),
        ("Warnings of inputs", &summary.warning_codes, false),
    ];
    for (title, codes, faults) in kinds {
        if codes.is_empty() {
            continue;
        }
        page.section(title);
        let counts = codes
            .iter()
            .map(|(code, count)| format!("`{code}` {count}"));
        page.paragraph(&counts.collect::<Vec<_>>().join(", "));
        let listed = summary
            .notices
            .iter()
            .filter(|notice| notice.kind.is_fault() == faults);
        let rows: Vec<Vec<String>> = listed
            .take(NOTICES)
            .map(|notice| row(page, notice))
            .collect();
        let more = codes
            .values()
            .sum::<u64>()
            .saturating_sub(rows.len() as u64);
        page.table(&["where", "code", "run", "what"], rows);
        and_more(page, more);
    }
}

fn row(page: &Page, notice: &Notice) -> Vec<String> {
    let place = notice.place;
    let help = notice.help.as_deref();
    let help = help.map_or(String::new(), |help| {
        format!("; help: {}", cell(help, REASON))
    });
    vec![
        page.place(place.input, place.line, place.column),
        format!("`{}`", notice.kind.code()),
        notice
            .run
            .as_deref()
            .map_or(String::new(), |run| cell(run, NAME)),
        format!("{}{help}", cell(&notice.message, REASON)),
    ]
}

/// The inputs with their hashes.
pub fn inputs(page: &mut Page, summary: &Summary) {
    if summary.inputs.is_empty() {
        return;
    }
    page.section("Inputs");
    let shown = summary.inputs.iter().take(LISTED);
    let rows: Vec<Vec<String>> = shown
        .map(|input| {
            let state = match (&input.error, input.complete) {
                (Some(error), _) => cell(error, REASON),
                (None, true) => "whole".to_owned(),
                (None, false) => "not to its end".to_owned(),
            };
            let digest = match input.sha256.as_str() {
                "" => String::new(),
                sha256 => format!("`{sha256}`"),
            };
            vec![
                cell(&input.name, NAME),
                input.format.unwrap_or("unknown").to_owned(),
                input.lines.to_string(),
                state,
                digest,
            ]
        })
        .collect();
    page.table(&["file", "format", "#lines", "read", "sha256"], rows);
    and_more(page, summary.inputs.len().saturating_sub(LISTED) as u64);
}

/// The policy and how calls were replayed.
pub fn policy(page: &mut Page, summary: &Summary) {
    let (policy, settings) = (&summary.policy, &summary.settings);
    page.section("Policy");
    let source = code(&policy.source, REASON);
    let replayed = settings.replayed;
    let merged = match settings.merge_runs {
        true => ", runs go on from one input into the next",
        false => "",
    };
    page.paragraph(&format!(
        "{source}, sha256 `{}`; mode {}, dispatch {}, escalated calls: {}{merged}",
        policy.sha256, replayed.mode, replayed.dispatch, replayed.on_escalate,
    ));
    if policy.warnings.is_empty() {
        return;
    }
    let shown = policy.warnings.iter().take(LISTED).map(|doubt| {
        let place = doubt.place.told().unwrap_or_default();
        vec![
            place,
            format!("`{}`", doubt.code),
            cell(&doubt.message, REASON),
        ]
    });
    page.table(&["line", "code", "what"], shown);
    and_more(page, policy.warnings.len().saturating_sub(LISTED) as u64);
}

fn and_more(page: &mut Page, more: u64) {
    if more > 0 {
        page.paragraph(&format!("And {more} more."));
    }
}
