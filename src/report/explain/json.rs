//! `gate.explain/1`: one JSON document, its types frozen apart from those of the program.

use super::{Format, Shown, spelled};
use crate::explain::change::Change;
use crate::explain::flip::Rule;
use crate::explain::together::Together;
use crate::explain::trial::Replayed;
use crate::explain::turn::Flip;
use crate::explain::{Explanation, Standing, TurnedBy};
use crate::report::args::Secrets;
use crate::report::json::v1::decision;
use crate::report::json::v1::parts::{self, Policy, Replay, position};
use crate::report::json::write;
use crate::report::number::Number;
use crate::stages::weigh::{StageWeighed, Weighed};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    id: "json",
    doc: "one JSON document",
    write: document,
};

/// Schema of the document.
const SCHEMA: &str = "gate.explain/1";

fn document(explained: &Explanation, shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    write::document(&whole(explained, shown)?, out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    policy: Policy<'a>,
    settings: Replay,
    decision: Box<RawValue>,
    earlier_calls: u64,
    earlier_refused: u64,
    stages: Vec<Stage<'a>>,
    deciding: Vec<RuleName<'a>>,
    also: Vec<RuleName<'a>>,
    barriers: Vec<Barrier<'a>>,
    flips: Vec<FlipRecord<'a>>,
    turns_to: &'static str,
    /// Null where the call runs.
    turned_by: Option<&'static str>,
    /// Null where one change of `flips` is enough, where none were found, and where the call runs.
    together: Option<TogetherRecord<'a>>,
    by_no_number: Vec<RuleName<'a>>,
    /// Null where numbers together were not sought.
    search: Option<SearchRecord>,
    approval: Option<&'static str>,
    policy_lines: Vec<Line>,
}

#[derive(Serialize)]
struct Stage<'a> {
    stage: &'static str,
    outcome: &'static str,
    decided: bool,
    rules: Vec<RuleRecord<'a>>,
}

#[derive(Serialize)]
struct RuleRecord<'a> {
    rule: &'static str,
    name: Option<&'a str>,
    policy_line: Option<usize>,
    outcome: &'static str,
    looked_at: &'a str,
}

#[derive(Serialize)]
struct RuleName<'a> {
    stage: &'static str,
    rule: &'static str,
    name: Option<&'a str>,
    policy_line: Option<usize>,
}

#[derive(Serialize)]
struct Barrier<'a> {
    barrier: &'a str,
    unit: &'static str,
    policy_line: Option<usize>,
    refuses: bool,
    h: Number,
    next: Number,
    floor: Option<Number>,
    slack: Option<Number>,
    slack_calls: Option<Number>,
    calls_left: Option<u64>,
    margin: Number,
    history: Vec<PointRecord>,
    lowered: u64,
    lowered_by: Vec<FallRecord<'a>>,
}

#[derive(Serialize)]
struct PointRecord {
    seq: u64,
    h: Number,
}

#[derive(Serialize)]
struct FallRecord<'a> {
    seq: u64,
    line: u64,
    tool: &'a str,
    from: Number,
    to: Number,
}

#[derive(Serialize)]
struct FlipRecord<'a> {
    rule: RuleName<'a>,
    changes: Vec<ChangeRecord>,
    replay: ReplayRecord<'a>,
    by_earlier: bool,
    replays: u64,
    bounded: bool,
}

#[derive(Serialize)]
struct TogetherRecord<'a> {
    changes: Vec<ChangeRecord>,
    replay: ReplayRecord<'a>,
    replays: u64,
    bounded: bool,
}

#[derive(Serialize)]
struct SearchRecord {
    replays: u64,
    bounded: bool,
}

/// Numbers as a policy spells them: strings, so that no reader rounds them.
#[derive(Serialize)]
struct ChangeRecord {
    key: String,
    policy_line: Option<usize>,
    from: String,
    /// Null where none was found that turns the rule.
    to: Option<String>,
}

#[derive(Serialize)]
struct ReplayRecord<'a> {
    turned: bool,
    decision: &'static str,
    admitted: bool,
    stopped_by: Vec<RuleName<'a>>,
    outside_safe_set: bool,
    earlier_changed: u64,
    first_earlier_changed: Option<u64>,
}

#[derive(Serialize)]
struct Line {
    line: usize,
    rules: Vec<String>,
}

