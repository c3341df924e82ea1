//! The exit status where outputs fail, end early or are interrupted: a report file is complete or
//! absent, and a refusal is not hidden by a reader that went away.

mod program;

use program::{Scratch, ran, records};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Many runs of one harmless call each, more than a pipe holds; then one with a refusal.
fn long_trace() -> String {
    let mut trace = String::new();
    for run in 0..2000 {
        trace += &format!("{{\"tool\":\"think\",\"run\":\"r{run}\",\"result\":1}}\n");
    }
    for _ in 0..3 {
        trace += "{\"tool\":\"send_email\",\"run\":\"last\",\"result\":1}\n";
    }
    trace
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", "{\"tool\":\"think\",\"result\":1}\n");
    scratch
}

/// The files of a directory that a report under way would leave.
fn partial(scratch: &Scratch) -> Vec<String> {
    let mut names = scratch.names();
    names.retain(|name| name.starts_with(".gate") || name.starts_with("report"));
    names
}

/// Reports that grow past what files may take are absent and told, whatever command writes them, and
/// the process ends of its own.
#[cfg(unix)]
#[test]
fn a_report_that_may_not_grow_is_an_error() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", long_trace());
    for args in [
        "replay t.jsonl --quiet --jsonl report.jsonl",
        "replay t.jsonl --quiet --json report.json --csv report.csv",
        "convert t.jsonl -o report.jsonl",
        "man --output report",
    ] {
        let blocks = if args.starts_with("man") { 1 } else { 16 };
        let ran = scratch.gate_with_short_files(args, blocks).ends(2);
        ran.says("cannot be written");
        let mut left = partial(&scratch);
        // The folder of the pages.
        left.retain(|name| name != "report");
        assert!(left.is_empty(), "{args}: {left:?}");
    }
    let pages = std::fs::read_dir(scratch.path().join("report")).expect("a folder");
    assert_eq!(pages.count(), 0);
    scratch
        .gate_with_short_files("replay t.jsonl --format jsonl > out.jsonl", 1)
        .ends(2);
}

#[test]
fn a_reader_that_goes_away_hides_no_refusal() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", long_trace());
    let files = "--jsonl report.jsonl --csv report.csv --json report.json";
    for format in ["jsonl", "json", "csv", "table"] {
        let args = format!("replay t.jsonl --format {format} --force {files}");
        let mut child = scratch.spawn(&args, Stdio::null());
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a first line");
        drop(stdout);
        let ran = ran(child.wait_with_output().expect("it ends")).ends(1);
        assert!(!ran.err.contains("cannot be written"), "{}", ran.err);
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        let jsonl = scratch.read("report.jsonl").expect("a report");
        let lines = records(&jsonl);
        let last = lines.last().expect("a record");
        assert_eq!((lines.len(), &last["exit"]["status"]), (2004, &1.into()));
        let json = scratch.read("report.json").expect("a report");
        let json: serde_json::Value = serde_json::from_str(&json).expect("a document");
        assert_eq!(json["summary"], *last);
        let csv = scratch.read("report.csv").expect("a report");
        assert!(
            csv.lines()
                .last()
                .is_some_and(|l| l.starts_with("summary,"))
        );
    }
}

#[test]
fn a_reader_that_was_never_there_changes_nothing() {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", long_trace());
    for args in ["replay t.jsonl", "verify-barriers t.jsonl", "check"] {
        let mut child = scratch.spawn(args, Stdio::null());
        drop(child.stdout.take());
        drop(child.stderr.take());
        let status = child.wait().expect("it ends").code();
        let expected = i32::from(args != "check");
        assert_eq!(status, Some(expected), "{args}");
    }
}

#[cfg(unix)]
#[test]
fn output_that_cannot_be_written_is_unusable() {
    let full = || std::fs::File::options().write(true).open("/dev/full");
    if full().is_err() {
        eprintln!("not tested: there is no /dev/full here");
        return;
    }
    let scratch = scratch();
    for args in [
        "replay t.jsonl",
        "replay t.jsonl --format json",
        "replay t.jsonl --format jsonl --jsonl report.jsonl",
        "replay t.jsonl --format csv",
        "replay t.jsonl --format jsonl --fail-on none --allow-faults",
        "verify-barriers t.jsonl",
        "verify-barriers t.jsonl --format json",
        "check",
        "check --format json",
        "check --effective",
    ] {
        let mut command = scratch.command(args);
        command.stdout(full().expect("it was there"));
        let ran = ran(command.output().expect("the program runs")).ends(2);
        assert!(!ran.err.contains("panicked"), "{args}: {}", ran.err);
        assert!(!ran.err.is_empty(), "{args} fails without a word");
    }
    let report = scratch.read("report.jsonl").expect("it can be written");
    assert_eq!(records(&report).len(), 2);
    let mut command = scratch.command("replay missing.jsonl");
    command.stderr(full().expect("it was there"));
    ran(command.output().expect("the program runs")).ends(2);
}

