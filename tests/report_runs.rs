//! Runs in the reports that tell of each: as many as the summary counts, whatever their beginnings, ends
//! and calls follow one another, and every call under one of them.

mod program;

use program::Scratch;
use roxmltree::Document;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const START: &str = r#"{"type":"run_start","run":"r"}"#;
const CALL: &str = r#"{"type":"tool_call","run":"r","tool":"t","args":{"q":"good"}}"#;
const REFUSED: &str = r#"{"type":"tool_call","run":"r","tool":"t","args":{"q":"bad"}}"#;
const END: &str = r#"{"type":"run_end","run":"r"}"#;

/// Every row of so many records.
fn rows(length: usize) -> Vec<Vec<&'static str>> {
    let Some(shorter) = length.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for row in rows(shorter) {
        for record in [START, CALL, REFUSED, END] {
            all.push([&row[..], &[record]].concat());
        }
    }
    all
}

fn spans(report: &str) -> Vec<Value> {
    let requests = report
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let spans = requests.flat_map(|request: Value| {
        let spans = &request["resourceSpans"][0]["scopeSpans"][0]["spans"];
        spans.as_array().expect("a list").clone()
    });
    spans.collect()
}

/// Audits these inputs with a policy that refuses what is bad, and holds the reports against the summary,
/// which is given.
fn audit(scratch: &Scratch, inputs: &str) -> Value {
    scratch.file("p.toml", "[gates]\nrefuse = [\"bad\"]\n");
    let ran = scratch.gate(&format!(
        "replay {inputs} --policy p.toml --format json --allow-empty --fail-on none --force \
         --junit j.xml --otlp o.jsonl --html h.html"
    ));
    let mut report: Value = serde_json::from_str(&ran.out).expect("JSON");
    let summary = report["summary"].take();
    assert_eq!(summary["broken_laws"], json!([]));
    let counts = &summary["counts"];
    let runs = counts["runs"].as_u64().expect("a count") as usize;
    let junit = scratch.read("j.xml").expect("a report");
    let document = Document::parse(&junit).expect("XML");
    let cases = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    let of_runs = cases.filter(|case| case.attribute("name").is_some_and(|n| n.starts_with('r')));
    assert_eq!(of_runs.count(), runs, "JUnit");
    let spans = spans(&scratch.read("o.jsonl").expect("a report"));
    let of_runs = spans.iter().filter(|span| span["name"] == "gate run");
    assert_eq!(of_runs.count(), runs, "OTLP");
    let ids: BTreeSet<_> = spans.iter().map(|span| span["spanId"].as_str()).collect();
    assert_eq!(ids.len(), spans.len(), "ids");
    let events = spans.iter().filter_map(|span| span["events"].as_array());
    let decided = events
        .flatten()
        .filter(|event| event["name"] == "gate.decision");
    assert_eq!(Some(decided.count() as u64), counts["calls"].as_u64());
    summary
}

/// All rows of up to four records, in one program each.
#[test]
fn reports_tell_of_the_runs_that_are_counted() {
    let scratch = Scratch::new();
    for row in (1..=4).flat_map(rows) {
        println!("{row:#?}");
        scratch.file("t.jsonl", row.join("\n") + "\n");
        audit(&scratch, "t.jsonl");
    }
}

/// The same where a run goes on from one input into the next: nothing but places is another than in one
/// input, and what is refused stands under the run's first.
#[test]
fn a_run_that_goes_on_in_another_input_is_one() {
    let scratch = Scratch::new();
    for row in (2..=3).flat_map(rows) {
        scratch.file("t.jsonl", row.join("\n") + "\n");
        let whole = audit(&scratch, "t.jsonl");
        for cut in 1..row.len() {
            println!("{row:#?} cut at {cut}");
            let (a, b) = row.split_at(cut);
            scratch.file("a.jsonl", a.join("\n") + "\n");
            scratch.file("b.jsonl", b.join("\n") + "\n");
            let parts = audit(&scratch, "a.jsonl b.jsonl --merge-runs");
            for field in ["counts", "decisions", "violations"] {
                assert_eq!(parts[field], whole[field], "{field}");
            }
            let refused = |summary: &Value| -> Vec<(Value, Value)> {
                let runs = summary["refusals"].as_array().expect("a list").iter();
                let run = |run: &Value| (run["refused"].clone(), run["calls"].clone());
                runs.map(run).collect()
            };
            assert_eq!(refused(&parts), refused(&whole));
        }
    }
}

