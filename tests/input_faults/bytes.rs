//! Bytes and framing.

use crate::support::*;
use std::io::{self, Read};

#[test]
fn nothing_is_no_record() {
    for bytes in ["", "\n", "  \n\t\r\n "] {
        let seen = seen(bytes);
        assert_eq!((seen.report.records, seen.report.format), (0, None));
        assert!(seen.notices.is_empty() && seen.report.complete, "{bytes:?}");
    }
}

#[test]
fn blank_lines_are_counted_and_numbers_stay_right() {
    let seen = seen("\n{\"tool\":\"a\"}\n \n\n{\"tool\":\"b\"}\n{x\n");
    assert_eq!(counts(&seen), [6, 2, 3, 1]);
    assert_eq!(seen.places[1].line, 5);
    assert_eq!(seen.codes(), ["6:2 malformed_json"]);
}

#[test]
fn a_last_line_without_an_end_is_read() {
    assert_eq!(
        seen("{\"tool\":\"a\"}\n{\"tool\":\"b\"}").tools(),
        ["a", "b"]
    );
}

#[test]
fn a_torn_last_line_makes_the_input_incomplete() {
    let torn = seen("{\"tool\":\"a\"}\n{\"tool\":\"b\",\"ar");
    assert_eq!(torn.tools(), ["a"]);
    assert_eq!(torn.codes(), ["2:16 truncated_input"]);
    assert!(torn.notices[0].message.contains("byte offset 28"));
    assert!(!torn.report.complete);
    assert_eq!(counts(&torn), [2, 1, 0, 1]);
    // The same line with a line end behind it is broken, not torn.
    let broken = seen("{\"tool\":\"a\"}\n{\"tool\":\"b\",\"ar\n");
    assert_eq!(broken.codes(), ["2:16 malformed_json"]);
    assert!(broken.report.complete);
}

#[test]
fn a_torn_tail_that_is_let_pass_is_a_warning() {
    let mut options = options();
    options.allow_torn_tail = true;
    let seen = seen_with("{\"tool\":\"a\"}\n{\"to", &options);
    assert_eq!(seen.codes(), ["2:5 torn_tail"]);
    assert!(!seen.report.complete);
}

#[test]
fn carriage_returns_of_line_ends_are_no_part_of_a_record() {
    let seen = seen("{\"tool\":\"a\",\"args\":\"x\"}\r\n\r\n{\"tool\":\"b\"}\r\n");
    assert_eq!(seen.tools(), ["a", "b"]);
    assert_eq!(seen.calls[0].args.bytes(), b"\"x\"");
    assert_eq!(counts(&seen), [3, 2, 1, 0]);
    assert!(seen.notices.is_empty());
}

#[test]
fn lone_carriage_returns_as_line_ends_are_named() {
    let seen = seen("{\"tool\":\"a\"}\r{\"tool\":\"b\"}\r");
    assert_eq!(seen.codes(), ["1:14 malformed_json"]);
    assert!(seen.notices[0].message.contains("CR line endings"));
    assert!(seen.help().contains("tr '\\r' '\\n'"));
}

#[test]
fn a_byte_order_mark_at_the_start_is_stripped_and_columns_keep_it() {
    let seen = seen(b"\xef\xbb\xbf{\"tool\":\"a\"}\n{\"tool\":\"b\"}\n");
    assert_eq!(seen.tools(), ["a", "b"]);
    assert!(seen.notices.is_empty());
    assert_eq!(seen.places[0].column, 4);
}

#[test]
fn a_byte_order_mark_in_a_later_line_is_a_warning() {
    let seen = seen(b"{\"tool\":\"a\"}\n\xef\xbb\xbf{\"tool\":\"\"}\n");
    assert_eq!(seen.codes(), ["2:1 stray_bom", "2:12 bad_field"]);
}

#[test]
fn utf_16_is_named_with_and_without_a_mark() {
    let wide = |text: &str, le: bool| -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|u| if le { u.to_le_bytes() } else { u.to_be_bytes() })
            .collect()
    };
    for (text, le, encoding) in [
        ("\u{feff}{\"tool\":\"a\"}", true, "UTF-16 "),
        ("\u{feff}{\"tool\":\"a\"}", false, "UTF-16 "),
        ("{\"tool\":\"a\"}", true, "UTF-16LE"),
        ("{\"tool\":\"a\"}", false, "UTF-16BE"),
    ] {
        let seen = seen(wide(text, le));
        assert_eq!(seen.codes(), ["0:0 invalid_utf8"]);
        assert!(seen.help().contains(&format!("iconv -f {encoding}")));
        assert!(!seen.report.complete);
    }
}

#[test]
fn a_raw_nul_inside_a_line_is_malformed() {
    let seen = seen(b"{\"tool\":\"a\0b\"}\n{\"tool\":\"b\"}\n");
    assert_eq!(seen.codes(), ["1:11 malformed_json"]);
    assert_eq!(seen.tools(), ["b"]);
}

#[test]
fn a_tail_of_nul_bytes_is_no_torn_tail() {
    let mut options = options();
    options.allow_torn_tail = true;
    let seen = seen_with(b"{\"tool\":\"a\"}\n{\"tool\":\"b\0\0\0\0", &options);
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.codes(), ["2:11 malformed_json"]);
    assert_eq!(seen.notices[0].message, "4 NUL bytes at offset 23");
}

