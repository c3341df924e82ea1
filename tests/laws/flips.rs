//! What would turn a decision does: each change that an explanation tells is written into the text of the
//! policy, which is parsed anew, and the whole recording is replayed under it.

use super::policies::policy;
use super::replay::{replay, varied};
use super::testing::Random;
use super::trial::{Shape, is_call, lines};
use super::weighing::weighing;
use gate::engine::{Final, Options};
use gate::explain::change::Change;
use gate::explain::find::Found;
use gate::explain::flip::keys;
use gate::explain::search::{amount, tick};
use gate::explain::tape::Tape;
use gate::explain::together::Together;
use gate::explain::trial::{Effort, asks, most_replays};
use gate::explain::turn::Flip;
use gate::explain::{Explanation, TurnedBy, explained};
use gate::import::drive::{ReadOptions, read};
use gate::policy::Policy;
use gate::stages::weigh::Amount;
use gate::trace::money::Nano;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A policy as lines of keys, so that a change is another line.
#[derive(Clone)]
struct Written {
    keys: BTreeMap<String, String>,
    rest: &'static str,
}

impl Written {
    fn policy(&self) -> Policy {
        let lines = self
            .keys
            .iter()
            .map(|(key, value)| format!("{key} = {value}\n"));
        policy(&format!("{}{}", lines.collect::<String>(), self.rest))
    }

    /// The same with these changes.
    fn with<'c>(&self, changes: impl IntoIterator<Item = &'c Change>) -> Written {
        let mut written = self.clone();
        for change in changes {
            let value = match change.to {
                Amount::Count(n) => n.to_string(),
                Amount::Money(nano) => nano.to_string(),
                Amount::Span(ns) => Nano(ns).to_string(),
                Amount::Real(x) => format!("{x:?}"),
            };
            written.keys.insert(change.path.join("."), value);
        }
        written
    }
}

const REST: &str = r#"
[[labels]]
label = "outbound"
tools = ["send_email", "http_request", "webhook_post"]
[[contracts]]
tools = ["write_file"]
require = ['call.args.path != "/etc/passwd"']
"#;

/// A policy whose every number may bind.
fn written(random: &mut Random) -> Written {
    let mut keys = BTreeMap::new();
    let mut set = |random: &mut Random, percent, key: &str, values: &[&str]| {
        if random.chance(percent) {
            keys.insert(key.to_owned(), (*random.pick(values)).to_owned());
        }
    };
    let r = random;
    set(r, 40, "dfa.max_steps", &["3", "5", "9"]);
    set(r, 20, "dfa.max_refusals", &["1", "2", "4"]);
    set(r, 40, "dfa.max_loops", &["0", "1", "2"]);
    set(r, 30, "dfa.max_repeats", &["1", "2"]);
    set(r, 40, "dfa.timeout_seconds", &["2.5", "7", "20"]);
    set(r, 25, "gates.window", &["0", "1", "3"]);
    set(r, 25, "gates.max_tokens", &["20", "60", "100"]);
    set(r, 25, "gates.per_tool.search", &["0", "10", "30"]);
    set(r, 25, "gates.per_tool.think", &["0", "10", "30"]);
    set(r, 100, "privilege.unknown_agent", &["\"allow\""]);
    set(
        r,
        25,
        "privilege.agents.ops.max_call_cost_usd",
        &["0", "0.4", "1.999999999"],
    );
    set(
        r,
        25,
        "privilege.agents.dev.max_total_cost_usd",
        &["0.3", "2.0", "5"],
    );
    set(r, 30, "dcbf.kappa", &["1.0", "0.5", "0.9", "0.2", "1.5"]);
    set(r, 20, "dcbf.power", &["2.0", "0.5", "1.5"]);
    set(
        r,
        80,
        "dcbf.barriers.privacy.budget",
        &["0.3", "0.5", "1", "0.7"],
    );
    set(
        r,
        80,
        "dcbf.barriers.privacy.per_call",
        &["0.1", "0.2", "0.3"],
    );
    set(r, 30, "dcbf.barriers.privacy.margin", &["0.05", "-0.1"]);
    set(
        r,
        60,
        "dcbf.barriers.resource.limit_usd",
        &["0.5", "3", "6.000000001"],
    );
    set(
        r,
        30,
        "dcbf.barriers.scope.max_drift",
        &["0.1", "0.5", "0.29"],
    );
    set(
        r,
        40,
        "dcbf.barriers.stability.step_budget",
        &["4", "7", "12"],
    );
    set(r, 40, "dcbf.barriers.safety.window", &["2", "4", "9"]);
    set(
        r,
        30,
        "dcbf.barriers.files.expr",
        &["'2.5 - 0.7 * double(count(\"file_read\"))'"],
    );
    let of = if r.chance(5) { "hash" } else { "recorded" };
    set(r, 40, "semantic.embedder", &[&format!("{of:?}")]);
    if of == "hash" && r.chance(60) {
        // Thresholds in one table hold in the other, unless that has its own.
        set(r, 100, "semantic.embedder", &["\"hash\""]);
        set(r, 40, "semantic.escalate", &["0.05", "0.1"]);
        set(r, 40, "semantic.block", &["0.3", "0.4"]);
        set(r, 20, "semantic.harm_floor", &["0.5"]);
        set(r, 30, "semantic.without_intent.escalate", &["0.02", "0.2"]);
        set(r, 30, "semantic.without_intent.block", &["0.35", "0.6"]);
    }
    Written { keys, rest: REST }
}

