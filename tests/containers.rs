//! A recording means the same however it is kept: every fixture, with and without a byte order mark,
//! with CRLF line ends, packed, as lines, as one array, as values one after the other.

use gate::import::drive::{InputReport, ReadOptions, read};
use gate::import::{IMPORTERS, Sink};
use gate::trace::event::Event;
use gate::trace::fault::{Notice, Place};
use gate::trace::json::parse_tolerant;
use std::path::PathBuf;

/// Everything that an importer says, without the places.
#[derive(Default)]
struct Said {
    events: Vec<String>,
    notices: Vec<String>,
    /// Whether one of them is a fault.
    faulted: bool,
}

impl Sink for Said {
    fn event(&mut self, _: Place, event: Event<'_>) {
        self.events.push(format!("{event:?}"));
    }

    fn notice(&mut self, notice: Notice) {
        self.faulted |= notice.kind.is_fault();
        let (code, message) = (notice.kind.code(), notice.message);
        self.notices.push(format!("{code}: {message}"));
    }
}

fn said(bytes: &[u8]) -> (InputReport, Said) {
    let mut said = Said::default();
    let options = ReadOptions::default();
    let report = read(0, "f", "f", Box::new(bytes), &options, &mut said);
    (report, said)
}

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats");
    let entries = std::fs::read_dir(dir).expect("fixtures");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let named = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        (name.into_owned(), std::fs::read(&path).expect("a file"))
    };
    paths.into_iter().map(named).collect()
}

/// Fixtures that are text, line by line where every line is a value, else as one value.
fn texts() -> Vec<(String, Vec<Vec<u8>>, Vec<u8>)> {
    let mut texts = Vec::new();
    for (name, bytes) in fixtures() {
        let lines: Vec<Vec<u8>> = bytes
            .split(|&b| b == b'\n')
            .map(|line| line.trim_ascii().to_vec())
            .filter(|line| !line.is_empty())
            .collect();
        if lines.iter().all(|line| parse_tolerant(line).is_ok()) {
            texts.push((name, lines, bytes));
        } else if parse_tolerant(&bytes).is_ok() {
            texts.push((name, vec![bytes.trim_ascii().to_vec()], bytes));
        }
    }
    assert!(texts.len() > 2, "there are fixtures");
    texts
}

#[track_caller]
fn same(name: &str, how: &str, variant: &[u8], expected: &(InputReport, Said)) {
    let (report, found) = said(variant);
    assert_eq!(report.format, expected.0.format, "{name} {how}");
    assert_eq!(found.events, expected.1.events, "{name} {how}");
    assert_eq!(found.notices, expected.1.notices, "{name} {how}");
    assert!(report.complete, "{name} {how}");
}

#[test]
fn a_byte_order_mark_and_other_line_ends_change_nothing() {
    for (name, _, bytes) in texts() {
        let expected = said(&bytes);
        let marked = [&b"\xef\xbb\xbf"[..], &bytes].concat();
        same(&name, "with a byte order mark", &marked, &expected);
        let text = String::from_utf8_lossy(&bytes);
        // Lone halves of characters are escapes: the bytes are UTF-8 wherever nothing is damaged.
        if text.as_bytes() == bytes {
            let crlf = text.replace("\r\n", "\n").replace('\n', "\r\n");
            same(&name, "with CRLF", crlf.as_bytes(), &expected);
        }
    }
}

#[test]
fn packing_changes_nothing() {
    for (name, bytes) in fixtures() {
        let expected = said(&bytes);
        let zstd = zstd::stream::encode_all(&bytes[..], 1).expect("packed");
        same(&name, "as zstd", &zstd, &expected);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, &bytes).expect("packed");
        same(&name, "as gzip", &gzip.finish().expect("packed"), &expected);
    }
}

