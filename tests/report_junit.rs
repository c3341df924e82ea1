//! JUnit reports: what they say of runs is held against the JSON report of the same audit, read by a
//! reader of XML that is not ours.

mod program;

use roxmltree::{Document, Node};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Status and output of a replay.
fn gate(args: &[&str]) -> (i32, String) {
    let ran = program::replay_here(args);
    (ran.status, ran.out)
}

fn junit(args: &[&str]) -> (i32, String) {
    gate(&[args, &["--format", "junit"]].concat())
}

/// A file of these lines in a directory of its own.
fn file(name: &str, lines: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    std::fs::write(&path, lines.join("\n") + "\n").expect("a file");
    (directory, path)
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn suites<'d>(document: &'d Document<'_>) -> Vec<Node<'d, 'd>> {
    let root = document.root_element();
    root.children()
        .filter(|n| n.has_tag_name("testsuite"))
        .collect()
}

fn tests<'d>(suite: &Node<'d, 'd>) -> Vec<Node<'d, 'd>> {
    suite
        .children()
        .filter(|n| n.has_tag_name("testcase"))
        .collect()
}

/// `passed`, `skipped`, `failure` or `error`.
fn outcome<'d>(test: &Node<'d, 'd>) -> &'d str {
    let found = test
        .children()
        .find(|n| n.is_element() && !n.has_tag_name("system-out"));
    found.map_or("passed", |n| n.tag_name().name())
}

/// Name and outcome of every test.
fn outcomes(document: &str) -> Vec<(String, String)> {
    let document = Document::parse(document).expect("XML");
    let suites = suites(&document);
    let all = suites.iter().flat_map(tests);
    let told = |test: Node<'_, '_>| {
        let name = test.attribute("name").expect("a name").to_owned();
        (name, outcome(&test).to_owned())
    };
    all.map(told).collect()
}

fn property<'d>(document: &'d Document<'_>, name: &str) -> &'d str {
    let mut all = document
        .descendants()
        .filter(|n| n.has_tag_name("property"));
    let found = all.find(|n| n.attribute("name") == Some(name));
    found
        .and_then(|n| n.attribute("value"))
        .expect("a property")
}

/// What a call counts as, by the words of `--fail-on`.
fn counts(decision: &Value, fail_on: &[&str], excused: bool) -> bool {
    let named = |word: &str| fail_on.contains(&word);
    let violation = !decision["broken"].as_array().expect("a list").is_empty();
    let kind = decision["decision"].as_str().expect("a word");
    let let_pass = excused && violation;
    let by_kind = match kind {
        "block" => named("block") && !(let_pass && named("violation")),
        "allow" => false,
        other => named(other),
    };
    let hazard = !decision["hazard"].as_array().expect("a list").is_empty();
    by_kind
        || named("violation") && violation && !let_pass
        || named("hazard") && hazard
        || named("drift") && decision["drift"] == true
}

/// What every run comes to, by the records of the JSON report.
fn expected(report: &Value, fail_on: &[&str], excused: bool) -> BTreeMap<String, &'static str> {
    let allow_faults = report["summary"]["settings"]["allow_faults"] == true;
    let mut runs: BTreeMap<String, (bool, bool, bool)> = BTreeMap::new();
    for record in report["records"].as_array().expect("a list") {
        let Some(run) = record["run"].as_str() else {
            continue;
        };
        if record["record"] == "decision" {
            let (counted, stopped, doubtful) = runs.entry(run.to_owned()).or_default();
            *counted |= counts(record, fail_on, excused);
            *stopped |= record["decision"] != "allow";
            *doubtful |= record["inconclusive"] == true;
        } else if record["record"] == "fault" {
            runs.entry(run.to_owned()).or_default().2 = true;
        }
    }
    let word = |(counted, stopped, doubtful): (bool, bool, bool)| match doubtful {
        true if !allow_faults => "error",
        _ if counted => "failure",
        doubtful if doubtful || stopped => "skipped",
        _ => "passed",
    };
    runs.into_iter()
        .map(|(run, found)| (run, word(found)))
        .collect()
}

