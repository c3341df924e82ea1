//! Markdown: the verdict first, the counts of the summary, and caps that say what they cut.

mod report_samples;

use gate::audit::summary::RunRefusals;
use gate::engine::decision::Decision;
use gate::report::Header;
use report_samples::*;

#[test]
fn the_verdict_comes_first() {
    let header = Header {
        command: "gate replay t.jsonl".to_owned(),
        ..header()
    };
    let out = write("markdown", &header, &items(), &summary());
    assert!(
        out.starts_with(
            "## gate: block\n\n**2 of 3 calls refused, 1 input fault; exit 1**: `2 calls blocked`\n"
        ),
        "{out}"
    );
    for row in [
        "| calls | 3 |",
        "| input faults | 1 |",
        "| calls whose recorded decision differs | 1 |",
        "| 1 | 2 | 0 | 0 | 0 |",
        "| `dcbf` | `forward_invariance` | 1 |",
        "| calls refused at the root | 1 | 3 | 33.3% | 6.2% to 79.2% |",
        "The intervals are approximate: there are fewer than 30 runs.",
        "| `privacy` | -0.1 | `t.jsonl` line 9, call `c4` of `r1` | -0.1 | `t.jsonl` line 7, call `c3` of `r1` | 1 | 1 | 0 |",
        "| `t.jsonl` line 7 | `r1` | `c3` | `send_email` | block | `dcbf/forward_invariance` | \
         `privacy would fall from 0.1 to -0.1: third outbound call` |",
        "2 of 2 refused calls and withheld results.",
        "| `t.jsonl` line 8:13 | `malformed_json` |  | `` expected `,` or `}` ``; help: `one record a line` |",
        "`built-in`, sha256 `0123456789abcdef",
        "```text\ngate replay t.jsonl\n```\n",
    ] {
        assert!(out.contains(row), "no {row}\n{out}");
    }
}

#[test]
fn what_is_cut_is_counted() {
    let calls = (1..=50).map(|n| {
        let decision = Decision {
            call: format!("c{n}"),
            ..blocked()
        };
        Item::Call(Box::new(decision))
    });
    let items: Vec<Item> = calls.collect();
    let mut summary = summary();
    summary.refusals = vec![RunRefusals {
        input: 0,
        run: "r1".to_owned(),
        refused: 50,
        calls: 60,
    }];
    summary.fault_codes = [("malformed_json", 70)].into();
    summary.inputs = vec![summary.inputs[0].clone(); 33];
    let out = write("markdown", &header(), &items, &summary);
    assert!(
        out.contains("\n20 of 50 refused calls and withheld results.\n"),
        "{out}"
    );
    assert!(out.contains("`c20`") && !out.contains("`c21`"));
    assert!(
        out.contains("\nAnd 69 more.\n") && out.contains("\nAnd 13 more.\n"),
        "{out}"
    );
    let out = write("markdown", &header(), &items[..1], &summary);
    assert!(
        out.contains(
            "1 of 50 refused calls and withheld results, as the options leave out others."
        )
    );
}

/// Whatever an input holds, a comment takes no more than code hosts let it have.
#[test]
fn endless_names_do_not_flood_it() {
    let long = "x".repeat(100_000);
    let decision = Decision {
        run: long.as_str().into(),
        call: long.clone(),
        tool: long.as_str().into(),
        reason: Some(long.clone()),
        ..blocked()
    };
    let items = vec![Item::Call(Box::new(decision)); 100];
    let header = Header {
        inputs: vec![long],
        ..header()
    };
    let out = write("markdown", &header, &items, &summary());
    assert!(out.len() < 60_000, "{}", out.len());
}
