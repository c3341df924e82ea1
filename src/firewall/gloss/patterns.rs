//! Many patterns looked for in one text: only those whose literals stand in a line of it are tried,
//! and on that line alone.
//!
//! What literals a match has to hold is read off a pattern's syntax: sets of which each has one in
//! every match. All literals are looked for in one pass. A pattern that has none is always tried. So
//! the work is a pass over the text and one over a line for each pattern that may match there.
//!
//! A line begins with a mark, see [`super::view`]; line ends inside a string are part of its line.

use super::table::Signs;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    Ast, ClassSet, ClassSetItem, Literal, LiteralKind, RepetitionKind, RepetitionRange,
};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Most literals of one set.
const LITERALS: usize = 256;

/// Most sets of one pattern: the bits of a byte.
const SETS: usize = 8;

/// Most patterns.
const PATTERNS: usize = 512;

/// Patterns by the signs that they are for.
#[derive(Debug)]
pub struct Patterns {
    patterns: Vec<Pattern>,
    literals: AhoCorasick,
    /// By number of a literal: the patterns that it is for, with the bits of their sets it is in.
    by_literal: Vec<Vec<(usize, u8)>>,
    /// Patterns that have no literals.
    always: Vec<usize>,
}

/// A pattern, made ready when it is first tried.
#[derive(Debug)]
struct Pattern {
    sign: usize,
    source: String,
    /// One bit for each set of literals of which a match holds one.
    sets: u8,
    /// Whether every match begins with a mark, and so with the line.
    marked: bool,
    ready: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Whether it matches a line; one that cannot be made ready counts as if it did.
    fn matches(&self, line: &[u8]) -> bool {
        let ready = self.ready.get_or_init(|| {
            let anchored = self.marked.then(|| format!("\\A(?:{})", self.source));
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
        let mut literals: BTreeMap<Vec<u8>, Vec<(usize, u8)>> = BTreeMap::new();
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
                    let of = literals.entry(literal.clone()).or_default();
                    match of.last_mut() {
                        Some((last, bits)) if *last == at => *bits |= 1 << n,
                        _ => of.push((at, 1 << n)),
                    }
                }
            }
            patterns.push(Pattern {
                sign: *sign,
                source: source.clone(),
                sets: (0..sets.len()).fold(0, |bits, n| bits | 1 << n),
                marked: is_marked(&ast),
                ready: OnceLock::new(),
            });
        }
        if patterns.len() > PATTERNS {
            return Err(format!("{} patterns are too many", patterns.len()));
        }
        let mut builder = AhoCorasick::builder();
        let found = builder
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(literals.keys())
            .map_err(|e| e.to_string())?;
        Ok(Patterns {
            patterns,
            literals: found,
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
        let attempt = |pattern: &Pattern, signs: &mut Signs| {
            if !signs.has(pattern.sign) && pattern.matches(line) {
                signs.insert(pattern.sign);
            }
        };
        for pattern in self.always.iter().filter_map(|at| self.patterns.get(*at)) {
            attempt(pattern, signs);
        }
        let mut met = [0_u8; PATTERNS];
        for found in self.literals.find_overlapping_iter(line) {
            let of = self.by_literal.get(found.pattern().as_usize());
            for (at, bits) in of.into_iter().flatten() {
                let (Some(pattern), Some(met)) = (self.patterns.get(*at), met.get_mut(*at)) else {
                    continue;
                };
                let before = *met;
                *met |= bits;
                if before != *met && *met == pattern.sets {
                    attempt(pattern, signs);
                }
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

fn is_mark(byte: u8) -> bool {
    super::view::MARKS
        .iter()
        .any(|(_, mark)| *mark == char::from(byte))
}

/// Whether every match begins with a mark.
fn is_marked(ast: &Ast) -> bool {
    let mark = |literal: &Literal| u8::try_from(literal.c).is_ok_and(is_mark);
    match ast {
        Ast::Literal(literal) => mark(literal),
        Ast::ClassBracketed(class) if !class.negated => match &class.kind {
            ClassSet::Item(ClassSetItem::Union(union)) => {
                union.items.iter().all(|item| match item {
                    ClassSetItem::Literal(literal) => mark(literal),
                    _ => false,
                })
            }
            _ => false,
        },
        Ast::Group(group) => is_marked(&group.ast),
        Ast::Concat(parts) => parts.asts.first().is_some_and(is_marked),
        Ast::Alternation(parts) => parts.asts.iter().all(is_marked),
        _ => false,
    }
}

/// Literals of which every match holds at least one.
type Set = Vec<Vec<u8>>;

/// Sets of which every match holds one of each; none where there is no such set.
fn required(ast: &Ast) -> Vec<Set> {
    let sets = match ast {
        Ast::Literal(literal) => bytes(literal)
            .map(|bytes| vec![bytes])
            .into_iter()
            .collect(),
        // Flags could make literals stand for others, to the end of the group.
        _ if sets_flags(ast) => return Vec::new(),
        Ast::Group(group) => required(&group.ast),
        Ast::Repetition(repeat) if repeats(&repeat.op.kind) => required(&repeat.ast),
        Ast::Concat(parts) => in_a_row(&parts.asts),
        Ast::Alternation(parts) => {
            let mut all = Vec::new();
            for part in &parts.asts {
                match best(required(part)) {
                    Some(set) => all.extend(set),
                    None => return Vec::new(),
                }
            }
            vec![all]
        }
        _ => return Vec::new(),
    };
    let fit = |set: &Set| !set.is_empty() && set.len() <= LITERALS && shortest(set) > 0;
    sets.into_iter().filter(fit).collect()
}

fn sets_flags(ast: &Ast) -> bool {
    match ast {
        Ast::Flags(_) => true,
        Ast::Group(group) => group.flags().is_some_and(|flags| !flags.items.is_empty()),
        Ast::Concat(parts) => parts.asts.iter().any(|part| matches!(part, Ast::Flags(_))),
        Ast::Alternation(parts) => parts.asts.iter().any(sets_flags),
        _ => false,
    }
}

/// The sets of parts that follow one another; literals in a row are one.
fn in_a_row(parts: &[Ast]) -> Vec<Set> {
    let mut sets = Vec::new();
    let mut row = Vec::new();
    for part in parts {
        if let Ast::Literal(literal) = part
            && let Some(bytes) = bytes(literal)
        {
            row.extend(bytes);
            continue;
        }
        if !row.is_empty() {
            sets.push(vec![std::mem::take(&mut row)]);
        }
        sets.extend(required(part));
    }
    if !row.is_empty() {
        sets.push(vec![row]);
    }
    sets
}

/// Whether a repetition has at least one.
fn repeats(kind: &RepetitionKind) -> bool {
    match kind {
        RepetitionKind::OneOrMore => true,
        RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => false,
        RepetitionKind::Range(
            RepetitionRange::Exactly(least)
            | RepetitionRange::AtLeast(least)
            | RepetitionRange::Bounded(least, _),
        ) => *least > 0,
    }
}

/// The bytes of a literal; none where it may be a byte that is no character.
fn bytes(literal: &Literal) -> Option<Vec<u8>> {
    let plain = literal.c.is_ascii() || literal.kind == LiteralKind::Verbatim;
    plain.then(|| literal.c.to_string().into_bytes())
}

/// The set that tells most: of long literals, and of few.
fn best(sets: Vec<Set>) -> Option<Set> {
    sets.into_iter().max_by_key(telling)
}

fn telling(set: &Set) -> (usize, usize) {
    (shortest(set), usize::MAX - set.len())
}

/// The sets that are looked for: those that tell most, and of sets with literals of one byte, which
/// stand in nearly every text, at most one.
fn chosen(mut sets: Vec<Set>) -> Vec<Set> {
    sets.sort_by_key(|set| std::cmp::Reverse(telling(set)));
    sets.dedup();
    let telling = sets.iter().take_while(|set| shortest(set) > 1).count();
    sets.truncate(telling.clamp(1, SETS));
    sets
}

fn shortest(set: &Set) -> usize {
    set.iter().map(Vec::len).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(pattern: &str) -> Option<Vec<String>> {
        let ast = Parser::new().parse(pattern).expect("a pattern");
        let set = best(required(&ast))?;
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
            (r"a[bc]d\.ef{0,3}", Some(vec!["d.e"])),
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
