//! Reading states files: shapes, pairing, and what is refused with its line and column.

use gate::state::Phase;
use gate::trace::fault::Notice;
use gate::trace::json;
use gate::trace::money::Nano;
use gate::verify::states::{Pairing, StatesFile, is_states_file};

fn read(text: &str) -> StatesFile<'_> {
    StatesFile::read(text.as_bytes(), 0, Pairing::Zip).expect(text)
}

/// The first fault, whether it makes the file unusable or costs one transition.
fn fault(text: &str) -> Box<Notice> {
    match StatesFile::read(text.as_bytes(), 0, Pairing::Zip) {
        Err(fault) => fault,
        Ok(file) => {
            let mut faults = file.notices.into_iter().filter(|n| n.kind.is_fault());
            Box::new(faults.next().expect(text))
        }
    }
}

/// Index, steps of the state, tool of the action and line of every transition.
fn rows(file: &StatesFile<'_>) -> Vec<(u64, u64, String, u64)> {
    file.transitions()
        .map(|t| {
            let tool = t.action.call.tool.to_string();
            (t.index, t.state.steps(), tool, t.line)
        })
        .collect()
}

#[test]
fn every_shape_gives_the_same_transitions() {
    let expected = [(0, 1, "a".to_string()), (1, 2, "b".to_string())];
    for text in [
        r#"{"states":[{"step_count":1},{"step_count":2}],"actions":["a",{"tool":"b"}]}"#,
        r#"{"transitions":[{"state":{"step_count":1},"action":"a"},{"state":{"step_count":2},"action":"b"}]}"#,
        r#"[{"state":{"step_count":1},"action":"a"},{"state":{"step_count":2},"action":{"name":"b"}}]"#,
        "{\"state\":{\"step_count\":1},\"action\":\"a\"}\r\n\r\n{\"state\":{\"step_count\":2},\"action\":\"b\"}\r\n",
        "\u{feff}[{\"state\":{\"step_count\":1},\"action\":\"a\"},{\"state\":{\"step_count\":2.0},\"action\":{\"tool_name\":\"b\"}}]",
    ] {
        let file = read(text);
        let found: Vec<_> = rows(&file).into_iter().map(|r| (r.0, r.1, r.2)).collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!((file.len(), file.is_empty()), (2, false));
    }
}

#[test]
fn states_that_do_not_follow_each_other_are_told() {
    let told = |counts: &[&str], pairing| {
        let states: Vec<_> = counts
            .iter()
            .map(|n| match *n {
                "" => "{}".to_owned(),
                n => format!("{{\"step_count\":{n}}}"),
            })
            .collect();
        let text = format!(
            "{{\"states\":[\n{}\n],\"actions\":[{}]}}",
            states.join(",\n"),
            vec!["\"a\""; counts.len()].join(",")
        );
        let file = StatesFile::read(text.as_bytes(), 0, pairing).expect("pairs");
        let notices = file.notices.iter();
        let told = notices.map(|n| format!("{} {} {}", n.place.line, n.kind, n.message));
        told.collect::<Vec<_>>()
    };
    let begins = "the states do not follow each other: `step_count` goes from";
    assert_eq!(
        told(&["1", "2", "5", "6", "6"], Pairing::Zip),
        [format!("4 state_gap {begins} 2 to 5, and one more gap")]
    );
    assert_eq!(
        told(&["0", "2"], Pairing::Zip),
        [format!("3 state_gap {begins} 0 to 2")]
    );
    // What is written is meant, also where it is what would be taken if it were left out.
    assert_eq!(
        told(&["0", "0"], Pairing::Zip),
        [format!("3 state_gap {begins} 0 to 0")]
    );
    assert_eq!(
        told(&["", "0"], Pairing::Zip),
        [format!("3 state_gap {begins} 0 to 0")]
    );
    for consecutive in [&["0", "1", "2"][..], &["", "", ""], &["7"], &[]] {
        assert_eq!(told(consecutive, Pairing::Zip), [""; 0]);
    }
    assert_eq!(told(&["1", "5"], Pairing::Cross), [""; 0]);
}

