//! The same for people: the call, what decided, the stages, the barriers, what led here, what would
//! turn it.

use super::{Format, Shown, spelled};
use crate::explain::change::Change;
use crate::explain::flip::Rule;
use crate::explain::trial::{Effort, Replayed};
use crate::explain::turn::Flip;
use crate::explain::{Aim, Explanation, Standing, TurnedBy};
use crate::number::{rounded, to_thousandths};
use crate::report::args::Secrets;
use crate::report::chart;
use crate::report::table::page::{NAMES, Page, and_more};
use crate::report::table::text::{self, Tone};
use crate::stages::weigh::{StageWeighed, Weight};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "table",
    doc: "a report for people",
    write,
};

/// Most bars of a chart.
const BARS: usize = 40;

fn write(explained: &Explanation, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(&shown.header);
    call(&mut page, explained);
    decision(&mut page, explained, shown);
    stages(&mut page, explained);
    barriers(&mut page, explained);
    led_here(&mut page, explained);
    turns(&mut page, explained);
    lines(&mut page, explained, shown);
    page.write(out)
}

fn call(page: &mut Page<'_>, explained: &Explanation) {
    let decision = &explained.decision;
    page.section("call");
    let file = text::name(page.header.input(decision.input));
    let row = |what: &str, says: String| vec![what.to_owned(), says];
    let mut rows = vec![
        row("id", text::name(&decision.call)),
        row("where", format!("{file}:{}", decision.line)),
        row(
            "run",
            format!(
                "{}, call {}, turn {}; {} before it, {} refused",
                text::name(&decision.run),
                decision.seq,
                decision.turn,
                explained.earlier,
                explained.earlier_refused
            ),
        ),
        row("tool", text::name(&decision.tool)),
    ];
    if !decision.labels.is_empty() {
        let labels = decision.labels.iter().take(NAMES);
        let labels = labels.map(|label| text::name(label)).collect();
        rows.push(row("labels", and_more(labels, decision.labels.len())));
    }
    if let Some(agent) = &decision.agent {
        rows.push(row("agent", text::name(agent)));
    }
    if let Some(args) = &decision.args {
        rows.push(row("args", text::prose(&Secrets::new().shown(args))));
    } else if decision.args_unknown {
        rows.push(row("args", "the recording does not tell them".to_owned()));
    }
    page.rows(rows);
}

fn decision(page: &mut Page<'_>, explained: &Explanation, shown: &Shown) {
    let decision = &explained.decision;
    page.section("decision");
    let by = explained.deciding.iter().map(rule);
    let by = by.collect::<Vec<_>>().join("; ");
    let by = if by.is_empty() {
        by
    } else {
        format!(", by {by}")
    };
    let runs = match (decision.kind.as_str(), decision.admitted) {
        ("escalate", true) => ": let through",
        ("escalate", false) => ": not let through",
        _ => "",
    };
    page.sentence(&format!("{}{runs}{by}", decision.kind.as_str()));
    if let Some(reason) = &decision.reason {
        page.sentence(&text::prose(reason));
    }
    if let Some(approval) = explained.approval {
        page.sentence(&format!("approval: {}", approval.as_str()));
    }
    if let Some(recorded) = decision.recorded.filter(|_| decision.is_drift()) {
        page.sentence(&format!("drift: recorded {}", recorded.as_str()));
    }
    if !decision.hazard.is_empty() {
        let barriers = decision.hazard.iter().map(|&i| page.header.barrier(i));
        let barriers: Vec<String> = barriers.map(text::name).collect();
        page.sentence(&format!(
            "batch hazard: jointly with the calls in flight refused by {}",
            barriers.join(", ")
        ));
    }
    if decision.standing {
        page.sentence("the state alone refuses, whatever the call");
    }
    if decision.counterfactual {
        page.sentence("replay and record parted earlier in the run");
    }
    if decision.inconclusive {
        page.sentence("a fault of the input leaves the state of the run in doubt");
    }
    if !explained.also.is_empty() {
        let also = explained.also.iter().take(NAMES).map(rule).collect();
        let also = and_more(also, explained.also.len());
        page.sentence(&format!("would also have been stopped by {also}"));
    }
    page.sentence(&text::replayed(&shown.replayed));
}

/// A rule with its name and its line.
fn rule(rule: &Rule) -> String {
    let which = text::which(&rule.name, rule.policy_line);
    format!("{}.{}{which}", rule.stage, rule.rule)
}

