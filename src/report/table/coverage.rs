//! Coverage of the policy: what each stage and each rule did, and those that did nothing.

use super::page::{NAMES, Page};
use super::text;
use crate::audit::coverage::{Coverage, Met, RuleCoverage};
use crate::audit::summary::Summary;

/// The section; nothing where it was not asked for.
pub fn coverage(page: &mut Page<'_>, summary: &Summary) {
    let Some(coverage) = &summary.coverage else {
        return;
    };
    page.section("coverage of the policy, in calls");
    stages(page, coverage);
    acting(page, coverage);
    let rules = || coverage.rules.iter();
    let labels = || rules().filter(|rule| rule.given.is_some());
    let others = || rules().filter(|rule| rule.given.is_none());
    let unmet = |rule: &&RuleCoverage| rule.met.evaluated == 0;
    let idle = |rule: &&RuleCoverage| rule.is_idle();
    list(page, "evaluated, never given", labels().filter(idle));
    list(page, "evaluated, never decided", others().filter(idle));
    list(page, "never evaluated", rules().filter(unmet));
}

const HEAD: [&str; 4] = ["evaluated", "decided", "stops", "unique"];

fn counts(met: &Met) -> impl Iterator<Item = String> {
    let Met {
        evaluated,
        decided,
        stops,
        unique,
    } = *met;
    [evaluated, decided, stops, unique]
        .into_iter()
        .map(|count| count.to_string())
}

fn stages(page: &mut Page<'_>, coverage: &Coverage) {
    let head = ["stage"].into_iter().chain(HEAD);
    let mut rows = vec![head.map(str::to_owned).collect()];
    for stage in &coverage.stages {
        let row = std::iter::once(stage.stage.to_owned());
        rows.push(row.chain(counts(&stage.met)).collect());
    }
    page.rows(rows);
}

/// The rules that did something: stopped a call, or gave it a label.
fn acting(page: &mut Page<'_>, coverage: &Coverage) {
    let acted = |rule: &&RuleCoverage| rule.met.stops > 0 || rule.given.is_some_and(|n| n > 0);
    let acting: Vec<&RuleCoverage> = coverage.rules.iter().filter(acted).collect();
    if acting.is_empty() {
        return;
    }
    page.blank();
    let given = acting.iter().any(|rule| rule.given.is_some());
    let choice = |named: bool| {
        let head = ["stage.rule", "of", "policy"].into_iter().chain(HEAD);
        let head = head.chain(given.then_some("given"));
        let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
        for rule in &acting {
            let name = match (rule.name.as_str(), named) {
                ("", _) => String::new(),
                (name, true) => text::name(name),
                (name, false) => text::cut(&text::name(name), 20),
            };
            let line = text::line(rule.policy_line).unwrap_or_default();
            let lead = [format!("{}.{}", rule.stage, rule.rule), name, line];
            let row = lead.into_iter().chain(counts(&rule.met));
            let given = given.then(|| rule.given.map_or(String::new(), |n| n.to_string()));
            rows.push(row.chain(given).collect());
        }
        rows
    };
    page.rows_that_fit(vec![choice(true), choice(false)]);
}

fn list<'r>(page: &mut Page<'_>, what: &str, rules: impl Iterator<Item = &'r RuleCoverage>) {
    let rules: Vec<&RuleCoverage> = rules.collect();
    if rules.is_empty() {
        return;
    }
    // The rules of one kind share its name.
    let mut shown: Vec<String> = Vec::new();
    let mut kind = None;
    for rule in rules.iter().take(NAMES) {
        let which = text::which(&rule.name, rule.policy_line);
        let this = (rule.stage, rule.rule);
        let same = kind.replace(this) == Some(this);
        match shown.last_mut().filter(|_| same) {
            Some(last) => *last += &format!(",{which}"),
            None => shown.push(format!("{}.{}{which}", rule.stage, rule.rule)),
        }
    }
    if let Some(more) = rules.len().checked_sub(NAMES).filter(|&more| more > 0) {
        shown.push(format!("and {more} more"));
    }
    page.sentence(&format!("{what}: {}", shown.join("; ")));
}