/// What was observed after a transition has to be what the next one begins in; only then was all that
/// happened checked.
#[test]
fn a_next_state_that_is_not_the_following_one_is_a_gap() {
    let link = |next: &str, state: &str| {
        let text = format!(
            "[{{\"state\":{{}},\"action\":\"a\",\"next\":{next}}},\n{{\"state\":{state},\"action\":\"b\"}}]"
        );
        let file = StatesFile::read(text.as_bytes(), 0, Pairing::Zip).expect("transitions");
        let told: Vec<_> = file.notices.iter().map(|n| n.message.clone()).collect();
        (file.chain.links, file.chain.gaps, told.join("; "))
    };
    let begins = "the states do not follow each other: ";
    for (next, state, shows) in [
        (r#"{"step_count":1}"#, r#"{"step_count":1}"#, ""),
        (
            r#"{"tool_history":["a"]}"#,
            r#"{"tool_history":[{"tool":"a","turn":3}]}"#,
            "",
        ),
        (
            r#"{"resource_usage":{"cost_usd":1.0}}"#,
            r#"{"resource_usage":{"cost_usd":1}}"#,
            "",
        ),
        (
            r#"{"action_embedding":[1]}"#,
            r#"{"action_embedding":[0.5]}"#,
            "",
        ),
        (
            r#"{"step_count":1}"#,
            r#"{"step_count":2}"#,
            "`step_count` is 1 in `next` and 2 in the state listed after it",
        ),
        (
            r#"{"tool_history":["a"]}"#,
            r#"{"tool_history":["b"]}"#,
            "`tool_history` names other tools than `next`",
        ),
        (
            r#"{"tool_history":["a"]}"#,
            "{}",
            "`tool_history` is 1 calls in `next` and 0 calls in the state listed after it",
        ),
        (
            r#"{"resource_usage":{"cost_usd":0.1}}"#,
            "{}",
            "`cost_usd` is 0.1 in `next` and 0 in the state listed after it",
        ),
        (
            r#"{"phase":"ACTING"}"#,
            "{}",
            "`phase` is ACTING in `next` and IDLE in the state listed after it",
        ),
    ] {
        let told = if shows.is_empty() {
            String::new()
        } else {
            format!("{begins}{shows}")
        };
        let gaps = u64::from(!shows.is_empty());
        assert_eq!(link(next, state), (1, gaps, told), "{next} {state}");
    }
    // Transitions without `next` go by their step counts, and have no links without those.
    for (first, second, chain) in [
        ("null", "null", (0, 0)),
        ("0", "0", (1, 1)),
        ("1", "2", (1, 0)),
        ("1", "3", (1, 1)),
    ] {
        let text = format!(
            "[{{\"state\":{{\"step_count\":{first}}},\"action\":\"a\"}},{{\"state\":{{\"step_count\":{second}}},\"action\":\"b\"}}]"
        );
        let file = read(&text);
        assert_eq!((file.chain.links, file.chain.gaps), chain, "{text}");
    }
}

#[test]
fn pairing_each_with_each_is_state_by_state() {
    let text =
        "{\"states\":[{\"step_count\":1},{\"step_count\":2}],\n\"actions\":[\"a\",\n\"b\",\"c\"]}";
    let file = StatesFile::read(text.as_bytes(), 0, Pairing::Cross).expect("pairs");
    let found: Vec<_> = rows(&file)
        .into_iter()
        .map(|(i, s, tool, line)| format!("{i}:{s}{tool}@{line}"))
        .collect();
    assert_eq!(
        found,
        ["0:1a@2", "1:1b@3", "2:1c@3", "3:2a@2", "4:2b@3", "5:2c@3"]
    );
    assert_eq!(file.len(), 6);
    let states: Vec<_> = file.transitions().map(|t| t.state_index).collect();
    assert_eq!(states, [0, 0, 0, 1, 1, 1]);
    let list = br#"[{"state":{},"action":"a"}]"#;
    assert!(StatesFile::read(list, 0, Pairing::Cross).is_err());
}

#[test]
fn a_state_alone_is_vacuous_and_nothing_is_empty() {
    for text in [r#"{"states":[{}]}"#, r#"{"states":[{}],"actions":[]}"#] {
        let file = read(text);
        assert_eq!((file.len(), file.is_empty()), (0, false), "{text}");
    }
    for text in [
        "",
        " \n\n",
        "[]",
        r#"{"transitions":[]}"#,
        r#"{"states":[],"actions":[]}"#,
    ] {
        let file = read(text);
        assert_eq!((file.len(), file.is_empty()), (0, true), "{text}");
    }
}

#[test]
fn all_fields_are_read() {
    let file = read(
        r#"[{"state":{"tool_history":["a",{"name":"b","labels":["l"],"error":true}],"step_count":3,
        "loop_count":1,"phase":"PLANNING","resource_usage":{"cost_usd":0.1,"tokens":5},
        "context_embedding":[1,0.5],"action_embedding":[-0,1e-3]},
        "action":{"type":"tool_call","tool":"c","arguments":"{\"k\":1}","call_id":"x","agent":"me","turn":4,
        "resources":["/r"],"labels":["m"],"metadata":{"estimated_cost":0.02,"model":"z"},"colour":"red"},
        "next":{"phase":null}}]"#,
    );
    let t = file.transitions().next().expect("one");
    assert_eq!(t.state.history.len(), 2);
    assert_eq!((t.state.steps(), t.state.loop_count), (3, 1));
    assert_eq!((t.state.phase, t.state.tokens), (Phase::Planning, 5));
    assert_eq!(t.state.cost, Nano(100_000_000));
    assert_eq!(t.state.action.as_deref(), Some(&[0.0, 0.001][..]));
    let call = &t.action.call;
    assert_eq!(call.args.bytes(), br#"{"k":1}"#);
    assert_eq!(call.estimated_cost, Some(Nano(20_000_000)));
    assert_eq!((call.id.as_deref(), call.turn), (Some("x"), Some(4)));
    assert_eq!((call.agent.as_deref(), call.labels.len()), (Some("me"), 1));
    assert_eq!(t.next.expect("given").phase, Phase::Idle);
    assert!(file.notices.is_empty());
}