/// A trace with calls that come again and with times, as some limits go by them.
fn timed(random: &mut Random) -> Vec<Value> {
    let mut trace = Vec::new();
    for record in super::trial::trace(random, Shape::ANY, 45) {
        let again = is_call(&record) && random.chance(12);
        let copy = again.then(|| {
            let mut copy = record.clone();
            copy["id"] = format!("again-{}", trace.len()).into();
            copy
        });
        trace.push(record);
        trace.extend(copy);
    }
    let mut at = 0_u64;
    for record in &mut trace {
        at += random.below(2_000_000_000);
        let (seconds, nanos) = (at / 1_000_000_000, at % 1_000_000_000);
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        record["ts"] = json!(format!(
            "2026-03-02T10:{minutes:02}:{seconds:02}.{nanos:09}Z"
        ));
    }
    trace
}

fn taped(trace: &[Value], decided: &Final) -> Tape {
    let bytes = lines(trace);
    let mut tape = Tape::new(Found::of(&decided.decision));
    tape.begin_input("t");
    let options = ReadOptions::default();
    read(0, "t.jsonl", "t", Box::new(&bytes[..]), &options, &mut tape);
    tape
}

/// The call in a replay of the whole recording under that policy.
fn again(written: &Written, options: Options, trace: &[Value], decided: &Final) -> Final {
    let found = Found::of(&decided.decision);
    let wordless = Options {
        wordless: true,
        ..options
    };
    let replayed = replay(&written.policy(), weighing(wordless), trace);
    let mut all = replayed.decided.into_iter();
    all.find(|other| found.is(&other.decision))
        .expect("the call")
}

/// What a trial of many explanations came to.
#[derive(Debug, Default)]
struct Count {
    /// Refusals explained.
    refusals: u64,
    /// Changes that turn a rule, by the last key of their path.
    turned: BTreeMap<String, u64>,
    /// Changes of one number that turn nothing, as the run meets another state under each.
    unturned: u64,
    /// Refusals that the changes told together let through.
    through: u64,
    /// Those of them that no number lets through alone.
    together: u64,
    /// Searches that the bound of their replays ended.
    bounded: u64,
}

fn step(change: &Change, away: bool) -> Change {
    let side = (tick(change.to) - tick(change.from)).signum() * if away { -1 } else { 1 };
    Change {
        to: amount(tick(change.to) + side, change.to),
        ..change.clone()
    }
}

/// The rule says the other thing with the changes, and the old one with the last of them one step less.
///
/// A number that no rule of the decision goes by may let the call through alone, as earlier calls are decided
/// otherwise by it: then one step less does not let it through.
fn holds(
    policy: &Policy,
    flip: &Flip,
    pass: bool,
    replayed: impl Fn(&[Change]) -> Final,
) -> Result<(), String> {
    let said = replayed(&flip.changes);
    if flip.rule.stops(&said) == pass {
        return Err(format!("{flip:?} does not turn it: {:?}", said.decision));
    }
    let seen = (said.decision.kind, said.decision.admitted);
    if seen != (flip.replay.kind, flip.replay.admitted) {
        return Err(format!("{flip:?}, and it is {seen:?}"));
    }
    if flip.effort.bounded {
        return Ok(());
    }
    let (last, before) = flip.changes.split_last().expect("a change");
    let less = [before, &[step(last, true)]].concat();
    let said = replayed(&less);
    let own = keys(policy, &flip.rule, &replayed(&[]));
    let foreign = flip.changes.iter().all(|change| !own.contains(&change.key));
    let stops = match foreign {
        true => !said.decision.admitted,
        false => flip.rule.stops(&said) == pass,
    };
    match stops {
        true => Ok(()),
        false => Err(format!("{flip:?}: a step less does it too")),
    }
}

