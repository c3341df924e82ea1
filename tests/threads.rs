//! What comes out does not depend on how many threads read: pieces of an input are read side by side,
//! and judged and written in their order.

mod program;

use program::Scratch;
use std::fmt::Write;

/// A trace of several pieces, good and bad: runs side by side, results, names that are not known and
/// fields where they do not belong (which are told once), calls met again and others that a regex refuses, damaged lines, one that is longer than a piece
/// and one that is too long.
fn trace() -> String {
    let mut text = String::new();
    for n in 0..6_000_u32 {
        let (run, turn) = (n % 7, n / 7);
        let filler = "x y ".repeat((n % 50) as usize);
        match n % 101 {
            3 => text.push_str("{\"run\":\"r1\",\"tool\":\n"),
            5 => text.push_str("[1]\n"),
            9 => text.push_str("\r\n"),
            17 => text.push_str("{\"tool\":\"a\",\"toool\":1,\"other\":2}\n"),
            23 => text.push_str(
                "{\"run\":\"r2\",\"tool\":\"b\",\"intent\":\"to c\",\"args\":{\"a\":1,\"a\":2}}\n",
            ),
            31 => text.push_str(
                "\u{feff}{\"run\":\"r3\",\"tool\":\"send_email\",\"args\":{\"to\":\"\\ud800\"}}\n",
            ),
            77 => text.push_str("\0\0\0\n"),
            _ => {
                let tool = ["sql_query", "http_request", "file_read"][(n % 3) as usize];
                let call = format!(
                    r#"{{"run":"r{run}","turn":{turn},"id":"c{n}","tool":"{tool}","args":{{"q":"{filler}"}}}}"#
                );
                let _ = writeln!(text, "{call}");
                let more = match n % 101 {
                    41 => Some(call),
                    43 => Some(call.replace("\"q\"", "\"other\"")),
                    47 => Some(call.replace("\"c", "\"d").replace("x y", "DROP Table")),
                    _ => None,
                };
                if let Some(more) = more {
                    let _ = writeln!(text, "{more}");
                }
                let _ = writeln!(
                    text,
                    r#"{{"type":"tool_result","run":"r{run}","call":"c{n}","result":"{filler}","cost_usd":0.001}}"#
                );
            }
        }
        if n == 3_000 {
            let long = "z".repeat(700_000);
            let _ = writeln!(
                text,
                r#"{{"run":"r4","tool":"long","args":{{"q":"{long}"}}}}"#
            );
            let _ = writeln!(text, "{}", "w".repeat(900_000));
        }
    }
    text.push_str("{\"run\":\"r0\",\"tool\":\"torn");
    text
}

/// Something of all that is worked out of calls where they are read.
const POLICY: &str = r#"
[gates]
refuse = ["(?i)drop table", "(x y ){40}"]

[dfa]
max_repeats = 3
"#;

#[test]
fn bytes_do_not_depend_on_threads() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", trace());
    scratch.file("u.jsonl", "{\"run\":\"r0\",\"tool\":\"a\"}\n");
    scratch.file("gate.toml", POLICY);
    for format in ["jsonl", "csv", "table", "json"] {
        let ran = |threads: u32| {
            let args = format!(
                "replay --threads {threads} --max-line 800000 --format {format} --jsonl side.{threads} \
                 --csv side.csv --force --allow-faults t.jsonl u.jsonl"
            );
            let ran = scratch.gate(&args);
            (
                ran.status,
                ran.out,
                ran.err,
                scratch.read(&format!("side.{threads}")),
                scratch.read("side.csv"),
            )
        };
        let one = ran(1);
        assert!(one.1.len() > 100_000, "{}", one.1.len());
        for threads in [2, 3, 8] {
            assert!(one == ran(threads), "{format} with {threads} threads");
        }
    }
}

/// Other commands read the same way.
#[test]
fn inspections_do_not_depend_on_threads() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", trace());
    for command in [
        "inspect --format json",
        "convert",
        "robustness --format json",
    ] {
        let ran = |threads: u32| scratch.gate(&format!("{command} --threads {threads} t.jsonl"));
        let (one, four) = (ran(1), ran(4));
        assert_eq!(one.status, four.status, "{command}");
        assert!(one.out == four.out && one.err == four.err, "{command}");
        assert!(!one.out.is_empty(), "{command}");
    }
}