#[test]
fn a_report_replaces_nothing_unless_told() {
    let scratch = scratch();
    scratch.file("report.json", "mine");
    for flag in ["--json", "--jsonl", "--csv"] {
        let args = format!("replay t.jsonl {flag} report.json");
        let ran = scratch.gate(&args).ends(2).says("--force");
        assert!(ran.out.is_empty(), "nothing is read before");
        assert_eq!(scratch.read("report.json").as_deref(), Some("mine"));
    }
    scratch
        .gate("replay t.jsonl --json report.json --force")
        .ends(0);
    let report = scratch.read("report.json").expect("a report");
    assert!(report.starts_with("{\"schema\":\"gate.report/1\""));
    assert_eq!(partial(&scratch), ["report.json"]);
}

#[test]
fn a_report_never_replaces_what_it_reports_on() {
    let scratch = scratch();
    let before = scratch.read("t.jsonl");
    scratch.file("d/t.jsonl", "{\"tool\":\"think\"}\n");
    for args in [
        "replay t.jsonl --json t.jsonl",
        "replay t.jsonl --json t.jsonl --force",
        "replay t.jsonl --csv ./t.jsonl --force",
        "replay d --jsonl d/t.jsonl --force",
    ] {
        let ran = scratch.gate(args).ends(2).says("is an input");
        assert!(ran.out.is_empty(), "{args}");
    }
    assert_eq!(scratch.read("t.jsonl"), before);
    #[cfg(unix)]
    {
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink("t.jsonl", link).expect("a link");
        scratch
            .gate("replay t.jsonl --json link --force")
            .ends(2)
            .says("is an input");
        assert_eq!(scratch.read("t.jsonl"), before);
    }
}

/// Rationale: a recording that grows by what is said of it has no end.
#[cfg(unix)]
#[test]
fn no_input_is_written_to_by_a_stream() {
    let scratch = scratch();
    let before = scratch.read("t.jsonl");
    std::fs::create_dir(scratch.path().join("d")).expect("a directory");
    for line in [
        "gate replay t.jsonl --format jsonl >> t.jsonl",
        "gate replay - < t.jsonl >> t.jsonl",
        "cp t.jsonl d/t.jsonl; gate replay d --format jsonl > d/out.jsonl",
        "gate convert d > d/out.jsonl",
    ] {
        scratch
            .gate_by_shell(line)
            .ends(2)
            .says("is an input and standard output as well");
        assert_eq!(scratch.read("t.jsonl"), before, "{line}");
    }
    scratch
        .gate_by_shell("gate replay t.jsonl > out.txt 2>&1 && gate replay - < t.jsonl > d/new")
        .ends(0);
    scratch
        .gate_by_shell("gate replay t.jsonl 2>> t.jsonl")
        .ends(2);
    let after = scratch.read("t.jsonl").expect("a recording");
    assert!(
        after.contains("is an input and standard error as well"),
        "{after}"
    );
}

