//! The page: its structure, its numbers, what it keeps and what it says of the rest.

mod program;
mod report_samples;

use gate::audit::summary::Summary;
use gate::engine::RunReport;
use gate::engine::decision::Decision;
use gate::report::Header;
use gate::report::html::{CALLS, DRAWN, FORMAT, NOTICES, TOLD};
use gate::verify::robustness::Scales;
use program::Scratch;
use report_samples::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// An element as it begins: its name and its attributes.
type Tag = (String, Vec<(String, String)>);

/// Elements that have no end.
const VOID: &[&str] = &["meta", "wbr", "input"];

/// Elements whose text is no markup.
const TEXT: &[&str] = &["style", "script", "title"];

/// Reads a page more strictly than any browser: every element is closed in its order, every attribute is
/// quoted, and between tags there is neither `<` nor `>`.
fn tags(page: &str) -> Vec<Tag> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").expect("a page");
    let (mut found, mut open) = (Vec::new(), Vec::new());
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "{}", &rest[..at]);
        let end = at + rest[at..].find('>').expect("an end of a tag");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{found:?}");
            continue;
        }
        let closed = tag.strip_suffix('/');
        let tag = closed.unwrap_or(tag);
        let (name, mut given) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while !given.is_empty() {
            let (attribute, after) = given.split_once("=\"").unwrap_or((given, "\""));
            let (value, after) = after.split_once('"').expect("a quote");
            if let Some((flag, _)) = attribute.split_once(' ') {
                panic!("`{flag}` before `{attribute}`");
            }
            attributes.push((attribute.to_owned(), value.to_owned()));
            given = after.trim_start();
        }
        if TEXT.contains(&name) {
            let (text, after) = rest.split_once(&format!("</{name}>")).expect("an end");
            assert!(!text.contains("</"), "{name}");
            rest = after;
        } else if closed.is_none() && !VOID.contains(&name) {
            open.push(name.to_owned());
        }
        found.push((name.to_owned(), attributes));
    }
    assert_eq!((open.as_slice(), rest), (&[][..], "\n"));
    found
}

fn attribute<'t>((_, attributes): &'t Tag, name: &str) -> Option<&'t str> {
    let found = attributes.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str())
}

fn page(header: &Header, items: &[Item], summary: &Summary) -> String {
    write("html", header, items, summary)
}

/// A page about calls of runs that end, written as it comes.
fn about(header: &Header, calls: &[Decision], summary: &Summary) -> String {
    let mut out = Vec::new();
    let mut report = (FORMAT.open)(header.clone(), Box::new(&mut out));
    for call in calls {
        report.decision(call, true).expect("memory");
    }
    report.finish(summary).expect("memory");
    drop(report);
    String::from_utf8(out).expect("UTF-8")
}

fn between<'p>(page: &'p str, from: &str, to: &str) -> &'p str {
    let (_, after) = page.split_once(from).expect(from);
    after.split_once(to).expect(to).0
}

/// The section of that id.
fn section<'p>(page: &'p str, id: &str) -> &'p str {
    between(page, &format!("<section id=\"{id}\""), "</section>")
}

/// The text without its tags.
fn words(html: &str) -> String {
    let parts = html.split('<');
    let texts = parts.map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    texts.collect()
}