fn whole<'a>(explained: &'a Explanation, shown: &'a Shown) -> io::Result<Document<'a>> {
    let decision = &explained.decision;
    let secrets = decision.args.as_ref().map(|args| (args, Secrets::new()));
    let shown_args = secrets.map(|(args, secrets)| decision::Shown {
        args: secrets.shown(args),
        text: None,
    });
    let mut record = Vec::new();
    decision::Records::new(&shown.header).append(decision, &shown.header, shown_args, &mut record);
    Ok(Document {
        schema: SCHEMA,
        policy: parts::policy(&shown.policy),
        settings: parts::replay(&shown.replayed),
        decision: serde_json::from_slice(&record)?,
        earlier_calls: explained.earlier,
        earlier_refused: explained.earlier_refused,
        stages: explained
            .stages
            .iter()
            .map(|s| stage(s, explained))
            .collect(),
        deciding: explained.deciding.iter().map(name).collect(),
        also: explained.also.iter().map(name).collect(),
        barriers: explained.barriers.iter().map(barrier).collect(),
        flips: explained.flips.iter().map(flip).collect(),
        turns_to: explained.aim().as_str(),
        turned_by: explained.turned_by().map(TurnedBy::as_str),
        together: explained.together.as_ref().map(together),
        by_no_number: explained.by_no_number.iter().map(name).collect(),
        search: explained.search.map(|effort| SearchRecord {
            replays: effort.replays,
            bounded: effort.bounded,
        }),
        approval: explained.approval.map(|approval| approval.as_str()),
        policy_lines: explained
            .policy_lines()
            .into_iter()
            .map(|line| Line {
                line: line.line,
                rules: line.rules,
            })
            .collect(),
    })
}

fn stage<'a>(stage: &'a StageWeighed, explained: &Explanation) -> Stage<'a> {
    let mut deciding = explained.deciding.iter();
    Stage {
        stage: stage.stage,
        outcome: stage.first().map_or("passes", |rule| rule.outcome.as_str()),
        decided: deciding.any(|rule| rule.stage == stage.stage),
        rules: stage.rules.iter().map(weighed).collect(),
    }
}

fn weighed(rule: &Weighed) -> RuleRecord<'_> {
    RuleRecord {
        rule: rule.rule,
        name: some(&rule.name),
        policy_line: position(rule.policy_line),
        outcome: rule.outcome.as_str(),
        looked_at: &rule.looked_at,
    }
}

fn name(rule: &Rule) -> RuleName<'_> {
    RuleName {
        stage: rule.stage,
        rule: rule.rule,
        name: some(&rule.name),
        policy_line: position(rule.policy_line),
    }
}

fn some(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

fn barrier(standing: &Standing) -> Barrier<'_> {
    let track = &standing.track;
    Barrier {
        barrier: &standing.name,
        unit: standing.unit,
        policy_line: position(standing.policy_line),
        refuses: standing.refuses,
        h: Number(standing.h),
        next: Number(standing.next),
        floor: standing.floor.map(Number),
        slack: standing.slack.map(Number),
        slack_calls: standing.calls.filter(|x| x.is_finite()).map(Number),
        calls_left: standing.left,
        margin: Number(standing.margin),
        history: track
            .series
            .points()
            .iter()
            .map(|point| PointRecord {
                seq: point.seq,
                h: Number(point.h),
            })
            .collect(),
        lowered: track.fell,
        lowered_by: track
            .falls
            .iter()
            .map(|fall| FallRecord {
                seq: fall.seq,
                line: fall.line,
                tool: &fall.tool,
                from: Number(fall.from),
                to: Number(fall.to),
            })
            .collect(),
    }
}

fn flip(flip: &Flip) -> FlipRecord<'_> {
    FlipRecord {
        rule: name(&flip.rule),
        changes: changes(&flip.changes, flip.replay.turned),
        replay: replay(&flip.replay),
        by_earlier: flip.by_earlier,
        replays: flip.effort.replays,
        bounded: flip.effort.bounded,
    }
}

fn together(together: &Together) -> TogetherRecord<'_> {
    TogetherRecord {
        changes: changes(&together.changes, true),
        replay: replay(&together.replay),
        replays: together.effort.replays,
        bounded: together.effort.bounded,
    }
}

fn changes(changes: &[Change], turned: bool) -> Vec<ChangeRecord> {
    let record = |change: &Change| ChangeRecord {
        key: change.dotted(),
        policy_line: position(change.line),
        from: spelled(change.from),
        to: turned.then(|| spelled(change.to)),
    };
    changes.iter().map(record).collect()
}

fn replay(replay: &Replayed) -> ReplayRecord<'_> {
    ReplayRecord {
        turned: replay.turned,
        decision: replay.kind.as_str(),
        admitted: replay.admitted,
        stopped_by: replay.stops.iter().map(name).collect(),
        outside_safe_set: replay.leaves,
        earlier_changed: replay.earlier,
        first_earlier_changed: replay.first_earlier,
    }
}
