//! Hostile names, ids and reasons in every format: nothing acts on a terminal, nothing hides, one
//! call stays one line, and machines read back what was there.

mod report_samples;

use gate::audit::summary::{KindCounts, LabelCount, Summary};
use gate::engine::decision::Decision;
use gate::report::{FORMATS, Header};
use report_samples::*;
use serde_json::Value;

const HOSTILE: &[&str] = &[
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "\u{9b}31mred\u{7f}\u{85}",
    "a\u{202e}gnp.exe\u{2066}b\u{200f}",
    "z\u{200b}w\u{200d}j\u{feff}\u{ad}",
    "tags\u{e0041}\u{e007f}vs\u{fe0f}",
    "no\u{fffe}\u{ffff}characters\u{fdd0}\u{10fffe}",
    "two\r\nlines\ttab\u{2028}\u{2029}\u{b}\u{c}\0",
    "=cmd|' /C calc'!A0",
    "\u{a0}+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "quote\" comma, pipe| back` semicolon;",
    "r1  1  sql_query  allow",
    "::error file=x::y",
    "x ##vso[task.complete]",
    "",
    "   ",
    "\\u{1b} \\u001b",
    "日本語🙂e\u{301}",
    "[x](https://evil.example) ![i](u) <img src=x> @team #1",
    "https://evil.example <!-- &lt; $x$ **b** ~~s~~",
    "a|b\\|c\\\\|d\\",
    "`` a ``` b `",
    "` `",
    "{0} {{1}} \\[x\\](1)",
    "\n```\n# head\n| a |\n|---|\n",
    "x%0A::error::y%25",
    "</style><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>&lt;",
];

/// What no output may hold. The line feed is looked at by counting lines.
fn hides(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xffff >= 0xfffe
}

fn hostile(text: &str) -> (Header, Vec<Item>, Summary) {
    let header = Header {
        inputs: vec![text.to_owned()],
        labels: true,
        ..header()
    };
    let call = Decision {
        run: text.into(),
        call: text.to_owned(),
        tool: text.into(),
        agent: Some(text.into()),
        reason: Some(text.to_owned()),
        labels: vec![text.to_owned()],
        args: Some(format!("[\"{text}\"]")),
        ..blocked()
    };
    let mut notice = fault();
    notice.run = Some(text.to_owned());
    notice.message = text.to_owned();
    notice.help = Some(text.to_owned());
    let mut summary = summary();
    summary.inputs[0].name = text.to_owned();
    summary.inputs[0].error = Some(text.to_owned());
    summary.policy.source = text.to_owned();
    summary.exit.reason = text.to_owned();
    summary.refusals[0].run = text.to_owned();
    summary.tools = [(text.to_owned(), KindCounts([1, 0, 0, 0, 0]))].into();
    summary.unnamed_tools = [(text.to_owned(), 1)].into();
    let mut label = LabelCount::default();
    label.add(text);
    summary.labels = [
        (text.to_owned(), label),
        ("none".to_owned(), LabelCount::default()),
    ]
    .into();
    summary.unmediated = [(text.to_owned(), 1)].into();
    summary.broken_laws = vec![text.to_owned()];
    summary.coverage = Some(coverage(text));
    summary.notices = vec![notice.clone()];
    for barrier in &mut summary.barriers {
        for extreme in [&mut barrier.least_h, &mut barrier.least_slack] {
            let extreme = extreme.as_mut().unwrap();
            extreme.run = text.to_owned();
            extreme.call = text.to_owned();
        }
    }
    let items = vec![Item::Call(Box::new(call)), Item::Notice(notice)];
    (header, items, summary)
}

#[test]
fn nothing_hidden_comes_out_of_any_format() {
    for text in HOSTILE {
        let (header, items, summary) = hostile(text);
        for format in FORMATS {
            // Only a table is laid out.
            let widths = [None, Some(80), Some(200)];
            let widths = if format.id == "table" {
                &widths[..]
            } else {
                &widths[..1]
            };
            for &width in widths {
                let header = Header {
                    width,
                    ..header.clone()
                };
                let out = write(format.id, &header, &items, &summary);
                let bad = out.chars().find(|&c| hides(c));
                assert_eq!(bad, None, "{text:?} in {}", format.id);
            }
        }
    }
}

#[test]
fn a_record_is_a_line() {
    for text in HOSTILE {
        let (header, items, summary) = hostile(text);
        for (format, lines) in [("jsonl", 3), ("csv", 7), ("json", 4)] {
            let out = write(format, &header, &items, &summary);
            assert_eq!(out.lines().count(), lines, "{text:?} in {format}");
        }
        for width in [None, Some(80), Some(120), Some(200)] {
            let header = Header {
                width,
                ..header.clone()
            };
            let out = write("table", &header, &items, &summary);
            let rows = out.lines().filter(|line| line.starts_with("   7  "));
            assert_eq!(rows.count(), 1, "{text:?} at {width:?}");
        }
    }
}

