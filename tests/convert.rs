//! `gate convert`: recordings of every format become canonical traces that replay to the same
//! decisions, and what is lost is told.

mod program;

use gate::convert::Converter;
use gate::engine::decision::Decision;
use gate::engine::{Counted, Engine, Final, Mode, Options, Output, RunReport};
use gate::import::drive::{InputReport, ReadOptions, read};
use gate::policy::{Policy, PolicySource, parse};
use gate::stages::STAGES;
use gate::trace::fault::Notice;
use program::{Scratch, ran};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

#[derive(Default)]
struct Decisions(Vec<Decision>);

impl Output for Decisions {
    fn decision(&mut self, decided: &mut Final) {
        self.0.push(Decision {
            line: 0,
            // A faulty record is not in the converted trace, and so leaves nothing in doubt there.
            inconclusive: false,
            ..std::mem::take(&mut decided.decision)
        });
    }

    fn notice(&mut self, _: Notice) {}
    fn run(&mut self, _: RunReport) {}
    fn count(&mut self, _: Counted) {}
}

fn replay(policy: &Policy, mode: Mode, stem: &str, bytes: &[u8]) -> (Vec<Decision>, InputReport) {
    let mut out = Decisions::default();
    let options = Options {
        mode,
        ..Options::default()
    };
    let mut engine = Engine::new(policy, STAGES, options, &mut out);
    engine.begin_input(0, stem);
    let read_options = ReadOptions::default();
    let report = read(0, stem, stem, Box::new(bytes), &read_options, &mut engine);
    engine.end_input();
    drop(engine);
    (out.0, report)
}

fn convert(stem: &str, bytes: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    let mut converter = Converter::new(Box::new(&mut written));
    converter.begin_input(0, stem);
    let options = ReadOptions::default();
    read(0, stem, stem, Box::new(bytes), &options, &mut converter);
    converter.end_input();
    assert!(converter.finish().1.is_none());
    written
}

/// The files of a directory of fixtures whose names end like this.
fn fixtures(directory: &str, ends: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let entries = std::fs::read_dir(root.join(directory)).expect("a directory");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.retain(|path| {
        let name = path.to_string_lossy();
        ends.iter().any(|end| name.ends_with(end))
    });
    paths.sort();
    paths
}

fn policies() -> Vec<Policy> {
    let mut policies = vec![Policy::built_in()];
    for directory in ["cases", "readme", "docs"] {
        for path in fixtures(directory, &[".toml"]) {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            let name = path.display().to_string();
            let beside = |file: &str| {
                let path = path.with_file_name(file);
                std::fs::read(path).map_err(|e| e.to_string())
            };
            let source = PolicySource::File(name.clone().into());
            let policy = parse(&text, &name, source, &beside);
            policies.push(policy.unwrap_or_else(|errors| panic!("{errors:?}")));
        }
    }
    policies
}

#[test]
fn every_fixture_replays_to_the_same_decisions() {
    let policies = policies();
    let mut calls = 0;
    for directory in ["formats", "cases", "readme", "docs"] {
        for path in fixtures(directory, &[".jsonl", ".json"]) {
            let bytes = std::fs::read(&path).expect("a file");
            let stem = path.file_stem().expect("a name").to_string_lossy();
            let once = convert(&stem, &bytes);
            assert_eq!(convert("other", &once), once, "{}", path.display());
            for policy in &policies {
                for mode in [Mode::Enforce, Mode::Observe] {
                    let (before, _) = replay(policy, mode, &stem, &bytes);
                    let (after, report) = replay(policy, mode, "other", &once);
                    let what = format!("{} under {}", path.display(), policy.source);
                    assert_eq!(before, after, "{what}");
                    assert_eq!((report.faulty, report.complete), (0, true), "{what}");
                    if !after.is_empty() {
                        assert_eq!(report.format, Some("canonical"), "{what}");
                    }
                    calls += after.len();
                }
            }
        }
    }
    assert!(calls > 1000, "{calls}");
}

