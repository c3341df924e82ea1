//! What the calls came to: decisions, barriers, violations and other findings.

use super::page::{NAMES, Page, and_more};
use super::text;
use crate::audit::summary::{BarrierSummary, Extreme, RateSummary, Summary};
use crate::engine::decision::DecisionKind;
use crate::number::rounded;
use crate::report::Header;
use crate::report::number::percent;

/// Decisions by kind, by rule and by run.
pub fn decisions(page: &mut Page<'_>, summary: &Summary) {
    if summary.decisions.total() == 0 {
        return;
    }
    page.section("decisions");
    let kinds = DecisionKind::ALL.iter();
    let kinds = kinds.map(|&kind| (kind.as_str(), summary.decisions.of(kind)));
    let kinds: Vec<String> = kinds
        .filter(|&(_, count)| count > 0)
        .map(|(word, count)| format!("{word} {count}"))
        .collect();
    page.sentence(&kinds.join(", "));
    let rules = summary.rules.iter().filter(|rule| rule.count > 0);
    page.rows(
        rules
            .map(|r| vec![format!("{}.{}", r.stage, r.rule), r.count.to_string()])
            .collect(),
    );
    if summary.counts.listed < summary.counts.calls {
        page.sentence(&format!(
            "{} of {} calls are listed",
            summary.counts.listed, summary.counts.calls
        ));
    }
    let runs = &summary.refusals;
    if !runs.is_empty() {
        let several = page.header.inputs.len() > 1;
        let shown = runs.iter().take(NAMES).map(|run| {
            let name = text::name(&run.run);
            let file = text::name(page.header.input(run.input));
            let file = if several {
                format!(" in {file}")
            } else {
                String::new()
            };
            format!("{name}{file} {} of {}", run.refused, run.calls)
        });
        let list = and_more(shown.collect(), runs.len());
        page.sentence(&format!("refused by run: {list}"));
    }
}

