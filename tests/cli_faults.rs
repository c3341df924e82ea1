//! What goes wrong with inputs and policies, as the program's user meets it: what is still decided,
//! what is told, and how it ends.

mod program;

use program::{Scratch, ran, replay};

const CALL: &str = "{\"tool\":\"think\"}\n";

#[test]
fn nothing_is_said_to_be_nothing() {
    for (content, blank) in [("", 0), ("\n\n", 2), ("  \n\t\n \r\n", 3), ("   ", 1)] {
        let ran = replay(content, "", "").ends(2).says("no call in any input");
        let summary = ran.summary();
        let counts = &summary["counts"];
        assert_eq!(
            (&counts["lines"], &counts["blank"], &counts["calls"]),
            (&blank.into(), &blank.into(), &0.into())
        );
        assert_eq!(summary["complete"], true);
        assert_eq!(summary["exit"]["status"], 2);
        let ran = replay(content, "", "--allow-empty").ends(0);
        assert_eq!(ran.summary()["exit"]["status"], 0);
        let scratch = Scratch::new();
        scratch
            .gate_fed("replay --format jsonl", content.as_bytes())
            .ends(2);
    }
}

#[test]
fn a_torn_tail_is_a_fault_unless_allowed() {
    let torn = format!("{CALL}{CALL}{{\"tool\":\"rm");
    let ran = replay(&torn, "", "").ends(2).says("byte offset 45");
    assert_eq!(ran.decisions(), ["think allow", "think allow"]);
    assert_eq!(ran.notices(), ["3 truncated_input"]);
    assert_eq!(ran.summary()["complete"], false);
    let ran = replay(&torn, "", "--allow-torn-tail").ends(0);
    assert_eq!(ran.decisions(), ["think allow", "think allow"]);
    assert_eq!(ran.notices(), ["3 torn_tail"]);
    assert_eq!(ran.summary()["complete"], false);
    replay(&torn, "", "--allow-torn-tail --deny-warnings").ends(1);
    let whole = format!("{CALL}{{\"tool\":\"rm\"}}");
    let ran = replay(whole, "", "").ends(0);
    assert_eq!(ran.decisions(), ["think allow", "rm allow"]);
}

#[cfg(unix)]
#[test]
fn a_closed_standard_input_is_no_empty_success() {
    let scratch = Scratch::new();
    for input in ["", "-"] {
        let mut shell = std::process::Command::new("sh");
        let gate = env!("CARGO_BIN_EXE_gate");
        shell
            .args(["-c", &format!("exec {gate} replay {input} <&-")])
            .env_remove("GITHUB_ACTIONS")
            .current_dir(scratch.path());
        ran(shell.output().expect("a shell")).ends(2);
    }
}

#[test]
fn standard_input_has_a_name() {
    let scratch = Scratch::new();
    for input in ["", "-"] {
        let ran = scratch.gate_fed(&format!("replay {input} --format jsonl"), CALL.as_bytes());
        let decision = ran.records().swap_remove(0);
        assert_eq!(
            (&decision["file"], &decision["run"]),
            (&"stdin".into(), &"stdin".into())
        );
    }
    let ran = scratch.gate_fed("replay - - --format jsonl", CALL.as_bytes());
    assert_eq!(ran.decisions(), ["think allow"]);
    assert_eq!(ran.notices(), ["0 repeated_input"]);
}

#[test]
fn a_directory_gives_what_is_named_like_a_trace() {
    let scratch = Scratch::new();
    scratch.file("d/b.jsonl", "{\"tool\":\"b\"}\n");
    scratch.file("d/a/z.ndjson", "{\"tool\":\"z\"}\n");
    scratch.file("d/c.JSON", "{\"tool\":\"c\"}\n");
    scratch.file("d/notes.txt", "{\"tool\":\"no\"}\n");
    scratch.file(
        "d/e.jsonl.zst",
        zstd::encode_all(&b"{\"tool\":\"e\"}\n"[..], 1).expect("memory"),
    );
    scratch.file("d/g.jsonl.bak", "{\"tool\":\"no\"}\n");
    let ran = scratch
        .gate("replay d --format jsonl")
        .ends(0)
        .says("passed over in directories: 2 ");
    assert_eq!(
        ran.decisions(),
        ["z allow", "b allow", "c allow", "e allow"]
    );
    scratch.file("d/bad.jsonl", "{\n");
    let ran = scratch.gate("replay d --format jsonl").ends(2);
    assert_eq!(ran.decisions().len(), 4, "the others are audited");
    let ran = scratch.gate("replay d/notes.txt --format jsonl").ends(0);
    assert_eq!(
        ran.decisions(),
        ["no allow"],
        "a file that is named is read"
    );
}

