//! What is found by states that stand for others, held against what is found without: every sequence
//! of calls, one after the other, through the barriers themselves.

use super::*;
use crate::barriers;
use crate::policy::matcher::NameTable;
use crate::policy::{PolicySource, parse};
use crate::state::RunView;
use std::collections::HashSet;
use std::sync::Arc;

fn policy(text: &str) -> Policy {
    let nothing = |_: &str| Err("there are no files".to_owned());
    parse(text, "test", PolicySource::BuiltIn, &nothing).expect(text)
}

fn reach(text: &str) -> Reach {
    explore(&policy(text), Limits::default())
}

fn called<'r>(reach: &'r Reach, tool: &str) -> &'r ClassRow {
    let named = |row: &&ClassRow| {
        row.tools
            .iter()
            .any(|t| t.labels.is_empty() && t.names == [tool])
    };
    reach.classes.iter().find(named).expect(tool)
}

fn path(reach: &Reach, path: &[Step]) -> Vec<String> {
    let steps = path.iter().map(|step| {
        let tool = &reach.classes[step.class].tools[0];
        let name = tool.names.first().cloned().unwrap_or_else(|| "*".into());
        if step.failed {
            format!("{name}!")
        } else {
            name
        }
    });
    steps.collect()
}

#[test]
fn the_default_policy_is_safe_and_never_stuck() {
    let found = reach("");
    assert!(found.is_safe() && found.deadlock.is_none(), "{found:?}");
    assert_eq!(found.classes.len(), 7, "six tools of pairs, and any other");
    assert_eq!(found.more, Some(More::Calls(50)));
    let mail = called(&found, "send_email");
    assert_eq!(mail.more, Some(More::Calls(2)));
    let lost = mail.lost.as_ref().expect("the privacy budget ends");
    assert_eq!(lost.path.len(), 2);
    assert_eq!(lost.by.names, ["privacy"]);
    assert_eq!(
        called(&found, "sql_query").lost,
        None,
        "a pair leaves the window"
    );
    assert_eq!(called(&found, "sql_query").more, Some(More::Calls(50)));
    let steps: Vec<_> = found.steps.by.iter().map(|by| by.stage).collect();
    assert_eq!(steps, ["dfa", "dcbf"], "both budgets are 50 steps");
}

/// Every word of at most seven letters over four tools, admitted letter by letter: a call that a barrier
/// refuses does not happen. The average of the barriers decides nothing, and no state that is reached
/// breaks any of them.
#[test]
fn no_sequence_of_seven_calls_leaves_the_safe_set() {
    let policy = policy("");
    let mut table = NameTable::default();
    let tools = ["sql_query", "http_request", "file_read", "send_email"];
    let names = tools.map(|tool| table.intern(&policy.matchers, tool, &[]));
    let (mut sequences, mut refused) = (0, 0);
    let mut pending = vec![(0, AgentState::default())];
    while let Some((length, state)) = pending.pop() {
        if length == 7 {
            continue;
        }
        for call in &names {
            sequences += 1;
            let current = state.view(RunView::default());
            let appended = [Arc::clone(call)];
            let next = barriers::simulate(&current, &appended, policy.dcbf.per_call_cost);
            let check = barriers::check(&policy, &current, Some(&next));
            let mut after = state.clone();
            if check.refusing().is_empty() {
                after.history.push(&policy, call, false);
                after.step_count += 1;
                after.cost = next.cost;
            } else {
                refused += 1;
            }
            let values = barriers::values(&policy, &after.view(RunView::default()));
            assert!(barriers::negative(&values).is_empty(), "{values:?}");
            pending.push((length + 1, after));
        }
    }
    assert_eq!(sequences, 21_844, "4 + 16 + .. + 4^7");
    assert!(refused > 0);
}