#[test]
fn a_page_is_whole_and_asks_for_nothing() {
    let page = page(&header(), &items(), &summary());
    let tags = tags(&page);
    let names: BTreeSet<&str> = tags.iter().map(|(name, _)| name.as_str()).collect();
    for strange in [
        "a:link", "base", "embed", "form", "iframe", "img", "link", "object",
    ] {
        assert!(!names.contains(strange), "{strange}");
    }
    for tag in &tags {
        for (name, value) in &tag.1 {
            assert!(!name.starts_with("on") && name != "style" && name != "src");
            assert!(!value.contains("://"), "{value}");
        }
    }
    let policy = tags
        .iter()
        .find_map(|tag| attribute(tag, "content"))
        .expect("a policy");
    let parts: Vec<&str> = policy.split("; ").collect();
    assert_eq!(parts[0], "default-src 'none'");
    assert!(parts[1].starts_with("style-src 'sha256-") && parts[1].len() == 63);
    assert!(parts[2].starts_with("script-src 'sha256-") && parts[2].len() == 64);
    assert_eq!(parts[3..], ["base-uri 'none'", "form-action 'none'"]);
    let ids: Vec<&str> = tags.iter().filter_map(|tag| attribute(tag, "id")).collect();
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(known.len(), ids.len());
    for link in tags.iter().filter_map(|tag| attribute(tag, "href")) {
        assert!(known.contains(link.trim_start_matches('#')), "{link}");
    }
    let order = [
        "verdict", "counted", "runs", "decided", "rates", "calls", "notices", "again", "end",
    ];
    let there = ids.iter().filter(|id| order.contains(id));
    assert_eq!(there.copied().collect::<Vec<_>>(), order);
}

/// Nothing is written before the end, so that nothing can be taken for a whole page.
#[test]
fn a_page_that_is_cut_off_is_none() {
    let mut out = Vec::new();
    let mut report = (FORMAT.open)(header(), Box::new(&mut out));
    report.decision(&blocked(), true).expect("memory");
    drop(report);
    assert_eq!(out, b"");
    let page = page(&header(), &[], &summary());
    assert!(page.ends_with("</html>\n"));
}

#[test]
fn the_verdict_says_how_far_it_can_be_relied_on() {
    let page = page(&header(), &items(), &summary());
    let verdict = words(between(&page, "<header id=\"verdict\"", "</header>"));
    for part in [
        "Exit status 1: 2 calls blocked",
        "2 of 3 calls, in 1 of 1 run, are refused",
        "nothing says that it is allowed",
        "Complete: 1 input read to the end",
        "1 input fault, 1 warning",
        "Inconclusive: 1 of 1 run",
        "First refusal: send_email, run r1, line 7: privacy would fall from 0.1 to -0.1",
        "Farthest past a barrier: privacy \u{2212}0.1 (\u{2212}20% of its start), run r1, line 9",
    ] {
        assert!(verdict.contains(part), "{part}: {verdict}");
    }
    let notices = words(section(&page, "notices"));
    for part in [
        "malformed_json 1",
        "line 8:13malformed_jsonexpected `,` or `}` help: one record a line",
        "line 10orphan_resultr1result for `c9`",
    ] {
        assert!(notices.contains(part), "{part}: {notices}");
    }
    let mut cut = summary();
    cut.complete = false;
    cut.inputs[0].complete = false;
    let page = write("html", &header(), &[], &cut);
    assert!(words(&page).contains("Incomplete: 1 of 1 input was not read to the end"));
    assert!(words(&page).contains("Inputs that were not read to their end"));
    let nothing = Summary::default();
    let page = write("html", &Header::default(), &[], &nothing);
    tags(&page);
    assert!(words(&page).contains("nothing is known of what was done"));
}

/// Inputs and what they are replayed with.
const AUDITS: &[&str] = &[
    "fixtures/readme/trace.jsonl --policy fixtures/readme/gate.toml --coverage",
    "fixtures/cases/batch.jsonl fixtures/cases/drift.jsonl --only refused",
    "fixtures/docs/faulty.jsonl no-such-file.jsonl",
    "fixtures/docs/trace.jsonl --policy fixtures/cases/escalation.toml --max-violation-rate 0.5",
    "fixtures/semantic --policy fixtures/cases/semantic.toml --show-args",
    "fixtures/formats --allow-faults --tool Bash",
];

