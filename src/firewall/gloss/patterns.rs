//! Many patterns looked for in one text: only those of whose literals one stands in the text are
//! tried.
//!
//! A pattern's literals are read off its syntax: every match holds at least one of them. All
//! literals are looked for in one pass. A pattern that has none is always tried. So the work is a
//! pass over the text and one more for each pattern that may match.

use super::table::Signs;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};
use std::collections::BTreeMap;

/// Most literals of one pattern.
const LITERALS: usize = 256;

/// Patterns by the signs that they are for.
#[derive(Debug)]
pub struct Patterns {
    patterns: Vec<(usize, Regex)>,
    literals: AhoCorasick,
    /// By number of a literal: the patterns that are tried where it stands.
    by_literal: Vec<Vec<usize>>,
    /// Patterns that have no literals.
    always: Vec<usize>,
}

/// Numbers of patterns that have been tried.
type Tried = [u64; 8];

impl Patterns {
    /// Reads patterns, each with its sign.
    ///
    /// # Errors
    /// What is wrong with a pattern.
    pub fn new(sources: &[(usize, String)]) -> Result<Patterns, String> {
        let mut patterns = Vec::new();
        let mut always = Vec::new();
        let mut literals: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
        for (at, (sign, source)) in sources.iter().enumerate() {
            let mut parser = ParserBuilder::new();
            let parser = parser.unicode(false).utf8(false).multi_line(true);
            let hir = parser.build().parse(source).map_err(|e| e.to_string())?;
            match required(&hir) {
                Some(set) => {
                    for literal in set {
                        literals.entry(literal).or_default().push(at);
                    }
                }
                None => always.push(at),
            }
            let mut regex = RegexBuilder::new(source);
            let regex = regex.unicode(false).multi_line(true).size_limit(64 << 20);
            patterns.push((*sign, regex.build().map_err(|e| e.to_string())?));
        }
        if patterns.len() > 64 * Tried::default().len() {
            return Err(format!("{} patterns are too many", patterns.len()));
        }
        let mut builder = AhoCorasick::builder();
        let found = builder
            .kind(Some(AhoCorasickKind::DFA))
            .build(literals.keys())
            .map_err(|e| e.to_string())?;
        Ok(Patterns {
            patterns,
            literals: found,
            by_literal: literals.into_values().collect(),
            always,
        })
    }

    /// Adds the signs of the patterns that match.
    pub fn find(&self, text: &[u8], signs: &mut Signs) {
        let mut tried = Tried::default();
        let mut attempt = |at: usize, signs: &mut Signs| {
            let Some(word) = tried.get_mut(at / 64) else {
                return;
            };
            let bit = 1 << (at % 64);
            if *word & bit != 0 {
                return;
            }
            *word |= bit;
            if let Some((sign, regex)) = self.patterns.get(at)
                && !signs.has(*sign)
                && regex.is_match(text)
            {
                signs.insert(*sign);
            }
        };
        for at in &self.always {
            attempt(*at, signs);
        }
        for found in self.literals.find_overlapping_iter(text) {
            let patterns = self.by_literal.get(found.pattern().as_usize());
            for at in patterns.into_iter().flatten() {
                attempt(*at, signs);
            }
        }
    }

    /// How many patterns have no literal.
    #[cfg(test)]
    pub fn unfiltered(&self) -> usize {
        self.always.len()
    }
}

/// Literals of which every match holds at least one; `None` where there are none, or too many.
fn required(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let set = match hir.kind() {
        HirKind::Literal(literal) => vec![literal.0.to_vec()],
        HirKind::Capture(capture) => required(&capture.sub)?,
        HirKind::Repetition(repeat) if repeat.min > 0 => required(&repeat.sub)?,
        HirKind::Concat(parts) => {
            let sets = parts.iter().filter_map(required);
            sets.max_by_key(|set| (shortest(set), usize::MAX - set.len()))?
        }
        HirKind::Alternation(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(required(part)?);
            }
            all
        }
        HirKind::Class(_) | HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) => {
            return None;
        }
    };
    (!set.is_empty() && set.len() <= LITERALS && shortest(&set) > 0).then_some(set)
}

fn shortest(set: &[Vec<u8>]) -> usize {
    set.iter().map(Vec::len).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(pattern: &str) -> Option<Vec<String>> {
        let mut parser = ParserBuilder::new();
        let hir = parser
            .unicode(false)
            .utf8(false)
            .build()
            .parse(pattern)
            .expect("a pattern");
        let set = required(&hir)?;
        Some(
            set.into_iter()
                .map(|l| String::from_utf8_lossy(&l).into_owned())
                .collect(),
        )
    }

    #[test]
    fn every_match_holds_a_literal() {
        for (pattern, expected) in [
            (r"\bcurl\b.*-d", Some(vec!["curl"])),
            (r"\b(curl|wget)\s", Some(vec!["curl", "wget"])),
            (r"(e-?mail|sms)", Some(vec!["mail", "sms"])),
            (r"(abc)+x?", Some(vec!["abc"])),
            (r"x?[0-9]+", None),
            (r"(abc|\d+)", None),
        ] {
            let expected = expected.map(|list| list.into_iter().map(str::to_owned).collect());
            assert_eq!(literals(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn what_is_skipped_could_not_match() {
        let sources = [r"\bcat\b", r"rm\s+-\w*r", r"\d{3}", r"(do|re)mi"];
        let numbered = || sources.iter().enumerate();
        let numbered_sources: Vec<_> = numbered().map(|(n, s)| (n, (*s).to_owned())).collect();
        let patterns = Patterns::new(&numbered_sources).expect("patterns");
        for text in [
            "cat 123",
            "rm  -xr /",
            "concat",
            "remi domi",
            "",
            "rm -v",
            "12 3",
        ] {
            let mut signs = Signs::default();
            patterns.find(text.as_bytes(), &mut signs);
            for (n, source) in numbered() {
                let alone = Regex::new(source).expect("a pattern");
                assert_eq!(
                    signs.has(n),
                    alone.is_match(text.as_bytes()),
                    "{source} {text}"
                );
            }
        }
    }
}
