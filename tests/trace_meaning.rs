//! What well-formed records can mean together: ids used twice, results astray, clocks that disagree,
//! runs in pieces. What is still decided, what is told, and how it ends.

mod program;

use program::{Ran, Scratch, replay};
use serde_json::Value;

/// A trace of these lines under the defaults, its faults and warnings left to the test.
fn told(lines: &[&str]) -> Ran {
    replay(lines.join("\n") + "\n", "", "--fail-on none")
}

/// The notices as `line code message`.
fn messages(ran: &Ran) -> Vec<String> {
    let records = ran.records();
    let notices = records
        .iter()
        .filter(|r| r["record"] == "fault" || r["record"] == "warning");
    let text = |r: &Value| {
        let message = r["message"].as_str().unwrap_or_default();
        format!(
            "{} {} {message}",
            r["line"],
            r["code"].as_str().unwrap_or_default()
        )
    };
    notices.map(text).collect()
}

/// What the resource barrier says the run has spent when its last call came.
fn spent(ran: &Ran) -> f64 {
    let records = ran.records();
    let last = records.iter().rfind(|r| r["record"] == "decision");
    let h = &last.expect("a decision")["barriers"]["resource"]["h"];
    ((10.0 - h.as_f64().expect("a number")) * 1e9).round() / 1e9
}

fn doubted(ran: &Ran) -> Vec<bool> {
    let records = ran.records();
    let decisions = records.iter().filter(|r| r["record"] == "decision");
    decisions.map(|r| r["inconclusive"] == true).collect()
}

