//! The layering of the source: what each room may know of others, and what its files look like.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Rooms of `src`, and the rooms, or parts of rooms, that each may know besides itself. Arrows run
/// from bytes to bytes: importer, event, engine, decision, report.
const ROOMS: &[(&str, &[&str])] = &[
    ("main", &["cli"]),
    ("lib", &[]),
    (
        "cli",
        &[
            "audit",
            "calibrate",
            "check",
            "convert",
            "diag",
            "embed",
            "engine",
            "escape",
            "exit",
            "explain",
            "firewall",
            "import",
            "inspect",
            "neural",
            "number",
            "policy",
            "report",
            "rules",
            "stages",
            "trace",
            "verify",
        ],
    ),
    ("diag", &["escape"]),
    ("embed", &["escape"]),
    ("bytes", &[]),
    ("escape", &["bytes"]),
    ("exit", &[]),
    ("number", &[]),
    ("series", &[]),
    ("trace", &["bytes"]),
    ("import", &["trace"]),
    (
        "convert",
        &[
            "audit::records",
            "escape",
            "import",
            "report::number",
            "trace",
        ],
    ),
    (
        "policy",
        &[
            "diag", "embed", "escape", "firewall", "neural", "number", "trace",
        ],
    ),
    ("neural", &["number", "trace::json"]),
    ("testing", &[]),
    ("tokens", &["policy", "trace"]),
    ("facets", &["trace"]),
    ("firewall", &["embed", "facets", "trace"]),
    ("state", &["policy", "trace"]),
    ("features", &["policy", "state"]),
    (
        "barriers",
        &["features", "number", "policy", "state", "trace::money"],
    ),
    (
        "stages",
        &[
            "barriers",
            "engine::decision",
            "facets",
            "features",
            "firewall",
            "number",
            "policy",
            "state",
            "trace",
        ],
    ),
    (
        "engine",
        &[
            "bytes",
            "import::Sink",
            "policy",
            "stages",
            "state",
            "tokens",
            "trace",
        ],
    ),
    (
        "rules",
        &["barriers::BARRIERS", "policy::presets", "stages::STAGES"],
    ),
    (
        "verify",
        &["barriers", "number", "policy", "state", "trace"],
    ),
    (
        "check",
        &[
            "barriers::definition",
            "barriers::level",
            "number",
            "policy",
            "trace::money",
            "verify",
        ],
    ),
    (
        "audit",
        &[
            "barriers",
            "engine",
            "exit",
            "import",
            "number",
            "policy",
            "report::Report",
            "report::features",
            "stages::STAGES",
            "stages::weigh",
            "state",
            "trace",
            "verify",
        ],
    ),
    (
        "explain",
        &[
            "barriers",
            "engine",
            "firewall",
            "import::Sink",
            "policy",
            "series",
            "stages::Remembered",
            "stages::STAGES",
            "stages::weigh",
            "trace",
        ],
    ),
    (
        "inspect",
        &[
            "audit",
            "engine::asked",
            "import",
            "policy",
            "state::RunView",
            "trace",
        ],
    ),
    (
        "calibrate",
        &[
            "audit",
            "embed",
            "engine::asked",
            "firewall",
            "import",
            "number",
            "policy",
            "stages::CallContext",
            "stages::Facts",
            "state",
            "trace",
            "verify",
        ],
    ),
    (
        "report",
        &[
            "audit",
            "bytes",
            "calibrate",
            "check",
            "engine::RunReport",
            "engine::decision",
            "escape",
            "exit",
            "explain",
            "inspect",
            "neural",
            "number",
            "policy::PolicyWarning",
            "policy::features",
            "rules",
            "series",
            "stages::weigh",
            "trace",
            "verify",
        ],
    ),
];

/// What the tests of every room may know.
const OF_TESTS: &str = "testing";

/// Longest source file, in lines.
const MOST_LINES: usize = 600;

struct File {
    /// Below `src`, with `/` between the parts.
    name: String,
    text: String,
}

impl File {
    fn room(&self) -> &str {
        let first = self.name.split('/').next().unwrap_or(&self.name);
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The lines that are code, with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines.filter_map(|(n, line)| {
            let line = line.trim_start();
            (!line.starts_with("//")).then_some((n + 1, line))
        })
    }
}

fn source() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut pending: Vec<PathBuf> = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(dir) = pending.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(&root).expect("below src");
                files.push(File {
                    name: name.to_string_lossy().replace('\\', "/"),
                    text: std::fs::read_to_string(&path).expect("UTF-8"),
                });
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(files.len() > 50, "the source was found");
    files
}

