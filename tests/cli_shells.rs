//! Completions and manual pages come from the definitions of the arguments, so that they have all of
//! them; `.ci/shells.py` has shells and formatters read them.

use std::path::Path;
use std::process::{Command, Output};

fn gate(args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gate"));
    let run = command.args(args).current_dir(folder).output();
    run.expect("gate runs")
}

fn printed(args: &[&str]) -> String {
    let run = gate(args, Path::new("."));
    assert_eq!(run.status.code(), Some(0), "{args:?}");
    String::from_utf8(run.stdout).expect("UTF-8")
}

fn said(run: &Output) -> String {
    String::from_utf8_lossy(&run.stderr).into_owned()
}

/// The commands, as the manual page of gate refers to them.
fn commands() -> Vec<String> {
    let page = printed(&["man"]);
    let lines = page.lines().map(|line| line.replace('\\', ""));
    let names = lines.filter_map(|line| {
        let name = line.strip_prefix("gate-")?.strip_suffix("(1)")?;
        Some(name.to_owned())
    });
    names.collect()
}

#[test]
fn every_shell_completes_commands_options_and_words() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        for word in ["verify-barriers", "max-violation-rate", "observe"] {
            // Values are completed by the three shells that can.
            let value = word == "observe" && ["elvish", "powershell"].contains(&shell);
            assert!(value || script.contains(word), "{shell}: {word}");
        }
        assert_eq!(script, printed(&["completions", shell]), "{shell}");
    }
    let run = gate(&["completions", "tcsh"], Path::new("."));
    assert_eq!(run.status.code(), Some(2));
}

/// bash with these completions, behind words that end where the next is completed.
fn completed(words: &[&str]) -> Vec<String> {
    let script = printed(&["completions", "bash"]);
    let (at, last) = (words.len() - 1, words[words.len() - 1]);
    let line = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={at}\n_gate gate '{last}' '{}'\necho \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words[at - 1],
    );
    let run = Command::new("bash").args(["-c", &line]).output();
    let run = run.expect("bash runs");
    assert!(run.stderr.is_empty(), "{}", said(&run));
    let words = String::from_utf8(run.stdout).expect("UTF-8");
    words.split_whitespace().map(str::to_owned).collect()
}

/// Arguments that take any text are completed with what there is, and still say in their own words what
/// there is none of.
#[test]
fn names_of_commands_and_rules_are_completed() {
    if Command::new("bash").arg("--version").output().is_err() {
        eprintln!("not tested: there is no bash here");
        return;
    }
    assert_eq!(completed(&["gate", "man", "re"]), ["replay"]);
    assert_eq!(
        completed(&["gate", "rule", "coding-agent/force-p"]),
        ["coding-agent/force-push"]
    );
    assert_eq!(
        completed(&["gate", "replay", "--fail-on", "wi"]),
        ["withhold"]
    );
    let zsh = printed(&["completions", "zsh"]);
    assert!(zsh.contains("coding-agent/force-push"));
    for command in commands() {
        assert!(completed(&["gate", "man", ""]).contains(&command));
    }
}

/// `help` has no page: what it says the others say.
#[test]
fn every_command_has_its_page() {
    let commands = commands();
    assert!(commands.len() > 12 && !commands.contains(&"help".to_owned()));
    for command in &commands {
        let page = printed(&["man", command]);
        let title = format!(".TH GATE-{}", command.to_uppercase());
        assert!(page.contains(&title), "{command}");
        // What there is in place of a date does not change from day to day.
        let version = env!("CARGO_PKG_VERSION");
        let foot = format!(" 1 \"version {version}\" gate \"Manual of gate\"\n");
        assert!(page.contains(&foot), "{command}");
        let help = printed(&[command, "--help"]);
        let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
        let synopsis = page.split(".SH SYNOPSIS\n").nth(1).unwrap_or_default();
        let synopsis = synopsis.lines().next().unwrap_or_default();
        let plain = ["\\fB", "\\fR", "\\"]
            .iter()
            .fold(synopsis.to_owned(), |text, mark| text.replace(mark, ""));
        assert_eq!(Some(plain.as_str()), usage, "{command}");
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"] {
            let heading = format!("\n.SH {heading}\n");
            assert_eq!(page.matches(&heading).count(), 1, "{command}: {heading}");
        }
        // A line of its own for each example.
        let examples = page.split(".SH EXAMPLES\n.nf\n").nth(1).expect("examples");
        let first = examples
            .lines()
            .next()
            .unwrap_or_default()
            .replace('\\', "");
        assert!(
            first.trim_start().starts_with("gate "),
            "{command}: {first}"
        );
    }
    let replay = printed(&["man", "replay"]);
    assert!(replay.contains(r"\-\-max\-violation\-rate"));
    let whole = printed(&["man"]);
    assert!(
        whole.contains(".SH \"EXIT STATUS\"\n0 no finding"),
        "{whole}"
    );
    let run = gate(&["man", "reply"], Path::new("."));
    assert_eq!(run.status.code(), Some(2));
    assert!(said(&run).contains("did you mean `replay`?"));
}

/// Pages are written as reports are: all of them or none, and nothing is replaced unasked.
#[test]
fn pages_are_written_to_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = gate(&["man", "--output", "share/man1"], folder.path());
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let pages = folder.path().join("share/man1");
    let written = |name: &str| std::fs::read_to_string(pages.join(name)).expect("a page");
    assert_eq!(written("gate.1"), printed(&["man"]));
    for command in commands() {
        let page = written(&format!("gate-{command}.1"));
        assert_eq!(page, printed(&["man", &command]), "{command}");
    }
    let all = std::fs::read_dir(&pages).expect("pages").count();
    assert_eq!(all, 1 + commands().len());
    std::fs::remove_file(pages.join("gate.1")).expect("removed");
    let run = gate(&["man", "--output", "share/man1"], folder.path());
    assert_eq!(run.status.code(), Some(2));
    assert!(said(&run).contains("exists: use --force to replace it"));
    assert!(!pages.join("gate.1").exists());
    let run = gate(&["man", "--output", "share/man1", "--force"], folder.path());
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let left = std::fs::read_dir(&pages).expect("pages").count();
    assert_eq!(left, all);
}
