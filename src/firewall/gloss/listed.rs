//! `gloss.literals`: what a match of each pattern holds, as [`super::literals`] reads it off the
//! pattern's syntax.
//!
//! That takes some 300 million instructions, and so is done when the gloss is changed, not when the
//! program starts: `UPDATE_DOCS=1 cargo test --test docs` makes the file anew, and the same test holds
//! it to the patterns.
//!
//! A line stands for a `sign` line of the table, in order: the sign's name; after a space the names of
//! the marks of which every match begins with one, or `-`; and the sets of literals, each after a tab,
//! with a comma between literals. `|` at either end of a literal stands for the edge of a word, `\xNN`
//! for a byte.

use super::literals::{EDGE, Set, chosen, marks, required};
use super::patterns::mark_bit;
use super::view::MARKS;
use regex_syntax::ast::parse::Parser;
use std::borrow::Cow;

/// What every match of a pattern holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holds<'l> {
    /// The marks of which it begins with one, a bit each; absent where it may begin with something
    /// else.
    pub marks: Option<u32>,
    sets: &'l str,
}

/// A literal that is looked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Literal<'l> {
    pub word: Cow<'l, str>,
    /// Whether a word has to begin or end where it begins, and where it ends.
    pub edges: [bool; 2],
}

impl<'l> Holds<'l> {
    /// Reads a line: the name of the sign, and what matches hold.
    pub fn read(line: &'l str) -> Option<(&'l str, Holds<'l>)> {
        let (head, sets) = line.split_once('\t').unwrap_or((line, ""));
        let (name, names) = head.split_once(' ')?;
        let named = MARKS.iter().filter(|(name, _)| names.contains(name));
        let bits = named.fold(0, |bits, (_, mark)| bits | mark_bit(*mark as u8));
        let marks = (names != "-").then_some(bits);
        Some((name, Holds { marks, sets }))
    }

    /// Sets of literals of which a match holds one of each.
    pub fn sets(&self) -> impl Iterator<Item = impl Iterator<Item = Literal<'l>>> {
        let sets = self.sets.split('\t').filter(|set| !set.is_empty());
        sets.map(|set| set.split(',').map(literal))
    }
}

fn literal(field: &str) -> Literal<'_> {
    let bare = field.strip_prefix('|').unwrap_or(field);
    let word = bare.strip_suffix('|').unwrap_or(bare);
    let edges = [bare.len() < field.len(), word.len() < bare.len()];
    let word = match word.contains('\\') {
        true => Cow::Owned(unescaped(word)),
        false => Cow::Borrowed(word),
    };
    Literal { word, edges }
}

fn unescaped(word: &str) -> String {
    let mut parts = word.split("\\x");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (byte, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        out.extend(u8::from_str_radix(byte, 16).map(char::from));
        out.push_str(rest);
    }
    out
}

/// The line of a sign with this pattern, its marks in place of their names.
///
/// # Errors
/// What is wrong with the pattern.
pub(super) fn line(name: &str, pattern: &str) -> Result<String, String> {
    let ast = Parser::new().parse(pattern).map_err(|e| e.to_string())?;
    let begins = marks(&ast).map_or_else(
        || "-".to_owned(),
        |bits| {
            let begun = |mark: char| bits & mark_bit(mark as u8) != 0;
            let begun = MARKS.iter().filter(|(_, mark)| begun(*mark));
            begun.map(|(name, _)| *name).collect()
        },
    );
    let mut line = format!("{name} {begins}");
    for set in chosen(required(&ast)) {
        line.push('\t');
        line.push_str(&written(&set)?);
    }
    Ok(line)
}

fn written(set: &Set) -> Result<String, String> {
    let mut fields = Vec::new();
    for literal in set {
        let mut field = String::new();
        for part in literal.split_inclusive(|byte| *byte == EDGE) {
            let text = part.strip_suffix(&[EDGE]).unwrap_or(part);
            for c in std::str::from_utf8(text)
                .map_err(|e| e.to_string())?
                .chars()
            {
                match c {
                    ',' | '|' | '\\' | '\0'..'\x20' => {
                        field.push_str(&format!("\\x{:02x}", c as u8))
                    }
                    _ => field.push(c),
                }
            }
            if text.len() < part.len() {
                field.push('|');
            }
        }
        fields.push(field);
    }
    Ok(fields.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read is what was written, whatever letters a literal has.
    #[test]
    fn what_is_written_is_read() {
        let pattern = "[\x02\x03](?:\\b(?:a,b|c\\|d|\\\\e)\\b|\nfé\\b|\\bg)";
        let line = line("name", pattern).expect("a pattern");
        let (name, holds) = Holds::read(&line).expect("a line");
        assert_eq!(name, "name");
        assert_eq!(holds.marks, Some(1 << 2 | 1 << 3));
        let mut sets = holds.sets();
        let set: Vec<_> = sets.next().expect("a set").collect();
        let mut expected = Vec::new();
        for mark in ["\x02", "\x03"] {
            for (word, right) in [
                ("\nfé", true),
                ("\\e", true),
                ("a,b", true),
                ("c|d", true),
                ("g", false),
            ] {
                expected.push(Literal {
                    word: format!("{mark}{word}").into(),
                    edges: [false, right],
                });
            }
        }
        assert_eq!(set, expected, "{line}");
        assert!(sets.next().is_none());
    }

    /// A pattern without literals has no set, and one that begins anywhere no marks.
    #[test]
    fn a_pattern_may_hold_nothing() {
        let line = line("digits", r"\d+").expect("a pattern");
        assert_eq!(line, "digits -");
        let (_, holds) = Holds::read(&line).expect("a line");
        assert_eq!((holds.marks, holds.sets().count()), (None, 0));
    }

    #[test]
    fn what_is_no_pattern_is_an_error() {
        assert!(line("x", "(").is_err());
        assert!(Holds::read("x").is_none());
    }
}