/// Options, the words of `--fail-on` they come to, and whether every violation is excused.
const OPTIONS: &[(&[&str], &[&str], bool)] = &[
    (&[], &["block", "error", "violation"], false),
    (&["--fail-on", "none"], &[], false),
    (&["--fail-on", "escalate"], &["escalate"], false),
    (
        &["--fail-on", "withhold,error"],
        &["withhold", "error"],
        false,
    ),
    (&["--fail-on", "drift,hazard"], &["drift", "hazard"], false),
    (
        &["--fail-on", "violation", "--max-violation-rate", "1"],
        &["violation"],
        true,
    ),
    (
        &["--max-violation-rate", "1"],
        &["block", "error", "violation"],
        true,
    ),
    (
        &["--fail-on", "block", "--max-violation-rate", "1"],
        &["block"],
        true,
    ),
    (&["--allow-faults"], &["block", "error", "violation"], false),
];

const INPUTS: &[&[&str]] = &[
    &[
        "fixtures/readme/trace.jsonl",
        "--policy",
        "fixtures/readme/gate.toml",
    ],
    &[
        "fixtures/docs/trace.jsonl",
        "--policy",
        "fixtures/cases/escalation.toml",
    ],
    &[
        "fixtures/docs/hostile.jsonl",
        "--policy",
        "fixtures/docs/hostile.toml",
    ],
    &["fixtures/docs/faulty.jsonl"],
    &["fixtures/cases/drift.jsonl"],
    &["fixtures/cases/batch.jsonl"],
    &[
        "fixtures/cases/contracts.jsonl",
        "--policy",
        "fixtures/cases/contracts.toml",
    ],
];

/// The name of a run as it is shown.
fn shown(run: &str) -> String {
    match gate::escape::visible(run) {
        blank if blank.trim().is_empty() => format!("\"{blank}\""),
        shown => shown
            .replace('\u{fffe}', "\\u{fffe}")
            .replace('\u{ffff}', "\\u{ffff}")
            .replace('\u{1fffe}', "\\u{1fffe}"),
    }
}

#[test]
fn runs_fail_by_what_the_exit_status_counts() {
    for input in INPUTS {
        for (options, fail_on, excused) in OPTIONS {
            let args = [*input, *options].concat();
            let (status, report) = gate(&[&args[..], &["--format", "json"]].concat());
            let report: Value = serde_json::from_str(&report).expect("JSON");
            let (same, text) = junit(&args);
            assert_eq!(status, same, "{args:?}");
            let document = Document::parse(&text).expect("XML");
            let suites = suites(&document);
            let mut found = BTreeMap::new();
            for test in suites.iter().skip(1).flat_map(tests) {
                let name = test.attribute("name").expect("a name").to_owned();
                if name != "the input" {
                    found.insert(name, outcome(&test));
                }
            }
            let expected = expected(&report, fail_on, *excused);
            let expected: BTreeMap<String, &str> = expected
                .into_iter()
                .map(|(run, word)| (shown(&run), word))
                .collect();
            assert_eq!(found, expected, "{args:?}");
            let summary = &report["summary"];
            assert_eq!(summary["counts"]["runs"], found.len(), "{args:?}");
            let doubtful = found.values().filter(|word| **word == "error").count();
            if !options.contains(&"--allow-faults") {
                assert_eq!(summary["counts"]["inconclusive_runs"], doubtful, "{args:?}");
            }
            totals_are_right(&document, status);
            assert_eq!(property(&document, "exit.status"), status.to_string());
            assert_eq!(
                property(&document, "exit.reason"),
                summary["exit"]["reason"]
            );
        }
    }
}

/// Suites count their tests, the document its suites, and no status passes without a word.
fn totals_are_right(document: &Document<'_>, status: i32) {
    let mut all = [0, 0, 0];
    for suite in suites(document) {
        let tests = tests(&suite);
        let of = |word: &str| tests.iter().filter(|test| outcome(test) == word).count();
        let counts = [tests.len(), of("failure"), of("error"), of("skipped")];
        for (name, count) in ["tests", "failures", "errors", "skipped"]
            .iter()
            .zip(counts)
        {
            assert_eq!(suite.attribute(*name), Some(&*count.to_string()));
        }
        let mut names: Vec<_> = tests.iter().map(|test| test.attribute("name")).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), tests.len(), "no two tests have one name");
        for (total, count) in all.iter_mut().zip(counts) {
            *total += count;
        }
    }
    let root = document.root_element();
    for (name, total) in ["tests", "failures", "errors"].iter().zip(all) {
        assert_eq!(root.attribute(*name), Some(&*total.to_string()));
    }
    let [_, failures, errors] = all;
    match status {
        0 => assert_eq!((failures, errors), (0, 0)),
        1 => assert!(failures > 0 && errors == 0),
        _ => assert!(errors > 0),
    }
}

