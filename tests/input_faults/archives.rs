//! Zip archives, of which those are read that hold the log of an evaluation.

use crate::support::*;
use gate::import::drive::ReadOptions;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const HEADER: &str =
    r#"{"version":2,"status":"success","eval":{"eval_id":"E"},"plan":{},"results":{}}"#;
const START: &str = r#"{"version":2,"eval":{"eval_id":"E"},"plan":{}}"#;

fn sample(tool: &str) -> String {
    format!(
        r#"{{"id":"{tool}","epoch":1,"input":"x","target":"y","messages":[{{"role":"assistant","content":"","tool_calls":[{{"id":"1","function":"{tool}","arguments":{{}}}}]}}]}}"#
    )
}

fn archive_by(method: CompressionMethod, members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, text) in members {
        writer.start_file(*name, options).expect("to memory");
        writer.write_all(text.as_bytes()).expect("to memory");
    }
    writer.finish().expect("to memory").into_inner()
}

fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    archive_by(CompressionMethod::Deflated, members)
}

/// An archive of two samples, as a log is written.
fn log() -> Vec<u8> {
    archive(&[
        ("_journal/start.json", START),
        ("samples/a_epoch_1.json", &sample("a")),
        ("samples/b_epoch_1.json", &sample("b")),
        ("summaries.json", "[]"),
        ("header.json", HEADER),
    ])
}

#[test]
fn samples_are_records_whatever_the_method() {
    for method in [
        CompressionMethod::Stored,
        CompressionMethod::Deflated,
        CompressionMethod::Zstd,
    ] {
        let bytes = archive_by(
            method,
            &[
                ("samples/a_epoch_1.json", &sample("a")),
                ("header.json", HEADER),
                ("samples/b_epoch_1.json", &sample("b")),
            ],
        );
        let seen = seen(&bytes);
        assert_eq!(seen.tools(), ["a", "b"]);
        let runs: Vec<_> = seen
            .calls
            .iter()
            .filter_map(|call| call.run.as_deref())
            .collect();
        assert_eq!(runs, ["E/a/1", "E/b/1"]);
        assert_eq!(seen.codes(), [""; 0]);
        assert_eq!(counts(&seen), [3, 3, 0, 0]);
        assert_eq!(seen.report.format, Some("inspect_ai"));
        assert_eq!(seen.report.raw_bytes, bytes.len() as u64);
        let unpacked = HEADER.len() + 2 * sample("a").len();
        assert_eq!(seen.report.bytes, unpacked as u64);
        assert!(seen.report.complete);
    }
}

#[test]
fn a_member_stands_for_the_line_of_its_number() {
    let seen = seen(log());
    let lines: Vec<_> = seen.places.iter().map(|place| place.line).collect();
    assert_eq!(lines, [2, 2, 2, 3, 3, 3]);
    assert!(
        seen.report.reason.contains("5 members, of which 2"),
        "{}",
        seen.report.reason
    );
}

#[test]
fn the_fixture_is_what_the_document_says() {
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |name: &str| {
        let bytes = std::fs::read(format!("{root}/fixtures/formats/{name}")).expect("a fixture");
        let seen = seen(bytes);
        assert_eq!(seen.report.faulty, 0);
        let calls = seen.calls.iter().map(|call| format!("{call:?}"));
        (calls.collect::<Vec<_>>(), seen.others)
    };
    assert_eq!(read("inspect_ai.eval"), read("inspect_ai.json"));
}

#[test]
fn another_archive_is_refused_as_before() {
    for members in [
        &[("a.json", "{}")][..],
        &[("samples/a_epoch_1.json", "{}")],
        &[],
    ] {
        let seen = seen_from(Box::new(&archive(members)[..]), "t.zip", &options());
        assert_eq!(seen.codes(), ["0:0 malformed_json"]);
        assert!(seen.notices[0].message.contains("zip archive"));
        assert!(seen.help().contains("unzip -p t.zip"));
        assert_eq!(counts(&seen), [0; 4]);
    }
    let other = seen(archive(&[
        ("header.json", r#"{"a":1}"#),
        ("samples/x.json", "{}"),
    ]));
    assert_eq!(other.codes(), ["0:0 unknown_type"]);
    assert_eq!(other.report.format, None);
    assert_eq!(counts(&other), [2, 0, 0, 2]);
}

#[test]
fn a_log_that_crashed_has_its_journal_alone() {
    let seen = seen(archive(&[
        ("_journal/start.json", START),
        ("samples/a_epoch_1.json", &sample("a")),
    ]));
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.codes(), ["1:1 assumed"]);
}

