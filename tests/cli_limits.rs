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

/// Of many runs under way most is kept in a temporary file. Where none can be made, memory has to do, and
/// everything comes out the same: calls that come later, repeats, and other calls of an id.
#[test]
fn nothing_depends_on_room_for_temporary_files() {
    let scratch = Scratch::new();
    let mut trace = String::new();
    for (id, args) in [("a", "{}"), ("b", "{}"), ("a", "{}"), ("a", "[]")] {
        for run in 0..3000 {
            let call = format!(r#"{{"run":"run-{run}","id":"{id}","tool":"t","args":{args}}}"#);
            trace.push_str(&call);
            trace.push('\n');
        }
    }
    scratch.file("t.jsonl", trace);
    let put_aside_in = |directory: &std::path::Path| {
        let mut command = scratch.command("replay --format jsonl t.jsonl");
        ran(command.env("TMPDIR", directory).output().expect("it runs")).ends(2)
    };
    let with = put_aside_in(scratch.path());
    let without = put_aside_in(&scratch.path().join("nowhere"));
    assert_eq!(with.decisions().len(), 6000);
    assert!(
        with.out == without.out,
        "what is put aside changes a report"
    );
    assert_eq!(scratch.names(), ["t.jsonl"]);
}

/// Where files may not grow, what would be put aside stays in memory: the signal ends nothing. Standard
/// output is a pipe here, to which the limit does not apply.
#[cfg(unix)]
#[test]
fn nothing_depends_on_how_long_files_may_be() {
    let scratch = Scratch::new();
    let mut trace = String::new();
    for id in ["a", "b", "a"] {
        for run in 0..4000 {
            trace += &format!("{{\"run\":\"run-{run}\",\"id\":\"{id}\",\"tool\":\"t\"}}\n");
        }
    }
    scratch.file("t.jsonl", trace);
    let args = "replay --format jsonl t.jsonl";
    let free = scratch.gate(args);
    for blocks in [0, 16, 256] {
        let ran = scratch
            .gate_with_short_files(args, blocks)
            .ends(free.status);
        assert!(ran.out == free.out, "{blocks} blocks change a report");
        assert_eq!(ran.err, free.err);
    }
}

/// A file that is longer than may be is refused by its length alone. That is why the program gets by
/// with less memory here than reading such a file would take; where that cannot be limited, the
/// message alone is looked at.
#[test]
fn files_that_are_too_long_are_not_read() {
    let scratch = Scratch::new();
    let long = |name: &str, bytes: u64| {
        let file = std::fs::File::create(scratch.path().join(name)).expect("a file");
        file.set_len(bytes).expect("a hole");
    };
    long("long.toml", 1 << 30);
    long("long.safetensors", 1 << 30);
    long("long.txt", 1 << 30);
    let own = |name: &str, text: &str| scratch.file(name, text);
    own("words.toml", "[semantic]\nextend_exemplars = 'long.txt'\n");
    own("model.toml", "[dcbf]\nneural = 'long.safetensors'\n");
    own(
        "folder.toml",
        "[embedders]\nminilm = 'minilm'\n[semantic]\nembedder = 'minilm'\n",
    );
    std::fs::create_dir(scratch.path().join("minilm")).expect("a directory");
    long("minilm/config.json", 1 << 30);
    for (args, file, most) in [
        ("check long.toml", "`long.toml`", 1 << 20),
        ("check words.toml", "`long.txt`", 256 << 20),
        ("check model.toml", "`long.safetensors`", 256 << 20),
        ("check folder.toml", "config.json", 256 << 20),
        ("model long.safetensors", "`long.safetensors`", 64 << 20),
    ] {
        let ran = in_little_memory(&scratch, args).ends(2);
        let line = ran.err.lines().find(|line| line.contains(file));
        let line = line.unwrap_or_else(|| panic!("{args}: no {file} in {}", ran.err));
        assert!(
            line.contains(&format!("longer than {most} bytes")),
            "{line}"
        );
    }
}

/// Runs the program with 200 MB of address space, where there is a shell that can set that.
fn in_little_memory(scratch: &Scratch, args: &str) -> program::Ran {
    if cfg!(not(target_os = "linux")) {
        return scratch.gate(args);
    }
    let gate = env!("CARGO_BIN_EXE_gate");
    let mut shell = std::process::Command::new("sh");
    shell.env_remove("GITHUB_ACTIONS");
    shell.current_dir(scratch.path()).stdin(Stdio::null());
    shell.args(["-c", &format!("ulimit -v 200000 && exec '{gate}' {args}")]);
    ran(shell.output().expect("a shell"))
}

/// Whoever names a device by hand gets what it says up to a bound. What a policy names, and a policy
/// that was found and not named, is no pipe: nobody may ever write to that.
#[cfg(target_os = "linux")]
#[test]
fn devices_and_pipes_are_not_read_for_ever() {
    let scratch = Scratch::new();
    let link = |name: &str| {
        std::os::unix::fs::symlink("/dev/zero", scratch.path().join(name)).expect("a link");
    };
    link("zero.toml");
    let longer = "longer than 1048576 bytes";
    scratch.gate("check zero.toml").ends(2).says(longer);
    scratch.gate("check /dev/zero").ends(2).says(longer);
    scratch
        .gate("model /dev/zero")
        .ends(2)
        .says("longer than 67108864 bytes");
    let pipe = |name: &str| {
        let made = std::process::Command::new("mkfifo")
            .arg(scratch.path().join(name))
            .status();
        assert!(made.expect("mkfifo").success());
    };
    pipe("pipe");
    for name in ["pipe", "/dev/zero", "zero.toml"] {
        for text in [
            format!("[semantic]\nextend_benign = '{name}'\n"),
            format!("[dcbf]\nneural = '{name}'\n"),
        ] {
            scratch.file("p.toml", &text);
            let said = scratch.gate("check p.toml").ends(2).err;
            assert!(
                said.contains("regular file") && said.contains(name),
                "{said}"
            );
        }
    }
    pipe("gate.toml");
    let found = scratch.gate("check").ends(2);
    found.says("policy `gate.toml` cannot be read: it is no regular file");
    // A pipe that is named may be written to: `--policy <(make-policy)`.
    let mut child = scratch.spawn("check /dev/stdin", Stdio::piped());
    let mut stdin = child.stdin.take().expect("piped");
    std::io::Write::write_all(&mut stdin, b"[dfa]\nmax_steps = 7\n").expect("written");
    drop(stdin);
    let read = ran(child.wait_with_output().expect("it ends")).ends(0);
    assert!(read.out.contains("goes on after 7 calls"), "{}", read.out);
}