#[cfg(unix)]
#[test]
fn links_in_a_directory_hide_nothing() {
    let scratch = Scratch::new();
    scratch.file("elsewhere/kept.jsonl", "{\"tool\":\"kept\"}\n");
    scratch.file("d/a.jsonl", CALL);
    let link = |target: &str, name: &str| {
        let name = scratch.path().join(name);
        std::os::unix::fs::symlink(target, name).expect("a link");
    };
    link("../elsewhere/kept.jsonl", "d/link.jsonl");
    link("a.jsonl", "d/same.jsonl");
    link("..", "d/up");
    let ran = scratch.gate("replay d --format jsonl").ends(0);
    assert_eq!(ran.decisions(), ["think allow", "kept allow"]);
    assert_eq!(ran.notices(), ["0 repeated_input"]);
    assert!(
        ran.err.contains("passed over in directories: 1 "),
        "{}",
        ran.err
    );
    link("d", "all");
    let ran = scratch.gate("replay all --format jsonl").ends(0);
    assert_eq!(ran.decisions(), ["think allow", "kept allow"]);
    link("nowhere.jsonl", "d/broken.jsonl");
    let ran = scratch
        .gate("replay d --format jsonl")
        .ends(2)
        .says("broken.jsonl");
    assert_eq!(ran.decisions().len(), 2, "the others are audited");
}

#[test]
fn a_file_named_twice_is_audited_once() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", CALL);
    scratch.file("copy.jsonl", CALL);
    for twice in ["t.jsonl t.jsonl", "t.jsonl ./t.jsonl", "t.jsonl ."] {
        let ran = scratch.gate(&format!("replay {twice} --format jsonl"));
        assert!(
            ran.notices().contains(&"0 repeated_input".into()),
            "{twice}"
        );
    }
    let ran = scratch
        .gate("replay t.jsonl copy.jsonl --format jsonl")
        .ends(0);
    assert_eq!(ran.decisions().len(), 2, "two files of the same content");
}

#[test]
fn one_run_id_in_two_files_is_two_runs() {
    let scratch = Scratch::new();
    let mails = "{\"tool\":\"send_email\",\"run\":\"r\",\"result\":1}\n".repeat(2);
    scratch.file("a.jsonl", &mails);
    scratch.file("b.jsonl", &mails);
    let ran = scratch
        .gate("replay a.jsonl b.jsonl --format jsonl")
        .ends(0);
    assert_eq!(ran.notices(), ["1 shared_run_id"]);
    assert_eq!(ran.summary()["counts"]["runs"], 2);
    let begun = format!("{{\"type\":\"run_start\",\"run\":\"r\"}}\n{mails}");
    scratch.file("a.jsonl", &begun);
    scratch.file("b.jsonl", &begun);
    let ran = scratch
        .gate("replay a.jsonl b.jsonl --format jsonl")
        .ends(0);
    assert_eq!(ran.notices(), ["1 shared_run_id"]);
}

#[test]
fn files_with_odd_names_are_read() {
    let scratch = Scratch::new();
    scratch.file("-x.jsonl", CALL);
    scratch.gate("replay -- -x.jsonl").ends(0);
    scratch.file("-", CALL);
    scratch.gate("replay ./-").ends(0);
    scratch.file("\u{1b}[31m.jsonl", CALL);
    for format in ["table", "json", "jsonl", "csv"] {
        let ran = scratch.gate(&format!("replay \u{1b}[31m.jsonl --format {format}"));
        let ran = ran.ends(0);
        assert!(!ran.out.contains('\u{1b}'), "{format}");
    }
    let missing = scratch.gate("replay \u{1b}[32m.jsonl").ends(2);
    assert!(!missing.err.contains('\u{1b}') && !missing.out.contains('\u{1b}'));
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"t\xff.jsonl");
        std::fs::write(scratch.path().join(name), CALL).expect("a file");
        let mut command = scratch.command("replay --format jsonl");
        let ran = ran(command.arg(name).output().expect("it runs")).ends(0);
        assert_eq!(ran.decisions(), ["think allow"]);
        assert_eq!(ran.records()[0]["file"], "t\\xff.jsonl");
    }
}