#[test]
fn numbers_are_those_of_the_json_report() {
    for audit in AUDITS {
        let scratch = Scratch::new();
        let file = scratch.path().join("page.html");
        let words = format!("replay --format json {audit} --html {}", file.display());
        let mut command = scratch.command(&words);
        let ran = command.current_dir(env!("CARGO_MANIFEST_DIR")).output();
        let ran = ran.expect("the program");
        let json: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        let page = scratch.read("page.html").expect("a page");
        let mut told = BTreeSet::new();
        for tag in tags(&page) {
            let Some(pointer) = attribute(&tag, "data-json") else {
                continue;
            };
            let value = attribute(&tag, "value").expect("a value");
            let there = json["summary"].pointer(pointer);
            let there = there.unwrap_or_else(|| panic!("{pointer} in {audit}"));
            assert_eq!(there.to_string(), value, "{pointer} in {audit}");
            told.insert(pointer.to_owned());
        }
        for (field, _) in json["summary"]["counts"].as_object().expect("counts") {
            assert!(told.contains(&format!("/counts/{field}")), "{field}");
        }
        let status = format!("value=\"{}\"", ran.status.code().expect("a status"));
        assert!(between(&page, "/exit/status", ">").contains(&status));
    }
}

/// What an attribute holds once a browser has read it.
fn read(value: &str) -> String {
    let (mut read, mut rest) = (String::new(), value);
    while let Some((before, after)) = rest.split_once('&') {
        let (name, after) = after.split_once(';').expect("a reference");
        read.push_str(before);
        read.push(match (name, name.strip_prefix("#x")) {
            ("amp", _) => '&',
            ("lt", _) => '<',
            ("gt", _) => '>',
            ("quot", _) => '"',
            ("#39", _) => '\'',
            (_, Some(digits)) => match u32::from_str_radix(digits, 16).expect("digits") {
                0 | 0x80..=0x9f => panic!("{name} is another character"),
                number => char::from_u32(number).expect("a character"),
            },
            _ => panic!("{name}"),
        });
        rest = after;
    }
    read + rest
}

/// The pointer that a fragment of a URI is.
fn of_fragment(fragment: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), fragment);
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let (digits, after) = after.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).expect("digits"));
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).expect("UTF-8")
}

/// Barriers of any name, also where HTML has no way to write it.
#[test]
fn pointers_lead_to_names_as_they_stand_in_json() {
    let names = [
        "a/b~c~1",
        "\u{202e}x\t\r\n",
        "\u{fffe}\u{7f}",
        "<&\"'>",
        "\\u{202e}",
        "/\u{0}%~ x",
        "\u{85}",
    ];
    let scratch = Scratch::new();
    let barrier = |name: &&str| {
        let name = serde_json::to_string(name).expect("JSON");
        format!(
            "[dcbf.barriers.{}]\nexpr = \"1.0\"\n",
            name.replace('\u{7f}', "\\u007f")
        )
    };
    scratch.file("p.toml", names.iter().map(barrier).collect::<String>());
    scratch.file("t.jsonl", "{\"tool\":\"a\",\"run\":\"r\"}\n");
    let ran = scratch.gate("replay t.jsonl --policy p.toml --format json --html page.html");
    let json: Value = serde_json::from_str(&ran.ends(0).out).expect("JSON");
    let page = scratch.read("page.html").expect("a page");
    let mut told = BTreeSet::new();
    for tag in tags(&page) {
        if let Some(pointer) = attribute(&tag, "data-json") {
            let pointer = read(pointer);
            let pointer = pointer
                .strip_prefix('#')
                .map_or(pointer.clone(), of_fragment);
            let there = json["summary"].pointer(&pointer).expect(&pointer);
            assert_eq!(Some(&*there.to_string()), attribute(&tag, "value"));
            told.insert(pointer);
        }
    }
    for name in names {
        let token = name.replace('~', "~0").replace('/', "~1");
        let pointer = format!("/barriers/{token}/root");
        assert!(told.contains(&pointer), "{name:?}");
    }
}

#[test]
fn the_same_whatever_the_threads_and_with_its_command() {
    let audit = "--policy fixtures/readme/gate.toml fixtures/readme/trace.jsonl";
    let pages = [1, 2, 5].map(|threads| {
        let scratch = Scratch::new();
        let words = format!("replay --threads {threads} -q --format html --show-args {audit}");
        let mut command = scratch.command(&words);
        let ran = command.current_dir(env!("CARGO_MANIFEST_DIR")).output();
        String::from_utf8(ran.expect("the program").stdout).expect("UTF-8")
    });
    assert!(pages.iter().all(|page| *page == pages[0]));
    let again = words(section(&pages[0], "again"));
    let policy = "gate replay --policy=fixtures/readme/gate.toml --show-args fixtures/readme";
    assert!(again.contains(policy), "{again}");
    let calls = words(section(&pages[0], "calls"));
    assert!(calls.contains("DROP TABLE sessions"), "{calls}");
}

