//! Policies that are out of the ordinary: what they take is bounded in work, not in time, so that it is the
//! same everywhere. Where work ends an exploration nothing is claimed.

use super::*;
use crate::policy::presets::PRESETS;
use crate::policy::{PolicySource, parse};

/// What a look at a policy may take where nobody asked for an exploration.
const NEAR: Limits = Limits {
    states: 2_000,
    transitions: 40_000,
    work: 20_000_000,
};

fn policy(text: &str) -> Policy {
    let nothing = |_: &str| Err("there are no files".to_owned());
    parse(text, "test", PolicySource::BuiltIn, &nothing).expect("a policy")
}

fn list(count: usize, entry: impl Fn(usize) -> String) -> String {
    let entries: Vec<String> = (0..count).map(entry).collect();
    entries.join(", ")
}

/// Whether work, and not the number of states or of calls, ended it.
fn ran_out(found: &Reach) -> bool {
    matches!(found.cut, Some(Cut::Work(_) | Cut::Names(_)))
}

/// 500 globs in one list and 100 agents with two each: a name for every set of them is found, as globs that
/// a name has left behind cost nothing.
#[test]
fn many_globs_that_share_no_name_take_little() {
    let mut text = format!(
        "[gates]\nallow = [{}]\n",
        list(500, |n| format!("\"t{n}_*\""))
    );
    for n in 0..100 {
        text += &format!("[privilege.agents.a{n}]\ntools = [\"t{n}_*\", \"r{n}_*\"]\n");
    }
    let limits = Limits {
        work: 1_000_000,
        ..Limits::default()
    };
    let found = explore(&policy(&text), limits);
    assert_eq!((found.cut, found.is_safe()), (None, true));
    let callable = found.classes.iter().find(|class| class.never.is_none());
    let like = |class: &ClassRow| class.tools.iter().filter(|t| t.kind == Kind::Glob).count();
    assert_eq!(callable.map(like), Some(100));
}

/// 300 pairs of labels that have nothing in common are 601 classes: every state costs a few hundred, not the
/// 180,000 of every pair for every class.
#[test]
fn many_pairs_take_little_for_each_call() {
    let mut text = String::new();
    for n in 0..300 {
        text += &format!("[[labels]]\ntools = [\"p{n}_*\"]\nlabel = \"l{n}\"\n");
        text += &format!("[[labels]]\ntools = [\"q{n}_*\"]\nlabel = \"m{n}\"\n");
    }
    let pairs = list(300, |n| format!("[\"l{n}\", \"m{n}\"]"));
    text += &format!("[dcbf.barriers.safety]\nwindow = 6\npairs = [{pairs}]\n");
    let policy = policy(&text);
    let limits = Limits {
        work: 100_000_000,
        ..NEAR
    };
    let found = explore(&policy, limits);
    assert!(!ran_out(&found), "{:?}", found.cut);
    assert!(found.transitions >= 1_900, "{}", found.transitions);
    assert!(
        doubts_near(&policy, NEAR).is_empty(),
        "any other tool is free"
    );
}

/// A thousand contracts that count their own tool: a call is held against its own contract alone, and what
/// is left of a state is what was called. Any other tool is free, so that no deadlock has to be looked for.
#[test]
fn many_contracts_take_little_for_each_call() {
    let mut text = String::new();
    for n in 0..1_000 {
        text += &format!("[[contracts]]\ntools = [\"c{n}\"]\nrequire = \"count('c{n}') < 5\"\n");
    }
    let policy = policy(&text);
    let found = explore(&policy, NEAR);
    assert_eq!(found.cut, Some(Cut::States(NEAR.states)));
    assert!(found.free.is_some() && !found.is_safe());
    let little = Limits {
        work: 2_000_000,
        ..NEAR
    };
    assert!(doubts_near(&policy, little).is_empty());
}