const TRACE: &str = "{\"tool\":\"think\",\"result\":1}\n";

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", TRACE);
    let written =
        "{\"type\":\"tool_call\",\"run\":\"t\",\"tool\":\"think\",\"args\":{},\"result\":1}\n";
    let ran = scratch.gate("convert t.jsonl").ends(0);
    assert_eq!((&*ran.out, &*ran.err), (written, ""));
    let ran = scratch.gate("convert t.jsonl -o c.jsonl").ends(0);
    assert_eq!((&*ran.out, &*ran.err), ("", ""));
    assert_eq!(scratch.read("c.jsonl").as_deref(), Some(written));
    scratch.file("c.jsonl", "mine");
    for (args, why) in [
        ("convert t.jsonl -o c.jsonl", "--force"),
        ("convert t.jsonl -o t.jsonl --force", "is an input"),
        ("convert t.jsonl -o -", "`-` is no file"),
        ("convert t.jsonl -o no/c.jsonl", "cannot be written"),
        ("convert t.jsonl --force", "--output"),
    ] {
        let ran = scratch.gate(args).ends(2).says(why);
        assert!(ran.out.is_empty(), "{args}");
    }
    assert_eq!(scratch.read("c.jsonl").as_deref(), Some("mine"));
    assert_eq!(scratch.read("t.jsonl").as_deref(), Some(TRACE));
    scratch.gate("convert t.jsonl -o c.jsonl --force").ends(0);
    assert_eq!(scratch.read("c.jsonl").as_deref(), Some(written));
    assert_eq!(scratch.names(), ["c.jsonl", "t.jsonl"]);
}

#[test]
fn what_is_lost_is_told() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", format!("{TRACE}{{\"tool\":\n{{\"tool\":7}}\n"));
    let ran = scratch.gate("convert t.jsonl").ends(2);
    assert_eq!(ran.out.lines().count(), 1);
    let ran = ran
        .says("t.jsonl:2:9: malformed_json")
        .says("t.jsonl:3:9: bad_field")
        .says("missing in the output")
        .says("gate: 2 input faults; 1 record written");
    assert_eq!(ran.err.lines().count(), 4, "{}", ran.err);
    let ran = scratch.gate("convert t.jsonl --quiet").ends(2);
    assert_eq!(ran.err, "gate: 2 input faults; 1 record written\n");
    let ran = scratch.gate("convert t.jsonl -o c.jsonl --allow-faults");
    ran.ends(0).says("malformed_json");
    assert!(scratch.read("c.jsonl").is_some());
    scratch
        .gate("convert t.jsonl none.jsonl --allow-faults")
        .ends(2)
        .says("none.jsonl");
    scratch.file("e.jsonl", "");
    scratch
        .gate("convert e.jsonl")
        .ends(2)
        .says("no call in any input");
    scratch.gate("convert e.jsonl --allow-empty").ends(0);
    scratch.file("x.json", "{\"hello\":1}");
    scratch.gate("convert x.json").ends(2).says("unknown_type");
}

#[test]
fn arguments_that_nest_too_deep_are_judged_as_text() {
    let scratch = Scratch::new();
    let deep = format!("{}1{}", "{\\\"a\\\":".repeat(130), "}".repeat(130));
    let chat = format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"k","type":"function","function":{{"name":"f","arguments":"{deep}"}}}}]}}"#
    );
    for text in [chat, format!(r#"{{"tool":"f","args":"{deep}"}}"#)] {
        scratch.file("t.jsonl", text + "\n");
        let ran = scratch.gate("convert t.jsonl").ends(2).says("too_deep");
        scratch.file("c.jsonl", &ran.out);
        let again = scratch.gate("convert c.jsonl").ends(2).says("too_deep");
        assert_eq!(again.out, ran.out);
        for file in ["t.jsonl", "c.jsonl"] {
            let replay = scratch.gate(&format!("replay {file} --format jsonl --show-args"));
            assert_eq!(replay.ends(2).decisions(), ["f allow"], "{file}");
        }
    }
}

