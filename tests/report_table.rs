//! The report for people, to the letter.

mod report_samples;

use gate::audit::summary::Summary;
use gate::engine::decision::Decision;
use gate::report::Header;
use report_samples::*;

fn table(header: &Header, items: &[Item], summary: &Summary) -> String {
    write("table", header, items, summary)
}

fn narrow(width: usize) -> Header {
    Header {
        width: Some(width),
        ..header()
    }
}

/// The lines about calls and notices, without the report under them.
fn stream(report: &str) -> Vec<&str> {
    report.lines().take_while(|line| !line.is_empty()).collect()
}

const NATURAL: &str = "\
line  run  turn  tool        decision  stage.rule               safety      privacy       resource      scope       stability
   3  r1      1  sql_query   allow                              0.9 -> 0.9  0.5 -> 0.1    10 -> 9.99    0.8 -> 0.8  50 -> 49
   7  r1      3  send_email  block     dcbf.forward_invariance  0.9 -> 0.9  0.1 -> -0.1!  9.98 -> 9.97  0.8 -> 0.8  48 -> 47
      ↳ privacy would fall from 0.1 to -0.1: third outbound call; drift: recorded allow
fault line 8:13 malformed_json: expected `,` or `}`
  help: one record a line
   9  r1      4  send_email  block*?   dcbf.outside_safe_set    0.9         -0.1!         9.98          0.8         48
      ↳ privacy stands at -0.1; standing
warning line 10 orphan_result: result for `c9`, which the run does not have

* counterfactual: replay and record parted earlier in the run
? inconclusive: a fault leaves the state of the run in doubt

inputs
  t.jsonl  gate  10 lines, 8 records  sha256 3f2a91c0b7d4
  names, ids and reasons are the inputs' own words: data, not to be trusted

policy
  built-in, sha256 0123456789ab
  mode enforce, dispatch recorded, escalated calls: block

decisions
  allow 1, block 2
  dcbf.outside_safe_set    1
  dcbf.forward_invariance  1
  refused by run: r1 2 of 3

barriers
  barrier  least h  at            least slack  at            root  standing
  safety   0.9      line 3 r1 c1  0.9          line 3 r1 c1  0     0
  privacy  -0.1     line 9 r1 c4  -0.1         line 7 r1 c3  1     1
  nearest to a refusal: -20% of privacy, line 9 r1 c4

course of h over each run, those nearest to a refusal first
  run  safety  privacy  resource  scope  stability
  r1   ███     █▂×      ███       ███    ███
  bars from 0 to the greatest value, the least of each stretch of calls; × is below zero

violations of barriers, with 95% intervals
  runs with a root violation  1 of 1  100%   20.6% to 100%   approximate
  calls refused at the root   1 of 3  33.3%  6.2% to 79.2%   approximate
  calls refused standing      1 of 3  33.3%  6.2% to 79.2%   approximate
  calls refused, both         2 of 3  66.7%  20.8% to 93.8%  approximate
  approximate: fewer than 30 runs

findings
  concurrency: the inputs show no calls in flight together, and so nothing of batch hazards
  drift: 1 of 1 recorded decisions differ
  counterfactual: 1 call after replay and record parted
  inconclusive: 1 of 1 run for a fault

faults
  malformed_json 1
  fault line 8:13 malformed_json: expected `,` or `}`
    help: one record a line

warnings
  orphan_result 1
  warning line 10 orphan_result: result for `c9`, which the run does not have

tools that no rule names, with their calls
  sql_query 1

bookkeeping
  lines 10 = records 8 + blank 1 + faulty 1; calls 3 = decisions 3; runs 1, results 4, repeats 0

block: 2 of 3 calls refused, 1 input fault; exit 1: 2 calls blocked
";

const EIGHTY: &str = "\
line  run  turn  tool        decision  stage.rule           tightest barrier
   3  r1      1  sql_query   allow                          privacy 0.5 -> 0.1
   7  r1      3  send_email  block     dcbf.forward_invar…  privacy 0.1 -> -0.1!
      ↳ privacy would fall from 0.1 to -0.1: third outbound call; drift:
        recorded allow
fault line 8:13 malformed_json: expected `,` or `}`
  help: one record a line
   9  r1      4  send_email  block*?   dcbf.outside_safe_…  privacy -0.1!
      ↳ privacy stands at -0.1; standing
warning line 10 orphan_result: result for `c9`, which the run does not have
";

#[test]
fn natural_width() {
    assert_eq!(table(&header(), &items(), &summary()), NATURAL);
    assert_eq!(table(&narrow(200), &items(), &summary()), NATURAL);
}

