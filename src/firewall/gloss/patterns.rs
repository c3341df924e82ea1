//! Many patterns looked for in one text: only those whose literals stand in a line of it are tried,
//! and on that line alone.
//!
//! What literals a match has to hold is listed in `gloss.literals`: sets of which each has one in every
//! match. All literals are looked for in one pass. A pattern that has none is always tried. So
//! the work is a pass over the text and one over a line for each pattern that may match there.
//!
//! A line begins with a mark, see [`super::view`]; line ends inside a string are part of its line.

use super::heads::{Heads, Sought, edges, fits};
use super::listed::Holds;
use super::literals::SETS;
use super::table::Signs;
use super::view::MARKS as NAMED_MARKS;
use foldhash::HashMap;
use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Most patterns.
const PATTERNS: usize = 512;

/// By number of a pattern: the bits of its sets of which a literal was met.
type Met = [u8; PATTERNS];

/// Patterns by the signs that they are for.
#[derive(Debug)]
pub struct Patterns {
    patterns: Vec<Pattern>,
    /// By number of a pattern: one bit for each set of literals of which a match holds one.
    sets: Met,
    literals: Heads,
    /// What literals are looked for, those of one literal in a row.
    uses: Vec<Use>,
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
    /// What has to be at its ends, of [`super::heads::BEGINS`] and [`super::heads::ENDS`].
    edges: u8,
    /// The marks that its line may begin with, see [`mark_of`].
    marks: u16,
}

/// The bit of the mark that a line begins with; that of no mark where it begins with none.
fn mark_of(line: &[u8]) -> u16 {
    let first = line.first().copied().unwrap_or(0);
    (mark_bit(first) as u16).max(1)
}

/// A pattern, made ready when it is first tried.
#[derive(Debug)]
struct Pattern {
    sign: usize,
    /// As the table has it.
    source: &'static str,
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
            let source = marked(self.source);
            let anchored = self.marks.map(|_| format!("\\A(?:{source})"));
            let mut regex = RegexBuilder::new(anchored.as_deref().unwrap_or(&source));
            let regex = regex.unicode(false).multi_line(true).size_limit(64 << 20);
            regex.build().ok()
        });
        ready.as_ref().is_none_or(|regex| regex.is_match(line))
    }
}

