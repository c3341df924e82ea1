//! What a policy can reach, for people and as a part of `gate.check/1`.

use super::json::Count;
use crate::report::table::page::{Page, and_more};
use crate::report::table::text;
use crate::verify::reach::{
    ClassRow, Cut, Kind, Lost, More, Reach, Refusal, Step, Tool, Uncovered,
};
use serde::Serialize;

/// Most tools of a class that are named beside the one it is called by.
const TOOLS: usize = 4;

const NOT_FOUND: &str = "what is not found may be there all the same";

/// Adds what was found to a page.
pub fn sections(page: &mut Page<'_>, reach: &Reach) {
    page.section("reachable states");
    let row = |what: &str, says: String| vec![what.to_owned(), text::prose(&says)];
    let mut rows = vec![
        row("classes of tools", reach.classes.len().to_string()),
        row(
            "states",
            format!(
                "{}, and {} between them{}",
                reach.states,
                text::count(reach.transitions as u64, "admitted call", "admitted calls"),
                exits(reach.exits)
            ),
        ),
    ];
    rows.extend(
        reach
            .cut
            .map(|cut| row("cut off", format!("{}: {NOT_FOUND}", cut.told()))),
    );
    rows.push(row("safe", safe(reach)));
    rows.push(row("deadlock", deadlock(reach)));
    rows.push(row("more calls", more(reach)));
    page.rows(rows);
    page.section("classes of tools");
    let head = ["class", "more calls", "refused for ever", "also in it"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(reach.classes.iter().map(|class| class_row(reach, class)));
    page.rows(rows);
    if let Some(deadlock) = &reach.deadlock {
        page.section("refused in the deadlock");
        let refused = reach.classes.iter().zip(&deadlock.refusals);
        let row = |(class, by): (&ClassRow, &Refusal)| {
            vec![
                text::prose(&class.told()),
                text::prose(&format!("by {}", by.told())),
            ]
        };
        page.rows(refused.map(row).collect());
    }
    if !reach.uncovered.is_empty() {
        page.section("not explored");
        let row = |left: &Uncovered| vec![text::prose(&left.what), left.why.to_owned()];
        page.rows(reach.uncovered.iter().map(row).collect());
    }
}

/// The calls that lead to no safe state.
fn exits(calls: usize) -> String {
    match calls {
        0 => String::new(),
        1 => "; 1 more leads out of the safe set".into(),
        all => format!("; {all} more lead out of the safe set"),
    }
}

fn safe(reach: &Reach) -> String {
    match &reach.out {
        Some(out) => format!("no: {}", reach.told_out(out)),
        None if reach.cut.is_some() => "not known: no way out was found".into(),
        None => "every reachable state keeps every barrier that is explored, with default costs and labels by the policy".into(),
    }
}

fn deadlock(reach: &Reach) -> String {
    let Some(deadlock) = &reach.deadlock else {
        if reach.starts_outside() {
            return "not asked: the start lies outside of the safe set, every call is refused"
                .into();
        }
        if reach.steps.left == More::Calls(0) {
            return "not asked: no call is left".into();
        }
        let free = reach.free.and_then(|free| reach.classes.get(free));
        return match (reach.cut, free) {
            (_, Some(free)) => {
                format!(
                    "none: {} is admitted in every safe state while calls are left",
                    free.told()
                )
            }
            (Some(_), None) => "not known: none was found".into(),
            (None, None) => {
                "none: in every safe state some call is admitted while calls are left".into()
            }
        };
    };
    let after = reach.told_after(&deadlock.path);
    match (reach.cut, reach.deadlocks) {
        (Some(_), 1) => format!("{after}; there may be more"),
        (Some(_), found) => format!("{after}; {found} states at least"),
        (None, 1) => after,
        (None, all) => format!("{after}; {all} states in all"),
    }
}

/// How many calls there can be, and what ends a run.
fn more(reach: &Reach) -> String {
    let by: Vec<String> = reach.steps.by.iter().map(Refusal::told).collect();
    let next = match by.is_empty() {
        true => String::new(),
        false => format!("; the next is refused by {}", by.join(" and ")),
    };
    let left = reach.steps.left;
    match reach.more {
        Some(more) if more == left => format!("{}{next}", more.told()),
        Some(more) => format!("{}, of {} that budgets leave", more.told(), left.told()),
        None => format!("not known; budgets leave {}{next}", left.told()),
    }
}

fn class_row(reach: &Reach, class: &ClassRow) -> Vec<String> {
    let also = class.tools.iter().skip(1);
    let shown = also.take(TOOLS).map(|tool| text::prose(&tool.told()));
    vec![
        text::prose(&class.told()),
        class.more.map_or("not known".into(), More::told),
        text::prose(&lost(reach, class)),
        and_more(shown.collect(), class.tools.len().saturating_sub(1)),
    ]
}

fn lost(reach: &Reach, class: &ClassRow) -> String {
    match (&class.never, &class.lost) {
        (Some(by), _) => format!("always, by {}", by.told()),
        (None, Some(lost)) if lost.path.is_empty() => {
            format!("from the start, by {}", refused(lost))
        }
        (None, Some(lost)) => {
            format!("by {} after {}", refused(lost), reach.told(&lost.path))
        }
        (None, None) if reach.cut.is_some() => "not known".into(),
        (None, None) => "no".into(),
    }
}

fn refused(lost: &Lost) -> String {
    let later = if lost.changes {
        ", later by others,"
    } else {
        ""
    };
    format!("{}{later}", lost.by.told())
}

/// What was found, as JSON.
#[derive(Serialize)]
pub struct Document<'a> {
    classes: Vec<Class<'a>>,
    states: usize,
    transitions: usize,
    exits: usize,
    cut: Option<Limit>,
    /// Absent where the exploration was cut off before a way out was found.
    safe: Option<bool>,
    out: Option<Out<'a>>,
    deadlock: Option<Deadlock<'a>>,
    deadlocks: usize,
    /// The index of a class that is admitted in every safe state.
    free: Option<usize>,
    more: Option<Count>,
    steps: Steps<'a>,
    uncovered: Vec<Left<'a>>,
}

