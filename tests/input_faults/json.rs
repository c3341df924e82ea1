//! JSON: what is no record, and how documents are cut into records.

use crate::support::*;

#[test]
fn a_malformed_line_in_the_middle_leaves_the_others() {
    let seen = seen(call("a") + "{\"tool\":\"x\",}\n" + &call("b"));
    assert_eq!(seen.tools(), ["a", "b"]);
    assert_eq!(seen.codes(), ["2:13 malformed_json"]);
    assert_eq!(counts(&seen), [3, 2, 0, 1]);
    assert!(seen.report.complete);
    assert_eq!(seen.notices[0].run, None);
}

#[test]
fn two_objects_on_a_line_are_not_read_as_one() {
    let seen = seen("{\"tool\":\"a\"}{\"tool\":\"b\"}\n");
    assert!(seen.calls.is_empty());
    assert_eq!(seen.codes(), ["1:13 malformed_json"]);
    assert!(seen.help().contains("jq -c ."));
}

#[test]
fn text_after_an_object_is_malformed() {
    let seen = seen("{\"tool\":\"a\"} trailing\n");
    assert_eq!(seen.codes(), ["1:14 malformed_json"]);
    assert!(seen.help().contains("jq -c ."));
}

#[test]
fn a_half_written_record_with_its_retry_on_one_line_is_no_call() {
    let seen =
        seen("{\"tool\":\"a\",\"args\":{\"p{\"tool\":\"a\",\"args\":{}}\n".to_owned() + &call("b"));
    assert_eq!(seen.tools(), ["b"]);
    assert_eq!(seen.codes(), ["1:25 malformed_json"]);
}

#[test]
fn a_json_text_sequence_is_named() {
    let seen = seen("\u{1e}{\"tool\":\"a\"}\n\u{1e}{\"tool\":\"b\"}\n");
    assert_eq!(seen.codes(), ["1:1 malformed_json", "2:1 malformed_json"]);
    assert!(seen.help().contains("tr -d '\\036'"));
}

#[test]
fn what_other_dialects_allow_is_malformed() {
    for line in [
        "{\"tool\":\"a\",}",
        "// c",
        "{\"tool\":\"a\"/*c*/}",
        "{'tool':'a'}",
        "{\"tool\":\"a\",\"turn\":01}",
        "{\"tool\":\"a\",\"turn\":+1}",
        "{tool:\"a\"}",
        "undefined",
    ] {
        let seen = seen(format!("{line}\n{}", call("b")));
        assert_eq!(seen.tools(), ["b"], "{line}");
        assert!(seen.codes()[0].ends_with("malformed_json"), "{line}");
        assert_eq!(seen.notices.len(), 1);
    }
}

#[test]
fn nan_and_infinity_name_who_writes_them() {
    for word in ["NaN", "Infinity", "-Infinity"] {
        let seen = seen(format!("{{\"tool\":\"a\",\"cost_usd\":{word}}}\n"));
        assert!(seen.codes()[0].ends_with("malformed_json"));
        assert!(seen.notices[0].message.contains("json.dumps"));
    }
}

#[test]
fn a_record_that_is_no_object_is_told() {
    let seen = seen("[\"rm\",5,3]\n7\nnull\n\"x\"\n".to_owned() + &call("a"));
    assert_eq!(seen.tools(), ["a"]);
    let lines: Vec<String> = (1..5).map(|n| format!("{n}:1 not_an_object")).collect();
    assert_eq!(seen.codes(), lines);
}

#[test]
fn nesting_is_bounded_and_never_overflows() {
    let nested = |n: usize| {
        let args = "[".repeat(n) + &"]".repeat(n);
        format!("{{\"tool\":\"a\",\"args\":{args}}}\n")
    };
    assert!(seen(nested(127)).notices.is_empty());
    assert_eq!(seen(nested(128)).codes(), ["1:147 too_deep"]);
    let deep = seen("[".repeat(1_000_000) + "\n" + &call("b"));
    assert_eq!(deep.tools(), ["b"]);
    assert_eq!(deep.codes(), ["1:129 too_deep"]);
    assert_eq!(
        seen("{\"a\":".repeat(1_000_000)).codes(),
        ["1:641 too_deep"]
    );
}

#[test]
fn a_million_keys_in_one_object_take_linear_time() {
    let mut line = String::from("{\"tool\":\"a\"");
    for n in 0..1_000_000 {
        line.push_str(&format!(",\"k{n}\":0"));
    }
    let args = line.replacen("\"tool\":\"a\"", "\"x\":0", 1) + "}";
    let seen = seen(line + ",\"args\":" + &args + "}\n");
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.report.unknown_fields, 1_000_000);
    assert!(seen.notices.is_empty());
}

#[test]
fn a_top_level_array_gives_its_elements() {
    for text in [
        "[{\"tool\":\"a\"},\n {\"tool\":\"\"},\n {\"tool\":\"b\"}]\n",
        "\n[\n{\"tool\":\"a\"}\n,\n {\"tool\":\"\"}, {\"tool\":\"b\"}\n]",
        "\u{feff}[{\"tool\":\"a\"},{\"tool\":\"\"},{\"tool\":\"b\"}]",
    ] {
        let seen = seen(text);
        assert_eq!(seen.tools(), ["a", "b"], "{text}");
        assert_eq!(counts(&seen), [3, 2, 0, 1]);
        assert!(seen.report.complete);
    }
    let lines = seen("[{\"tool\":\"a\"},\n {\"tool\":\"\"}]\n");
    assert_eq!(lines.codes(), ["2:10 bad_field"]);
    assert_eq!((lines.places[0].line, lines.places[0].column), (1, 2));
}