/// Per barrier the least value and the least slack, and where.
pub fn barriers(page: &mut Page<'_>, summary: &Summary) {
    let met = |b: &&BarrierSummary| b.least_h.is_some() || b.least_slack.is_some();
    let met: Vec<&BarrierSummary> = summary.barriers.iter().filter(met).collect();
    if met.is_empty() {
        return;
    }
    page.section("barriers");
    let header = page.header;
    let choice = |long: bool| {
        let head = [
            "barrier",
            "least h",
            "at",
            "least slack",
            "at",
            "root",
            "standing",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows.extend(met.iter().map(|barrier| {
            let mut row = vec![text::name(&barrier.name)];
            row.extend(extreme(barrier.least_h.as_ref(), header, long));
            row.extend(extreme(barrier.least_slack.as_ref(), header, long));
            row.extend([barrier.root.to_string(), barrier.standing.to_string()]);
            row
        }));
        rows
    };
    page.rows_that_fit(vec![choice(true), choice(false)]);
    if let Some(nearest) = &summary.nearest {
        let measured = &nearest.approach.measured;
        let barrier = text::name(header.barrier(measured.barrier));
        let share = text::share(measured.scaled);
        let [_, place] = extreme(Some(&nearest.at), header, true);
        page.sentence(&format!(
            "nearest to a refusal: {share} of {barrier}, {place}"
        ));
    }
}

/// An extreme value and where it was met: with run and call, or by line alone.
fn extreme(extreme: Option<&Extreme>, header: &Header, long: bool) -> [String; 2] {
    let Some(extreme) = extreme else {
        return [String::new(), String::new()];
    };
    let several = header.inputs.len() > 1;
    let mut place = if several {
        let file = text::cut(&text::name(header.input(extreme.input)), 30);
        format!("{file}:{}", extreme.line)
    } else {
        format!("line {}", extreme.line)
    };
    if long {
        place += &format!(
            " {} {}",
            text::name(&extreme.run),
            text::name(&extreme.call)
        );
    }
    [rounded(extreme.value), place]
}

/// What is counted call by call and is no refusal.
pub fn findings(page: &mut Page<'_>, summary: &Summary) {
    let rows = found(summary);
    if !rows.is_empty() {
        page.section("findings");
        for (what, says) in rows {
            page.sentence(&format!("{what}: {says}"));
        }
    }
}

/// The same in words: what there is, and how much of it.
pub fn found(summary: &Summary) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let mut add = |number: u64, what: &'static str, says: String| {
        if number > 0 {
            rows.push((what, says));
        }
    };
    let calls = |number| text::count(number, "call", "calls");
    let hazards = calls(summary.hazards);
    add(
        summary.hazards,
        "batch hazard",
        format!("{hazards} admitted that barriers refuse jointly with calls in flight"),
    );
    let alone = summary.concurrent == 0 && summary.counts.calls > 1;
    add(
        u64::from(alone),
        "concurrency",
        "the inputs show no calls in flight together, and so nothing of batch hazards".into(),
    );
    add(
        summary.drift,
        "drift",
        format!(
            "{} of {} recorded decisions differ",
            summary.drift, summary.recorded
        ),
    );
    let counterfactual = calls(summary.counterfactual);
    add(
        summary.counterfactual,
        "counterfactual",
        format!("{counterfactual} after replay and record parted"),
    );
    let (doubtful, runs) = (summary.counts.inconclusive_runs, summary.counts.runs);
    add(
        doubtful,
        "inconclusive",
        format!(
            "{doubtful} of {} for a fault",
            text::count(runs, "run", "runs")
        ),
    );
    let computed = summary.policy.semantic.is_some();
    let scored = calls(summary.scored);
    let intent = match summary.scored_without_intent {
        0 => String::new(),
        without => format!(", {without} of them without an intent of the run to hold them against"),
    };
    add(
        u64::from(computed),
        "scored",
        format!("{scored} by the semantic firewall{intent}"),
    );
    let unscored = calls(summary.unscored);
    let why = match computed {
        true => "that the semantic firewall could not score, for their arguments are not told",
        false => "without a recorded semantic score",
    };
    add(summary.unscored, "unscored", format!("{unscored} {why}"));
    let inert = calls(summary.scope_inert);
    add(
        summary.scope_inert,
        "scope inert",
        format!("{inert} without embeddings that the scope barrier can use"),
    );
    let blind = calls(summary.unknown_arguments);
    add(
        summary.unknown_arguments,
        "unknown arguments",
        format!("{blind} whose arguments the recording does not tell"),
    );
    let boundary = calls(summary.boundary);
    add(
        summary.boundary,
        "at the boundary",
        format!("{boundary} admitted that bring a barrier to exactly zero"),
    );
    let uncosted = text::count(summary.uncosted, "result that does", "results that do");
    add(
        summary.uncosted,
        "no cost recorded",
        format!("{uncosted} not say what the call cost, counted as nothing"),
    );
    rows
}

/// How often barriers refused: runs first, since the calls of a run hang together.
pub fn violations(page: &mut Page<'_>, summary: &Summary) {
    let rates = summary.violations.rates();
    page.section("violations of barriers, with 95% intervals");
    let rows = |effect: bool| {
        rates
            .map(|(_, what, rate)| row(what, rate, effect))
            .to_vec()
    };
    page.rows_that_fit(vec![rows(true), rows(false)]);
    if rates.iter().any(|(_, _, rate)| rate.approximate) {
        page.sentence("approximate: fewer than 30 runs");
    }
}

fn row(what: &str, rate: &RateSummary, effect: bool) -> Vec<String> {
    let mut cells = vec![what.to_owned(), format!("{} of {}", rate.hits, rate.of)];
    let Some(value) = rate.rate.filter(|_| rate.of > 0) else {
        cells.push("no data".to_owned());
        return cells;
    };
    cells.push(percent(value));
    cells.push(rate.interval.map_or_else(String::new, |bounds| {
        format!("{} to {}", percent(bounds.low), percent(bounds.high))
    }));
    if rate.approximate {
        cells.push("approximate".to_owned());
    }
    if let Some(value) = rate.design_effect.filter(|&value| effect && value > 1.0) {
        cells.push(format!("design effect {value:.1}"));
    }
    cells
}