#[test]
fn a_call_that_did_not_run_owes_no_result() {
    let ran = r#"{"tool":"a","result":1}"#;
    for (call, then, owes) in [
        (r#"{"tool":"b","id":"c"}"#, "", true),
        (r#"{"tool":"b","id":"c","decision":"allow"}"#, "", true),
        (r#"{"tool":"b","id":"c","decision":"block"}"#, "", false),
        (r#"{"tool":"b","id":"c","approval":"approved"}"#, "", true),
        (r#"{"tool":"b","id":"c","approval":"denied"}"#, "", false),
        (r#"{"tool":"b","id":"c"}"#, "approved", true),
        (r#"{"tool":"b","id":"c"}"#, "denied", false),
        (r#"{"tool":"b","id":"c"}"#, "expired", false),
    ] {
        let then = match then {
            "" => String::new(),
            word => format!(r#"{{"type":"approval","call":"c","decision":"{word}"}}"#),
        };
        let told = told(&[ran, call, &then]).ends(0);
        assert_eq!(told.decisions().len(), 2);
        let said = messages(&told)
            .iter()
            .any(|m| m.starts_with("2 unanswered_call"));
        assert_eq!(said, owes, "{call} {then}");
    }
}

#[test]
fn a_call_repeated_with_the_same_content_is_evaluated_once() {
    let call = r#"{"tool":"a","id":"c1","args":{"x":1},"ts":5}"#;
    let again = r#"{"tool":"a","id":"c1","args":{ "x": 1 },"ts":6}"#;
    let ran = told(&[call, again]).ends(0);
    assert_eq!(ran.decisions(), ["a allow"]);
    assert_eq!(
        messages(&ran),
        ["2 repeated_call call `c1` was recorded before on line 1; it is evaluated once"]
    );
    let counts = &ran.summary()["counts"];
    assert_eq!(
        (&counts["calls"], &counts["repeats"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn one_id_for_two_calls_is_a_fault_that_names_both_lines() {
    let ran = told(&[
        r#"{"tool":"a","id":"c1"}"#,
        r#"{"tool":"b","id":"c1"}"#,
        r#"{"tool":"d","id":"c2"}"#,
    ])
    .ends(2);
    assert_eq!(ran.decisions(), ["a allow", "d allow"]);
    assert_eq!(
        messages(&ran),
        ["2 duplicate_call_id call `c1` was recorded before on line 1, with other content"]
    );
    assert_eq!(doubted(&ran), [false, true]);
    assert_eq!(ran.summary()["counts"]["inconclusive_runs"], 1);
}

#[test]
fn a_result_without_a_call_changes_nothing() {
    let ran = told(&[
        r#"{"type":"tool_result","call":"nobody","cost_usd":3}"#,
        r#"{"tool":"a"}"#,
        r#"{"type":"tool_result","call":"gone","run":"other","cost_usd":3}"#,
        r#"{"tool":"a"}"#,
    ])
    .ends(0);
    assert_eq!(spent(&ran), 0.0);
    assert_eq!(
        messages(&ran),
        [
            "1 missing_run 3 of 4 records name no run; they belong to the run `t`",
            "1 orphan_result the run has no call `nobody`",
            "3 orphan_result the run has no call `gone`",
        ]
    );
    assert_eq!(ran.summary()["counts"]["runs"], 1, "an orphan opens no run");
}

#[test]
fn a_call_without_a_result_settles_and_is_told_where_others_have_one() {
    let answered = r#"{"tool":"a","result":"x"}"#;
    let open = r#"{"tool":"b","id":"b1","turn":1}"#;
    assert_eq!(
        told(&[open, open.replace("b1", "b2").as_str()])
            .ends(0)
            .notices(),
        [""; 0]
    );
    let ran = told(&[answered, open, r#"{"tool":"b","id":"b2","turn":1}"#]).ends(0);
    assert_eq!(
        messages(&ran),
        ["2 unanswered_call 2 calls have no result, and others of the run have one"]
    );
    // What did not run cannot have one.
    let blocked = r#"{"tool":"b","decision":"block"}"#;
    let observed = [answered, blocked].join("\n");
    let ran = replay(observed, "", "--mode observe").ends(0);
    assert_eq!(ran.notices(), [""; 0]);
}

#[test]
fn the_same_result_twice_is_a_warning_and_another_one_a_fault() {
    let call = r#"{"tool":"a","id":"c"}"#;
    let result = r#"{"type":"tool_result","call":"c","result":"x","cost_usd":1}"#;
    let other = r#"{"type":"tool_result","call":"c","result":"y","cost_usd":2}"#;
    let last = r#"{"tool":"b","result":1}"#;
    let ran = told(&[call, result, result, last]).ends(0);
    assert_eq!(ran.notices(), ["3 repeated_result"]);
    assert_eq!(spent(&ran), 1.0);
    let ran = told(&[call, result, other, last]).ends(2);
    assert_eq!(ran.notices(), ["3 duplicate_call_id"]);
    assert_eq!(spent(&ran), 3.0, "no spending is lost");
    assert_eq!(doubted(&ran), [false, true]);
    // An inline outcome is a result like any other.
    let inline = r#"{"tool":"a","id":"c","result":"x","cost_usd":1}"#;
    assert_eq!(
        told(&[inline, result, last]).notices(),
        ["2 repeated_result"]
    );
    assert_eq!(
        told(&[inline, other, last]).notices(),
        ["2 duplicate_call_id"]
    );
}

#[test]
fn a_result_before_its_call_is_the_calls_own() {
    let result = r#"{"type":"tool_result","call":"c","run":"r","result":"x","cost_usd":1}"#;
    let call = r#"{"tool":"a","id":"c","run":"r"}"#;
    let last = r#"{"tool":"b","run":"r","error":false}"#;
    for lines in [
        vec![result, call, last],
        vec![
            r#"{"tool":"z","run":"r","error":false}"#,
            result,
            call,
            last,
        ],
    ] {
        let ran = told(&lines).ends(0);
        let line = lines.len() - 1;
        assert_eq!(
            messages(&ran),
            [format!(
                "{line} early_result the result of call `c` stands before it, on line {}",
                line - 1
            )]
        );
        assert_eq!(spent(&ran), 1.0);
        assert_eq!(ran.summary()["counts"]["results"], lines.len() - 1);
    }
    // Told as the run ends, where no call comes.
    let end = r#"{"type":"run_end","run":"r"}"#;
    let ran = told(&[last, result, end]).ends(0);
    assert_eq!(ran.notices(), ["2 orphan_result"]);
    // Twice before the call: what holds after it holds here.
    let ran = told(&[result, result, call]).ends(0);
    assert_eq!(ran.notices(), ["3 early_result", "2 repeated_result"]);
    let other = result.replace("\"x\"", "\"y\"");
    let ran = told(&[result, &other, call, last]).ends(2);
    assert_eq!(ran.notices(), ["3 early_result", "2 duplicate_call_id"]);
    assert_eq!(spent(&ran), 2.0);
    // A call recorded again is the same call, whatever came before it.
    let ran = told(&[result, call, call]).ends(0);
    assert_eq!(ran.notices(), ["2 early_result", "3 repeated_call"]);
}

#[test]
fn a_postcondition_sees_a_result_that_came_before_its_call() {
    let trace = concat!(
        "{\"type\":\"tool_result\",\"call\":\"c\",\"result\":\"secret\"}\n",
        "{\"tool\":\"a\",\"id\":\"c\"}\n",
    );
    let policy = "[[contracts]]\ntools = ['a']\nensure = ['result != \"secret\"']";
    let ran = replay(trace, policy, "").ends(0);
    assert_eq!(ran.decisions(), ["a withhold contracts.ensure"]);
}

#[test]
fn what_waits_for_its_call_is_bounded_and_no_result_goes_untold() {
    let mut trace = String::new();
    for n in 0..5000 {
        trace += &format!("{{\"type\":\"tool_result\",\"call\":\"c{n}\",\"cost_usd\":1e-9}}\n");
    }
    trace += "{\"tool\":\"a\",\"id\":\"c0\"}\n{\"tool\":\"a\",\"id\":\"c4999\"}\n";
    let ran = replay(trace, "", "").ends(0);
    let warnings = &ran.summary()["warnings"];
    assert_eq!(warnings["early_result"], 1);
    assert_eq!(warnings["orphan_result"], 4999);
}

#[test]
fn runs_may_interleave() {
    let ran = told(&[
        r#"{"tool":"sql_query","run":"a"}"#,
        r#"{"tool":"http_request","run":"b"}"#,
        r#"{"tool":"http_request","run":"a"}"#,
        r#"{"tool":"think","run":"b"}"#,
    ]);
    assert_eq!(
        ran.decisions(),
        [
            "sql_query allow",
            "http_request allow",
            "http_request block dcbf.forward_invariance",
            "think allow"
        ]
    );
    assert_eq!(ran.notices(), [""; 0]);
}

#[test]
fn records_without_a_run_among_others_are_told() {
    let named = r#"{"tool":"a","run":"r"}"#;
    let bare = r#"{"tool":"b"}"#;
    let ran = told(&[named, bare, bare]).ends(0);
    assert_eq!(
        messages(&ran),
        ["2 missing_run 2 of 3 records name no run; they belong to the run `t`"]
    );
    assert_eq!(ran.summary()["counts"]["runs"], 2);
    assert_eq!(told(&[bare, bare]).notices(), [""; 0]);
    assert_eq!(told(&[named, named]).notices(), [""; 0]);
}

#[test]
fn one_id_in_two_files_is_two_runs_unless_they_are_merged() {
    let scratch = Scratch::new();
    scratch.file("a.jsonl", "{\"tool\":\"sql_query\",\"run\":\"r\"}\n");
    scratch.file("b.jsonl", "{\"tool\":\"http_request\",\"run\":\"r\"}\n");
    let ran = scratch
        .gate("replay a.jsonl b.jsonl --format jsonl")
        .ends(0);
    assert_eq!(ran.decisions(), ["sql_query allow", "http_request allow"]);
    assert_eq!(ran.notices(), ["1 shared_run_id"]);
    let summary = ran.summary();
    assert_eq!(
        (
            &summary["counts"]["runs"],
            &summary["settings"]["merge_runs"]
        ),
        (&2.into(), &false.into())
    );

    let ran = scratch
        .gate("replay a.jsonl b.jsonl --merge-runs --format jsonl")
        .ends(1);
    assert_eq!(
        ran.decisions(),
        [
            "sql_query allow",
            "http_request block dcbf.forward_invariance"
        ]
    );
    assert_eq!(ran.notices(), [""; 0]);
    let summary = ran.summary();
    assert_eq!(
        (
            &summary["counts"]["runs"],
            &summary["settings"]["merge_runs"]
        ),
        (&1.into(), &true.into())
    );
    let decision = &ran.records()[1];
    assert_eq!(
        (&decision["file"], &decision["line"], &decision["seq"]),
        (&"b.jsonl".into(), &1.into(), &2.into())
    );
    // The order of the files is that of the run.
    let ran = scratch
        .gate("replay b.jsonl a.jsonl --merge-runs --format jsonl")
        .ends(1);
    assert_eq!(ran.decisions()[0], "http_request allow");
}

#[test]
fn a_merged_run_keeps_its_results_its_faults_and_its_end() {
    let scratch = Scratch::new();
    scratch.file(
        "a.jsonl",
        "{\"tool\":\"a\",\"run\":\"r\",\"id\":\"c\",\"turn\":1}\n{\n",
    );
    scratch.file(
        "b.jsonl",
        concat!(
            "{\"type\":\"tool_result\",\"run\":\"r\",\"call\":\"c\",\"cost_usd\":4}\n",
            "{\"tool\":\"a\",\"run\":\"r\",\"id\":\"d\",\"turn\":2}\n",
            "{\"type\":\"run_end\",\"run\":\"r\"}\n",
        ),
    );
    scratch.file("c.jsonl", "{\"tool\":\"a\",\"run\":\"r\",\"id\":\"e\"}\n");
    let ran = scratch
        .gate("replay a.jsonl b.jsonl c.jsonl --merge-runs --format jsonl")
        .ends(2);
    assert_eq!(
        ran.decisions(),
        ["a allow", "a allow", "a block dfa.answering"]
    );
    let records = ran.records();
    let second = records.iter().filter(|r| r["record"] == "decision").nth(1);
    let second = second.expect("a decision");
    assert_eq!(second["barriers"]["resource"]["h"], 6);
    assert_eq!(second["inconclusive"], true);
    assert_eq!(ran.summary()["counts"]["runs"], 1);
    // A run that begins afresh begins afresh.
    scratch.file(
        "c.jsonl",
        "{\"type\":\"run_start\",\"run\":\"r\"}\n{\"tool\":\"a\",\"run\":\"r\",\"id\":\"e\"}\n",
    );
    let ran = scratch.gate("replay a.jsonl b.jsonl c.jsonl --merge-runs --format jsonl");
    assert_eq!(ran.decisions()[2], "a allow");
    assert_eq!(ran.summary()["counts"]["runs"], 2);
}

/// A line is told with the input that it is in, or not at all.
#[test]
fn no_line_of_a_merged_run_is_told_of_another_input() {
    let scratch = Scratch::new();
    let call = |id: &str, turn: u64, result: &str| {
        format!("{{\"tool\":\"a\",\"run\":\"r\",\"id\":\"{id}\",\"turn\":{turn}{result}}}\n")
    };
    let early = "{\"type\":\"tool_result\",\"run\":\"r\",\"call\":\"d\",\"result\":1}\n";
    scratch.file("a.jsonl", call("c", 1, ",\"result\":1") + early);
    let later = [call("d", 2, ""), call("e", 3, ""), call("f", 4, "")];
    scratch.file("b.jsonl", later.concat());
    let ran = scratch.gate("replay a.jsonl b.jsonl --merge-runs --format jsonl");
    assert_eq!(
        messages(&ran.ends(0)),
        [
            "1 early_result the result of call `d` stands before it",
            "null unanswered_call 2 calls have no result, and others of the run have one"
        ]
    );
}

/// Calls with these times, each as JSON.
fn timed(times: &[&str], policy: &str) -> Ran {
    let call = |ts: &&str| format!("{{\"tool\":\"a\",\"error\":false,\"ts\":{ts}}}\n");
    replay(
        times.iter().map(call).collect::<String>(),
        policy,
        "--fail-on none",
    )
}

#[test]
fn a_clock_that_goes_backwards_changes_no_order_and_is_told_once() {
    let times = [
        "\"2026-01-01T00:00:09Z\"",
        "\"2026-01-01T00:00:08Z\"",
        "\"2026-01-01T00:00:08Z\"",
        "\"2026-01-01T02:00:07+02:00\"",
    ];
    let ran = timed(&times, "").ends(0);
    assert_eq!(
        messages(&ran),
        [
            "2 clock_backwards 2 calls with a `ts` before that of the call before; the order of the file holds"
        ]
    );
    let records = ran.records();
    let lines = records.iter().filter(|r| r["record"] == "decision");
    assert!(lines.map(|r| r["line"].as_u64()).eq((1..=4).map(Some)));
    // Once a run.
    let of = |run: &str, ts: u32| format!("{{\"tool\":\"a\",\"run\":\"{run}\",\"ts\":{ts}}}");
    let lines = [
        of("r", 2),
        of("s", 2),
        of("r", 1),
        of("s", 3),
        of("r", 0),
        of("s", 1),
    ];
    let ran = told(&lines.each_ref().map(String::as_str));
    assert_eq!(ran.notices(), ["3 clock_backwards", "6 clock_backwards"]);
    // The run's own start is a time of it.
    let ran = told(&[r#"{"type":"run_start","run":"r","ts":9}"#, &of("r", 8)]);
    assert_eq!(ran.notices(), ["2 clock_backwards"]);
}

#[test]
fn equal_times_make_no_batch() {
    let day = "\"2026-01-01T00:00:00Z\"";
    let ran = timed(&[day, day, day], "").ends(0);
    assert_eq!(ran.notices(), [""; 0]);
    assert_eq!(ran.summary()["concurrent"], 0);
}

#[test]
fn times_on_different_scales_are_never_scaled_in_silence() {
    for (times, words) in [
        (vec!["1767225600", "1767225601000"], "seconds, milliseconds"),
        (
            vec![
                "1767225600000",
                "1767225601000000",
                "\"1767225602000000000\"",
            ],
            "milliseconds, microseconds, nanoseconds",
        ),
        (
            vec!["\"2026-01-01T00:00:00Z\"", "\"2026-01-01T00:00:01\""],
            "texts with an offset, texts without an offset",
        ),
        (
            vec!["\"2026-01-01 00:00:00\"", "1767225600"],
            "texts without an offset, seconds",
        ),
    ] {
        let told = messages(&timed(&times, "").ends(0));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("2 mixed_times"), "{told:?}");
        assert!(
            told[0].contains(&format!("fit together: {words};")),
            "{told:?}"
        );
        // A time rule reads them as they stand.
        let ran = timed(&times, "[dfa]\ntimeout_seconds = 60").ends(0);
        assert_eq!(ran.notices(), ["2 mixed_times"]);
    }
    let one = ["\"2026-01-01T00:00:00\"", "\"2026-01-01 00:00:01\""];
    assert_eq!(timed(&one, "").notices(), [""; 0]);
}

#[test]
fn times_that_no_clock_shows_are_told() {
    for ts in [
        "\"2016-12-31T23:59:60Z\"",
        "-1",
        "-9e99",
        "1e40",
        "\"1969-12-31T23:59:59Z\"",
    ] {
        let ran = timed(&[ts], "").ends(0);
        assert_eq!(ran.notices(), ["1 odd_time"], "{ts}");
        let ran = timed(&[ts, ts], "[dfa]\ntimeout_seconds = 1").ends(0);
        assert_eq!(ran.decisions(), ["a allow"; 2], "{ts}");
        assert_eq!(ran.notices(), ["1 odd_time"], "{ts}");
    }
    for ts in ["\"10000-01-01T00:00:00Z\"", "\"+010000-01-01T00:00:00Z\""] {
        let told = timed(&[ts], "").ends(0).notices();
        assert!(
            told == ["1 odd_time"] || told == ["1 unreadable_time"],
            "{ts}: {told:?}"
        );
    }
}

#[test]
fn a_time_that_cannot_be_read_is_a_fault_where_a_rule_asks_for_it() {
    let times = ["\"soon\"", "\"2026-02-30T00:00:00Z\"", "\"\""];
    let ran = timed(&times, "").ends(0);
    assert_eq!(
        messages(&ran),
        ["1 unreadable_time 3 records with a `ts` that is no time"]
    );
    let ran = timed(&times, "[dfa]\ntimeout_seconds = 1").ends(2);
    assert_eq!(ran.notices(), ["1 bad_field", "2 bad_field", "3 bad_field"]);
    assert_eq!(ran.decisions(), ["a allow"; 3], "judged without a time");
    // On a result no rule depends.
    let result = "{\"tool\":\"a\",\"id\":\"c\"}\n{\"type\":\"tool_result\",\"call\":\"c\",\"ts\":\"soon\"}\n";
    let ran = replay(result, "[dfa]\ntimeout_seconds = 1", "").ends(0);
    assert_eq!(ran.notices(), ["2 unreadable_time"]);
}

#[test]
fn turns_and_ids_that_skip_or_repeat_are_no_missing_calls() {
    let ran = told(&[
        r#"{"tool":"a","turn":1,"id":"call-1"}"#,
        r#"{"tool":"a","turn":7,"id":"call-3"}"#,
        r#"{"tool":"a","turn":7}"#,
        r#"{"tool":"a","turn":2}"#,
    ])
    .ends(0);
    assert_eq!(ran.notices(), [""; 0]);
    let records = ran.records();
    let decisions = records.iter().filter(|r| r["record"] == "decision");
    let seen: Vec<_> = decisions
        .map(|r| format!("{} {} {}", r["seq"], r["turn"], r["call"]))
        .collect();
    assert_eq!(
        seen,
        [
            "1 1 \"call-1\"",
            "2 7 \"call-3\"",
            "3 7 \"call-3#2\"",
            "4 2 \"call-4\""
        ]
    );
}

#[test]
fn tools_that_no_rule_names_are_listed_in_every_report() {
    let scratch = Scratch::new();
    scratch.file(
        "t.jsonl",
        "{\"tool\":\"known\"}\n{\"tool\":\"odd\"}\n{\"tool\":\"odd\"}\n",
    );
    scratch.file("p.toml", "[gates.per_tool]\nknown = 10\n");
    let report =
        |format: &str| scratch.gate(&format!("replay t.jsonl --policy p.toml --format {format}"));
    let json = report("jsonl").ends(0).summary();
    assert_eq!(json["unnamed_tools"], serde_json::json!({"odd": 2}));
    let whole: Value = serde_json::from_str(&report("json").out).expect("JSON");
    assert_eq!(whole["summary"]["unnamed_tools"], json["unnamed_tools"]);
    let table = report("table").out;
    assert!(
        table.contains("tools that no rule names, with their calls\n  odd 2\n"),
        "{table}"
    );
    let csv = report("csv").out;
    let row = csv.lines().find(|line| line.starts_with("unnamed_tool,"));
    let row = row.expect("a row");
    assert!(
        row.contains(",odd,") && row.contains("2 calls, and no rule names the tool"),
        "{row}"
    );
    assert!(!csv.contains("known,,,,,,\"") && csv.matches("unnamed_tool").count() == 1);
}

/// A run that begins again has refusals of its own: those of the run before stay on the list, also where
/// the later one goes on after its end.
#[test]
fn no_refused_call_is_lost_where_runs_begin_again() {
    let call = r#"{"type":"tool_call","run":"r","tool":"t","args":{"q":"drop"}}"#;
    let start = r#"{"type":"run_start","run":"r"}"#;
    let end = r#"{"type":"run_end","run":"r"}"#;
    let policy = "[gates]\nrefuse = [\"drop\"]\n";
    for (lines, refused) in [
        (vec![call, start, end, call], 2),
        (vec![call, start, call, end, call], 3),
        (vec![call, end, call, start, end, call, call], 4),
        (vec![start, end, call, end, start, call], 2),
    ] {
        let ran = replay(lines.join("\n") + "\n", policy, "--fail-on none");
        let summary = ran.summary();
        let listed = summary["refusals"].as_array().expect("a list");
        let sum: u64 = listed
            .iter()
            .filter_map(|run| run["refused"].as_u64())
            .sum();
        assert_eq!(sum, refused, "{lines:?}: {listed:?}");
        assert_eq!(summary["decisions"]["by_kind"]["block"], refused);
    }
}