fn stages(page: &mut Page<'_>, explained: &Explanation) {
    page.section("stages");
    for stage in &explained.stages {
        let says = says(stage, explained);
        let mark = match stage.first() {
            Some(_) => text::paint(&says, Tone::Bad, page.header.color),
            None => says,
        };
        page.lines.push(format!("  {:<10} {mark}", stage.stage));
        let rows = stage.rules.iter().map(|weighed| {
            let name = match &*weighed.name {
                "" => String::new(),
                name => text::name(name),
            };
            vec![
                format!("  {}", weighed.rule),
                name,
                text::line(weighed.policy_line).unwrap_or_default(),
                weighed.outcome.as_str().to_owned(),
                text::prose(&weighed.looked_at),
            ]
        });
        let rows: Vec<_> = rows.collect();
        if !rows.is_empty() {
            page.rows(rows);
        }
    }
}

/// What a stage says of the call, and whether that decided.
fn says(stage: &StageWeighed, explained: &Explanation) -> String {
    let decided = explained.decision.stage == Some(stage.stage)
        || (explained.decision.stage.is_none()
            && explained.deciding.iter().any(|r| r.stage == stage.stage));
    match (stage.first(), decided) {
        (None, _) if stage.rules.is_empty() => "passes: no rule of it meets the call".to_owned(),
        (None, _) => "passes".to_owned(),
        (Some(first), true) => format!("{}, and decides", first.outcome.as_str()),
        (Some(first), false) if first.let_through => "escalates, and lets it through".to_owned(),
        (Some(first), false) => match first.outcome {
            Weight::Refuses => "would have refused it".to_owned(),
            Weight::Escalates => "would have escalated it".to_owned(),
            _ => "could not have been evaluated".to_owned(),
        },
    }
}