#[test]
fn doubtful_values_are_used_and_warned_of() {
    let file = read(
        r#"[{"state":{"context_embedding":[0,0],"resource_usage":{"cost_usd":0.0000000001}},
        "action":{"tool":"a","argv":["\ud83c"],"payload":1}}]"#,
    );
    let codes: Vec<_> = file.notices.iter().map(|w| w.kind.code()).collect();
    assert_eq!(codes, ["zero_embedding", "rounded_cost", "repaired_text"]);
    let t = file.transitions().next().expect("one");
    assert_eq!(
        t.action.call.args.bytes(),
        "{\"argv\":[\"\u{fffd}\"],\"payload\":1}".as_bytes()
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, code, line, column, message) in [
        (
            "{\"states\":[{}],\n \"actions\":[]",
            "truncated_input",
            2,
            14,
            "ends",
        ),
        (
            "[{\"state\":{},\"action\":\"a\"},]",
            "malformed_json",
            1,
            28,
            "value",
        ),
        ("3", "bad_field", 1, 1, "the file holds a number"),
        ("{}", "bad_field", 1, 1, "empty object"),
        (
            "[3]",
            "bad_field",
            1,
            2,
            "a transition must be an object, not a number",
        ),
        (
            "{\"states\":{}}",
            "bad_field",
            1,
            11,
            "`states` must be an array, not an object",
        ),
        (
            "{\"states\":[{},{}],\"actions\":[\"a\"]}",
            "bad_field",
            1,
            29,
            "2 states and 1 actions",
        ),
        (
            "{\"states\":[{},{}]}",
            "missing_field",
            1,
            11,
            "no `actions`",
        ),
        (
            "{\"actions\":[\"a\"]}",
            "missing_field",
            1,
            1,
            "no `states`",
        ),
        (
            "{\"states\":[],\"transitions\":[]}",
            "bad_field",
            1,
            28,
            "beside",
        ),
        (
            "{\"state\":{},\"action\":\"a\"}\n{\"state\":{}}",
            "missing_field",
            2,
            1,
            "no `action`",
        ),
        (
            "{\"transitons\":[]}",
            "bad_field",
            1,
            2,
            "unknown key `transitons`",
        ),
        (
            "[{\"state\":{\"step_cuont\":1},\"action\":\"a\"}]",
            "bad_field",
            1,
            12,
            "`step_cuont`",
        ),
        (
            "[{\"state\":{},\"action\":\"a\",\"note\":1}]",
            "bad_field",
            1,
            27,
            "`note`",
        ),
        (
            "[{\"state\":{},\"action\":{\"tool\":\"a\",\"estimated_cst\":1}}]",
            "bad_field",
            1,
            35,
            "`estimated_cst`",
        ),
        (
            "[{\"state\":{\"step_count\":1,\"step_c\\u006funt\":2},\"action\":\"a\"}]",
            "duplicate_key",
            1,
            27,
            "twice",
        ),
        (
            "[{\"state\":{},\"action\":{\"tool\":\"a\",\"name\":\"b\"}}]",
            "duplicate_key",
            1,
            35,
            "same field",
        ),
        (
            "[{\"state\":{},\"action\":{\"tool\":\"a\",\"args\":1,\"argv\":2}}]",
            "duplicate_key",
            1,
            51,
            "`argv`",
        ),
        (
            "[{\"state\":{},\"action\":{\"tool\":\"a\",\"input\":1,\"payload\":2}}]",
            "duplicate_key",
            1,
            55,
            "`input` and as `payload`",
        ),
        (
            "[{\"state\":{\"step_count\":\"1\"},\"action\":\"a\"}]",
            "bad_field",
            1,
            25,
            "not a string",
        ),
        (
            "[{\"state\":{\"step_count\":true},\"action\":\"a\"}]",
            "bad_field",
            1,
            25,
            "not true or false",
        ),
        (
            "[{\"state\":{\"step_count\":1.5},\"action\":\"a\"}]",
            "bad_field",
            1,
            25,
            "`1.5`",
        ),
        (
            "[{\"state\":{\"step_count\":-1},\"action\":\"a\"}]",
            "bad_field",
            1,
            25,
            "`-1`",
        ),
        (
            "[{\"state\":{\"step_count\":18446744073709551616},\"action\":\"a\"}]",
            "bad_field",
            1,
            25,
            "beyond 64 bits",
        ),
        (
            "[{\"state\":{\"resource_usage\":{\"cost_usd\":-1}},\"action\":\"a\"}]",
            "bad_field",
            1,
            41,
            "negative",
        ),
        (
            "[{\"state\":{\"resource_usage\":{\"cost_usd\":1e30}},\"action\":\"a\"}]",
            "bad_field",
            1,
            41,
            "range",
        ),
        (
            "[{\"state\":{\"resource_usage\":{\"cost\":1}},\"action\":\"a\"}]",
            "bad_field",
            1,
            30,
            "`cost`",
        ),
        (
            "[{\"state\":{\"phase\":\"acting\"},\"action\":\"a\"}]",
            "bad_field",
            1,
            20,
            "unknown phase `acting`",
        ),
        (
            "[{\"state\":{\"context_embedding\":[1,1e999]},\"action\":\"a\"}]",
            "bad_field",
            1,
            35,
            "range",
        ),
        (
            "[{\"state\":{\"context_embedding\":[1,NaN]},\"action\":\"a\"}]",
            "malformed_json",
            1,
            35,
            "NaN",
        ),
        (
            "[{\"state\":{\"context_embedding\":[1],\"action_embedding\":[1,2]},\"action\":\"a\"}]",
            "bad_field",
            1,
            11,
            "1 numbers",
        ),
        (
            "[{\"state\":{},\"action\":\"\"}]",
            "bad_field",
            1,
            23,
            "empty",
        ),
        (
            "[{\"state\":{},\"action\":null}]",
            "missing_field",
            1,
            2,
            "no `action`",
        ),
        (
            "[{\"state\":{},\"action\":{\"args\":{}}}]",
            "missing_field",
            1,
            23,
            "no `tool`",
        ),
        (
            "[{\"state\":{},\"action\":{\"type\":\"run_end\",\"tool\":\"a\"}}]",
            "unknown_type",
            1,
            31,
            "tool_call",
        ),
        (
            "[{\"state\":{},\"action\":{\"tool\":\"a\\ud83c\"}}]",
            "invalid_utf8",
            1,
            31,
            "surrogate",
        ),
        (
            "[{\"state\":{\"tool_history\":[[]]},\"action\":\"a\"}]",
            "bad_field",
            1,
            28,
            "name of a tool",
        ),
    ] {
        let fault = fault(text);
        let place = (fault.kind.code(), fault.place.line, fault.place.column);
        assert_eq!(place, (code, line, column), "{text}: {}", fault.message);
        assert!(fault.message.contains(message), "{text}: {}", fault.message);
    }
    let bytes = StatesFile::read(b"[\n\xff]", 0, Pairing::Zip).expect_err("no UTF-8");
    assert_eq!((bytes.kind.code(), bytes.place.line), ("invalid_utf8", 2));
}