#[test]
fn what_is_audited_does_not_choose_its_policy() {
    let scratch = Scratch::new();
    scratch.file("d/t.jsonl", "{\"tool\":\"rm\"}\n");
    scratch.file("d/gate.toml", "[pipeline]\ndisable = [\"dcbf\"]\n");
    for (args, status) in [
        ("replay .", 2),
        ("replay ../d", 2),
        ("verify-barriers .", 2),
        ("replay t.jsonl", 0),
        ("replay . --policy gate.toml", 0),
        ("replay . --policy default", 0),
    ] {
        let mut command = scratch.command(args);
        command.current_dir(scratch.path().join("d"));
        let ran = ran(command.output().expect("it runs")).ends(status);
        if status == 2 {
            assert!(ran.says("--policy").out.is_empty(), "{args}");
        }
    }
    let ran = scratch.gate("replay d --format jsonl").ends(0);
    assert_eq!(ran.summary()["policy"]["source"], "built-in");
    // A policy above what is audited is the auditor's own.
    scratch.file("gate.toml", "[gates]\nallow = [\"think\"]\n");
    let ran = scratch.gate("replay d --format jsonl").ends(1);
    assert_eq!(ran.summary()["policy"]["source"], "gate.toml");
}

#[test]
fn a_policy_may_have_a_mark_and_carriage_returns() {
    let plain = "[dcbf]\nkappa = 0.5\n\n[gates]\nallow = [\"think\"]\n";
    let marked = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
    let digest = |policy: &str| {
        let summary = replay(CALL, policy, "").ends(0).summary();
        summary["policy"]["sha256"].clone()
    };
    assert_eq!(digest(plain), digest(&marked));
    assert_ne!(digest(plain), digest(""));
}

#[test]
fn digests_are_those_of_the_bytes() {
    use sha2::Digest;
    let packed = zstd::encode_all(CALL.as_bytes(), 1).expect("memory");
    for content in [CALL.as_bytes(), b"not json\n", &packed] {
        let digest = sha2::Sha256::digest(content);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let summary = replay(content, "", "").summary();
        let input = &summary["inputs"][0];
        assert_eq!(input["sha256"], digest);
        assert_eq!(input["bytes"], content.len());
    }
}

#[test]
fn lookalike_tools_are_warned_of_and_not_taken_for_the_real_ones() {
    for tool in [
        "Send_Email",
        "send_email ",
        "\u{455}end_email",
        "send_emai\u{406}",
    ] {
        let mails = format!("{{\"tool\":\"{tool}\",\"result\":1}}\n").repeat(4);
        let ran = replay(&mails, "", "");
        assert!(
            ran.notices().iter().any(|n| n.ends_with("lookalike_tool")),
            "{tool}: {:?}",
            ran.notices()
        );
        assert_eq!(ran.decisions().len(), 4);
        let summary = ran.summary();
        assert_eq!(summary["counts"]["faults"], 0, "a warning");
    }
}

/// One name written in two ways, composed and with the accent by itself: nobody can see that they are two,
/// and what the policy says of the one does not hold for the other. Each kind of name is told, once.
#[test]
fn names_in_another_unicode_form_are_warned_of() {
    let (one, two) = ("caf\u{e9}", "cafe\u{301}");
    let policy = format!(
        "[gates]\nallow = [\"{one}\", \"t\", \"{one}_*\"]\n[privilege.agents.\"{one}\"]\ntools = [\"t\"]\n\
         [[labels]]\nlabel = \"{one}\"\ntools = [\"t\"]\n"
    );
    let told = |trace: &str| replay(trace, &policy, "").notices();
    let call = |rest: &str| format!("{{\"run\":\"r\",\"result\":1,{rest}}}\n");
    for rest in [
        format!("\"tool\":\"{two}\""),
        format!("\"tool\":\"{two}_order\""),
        format!("\"tool\":\"t\",\"agent\":\"{two}\""),
        format!("\"tool\":\"t\",\"labels\":[\"{two}\"]"),
    ] {
        assert_eq!(told(&call(&rest).repeat(3)), ["1 unicode_form"], "{rest}");
        assert!(told(&call(&rest.replace(two, one))).is_empty(), "{rest}");
    }
    let runs =
        format!("{{\"tool\":\"t\",\"run\":\"{one}\"}}\n{{\"tool\":\"t\",\"run\":\"{two}\"}}\n");
    assert_eq!(told(&runs), ["2 unicode_form"]);
    let ids = format!(
        "{{\"tool\":\"t\",\"run\":\"r\",\"id\":\"{one}\"}}\n\
         {{\"type\":\"tool_result\",\"run\":\"r\",\"call\":\"{two}\",\"result\":1}}\n"
    );
    let ids = told(&ids);
    assert!(ids.contains(&"2 orphan_result".to_owned()), "{ids:?}");
    assert!(ids.contains(&"2 unicode_form".to_owned()), "{ids:?}");
    let ran = replay(&runs, &policy, "");
    assert_eq!(
        ran.decisions().len(),
        2,
        "they are two runs, and both are judged"
    );
    let shown = ran.records();
    let warned = shown.iter().find(|record| record["code"] == "unicode_form");
    let message = warned.expect("a warning")["message"].to_string();
    assert!(message.contains("cafe\\\\u{301}"), "{message}");
}

