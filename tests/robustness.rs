//! Runs by how near they come to a refusal: the ranking, what bounds it, and that what is said to
//! remain is what the monitor would admit.

#[path = "../src/testing.rs"]
mod testing;

use gate::audit::robustness::{Measurer, Robustness, RunRow, Wanted};
use gate::audit::summary::Replayed;
use gate::audit::verdict::Leniency;
use gate::engine::{Engine, Mode, Options};
use gate::import::drive::{ReadOptions, read};
use gate::policy::{Policy, PolicySource};
use gate::stages::{STAGES, Stage};
use std::fmt::Write;
use testing::Random;

const FULL: Wanted = Wanted {
    top: 1000,
    all: false,
    calls: true,
};

fn policy(text: &str) -> Policy {
    let none = |_: &str| Err("no file".to_owned());
    gate::policy::read::parse(text, "gate.toml", PolicySource::BuiltIn, &none).expect("a policy")
}

fn measured(
    policy: &Policy,
    text: &str,
    wanted: Wanted,
    mode: Mode,
    stages: &[&'static dyn Stage],
) -> Robustness {
    let replay = Options {
        mode,
        ..Options::default()
    };
    replayed(policy, text, wanted, replay, stages)
}

fn replayed(
    policy: &Policy,
    text: &str,
    wanted: Wanted,
    replay: Options,
    stages: &[&'static dyn Stage],
) -> Robustness {
    let mut measurer = Measurer::new(policy, wanted);
    let mut engine = Engine::new(policy, stages, replay, &mut measurer);
    engine.begin_input(0, "t");
    let bytes = Box::new(std::io::Cursor::new(text.to_owned()));
    read(
        0,
        "t.jsonl",
        "t",
        bytes,
        &ReadOptions::default(),
        &mut engine,
    );
    engine.end_input();
    engine.end();
    drop(engine);
    measurer.finish(Vec::new(), Replayed::by(&replay), Leniency::default())
}

fn call(run: &str, tool: &str) -> String {
    format!("{{\"run\":\"{run}\",\"tool\":\"{tool}\",\"result\":\"x\",\"cost_usd\":0.01}}\n")
}

fn ranked(found: &Robustness) -> Vec<&str> {
    found.listed.iter().map(|row| &*row.id).collect()
}

#[test]
fn the_nearest_run_comes_first_and_ties_keep_their_order() {
    let mut text = String::new();
    for (run, tools) in [
        ("b", &["think"][..]),
        ("mail", &["send_email", "think"]),
        ("a", &["think"]),
        ("out", &["send_email", "send_email", "send_email"]),
    ] {
        text.extend(tools.iter().map(|tool| call(run, tool)));
    }
    let policy = Policy::built_in();
    let found = measured(&policy, &text, FULL, Mode::Enforce, STAGES);
    assert_eq!(ranked(&found), ["out", "mail", "b", "a"]);
    assert_eq!((found.runs, found.beyond, found.unmeasured), (4, 1, 0));
    let out = &found.listed[0];
    assert_eq!((out.nearest.at.seq, out.nearest.at.line), (3, 7));
    // Enforced, the third mail never ran: no state was outside.
    assert!(out.nearest.measured.value < 0.0 && out.robustness.scaled > 0.0);
    let observed = measured(&policy, &text, FULL, Mode::Observe, STAGES);
    let end = &observed.listed[0].barriers[1];
    assert!(end.end < 0.0 && end.least_h.measured.value > 0.0);
}

/// However many runs there are, those asked for are the same, and what is held of the others is
/// nothing, or a row.
#[test]
fn the_ranking_is_bounded_and_every_run_is_counted() {
    let mut text = String::new();
    let mut expected = Vec::new();
    for run in 0..1500 {
        let calls = 1 + (run * 7919) % 40;
        for _ in 0..calls {
            text += &call(&format!("r{run}"), "think");
        }
        expected.push((std::cmp::Reverse(calls), run));
    }
    expected.sort_unstable();
    let expected: Vec<String> = expected.iter().map(|(_, run)| format!("r{run}")).collect();
    let policy = Policy::built_in();
    for (top, all, rows) in [(5, false, 5), (0, false, 0), (5, true, 1500)] {
        let wanted = Wanted {
            top,
            all,
            calls: false,
        };
        let found = measured(&policy, &text, wanted, Mode::Enforce, STAGES);
        assert_eq!(
            (found.runs, found.listed.len(), found.full),
            (1500, rows, top)
        );
        assert_eq!(ranked(&found), expected[..rows]);
        let told = |row: &&RunRow| !row.more.is_empty();
        assert_eq!(found.listed.iter().filter(told).count(), top);
    }
}

/// A run that no call of reached the barriers says nothing about them: it is counted, not ranked.
#[test]
fn what_no_barrier_saw_is_not_ranked() {
    let policy = policy("[dfa]\nmax_steps = 1\n");
    let text = call("a", "think") + &call("a", "think");
    let found = measured(&policy, &text, FULL, Mode::Enforce, STAGES);
    assert_eq!((found.listed[0].calls, found.listed[0].measured), (2, 1));
    let none = Policy {
        disabled: vec!["dcbf"],
        ..Policy::built_in()
    };
    let found = measured(&none, &text, FULL, Mode::Enforce, STAGES);
    assert_eq!(
        (found.runs, found.unmeasured, found.listed.len()),
        (1, 1, 0)
    );
}

/// The law of what remains: that many more calls of a class are admitted by the monitor when they
/// come, and the next is refused.
/// A run is measured as `gate replay` replays it: an escalated call that is let through has been made.
#[test]
fn what_escalated_calls_leave_depends_on_what_becomes_of_them() {
    let policy = policy("[semantic]\nembedder = \"recorded\"\nescalate = 0.5\nblock = 0.9\n");
    let text = "{\"tool\":\"send_email\",\"run\":\"r\",\"semantic_score\":0.6}\n";
    let left = |allow_escalated| {
        let replay = Options {
            allow_escalated,
            ..Options::default()
        };
        let found = replayed(&policy, text, FULL, replay, STAGES);
        (found.replayed.on_escalate, found.listed[0].barriers[1].end)
    };
    assert_eq!(left(false), ("block", 0.5));
    assert_eq!(left(true), ("allow", 0.3));
}

#[test]
fn as_many_calls_are_admitted_as_remain() {
    let barriers: Vec<_> = STAGES
        .iter()
        .filter(|s| s.id() == "dcbf")
        .copied()
        .collect();
    let mut random = Random::new(11);
    let tools = [
        "think",
        "send_email",
        "http_request",
        "sql_query",
        "read_file",
        "file_read",
    ];
    let policies = [
        "",
        "[dcbf]\nkappa = 0.5\n",
        "[dcbf.barriers.privacy]\npower = 2.0\n",
        "[dcbf.barriers.stability]\nstep_budget = 9\n",
        "[dcbf.barriers.resource]\nlimit_usd = 0.12\n",
    ];
    let mut checked = 0;
    for policy in policies.map(policy) {
        for _ in 0..12 {
            let mut text = String::new();
            for _ in 0..1 + random.below(9) {
                text += &call("r", tools[random.below(tools.len())]);
            }
            let found = measured(&policy, &text, FULL, Mode::Observe, &barriers);
            let row = &found.listed[0];
            for (class, more) in found.classes.iter().zip(&row.more) {
                let tool = class.tools.first().map_or("elsewhere", String::as_str);
                let mut longer = text.clone();
                for _ in 0..=more.calls {
                    let _ = write!(longer, "{}", call("r", tool));
                }
                let replayed = measured(&policy, &longer, FULL, Mode::Observe, &barriers);
                let rows = &replayed.listed[0].rows;
                let tail = &rows[row.rows.len()..];
                let admitted = tail.iter().take_while(|call| call.admitted).count() as u64;
                assert_eq!(admitted, more.calls, "{tool} after\n{text}");
                assert_eq!(tail.len() as u64, more.calls + 1);
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

/// The next call after a refusal is a self-loop, as it is for the monitor: a barrier on loops that
/// admits it only where the last call settled has nothing left.
#[test]
fn what_remains_after_a_refusal_begins_with_a_loop() {
    let barriers: Vec<_> = STAGES
        .iter()
        .filter(|s| s.id() == "dcbf")
        .copied()
        .collect();
    let policy = policy("[dcbf.barriers.loops]\nexpr = 'state.loop_count > 0 ? -1.0 : 1.0'\n");
    for (sent, refused) in [(1, false), (2, false), (3, true)] {
        let text = call("r", "send_email").repeat(sent);
        let found = measured(&policy, &text, FULL, Mode::Enforce, &barriers);
        for (class, more) in found.classes.iter().zip(&found.listed[0].more) {
            let tool = class.tools.first().map_or("elsewhere", String::as_str);
            let longer = text.clone() + &call("r", tool).repeat(more.calls as usize + 1);
            let replayed = measured(&policy, &longer, FULL, Mode::Enforce, &barriers);
            let tail = &replayed.listed[0].rows[sent..];
            let admitted = tail.iter().take_while(|call| call.admitted).count() as u64;
            assert_eq!(admitted, more.calls, "{tool} after {sent}");
            assert!(!refused || more.calls == 0, "{tool}");
        }
    }
}

/// Calls that come after the end of a run are calls of it, refused by what its end means: counts are
/// those of a replay, and the ranking stays.
#[test]
fn calls_after_the_end_of_a_run_are_counted_with_it() {
    let ends =
        |run: &str| format!("{{\"type\":\"run_end\",\"run\":\"{run}\",\"status\":\"answered\"}}\n");
    let mut text = call("r", "think") + &call("r", "send_email") + &ends("r");
    text += &(call("s", "think") + &ends("s"));
    text += &(call("r", "think") + &call("s", "think") + &call("r", "think"));
    // A run that begins afresh under the name is another.
    text += "{\"type\":\"run_start\",\"run\":\"s\"}\n";
    text +=
        &(call("s", "send_email") + &call("s", "send_email") + &ends("s") + &call("s", "think"));
    let policy = Policy::built_in();
    let counts = |found: &Robustness| -> Vec<(String, u64, u64, u64)> {
        let of = |row: &RunRow| (row.id.to_string(), row.calls, row.measured, row.refused);
        found.listed.iter().map(of).collect()
    };
    let expected = [("s", 3, 2, 1), ("r", 4, 2, 2), ("s", 2, 1, 1)];
    let expected = expected.map(|(run, a, b, c)| (run.to_owned(), a, b, c));
    for all in [false, true] {
        let wanted = Wanted { all, ..FULL };
        let found = measured(&policy, &text, wanted, Mode::Enforce, STAGES);
        assert_eq!(counts(&found), expected);
        assert_eq!((found.runs, found.calls, found.unmeasured), (3, 9, 0));
    }
}

/// 0.7 of three scales, none of which comes out of floats as the same number: of equals the first
/// barrier of the policy, whatever rounding says.
#[test]
fn of_equals_the_first_barrier_is_named() {
    let text = "[dcbf]\nkappa = 0.7\n[dcbf.barriers.resource]\nenabled = false\n\
                [dcbf.barriers.stability]\nenabled = false\n";
    let policy = policy(text);
    let found = measured(&policy, &call("r", "think"), FULL, Mode::Enforce, STAGES);
    let scaled: Vec<f64> = found.listed[0]
        .barriers
        .iter()
        .map(|b| b.nearest.measured.scaled)
        .collect();
    assert!(scaled.iter().all(|s| (s - 0.7).abs() < 1e-15), "{scaled:?}");
    assert_eq!(found.listed[0].nearest.measured.barrier, 0, "{scaled:?}");
    assert_eq!(found.listed[0].rows[0].nearest.barrier, 0);
}

/// A policy under which the safe set can be left says so in every report on it.
#[test]
fn an_unsound_policy_is_told() {
    let policy = policy("[dcbf]\nkappa = 2.0\n");
    let found = measured(&policy, &call("r", "think"), FULL, Mode::Enforce, STAGES);
    let header = gate::report::Header {
        inputs: vec!["t.jsonl".into()],
        ..Default::default()
    };
    for format in gate::report::robustness::ROBUSTNESS_FORMATS {
        let mut out = Vec::new();
        (format.write)(&found, &header, &mut out).expect("memory");
        let text = String::from_utf8(out).expect("text");
        let told = match format.id {
            "table" => "unsound_alpha: barrier `safety`: kappa 2 is above 1",
            "json" => "\"code\":\"unsound_alpha\"",
            _ => continue,
        };
        assert!(text.contains(told), "{}: {text}", format.id);
    }
}

/// Columns go before lines get longer than the page.
#[test]
fn a_narrow_page_holds_the_ranking() {
    let policy = Policy::built_in();
    let text = call("r", "send_email") + &call("r", "read_file") + &call("r", "http_request");
    for width in [40, 60, 80, 120] {
        // A call with how near it comes may take more than 40 columns.
        let calls = width > 40;
        let wanted = Wanted { calls, ..FULL };
        let found = measured(&policy, &text, wanted, Mode::Enforce, STAGES);
        let header = gate::report::Header {
            inputs: vec!["t.jsonl".into()],
            width: Some(width),
            ..Default::default()
        };
        let mut out = Vec::new();
        let table = &gate::report::robustness::ROBUSTNESS_FORMATS[0];
        (table.write)(&found, &header, &mut out).expect("memory");
        let text = String::from_utf8(out).expect("text");
        let long: Vec<&str> = text.lines().filter(|l| l.chars().count() > width).collect();
        assert!(long.is_empty(), "{width}: {long:#?}");
    }
}