#[test]
fn lines_that_are_arrays_are_lines() {
    let seen = seen("[{\"tool\":\"a\"}]\n[1]\n");
    assert_eq!(seen.codes(), ["1:1 not_an_object", "2:1 not_an_object"]);
    let document = crate::support::seen("[1,\n2]\n");
    assert_eq!(document.codes(), ["1:2 not_an_object", "2:1 not_an_object"]);
    let torn = crate::support::seen("[1,\n{\"tool\":\"a\"}\n{\"tool\":\"b\"}\n");
    assert_eq!(torn.tools(), ["a", "b"]);
    assert_eq!(torn.codes(), ["1:4 malformed_json"]);
}

#[test]
fn pretty_printed_records_are_read_with_their_places() {
    let seen = seen(
        "{\n  \"tool\": \"a\"\n}\n{\n  \"tool\": \"b\",\n  \"turn\": -1\n}\n{\"tool\": \"c\"}\n",
    );
    assert_eq!(seen.tools(), ["a", "c"]);
    assert_eq!(seen.codes(), ["6:11 bad_field"]);
    assert_eq!(counts(&seen), [3, 2, 0, 1]);
    assert_eq!(seen.places[1].line, 8);
}

#[test]
fn a_torn_first_line_does_not_swallow_the_others() {
    for torn in [
        "{\"tool\":\"x\",\"args\":{\"p\":\"",
        "{\"tool\":\"x\",\"args\":",
        "{",
        "[",
    ] {
        let seen = seen(format!("{torn}\n{}{}", call("a"), call("b")));
        let whole = torn == "[";
        assert_eq!(
            seen.tools(),
            ["a", "b"][..if whole { 1 } else { 2 }],
            "{torn}"
        );
        assert_eq!(seen.notices.len(), 1);
        assert!(seen.codes()[0].ends_with("malformed_json"), "{torn}");
    }
}

#[test]
fn a_torn_document_gives_its_whole_records() {
    let array = seen("[\n{\"tool\":\"a\"},\n{\"tool\":\"b\"},\n{\"to");
    assert_eq!(array.tools(), ["a", "b"]);
    assert_eq!(array.codes(), ["4:5 truncated_input"]);
    assert!(!array.report.complete);
    let one = seen("{\n  \"tool\": \"a\",\n  \"ar");
    assert_eq!(one.codes(), ["3:6 truncated_input"]);
    assert_eq!(counts(&one), [1, 0, 0, 1]);
}

#[test]
fn a_document_that_breaks_later_keeps_its_beginning() {
    let seen = seen("[{\"tool\":\"a\"},\n{\"tool\" \"b\"},\n{\"tool\":\"c\"}]");
    assert_eq!(seen.tools(), ["a"]);
    assert_eq!(seen.codes(), ["2:9 malformed_json"]);
    assert!(seen.notices[0].message.contains("is not read"));
    assert!(!seen.report.complete);
}

#[test]
fn a_document_above_the_limit_gives_what_fits() {
    let mut options = options();
    options.max_line = 64;
    let text = format!(
        "[\n{}]",
        (call("a").trim_end().to_owned() + ",\n").repeat(20)
    );
    let seen = seen_with(text, &options);
    assert_eq!(seen.calls.len(), 4);
    assert!(seen.codes()[0].ends_with("line_too_long"));
    assert!(seen.help().contains("jq -c '.[]'"));
    assert!(!seen.report.complete);
}

#[test]
fn json_that_is_no_recording_is_refused_once() {
    let seen = seen("{\"a\":1}\n\n{\"b\":2}\n");
    assert_eq!(seen.codes(), ["0:0 unknown_type"]);
    assert!(seen.help().contains("--from") && seen.help().contains("--formats"));
    assert_eq!(counts(&seen), [3, 0, 1, 2]);
    assert_eq!(seen.report.format, None);
    assert!(!seen.report.complete);
}

#[test]
fn a_named_format_is_not_detected() {
    let mut options = options();
    options.from = Some("canonical");
    let named = seen_with("{\"a\":1}\n", &options);
    assert_eq!(named.codes(), ["1:1 missing_field"]);
    assert_eq!(named.report.reason, "named by `--from`");
    options.from = Some("nope");
    let unknown = seen_with(call("a"), &options);
    assert_eq!(unknown.codes(), ["0:0 unknown_type"]);
}

#[test]
fn lines_that_are_all_malformed_are_all_listed() {
    let seen = seen("x\ny\n{z}\n");
    assert_eq!(counts(&seen), [3, 0, 0, 3]);
    assert_eq!(seen.notices.len(), 3);
    assert_eq!(seen.report.format, None);
}

#[test]
fn detection_says_why() {
    assert_eq!(seen(call("a")).report.reason, "a record with `tool`");
    let typed = seen("{\"type\":\"run_start\",\"run\":\"r\"}\n");
    assert_eq!(typed.report.reason, "a record of type `run_start`");
    let named = seen("{\"name\":\"a\",\"input\":{}}\n");
    assert_eq!(named.report.reason, "a record with `name` and `input`");
    let other = seen("{\"type\":\"function_call\",\"name\":\"a\",\"arguments\":\"{}\"}\n");
    assert_eq!(other.codes(), ["0:0 unknown_type"]);
}