#[test]
fn eighty_columns() {
    let report = table(&narrow(80), &items(), &summary());
    assert_eq!(stream(&report).join("\n") + "\n", EIGHTY);
    for line in report.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_hundred_and_twenty_columns_show_the_next_value_alone() {
    let report = table(&narrow(120), &items(), &summary());
    assert!(report.contains("forward_invariance  0.9     -0.1!    9.97      0.8    47\n"));
    assert!(report.contains("\nbarriers stand at their value after the call\n"));
}

#[test]
fn calls_fit_from_fifty_columns_up() {
    let long = Decision {
        run: "3f2a91c0-b7d4-4e55-9c3e-0123456789ab".into(),
        tool: "mcp__mail__send_with_attachments".into(),
        reason: None,
        recorded: None,
        ..blocked()
    };
    for width in 50..240 {
        let items = [Item::Call(Box::new(long.clone()))];
        let report = table(&narrow(width), &items, &summary());
        let lines = stream(&report);
        assert_eq!(lines.len(), 2, "one line a call");
        for line in lines {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn colours_change_nothing_but_colour() {
    for width in [None, Some(80), Some(120)] {
        let plain = Header { width, ..header() };
        let painted = Header {
            color: true,
            ..plain.clone()
        };
        let report = table(&painted, &items(), &summary());
        assert!(report.contains("\u{1b}[31mblock\u{1b}[0m"));
        assert!(report.contains("-0.1!\u{1b}[0m"));
        assert!(report.contains("\u{1b}[31mfault\u{1b}[0m line 8:13"));
        let mut stripped = report;
        for code in ["[0m", "[1m", "[31m", "[33m"] {
            stripped = stripped.replace(&format!("\u{1b}{code}"), "");
        }
        assert_eq!(stripped, table(&plain, &items(), &summary()));
    }
}

#[test]
fn chunks_keep_the_columns_of_the_first() {
    let items: Vec<Item> = (1..=1200)
        .map(|n| Item::Call(Box::new(allowed(100 + n, n, "sql_query"))))
        .collect();
    let report = table(&header(), &items, &summary());
    let lines = stream(&report);
    assert_eq!(lines.len(), 1201);
    assert!(lines[1..].iter().all(|line| !line.contains("turn")));
    let at = |line: &str| line.find("sql_query");
    assert_eq!(at(lines[1]), at(lines[1200]));
}

#[test]
fn a_later_chunk_may_need_more_room() {
    let mut items: Vec<Item> = (1..=600)
        .map(|n| Item::Call(Box::new(allowed(n, n, "sql"))))
        .collect();
    items.push(Item::Call(Box::new(allowed(601, 601, &"x".repeat(50)))));
    for header in [header(), narrow(80)] {
        let report = table(&header, &items, &summary());
        let lines = stream(&report);
        assert_eq!(lines.len(), 602);
        assert!(lines[601].contains("xxxxxxxx"));
    }
    assert!(table(&header(), &items, &summary()).contains(&"x".repeat(50)));
}

#[test]
fn several_inputs_are_told_apart() {
    let header = Header {
        inputs: vec!["a.jsonl".to_owned(), "b c.jsonl".to_owned()],
        ..header()
    };
    let mut second = allowed(1, 1, "sql_query");
    second.input = 1;
    let mut notice = fault();
    notice.place.input = 1;
    let items = [
        Item::Call(Box::new(allowed(1, 1, "sql_query"))),
        Item::Call(Box::new(second)),
        Item::Notice(notice),
    ];
    let report = table(&header, &items, &summary());
    let lines: Vec<&str> = report.lines().take(8).collect();
    assert_eq!(lines[0], "file a.jsonl");
    assert!(lines[1].starts_with("line  run"));
    assert_eq!(lines[3], "");
    assert_eq!(lines[4], "file \"b c.jsonl\"");
    assert!(lines[5].starts_with("line  run"));
    assert_eq!(
        lines[7],
        "fault \"b c.jsonl\":8:13 malformed_json: expected `,` or `}`"
    );
}

#[test]
fn an_audit_of_nothing_says_so() {
    let report = table(&header(), &[], &Summary::default());
    assert!(report.starts_with("policy\n"), "{report}");
    assert!(report.ends_with("\nnothing to audit: 0 of 0 calls refused, incomplete; exit 0\n"));
}

#[test]
fn arguments_stand_under_the_call_with_secrets_masked() {
    let decision = Decision {
        args: Some(r#"{"to":"bob","password":"hunter2"}"#.to_owned()),
        ..allowed(1, 1, "send_email")
    };
    let report = table(&header(), &[Item::Call(Box::new(decision))], &summary());
    assert!(report.contains("\n        args {\"to\":\"bob\",\"password\":\"[masked]\"}\n"));
}

/// Calls that the filters leave out of the list are drawn all the same, and where many runs come near a
/// refusal those that come nearest are.
#[test]
fn courses_are_of_all_calls() {
    let open = gate::report::FORMATS[0].open;
    let mut out = Vec::new();
    let mut report = open(narrow(60), Box::new(&mut out));
    for run in 0..9u32 {
        let mut decision = allowed(1, 1, "think");
        decision.run = format!("r{run}").into();
        decision.barriers = vec![reading(1.0 + f64::from(run), 1.0 + f64::from(run)); 5];
        report.decision(&decision, false).unwrap();
    }
    let mut summary = summary();
    summary.counts.runs = 9;
    report.finish(&summary).unwrap();
    drop(report);
    let out = String::from_utf8(out).unwrap();
    let (_, drawn) = out
        .split_once("course of h over each run")
        .expect("a section");
    let runs: Vec<&str> = drawn
        .lines()
        .skip(2)
        .take(5)
        .map(|line| line[2..].split(' ').next().unwrap())
        .collect();
    assert_eq!(runs, ["r0", "r1", "r2", "r3", "r4"]);
    assert!(drawn.contains("4 other runs not drawn"), "{drawn}");
}