/// What filters and `--quiet` leave out is not told of, and fails its run all the same.
#[test]
fn filters_change_words_and_no_outcome() {
    let input = [
        "fixtures/readme/trace.jsonl",
        "--policy",
        "fixtures/readme/gate.toml",
    ];
    let (_, all) = junit(&input);
    for filter in [
        &["--run", "ticket-4711"][..],
        &["--tool", "nothing"],
        &["--only", "refused"],
        &["--quiet"],
    ] {
        let (status, some) = junit(&[&input[..], filter].concat());
        assert_eq!(status, 1);
        assert_eq!(outcomes(&some), outcomes(&all), "{filter:?}");
    }
    let (_, none) = junit(&[&input[..], &["--tool", "nothing"]].concat());
    assert!(none.contains("1 more call is not told here"), "{none}");
    assert!(!none.contains("trace.jsonl:5: block"), "{none}");
    assert!(none.contains("message=\"safety would fall"), "{none}");
}

/// What no run is to blame for has a test of its own.
#[test]
fn every_status_has_a_test() {
    let none = ("exit status".to_owned(), "error".to_owned());
    let (_dir, empty) = file("empty.jsonl", &[]);
    let (status, text) = junit(&[path(&empty)]);
    assert_eq!((status, outcomes(&text)), (2, vec![none]));
    let (status, text) = junit(&[path(&empty), "--allow-empty"]);
    assert_eq!((status, outcomes(&text)), (0, vec![]));

    let (_dir, gone) = file("gone.jsonl", &[r#"{"tool":"read_file","run":"a"}"#]);
    let folder = gone.parent().expect("a directory").join("not-there.jsonl");
    let (status, text) = junit(&[path(&gone), path(&folder)]);
    if status == 2 && !text.is_empty() {
        let names = outcomes(&text);
        assert!(
            names.contains(&("the input".into(), "error".into())),
            "{text}"
        );
    }

    let unsound = [
        "fixtures/docs/trace.jsonl",
        "--policy",
        "fixtures/docs/unsound.toml",
    ];
    let (status, text) = junit(&[&unsound[..], &["--fail-on", "unsound"]].concat());
    assert_eq!(status, 1);
    let failed = ("exit status".to_owned(), "failure".to_owned());
    assert!(outcomes(&text).contains(&failed), "{text}");
    assert!(text.contains("unsound_alpha"), "{text}");

    let (_dir, odd) = file(
        "odd.jsonl",
        &[r#"{"tool":"read_file","run":"a","agnet":"x"}"#],
    );
    let (status, text) = junit(&[path(&odd), "--deny-warnings"]);
    assert_eq!(status, 1);
    assert!(outcomes(&text).contains(&failed), "{text}");

    let (_dir, broken) = file("broken.jsonl", &["{", r#"{"tool":"read_file","run":"a"}"#]);
    let (status, text) = junit(&[path(&broken)]);
    let document = Document::parse(&text).expect("XML");
    totals_are_right(&document, status);
    let (status, text) = junit(&[path(&broken), "--allow-faults"]);
    assert_eq!(status, 0);
    assert!(
        !outcomes(&text).iter().all(|(_, word)| word == "passed"),
        "{text}"
    );
}

#[test]
fn a_run_without_a_call_has_not_passed() {
    let lines = [
        r#"{"type":"run_start","run":"a"}"#,
        r#"{"tool":"read_file","run":"b"}"#,
    ];
    let (_dir, input) = file("t.jsonl", &lines);
    let (status, text) = junit(&[path(&input)]);
    assert_eq!(status, 0);
    let mut found = outcomes(&text);
    found.sort();
    let words = [("a", "skipped"), ("b", "passed")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(found, words);
}

/// A run that began twice is two tests, a run that went on after its end is one, and what a fault says
/// of a run that has ended is not lost.
#[test]
fn runs_of_one_name() {
    let call = r#"{"tool":"read_file","run":"a"}"#;
    let start = r#"{"type":"run_start","run":"a"}"#;
    let end = r#"{"type":"run_end","run":"a"}"#;
    let damaged = r#"{"tool":"read_file","tool":"rm","run":"a"}"#;
    for (lines, expected) in [
        (&[start, call, end, start, call, end][..], 2),
        (&[start, end, start, call, end], 2),
        (&[call, end, call], 1),
        (&[call, end, damaged], 1),
    ] {
        let (_dir, input) = file("t.jsonl", lines);
        let (status, text) = junit(&[path(&input)]);
        let (_, report) = gate(&[path(&input), "--format", "json", "-q"]);
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let document = Document::parse(&text).expect("XML");
        totals_are_right(&document, status);
        let tests = tests(&suites(&document)[1]);
        let counts = &report["summary"]["counts"];
        assert_eq!(counts["runs"], tests.len(), "{lines:?} {text}");
        assert_eq!(tests.len(), expected, "{lines:?} {text}");
        let doubtful = tests.iter().filter(|test| outcome(test) == "error").count();
        assert_eq!(counts["inconclusive_runs"], doubtful, "{lines:?} {text}");
    }
}

/// One id in two inputs is a test in each; with `--merge-runs` it is one, where the run began.
#[test]
fn runs_of_two_inputs() {
    let lines = [r#"{"tool":"read_file","run":"a"}"#];
    let (_one, one) = file("one.jsonl", &lines);
    let (_two, two) = file("two.jsonl", &lines);
    let count = |args: &[&str]| {
        let (status, text) = junit(args);
        let document = Document::parse(&text).expect("XML");
        totals_are_right(&document, status);
        let suites = suites(&document);
        suites[1..]
            .iter()
            .map(|suite| tests(suite).len())
            .collect::<Vec<_>>()
    };
    assert_eq!(count(&[path(&one), path(&two)]), [1, 1]);
    assert_eq!(count(&[path(&one), path(&two), "--merge-runs"]), [1, 0]);
}

/// What is not told is counted.
#[test]
fn long_lists_end() {
    let policy = r#"[privilege.agents.nobody]"#;
    let calls: Vec<String> = (0..25)
        .map(|n| format!(r#"{{"tool":"read_file","run":"a","id":"c{n}"}}"#))
        .collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    let (_dir, input) = file("t.jsonl", &calls);
    let (_policy, policy) = file("p.toml", &[policy]);
    let (_, text) = junit(&[path(&input), "--policy", path(&policy)]);
    assert_eq!(
        text.matches(": block privilege/unknown_agent").count(),
        10,
        "{text}"
    );
    assert!(text.contains("25 calls; 25 blocks"), "{text}");
    assert!(text.contains("15 more calls are not told here"), "{text}");

    let (_dir, input) = file("t.jsonl", &["{"; 150]);
    let (_, text) = junit(&[path(&input)]);
    assert_eq!(
        text.matches(": fault malformed_json").count(),
        101,
        "100, and the first of them"
    );
    assert!(
        text.contains("and 50 more: 150 faults, 0 warnings in all"),
        "{text}"
    );
}

#[test]
fn calls_stand_where_build_servers_look() {
    let input = [
        "fixtures/readme/trace.jsonl",
        "--policy",
        "fixtures/readme/gate.toml",
    ];
    let (_, text) = junit(&input);
    let document = Document::parse(&text).expect("XML");
    let test = tests(&suites(&document)[1])[0];
    let attributes = ["name", "classname", "file", "line"].map(|name| test.attribute(name));
    let file = Some("fixtures/readme/trace.jsonl");
    assert_eq!(attributes, [Some("ticket-4711"), file, file, Some("5")]);
    let failure = test.first_element_child().expect("a failure");
    assert_eq!(failure.attribute("type"), Some("dcbf/forward_invariance"));
    let command = "gate replay --policy=fixtures/readme/gate.toml fixtures/readme/trace.jsonl";
    assert_eq!(property(&document, "command"), command);
}