/// Where the call meets the state that it met, the change of a budget is the one that the formula gives:
/// ((drop / kappa) ^ (1 / power) - h), where drop is what the call takes.
fn closed_form(explained: &Explanation, flip: &Flip) -> Result<(), String> {
    let mut standings = explained.barriers.iter();
    let of = standings.find(|standing| standing.name == flip.rule.name);
    let [change] = &*flip.changes else {
        return Ok(());
    };
    let number = |amount| match amount {
        Amount::Real(x) => x,
        Amount::Count(n) => n as f64,
        Amount::Money(nano) => nano.usd(),
        Amount::Span(ns) => ns as f64,
    };
    let keys = ["budget", "limit_usd", "max_drift", "step_budget", "margin"];
    let key = change.path.last().expect("a key");
    let (Some(standing), true) = (of, keys.contains(&&**key)) else {
        return Ok(());
    };
    if flip.replay.earlier > 0 || !explained.deciding.contains(&flip.rule) {
        return Ok(());
    }
    let side = if key == "margin" { -1.0 } else { 1.0 };
    let changed = side * (number(change.to) - number(change.from));
    let drop = (standing.h - standing.next).max(0.0);
    let needed = (drop / standing.alpha.kappa).powf(1.0 / standing.alpha.power) - standing.h;
    let unit = if key == "step_budget" { 1.0 } else { 2e-9 };
    match changed >= needed - 1e-9 && changed < needed + unit {
        true => Ok(()),
        false => Err(format!("{flip:?}: {changed}, and it should be {needed}")),
    }
}

/// Whether the call comes through with the changes. Then it does not with one of them left out or one
/// step less of it; and where a rule goes by no number, no other stops the call.
fn holds_together(
    together: &Together,
    asks: bool,
    replayed: impl Fn(&[Change]) -> Final,
) -> Result<bool, String> {
    let through = |said: &Final| {
        let decision = &said.decision;
        let kind = decision.kind.as_str();
        decision.admitted && (kind == "allow" || (kind == "escalate" && !asks))
    };
    let said = replayed(&together.changes);
    let seen = (said.decision.kind, said.decision.admitted);
    let told = &together.replay;
    if through(&said) != told.turned || seen != (told.kind, told.admitted) {
        return Err(format!("{together:?}, and it is {:?}", said.decision));
    }
    if !told.turned || together.changes.len() < 2 {
        return Err(format!("{together:?}: nothing to be told"));
    }
    if together.effort.bounded {
        return Ok(true);
    }
    let changes = &together.changes;
    let ends_with = |change: &Change, key: &str| change.path.last().is_some_and(|k| k == key);
    let escalates = changes.iter().any(|change| ends_with(change, "escalate"));
    for (at, change) in changes.iter().enumerate() {
        if escalates && ends_with(change, "block") {
            // No policy may say less than the other threshold.
            continue;
        }
        let mut less = changes.clone();
        less[at] = step(change, true);
        let mut without = changes.clone();
        without.remove(at);
        if through(&replayed(&less)) || through(&replayed(&without)) {
            return Err(format!("{together:?}: less of {change:?} does it too"));
        }
    }
    Ok(true)
}

fn check(
    policy: &Policy,
    explained: &Explanation,
    count: &mut Count,
    replayed: impl Fn(&[Change]) -> Final,
) -> Result<(), String> {
    let pass = !explained.deciding.is_empty();
    for flip in &explained.flips {
        let Effort { replays, bounded } = flip.effort;
        count.bounded += u64::from(bounded);
        if !flip.replay.turned {
            count.unturned += u64::from(!bounded);
            continue;
        }
        if replays == 0 {
            return Err(format!("{flip:?} was not tried"));
        }
        holds(policy, flip, pass, &replayed)?;
        closed_form(explained, flip)?;
        for change in &flip.changes {
            let key = change.path.last().expect("a key").clone();
            *count.turned.entry(key).or_default() += 1;
        }
    }
    let enough = explained.flips.iter().any(Flip::is_enough);
    if enough && explained.together.is_some() {
        return Err("one number is enough, and several are told".to_owned());
    }
    if let Some(together) = &explained.together {
        count.bounded += u64::from(together.effort.bounded);
        count.together += u64::from(explained.turned_by() == Some(TurnedBy::Together));
        count.through += u64::from(holds_together(
            together,
            asks(explained.decision.kind),
            &replayed,
        )?);
    }
    count.through += u64::from(explained.flips.iter().any(|flip| flip.replay.admitted));
    Ok(())
}

