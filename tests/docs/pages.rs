//! What the pages quote from files, where they link to, and how they show commands.

use super::{pages, root, text};
use gate::policy::{PolicySource, parse};
use std::path::Path;

#[test]
fn the_policy_of_the_readme_is_the_file_it_names() {
    let policy = text("fixtures/readme/gate.toml");
    let block = format!("```toml\n{policy}```\n");
    assert!(text("README.md").contains(&block));
    let load = |_: &str| Err("there are no files".to_owned());
    let read = parse(&policy, "gate.toml", PolicySource::BuiltIn, &load);
    let read = read.unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
}

#[test]
fn the_example_of_a_trace_is_the_file_it_names() {
    let trace = text("fixtures/docs/trace.jsonl");
    let block = format!("```json\n{trace}```\n");
    assert!(text("docs/trace.md").contains(&block));
}

/// The lines outside of blocks of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    page.lines().filter(move |line| {
        let fence = line.starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchor of a heading, as hosts of repositories make it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    text.chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

#[test]
fn every_link_leads_somewhere() {
    let mut links = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        let dir = path.parent().unwrap_or(root());
        for target in prose(&page).flat_map(|line| line.split("](").skip(1)) {
            let target = target.split(')').next().unwrap_or_default();
            if target.starts_with("https://") {
                continue;
            }
            links += 1;
            let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                path.clone()
            } else {
                dir.join(file)
            };
            assert!(file.exists(), "{}: {target}", path.display());
            if !fragment.is_empty() {
                assert!(has_anchor(&file, fragment), "{}: {target}", path.display());
            }
        }
    }
    assert!(links > 20, "{links} links");
}

fn has_anchor(file: &Path, fragment: &str) -> bool {
    let page = std::fs::read_to_string(file).expect("a page");
    let mut headings = prose(&page).filter(|line| line.starts_with('#'));
    headings.any(|heading| anchor(heading) == fragment)
}

#[test]
fn commands_stand_in_blocks_that_are_run() {
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        let mut block = None;
        for line in page.lines() {
            match (line.strip_prefix("```"), block) {
                (Some(kind), None) => block = Some(kind),
                (Some(_), Some(_)) => block = None,
                (None, Some("sh")) => {
                    let shown = line.contains("cargo ") && !line.contains("gate ");
                    assert!(shown, "{}: {line}", path.display());
                }
                (None, kind) => {
                    let command = line.starts_with("$ ");
                    assert!(
                        !command || kind == Some("console"),
                        "{}: {line}",
                        path.display()
                    );
                }
            }
        }
        assert!(block.is_none(), "{}: a block is not closed", path.display());
    }
}
