//! Inputs and policies whose names are no UTF-8, or look as if they were none: no two are taken or shown for
//! one.

#![cfg(target_os = "linux")]

mod program;

use program::{Ran, Scratch, ran};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Names of which careless eyes take any two for one.
const NAMES: &[&[u8]] = &[
    b"a\xff.jsonl",
    b"a\xfe.jsonl",
    b"a\\xff.jsonl",
    b"a\\\\xff.jsonl",
    "a\u{fffd}.jsonl".as_bytes(),
];

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let call = "{\"tool\":\"send_email\"}\n";
    for name in NAMES {
        let path = scratch.path().join(OsStr::from_bytes(name));
        std::fs::write(path, call.repeat(2)).expect("a file");
    }
    scratch
}

fn gate(scratch: &Scratch, args: &str) -> Ran {
    let names = NAMES.iter().map(|name| OsStr::from_bytes(name));
    ran(scratch
        .command(args)
        .args(names)
        .output()
        .expect("the program runs"))
}

/// Two calls are let pass in a run, and a third would not be.
#[test]
fn runs_of_inputs_are_as_many_as_these() {
    let scratch = scratch();
    let ran = gate(
        &scratch,
        "replay --merge-runs --format json --junit j.xml --otlp o.jsonl",
    );
    let report: Value = serde_json::from_str(&ran.ends(0).out).expect("JSON");
    let summary = &report["summary"];
    assert_eq!(summary["counts"]["runs"], NAMES.len());
    let inputs = summary["inputs"].as_array().expect("a list");
    let files: Vec<&str> = inputs
        .iter()
        .filter_map(|input| input["file"].as_str())
        .collect();
    assert_eq!(
        files,
        [
            r"a\xff.jsonl",
            r"a\xfe.jsonl",
            r"a\\xff.jsonl",
            r"a\\\\xff.jsonl",
            "a\u{fffd}.jsonl"
        ]
    );
    let junit = scratch.read("j.xml").expect("a report");
    for file in files {
        let suite = format!("<testsuite name=\"{file}\" file=\"{file}\"");
        assert_eq!(junit.matches(&suite).count(), 1, "{file}");
    }
    let otlp = scratch.read("o.jsonl").expect("a report");
    let traces = otlp.split("\"traceId\":\"").skip(1);
    let traces: BTreeSet<&str> = traces.filter_map(|after| after.get(..32)).collect();
    assert_eq!(traces.len(), NAMES.len() + 1);
}

/// The command that makes the report again names these inputs, for a shell that reads `$'…'`.
#[test]
fn the_command_names_them() {
    let scratch = scratch();
    let page = gate(&scratch, "replay --format html").ends(0).out;
    let command = "$&#39;a\\xff.jsonl&#39; $&#39;a\\xfe.jsonl&#39; &#39;a\\xff.jsonl&#39; \
                   &#39;a\\\\xff.jsonl&#39; &#39;a\u{fffd}.jsonl&#39;";
    assert!(page.contains(command), "{page}");
}

/// A policy is not written over, whatever its name, and no other file is taken for it.
#[test]
fn a_policy_is_told_from_what_it_is_shown_as() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", "{\"tool\":\"a\"}\n");
    let names = [&b"p\xff"[..], b"p\\xff"].map(OsStr::from_bytes);
    for name in names {
        std::fs::write(scratch.path().join(name), "").expect("a file");
    }
    for written in names {
        let mut command = scratch.command("replay t.jsonl --force --policy");
        command.arg(names[0]).arg("--json").arg(written);
        let ran = ran(command.output().expect("the program runs"));
        match written == names[0] {
            true => _ = ran.ends(2).says("is an input"),
            false => _ = ran.ends(0),
        }
    }
}

/// A file may have the name that standard input is shown by.
#[test]
fn standard_input_is_no_file() {
    let scratch = Scratch::new();
    let call = "{\"tool\":\"a\",\"run\":\"r\"}\n";
    scratch.file("stdin", call);
    let ran = scratch.gate_fed("replay stdin - --format jsonl", call.as_bytes());
    let ran = ran.ends(0);
    let records = ran.records();
    let decided = records
        .iter()
        .filter(|record| record["record"] == "decision");
    let files: Vec<&Value> = decided.map(|record| &record["file"]).collect();
    assert_eq!(files, ["./stdin", "stdin"]);
}