#[test]
fn the_shape_of_the_table_does_not_depend_on_the_text() {
    let (header, items, summary) = hostile("plain");
    let lines = write("table", &header, &items, &summary).lines().count();
    for text in HOSTILE {
        let (header, items, summary) = hostile(text);
        let out = write("table", &header, &items, &summary);
        assert_eq!(out.lines().count(), lines, "{text:?}\n{out}");
        for line in out.lines() {
            let line = line.trim_start();
            assert!(!line.starts_with("::"), "{line}");
            assert!(!line.contains("##vso["), "{line}");
        }
    }
}

/// Rationale: build servers take a line of the log that begins so for a command, wherever it was broken.
#[test]
fn no_line_begins_with_a_command() {
    let long = format!("{}::error title=x::y ##[add-mask]z", "a".repeat(37));
    let texts = HOSTILE.iter().copied().filter(|text| text.contains("::"));
    for text in texts.chain([long.as_str()]) {
        let (header, items, summary) = hostile(text);
        // Those of GitHub are commands, of gate's own making.
        for format in FORMATS.iter().filter(|format| format.id != "github") {
            // Only a table is laid out; where the long one is broken depends on the width.
            let is_laid = format.id == "table" && text == long;
            for width in if is_laid { 20 } else { 100 }..=100 {
                let header = Header {
                    width: Some(width),
                    ..header.clone()
                };
                let out = write(format.id, &header, &items, &summary);
                let mut lines = out.lines().map(str::trim_start);
                let begun = lines.find(|line| line.starts_with("::"));
                assert_eq!(begun, None, "{text:?} in {} at {width}", format.id);
            }
        }
    }
}

/// As many tags as with a plain text, and nothing that ends an attribute.
#[test]
fn the_markup_of_the_page_does_not_depend_on_the_text() {
    let marks = |text: &str| {
        let (header, items, summary) = hostile(text);
        let out = write("html", &header, &items, &summary);
        ['<', '>', '"', '\''].map(|mark| out.matches(mark).count())
    };
    let plain = marks("plain");
    // Of a reason or a name that is empty nothing is said.
    for text in HOSTILE.iter().filter(|text| !text.is_empty()) {
        assert_eq!(marks(text), plain, "{text:?}");
    }
}

#[test]
fn json_reads_back_what_was_there() {
    for text in HOSTILE {
        let (header, items, summary) = hostile(text);
        let out = write("jsonl", &header, &items, &summary);
        let lines: Vec<Value> = out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        for field in ["file", "run", "call", "tool", "agent", "reason"] {
            assert_eq!(lines[0][field], *text);
        }
        for field in ["file", "run", "message", "help"] {
            assert_eq!(lines[1][field], *text);
        }
        assert_eq!(lines[2]["inputs"][0]["file"], *text);
        assert_eq!(lines[2]["unnamed_tools"][*text], 1);
        assert_eq!(lines[2]["barriers"]["privacy"]["least_h"]["run"], *text);
    }
}

#[test]
fn csv_cells_are_text_and_numbers_stay_numbers() {
    for text in HOSTILE {
        let (header, items, summary) = hostile(text);
        let out = write("csv", &header, &items, &summary);
        let mut reader = csv::Reader::from_reader(out.as_bytes());
        let columns = reader.headers().unwrap().clone();
        for record in reader.records() {
            let record = record.unwrap();
            for (column, cell) in columns.iter().zip(&record) {
                let formula = cell
                    .trim_start()
                    .starts_with(['=', '+', '-', '@', '\t', '\r']);
                let number = column.contains("privacy_");
                assert!(!formula || number, "{column}: {cell:?}");
            }
            if &record[0] == "decision" {
                let next = columns.iter().position(|c| c == "privacy_next").unwrap();
                assert_eq!(record[next].parse(), Ok(-0.10000000000000009));
            }
        }
    }
}

#[test]
fn endless_names_and_reasons_do_not_flood_the_table() {
    for text in ["x".repeat(20_000), format!("a{}", "\u{301}".repeat(20_000))] {
        let (header, items, summary) = hostile(&text);
        let out = write("table", &header, &items, &summary);
        assert!(out.len() < 40_000, "{}", out.len());
    }
}

