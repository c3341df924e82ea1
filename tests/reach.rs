//! `gate check --reach` as a user meets it: statuses, faulty states, limits, and what is written as JSON.

mod program;

use gate::policy::{Policy, PolicySource, parse};
use gate::report::check::reach::Document;
use gate::report::json::write;
use gate::verify::reach::{Cut, Kind, Limits, Reach, Step, explore};
use program::Scratch;

fn json(limits: Limits) -> serde_json::Value {
    json_of(&explore(&Policy::built_in(), limits))
}

fn json_of(reach: &Reach) -> serde_json::Value {
    let mut bytes = Vec::new();
    write::append(&Document::new(reach), &mut bytes).expect("memory");
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn what_is_found_is_written() {
    let found = json(Limits::default());
    assert_eq!(found["safe"], true);
    let fifty = serde_json::json!({"calls": 50, "at_least": false});
    assert_eq!((&found["more"], &found["steps"]["left"]), (&fifty, &fifty));
    assert_eq!(found["steps"]["by"][0]["rule"], "max_steps");
    let mail = &found["classes"][3];
    assert_eq!(mail["tools"][0]["names"][0], "send_email");
    assert_eq!(mail["more"]["calls"], 2);
    assert_eq!(mail["lost"]["by"]["names"][0], "privacy");
    assert_eq!(mail["lost"]["path"][1]["failed"], false);
    assert_eq!(found["classes"][6]["tools"][0]["kind"], "other");
}

/// What was cut off says nothing of what was not seen: those fields are null, not false or 0.
#[test]
fn what_is_not_known_is_null() {
    let found = json(Limits {
        states: 3,
        ..Limits::default()
    });
    assert_eq!(
        found["cut"],
        serde_json::json!({"limit": "states", "most": 3})
    );
    for key in ["safe", "deadlock", "out"] {
        assert!(found[key].is_null(), "{key}");
    }
    assert!(found["classes"][0]["more"].is_null());
    assert_eq!(
        found["free"], 6,
        "any other tool, which nothing has to be explored for"
    );
}

/// Pairs that leave no tool free: the first call is always refused.
const STUCK: &str = "[gates]\nallow = [\"a\"]\n[dcbf.barriers.safety]\npairs = [[\"a\", \"a\"]]\n";

#[test]
fn a_deadlock_is_a_warning_with_its_witness() {
    let scratch = Scratch::new();
    scratch.file("stuck.toml", STUCK);
    for flags in ["", "--reach"] {
        let check = format!("check {flags} stuck.toml");
        let ran = scratch.gate(&check).ends(0);
        let told = "reachable_deadlock: at the start every call";
        assert!(ran.out.contains(told), "{}", ran.out);
        let denied = format!("check {flags} --deny-warnings stuck.toml");
        scratch.gate(&denied).ends(1);
    }
    scratch
        .gate("check --reach --deny-warnings default")
        .ends(0);
}

#[test]
fn an_exploration_that_is_cut_off_says_so() {
    let scratch = Scratch::new();
    let ran = scratch.gate("check --reach --max-states 5 default").ends(0);
    for told in [
        "after 5 states: what is not found may be there all the same",
        "not known: no way out was found",
    ] {
        assert!(ran.out.contains(told), "{}", ran.out);
    }
    assert!(!ran.out.contains("keeps every barrier"), "{}", ran.out);
}

#[test]
fn a_state_is_read_strictly() {
    let scratch = Scratch::new();
    for (text, told) in [
        ("{\"steps\": 1}", "state.json:1:2: unknown key `steps`"),
        (
            "{\"phase\": \"OBSERVNG\"}",
            "help: did you mean `OBSERVING`?",
        ),
        ("{\"step_count\":\n -1}", "state.json:2:2: "),
        ("{} {}", "more than one state"),
        ("", "no state"),
        (
            "{\"phase\": \"FOO\"}",
            "unknown phase `FOO`\n  help: phases are",
        ),
        ("[", "state.json:1:2: "),
    ] {
        scratch.file("state.json", text);
        let ran = scratch.gate("check --reach --state state.json default");
        ran.ends(2).says(told);
    }
    scratch
        .gate("check --reach --state nowhere.json default")
        .ends(2)
        .says("nowhere.json");
    scratch
        .gate("check --state state.json default")
        .ends(2)
        .says("--reach");
}

#[test]
fn a_state_in_which_nothing_is_admitted_says_what_refuses() {
    let scratch = Scratch::new();
    scratch.file("over.json", "{\"phase\": \"ANSWERING\"}");
    let ran = scratch
        .gate("check --reach --state over.json default")
        .ends(0);
    let told = "0; the next is refused by the phase of the run";
    assert!(ran.out.contains(told), "{}", ran.out);
    scratch.file(
        "met.json",
        "{\"tool_history\": [\"sql_query\", \"http_request\"], \"step_count\": 2}",
    );
    let ran = scratch
        .gate("check --reach --state met.json default")
        .ends(0);
    let told = "no: `safety` is negative at the start";
    assert!(ran.out.contains(told), "{}", ran.out);
}

/// A call that comes while another is under way is a loop, and may be one too many; a call that comes
/// after an observation is none.
#[test]
fn the_first_call_may_be_a_loop_too_many() {
    let scratch = Scratch::new();
    for (phase, loops, left) in [
        ("ACTING", 10, "0; the next is refused by `dfa.max_loops`"),
        ("ACTING", 9, "50; the next"),
        ("OBSERVING", 11, "50; the next"),
    ] {
        scratch.file(
            "s.json",
            format!("{{\"phase\": \"{phase}\", \"loop_count\": {loops}}}"),
        );
        let ran = scratch.gate("check --reach --state s.json default").ends(0);
        assert!(ran.out.contains(left), "{phase} {loops}\n{}", ran.out);
    }
}

/// An exploration of nothing would say nothing.
#[test]
fn a_limit_of_nothing_is_no_limit() {
    let scratch = Scratch::new();
    for limit in ["--max-states", "--max-work"] {
        let check = format!("check --reach {limit} 0 default");
        scratch.gate(&check).ends(2).says(limit);
    }
    let ran = scratch.gate("check --reach --max-states 1 default").ends(0);
    assert!(ran.out.contains("after 1 state:"), "{}", ran.out);
}

/// A start that is not safe by steps is told as one that is not by calls.
#[test]
fn an_unsafe_start_is_told_alike() {
    let scratch = Scratch::new();
    let calls = "{\"tool_history\": [\"send_email\", \"send_email\", \"send_email\"]}";
    for (state, by) in [
        ("{\"step_count\": 51}", "stability"),
        ("{\"resource_usage\": {\"cost_usd\": 11}}", "resource"),
        (calls, "privacy"),
    ] {
        scratch.file("s.json", state);
        let ran = scratch.gate("check --reach --state s.json default").ends(0);
        for told in [
            "0, and 0 admitted calls",
            "not asked: the start lies outside",
            &format!("from the start, by `{by}`"),
        ] {
            assert!(ran.out.contains(told), "{by}: {told}\n{}", ran.out);
        }
    }
    scratch.file("s.json", "{\"phase\": \"ANSWERING\"}");
    let ran = scratch.gate("check --reach --state s.json default").ends(0);
    for told in ["not asked: no call is left", "from the start, by the phase"] {
        assert!(ran.out.contains(told), "{told}\n{}", ran.out);
    }
}

/// Names are the policy's and the caller's own, and no line of the report is made by them.
#[test]
fn names_make_no_lines() {
    let scratch = Scratch::new();
    let mut command = scratch.command("check --reach --tools");
    let ran = command
        .arg("a\n[gates]\u{1b}[2J")
        .arg("default")
        .output()
        .expect("it runs");
    let out = String::from_utf8(ran.stdout).expect("UTF-8");
    assert!(out.contains("a\\u{a}[gates]\\u{1b}[2J"), "{out}");
    assert!(!out.contains('\u{1b}'));
}

fn explored(policy: &str) -> Reach {
    let nothing = |_: &str| Err("there are no files".to_owned());
    let policy = parse(policy, "test", PolicySource::BuiltIn, &nothing).expect(policy);
    explore(&policy, Limits::default())
}

/// What a replay says of a path with a call of another class behind it: `tool decision stage.rule`.
fn replayed(policy: &str, reach: &Reach, path: &[Step], then: usize) -> Vec<String> {
    let last = Step {
        class: then,
        failed: false,
    };
    let mut trace = String::new();
    for step in path.iter().chain([&last]) {
        let tool = &reach.classes[step.class].tools[0];
        let name = match tool.kind {
            Kind::Other => "something_else",
            _ => &tool.names[0],
        };
        trace += &format!(
            "{{\"type\":\"tool_call\",\"run\":\"r\",\"tool\":\"{name}\",\"result\":\"\",\"error\":{},\"cost_usd\":0.01}}\n",
            step.failed
        );
    }
    program::replay(trace, policy, "").decisions()
}

/// What is found can be looked at: a replay admits every call of a way that is told, and refuses what is
/// said to be refused at its end.
#[test]
fn a_replay_goes_the_ways_that_are_told() {
    let stuck = std::fs::read_to_string("fixtures/lab/stuck.toml").expect("a fixture");
    let leads_out = std::fs::read_to_string("fixtures/lab/leads_out.toml").expect("a fixture");
    let approved = r#"
        [[contracts]]
        tools = ["deploy"]
        require = ['last_ok("approval") && since("approval") <= 1']
        [dcbf.barriers.deploys]
        expr = '1 - count("deploy")'
    "#;
    let (mut ways, mut refusals) = (0, 0);
    for policy in ["", &stuck, &leads_out, approved] {
        let found = explored(policy);
        let mut ends: Vec<(&[Step], usize)> = Vec::new();
        for (index, row) in found.classes.iter().enumerate() {
            ends.extend(found.deadlock.iter().map(|dead| (&*dead.path, index)));
            ends.extend(found.out.iter().map(|out| (&*out.path, index)));
            ends.extend(row.lost.iter().map(|lost| (&*lost.path, index)));
        }
        for (path, class) in ends {
            let mut said = replayed(policy, &found, path, class);
            let last = said.pop().expect("the last call");
            assert!(!last.contains(" allow"), "{last} in\n{policy}");
            assert_eq!(said.len(), path.len());
            for call in said {
                assert!(call.contains(" allow"), "{call} in\n{policy}");
                ways += 1;
            }
            refusals += 1;
        }
    }
    assert!(ways > 20 && refusals > 10, "{ways} {refusals}");
}

/// `N more calls` are admitted, and not one more.
#[test]
fn a_replay_admits_as_many_calls_as_are_told() {
    let policy = "[dcbf.barriers.stability]\nstep_budget = 9\n";
    let found = explored(policy);
    let other = found.classes.len() - 1;
    let call = Step {
        class: other,
        failed: false,
    };
    let said = replayed(policy, &found, &[call; 9], other);
    assert_eq!(found.more, Some(gate::verify::reach::More::Calls(9)));
    let allowed = said.iter().filter(|call| call.contains(" allow")).count();
    assert_eq!((allowed, said.len()), (9, 10));
}

/// Work ends an exploration as the number of states does, in the same words; what was not looked at is no
/// finding of the policy, but keeps `--deny-warnings` from passing it.
#[test]
fn an_exploration_that_runs_out_of_work_is_no_clean_one() {
    let limits = Limits {
        work: 20_000,
        ..Limits::default()
    };
    let found = json(limits);
    let cut = serde_json::json!({"limit": "work", "most": 20_000});
    assert_eq!(found["cut"], cut);
    assert!(found["safe"].is_null() && found["deadlock"].is_null());
    let scratch = Scratch::new();
    for limit in ["--max-work 20000", "--max-states 5"] {
        let check = format!("check --reach {limit} default");
        let ran = scratch.gate(&check).ends(0);
        for told in [
            "reachable_unknown",
            "would not let pass",
            "not known: no way out",
        ] {
            assert!(ran.out.contains(told), "{}", ran.out);
        }
        scratch.gate(&format!("{check} --deny-warnings")).ends(1);
    }
}

/// Whatever an exploration that was cut off claims is so where it is not.
#[test]
fn what_is_cut_off_contradicts_nothing() {
    let mut cuts = 0;
    let fixture = |name| std::fs::read_to_string(format!("fixtures/lab/{name}")).expect(name);
    let unsafe_at_once = "[dcbf.barriers.safety]\nmargin = 1.5\n".to_owned();
    for text in [
        fixture("stuck.toml"),
        fixture("leads_out.toml"),
        fixture("coverage.toml"),
        fixture("dead_rules.toml"),
        fixture("explain.toml"),
        fixture("halved.toml"),
        fixture("kappa.toml"),
        fixture("no_barriers.toml"),
        STUCK.to_owned(),
        unsafe_at_once,
    ] {
        let nothing = |_: &str| Err("there are no files".to_owned());
        let Ok(policy) = parse(&text, "test", PolicySource::BuiltIn, &nothing) else {
            panic!("{text}");
        };
        let whole = explore(&policy, Limits::default());
        assert_eq!(whole.cut, None, "{text}");
        for states in 0..=30 {
            let limits = Limits {
                states,
                ..Limits::default()
            };
            let cut = explore(&policy, limits);
            if cut.cut.is_none() {
                assert_eq!(cut, whole);
                continue;
            }
            cuts += 1;
            assert!(!cut.is_safe() && cut.states <= states);
            // The way out that is found first is the nearest; so is the deadlock.
            let length = |path: Option<&Vec<Step>>| path.map(Vec::len);
            let out = |reach: &Reach| length(reach.out.as_ref().map(|out| &out.path));
            let dead = |reach: &Reach| length(reach.deadlock.as_ref().map(|dead| &dead.path));
            assert!(cut.out.is_none() || out(&cut) == out(&whole), "{text}");
            assert!(cut.deadlock.is_none() || dead(&cut) == dead(&whole));
            assert!(cut.deadlocks <= whole.deadlocks);
            assert!(cut.free.is_none() || whole.deadlocks == 0);
            assert!(cut.more.is_none() || cut.more == whole.more, "{text}");
            for (row, all) in cut.classes.iter().zip(&whole.classes) {
                assert_eq!((&row.tools, &row.never), (&all.tools, &all.never));
                assert!(row.more.is_none() || row.more == all.more, "{text}");
                assert!(row.lost.is_none() || row.lost == all.lost, "{text}");
            }
            for own in &cut.attained {
                let all = whole.attained(&own.barrier).expect("it is there too");
                assert!(all.least <= own.least && own.most <= all.most);
            }
            let told = json_of(&cut);
            assert_eq!(told["safe"].is_null(), cut.out.is_none());
        }
    }
    assert!(cuts > 100, "{cuts}");
}

/// A budget of steps that no call takes below zero, by the values it has, is followed no farther than it has to
/// be: alpha exceeds h at the top, and the last step, from 0.5 to -0.5, is refused.
#[test]
fn a_long_budget_of_steps_cuts_nothing_off() {
    let long = |kappa: &str| {
        explored(&format!(
            "[dfa]\nmax_steps = 1000000\n[dcbf.barriers.stability]\nstep_budget = 150000\nmargin = 0.5\n\
             kappa = {kappa}\n[dcbf.barriers.resource]\nenabled = false\n"
        ))
    };
    let kept = long("1.5");
    assert_eq!((kept.cut, kept.is_safe()), (None, true));
    assert_eq!(
        kept.more.map(|more| more.told()).as_deref(),
        Some("at least 100000")
    );
    assert!(!long("2.5").is_safe(), "the last step is admitted");
    // New states may come behind the calls that were counted.
    let off = "safety.enabled = false\nprivacy.enabled = false\nresource.enabled = false\n";
    let far = explored(&format!(
        "[dfa]\nmax_steps = 1000000\n[dcbf.barriers]\n{off}stability.step_budget = 150000\n\
         [dcbf.barriers.c]\nkappa = 3\nexpr = '100500.5 - double(count(\"x\"))'\n"
    ));
    assert_eq!(far.cut, Some(Cut::Calls(100_000)));
    assert!(!far.is_safe() && far.out.is_none());
}