#[test]
fn a_damaged_member_is_a_fault_and_the_others_are_read() {
    let mut bytes = archive_by(
        CompressionMethod::Stored,
        &[
            ("header.json", HEADER),
            ("samples/a_epoch_1.json", &sample("a")),
            ("samples/b_epoch_1.json", "{\"id\":\n\n1x}"),
            ("samples/c_epoch_1.json", &sample("c")),
        ],
    );
    let at = memchr::memmem::find(&bytes, b"\"function\"").expect("stored");
    bytes[at + 1] = b'F';
    let seen = seen(&bytes);
    assert_eq!(seen.tools(), ["c"]);
    assert_eq!(seen.codes(), ["2:1 truncated_input", "3:0 malformed_json"]);
    for (notice, name) in seen.notices.iter().zip(["a", "b"]) {
        let name = format!("in `samples/{name}_epoch_1.json`");
        assert!(notice.message.ends_with(&name), "{}", notice.message);
    }
    assert_eq!(counts(&seen), [4, 2, 0, 2]);
    assert!(!seen.report.complete);
}

#[test]
fn a_damaged_header_is_replaced_by_the_journal() {
    let seen = seen(archive(&[
        ("header.json", "{"),
        ("samples/a_epoch_1.json", &sample("a")),
        ("_journal/start.json", START),
    ]));
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.calls[0].run.as_deref(), Some("E/a/1"));
    assert_eq!(seen.codes(), ["1:2 malformed_json", "3:1 assumed"]);
    let none = self::seen(archive(&[("header.json", "{"), ("samples/a.json", "x")]));
    assert_eq!(none.codes(), ["0:0 malformed_json"]);
    assert_eq!(counts(&none), [2, 0, 0, 2]);
}

#[test]
fn a_cut_archive_gives_the_members_that_are_whole() {
    let whole = log();
    let last = memchr::memmem::rfind(&whole, b"PK\x03\x04").expect("members");
    let cut = seen(&whole[..last + 10]);
    assert_eq!(cut.tools(), ["a", "b"]);
    assert_eq!(cut.codes(), ["0:0 truncated_input", "1:1 assumed"]);
    assert!(!cut.report.complete);
    let tight = ReadOptions {
        max_hold: last + 10,
        ..options()
    };
    let held = seen_with(&whole, &tight);
    assert_eq!(held.tools(), ["a", "b"]);
    assert_eq!(held.codes(), ["0:0 line_too_long", "1:1 assumed"]);
}

#[test]
fn members_are_bounded_one_by_one_and_together() {
    let long = format!("{}{}", sample("a"), " ".repeat(4000));
    let bytes = archive(&[
        ("header.json", HEADER),
        ("samples/a_epoch_1.json", &long),
        ("samples/b_epoch_1.json", &sample("b")),
    ]);
    let short = ReadOptions {
        max_line: 1000,
        ..options()
    };
    let one = seen_with(&bytes, &short);
    assert_eq!(one.tools(), ["b"]);
    assert_eq!(one.codes(), ["2:1 line_too_long"]);
    assert_eq!(one.help(), "raise `--max-line`");
    let few = ReadOptions {
        max_bytes: Some(1000),
        ..options()
    };
    let all = seen_with(&bytes, &few);
    assert_eq!(all.tools(), [""; 0]);
    assert_eq!(all.codes(), ["0:0 truncated_input"]);
    assert!(all.notices[0].message.contains("more than 1000 bytes"));
    assert!(!all.report.complete);
}

#[test]
fn a_bomb_is_a_fault() {
    let bomb = " ".repeat(3 << 20);
    let names: Vec<_> = (0..20)
        .map(|n| format!("samples/{n}_epoch_1.json"))
        .collect();
    let mut members = vec![("header.json", HEADER)];
    members.extend(names.iter().map(|name| (name.as_str(), bomb.as_str())));
    let bytes = archive_by(CompressionMethod::Zstd, &members);
    let small = ReadOptions {
        max_line: 4 << 20,
        ..options()
    };
    let seen = seen_with(&bytes, &small);
    let last = seen.notices.last().expect("a fault");
    assert_eq!(last.kind.code(), "truncated_input");
    assert!(
        last.message.contains("unpacks to more than"),
        "{}",
        last.message
    );
    assert!(seen.report.bytes <= (bytes.len() as u64 * 1000).max(4 << 20) + (4 << 20));
    assert!(seen.report.lines < 20);
}

#[test]
fn names_that_are_not_known_or_come_twice_are_told() {
    let mut bytes = archive(&[
        ("header.json", HEADER),
        ("samples/a_epoch_1.json", &sample("a")),
        ("samples/b_epoch_1.json", &sample("b")),
        ("notes.txt", "x"),
    ]);
    let unknown = seen(&bytes);
    assert_eq!(unknown.codes(), ["0:0 assumed"]);
    assert!(unknown.notices[0].message.contains("`notes.txt`"));
    let name = b"samples/b_epoch";
    while let Some(at) = memchr::memmem::find(&bytes, name) {
        bytes[at + 8] = b'a';
    }
    let twice = seen(&bytes);
    assert_eq!(twice.codes(), ["0:0 assumed", "0:0 assumed"]);
    assert_eq!(twice.tools(), ["b"]);
}