#[test]
fn what_records_say_against_each_other_is_told_and_written() {
    let scratch = Scratch::new();
    let call = "{\"tool\":\"a\",\"run\":\"r\",\"id\":\"c\"}\n";
    let other = call.replace("\"a\"", "\"b\"");
    let result = |value: u8| {
        format!("{{\"type\":\"tool_result\",\"run\":\"r\",\"call\":\"c\",\"result\":{value}}}\n")
    };
    for (name, text, at, says) in [
        ("call", format!("{call}{other}"), 2, "with other content"),
        (
            "result",
            [call, &result(1), &result(2)].concat(),
            3,
            "another result",
        ),
        ("same", [call, &result(1), &result(1), call].concat(), 0, ""),
    ] {
        scratch.file("t.jsonl", &text);
        let status = if at > 0 { 2 } else { 0 };
        let ran = scratch.gate("convert t.jsonl").ends(status).says(says);
        let place = format!("t.jsonl:{at}:1: duplicate_call_id");
        assert_eq!(ran.err.contains(&place), at > 0, "{name}: {}", ran.err);
        // The trace tells it again, and a replay of either is of the same mind.
        assert_eq!(ran.out.lines().count(), text.lines().count(), "{name}");
        scratch.file("c.jsonl", &ran.out);
        for command in ["convert", "inspect", "replay"] {
            for file in ["c.jsonl", "t.jsonl"] {
                scratch.gate(&format!("{command} {file}")).ends(status);
            }
        }
    }
}

#[test]
fn several_inputs_become_one_trace_whose_runs_stay_apart() {
    let scratch = Scratch::new();
    let outbound = "{\"tool\":\"send_email\",\"run\":\"r\",\"result\":1}\n".repeat(2);
    scratch.file("d/a.jsonl", &outbound);
    scratch.file("d/b.jsonl", &outbound);
    scratch.file("d/c.txt", "");
    let ran = scratch.gate("convert d -o c.jsonl").ends(0);
    let ran = ran
        .says("d/b.jsonl:1:1: warning: shared_run_id:")
        .says("`r#2`");
    assert_eq!(ran.err.lines().count(), 2, "{}", ran.err);
    let both = scratch.gate("replay d --format jsonl").ends(0);
    let one = scratch.gate("replay c.jsonl --format jsonl").ends(0);
    assert_eq!(both.decisions(), one.decisions());
    assert_eq!(one.summary()["counts"]["runs"], 2);
    let ran = scratch.gate_fed("convert -", outbound.as_bytes()).ends(0);
    assert_eq!(ran.out.lines().count(), 2);
    // A file that is named twice is converted once.
    let ran = scratch.gate("convert d/a.jsonl d/a.jsonl").ends(0);
    assert_eq!(ran.says("repeated_input").out.lines().count(), 2);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", TRACE.repeat(20_000));
    for (more, status) in [("", 0), ("none.jsonl", 2)] {
        let mut child = scratch.spawn(&format!("convert t.jsonl {more}"), Stdio::null());
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a first line");
        drop(stdout);
        let ran = ran(child.wait_with_output().expect("it ends")).ends(status);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        assert_eq!(ran.err.is_empty(), status == 0, "{}", ran.err);
    }
    let full = std::fs::File::options().write(true).open("/dev/full");
    if let Ok(full) = full {
        let mut command = scratch.command("convert t.jsonl");
        command.stdout(full);
        let ran = ran(command.output().expect("the program runs")).ends(2);
        ran.says("standard output cannot be written");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file() {
    let scratch = Scratch::new();
    let pipe = scratch.path().join("pipe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("not tested: no named pipes here");
        return;
    }
    let child = scratch.spawn("convert pipe.jsonl -o c.jsonl", Stdio::null());
    // Opening waits until the program reads, and it reads only once it is ready to be stopped.
    let mut writer = std::fs::File::options()
        .write(true)
        .open(&pipe)
        .expect("the program opens the other end");
    std::io::Write::write_all(&mut writer, TRACE.as_bytes()).expect("a record");
    assert_eq!(scratch.names().len(), 2, "a file is under way");
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.is_ok_and(|status| status.success()));
    ran(child.wait_with_output().expect("it ends")).ends(130);
    assert_eq!(scratch.names(), ["pipe.jsonl"]);
}