/// Names that begin by one of 300 globs and end by one of 300 others have 90,000 sets of globs. The work
/// ends that, and nothing is claimed then: a name that was left out may be admitted where all others are
/// refused.
#[test]
fn globs_that_share_names_are_cut_off_in_the_open() {
    let mut text = format!(
        "[gates]\nallow = [{}]\n",
        list(300, |n| format!("\"a{n}_*\""))
    );
    for n in 0..300 {
        text += &format!("[[contracts]]\ntools = [\"*_x{n}\"]\nrequire = \"false\"\n");
    }
    text += "[dcbf.barriers.own]\nexpr = '5 - count(\"a*\")'\n";
    let policy = policy(&text);
    let found = explore(&policy, NEAR);
    assert!(matches!(found.cut, Some(Cut::Names(_))), "{:?}", found.cut);
    assert!(!found.is_safe() && found.deadlock.is_none() && found.deadlocks == 0);
    let told = |left: &Uncovered| left.why.contains("left out");
    assert!(found.uncovered.iter().any(told));
    let open = |row: &ClassRow| row.never.is_some() || (row.more.is_none() && row.lost.is_none());
    assert!(found.classes.iter().all(open));
    for doubts in [found.warnings(&policy), doubts_near(&policy, NEAR)] {
        let codes: Vec<&str> = doubts.iter().map(|doubt| doubt.code).collect();
        assert_eq!(codes, [UNKNOWN]);
    }
}

/// Whatever the limit, an exploration is cut off and claims nothing that one without would not, or it is the
/// same.
#[test]
fn every_limit_of_work_ends_it_in_the_open() {
    let text = "[[contracts]]\ntools = [\"send_email\"]\nrequire = 'count(\"sql_query\") < 3'\n";
    let policy = policy(text);
    let whole = explore(&policy, Limits::default());
    let (mut cut, mut same) = (0, 0);
    for power in 0..30 {
        let limits = Limits {
            work: 1 << power,
            ..Limits::default()
        };
        let found = explore(&policy, limits);
        if found == whole {
            same += 1;
            continue;
        }
        cut += 1;
        assert!(same == 0, "more work never finds less");
        if found.cut.is_none() {
            // What is not counted is told.
            let told = |left: &Uncovered| left.what.starts_with("how many calls");
            assert!(found.uncovered.iter().any(told), "{power}");
            continue;
        }
        assert!(ran_out(&found) && !found.is_safe() && found.deadlock.is_none());
        assert!(found.warnings(&policy).iter().any(|w| w.code == UNKNOWN));
        let claims = found.classes.iter().filter(|row| row.never.is_none());
        let mut claims = claims.enumerate().filter(|(at, _)| found.free != Some(*at));
        assert!(claims.all(|(_, row)| row.more.is_none() && row.lost.is_none()));
    }
    assert!(cut > 10 && same > 3, "{cut} {same}");
}

/// States that are not kept are made anew from the paths to them, and nothing else changes.
#[test]
fn states_that_are_made_anew_are_the_same() {
    let policy = policy("[dcbf.barriers.own]\nexpr = '3 - count(\"file_read\")'\n");
    let mut meter = Meter::new(NEAR.work);
    let explorer = Explorer::new(&policy, &Start::default(), &mut meter);
    let mut graph = |kept| graph::build_keeping(&explorer, NEAR, &mut meter, kept);
    let (kept, made) = (graph(usize::MAX), graph(0));
    assert_eq!(kept.nodes.len(), made.nodes.len());
    assert!(kept.nodes.len() > 100);
    for at in 0..kept.nodes.len() {
        let ends = |graph: &graph::Graph| -> Vec<(Step, usize)> {
            let edges = graph.edges(at).iter();
            edges.map(|edge| (edge.step, edge.to)).collect()
        };
        assert_eq!(ends(&kept), ends(&made), "{at}");
    }
}

/// The limit of work is for policies out of the ordinary alone.
#[test]
fn no_built_in_policy_runs_out_of_work() {
    for preset in PRESETS {
        let policy = Policy::preset(preset.id).expect(preset.id);
        assert!(!ran_out(&explore(&policy, NEAR)), "{}", preset.id);
        let doubts = doubts_near(&policy, NEAR);
        assert!(
            doubts.iter().all(|doubt| doubt.code != UNKNOWN),
            "{}",
            preset.id
        );
    }
}