/// Every report says of a call which input it stands in, where that is not the one its run began in.
#[test]
fn calls_of_a_run_have_their_own_inputs() {
    let scratch = Scratch::new();
    scratch.file("a.jsonl", [CALL, REFUSED].join("\n") + "\n");
    scratch.file("b.jsonl", format!("\n\n\n{REFUSED}\n"));
    scratch.file("n.jsonl", format!("\n\n\n\n{CALL}\n{CALL}\n"));
    let command = "a.jsonl b.jsonl n.jsonl --merge-runs";
    let summary = audit(&scratch, command);
    assert_eq!(
        summary["refusals"],
        json!([{"file": "a.jsonl", "run": "r", "refused": 2, "calls": 5}])
    );
    let nearest = &summary["nearest"];
    assert_eq!(
        (&nearest["file"], &nearest["line"]),
        (&json!("n.jsonl"), &json!(6))
    );

    let ran = scratch.gate(&format!("replay {command} --policy p.toml --format junit"));
    let document = Document::parse(&ran.out).expect("XML");
    let mut cases = document.descendants();
    let case = cases.find(|node| node.attribute("name") == Some("r"));
    let case = case.expect("a test");
    let place = ["classname", "file", "line"].map(|name| case.attribute(name));
    assert_eq!(place, [Some("a.jsonl"), Some("a.jsonl"), Some("2")]);
    let failure = case.first_element_child().and_then(|node| node.text());
    let failure = failure.expect("words");
    for place in ["a.jsonl:2: block", "b.jsonl:4: block"] {
        assert!(failure.contains(place), "{failure}");
    }

    let told = spans(&scratch.read("o.jsonl").expect("a report"));
    let events = told.iter().filter_map(|span| span["events"].as_array());
    let decided = events
        .flatten()
        .filter(|event| event["name"] == "gate.decision");
    let file = |event: &Value| {
        let mut attributes = event["attributes"].as_array().expect("a list").iter();
        let file = attributes.find(|attribute| attribute["key"] == "gate.file");
        file.map_or(Value::Null, |file| file["value"]["stringValue"].clone())
    };
    let files: Vec<Value> = decided.map(file).collect();
    let none = Value::Null;
    assert_eq!(
        json!(files),
        json!([none, none, "b.jsonl", "n.jsonl", "n.jsonl"])
    );

    let page = scratch.read("h.html").expect("a page");
    let page = page
        .replace("<bdi class=\"u short\">", "")
        .replace("</bdi>", "");
    for place in [
        "at call 5, n.jsonl:6",
        "call 2, line 2: refused",
        "call 3, b.jsonl:4: refused",
    ] {
        assert!(page.contains(place), "{place}");
    }

    // The first listed one that fails the run, in another input.
    let command = "replay b.jsonl a.jsonl --merge-runs --policy p.toml --format junit";
    scratch.file("b.jsonl", CALL);
    let ran = scratch.gate(command);
    let document = Document::parse(&ran.out).expect("XML");
    let mut cases = document.descendants();
    let case = cases.find(|node| node.attribute("name") == Some("r"));
    let place =
        ["classname", "file", "line"].map(|name| case.and_then(|case| case.attribute(name)));
    assert_eq!(place, [Some("b.jsonl"), Some("a.jsonl"), Some("2")]);
}

/// Runs that come equally near, begun in one order and ended in another, one of them near two barriers.
#[test]
fn runs_stand_in_one_order_everywhere() {
    let scratch = Scratch::new();
    let barrier = |name: &str, tool: &str| {
        format!("[dcbf.barriers.{name}]\nexpr = \"2.0 - double(count('{tool}'))\"\n")
    };
    scratch.file("p.toml", barrier("first", "p") + &barrier("second", "q"));
    let call = |run: &str, tool: &str| format!("{{\"tool\":\"{tool}\",\"run\":\"{run}\"}}\n");
    let end = |run: &str| format!("{{\"type\":\"run_end\",\"run\":\"{run}\"}}\n");
    let trace = [
        call("u", "q"),
        call("v", "p"),
        call("w", "x"),
        call("x", "q"),
        call("x", "p"),
        call("y", "p"),
        end("y"),
        end("x"),
        end("w"),
        end("v"),
        end("u"),
    ];
    scratch.file("t.jsonl", trace.concat());
    let expected = [
        ("v", "first", 1),
        ("x", "first", 2),
        ("y", "first", 1),
        ("u", "second", 1),
        ("w", "stability", 1),
    ];

    let ran = scratch.gate("robustness t.jsonl --policy p.toml --format json");
    let ranked: Value = serde_json::from_str(&ran.ends(0).out).expect("JSON");
    let ranked = ranked["listed"].as_array().expect("a list").iter();
    let ranked = ranked.map(|run| {
        let nearest = &run["nearest"];
        json!([run["run"], nearest["barrier"], nearest["at"]["seq"]])
    });
    assert_eq!(json!(ranked.collect::<Vec<_>>()), json!(expected));

    let ran =
        scratch.gate("replay t.jsonl --policy p.toml --html h.html --jsonl j.jsonl --width 200");
    let page = scratch.read("h.html").expect("a page");
    let cards = page.split("<details class=\"run\"").skip(1);
    let words = cards.map(|card| {
        let parts = card.split('<').skip(1);
        let texts = parts.filter_map(|part| Some(part.split_once('>')?.1));
        texts.collect::<String>()
    });
    for (card, (run, barrier, seq)) in words.zip(expected) {
        let begins = format!("{run} {barrier} ");
        assert!(card.trim_start().starts_with(&begins), "{begins}: {card}");
        assert!(card.contains(&format!("at call {seq}, ")), "{seq}: {card}");
    }
    let (_, drawn) = ran.out.split_once("course of h").expect("a section");
    let drawn = drawn.lines().skip(2).take(expected.len());
    let drawn: Vec<&str> = drawn
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(drawn, expected.map(|(run, ..)| run));
    let lines = scratch.read("j.jsonl").expect("a report");
    let summary: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&summary["nearest"]["run"], &summary["nearest"]["line"]),
        (&json!("v"), &json!(2))
    );
}