/// Rationale: a recording on standard input is as dear as one that is named.
#[cfg(unix)]
#[test]
fn what_standard_input_comes_from_is_not_written_over() {
    let scratch = scratch();
    let before = scratch.read("t.jsonl");
    for line in [
        "gate replay --quiet --json t.jsonl --force < t.jsonl",
        "gate replay - --quiet --csv ./t.jsonl --force < t.jsonl",
        "gate convert - --output t.jsonl --force < t.jsonl",
    ] {
        scratch.gate_by_shell(line).ends(2).says("is an input");
        assert_eq!(scratch.read("t.jsonl"), before, "{line}");
    }
    let line = "GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=t.jsonl gate replay --quiet < t.jsonl";
    scratch.gate_by_shell(line).says("it is an input");
    assert_eq!(scratch.read("t.jsonl"), before);
    scratch
        .gate_by_shell("gate replay t.jsonl --json o --force > o")
        .ends(2)
        .says("is standard output as well");
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_anything_is_read() {
    let scratch = scratch();
    std::fs::create_dir(scratch.path().join("d")).expect("a directory");
    for (path, why) in [
        ("no/such/report.json", "cannot be written"),
        ("d", "is a directory"),
        ("t.jsonl/report.json", "cannot be written"),
    ] {
        let args = format!("replay t.jsonl --json {path} --force");
        let ran = scratch.gate(&args).ends(2).says(why);
        assert!(ran.out.is_empty(), "{args}");
    }
    assert!(partial(&scratch).is_empty());
}

#[test]
fn two_reports_do_not_share_a_file() {
    let scratch = scratch();
    let ran = scratch.gate("replay t.jsonl --json report --csv report");
    let ran = ran.ends(2);
    assert!(ran.out.is_empty());
    assert!(partial(&scratch).is_empty());
    scratch
        .gate("replay t.jsonl --json report --csv ./report --force")
        .ends(2);
}

#[cfg(unix)]
#[test]
fn an_interrupted_audit_leaves_no_report() {
    for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let scratch = Scratch::new();
        let pipe = scratch.path().join("pipe.jsonl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            eprintln!("not tested: no named pipes here");
            return;
        }
        let files = "--jsonl report.jsonl --json report.json --csv report.csv";
        let args = format!("replay pipe.jsonl --format jsonl {files}");
        let child = scratch.spawn(&args, Stdio::null());
        // Opening waits until the program reads, and it reads only once it is ready to be stopped.
        let mut writer = std::fs::File::options()
            .write(true)
            .open(&pipe)
            .expect("the program opens the other end");
        std::io::Write::write_all(&mut writer, b"{\"tool\":\"think\"}\n").expect("a record");
        assert_eq!(partial(&scratch).len(), 3, "three reports are under way");
        let kill = std::process::Command::new("kill")
            .args([format!("-{signal}"), child.id().to_string()])
            .status();
        assert!(kill.is_ok_and(|status| status.success()));
        ran(child.wait_with_output().expect("it ends")).ends(status);
        assert!(partial(&scratch).is_empty(), "{:?}", scratch.names());
    }
}

/// A policy is read as inputs are, and lost as surely.
#[test]
fn a_report_does_not_replace_the_policy() {
    let scratch = scratch();
    scratch.file("gate.toml", "[dfa]\nmax_steps = 9\n");
    for flags in ["--json gate.toml", "--policy ./gate.toml --csv gate.toml"] {
        let args = format!("replay t.jsonl --force {flags}");
        scratch.gate(&args).ends(2).says("is an input");
    }
    assert!(
        scratch
            .read("gate.toml")
            .is_some_and(|text| text.contains("max_steps"))
    );
}

/// So are the files of the model of an embedder.
#[test]
fn a_report_does_not_replace_the_model_of_an_embedder() {
    let scratch = scratch();
    let files = ["config.json", "model.safetensors", "vocab.txt"];
    let tiny = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/embed/tiny");
    for file in files {
        let bytes = std::fs::read(tiny.join(file)).expect("a file");
        scratch.file(&format!("m/{file}"), bytes);
    }
    let policy = "[embedders]\nminilm = \"m\"\n[semantic]\nembedder = \"minilm\"\n";
    scratch.file("gate.toml", policy);
    for file in files {
        scratch
            .gate(&format!("replay t.jsonl --csv m/{file} --force"))
            .ends(2)
            .says("is an input");
    }
    scratch.gate("replay t.jsonl --csv m/report.csv").ends(0);
}

/// `--quiet` is about what scrolls by. A file is asked for by name, and each report counts what it lists.
#[test]
fn a_quiet_audit_still_lists_in_files() {
    let scratch = scratch();
    let shown = scratch
        .gate("replay t.jsonl -q --format jsonl --jsonl report.jsonl")
        .ends(0);
    let file = scratch.read("report.jsonl").expect("a report");
    let listed = |records: &[serde_json::Value]| {
        let summary = records.last().expect("a summary");
        (
            records.len() as u64 - 1,
            summary["counts"]["listed"].as_u64(),
        )
    };
    assert_eq!(listed(&shown.records()), (0, Some(0)));
    assert_eq!(listed(&records(&file)), (1, Some(1)));
}

#[cfg(unix)]
#[test]
fn an_audit_of_standard_input_can_be_interrupted() {
    let scratch = Scratch::new();
    let mut child = scratch.spawn("replay -q --jsonl report.jsonl", Stdio::piped());
    let mut stdin = child.stdin.take().expect("piped");
    // More than the pipe holds: once all of it is taken, the program is reading.
    let line = b"{\"tool\":\"think\"}\n".repeat(20_000);
    std::io::Write::write_all(&mut stdin, &line).expect("the program reads");
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.is_ok_and(|status| status.success()));
    ran(child.wait_with_output().expect("it ends")).ends(130);
    assert!(partial(&scratch).is_empty(), "{:?}", scratch.names());
    drop(stdin);
}