impl Patterns {
    /// Takes patterns, each with its sign and what its matches hold. What they come to is worked out
    /// when they are first tried.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn new(sources: &[(usize, &'static str, Holds<'_>)]) -> Result<Patterns, String> {
        if sources.len() > PATTERNS {
            return Err(format!("{} patterns are too many", sources.len()));
        }
        let mut patterns = Vec::with_capacity(sources.len());
        let mut bits = [0; PATTERNS];
        let mut always = Vec::new();
        let mut words: Vec<Cow<'_, str>> = Vec::new();
        let mut numbers: HashMap<Cow<'_, str>, usize> = HashMap::default();
        let mut uses: Vec<(usize, Use)> = Vec::new();
        for ((at, bits), (sign, source, holds)) in bits.iter_mut().enumerate().zip(sources) {
            // Without what is more than bits can tell a pattern is tried more often.
            for (n, set) in holds.sets().take(SETS).enumerate() {
                let set_bit = 1 << n;
                *bits |= set_bit;
                for literal in set {
                    let number = *numbers.entry(literal.word).or_insert_with_key(|word| {
                        words.push(word.clone());
                        words.len() - 1
                    });
                    let [begins, ends] = literal.edges;
                    let used = Use {
                        pattern: at as u16,
                        set: set_bit,
                        edges: edges(begins, ends),
                        marks: holds.marks.map_or(u16::MAX, |marks| marks as u16),
                    };
                    uses.push((number, used));
                }
            }
            if *bits == 0 {
                always.push(at);
            }
            patterns.push(Pattern {
                sign: *sign,
                source,
                marks: holds.marks,
                ready: OnceLock::new(),
            });
        }
        uses.sort_by_key(|(number, _)| *number);
        let (mut start, mut sought) = (0, Vec::with_capacity(words.len()));
        let too_many = |_| "the literals have too many uses";
        for (word, uses) in words
            .iter()
            .zip(uses.chunk_by(|(one, _), (other, _)| one == other))
        {
            let fits = uses.iter().map(|(_, used)| fits(used.edges));
            let many = u8::try_from(uses.len()).map_err(too_many)?;
            sought.push(Sought {
                bytes: word.as_bytes(),
                fits: fits.fold(0, |any, fits| any | fits),
                uses: (u16::try_from(start).map_err(too_many)?, many),
            });
            start += uses.len();
        }
        Ok(Patterns {
            patterns,
            sets: bits,
            literals: Heads::new(&sought).ok_or("the literals are too many")?,
            uses: uses.into_iter().map(|(_, used)| used).collect(),
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
        let mark = mark_of(line);
        self.literals.find(line, |(start, many), edges| {
            let uses = usize::from(start)..usize::from(start) + usize::from(many);
            for used in self.uses.get(uses).unwrap_or_default() {
                if used.marks & mark != 0 && used.edges & !edges == 0 {
                    self.meet(used, line, &mut met, signs);
                }
            }
        });
    }

    /// Tries a pattern if it has met all that it needs, now that a literal of it stands in a line. `met`
    /// has by number of a pattern the bits of its sets.
    fn meet(&self, used: &Use, line: &[u8], met: &mut Met, signs: &mut Signs) {
        let at = usize::from(used.pattern) % PATTERNS;
        let before = met[at];
        met[at] |= used.set;
        if met[at] == self.sets[at]
            && before != met[at]
            && let Some(pattern) = self.patterns.get(at)
        {
            attempt(pattern, line, signs);
        }
    }

    /// Patterns that cannot be made ready, and how many have no literal.
    #[cfg(test)]
    pub fn unsound(&self) -> (Vec<&str>, usize) {
        let unsound = self.patterns.iter().filter(|pattern| {
            pattern.matches(b"");
            matches!(pattern.ready.get(), Some(None))
        });
        let unsound = unsound.map(|pattern| pattern.source).collect();
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

/// The marks of lines, a bit each.
const MARKS: u32 = {
    let (mut marks, mut at) = (0, 0);
    while at < NAMED_MARKS.len() {
        marks |= 1 << NAMED_MARKS[at].1 as u32;
        at += 1;
    }
    marks
};

/// A pattern with the marks of lines in place of their names.
pub(super) fn marked(pattern: &str) -> String {
    let mut out = pattern.replace("@Q", r"[\x07\x03]");
    for (name, mark) in NAMED_MARKS {
        out = out.replace(name, &mark.to_string());
    }
    out
}

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
    use super::super::listed::line;
    use super::super::literals::{best, required};
    use super::super::view;
    use super::*;
    use crate::facets;
    use crate::firewall::Action;
    use crate::testing::Random;
    use crate::trace::json::{self, Json};
    use regex_syntax::ParserBuilder;
    use regex_syntax::ast::parse::Parser;
    use regex_syntax::hir::{Class, Hir, HirKind};

    /// Patterns whose signs are their places.
    fn patterns(sources: &[&'static str]) -> Patterns {
        let lines = sources.iter().map(|source| line("x", source));
        let lines: Vec<_> = lines.map(|line| line.expect("a pattern")).collect();
        let holds = lines.iter().filter_map(|line| Holds::read(line));
        let numbered = sources.iter().enumerate().zip(holds);
        let numbered = numbered.map(|((n, source), (_, holds))| (n, *source, holds));
        Patterns::new(&numbered.collect::<Vec<_>>()).expect("patterns")
    }

    fn literals(pattern: &str) -> Option<Vec<String>> {
        let ast = Parser::new().parse(pattern).expect("a pattern");
        let [set, _] = best(required(&ast))?;
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
            (r"\b(curl|wget)\s", Some(vec!["|curl|", "|wget|"])),
            (r"\s(or|')\s*[:;\s]", Some(vec!["'", "|or|"])),
            (r"\W+do(=|\()[\s(]+", Some(vec!["|do(", "|do="])),
            (r"[01]\.[a-b]+=", Some(vec!["0.a", "0.b", "1.a", "1.b"])),
            (r"x?(\d|[0-9]+)", None),
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
            (r"(ab|abc\w*|\bab)", Some(vec!["ab"])),
            (r"x=\s*(on|yes)\s*(\n|$)", Some(vec!["|on|", "|yes|"])),
            (r"x\s*(on|yes)\s*y", Some(vec!["on", "yes"])),
        ] {
            let expected = expected.map(|list| list.into_iter().map(str::to_owned).collect());
            assert_eq!(literals(pattern), expected, "{pattern}");
        }
    }

    /// All sets have to be met, and in one line.
    #[test]
    fn lines_are_told_apart_by_their_marks() {
        let patterns = patterns(&["\x02\\S*key=.*value", "drop\\s+table", "[\x02\x03]b"]);
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
            let view = view::of(&action).text;
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

    /// A text that a part of a pattern may match, as far as its assertions hold.
    fn sample(hir: &Hir, random: &mut Random, out: &mut Vec<u8>) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => out.extend(&*literal.0),
            HirKind::Class(Class::Bytes(class)) => {
                let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
                let all = || {
                    class
                        .ranges()
                        .iter()
                        .flat_map(|range| range.start()..=range.end())
                };
                let plain: Vec<u8> = all().filter(plain).collect();
                match plain[..] {
                    [] => out.extend(all().next()),
                    _ => out.push(*random.pick(&plain)),
                }
            }
            HirKind::Class(Class::Unicode(class)) => {
                let first = class.ranges().first().map(|range| range.start());
                out.extend(first.into_iter().flat_map(|c| c.to_string().into_bytes()));
            }
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(repetition.min + 2);
                for _ in 0..repetition.min
                    + random.below(most.min(3 + repetition.min) - repetition.min + 1)
                {
                    sample(&repetition.sub, random, out);
                }
            }
            HirKind::Capture(capture) => sample(&capture.sub, random, out),
            HirKind::Concat(parts) => parts.iter().for_each(|part| sample(part, random, out)),
            HirKind::Alternation(parts) => sample(random.pick(parts), random, out),
        }
    }