#[test]
fn values_mean_the_same_as_lines_in_an_array_and_one_after_the_other() {
    for (name, values, _) in texts() {
        if values.iter().any(|value| !value.starts_with(b"{")) {
            continue;
        }
        let lines = [values.join(&b'\n'), b"\n".to_vec()].concat();
        let expected = said(&lines);
        let array = [&b"[\n"[..], &values.join(&b",\n"[..]), b"\n]\n"].concat();
        same(&name, "as an array", &array, &expected);
        let spread: Vec<Vec<u8>> = values
            .iter()
            .map(|value| [&b"{\n"[..], &value[1..]].concat())
            .collect();
        let concatenated = spread.join(&b'\n');
        same(&name, "as values", &concatenated, &expected);
        let together = spread.concat();
        same(&name, "as values side by side", &together, &expected);
    }
}

#[test]
fn every_fixture_is_recognised_by_one_format() {
    for (name, bytes) in fixtures() {
        let (report, _) = said(&bytes);
        let format = report
            .format
            .unwrap_or_else(|| panic!("{name}: {}", report.reason));
        assert!(name.starts_with(format), "{name} is taken for {format}");
    }
    for (name, values, _) in texts() {
        let sample: Vec<_> = values
            .iter()
            .flat_map(|value| match parse_tolerant(value) {
                Ok((gate::trace::json::Json::Array(items), _)) => items,
                Ok((value, _)) => vec![value],
                Err(_) => Vec::new(),
            })
            .collect();
        let signs = IMPORTERS.iter().filter_map(|format| {
            let sign = (format.recognise)(&sample)?;
            Some((sign.is_decisive, format.id))
        });
        let signs: Vec<_> = signs.collect();
        let decisive = signs.iter().filter(|(is_decisive, _)| *is_decisive).count();
        let decided = decisive == 1 || (decisive == 0 && signs.len() == 1);
        assert!(decided, "{name}: {signs:?}");
    }
}

#[test]
fn every_format_has_a_fixture() {
    for format in IMPORTERS.iter().filter(|f| f.id != "canonical") {
        let has = fixtures()
            .iter()
            .any(|(name, _)| name.starts_with(format.id));
        assert!(has, "{}", format.id);
    }
}

/// Lines that other programs write, each with a call.
const STRANGERS: &[&str] = &[
    r#"{"tool":"rm","args":{}}"#,
    r#"{"unheard_of":"of","by":1}"#,
    r#"{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"rm","arguments":{}}}"#,
    r#"{"role":"assistant","content":null,"tool_calls":[{"id":"zz","type":"function","function":{"name":"rm","arguments":"{}"}}]}"#,
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"zz","name":"rm","input":{}}]}"#,
    r#"{"type":"function_call","call_id":"zz","name":"rm","arguments":"{}"}"#,
    r#"{"type":"tool_use","id":"zz","name":"rm","input":{}}"#,
];

fn calls(said: &Said) -> usize {
    let calls = said.events.iter().filter(|e| e.starts_with("ToolCall"));
    calls.count()
}

#[test]
fn two_recordings_in_one_file_are_never_read_as_one_in_silence() {
    let texts = texts();
    let mut silent = Vec::new();
    for (first, values, bytes) in &texts {
        let of_first = said(bytes);
        for (second, others, bytes) in &texts {
            let of_second = said(bytes);
            if of_first.0.format == of_second.0.format {
                continue;
            }
            let joined = [values.join(&b'\n'), others.join(&b'\n')].join(&b'\n');
            let (report, together) = said(&joined);
            let whole = calls(&of_first.1) + calls(&of_second.1);
            if !together.faulted && calls(&together) < whole {
                let (format, notices) = (report.format, together.notices.join(" / "));
                let counts = (calls(&together), whole);
                silent.push(format!(
                    "{first}, {second}: {format:?} {counts:?}: {notices}"
                ));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_line_of_another_format_is_never_left_out_in_silence() {
    let mut silent = Vec::new();
    for (name, values, bytes) in texts() {
        let before = calls(&said(&bytes).1);
        for stranger in STRANGERS {
            let mut lines = values.clone();
            lines.push(stranger.as_bytes().to_vec());
            let (report, said) = said(&[lines.join(&b'\n'), b"\n".to_vec()].concat());
            if !said.faulted && calls(&said) <= before {
                let (format, notices) = (report.format, said.notices.join(" / "));
                silent.push(format!("{name}: {stranger}: {format:?}: {notices}"));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}