/// 200 tools, three pairs that share a tool, and two of the four tools of pairs outbound: 5 classes.
///
/// 527 states are the words of the last four calls over those four tools and a blank for every other
/// call and for those before the first, each with the outbound calls so far, as far as admitted calls
/// lead to them. Steps and cost are kept apart. They are counted here by strings. The exploration takes
/// more of them for one: three of the tools stand in a pair with the same tool, so that none is told from
/// the others in a window, and only the latest call of them counts.
#[test]
fn two_hundred_tools_and_three_pairs() {
    let text = r#"
        [dcbf.barriers.safety]
        pairs = [["http_request", "sql_query"], ["http_request", "file_read"], ["http_request", "send_email"]]
        [dcbf.barriers.privacy]
        outbound = ["http_request", "send_email"]
    "#;
    let start = Start {
        tools: (0..196).map(|n| format!("tool_{n}")).collect(),
        ..Start::default()
    };
    let found = explore_from(&policy(text), &start, Limits::default());
    assert_eq!(found.classes.len(), 5);
    let tools: usize = found.classes.iter().map(|row| row.tools.len()).sum();
    assert_eq!(tools, 201, "and any other tool");
    assert!(found.is_safe() && found.deadlock.is_none());

    // `h` may not stand with any of `s`, `f` and `m`; `h` and `m` are outbound.
    let mut words: HashSet<(String, usize)> = HashSet::from([("____".to_owned(), 0)]);
    let mut pending: Vec<(String, usize)> = words.iter().cloned().collect();
    while let Some((word, sent)) = pending.pop() {
        for call in ["h", "s", "f", "m", "_"] {
            let met = match call {
                "h" => word.contains(['s', 'f', 'm']),
                "_" => false,
                _ => word.contains('h'),
            };
            let sent = sent + usize::from("hm".contains(call));
            let next = (format!("{}{call}", &word[1..]), sent);
            if !met && sent <= 2 && words.insert(next.clone()) {
                pending.push(next);
            }
        }
    }
    assert_eq!(words.len(), 527);
    let folded: HashSet<(String, usize)> = words
        .iter()
        .map(|(word, sent)| (latest(word), *sent))
        .collect();
    assert_eq!((found.states, folded.len()), (23, 23));
}

/// The word with `f` and `m` written as `s`, and every letter blank but the latest of its kind.
fn latest(word: &str) -> String {
    let word = word.replace(['f', 'm'], "s");
    let seen_later = |at: usize, c: char| word[at + 1..].contains(c);
    let letter = |(at, c): (usize, char)| if seen_later(at, c) { '_' } else { c };
    word.char_indices().map(letter).collect()
}

fn no_tool_twice(tools: usize) -> String {
    let names: Vec<String> = (0..tools).map(|n| format!("\"t{n}\"")).collect();
    // A pair of a tool with itself would refuse the first call of it already.
    let twice: Vec<String> = names
        .iter()
        .map(|t| format!("recent({t}, 5) < 2"))
        .collect();
    format!(
        "[gates]\nallow = [{}]\n[dcbf.barriers.safety]\nenabled = false\n[dcbf.barriers.twice]\nexpr = '''({}) ? 1 : -1'''\n",
        names.join(", "),
        twice.join(" && ")
    )
}

#[test]
fn no_tool_twice_in_five_calls_is_stuck_with_four_tools_and_not_with_five() {
    let four = reach(&no_tool_twice(4));
    let deadlock = four.deadlock.as_ref().expect("every tool is in the window");
    assert_eq!(deadlock.path.len(), 4);
    assert_eq!(four.more, Some(More::Calls(4)));
    assert_eq!(deadlock.refusals.len(), four.classes.len());
    let by: Vec<_> = deadlock
        .refusals
        .iter()
        .map(|r| (r.stage, r.names.join(",")))
        .collect();
    assert_eq!(by[0], ("dcbf", "twice".to_owned()));
    assert_eq!(by[4], ("gates", String::new()), "any other tool");
    let five = reach(&no_tool_twice(5));
    assert!(five.deadlock.is_none() && five.is_safe());
    assert_eq!(five.more, Some(More::Calls(50)));
}