fn barriers(page: &mut Page<'_>, explained: &Explanation) {
    if explained.barriers.is_empty() {
        return;
    }
    page.section("barriers");
    let head = [
        "barrier",
        "before",
        "after",
        "floor",
        "slack",
        "in calls",
        "calls left",
        "unit",
        "policy",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for standing in &explained.barriers {
        let number = |x: Option<f64>| x.map_or("-".to_owned(), rounded);
        let line = text::line(standing.policy_line);
        let mark = if standing.refuses { " !" } else { "" };
        rows.push(vec![
            format!("{}{mark}", text::name(&standing.name)),
            rounded(standing.h),
            rounded(standing.next),
            number(standing.floor),
            number(standing.slack),
            standing.calls.map_or("-".to_owned(), to_thousandths),
            standing.left.map_or("-".to_owned(), |n| n.to_string()),
            standing.unit.to_owned(),
            line.unwrap_or("default".into()),
        ]);
    }
    page.rows(rows);
    if explained.barriers.iter().any(|standing| standing.refuses) {
        page.sentence("! refuses the call: negative before it, or below the floor after it");
    }
}

fn led_here(page: &mut Page<'_>, explained: &Explanation) {
    if explained.barriers.is_empty() {
        return;
    }
    page.section("what led here: each barrier as the calls of the run met it");
    let rows = explained.barriers.iter().map(|standing| {
        let points = standing.track.series.points();
        let ends = match (standing.track.first, standing.track.latest) {
            (Some(first), Some(last)) => format!("{} to {}", rounded(first), rounded(last)),
            _ => String::new(),
        };
        vec![text::name(&standing.name), chart::bars(points, BARS), ends]
    });
    page.rows(rows.collect());
    for standing in explained.barriers.iter().filter(|s| s.track.fell > 0) {
        falls(page, standing, explained);
    }
}

/// The calls that lowered a barrier: of one that refuses, or else the latest alone.
fn falls(page: &mut Page<'_>, standing: &Standing, explained: &Explanation) {
    let track = &standing.track;
    let most = if standing.refuses {
        track.falls.len()
    } else {
        1
    };
    // Where barriers refuse the call the others did not lead there.
    if !standing.refuses && explained.barriers.iter().any(|other| other.refuses) {
        return;
    }
    let skipped = track.falls.len().saturating_sub(most);
    let falls = track.falls.iter().skip(skipped).map(|fall| {
        format!(
            "call {} ({}, line {}) from {} to {}",
            fall.seq,
            text::name(&fall.tool),
            fall.line,
            rounded(fall.from),
            rounded(fall.to)
        )
    });
    let falls = falls.collect::<Vec<_>>().join("; ");
    let name = text::name(&standing.name);
    let before = match track.fell - track.falls.len().min(most) as u64 {
        0 => String::new(),
        more => format!("; {} before", text::count(more, "call", "calls")),
    };
    page.sentence(&format!("{name} was lowered by {falls}{before}"));
}

fn turns(page: &mut Page<'_>, explained: &Explanation) {
    let refused = explained.aim() != Aim::Stopped;
    let turns = match explained.aim() {
        Aim::LetThrough => "what would turn it",
        Aim::PlainAllow => "let through already; what would make it a plain allow",
        Aim::Stopped => "what would refuse it",
    };
    page.section(&format!(
        "{turns}: the least change of each number, replayed from the start of the run"
    ));
    if explained.flips.is_empty() && !refused {
        page.sentence("no number of the policy");
    }
    let rows = explained.flips.iter().map(|flip| match flip.replay.turned {
        true => {
            let ended = ended(flip.effort, "; a smaller change may do");
            let way = match flip.by_earlier {
                true => "; not the rule's own: lets the call through by way of earlier calls",
                false => "",
            };
            vec![
                changes(&flip.changes),
                replayed(&flip.replay) + way + &ended,
            ]
        }
        false => {
            let ended = ended(flip.effort, "");
            vec![
                names(&flip.changes),
                none_found(refused).to_owned() + &ended,
            ]
        }
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        // Where a line has no room for both the outcome stands under its change.
        let apart = rows.iter().flat_map(|row| {
            let [change, outcome] = row.as_slice() else {
                return Vec::new();
            };
            vec![vec![change.clone()], vec![format!("  {outcome}")]]
        });
        let apart = apart.collect();
        page.rows_that_fit(vec![rows, apart]);
    }
    if let (Some(by), false) = (
        explained.turned_by(),
        explained.flips.iter().any(Flip::is_enough),
    ) {
        page.sentence(&together(explained, by));
    }
}

/// What lets the call through, where no change that stands above does.
fn together(explained: &Explanation, by: TurnedBy) -> String {
    if let Some(together) = &explained.together {
        let with = changes(&together.changes);
        let says = replayed(&together.replay);
        let ended = ended(together.effort, "; smaller changes may do");
        return format!(
            "no single number of the rules that stop this call turns it; these together do: {with}: {says}{ended}"
        );
    }
    if by == TurnedBy::None {
        let stuck: Vec<String> = explained.by_no_number.iter().map(rule).collect();
        return by_no_number(&stuck);
    }
    let effort = explained.search.unwrap_or_default();
    let replays = text::count(effort.replays, "replay", "replays");
    let ended = match effort.bounded {
        true => format!("when the search ended after {replays}"),
        false => format!("in {replays}"),
    };
    format!("no numbers of the rules that stop this call were found that turn it {ended}")
}

fn by_no_number(rules: &[String]) -> String {
    let goes = if rules.len() == 1 { "goes" } else { "go" };
    format!(
        "no number of the rules that stop this call turns it: {} {goes} by none",
        rules.join("; ")
    )
}

/// That a search was ended by the bound of its replays, and what that leaves open.
fn ended(effort: Effort, open: &str) -> String {
    match (effort.bounded, effort.replays) {
        (false, _) => String::new(),
        (true, n) => format!("; the search ended after {n} replays{open}"),
    }
}

fn changes(changes: &[Change]) -> String {
    let each = changes.iter().map(|change| {
        format!(
            "{} {} -> {}{}",
            text::prose(&change.dotted()),
            spelled(change.from),
            spelled(change.to),
            text::which("", change.line)
        )
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The numbers alone, of which no change turns the rule.
fn names(changes: &[Change]) -> String {
    let each = changes.iter().map(|change| text::prose(&change.dotted()));
    each.collect::<Vec<_>>().join(", ")
}

fn none_found(refused: bool) -> &'static str {
    match refused {
        true => "none was found with which the rule passes it",
        false => "none was found: earlier calls are refused instead, and this one passes",
    }
}

fn replayed(replay: &Replayed) -> String {
    let kind = replay.kind.as_str();
    let mut says = match (replay.admitted, replay.stops.first()) {
        (true, _) if kind == "escalate" => "escalate, and let through".to_owned(),
        (true, _) => kind.to_owned(),
        (false, Some(first)) => format!("{kind}, by {}", rule(first)),
        (false, None) => kind.to_owned(),
    };
    if replay.leaves {
        says += "; the run would then be outside the safe set";
    }
    if let Some(first) = replay.first_earlier {
        let many = text::count(replay.earlier, "earlier call", "earlier calls");
        says += &format!("; {many} decided otherwise, from call {first} on");
    }
    says
}

fn lines(page: &mut Page<'_>, explained: &Explanation, shown: &Shown) {
    page.policy(&shown.policy);
    page.doubts(&shown.policy);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in explained.policy_lines() {
        let of = line.rules.iter().take(NAMES).map(|rule| text::prose(rule));
        let of = and_more(of.collect(), line.rules.len());
        rows.push(vec![format!("line {}", line.line), of]);
    }
    if !rows.is_empty() {
        page.rows(rows);
    }
}
