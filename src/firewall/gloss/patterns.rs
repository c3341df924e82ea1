//! Many patterns looked for in one text: only those whose literals stand in a line of it are tried,
//! and on that line alone.
//!
//! What literals a match has to hold is read off a pattern's syntax: sets of which each has one in
//! every match. All literals are looked for in one pass. A pattern that has none is always tried. So
//! the work is a pass over the text and one over a line for each pattern that may match there.
//!
//! A line begins with a mark, see [`super::view`]; line ends inside a string are part of its line.

use super::heads::Heads;
use super::literals::{EDGE, chosen, marks, required};
use super::table::Signs;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ast::parse::Parser;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Most patterns.
const PATTERNS: usize = 512;

/// By number of a pattern: the bits of its sets of which a literal was met.
type Met = [u8; PATTERNS];

/// Patterns by the signs that they are for.
#[derive(Debug)]
pub struct Patterns {
    patterns: Vec<Pattern>,
    literals: Heads,
    /// By number of a literal: what it is looked for.
    by_literal: Vec<Vec<Use>>,
    /// Patterns that have no literals.
    always: Vec<usize>,
}

/// What a literal is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Use {
    /// Number of the pattern.
    pattern: u16,
    /// The bit of the pattern's set that it is in.
    set: u8,
    /// Whether a word has to begin or end where it begins, and where it ends.
    edges: [bool; 2],
}

/// A pattern, made ready when it is first tried.
#[derive(Debug)]
struct Pattern {
    sign: usize,
    source: String,
    /// One bit for each set of literals of which a match holds one.
    sets: u8,
    /// Where every match begins with a mark, and so with the line: a bit for each such mark.
    marks: Option<u32>,
    ready: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Whether it may match a line that begins with this byte.
    fn may_begin(&self, first: u8) -> bool {
        self.marks.is_none_or(|marks| marks & mark_bit(first) != 0)
    }

    /// Whether it matches a line; one that cannot be made ready counts as if it did.
    fn matches(&self, line: &[u8]) -> bool {
        let ready = self.ready.get_or_init(|| {
            let anchored = self.marks.map(|_| format!("\\A(?:{})", self.source));
            let mut regex = RegexBuilder::new(anchored.as_deref().unwrap_or(&self.source));
            let regex = regex.unicode(false).multi_line(true).size_limit(64 << 20);
            regex.build().ok()
        });
        ready.as_ref().is_none_or(|regex| regex.is_match(line))
    }
}

impl Patterns {
    /// Reads patterns, each with its sign.
    ///
    /// # Errors
    /// What is wrong with a pattern.
    pub fn new(sources: &[(usize, String)]) -> Result<Patterns, String> {
        let mut patterns = Vec::new();
        let mut always = Vec::new();
        let mut literals: BTreeMap<Vec<u8>, Vec<Use>> = BTreeMap::new();
        // What a pattern says is enough here; what it comes to is worked out when it is first tried.
        let mut parser = Parser::new();
        for (at, (sign, source)) in sources.iter().enumerate() {
            let ast = parser.parse(source).map_err(|e| e.to_string())?;
            let sets = chosen(required(&ast));
            if sets.is_empty() {
                always.push(at);
            }
            for (n, set) in sets.iter().enumerate() {
                for literal in set {
                    let bare = literal.strip_prefix(&[EDGE]).unwrap_or(literal);
                    let left = bare.len() < literal.len();
                    let word = bare.strip_suffix(&[EDGE]).unwrap_or(bare);
                    literals.entry(word.to_vec()).or_default().push(Use {
                        pattern: at as u16,
                        set: 1 << n,
                        edges: [left, word.len() < bare.len()],
                    });
                }
            }
            patterns.push(Pattern {
                sign: *sign,
                source: source.clone(),
                sets: (0..sets.len()).fold(0, |bits, n| bits | 1 << n),
                marks: marks(&ast),
                ready: OnceLock::new(),
            });
        }
        if patterns.len() > PATTERNS {
            return Err(format!("{} patterns are too many", patterns.len()));
        }
        Ok(Patterns {
            patterns,
            literals: Heads::new(literals.keys().map(Vec::as_slice)),
            by_literal: literals.into_values().collect(),
            always,
        })
    }

    /// Adds the signs of the patterns that match a line.
    pub fn find(&self, text: &[u8], signs: &mut Signs) {
        for line in lines(text) {
            self.find_in(line, signs);
        }
    }

    fn find_in(&self, line: &[u8], signs: &mut Signs) {
        for pattern in self.always.iter().filter_map(|at| self.patterns.get(*at)) {
            attempt(pattern, line, signs);
        }
        let mut met = [0_u8; PATTERNS];
        self.literals.find(line, |literal, place| {
            self.meet(literal, place, line, &mut met, signs);
        });
    }

    /// Tries the patterns that have met all they need, now that a literal stands here in a line. `met`
    /// has by number of a pattern the bits of its sets.
    fn meet(
        &self,
        literal: usize,
        place: Range<usize>,
        line: &[u8],
        met: &mut Met,
        signs: &mut Signs,
    ) {
        let edges = [is_edge(line, place.start), is_edge(line, place.end)];
        let uses = self.by_literal.get(literal);
        for used in uses.into_iter().flatten() {
            let at = usize::from(used.pattern);
            let (Some(pattern), Some(met)) = (self.patterns.get(at), met.get_mut(at)) else {
                continue;
            };
            let lacks = |(needed, there): (bool, bool)| needed && !there;
            if *met & used.set != 0 || used.edges.into_iter().zip(edges).any(lacks) {
                continue;
            }
            *met |= used.set;
            if *met == pattern.sets {
                attempt(pattern, line, signs);
            }
        }
    }

