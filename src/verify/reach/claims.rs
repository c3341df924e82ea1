//! What is said of states that are not safe, of those that were not looked at, and of what refuses for ever.

use super::*;
use crate::policy::{PolicySource, parse};
use crate::trace::money::Nano;

fn policy(text: &str) -> Policy {
    let nothing = |_: &str| Err("there are no files".to_owned());
    parse(text, "test", PolicySource::BuiltIn, &nothing).expect(text)
}

fn reach(text: &str) -> Reach {
    explore(&policy(text), Limits::default())
}

fn lost<'r>(reach: &'r Reach, tool: &str) -> &'r Lost {
    let named = |row: &&ClassRow| row.tools.iter().any(|own| own.names == [tool]);
    let row = reach.classes.iter().find(named).expect(tool);
    row.lost.as_ref().expect(tool)
}

/// A start that is not safe is told alike, whether by calls, by steps or by money.
#[test]
fn whatever_makes_a_start_unsafe_refuses_everything() {
    let policy = policy("");
    let steps = AgentState {
        step_count: 51,
        ..AgentState::default()
    };
    let money = AgentState {
        cost: Nano(11_000_000_000),
        ..AgentState::default()
    };
    let mut sent = AgentState::default();
    let mut table = crate::policy::matcher::NameTable::default();
    let mail = table.intern(&policy.matchers, "send_email", &[]);
    for _ in 0..3 {
        sent.history.push(&policy, &mail, false);
    }
    for (state, by) in [(steps, "stability"), (money, "resource"), (sent, "privacy")] {
        let start = Start {
            state,
            ..Start::default()
        };
        for states in [0, 1, 200_000] {
            let limits = Limits {
                states,
                ..Limits::default()
            };
            let found = explore_from(&policy, &start, limits);
            assert!(found.starts_outside() && !found.is_safe(), "{by}");
            assert_eq!(found.out.as_ref().map(|out| &*out.barriers[0]), Some(by));
            assert_eq!((found.states, found.transitions, found.free), (0, 0, None));
            assert_eq!(found.more, Some(More::Calls(0)));
            for row in &found.classes {
                let lost = row.lost.as_ref().expect(by);
                assert_eq!((lost.path.len(), &*lost.by.names[0]), (0, by));
                assert_eq!(row.more, Some(More::Calls(0)));
            }
        }
    }
}

/// Where no call is left from the start on, each class is refused from the start on.
#[test]
fn a_run_that_is_over_admits_nothing() {
    let state = AgentState {
        step_count: 50,
        ..AgentState::default()
    };
    let start = Start {
        state,
        ..Start::default()
    };
    let found = explore_from(&policy(""), &start, Limits::default());
    assert!(found.is_safe() && found.deadlock.is_none());
    let by = |row: &ClassRow| row.lost.as_ref().map(|lost| lost.by.rule);
    assert!(found.classes.iter().all(|row| by(row) == Some("max_steps")));
}

/// Nothing was looked at, so that nothing is known but what the rules say by themselves.
#[test]
fn no_states_claim_nothing() {
    let limits = Limits {
        states: 0,
        ..Limits::default()
    };
    let found = explore(&policy(""), limits);
    assert!(found.cut.is_some() && !found.is_safe() && !found.starts_outside());
    assert!(found.attained.is_empty());
    assert!(found.classes.iter().all(|row| row.lost.is_none()));
}

/// Outside of the safe set every call is refused: a way there loses every class that was not lost before.
#[test]
fn a_way_out_loses_every_class() {
    let found = reach("[dcbf.barriers.privacy]\nkappa = 2.5\n");
    assert_eq!((found.transitions, found.exits), (3_195, 426));
    for row in &found.classes {
        let lost = row.lost.as_ref().expect("the third outbound call");
        assert_eq!((lost.path.len(), lost.by.rule), (3, "outside_safe_set"));
        assert_eq!(lost.by.names, ["privacy"]);
    }
    // By steps, without a look ahead and with one; by money.
    let off = "[dcbf.barriers]\nprivacy.enabled = false\nsafety.enabled = false\n";
    for (own, calls, by) in [
        ("[dcbf]\nverify = false\nSTEPS = 3", 4, "stability"),
        (
            "STEPS = 3\nstability.margin = 0.5\nstability.kappa = 3",
            3,
            "stability",
        ),
        (
            "resource.limit_usd = 0.05\nresource.per_call_cost_usd = 0.02\nresource.kappa = 3",
            3,
            "resource",
        ),
    ] {
        let own = own.replace("STEPS", "stability.step_budget");
        let text = match own.strip_prefix("[dcbf]\nverify = false\n") {
            Some(rest) => format!("[dcbf]\nverify = false\n{off}{rest}\n"),
            None => format!("{off}{own}\n"),
        };
        let found = reach(&text);
        let lost = found.classes[0].lost.as_ref().expect(by);
        assert_eq!((lost.path.len(), &*lost.by.names[0]), (calls, by), "{text}");
    }
    // What is lost before that stays lost there.
    let text = "[dcbf.barriers.own]\nkappa = 3\nmargin = 0.5\nexpr = '9 - state.step_count'\n";
    let found = reach(text);
    assert_eq!(lost(&found, "send_email").by.names, ["privacy"]);
    assert_eq!(lost(&found, "send_email").path.len(), 2);
    let other = found.classes.last().and_then(|row| row.lost.as_ref());
    let other = other.expect("nine calls");
    assert_eq!((other.path.len(), &*other.by.names[0]), (9, "own"));
}