/// Whatever the names are, SARIF shows them as they are: nothing in a message is a link or a placeholder.
#[test]
fn sarif_messages_hold_no_links_and_no_placeholders() {
    for text in HOSTILE {
        let (header, items, summary) = hostile(text);
        let log: Value = serde_json::from_str(&write("sarif", &header, &items, &summary)).unwrap();
        let run = &log["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 2, "{text:?}");
        assert_eq!(results[0]["properties"]["tool"], *text);
        assert_eq!(results[1]["properties"]["message"], *text);
        let notified = &run["invocations"][0]["toolExecutionNotifications"];
        let notified = notified.as_array().unwrap();
        assert_eq!(notified.len(), 3, "{text:?}");
        for told in results.iter().chain(notified) {
            let message = told["message"]["text"].as_str().unwrap();
            let bare = message
                .replace("\\\\", "")
                .replace("\\[", "")
                .replace("\\]", "");
            assert!(!bare.contains(['[', ']', '\\']), "{message}");
            let bare = message.replace("{{", "").replace("}}", "");
            assert!(!bare.contains(['{', '}']), "{message}");
            let hidden = message.chars().find(|&c| hides(c) || c == '\n');
            assert_eq!(hidden, None, "{message:?}");
        }
        for result in results {
            let location = &result["locations"][0]["physicalLocation"]["artifactLocation"];
            let uri = location["uri"].as_str().unwrap_or_default();
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._~%/".contains(c);
            assert!(uri.chars().all(plain), "{uri}");
        }
    }
}

/// Every line is a command of gate's own, whatever names and messages hold.
#[test]
fn github_commands_are_those_of_gate() {
    for text in HOSTILE {
        let (header, items, summary) = hostile(text);
        let out = write("github", &header, &items, &summary);
        let kinds = out.lines().map(|line| line.split(' ').next().unwrap());
        let kinds: Vec<&str> = kinds.collect();
        assert_eq!(
            kinds,
            ["::error", "::error", "::error", "::notice"],
            "{out}"
        );
        for line in out.lines() {
            let rest = line.strip_prefix("::").unwrap();
            let (head, _) = rest.split_once("::").unwrap();
            let (_, properties) = head.split_once(' ').unwrap();
            for property in properties.split(',') {
                let (name, value) = property.split_once('=').unwrap();
                assert!(["file", "line", "col", "title"].contains(&name), "{line}");
                assert!(!value.contains([':', ',']), "{line}");
            }
        }
    }
}

/// Read by a parser of Markdown: names are code, and nothing else comes of them.
#[test]
fn markdown_shows_names_as_code() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let shape = |text: &str| {
        let (header, items, summary) = hostile(text);
        let header = Header {
            command: format!("gate replay {text}"),
            ..header
        };
        let out = write("markdown", &header, &items, &summary);
        let (mut cells, mut plain) = (Vec::new(), String::new());
        let mut code = 0;
        for event in Parser::new_ext(&out, Options::all() - Options::ENABLE_OLD_FOOTNOTES) {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => cells.push(0),
                Event::Start(Tag::TableCell) => *cells.last_mut().unwrap() += 1,
                Event::Start(Tag::CodeBlock(_)) => code += 1,
                Event::End(pulldown_cmark::TagEnd::CodeBlock) => code -= 1,
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
                | Event::Html(_)
                | Event::InlineHtml(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::FootnoteReference(_) => panic!("{text:?}: {event:?}\n{out}"),
                Event::Text(words) if code == 0 => plain += &words,
                _ => {}
            }
        }
        // A reason that is empty is not led up to.
        let plain = plain.replace("(empty)", "").replace("exit 1: ", "exit 1");
        (cells, plain)
    };
    let plain = shape("plain");
    assert!(
        plain.0.len() > 20 && !plain.1.contains("plain"),
        "{plain:?}"
    );
    for text in HOSTILE {
        assert_eq!(shape(text), plain, "{text:?}");
    }
}

/// As many tags as with a plain text, well-formed, and the name is there to be read.
#[test]
fn the_elements_of_junit_do_not_depend_on_the_text() {
    let shape = |text: &str| {
        let (header, items, summary) = hostile(text);
        let out = write("junit", &header, &items, &summary);
        let document = roxmltree::Document::parse(&out).unwrap();
        let mut elements = Vec::new();
        for node in document.descendants().filter(|node| node.is_element()) {
            let names: Vec<_> = node.attributes().map(|a| a.name().to_owned()).collect();
            elements.push((node.tag_name().name().to_owned(), names));
        }
        let test = document.descendants().find(|n| n.has_tag_name("testcase"));
        (
            elements,
            test.unwrap().attribute("name").unwrap().to_owned(),
        )
    };
    let (plain, _) = shape("plain");
    for text in HOSTILE {
        let (elements, name) = shape(text);
        assert_eq!(elements, plain, "{text:?}");
        assert_eq!(
            name.trim_matches('"'),
            gate::escape::visible(text).trim_matches('"')
        );
    }
}

#[test]
fn otlp_reads_back_what_was_there() {
    for text in HOSTILE {
        let (header, items, summary) = hostile(text);
        let out = write("otlp", &header, &items, &summary);
        assert_eq!(out.lines().count(), 1);
        let request: Value = serde_json::from_str(&out).unwrap();
        let spans = &request["resourceSpans"][0]["scopeSpans"][0]["spans"];
        let value = |list: &Value, key: &str| {
            let list = list["attributes"].as_array().unwrap();
            let found = list.iter().find(|pair| pair["key"] == key).unwrap();
            found["value"]["stringValue"].as_str().unwrap().to_owned()
        };
        let call = &spans[0]["events"][0];
        for key in [
            "gen_ai.tool.name",
            "gen_ai.tool.call.id",
            "gen_ai.agent.name",
            "gate.reason",
        ] {
            assert_eq!(value(call, key), *text);
        }
        assert_eq!(value(&spans[0], "gen_ai.conversation.id"), *text);
        assert_eq!(value(&spans[0]["events"][1], "gate.message"), *text);
        assert_eq!(spans[1]["status"]["message"], *text);
    }
}