#[test]
fn embeddings_of_two_lengths_are_a_fault_and_missing_ones_are_counted() {
    let trace = "{\"tool\":\"a\",\"context_embedding\":[1,0,0],\"action_embedding\":[1,0,0]}\n\
        {\"tool\":\"b\",\"action_embedding\":[1,0]}\n\
        {\"tool\":\"c\",\"context_embedding\":[1,0],\"action_embedding\":[1]}\n\
        {\"tool\":\"d\"}\n";
    let ran = replay(trace, "", "").ends(2);
    assert_eq!(ran.decisions(), ["a allow", "d allow"]);
    assert_eq!(ran.notices(), ["2 bad_field", "3 bad_field"]);
    let records = ran.records();
    let marked: Vec<_> = records
        .iter()
        .filter_map(|r| r["inconclusive"].as_bool())
        .collect();
    assert_eq!(marked, [false, true]);
    let ran = replay("{\"tool\":\"d\",\"action_embedding\":[0,0]}\n", "", "").ends(0);
    assert_eq!(ran.notices(), ["1 zero_embedding"]);
    assert_eq!(ran.summary()["scope_inert"], 1);
}

#[test]
fn every_format_tells_of_an_unsound_policy() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", CALL);
    scratch.file("p.toml", "[dcbf.barriers.privacy]\nkappa = 2.0\n");
    for format in ["table", "json", "jsonl", "csv"] {
        let args = format!("replay t.jsonl --policy p.toml --format {format}");
        let ran = scratch.gate(&args).ends(0);
        assert!(ran.out.contains("unsound_alpha"), "{format}: {}", ran.out);
    }
    for format in ["table", "json"] {
        let args = format!("verify-barriers t.jsonl --policy p.toml --format {format}");
        let ran = scratch.gate(&args).ends(0);
        assert!(ran.out.contains("unsound_alpha"), "{format}: {}", ran.out);
    }
    for format in ["table", "json"] {
        let ran = scratch
            .gate(&format!("check p.toml --format {format}"))
            .ends(0);
        assert!(ran.out.contains("unsound_alpha"), "{format}: {}", ran.out);
    }
}

#[test]
fn every_fault_is_listed_in_every_format() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", format!("{CALL}{{\"tool\":7}}\n{CALL}nonsense\n"));
    for format in ["table", "json", "jsonl", "csv"] {
        let ran = scratch.gate(&format!("replay t.jsonl --format {format}"));
        let ran = ran.ends(2).says("t.jsonl:2:").says("t.jsonl:4:");
        for code in ["bad_field", "malformed_json"] {
            assert!(ran.out.contains(code), "{format}: {}", ran.out);
        }
    }
    let many = "nonsense\n".repeat(200);
    let ran = replay(&many, "", "").ends(2).says("180 more faults");
    assert_eq!(ran.notices().len(), 200);
}

#[test]
fn a_label_that_cannot_be_evaluated_refuses_and_hides_no_other() {
    let policy = "[[labels]]\nlabel = \"odd\"\nwhen = 'call.args.n > 1'\n\
        [[labels]]\nlabel = \"send_email\"\ntools = [\"mail\"]\n";
    let trace =
        "{\"tool\":\"mail\",\"result\":1}\n".repeat(3) + "{\"tool\":\"mail\",\"args\":{\"n\":1}}\n";
    let ran = replay(trace, policy, "--mode observe").ends(1);
    let decisions = ran.decisions();
    assert_eq!(decisions[..3], ["mail error"; 3]);
    // The three ran all the same, and were outbound whatever else they were.
    assert_eq!(decisions[3], "mail block dcbf.outside_safe_set");
}
