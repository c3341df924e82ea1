//! A message about a place in a file, in the form that editors jump to, and the nearest valid name
//! for one that is not known.

use crate::escape::visible;
use std::fmt;

/// Something wrong at a place of a file that the user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file as it was named.
    pub path: String,
    /// Line, from 1; 0 means the file as a whole.
    pub line: usize,
    /// Byte column, from 1; 0 means the line as a whole.
    pub column: usize,
    /// Plain words: lowercase, no full stop, the user's own words in backticks.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
    /// The line of the file, shown with a caret under the column; absent means not shown.
    pub source: Option<String>,
}

/// Characters of a source line shown on either side of its caret.
const SHOWN: usize = 100;

impl Diagnostic {
    /// A message about a file as a whole.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            path: path.into(),
            line: 0,
            column: 0,
            message: message.into(),
            help: None,
            source: None,
        }
    }

    /// The same at a line and byte column, both from 1.
    pub fn at(mut self, line: usize, column: usize) -> Diagnostic {
        (self.line, self.column) = (line, column);
        self
    }

    /// The same with advice.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The same with the line it is about.
    pub fn source(mut self, line: impl Into<String>) -> Diagnostic {
        self.source = Some(line.into());
        self
    }

    fn caret(&self, f: &mut fmt::Formatter<'_>, source: &str) -> fmt::Result {
        let column = self.column.saturating_sub(1).min(source.len());
        let at = (0..=column).rev().find(|&at| source.is_char_boundary(at));
        let (before, after) = source.split_at(at.unwrap_or(0));
        let skip = before.chars().count().saturating_sub(SHOWN);
        let plain = |text: String| visible(&text.replace('\t', " ")).into_owned();
        let before = plain(before.chars().skip(skip).collect());
        let after = plain(after.chars().take(SHOWN).collect());
        let cut = if skip > 0 { ".." } else { "" };
        write!(f, "\n  | {cut}{before}{}", after.trim_end())?;
        if self.column > 0 {
            let width = cut.len() + before.chars().count();
            write!(f, "\n  | {:width$}^", "")?;
        }
        Ok(())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.path))?;
        match (self.line, self.column) {
            (0, _) => {}
            (line, 0) => write!(f, ":{line}")?,
            (line, column) => write!(f, ":{line}:{column}")?,
        }
        write!(f, ": {}", visible(&self.message))?;
        if let Some(source) = &self.source {
            self.caret(f, source)?;
        }
        match &self.help {
            Some(help) => write!(f, "\nhelp: {}", visible(help)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// Longest name that is compared letter by letter; the work grows with the square.
const LONGEST: usize = 64;

/// The candidate a mistyped name most likely means: one that differs in case alone, else the one
/// that is the fewest edits away, where those are at most a third of the letters. Among equals the
/// first.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let other = candidate.to_lowercase();
        if other == lower {
            return Some(candidate);
        }
        let length = lower.chars().count().max(other.chars().count());
        if length > LONGEST {
            continue;
        }
        let edits = strsim::damerau_levenshtein(&lower, &other);
        let near = edits <= (length / 3).max(1) && edits < length;
        if near && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_point_at_their_place_and_show_hidden_characters() {
        let d = Diagnostic::new("a\u{1b}.toml", "unknown key `k\u{202e}`")
            .at(2, 3)
            .help("did you mean `kappa`?")
            .source("\tk\u{202e} = 1");
        assert_eq!(
            d.to_string(),
            "a\\u{1b}.toml:2:3: unknown key `k\\u{202e}`\n  |  k\\u{202e} = 1\n  |   ^\nhelp: did you mean `kappa`?"
        );
        assert_eq!(Diagnostic::new("x", "y").to_string(), "x: y");
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let line = "x".repeat(10_000);
        let shown = Diagnostic::new("x", "y")
            .at(1, 5_000)
            .source(line)
            .to_string();
        assert!(shown.len() < 500, "{shown}");
        assert!(shown.ends_with(&format!("  | {}^", " ".repeat(SHOWN + 2))));
    }

    #[test]
    fn the_nearest_name_is_found() {
        let keys = ["kappa", "power", "verify", "barriers"];
        for (typed, meant) in [("kapa", "kappa"), ("KAPPA", "kappa"), ("verfiy", "verify")] {
            assert_eq!(nearest(typed, keys), Some(meant));
        }
        for unlike in ["zzz", "", "x", "kilogram"] {
            assert_eq!(nearest(unlike, keys), None, "{unlike}");
        }
        assert_eq!(nearest(&"k".repeat(100_000), keys), None);
    }
}