/// A cycle of pairs closes the world: whatever was called, the tools that are left stand in a pair with
/// it.
#[test]
fn pairs_alone_can_lead_nowhere_where_no_tool_is_free() {
    let text = r#"
        [gates]
        allow = ["a", "b"]
        [dcbf.barriers.safety]
        pairs = [["a", "b"], ["b", "b"]]
    "#;
    let found = reach(text);
    let b = called(&found, "b");
    assert_eq!(b.more, Some(More::Calls(0)));
    assert_eq!(b.lost.as_ref().map(|lost| lost.path.len()), Some(0));
    assert!(found.deadlock.is_none(), "`a` goes on for ever");
    let found = reach(&text.replace("\"b\", \"b\"]", "\"a\", \"a\"], [\"b\", \"b\"]"));
    assert_eq!(found.deadlock.map(|d| d.path.len()), Some(0));
}

#[test]
fn a_state_from_which_outbound_calls_are_lost() {
    let found = reach("[dcbf.barriers.privacy]\nkappa = 0.3\n");
    let mail = called(&found, "send_email");
    assert_eq!(mail.more, Some(More::Calls(0)));
    let lost = mail.lost.as_ref().expect("kappa below 0.4");
    assert!(lost.path.is_empty());
}

#[test]
fn an_alpha_that_is_not_sound_leads_out() {
    // 0.1 -> -0.1 is admitted where 0.1 * kappa >= 0.2.
    let found = reach("[dcbf.barriers.privacy]\nkappa = 2.5\n");
    let out = found.out.as_ref().expect("the third outbound call");
    assert_eq!(out.path.len(), 3);
    assert_eq!(out.barriers, ["privacy"]);
    // Steps go down by one, and never below zero.
    assert!(reach("[dcbf.barriers.stability]\nkappa = 1.9\n").is_safe());
    // A budget in money is passed by the last call.
    let found =
        reach("[dcbf.barriers.resource]\nkappa = 2.0\nlimit_usd = 0.1\nper_call_cost_usd = 0.04\n");
    let out = found.out.as_ref().expect("0.02 -> -0.02");
    assert_eq!((out.path.len(), &*out.barriers[0]), (3, "resource"));
}

#[test]
fn without_a_look_ahead_one_call_leads_out() {
    let found = reach("[dcbf]\nverify = false\n");
    let out = found.out.as_ref().expect("nothing is simulated");
    assert_eq!(path(&found, &out.path), ["sql_query", "http_request"]);
    assert_eq!(out.barriers, ["safety"]);
}

#[test]
fn without_the_stage_of_barriers_none_refuses() {
    let found = reach("[pipeline]\ndisable = [\"dcbf\"]\n");
    assert_eq!(found.classes.len(), 1, "nothing tells tools apart");
    assert_eq!((found.states, found.more), (1, Some(More::Calls(50))));
    assert!(found.uncovered.iter().any(|left| left.what == "barriers"));
}

#[test]
fn budgets_count_together() {
    let found = reach("[dfa]\nmax_steps = 7\n");
    assert_eq!(found.steps.left, More::Calls(7));
    assert_eq!(found.steps.by.len(), 1);
    let found = reach("[dcbf.barriers.resource]\nper_call_cost_usd = 3\n");
    assert_eq!(found.more, Some(More::Calls(3)));
    assert_eq!(found.steps.by[0].names, ["resource"]);
    let unspent =
        "[dcbf]\ncost_accounting = \"none\"\n[dcbf.barriers.resource]\nper_call_cost_usd = 3\n";
    assert_eq!(
        reach(unspent).more,
        Some(More::Calls(50)),
        "nothing adds up"
    );
    let endless = "[pipeline]\ndisable = [\"dfa\"]\n[dcbf.barriers]\nstability.enabled = false\nresource.enabled = false\n";
    assert!(matches!(reach(endless).more, Some(More::AtLeast(_))));
}

#[test]
fn tools_that_nobody_may_call() {
    let text = r#"
        [gates]
        allow = ["read_*", "send_email"]
        [privilege.agents.a]
        deny_tools = ["send_email"]
    "#;
    let found = reach(text);
    let mail = called(&found, "send_email").never.as_ref().map(|r| r.stage);
    assert_eq!(mail, Some("privilege"));
    let sql = called(&found, "sql_query").never.as_ref().map(|r| r.rule);
    assert_eq!(sql, Some("whitelist"));
    let read = found
        .classes
        .iter()
        .find(|row| row.tools[0].kind == Kind::Glob);
    let read = read.expect("a name that `read_*` matches");
    assert_eq!(
        (&read.tools[0].names[..], &read.never),
        (&["read_*".to_owned()][..], &None)
    );
}