#[test]
fn an_escaped_nul_is_kept_and_told() {
    let seen = seen(r#"{"tool":"a\u0000","id":"i\u0000","args":{"p":"x\u0000"}}"#);
    assert_eq!(
        seen.codes(),
        [
            "1:9 nul_character",
            "1:24 nul_character",
            "1:48 nul_character"
        ]
    );
    assert_eq!(seen.tools(), ["a\0"]);
}

#[test]
fn bytes_that_are_not_utf_8_in_text_leave_the_call_decided() {
    for bad in [&b"\xff"[..], b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x82"] {
        for field in ["args", "result"] {
            let mut line = format!("{{\"tool\":\"a\",\"{field}\":\"x").into_bytes();
            let column = line.len() + 1;
            line.extend_from_slice(bad);
            line.extend_from_slice(b"y\"}\n");
            let seen = seen(line);
            assert_eq!(seen.tools(), ["a"]);
            assert_eq!(seen.codes(), [format!("1:{column} invalid_utf8")]);
            assert_eq!(counts(&seen), [1, 0, 0, 1]);
        }
    }
}

#[test]
fn bytes_that_are_not_utf_8_in_a_name_or_id_leave_the_record_out() {
    for line in [
        &b"{\"tool\":\"a\xff\"}"[..],
        b"{\"tool\":\"a\",\"id\":\"\xff\"}",
        b"{\"tool\":\"a\",\"run\":\"\xff\"}",
        b"{\"tool\":\"a\",\"batch\":\"\xff\"}",
        b"{\"tool\":\"a\",\"decision\":\"\xff\"}",
        b"{\"tool\":\"a\",\"ru\xff\":\"x\"}",
        b"{\"type\":\"tool_call\xff\",\"tool\":\"a\"}",
        b"{\"type\":\"tool_result\",\"call\":\"\xff\"}",
    ] {
        let column = line.iter().position(|&b| b == 0xff).expect("bad byte") + 1;
        let seen = seen(line);
        assert!(seen.calls.is_empty() && seen.others.is_empty());
        assert_eq!(seen.codes(), [format!("1:{column} invalid_utf8")]);
        assert!(seen.notices[0].message.contains("not used"));
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_a_fault_in_an_ignored_field_too() {
    let seen = seen(b"{\"tool\":\"a\",\"note\":\"\xff\"}\n");
    assert_eq!(seen.codes(), ["1:21 invalid_utf8"]);
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.notices[0].run.as_deref(), Some("t"));
}

#[test]
fn a_lone_surrogate_is_repaired_in_text_and_a_fault_in_a_name() {
    let text = seen(r#"{"tool":"a","args":{"p":"\ud800"},"result":"\udc00x"}"#);
    assert_eq!(text.tools(), ["a"]);
    assert_eq!(text.codes(), ["1:45 repaired_text", "1:26 repaired_text"]);
    for line in [
        r#"{"tool":"\ud800"}"#,
        r#"{"tool":"a","id":"\ud800"}"#,
        r#"{"tool":"a","run":"\ud800"}"#,
    ] {
        let seen = seen(line);
        assert!(seen.calls.is_empty());
        assert_eq!(seen.notices[0].kind.code(), "invalid_utf8");
        assert!(seen.notices[0].message.contains("lone surrogate"));
    }
}

#[test]
fn a_line_above_the_limit_is_skipped_and_the_next_one_read() {
    let mut options = options();
    options.max_line = 100;
    let long = format!("{{\"tool\":\"{}\"}}\n", "x".repeat(2_000_000));
    let seen = seen_with(call("a") + &long + &call("b"), &options);
    assert_eq!(seen.tools(), ["a", "b"]);
    assert_eq!(seen.codes(), ["2:0 line_too_long"]);
    assert_eq!(seen.places[1].line, 3);
    assert_eq!(counts(&seen), [3, 2, 0, 1]);
}

#[test]
fn a_long_argument_under_the_limit_is_read() {
    let mut options = options();
    options.max_line = 4 << 20;
    let text = "x".repeat((4 << 20) - 100);
    let seen = seen_with(format!("{{\"tool\":\"a\",\"args\":\"{text}\"}}"), &options);
    assert_eq!(seen.calls[0].args.bytes().len(), text.len() + 2);
    assert!(seen.notices.is_empty());
}

/// Gives its bytes, then fails as a broken disk does.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::other("input/output error"));
        }
        self.0.read(buf)
    }
}

#[test]
fn a_read_error_keeps_what_came_before_it() {
    let text = call("a") + "{\"tool\":\"b\"}";
    let seen = seen_from(Box::new(Failing(text.as_bytes())), "t", &options());
    assert_eq!(seen.tools(), ["a", "b"]);
    assert_eq!(seen.codes(), ["0:0 truncated_input"]);
    assert!(seen.notices[0].message.contains("input/output error"));
    assert!(!seen.report.complete);
    let nothing = seen_from(Box::new(Failing(b"")), "t", &options());
    assert_eq!(nothing.codes(), ["0:0 truncated_input"]);
}

#[test]
fn the_report_hashes_and_counts_the_raw_bytes() {
    let seen = seen("abc");
    assert_eq!(
        seen.report.sha256,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!((seen.report.raw_bytes, seen.report.bytes), (3, 3));
}

#[test]
fn a_reader_that_drips_changes_nothing() {
    struct Drip<'a>(&'a [u8]);
    impl Read for Drip<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = buf.len().min(1);
            self.0.read(&mut buf[..n])
        }
    }
    let text = call("a") + "\r\n{x\n" + &call("b");
    let slow = seen_from(Box::new(Drip(text.as_bytes())), "t", &options());
    let fast = seen(&text);
    assert_eq!(slow.report, fast.report);
    assert_eq!(slow.notices, fast.notices);
    assert_eq!(slow.calls, fast.calls);
}