/// Texts that would be markup, and the same structure with all of them as with a plain one.
#[test]
fn no_text_becomes_markup() {
    let skeleton = |text: &str| -> Vec<String> {
        let header = Header {
            inputs: vec![text.to_owned(), text.to_owned()],
            barriers: header().barriers.iter().map(|_| text.to_owned()).collect(),
            policy: text.to_owned(),
            command: text.to_owned(),
            ..header()
        };
        let call = Decision {
            run: text.into(),
            tool: text.into(),
            reason: Some(text.to_owned()),
            policy_rule: Some(text.to_owned()),
            hazard: vec![1],
            args: Some(serde_json::to_string(&[text]).expect("JSON")),
            ..blocked()
        };
        let mut notice = fault();
        notice.run = Some(text.to_owned());
        notice.message = text.to_owned();
        notice.help = Some(text.to_owned());
        let mut summary = summary();
        summary.exit.reason = text.to_owned();
        summary.policy.source = text.to_owned();
        summary.barriers[0].name = text.to_owned();
        summary.coverage = Some(coverage(text));
        let items = [Item::Call(Box::new(call)), Item::Notice(notice)];
        let page = page(&header, &items, &summary);
        let outline = |(name, attributes): &Tag| {
            let names = attributes.iter().map(|(name, _)| name.as_str());
            format!("{name} {}", names.collect::<Vec<_>>().join(" "))
        };
        tags(&page).iter().map(outline).collect()
    };
    let plain = skeleton("plain");
    for text in [
        "</style><script>alert(1)</script>",
        "\" onclick=\"alert(1)",
        "'><svg onload=alert(1)>",
        "</title></head><body>",
        "<!--",
        "]]>&lt;/td&gt;&#60;b>",
        "javascript:alert(1)//`${1}`",
        "a\u{202e}<b>\u{0}\n",
        "dcbf",
        "x<".repeat(3000).as_str(),
    ] {
        assert_eq!(skeleton(text), plain, "{text:?}");
    }
}

#[test]
fn refused_calls_have_rows_before_all_others() {
    let mut calls = Vec::new();
    for seq in 1..=3 * CALLS as u64 {
        let call = match seq % 3 {
            0 => blocked(),
            1 => allowed(seq, seq, "sql_query"),
            _ => Decision {
                hazard: vec![1],
                ..allowed(seq, seq, "sql_query")
            },
        };
        calls.push(Decision {
            seq,
            line: seq,
            ..call
        });
    }
    let mut summary = summary();
    let rows = |calls: &[Decision], summary: &mut Summary| -> (Vec<u64>, String) {
        summary.counts.calls = calls.len() as u64;
        summary.counts.listed = calls.len() as u64;
        let page = about(&header(), calls, summary);
        let section = section(&page, "calls").to_owned();
        let rows = section.split("<tr id=\"d").skip(1);
        let number = |row: &str| row.split_once('"').expect("an id").0.parse().expect("");
        (rows.map(number).collect(), words(&section))
    };
    let few = &calls[..CALLS];
    let (all, says) = rows(few, &mut summary);
    assert_eq!(all, (1..=CALLS as u64).collect::<Vec<_>>());
    assert!(says.contains("The table has all of them."), "{says}");
    // As many refused ones as there is room for.
    let (refused, says) = rows(&calls, &mut summary);
    let expected = (1..=CALLS as u64).map(|n| 3 * n);
    assert_eq!(refused, expected.collect::<Vec<_>>());
    let counts = "6,000 of 6,000 calls are listed: 2,000 refused, 2,000 that stand out otherwise";
    assert!(says.contains(counts), "{says}");
    assert!(says.contains("The table has 2,000 of them"), "{says}");
    // Half as many, then those with a hazard, then the first that are allowed.
    let (some, _) = rows(&calls[..3 * CALLS / 2], &mut summary);
    assert_eq!(some.len(), CALLS);
    assert_eq!(some.iter().filter(|&row| row % 3 == 0).count(), CALLS / 2);
    assert_eq!(some.iter().filter(|&row| row % 3 == 2).count(), CALLS / 2);
}