#[test]
fn names_that_several_globs_match_are_a_class() {
    let found = reach("[dcbf.barriers.safety]\npairs = [[\"*read*\", \"*send*\"]]\n");
    let both = found
        .classes
        .iter()
        .find(|row| row.tools[0].names.len() == 2);
    let both = both.expect("such as `readsend`");
    assert_eq!(both.more, Some(More::Calls(0)), "a pair by itself");
}

#[test]
fn labels_may_be_there_or_not() {
    let text = r#"
        [[labels]]
        label = "http_request"
        tools = ["Bash"]
        when = 'call.hosts.size() > 0'
        [[labels]]
        label = "sql_query"
        tools = ["psql"]
    "#;
    let found = reach(text);
    let bash = |labels: &[&str]| {
        let tool = |t: &Tool| t.names == ["Bash"] && t.labels == labels;
        found
            .classes
            .iter()
            .position(|row| row.tools.iter().any(tool))
    };
    assert!(bash(&[]).is_some() && bash(&["http_request"]).is_some());
    assert_ne!(bash(&[]), bash(&["http_request"]));
    let psql = |t: &Tool| t.names == ["psql"];
    let rows = found
        .classes
        .iter()
        .filter(|row| row.tools.iter().any(psql));
    assert_eq!(
        rows.count(),
        1,
        "a label without a condition is always there"
    );
    let told = |left: &Uncovered| left.what == "conditions of `labels`";
    assert!(found.uncovered.iter().any(told));
}

#[test]
fn conditions_that_count_are_explored() {
    let text = r#"
        [[contracts]]
        id = "approve"
        tools = ["deploy"]
        require = ['last_ok("approval") && since("approval") <= 3']
        [dcbf.barriers.deploys]
        expr = '2 - count("deploy")'
    "#;
    let found = reach(text);
    assert!(found.cut.is_none() && found.is_safe());
    assert_eq!(called(&found, "deploy").more, Some(More::Calls(2)));
    let lost = called(&found, "deploy").lost.as_ref().expect("two deploys");
    assert_eq!(path(&found, &lost.path), ["approval", "deploy", "deploy"]);
    assert_eq!(lost.by.names, ["deploys"]);
    let uncovered = reach("[dcbf.barriers.own]\nexpr = 'state.tokens < 5 ? 1 : -1'\n").uncovered;
    assert!(uncovered.iter().any(|u| u.what == "barrier `own`"));
    // A result with an error can take a barrier down that no call takes down.
    let found =
        reach("[dcbf.barriers.good]\nexpr = '!seen(\"build\") || last_ok(\"build\") ? 1 : -1'\n");
    let out = found.out.as_ref().expect("a build that fails");
    assert_eq!(path(&found, &out.path), ["build!"]);
}

#[test]
fn what_is_cut_off_claims_nothing() {
    let few = Limits {
        states: 10,
        ..Limits::default()
    };
    let found = explore(&policy(""), few);
    assert_eq!(found.cut, Some(Cut::States(10)));
    assert!(!found.is_safe());
    // Some things do not have to be explored: any other tool is in no pair, and not outbound.
    assert_eq!((found.free, found.more), (Some(6), Some(More::Calls(50))));
    let rest = &found.classes[..6];
    assert!(
        rest.iter()
            .all(|row| row.more.is_none() && row.lost.is_none())
    );
}

#[test]
fn a_start_outside_of_the_safe_set_has_no_way() {
    let policy = policy("");
    let mut table = NameTable::default();
    let mut state = AgentState::default();
    for tool in ["sql_query", "http_request"] {
        state
            .history
            .push(&policy, &table.intern(&policy.matchers, tool, &[]), false);
    }
    let start = Start {
        state,
        ..Start::default()
    };
    let found = explore_from(&policy, &start, Limits::default());
    let out = found.out.expect("it is outside");
    assert!(out.path.is_empty());
    assert_eq!(out.barriers, ["safety"]);
    assert_eq!(found.more, Some(More::Calls(0)));
}