#[derive(Serialize)]
struct Class<'a> {
    tools: Vec<Named<'a>>,
    never: Option<By<'a>>,
    more: Option<Count>,
    lost: Option<LostBy<'a>>,
}

#[derive(Serialize)]
struct Named<'a> {
    kind: &'static str,
    names: &'a [String],
    labels: &'a [String],
}

#[derive(Serialize)]
struct By<'a> {
    stage: &'static str,
    rule: &'static str,
    names: &'a [String],
}

#[derive(Serialize)]
struct LostBy<'a> {
    path: Vec<Call>,
    by: By<'a>,
    changes: bool,
}

/// A call of a path: the index of its class, and whether its result has an error.
#[derive(Serialize)]
struct Call {
    class: usize,
    failed: bool,
}

#[derive(Serialize)]
struct Limit {
    limit: &'static str,
    most: u64,
}

#[derive(Serialize)]
struct Out<'a> {
    path: Vec<Call>,
    barriers: &'a [String],
}

#[derive(Serialize)]
struct Deadlock<'a> {
    path: Vec<Call>,
    refusals: Vec<By<'a>>,
}

#[derive(Serialize)]
struct Steps<'a> {
    left: Count,
    by: Vec<By<'a>>,
}

#[derive(Serialize)]
struct Left<'a> {
    what: &'a str,
    why: &'static str,
}

impl<'a> Document<'a> {
    /// What was found, to be written.
    pub fn new(reach: &'a Reach) -> Document<'a> {
        Document {
            classes: reach.classes.iter().map(class).collect(),
            states: reach.states,
            transitions: reach.transitions,
            exits: reach.exits,
            cut: reach.cut.map(limit),
            safe: match (&reach.out, reach.cut) {
                (Some(_), _) => Some(false),
                (None, None) => Some(true),
                (None, Some(_)) => None,
            },
            out: reach.out.as_ref().map(|out| Out {
                path: calls(&out.path),
                barriers: &out.barriers,
            }),
            deadlock: reach.deadlock.as_ref().map(|deadlock| Deadlock {
                path: calls(&deadlock.path),
                refusals: deadlock.refusals.iter().map(by).collect(),
            }),
            deadlocks: reach.deadlocks,
            free: reach.free,
            more: reach.more.map(count),
            steps: Steps {
                left: count(reach.steps.left),
                by: reach.steps.by.iter().map(by).collect(),
            },
            uncovered: reach
                .uncovered
                .iter()
                .map(|left| Left {
                    what: &left.what,
                    why: left.why,
                })
                .collect(),
        }
    }
}

fn limit(cut: Cut) -> Limit {
    let (limit, most) = match cut {
        Cut::States(most) => ("states", most as u64),
        Cut::Transitions(most) => ("transitions", most as u64),
        Cut::Work(most) => ("work", most),
        Cut::Calls(most) => ("calls", most),
        Cut::Names(most) => ("names", most as u64),
    };
    Limit { limit, most }
}

fn class(row: &ClassRow) -> Class<'_> {
    Class {
        tools: row.tools.iter().map(named).collect(),
        never: row.never.as_ref().map(by),
        more: row.more.map(count),
        lost: row.lost.as_ref().map(|lost| LostBy {
            path: calls(&lost.path),
            by: by(&lost.by),
            changes: lost.changes,
        }),
    }
}

fn named(tool: &Tool) -> Named<'_> {
    Named {
        kind: match tool.kind {
            Kind::Other => "other",
            Kind::Named => "named",
            Kind::Glob => "glob",
        },
        names: &tool.names,
        labels: &tool.labels,
    }
}

fn by(refusal: &Refusal) -> By<'_> {
    By {
        stage: refusal.stage,
        rule: refusal.rule,
        names: &refusal.names,
    }
}

fn calls(path: &[Step]) -> Vec<Call> {
    let call = |step: &Step| Call {
        class: step.class,
        failed: step.failed,
    };
    path.iter().map(call).collect()
}

fn count(more: More) -> Count {
    let (calls, at_least) = match more {
        More::Calls(calls) => (Some(calls), false),
        More::AtLeast(calls) => (Some(calls), true),
    };
    Count { calls, at_least }
}