#[test]
fn the_nearest_name_is_offered() {
    for (text, help) in [
        (
            r#"[{"state":{"step_cuont":1},"action":"a"}]"#,
            "did you mean `step_count`?",
        ),
        (
            r#"[{"state":{"phase":"acting"},"action":"a"}]"#,
            "did you mean `ACTING`?",
        ),
        (
            r#"[{"state":{},"action":{"tol":"a"}}]"#,
            "did you mean `tool`?",
        ),
        (r#"{"transitons":[]}"#, "did you mean `transitions`?"),
    ] {
        assert_eq!(fault(text).help.as_deref(), Some(help), "{text}");
    }
    assert_eq!(fault(r#"[{"state":{"colour":1},"action":"a"}]"#).help, None);
}

#[test]
fn states_files_are_told_from_traces() {
    let sample = |text: &str| is_states_file(&[json::parse(text.as_bytes()).expect(text)]);
    for yes in [
        r#"{"states":[],"actions":[]}"#,
        r#"{"transitions":[]}"#,
        r#"{"state":{},"action":"a"}"#,
        r#"{"state":{},"next":{}}"#,
    ] {
        assert!(sample(yes), "{yes}");
    }
    for no in [
        r#"{"tool":"a","state":{},"action":"b"}"#,
        r#"{"type":"run_start","run":"r","states":[]}"#,
        r#"{"call":"c1","result":1}"#,
        r#"{"states":3}"#,
        "[]",
        "3",
    ] {
        assert!(!sample(no), "{no}");
    }
    assert!(!is_states_file(&[]));
}

#[test]
fn a_long_list_takes_linear_time() {
    let one = r#"{"state":{"tool_history":["a","b"],"step_count":2},"action":"c"}"#;
    let text = vec![one; 20_000].join("\n");
    let file = read(&text);
    assert_eq!(
        file.transitions().last().map(|t| (t.index, t.line)),
        Some((19_999, 20_000))
    );
}
