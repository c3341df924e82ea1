//! The same for people.

use super::{Format, Shown, reach};
use crate::check::CheckReport;
use crate::check::binds::Binds;
use crate::check::codes::Finding;
use crate::check::limits::{Limit, Uses};
use crate::check::permits::Permits;
use crate::check::row::BarrierRow;
use crate::number::rounded;
use crate::report::table::page::Page;
use crate::report::table::text;
use crate::verify::range::Range;
use crate::verify::soundness::Soundness;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "table",
    doc: "for people",
    write,
};

/// Most sentences about one barrier; machine formats have all.
const SENTENCES: usize = 8;

/// Most findings of one kind; machine formats have all.
const FINDINGS: usize = 100;

fn write(report: &CheckReport, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(&shown.header);
    page.policy(&shown.policy);
    if !report.barriers.is_empty() {
        page.section("barriers");
        let head = [
            "barrier",
            "at the start",
            "can be",
            "alpha(h)",
            "keeps the safe set",
            "can refuse",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows.extend(report.barriers.iter().map(barrier));
        page.rows(rows);
    }
    match &report.dead {
        Some(dead) => {
            page.section("what the policy permits");
            page.sentence(&text::prose(&dead.told()));
        }
        None => permitted(&mut page, report),
    }
    if !report.conditions.is_empty() {
        page.section("what else refuses calls as a run goes on");
        let said = report.conditions.iter();
        let said = said.map(|c| (text::name(&c.name), text::prose(&c.says)));
        told(&mut page, said.collect());
    }
    if let Some(reach) = &report.reach {
        reach::sections(&mut page, reach);
    }
    if !report.findings.is_empty() {
        page.section("findings");
        findings(&mut page, &report.findings, shown);
    }
    page.blank();
    page.verdict(&shown.exit.reason, shown.exit.status);
    page.write(out)
}

/// What the barriers let through, and what ends a run.
fn permitted(page: &mut Page<'_>, report: &CheckReport) {
    if !report.barriers.is_empty() {
        page.section("what they permit");
        let said = report.barriers.iter().flat_map(permits);
        told(page, said.collect());
    }
    page.section("limits of a run");
    page.rows(report.limits.iter().map(limit).collect());
    for sentence in ends(&report.limits) {
        page.sentence(&text::prose(&sentence));
    }
}

fn barrier(row: &BarrierRow) -> Vec<String> {
    vec![
        text::name(&row.name),
        row.start.map_or("not known".into(), rounded),
        attained(row.range),
        function(row.alpha.kappa, row.alpha.power),
        kept(row.soundness),
        refuses(&row.binds).to_owned(),
    ]
}

fn attained(range: Range) -> String {
    match range {
        Range::Continuum { high, low } if low.is_finite() => between(low, high),
        Range::Continuum { high, .. } => format!("up to {}", rounded(high)),
        Range::Fallible { high, low } if low.is_finite() => {
            format!("{}; -1 if not computed", between(low, high))
        }
        Range::Fallible { high, .. } => {
            format!("up to {}; -1 if not computed", rounded(high))
        }
        Range::Lattice { top, step } => {
            format!("{} in steps of {}", rounded(top), rounded(step))
        }
        Range::Two { high, low } => format!("{} or {}", rounded(high), rounded(low)),
        Range::Constant(value) => format!("always {}", rounded(value)),
        Range::Unknown => "anything".into(),
    }
}

fn between(low: f64, high: f64) -> String {
    format!("{} to {}", rounded(low), rounded(high))
}

/// kappa * h^power, without what is one.
fn function(kappa: f64, power: f64) -> String {
    let h = match power == 1.0 {
        true => "h".to_owned(),
        false => format!("h^{}", rounded(power)),
    };
    match kappa == 1.0 {
        true => h,
        false => format!("{} {h}", rounded(kappa)),
    }
}

fn kept(soundness: Option<Soundness>) -> String {
    let step = |h: f64, next: f64| format!("{} -> {}", rounded(h), rounded(next));
    match soundness {
        None => "no: `verify` is off".into(),
        Some(Soundness::Sound) => "yes".into(),
        Some(Soundness::Unreachable { .. }) => "yes, by the values it has".into(),
        Some(Soundness::Exits(exit)) => format!("no: {} is admitted", step(exit.h, exit.next)),
        Some(Soundness::Possible(exit)) => {
            format!("not known: {} would be admitted", step(exit.h, exit.next))
        }
        Some(Soundness::Unseen(exit)) => format!(
            "not known: {} would be admitted, not seen by the exploration",
            step(exit.h, exit.next)
        ),
        Some(Soundness::Between(exit)) => format!(
            "within a call: {} would be admitted between states",
            step(exit.h, exit.next)
        ),
        Some(Soundness::Uncomputed(exit)) => {
            format!("no: {} is admitted, not computed", step(exit.h, exit.next))
        }
    }
}

fn refuses(binds: &Binds) -> &'static str {
    match binds {
        Binds::Can => "yes",
        Binds::Only(_) => "rarely",
        Binds::Never(_) => "no",
        Binds::Unknown(_) => "not known",
    }
}

