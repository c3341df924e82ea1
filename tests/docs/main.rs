//! The documentation leaves nothing out, names nothing that does not exist, and links to what is
//! there. The commands it shows are run by `tests/cli.rs`.

mod ci;
mod lists;
mod output;
mod pages;

use std::path::{Path, PathBuf};

/// The root of the project.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the project.
fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The pages: the README and everything in `docs`.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).expect("docs");
    let docs = docs.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> = docs
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// What stands under a heading, up to the next heading of the same or a higher level.
fn section(page: &str, heading: &str) -> String {
    let level = heading.chars().take_while(|&c| c == '#').count();
    let mut lines = page.lines().skip_while(|line| *line != heading);
    assert!(lines.next().is_some(), "there is no `{heading}`");
    let mut code = false;
    let inside = lines.take_while(|line| {
        code ^= line.starts_with("```");
        let hashes = line.chars().take_while(|&c| c == '#').count();
        code || hashes == 0 || hashes > level
    });
    inside.map(|line| format!("{line}\n")).collect()
}

/// The cells of every row of a page's tables, without headings and rules.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let head = lines.peek().is_some_and(|next| next.starts_with("|---"));
        if line.starts_with("| ") && !head {
            let cells = line.trim_matches('|').split(" | ");
            rows.push(cells.map(|cell| cell.trim().to_owned()).collect());
        }
    }
    rows
}

/// What stands in backticks.
fn quoted(text: &str) -> Vec<String> {
    let parts = text.split('`').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}