/// A report that takes the place of a file is for those that the file was for, and while it is under way
/// for nobody else.
#[cfg(unix)]
#[test]
fn a_report_is_as_readable_as_the_file_that_it_replaces() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    let scratch = scratch();
    let report = scratch.file("report.json", "mine");
    let mode = || {
        let meta = std::fs::metadata(&report).expect("a report");
        meta.permissions().mode() & 0o7777
    };
    for kept in [0o600, 0o640, 0o444, 0o666] {
        std::fs::set_permissions(&report, Permissions::from_mode(kept)).expect("a mode");
        scratch
            .gate("replay t.jsonl --json report.json --force")
            .ends(0);
        assert_eq!(mode(), kept, "{kept:o} became {:o}", mode());
    }
    // A new one is as readable as other new files of this user.
    for (mask, expected) in [("077", 0o600), ("022", 0o644)] {
        std::fs::remove_file(&report).expect("removed");
        let gate = env!("CARGO_BIN_EXE_gate");
        let line = format!("umask {mask} && exec '{gate}' replay t.jsonl --json report.json");
        let mut shell = std::process::Command::new("sh");
        let shell = shell
            .args(["-c", &line])
            .env_clear()
            .current_dir(scratch.path());
        ran(shell.output().expect("a shell")).ends(0);
        assert_eq!(mode(), expected, "{mask}: {:o}", mode());
    }
}

/// Whose file it is does not change by who replaces it.
#[cfg(unix)]
#[test]
fn a_report_stays_with_the_owner_of_the_file_that_it_replaces() {
    use std::os::unix::fs::{MetadataExt, chown};
    let scratch = scratch();
    let report = scratch.file("report.json", "mine");
    if chown(&report, Some(4711), Some(4712)).is_err() {
        eprintln!("not tested: this user may not give files away");
        return;
    }
    scratch
        .gate("replay t.jsonl --json report.json --force")
        .ends(0);
    let meta = std::fs::metadata(&report).expect("a report");
    assert_eq!((meta.uid(), meta.gid()), (4711, 4712));
}

/// Links are followed, as a shell follows them: what they lead to is replaced, and they stay.
#[cfg(unix)]
#[test]
fn a_report_goes_where_a_link_leads() {
    use std::os::unix::fs::symlink;
    let scratch = scratch();
    scratch.file("d/report.json", "mine");
    symlink("d/report.json", scratch.path().join("link")).expect("a link");
    symlink("d/new.csv", scratch.path().join("new")).expect("a link");
    let replay = "replay t.jsonl --json link --csv new";
    scratch.gate(replay).ends(2).says("--force");
    scratch.gate(&format!("{replay} --force")).ends(0);
    for (link, file) in [("link", "d/report.json"), ("new", "d/new.csv")] {
        assert!(scratch.path().join(link).is_symlink(), "{link}");
        let report = scratch.read(file).expect("a report");
        assert!(report.contains("think"), "{file}: {report}");
    }
    for two in [
        "--json link --csv d/report.json",
        "--csv new --json d/new.csv",
    ] {
        scratch
            .gate(&format!("replay t.jsonl --force {two}"))
            .ends(2)
            .says("is named for two reports");
    }
    symlink("round", scratch.path().join("round")).expect("a link");
    scratch
        .gate("replay t.jsonl --json round --force")
        .ends(2)
        .says("leads nowhere");
}

/// What a policy names is read as it is, and lost as surely: also by a command that opens no model.
#[test]
fn a_report_does_not_replace_what_the_policy_names() {
    let scratch = scratch();
    let files = [
        ("p/schema.json", "{\"required\":[\"q\"]}"),
        ("p/harm.txt", "delete the backups\n"),
        ("p/model.safetensors", "to be trained"),
    ];
    for (file, text) in files {
        scratch.file(file, text);
    }
    scratch.file(
        "p/gate.toml",
        "[[contracts]]\ntools = [\"search\"]\nschema = \"schema.json\"\n\
         [semantic]\nextend_exemplars = \"harm.txt\"\n\
         [dcbf.barriers.learned]\nmodel = \"model.safetensors\"\nenabled = false\n",
    );
    for (file, text) in files.into_iter().chain([("p/gate.toml", "contracts")]) {
        for command in ["replay t.jsonl --json", "features t.jsonl --output"] {
            scratch
                .gate(&format!("{command} ./{file} --force --policy p/gate.toml"))
                .ends(2)
                .says("is an input");
            let held = scratch.read(file).expect("it is still there");
            assert!(held.contains(text), "{file}");
        }
    }
}