    /// Patterns that cannot be made ready, and how many have no literal.
    #[cfg(test)]
    pub fn unsound(&self) -> (Vec<&str>, usize) {
        let unsound = self.patterns.iter().filter(|pattern| {
            pattern.matches(b"");
            matches!(pattern.ready.get(), Some(None))
        });
        let unsound = unsound.map(|pattern| &*pattern.source).collect();
        (unsound, self.always.len())
    }
}

/// Adds the sign of a pattern if it is not there and the pattern matches.
fn attempt(pattern: &Pattern, line: &[u8], signs: &mut Signs) {
    let first = line.first().copied().unwrap_or(0);
    let may_match = !signs.has(pattern.sign) && pattern.may_begin(first);
    if may_match && pattern.matches(line) {
        signs.insert(pattern.sign);
    }
}

/// The lines of a text: each from a mark to the next.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut ends = memchr::memchr_iter(b'\n', rest).map(|at| at + 1);
        let end = ends.find(|&end| rest.get(end).copied().is_some_and(is_mark));
        let (line, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

/// Whether a word begins or ends here.
fn is_edge(line: &[u8], at: usize) -> bool {
    let is_word = |at: Option<usize>| {
        let byte = at.and_then(|at| line.get(at));
        byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
    };
    is_word(at.checked_sub(1)) != is_word(Some(at))
}

/// The marks of lines, a bit each.
const MARKS: u32 = {
    let (mut marks, mut at) = (0, 0);
    while at < super::view::MARKS.len() {
        marks |= 1 << super::view::MARKS[at].1 as u32;
        at += 1;
    }
    marks
};

/// The bit of a mark; 0 of any other byte.
pub(super) fn mark_bit(byte: u8) -> u32 {
    let bit = 1_u32.checked_shl(u32::from(byte));
    bit.unwrap_or(0) & MARKS
}

pub(super) fn is_mark(byte: u8) -> bool {
    mark_bit(byte) != 0
}

#[cfg(test)]
mod tests {
    use super::super::literals::best;
    use super::super::view;
    use super::*;
    use crate::facets;
    use crate::firewall::Action;
    use crate::trace::json::{self, Json};

    fn literals(pattern: &str) -> Option<Vec<String>> {
        let ast = Parser::new().parse(pattern).expect("a pattern");
        let set = best(required(&ast))?;
        Some(
            set.into_iter()
                .map(|l| String::from_utf8_lossy(&l).replace('\u{fffd}', "|"))
                .collect(),
        )
    }

    #[test]
    fn every_match_holds_a_literal() {
        for (pattern, expected) in [
            (r"\bcurl\b.*-d", Some(vec!["|curl|"])),
            (r"\b(curl|wget)\s", Some(vec!["|curl", "|wget"])),
            (r"(e-?mail|sms)", Some(vec!["e-mail", "email", "sms"])),
            (r"\b(to|cc\w*)=", Some(vec!["|cc", "|to="])),
            (r"(abc)+x?", Some(vec!["abc"])),
            (r"x?\d+", None),
            (r"(abc|\d+)", None),
            (r"a[bc]d\.ef{0,3}", Some(vec!["abd.e", "acd.e"])),
            (r"(?i)abc", None),
            (r"x?(?i:abc)", None),
            (r"x((?i)abc|def)", Some(vec!["x"])),
            (r"(?:abc){2}\x27?", Some(vec!["abc"])),
        ] {
            let expected = expected.map(|list| list.into_iter().map(str::to_owned).collect());
            assert_eq!(literals(pattern), expected, "{pattern}");
        }
    }

    /// All sets have to be met, and in one line.
    #[test]
    fn lines_are_told_apart_by_their_marks() {
        let sources = ["\x02\\S*key=.*value", "drop\\s+table", "[\x02\x03]b"];
        let sources = sources.iter().map(|s| (*s).to_owned()).enumerate();
        let patterns = Patterns::new(&sources.collect::<Vec<_>>()).expect("patterns");
        for (text, expected) in [
            ("\x02akey=a value\n", [true, false, false]),
            ("\x02akey=a\n\x02b=value\n", [false, false, true]),
            ("\x02a=key=value\n", [true, false, false]),
            ("\x03a=drop\ntable\n", [false, true, false]),
            ("\x03a=drop\n\x03table\n", [false, false, false]),
            ("\x03a b\n\x03b", [false, false, true]),
        ] {
            let mut signs = Signs::default();
            patterns.find(text.as_bytes(), &mut signs);
            assert_eq!([0, 1, 2].map(|n| signs.has(n)), expected, "{text:?}");
        }
    }

    /// Over calls of all kinds: what is found is what each pattern finds by itself.
    #[test]
    fn nothing_is_missed() {
        let table = super::super::table::Table::built_in();
        let file: &[u8] = include_bytes!("../../../fixtures/semantic/cases.jsonl");
        let mut found = 0;
        for case in file.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            let case = json::parse(case).expect("a case");
            let tool = case.get("tool").and_then(Json::as_str).expect("a tool");
            let args = case.get("args").expect("arguments");
            let facets = facets::of_call(tool, args);
            let text = args.leaves();
            let action = Action {
                tool,
                args,
                text: &text,
                facets: &facets,
            };
            let (view, _) = view::of(&action);
            let mut signs = Signs::default();
            table.call.find(view.as_bytes(), &mut signs);
            let mut alone = Signs::default();
            for line in lines(view.as_bytes()) {
                for pattern in &table.call.patterns {
                    if !alone.has(pattern.sign) && pattern.matches(line) {
                        alone.insert(pattern.sign);
                        found += 1;
                    }
                }
            }
            assert_eq!(signs, alone, "{view}");
        }
        assert!(found > 500, "{found}");
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