    /// Over texts made from the patterns themselves: none that matches lacks what it has to hold.
    #[test]
    fn what_matches_holds_its_literals() {
        let table = super::super::table::Table::built_in();
        let mut random = Random::new(11);
        let mut matched = 0;
        for all in [&table.tool, &table.intent, &table.call] {
            for pattern in &all.patterns {
                let mut parser = ParserBuilder::new()
                    .unicode(false)
                    .utf8(false)
                    .multi_line(true)
                    .build();
                let hir = parser.parse(&marked(pattern.source)).expect("a pattern");
                for _ in 0..12 {
                    let mut text = Vec::new();
                    if pattern.marks.is_none() {
                        text.extend(random.pick(&["\x02key= ", "\x03a-run "]).bytes());
                    }
                    sample(&hir, &mut random, &mut text);
                    text.extend(*random.pick(&[&b""[..], b"\n", b" more"]));
                    if !lines(&text).any(|line| pattern.may_begin(line[0]) && pattern.matches(line))
                    {
                        continue;
                    }
                    matched += 1;
                    let mut signs = Signs::default();
                    all.find(&text, &mut signs);
                    let text = String::from_utf8_lossy(&text);
                    assert!(signs.has(pattern.sign), "{} {text:?}", pattern.source);
                }
            }
        }
        assert!(matched > 4000, "{matched}");
    }

    #[test]
    fn what_is_skipped_could_not_match() {
        let sources = [r"\bcat\b", r"rm\s+-\w*r", r"\d{3}", r"(do|re)mi"];
        let patterns = patterns(&sources);
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
            for (n, source) in sources.iter().enumerate() {
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
