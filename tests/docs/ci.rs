//! The recipes of `docs/ci.md` do what they say: each is run as its CI system runs it, on recordings
//! without findings, with findings, and that cannot be read.

use super::{root, text};
use std::path::Path;
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

/// A call that the policy of the README lets pass.
const CALM: &str =
    r#"{"tool":"read_ticket","run":"r1","agent":"support","args":{"ticket":7},"result":"ok"}"#;

/// Folders with recordings, and the statuses that an audit of them may end with.
fn recordings() -> [(&'static str, String, i32); 3] {
    let incident = text("fixtures/readme/trace.jsonl");
    let torn = format!("{CALM}\n{{\"tool\":");
    [
        ("calm", CALM.to_owned(), 0),
        ("incident", incident, 1),
        ("torn", torn, 2),
    ]
}

/// A folder as a job finds it.
fn checkout(recording: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("recordings")).expect("recordings");
    std::fs::write(at("recordings/trace.jsonl"), recording).expect("a recording");
    std::fs::copy(root().join("fixtures/readme/gate.toml"), at("gate.toml")).expect("a policy");
    folder
}

/// Runs a script in a folder; gives its status.
fn run(shell: &[&str], script: &str, folder: &Path) -> i32 {
    let gate = Path::new(env!("CARGO_BIN_EXE_gate"));
    let built = gate.parent().expect("a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    let (program, options) = shell.split_first().expect("a shell");
    let done = Command::new(program)
        .args(options)
        .arg(script)
        .env("PATH", format!("{built}:{path}"))
        .env_remove("GITHUB_ACTIONS")
        .current_dir(folder)
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    let said = String::from_utf8_lossy(&done.stderr);
    // A usage that gate does not know would be status 2 as well.
    assert!(!said.contains("Usage:"), "{script}\n{said}");
    done.status
        .code()
        .unwrap_or_else(|| panic!("{script}\n{said}"))
}

/// The blocks of the page in a language.
fn blocks(language: &str) -> Vec<String> {
    let page = text("docs/ci.md");
    let fence = format!("\n```{language}\n");
    let parts = page.split(&fence).skip(1);
    let parts: Vec<String> = parts
        .filter_map(|part| part.split("\n```").next())
        .map(|block| format!("{block}\n"))
        .collect();
    assert!(!parts.is_empty(), "no block of {language}");
    parts
}

fn yaml(text: &str) -> Yaml {
    let read = YamlLoader::load_from_str(text);
    let mut documents = read.unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(documents.len(), 1, "{text}");
    documents.remove(0)
}

/// Every text under one of the keys, wherever it stands, in order; lists give their elements.
fn under(value: &Yaml, keys: &[&str], found: &mut Vec<String>) {
    match value {
        Yaml::Hash(members) => {
            for (key, member) in members {
                if key.as_str().is_some_and(|key| keys.contains(&key)) {
                    let elements = member.as_vec().map(Vec::as_slice);
                    let elements = elements.unwrap_or(std::slice::from_ref(member));
                    found.extend(elements.iter().filter_map(|e| Some(e.as_str()?.to_owned())));
                }
                under(member, keys, found);
            }
        }
        Yaml::Array(items) => items.iter().for_each(|item| under(item, keys, found)),
        _ => {}
    }
}

fn all_under(value: &Yaml, keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    under(value, keys, &mut found);
    found
}

/// The steps of GitHub's jobs run each by itself, those of GitLab's one after another, and both stop at
/// the first that fails. What is uploaded afterwards is there, whatever the audit found.
#[test]
fn jobs_end_as_the_audit_does_and_leave_their_reports() {
    let mut jobs = 0;
    for block in blocks("yaml") {
        let job = yaml(&block);
        let scripts = all_under(&job, &["run", "script"]);
        if scripts.is_empty() {
            continue;
        }
        jobs += 1;
        // A rate lets the incident pass, and so does a baseline that has it.
        let lenient = block.contains("--max-violation-rate") || block.contains("--baseline");
        for (name, recording, expected) in recordings() {
            let folder = checkout(&recording);
            if block.contains("--baseline") {
                let command = "gate replay recordings/ --policy gate.toml --sarif baseline.sarif";
                run(&["sh", "-c"], command, folder.path());
            }
            let bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"];
            let statuses = scripts
                .iter()
                .map(|script| run(&bash, script, folder.path()));
            let status = statuses
                .into_iter()
                .find(|status| *status != 0)
                .unwrap_or(0);
            let expected = if lenient && expected == 1 {
                0
            } else {
                expected
            };
            assert_eq!(status, expected, "{name}: {block}");
            for report in all_under(&job, &["sarif_file", "path", "paths", "junit"]) {
                let path = folder.path().join(&report);
                assert!(path.exists(), "{name}: {report}\n{block}");
            }
        }
    }
    assert!(jobs >= 3, "{jobs}");
}

/// pre-commit hands the changed files to a hook, unless it says `pass_filenames: false`.
#[test]
fn hooks_end_as_the_audit_does() {
    let ours = yaml(&text(".pre-commit-hooks.yaml"));
    let ours = ours.as_vec().expect("hooks").clone();
    let mut used = 0;
    for block in blocks("yaml") {
        for repository in yaml(&block)["repos"].as_vec().into_iter().flatten() {
            for hook in repository["hooks"].as_vec().expect("hooks") {
                // What a hook of a repository leaves out stands in that.
                let base = ours.iter().find(|base| base["id"] == hook["id"]);
                let base = base.expect("a hook of that name");
                let of = |key: &str| {
                    [hook, base]
                        .map(|hook| hook[key].clone())
                        .into_iter()
                        .find(|v| !v.is_badvalue())
                };
                let entry = of("entry")
                    .and_then(|entry| entry.into_string())
                    .expect("an entry");
                let files = of("files")
                    .and_then(|files| files.into_string())
                    .expect("files");
                assert!(regex::Regex::new(&files).is_ok(), "{files}");
                let named = of("pass_filenames") != Some(Yaml::Boolean(false));
                let arguments = all_under(hook, &["args"]).join(" ");
                let file = if named { "recordings/trace.jsonl" } else { "" };
                let command = format!("{entry} {arguments} {file}");
                for (name, recording, expected) in recordings() {
                    let folder = checkout(&recording);
                    let status = run(&["sh", "-c"], &command, folder.path());
                    assert_eq!(
                        status,
                        if named { expected } else { 0 },
                        "{name}: {command}"
                    );
                }
                used += 1;
            }
        }
    }
    assert_eq!(used, 2 * ours.len());
}

#[test]
fn scripts_end_as_the_audit_does() {
    for script in blocks("bash") {
        for (name, recording, expected) in recordings() {
            let folder = checkout(&recording);
            let status = run(&["sh", "-c"], &script, folder.path());
            assert_eq!(status, expected, "{name}: {script}");
            let kept = std::fs::read_dir(folder.path().join("reports")).expect("reports");
            assert_eq!(kept.count(), 1, "{name}");
        }
    }
}
