//! What is very long, deep or large, and what lies exactly on a limit, through the program.

mod program;

use program::{Scratch, ran, replay};
use std::process::Stdio;

const CALL: &str = "{\"tool\":\"think\"}\n";

#[test]
fn what_lies_beyond_the_byte_limit_is_told() {
    let trace = CALL.repeat(10);
    let limit = |bytes: usize| replay(&trace, "", &format!("--max-bytes {bytes}"));
    limit(trace.len()).ends(0);
    let ran = limit(CALL.len() * 3 + 2).ends(2);
    assert_eq!(ran.decisions().len(), 3);
    assert!(ran.notices().contains(&"0 truncated_input".into()));
    assert_eq!(ran.summary()["complete"], false);
    let long = format!("{CALL}{{\"tool\":\"{}\"}}\n{CALL}", "x".repeat(500));
    let ran = replay(long, "", "--max-line 100").ends(2);
    assert_eq!(ran.decisions(), ["think allow", "think allow"]);
    assert_eq!(ran.notices(), ["2 line_too_long"]);
}

#[test]
fn limits_hold_for_states_files_too() {
    let scratch = Scratch::new();
    let states = vec!["{}"; 1000].join(",");
    let actions = vec!["{\"tool\":\"think\"}"; 1000].join(",");
    let file = format!("{{\"states\":[{states}],\"actions\":[{actions}]}}");
    scratch.file("s.json", &file);
    scratch.gate("verify-barriers s.json").ends(0);
    scratch
        .gate("verify-barriers s.json --max-bytes 1000")
        .ends(2);
    scratch
        .gate("verify-barriers s.json --max-line 1000")
        .ends(2);
    let exact = format!("verify-barriers s.json --max-bytes {}", file.len());
    scratch.gate(&exact).ends(0);
}

#[cfg(target_os = "linux")]
#[test]
fn an_endless_input_ends_at_a_limit() {
    let scratch = Scratch::new();
    for limit in ["--max-bytes 3000000", "--max-bytes 3000000 --max-line 1000"] {
        let ran = scratch.gate(&format!("replay /dev/zero {limit}"));
        assert_eq!(ran.status, 2);
    }
    let mut child = scratch.spawn("replay - --quiet --max-bytes 100000", Stdio::piped());
    let mut stdin = child.stdin.take().expect("piped");
    let line = CALL.repeat(1000);
    // Until the program has had enough.
    while std::io::Write::write_all(&mut stdin, line.as_bytes()).is_ok() {}
    ran(child.wait_with_output().expect("it ends")).ends(2);
}

#[test]
fn nesting_has_a_limit_and_never_overflows() {
    let nested = |levels: usize| {
        format!(
            "{{\"tool\":\"t\",\"args\":{}1{}}}\n",
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    for flags in ["", "--show-args", "--mode observe"] {
        replay(nested(126), "[gates]\nrefuse = [\"zzz\"]\n", flags).ends(0);
    }
    for levels in [128, 1000, 200_000] {
        let ran = replay(nested(levels), "", "").ends(2);
        assert_eq!(ran.notices(), ["1 too_deep"]);
    }
    let ran = replay("[".repeat(300_000), "", "").ends(2);
    assert!(ran.decisions().is_empty());
    let scratch = Scratch::new();
    let open = "{\"states\":[".repeat(100_000);
    scratch.file("s.json", open);
    scratch.gate("verify-barriers s.json").ends(2);
    scratch.file("p.toml", format!("x = {}", "[".repeat(100_000)));
    scratch.gate("check p.toml").ends(2);
}

#[test]
fn a_barrier_that_is_no_number_refuses() {
    for expr in [
        "0.0 / 0.0",
        "1.0 / 0.0",
        "-1.0 / 0.0",
        "double(1 / state.step_count)",
    ] {
        let policy = format!("[dcbf.barriers.odd]\nexpr = '{expr}'\n");
        let ran = replay(CALL, &policy, "").ends(1);
        assert_eq!(
            ran.decisions(),
            ["think block dcbf.outside_safe_set"],
            "{expr}"
        );
        let decision = ran.records().swap_remove(0);
        assert_eq!(decision["barriers"]["odd"]["h"], -1);
        assert!(decision["barriers"]["odd"]["next"].is_null());
        assert_eq!(decision["broken"], serde_json::json!(["odd"]));
        assert!(!ran.out.contains("NaN") && !ran.out.contains("inf"));
    }
}

#[test]
fn zero_is_inside() {
    let one = "[dcbf.barriers.stability]\nstep_budget = 1\n";
    let ran = replay(CALL.repeat(2), one, "").ends(1);
    assert_eq!(
        ran.decisions(),
        ["think allow", "think block dcbf.forward_invariance"]
    );
    assert_eq!(ran.records()[0]["barriers"]["stability"]["next"], 0);
}

#[test]
fn a_limit_is_met_to_the_nano_dollar() {
    let call = |estimate: &str| {
        let trace = format!(
            "{{\"tool\":\"a\",\"cost_usd\":9.99}}\n{{\"tool\":\"b\",\"estimated_cost_usd\":{estimate}}}\n"
        );
        replay(trace, "", "").decisions().swap_remove(1)
    };
    assert_eq!(call("0.01"), "b allow");
    assert_eq!(call("0.010000000"), "b allow");
    assert_eq!(
        call("0.0100000004"),
        "b allow",
        "rounded to the nano-dollar"
    );
    assert_eq!(call("0.010000001"), "b block dcbf.forward_invariance");
    assert_eq!(call("0"), "b allow");
    // Sums of decimals that no float holds.
    let trace = "{\"tool\":\"a\",\"cost_usd\":0.1}\n".repeat(99)
        + "{\"tool\":\"b\",\"estimated_cost_usd\":0.1}\n{\"tool\":\"c\"}\n";
    let policy = "[dfa]\nmax_steps = 1000\n[dcbf.barriers.stability]\nenabled = false\n";
    let decisions = replay(trace, policy, "").decisions();
    assert_eq!(
        decisions[99..],
        ["b allow", "c allow"],
        "b is still in flight"
    );
}

#[test]
fn sums_that_are_too_large_refuse() {
    let dear = "{\"tool\":\"a\",\"cost_usd\":1e18}\n".repeat(30);
    let ran = replay(&dear, "", "--mode observe").ends(1);
    let decisions = ran.decisions();
    assert_eq!(decisions[0], "a allow");
    assert!(
        decisions[1..]
            .iter()
            .all(|d| d == "a block dcbf.outside_safe_set")
    );
    let ran = replay("{\"tool\":\"a\",\"cost_usd\":1.1e18}\n", "", "").ends(2);
    assert_eq!(ran.notices(), ["1 bad_field"]);

    let most = u64::MAX;
    let wordy = format!("{{\"tool\":\"a\",\"tokens\":{most}}}\n").repeat(3);
    let policy = format!("[gates]\nmax_tokens = {}\n", i64::MAX);
    let ran = replay(wordy, &policy, "").ends(1);
    assert_eq!(
        ran.decisions(),
        ["a allow", "a block gates.budget", "a block gates.budget"]
    );
    let late = format!("{{\"tool\":\"a\",\"turn\":{most}}}\n{CALL}{CALL}");
    assert_eq!(replay(late, "", "").ends(0).decisions().len(), 3);
}