/// Sentences about a barrier, its name before the first.
fn permits(row: &BarrierRow) -> Vec<(String, String)> {
    let mut said: Vec<String> = row.permits.iter().take(SENTENCES).cloned().collect();
    if row.permits.len() > SENTENCES {
        said.push(format!("and {} more", row.permits.len() - SENTENCES));
    }
    match &row.binds {
        Binds::Can => {}
        Binds::Only(how) => said.push(format!("refuses a call only {how}")),
        Binds::Never(why) => said.push(format!("refuses no call: {why}")),
        Binds::Unknown(why) => said.push(why.clone()),
    }
    let names = std::iter::once(text::name(&row.name)).chain(std::iter::repeat(String::new()));
    let said = said.into_iter().map(|sentence| text::prose(&sentence));
    names.zip(said).collect()
}

/// Adds sentences beside what they are about, wrapped.
fn told(page: &mut Page<'_>, rows: Vec<(String, String)>) {
    let widest = rows.iter().map(|(name, _)| text::width(name)).max();
    let column = widest.unwrap_or(0);
    for (name, sentence) in rows {
        let pad = column - text::width(&name);
        let lead = format!("  {name}{}  ", " ".repeat(pad));
        let lines = text::hanging(&lead, column + 4, &sentence, page.header.width);
        page.lines.extend(lines);
    }
}

fn limit(limit: &Limit) -> Vec<String> {
    let place = text::line(limit.place.line).unwrap_or("default".into());
    let name = match &limit.agent {
        Some(agent) => format!("max_total_cost_usd of agent {}", text::name(agent)),
        None => text::name(&limit.name),
    };
    vec![name, limit.of.told(limit.calls), place]
}

/// Which limit comes first.
fn ends(limits: &[Limit]) -> Vec<String> {
    let every = || limits.iter().filter(|limit| limit.of == Uses::All);
    let last = every().find(|limit| matches!(limit.calls, Permits::Calls(_)));
    let fewest = last.map_or(u64::MAX, |limit| limit.calls.least());
    // Those of which less is known than which of them comes first.
    let bounded = |limit: &&Limit| matches!(limit.calls, Permits::AtLeast(n) if n < fewest);
    let mut open: Vec<&Limit> = every().filter(bounded).collect();
    if !open.is_empty() {
        open.extend(last);
        let each = open.iter().map(|limit| {
            let calls = limit.of.told(limit.calls);
            format!("`{}` refuses the next after {calls}", limit.name)
        });
        let each: Vec<String> = each.collect();
        return vec![match each.as_slice() {
            [one] => format!("no run goes on for ever: {one}"),
            all => format!("not known which ends a run first: {}", all.join("; ")),
        }];
    }
    let Some(last) = last else {
        return vec!["nothing bounds the calls of a run".to_owned()];
    };
    let with = every().filter(|limit| limit.calls == last.calls && limit.name != last.name);
    let with: Vec<String> = with.map(|limit| format!("`{}`", limit.name)).collect();
    let also = match with.as_slice() {
        [] => String::new(),
        names => format!(", before {}", names.join(" and ")),
    };
    let mut said = vec![format!(
        "no run goes on after {}: `{}` refuses the next{also}",
        last.of.told(last.calls),
        last.name
    )];
    let sooner = limits.iter().filter(|limit| {
        let counted = matches!(limit.calls, Permits::Calls(n) if n < fewest);
        limit.of == Uses::AtTheEstimate && counted
    });
    let of_all = sooner.clone().find(|limit| limit.agent.is_none());
    let sooner: Vec<&Limit> = of_all
        .into_iter()
        .chain(sooner.filter(|limit| limit.agent.is_some()))
        .collect();
    said.extend(sooner.iter().take(SENTENCES).map(|limit| {
        let calls = limit.calls.of("");
        match &limit.agent {
            None => format!(
                "where calls cost the default estimate, `{}` comes sooner, after {calls}",
                limit.name
            ),
            Some(agent) => format!(
                "in runs of agent `{agent}` whose calls cost the default estimate, its `max_total_cost_usd` comes sooner, after {calls}"
            ),
        }
    }));
    if sooner.len() > SENTENCES {
        said.push(format!("and {} more", sooner.len() - SENTENCES));
    }
    said
}

fn findings(page: &mut Page<'_>, findings: &[Finding], shown: &Shown) {
    for finding in findings.iter().take(FINDINGS) {
        let at = finding.place.told();
        let at = at.map_or(String::new(), |at| format!("{at} "));
        let line = format!("{at}{}: {}", finding.code, finding.message);
        let width = shown.header.width;
        page.lines
            .extend(text::hanging("  ", 4, &text::prose(&line), width));
        if let Some(help) = &finding.help {
            let help = format!("help: {}", text::prose(help));
            page.lines.extend(text::hanging("    ", 6, &help, width));
        }
    }
    if findings.len() > FINDINGS {
        page.sentence(&format!("and {} more", findings.len() - FINDINGS));
    }
}
