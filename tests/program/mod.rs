//! Runs the program in a directory of its own, with nothing of the caller's environment.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod explained;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A directory that is removed at the end of the test.
pub struct Scratch(tempfile::TempDir);

/// How the program ended and what it wrote.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Scratch {
    pub fn new() -> Scratch {
        Scratch(tempfile::tempdir().expect("a temporary directory"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        let parent = path.parent().expect("files lie in the directory");
        std::fs::create_dir_all(parent).expect("a directory");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// What a file holds; absent where there is none.
    pub fn read(&self, name: &str) -> Option<String> {
        let bytes = std::fs::read(self.path().join(name)).ok()?;
        Some(String::from_utf8(bytes).expect("reports are UTF-8"))
    }

    /// Names of the files that lie directly in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).expect("a directory");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// The program, in this directory, with nothing on standard input. `args` are split at spaces.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gate"));
        command
            .env_clear()
            .current_dir(self.path())
            .args(args.split_whitespace())
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn gate(&self, args: &str) -> Ran {
        ran(self.command(args).output().expect("the program runs"))
    }

    /// Runs the program to its end where no file may take more than so many blocks of the shell's.
    pub fn gate_with_short_files(&self, args: &str, blocks: u32) -> Ran {
        let gate = env!("CARGO_BIN_EXE_gate");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -f {blocks} && exec '{gate}' {args}")]);
        let shell = shell.env_remove("GITHUB_ACTIONS").current_dir(self.path());
        ran(shell.stdin(Stdio::null()).output().expect("a shell"))
    }

    /// Runs the program by a line of the shell, in which `gate` is it: with files for its streams.
    #[cfg(unix)]
    pub fn gate_by_shell(&self, line: &str) -> Ran {
        let gate = env!("CARGO_BIN_EXE_gate");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("gate() {{ '{gate}' \"$@\"; }}; {line}")]);
        let shell = shell.env_remove("GITHUB_ACTIONS").current_dir(self.path());
        ran(shell.stdin(Stdio::null()).output().expect("a shell"))
    }

    /// Runs the program to its end with `input` on standard input.
    pub fn gate_fed(&self, args: &str, input: &[u8]) -> Ran {
        let mut child = self.spawn(args, Stdio::piped());
        let mut stdin = child.stdin.take().expect("piped");
        let input = input.to_vec();
        // Fed from aside: the program may write before it has read everything.
        let feeder = std::thread::spawn(move || {
            let _ = std::io::Write::write_all(&mut stdin, &input);
        });
        let ended = ran(child.wait_with_output().expect("the program runs"));
        feeder.join().expect("the feeder ends");
        ended
    }

    /// Starts the program with both outputs piped.
    pub fn spawn(&self, args: &str, stdin: Stdio) -> Child {
        let mut command = self.command(args);
        command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }
}

/// Replays a trace of this content under a policy of that one, as JSON lines.
pub fn replay(trace: impl AsRef<[u8]>, policy: &str, flags: &str) -> Ran {
    let scratch = Scratch::new();
    scratch.file("t.jsonl", trace);
    scratch.file("p.toml", policy);
    scratch.gate(&format!(
        "replay t.jsonl --policy p.toml --format jsonl {flags}"
    ))
}

/// Replays with these arguments, where the tests are run.
pub fn replay_here(args: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gate"));
    command.env_clear().arg("replay").args(args);
    ran(command
        .stdin(Stdio::null())
        .output()
        .expect("the program runs"))
}

/// How it ended; an end by a signal has no status of its own and counts as -1.
pub fn ran(output: Output) -> Ran {
    Ran {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

impl Ran {
    /// Fails unless the status is the expected one.
    pub fn ends(self, status: i32) -> Ran {
        assert_eq!(
            self.status, status,
            "stdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    /// Fails unless standard error holds that text.
    pub fn says(self, text: &str) -> Ran {
        assert!(self.err.contains(text), "no `{text}` in:\n{}", self.err);
        self
    }

    /// The records of JSONL on standard output.
    pub fn records(&self) -> Vec<serde_json::Value> {
        records(&self.out)
    }

    /// The summary, which is the last record.
    pub fn summary(&self) -> serde_json::Value {
        let last = self.records().pop().expect("a record");
        assert_eq!(last["record"], "summary", "cut off: {last}");
        last
    }

    /// The decisions, as `tool decision` or `tool decision stage.rule`.
    pub fn decisions(&self) -> Vec<String> {
        let all = self.records();
        let decisions = all.iter().filter(|r| r["record"] == "decision");
        decisions.map(decision).collect()
    }

    /// The codes of faults and warnings with their lines, as `2 bad_field`; 0 is the whole input.
    pub fn notices(&self) -> Vec<String> {
        let all = self.records();
        let notices = all
            .iter()
            .filter(|r| r["record"] == "fault" || r["record"] == "warning");
        let code = |r: &serde_json::Value| {
            let line = r["line"].as_u64().unwrap_or(0);
            format!("{line} {}", r["code"].as_str().unwrap_or_default())
        };
        notices.map(code).collect()
    }
}

fn decision(record: &serde_json::Value) -> String {
    let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
    let what = format!("{} {}", text("tool"), text("decision"));
    match record["stage"].as_str() {
        Some(stage) => format!("{what} {stage}.{}", text("rule")),
        None => what,
    }
}

/// The records of a text of JSON lines.
pub fn records(text: &str) -> Vec<serde_json::Value> {
    let record = |line| serde_json::from_str(line).expect("every line is JSON");
    text.lines().map(record).collect()
}
