//! The page about the formats, made of what they say of themselves.

use super::{Format, IMPORTERS};
use std::fmt::Write;

/// `docs/formats.md`.
pub fn page() -> String {
    let mut out = String::from(HEAD);
    for format in IMPORTERS {
        let maps: Vec<_> = known(format).map(|(part, ..)| part).collect();
        let unknown: Vec<_> = format.mapping.unknown().collect();
        let unknown = if unknown.is_empty() {
            "-".to_owned()
        } else {
            unknown.join(", ")
        };
        let _ = writeln!(
            out,
            "| [`{}`](#{}) | {} | {} | {unknown} |",
            format.id,
            format.id,
            format.seen,
            maps.join(", ")
        );
    }
    out.push_str(PARTS);
    for (part, what, _) in IMPORTERS.iter().take(1).flat_map(|f| f.mapping.parts()) {
        let _ = writeln!(out, "| {part} | {what} |");
    }
    out.push_str(COMMON);
    IMPORTERS
        .iter()
        .for_each(|format| section(format, &mut out));
    out
}

fn known(format: &Format) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let parts = format.mapping.parts();
    parts.filter(|(_, _, from)| !from.is_empty())
}

fn section(format: &Format, out: &mut String) {
    let _ = writeln!(out, "\n## `{}`\n\n{}.\n", format.id, format.doc);
    out.push_str("| part | where it comes from |\n|---|---|\n");
    for (part, _, from) in known(format) {
        let _ = writeln!(out, "| {part} | {from} |");
    }
    if !format.notes.is_empty() {
        out.push('\n');
    }
    for note in format.notes {
        let _ = writeln!(out, "- {note}");
    }
}

const HEAD: &str = "\
# Formats

What gate can read. The format of an input is told from its content, and the report says why; `--from FORMAT` names
it instead. `gate inspect FILE` shows what is in a recording, `gate convert FILE` writes it as a canonical trace.

This page is made of what the program says of itself: `UPDATE_DOCS=1 cargo test --test docs`.

| format | versions seen | what maps | what cannot be known |
|---|---|---|---|
";

const PARTS: &str = "
| part | what it is |
|---|---|
";

const COMMON: &str = "
In every foreign format:

- Calls of one turn are in flight together, in the order in which they are written.
- Ids that come back are told apart as `id#2`. A result belongs to the nearest earlier open call of its id.
- Arguments given as text are the object that the text holds; text that holds none stays text, with a warning.
- Results are text where they are blocks of text; images and other blocks stand as type, size and hash.
- What a format leaves open is assumed, and an `assumed` warning says so, once for each kind of assumption.
- NaN and Infinity, which Python writes, are read as null, with a warning.
";