/// Loops within each other make a short condition a long evaluation: that is counted before it is done, so
/// that few states are looked at, and not even the start where one evaluation is too much.
#[test]
fn what_a_condition_comes_to_is_counted_before_it_is_evaluated() {
    let loops = |depth: usize| {
        let names = ["x", "y", "z", "w", "v", "u"];
        let inner = "count('a') >= 0".to_owned();
        names.iter().take(depth).fold(inner, |inner, name| {
            format!("[1, 2, 3, 4, 5, 6, 7, 8, 9].all({name}, {inner})")
        })
    };
    let contract = |depth| {
        format!(
            "[[contracts]]\ntools = [\"*\"]\nrequire = \"{}\"\n",
            loops(depth)
        )
    };
    let barrier = |depth| {
        format!(
            "[dcbf.barriers.c]\nexpr = \"{} ? 1.0 : -1.0\"\n",
            loops(depth)
        )
    };
    for (text, most) in [
        (contract(3), 100),
        (contract(4), 20),
        (barrier(3), 100),
        (barrier(4), 20),
        (barrier(6), 0),
    ] {
        let policy = policy(&text);
        let found = explore(&policy, NEAR);
        assert_eq!(found.cut, Some(Cut::Work(NEAR.work)), "{text}");
        assert!(found.states <= most, "{} {text}", found.states);
        assert!(found.deadlock.is_none() && found.free.is_none() && !found.is_safe());
        let doubts = doubts_near(&policy, NEAR);
        assert_eq!(doubts.iter().map(|d| d.code).collect::<Vec<_>>(), [UNKNOWN]);
    }
    assert!(explore(&policy(&barrier(6)), NEAR).attained.is_empty());
    let policy = policy(&contract(1));
    assert!(!ran_out(&explore(&policy, Limits::default())));
}

/// A window takes the work of the calls that are in it, however long it is.
#[test]
fn long_windows_take_no_work_for_calls_that_were_not_made() {
    let states = |text: &str| {
        let found = explore(&policy(text), NEAR);
        assert_eq!(found.cut, None, "{text}");
        (found.states, found.transitions, found.more)
    };
    let window = |n: u64| format!("[dcbf.barriers.safety]\nwindow = {n}\n");
    let fifty = states(&window(50));
    assert!(fifty.0 < 50, "{fifty:?}");
    for longer in [51, 1_000, 1_000_000] {
        assert_eq!(states(&window(longer)), fifty);
    }
    let budgets = "[dcbf.barriers.privacy]\nbudget = 1000000\nper_call = 100000\n\
        [dfa]\nmax_steps = 100000000\n[dcbf.barriers.stability]\nstep_budget = 100000000\n";
    states(&format!("{budgets}{}", window(100_000)));
}

/// A window as long as the run forgets no call of it: one that is longer is the same. Calls that were there
/// at the start leave it sooner, where they stand in a pair.
#[test]
fn a_window_as_long_as_the_run_forgets_nothing() {
    let near = |window: u64, tools: &[&str]| {
        let text = format!("[dfa]\nmax_steps = 9\n[dcbf.barriers.safety]\nwindow = {window}\n");
        let policy = policy(&text);
        let mut table = crate::policy::matcher::NameTable::default();
        let mut start = Start::default();
        for tool in tools {
            let names = table.intern(&policy.matchers, tool, &[]);
            start.state.history.push(&policy, &names, false);
        }
        explore_from(&policy, &start, NEAR)
    };
    for (tools, enough) in [
        (&[][..], 9),
        (&["ls", "ls"], 9),
        (&["sql_query"], 10),
        (&["sql_query", "ls", "ls"], 12),
    ] {
        let whole = near(enough, tools);
        assert_eq!(near(enough + 1, tools), whole, "{tools:?}");
        assert_eq!(near(enough + 40, tools), whole, "{tools:?}");
        assert!(
            near(enough - 1, tools).states > 2 * whole.states,
            "{tools:?}"
        );
    }
}