/// Every path that begins at the crate's root on a line, without that root.
fn paths(line: &str) -> Vec<String> {
    let roots = ["crate::", "gate::"];
    let mut found = Vec::new();
    for root in roots {
        for (at, _) in line.match_indices(root) {
            let before = line[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
                continue;
            }
            let rest = &line[at + root.len()..];
            let part = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
            let end = rest.find(part).unwrap_or(rest.len());
            found.push(rest[..end].trim_end_matches(':').to_owned());
        }
    }
    found
}

/// Whether `path` is the room or part, or lies in it.
fn lies_in(path: &str, allowed: &str) -> bool {
    path == allowed
        || path
            .strip_prefix(allowed)
            .is_some_and(|rest| rest.starts_with("::"))
}

#[test]
fn rooms_know_only_what_they_may() {
    let mut wrong = Vec::new();
    for file in source() {
        let room = file.room();
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!(
                "src/{}: `{room}` is no room of the table",
                file.name
            ));
            continue;
        };
        for (number, line) in file.code() {
            for path in paths(line) {
                let own = lies_in(&path, room);
                // A list in braces would hide what it names from this test.
                let mut allowed = allowed.iter().chain([&OF_TESTS]);
                let known = !path.is_empty() && allowed.any(|a| lies_in(&path, a));
                if !own && !known {
                    wrong.push(format!(
                        "src/{}:{number}: `{room}` knows `{path}`",
                        file.name
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_table_lists_what_is_there() {
    let files = source();
    let rooms: BTreeSet<&str> = files.iter().map(File::room).collect();
    for (room, allowed) in ROOMS {
        assert!(rooms.contains(room), "there is no room `{room}`");
        let used = |part: &&str| {
            let mut own = files.iter().filter(|file| file.room() == *room);
            own.any(|file| {
                let mut paths = file.code().flat_map(|(_, line)| paths(line));
                paths.any(|path| lies_in(&path, part))
            })
        };
        let unused: Vec<_> = allowed.iter().filter(|part| !used(part)).collect();
        assert!(unused.is_empty(), "`{room}` does not need {unused:?}");
    }
}

/// A file of a list knows what the list is of, not its neighbours.
#[test]
fn stages_barriers_and_formats_do_not_know_each_other() {
    const LISTS: &[(&str, &[&str])] = &[
        (
            "stages",
            &["gates", "privilege", "dfa", "contracts", "dcbf", "semantic"],
        ),
        (
            "barriers",
            &[
                "safety",
                "privacy",
                "resource",
                "scope",
                "stability",
                "custom",
                "neural",
            ],
        ),
        (
            "import",
            &["canonical", "claude_code", "openai_chat", "otel"],
        ),
    ];
    for file in source() {
        let Some((room, items)) = LISTS.iter().find(|(room, _)| *room == file.room()) else {
            continue;
        };
        let own = items.iter().find(|item| {
            let stem = format!("{room}/{item}");
            file.name == format!("{stem}.rs") || file.name.starts_with(&format!("{stem}/"))
        });
        let Some(own) = own else { continue };
        for (number, line) in file.code() {
            for item in items.iter().filter(|item| *item != own) {
                for path in [format!("super::{item}::"), format!("{room}::{item}::")] {
                    assert!(
                        !line.contains(&path),
                        "src/{}:{number}: `{own}` knows `{item}`",
                        file.name
                    );
                }
            }
        }
    }
}

#[test]
fn the_engine_names_no_stage() {
    let stages: Vec<_> = gate::stages::STAGES
        .iter()
        .map(|s| format!("\"{}\"", s.id()))
        .collect();
    for file in source().iter().filter(|file| file.room() == "engine") {
        for (number, line) in file.code() {
            let named = stages.iter().find(|stage| line.contains(*stage));
            assert_eq!(named, None, "src/{}:{number}", file.name);
        }
    }
}

#[test]
fn files_are_documented_and_of_a_size_to_be_read() {
    let mut lengths = Vec::new();
    for file in source() {
        let lines = file.text.lines().count();
        assert!(
            file.text.starts_with("//! "),
            "src/{} does not say what it is for",
            file.name
        );
        assert!(
            lines <= MOST_LINES,
            "src/{} has {lines} lines, more than {MOST_LINES}",
            file.name
        );
        lengths.push(lines);
    }
    lengths.sort_unstable();
    let short = lengths.iter().filter(|&&lines| lines <= 300).count();
    assert!(
        short * 10 >= lengths.len() * 8,
        "four of five files stay within 300 lines: {short} of {}",
        lengths.len()
    );
}

#[test]
fn the_program_itself_is_thin() {
    let files = source();
    let main = files.iter().find(|file| file.name == "main.rs");
    let lines = main.map_or(0, |file| file.text.lines().count());
    assert!((1..40).contains(&lines), "src/main.rs has {lines} lines");
}