impl Count {
    fn add(&mut self, other: Count) {
        self.refusals += other.refusals;
        self.unturned += other.unturned;
        self.through += other.through;
        self.together += other.together;
        self.bounded += other.bounded;
        for (key, turned) in other.turned {
            *self.turned.entry(key).or_default() += turned;
        }
    }
}

/// Explanations of so many calls, sought by several threads, each among cases of its own.
fn trial(
    calls: u64,
    most: impl Fn(u64) -> u64 + Sync,
    wanted: impl Fn(&Final) -> bool + Sync,
) -> Count {
    const THREADS: u64 = 4;
    let mut count = Count::default();
    std::thread::scope(|scope| {
        let (most, wanted) = (&most, &wanted);
        let share = |thread| {
            let cases = (thread..).step_by(THREADS as usize);
            scope.spawn(move || explanations(calls.div_ceil(THREADS), cases, most, wanted))
        };
        let threads: Vec<_> = (0..THREADS).map(share).collect();
        for thread in threads {
            count.add(thread.join().expect("no law is broken"));
        }
    });
    count
}

fn explanations(
    calls: u64,
    cases: impl Iterator<Item = u64>,
    most: impl Fn(u64) -> u64,
    wanted: impl Fn(&Final) -> bool,
) -> Count {
    let mut count = Count::default();
    for case in cases {
        if count.refusals >= calls {
            break;
        }
        let mut random = Random::new(case);
        let written = written(&mut random);
        let trace = timed(&mut random);
        let options = varied(case);
        let policy = written.policy();
        let out = replay(&policy, options, &trace);
        let some: Vec<&Final> = out.decided.iter().filter(|d| wanted(d)).collect();
        if some.is_empty() {
            continue;
        }
        let decided = *random.pick(&some);
        let tape = taped(&trace, decided);
        let explained = explained(&tape, &policy, options, &most).expect("it comes");
        let same = explained.decision == decided.decision;
        let asks = asks(decided.decision.kind);
        let replayed = |changes: &[Change]| {
            let mut said = again(&written.with(changes), options, &trace, decided);
            tape.let_through(&mut said, options, asks);
            said
        };
        let checked = check(&policy, &explained, &mut count, replayed);
        if let (Err(why), _) | (Ok(()), Some(why)) = (
            checked,
            (!same).then(|| format!("{:?}", explained.decision)),
        ) {
            let text = String::from_utf8(lines(&trace)).expect("UTF-8");
            let keys = &written.keys;
            panic!(
                "case {case}, {options:?}: {why}\n{keys:?}\n{:?}\n{text}",
                decided.decision
            );
        }
        count.refusals += 1;
    }
    count
}

/// A thousand random refusals, over barriers, budgets and costs: with the change that is told the rule
/// does not refuse the call any more, and with one step less, the least that the number can take, it
/// still does.
#[test]
fn the_least_change_turns_a_refusal() {
    let count = trial(1000, most_replays, |decided| decided.decision.is_refused());
    println!("{count:?}");
    let keys = [
        "budget",
        "per_call",
        "margin",
        "kappa",
        "limit_usd",
        "max_drift",
        "step_budget",
        "window",
        "max_steps",
        "max_loops",
        "max_repeats",
        "max_refusals",
        "timeout_seconds",
        "max_tokens",
        "search",
        "think",
        "max_call_cost_usd",
        "max_total_cost_usd",
        "escalate",
        "block",
    ];
    for key in keys {
        assert!(
            count.turned.get(key).is_some_and(|n| *n > 2),
            "{key}: {count:?}"
        );
    }
}

/// Where a search may make but a few replays it says so, and what it tells is true all the same.
#[test]
fn what_is_told_holds_where_the_search_was_ended() {
    for most in 1..8 {
        let count = trial(60, |_| most, |decided| decided.decision.is_refused());
        println!("{most}: {count:?}");
        assert!(count.bounded > 0, "{most}: {count:?}");
    }
}

/// The other way round: what would have refused a call that was let through.
#[test]
fn the_least_change_turns_an_admission() {
    let count = trial(60, most_replays, |decided| {
        decided.decision.kind.as_str() == "allow"
    });
    println!("{count:?}");
}