/// A pair leaves the window, a budget of outbound calls does not come back: only that refuses for ever, and
/// of a window that outlasts the run both do.
#[test]
fn what_passes_does_not_refuse_for_ever() {
    let text = "[dcbf.barriers.privacy]\noutbound = [\"a\", \"b\"]\n[dcbf.barriers.safety]\npairs = [[\"a\", \"b\"]]\n";
    let found = reach(text);
    assert_eq!(lost(&found, "b").by.names, ["privacy"]);
    assert!(!lost(&found, "b").changes);
    let short = reach(&format!("[dfa]\nmax_steps = 4\n{text}"));
    assert!(lost(&short, "b").by.names.contains(&"safety".to_owned()));
}

/// Two rules that take turns: each passes, and still no call is admitted.
#[test]
fn what_takes_turns_is_told() {
    let text = r#"
        [gates]
        allow = ["a", "b"]
        [[contracts]]
        id = "even"
        tools = ["b"]
        require = ['recent("a", 1) == 0']
        [[contracts]]
        id = "odd"
        tools = ["b"]
        require = ['recent("a", 1) == 1']
    "#;
    let found = reach(text);
    let b = lost(&found, "b");
    assert!(b.path.is_empty() && b.changes);
    assert_eq!(b.by.names, ["odd"], "no call was `a` yet");
}

#[test]
fn one_is_one() {
    assert_eq!(Cut::States(1).told(), "after 1 state");
    assert_eq!(Cut::Transitions(1).told(), "after 1 call between states");
    assert_eq!(Cut::Work(1).told(), "after 1 step of work");
    assert_eq!(Cut::States(2).told(), "after 2 states");
    let names = "with 1 name or set of labels, and others left out";
    assert_eq!(Cut::Names(1).told(), names);
}

/// The values of a condition are those that it has in a run, not those that it might have.
#[test]
fn what_a_barrier_attains() {
    let found = reach("[dcbf.barriers.c]\nkappa = 2\nexpr = 'seen(\"a\") ? -1.0 : 0.5'\n");
    let c = found.attained("c").expect("it is explored");
    assert_eq!((c.least, c.most), (0.5, 0.5), "the call of `a` is refused");
    assert_eq!(found.attained("stability"), None, "a budget");
    let found = reach("[dcbf.barriers.c]\nexpr = '3 - count(\"a\")'\nmargin = 0.5\n");
    let c = found.attained("c").expect("it is explored");
    assert_eq!((c.least, c.most), (0.5, 2.5));
    // The state behind a way out counts.
    let found = reach("[dcbf.barriers.privacy]\nkappa = 2.5\n");
    let privacy = found.attained("privacy").expect("it is explored");
    assert!((privacy.least + 0.1).abs() < 1e-9 && (privacy.most - 0.5).abs() < 1e-9);
}

/// A budget that lasts longer than calls are counted may end below zero: that is not known, unless its alpha
/// keeps it from that.
#[test]
fn budgets_that_outlast_counting_are_no_proof() {
    let long = "[dfa]\nmax_steps = 1000000\n[dcbf.barriers.resource]\nenabled = false\n[dcbf.barriers.stability]\nstep_budget = 300000\n";
    let found = reach(long);
    assert!(found.is_safe() && found.cut.is_none());
    let found = reach(&format!("{long}margin = 0.5\nkappa = 3\n"));
    assert_eq!(
        (found.cut, found.out.is_some()),
        (Some(Cut::Calls(100_000)), false)
    );
    assert!(!found.is_safe());
}