#[test]
fn runs_are_drawn_and_told_of_as_far_as_there_is_room() {
    let header = Header {
        scales: Scales::new(&[0.9, 0.5, 10.0, 0.8, 50.0]),
        ..header()
    };
    let runs = 3 * TOLD as u64;
    let mut out = Vec::new();
    let mut report = (FORMAT.open)(header, Box::new(&mut out));
    for run in 0..runs {
        let id = format!("run {run:03}");
        for seq in 1..=3 {
            let left = (run + 1) as f64 / runs as f64;
            let mut call = Decision {
                run: id.as_str().into(),
                ..allowed(3 * run + seq, seq, "sql_query")
            };
            call.barriers[1] = reading(0.5 * left, 0.5 * left);
            report.decision(&call, false).expect("memory");
        }
        let ended = RunReport {
            id: id.as_str().into(),
            ..RunReport::default()
        };
        report.run(&ended).expect("memory");
    }
    let mut summary = summary();
    summary.counts.runs = runs;
    report.finish(&summary).expect("memory");
    drop(report);
    let page = String::from_utf8(out).expect("UTF-8");
    let section = section(&page, "runs");
    assert_eq!(section.matches("<details class=\"run\"").count(), DRAWN);
    assert_eq!(section.matches("<svg viewBox=\"0 0 260").count(), 5 * DRAWN);
    assert_eq!(
        section.matches("<tr><th scope=\"row\">").count(),
        TOLD - DRAWN
    );
    let says = words(section);
    let counts =
        "Of 600 runs, 30 are drawn, and the next 170 stand in the table below them; 400 more";
    assert!(says.contains(counts), "{says}");
    let first = section.find("run 000").expect("the nearest");
    assert!(first < section.find("run 001").expect("the next"));
    assert!(!section.contains("run 200") && section.contains("run 199"));
}

#[test]
fn a_chart_shows_what_was_refused_and_says_so() {
    let page = page(&header(), &items(), &summary());
    let section = section(&page, "runs");
    let chart = "aria-label=\"privacy, calls 1 to 4: first 0.5, last \u{2212}0.1, least \u{2212}0.1 \
                 at call 4; refuses 2 calls\"";
    assert!(section.contains(chart), "{section}");
    assert_eq!(section.matches("class=\"x\" d=").count(), 1 + 2);
    assert!(words(section).contains("call 3, line 7: refused by dcbf, privacy\u{a0}0.1"));
}

#[test]
fn notices_are_listed_as_far_as_there_is_room() {
    let items = vec![Item::Notice(fault()); NOTICES + 7];
    let mut summary = summary();
    summary.counts.faults = items.len() as u64;
    summary.fault_codes = [("malformed_json", items.len() as u64)].into();
    summary.counts.warnings = 0;
    let page = page(&header(), &items, &summary);
    let section = section(&page, "notices");
    assert_eq!(section.matches("<tr>").count(), 1 + NOTICES);
    assert!(words(section).contains("7 more are in the machine formats"));
}

/// What rules say stands on the page wherever a rule is named.
#[test]
fn rules_are_explained_where_they_decided() {
    let page = page(&header(), &items(), &summary());
    for id in ["dcbf/forward_invariance", "barrier/privacy"] {
        assert!(
            page.contains(&format!("<article id=\"rule-{id}\">")),
            "{id}"
        );
        assert!(page.contains(&format!("href=\"#rule-{id}\"")), "{id}");
    }
    assert!(!page.contains("rule-gates/regex"));
    assert!(page.contains("the run has left the safe set"));
}
