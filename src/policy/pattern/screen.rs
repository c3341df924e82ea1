//! Many regexes held against one text: which of them have to be tried.
//!
//! All literals ([`super::literals`]) are looked for in one pass; a regex of which none is met cannot
//! match. Regexes that have no literal are always tried. This takes a twelfth of a search for each of a
//! dozen regexes, and next to nothing more for each further one.

use super::literals::Set;
use aho_corasick::{AhoCorasick, Input, MatchKind};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Literals that are met before all regexes are tried instead: a text that is full of them would be
/// gone over more slowly than by the regexes.
const MET: usize = 64;

/// Literals of many regexes.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// No literal begins with another.
    literals: Vec<Vec<u8>>,
    /// By literal: numbers of the regexes that it stands for.
    uses: Vec<Vec<usize>>,
    /// Regexes without a literal.
    always: Numbers,
    finder: OnceLock<Option<AhoCorasick>>,
    /// Looks for [`words`] of the literals.
    words: OnceLock<Option<AhoCorasick>>,
}

/// A set of numbers, a bit each.
type Numbers = Vec<u64>;

/// Regexes that may match a text.
#[derive(Clone, Debug)]
pub struct Candidates<'s> {
    /// Absent: all of them.
    some: Option<Cow<'s, [u64]>>,
}

impl Candidates<'_> {
    /// Whether no regex may match.
    pub fn is_none(&self) -> bool {
        let some = self.some.as_ref();
        some.is_some_and(|some| some.iter().all(|word| *word == 0))
    }

    /// Whether a regex may match.
    pub fn has(&self, number: usize) -> bool {
        let Some(some) = &self.some else {
            return true;
        };
        let word = some.get(number / 64);
        word.is_none_or(|word| word >> (number % 64) & 1 == 1)
    }

    fn add(&mut self, numbers: &[usize]) {
        let Some(some) = &mut self.some else {
            return;
        };
        let some = some.to_mut();
        for number in numbers {
            if let Some(word) = some.get_mut(number / 64) {
                *word |= 1 << (number % 64);
            }
        }
    }
}

impl Screen {
    /// Takes the literals of regexes, which are known by their place from then on; absent of one that
    /// has none.
    pub fn new<'p>(sets: impl ExactSizeIterator<Item = Option<&'p Set>>) -> Screen {
        let mut always = vec![0; sets.len().div_ceil(64)];
        let mut all: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
        for (number, set) in sets.enumerate() {
            match set {
                Some(set) => set
                    .iter()
                    .for_each(|l| all.entry(l).or_default().push(number)),
                None => always[number / 64] |= 1 << (number % 64),
            }
        }
        let (mut literals, mut uses): (Vec<Vec<u8>>, Vec<Vec<usize>>) = Default::default();
        // Where one literal begins another, the shorter stands for both: it comes first.
        for (literal, mut numbers) in all {
            match (literals.last(), uses.last_mut()) {
                (Some(last), Some(uses)) if literal.starts_with(last) => uses.append(&mut numbers),
                _ => {
                    literals.push(literal.to_vec());
                    uses.push(numbers);
                }
            }
        }
        Screen {
            literals,
            uses,
            always,
            finder: OnceLock::new(),
            words: OnceLock::new(),
        }
    }

    /// The regexes that may match a text: every one that does is among them. `room` is where the text is
    /// prepared, and can be used again.
    pub fn of(&self, text: &str, room: &mut String) -> Candidates<'_> {
        let mut candidates = Candidates {
            some: Some(Cow::Borrowed(&self.always)),
        };
        if self.literals.is_empty() {
            return candidates;
        }
        let Some(finder) = self.finder() else {
            return Candidates { some: None };
        };
        lower(text, room);
        let mut from = 0;
        // Literals may overlap, but none begins where another does.
        for _ in 0..MET {
            let Some(met) = finder.find(Input::new(room).range(from..)) else {
                return candidates;
            };
            if let Some(numbers) = self.uses.get(met.pattern().as_usize()) {
                candidates.add(numbers);
            }
            from = met.start() + 1;
        }
        Candidates { some: None }
    }

    /// Whether no regex can match the leaves of a JSON value, joined by spaces, that is written without an
    /// escape: told from how it is written, which saves cutting them out of it. A literal that stands in one
    /// of them is written there; one that goes over several has a space between, and then its longest word
    /// stands in one. `room` is as above.
    pub fn spares(&self, json: &str, room: &mut String) -> bool {
        if self.always.iter().any(|word| *word != 0) {
            return false;
        }
        let words = self.words.get_or_init(|| finder(words(&self.literals)?));
        words.as_ref().is_some_and(|words| {
            lower(json, room);
            !words.is_match(&*room)
        })
    }

    /// What looks for the literals, made ready when first asked for; absent if they are too many.
    fn finder(&self) -> Option<&AhoCorasick> {
        let finder = self.finder.get_or_init(|| finder(&self.literals));
        finder.as_ref()
    }
}

/// What looks for these; absent if they are too many.
fn finder(literals: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Option<AhoCorasick> {
    let mut finder = AhoCorasick::builder();
    let finder = finder.match_kind(MatchKind::LeftmostFirst);
    finder.build(literals).ok()
}

/// The longest word of each literal; absent where one is nothing but spaces.
fn words<'l>(literals: &'l [Vec<u8>]) -> Option<Vec<&'l [u8]>> {
    let longest =
        |literal: &'l Vec<u8>| literal.split(|byte| *byte == b' ').max_by_key(|w| w.len());
    let word = |literal| longest(literal).filter(|word| !word.is_empty());
    literals.iter().map(word).collect()
}

/// Puts a text together in `room` as it is searched.
fn lower(text: &str, room: &mut String) {
    room.clear();
    room.push_str(text);
    room.make_ascii_lowercase();
}

#[cfg(test)]
mod tests {
    use super::super::literals::required;
    use super::super::literals::tests::pattern;
    use super::*;
    use crate::testing::Random;
    use crate::trace::event::RawJson;
    use crate::trace::json::{Json, Text};
    use regex::Regex;

    fn screen(sources: &[String]) -> Screen {
        let hir = |source: &String| regex_syntax::parse(source).expect(source);
        let sets: Vec<_> = sources.iter().map(|s| required(&hir(s))).collect();
        Screen::new(sets.iter().map(Option::as_ref))
    }

    /// Whatever the regexes and the text: one that matches is tried. Most that do not are not.
    #[test]
    fn no_match_is_missed() {
        let mut random = Random::new(7);
        let words = [
            "a", "b", "k", "s", "K", "S", "ab", "AB", "drop", "DROP", "Tab", "tab", "ſ",
            "\u{212a}", "é", "É", " ", "c", "ß", "ẞ", "\n", "1", "dropdrop", "kk",
        ];
        let (mut matches, mut spared, mut made) = (0, 0, 0);
        for _ in 0..120 {
            let sources: Vec<_> = (0..1 + random.below(70))
                .map(|_| pattern(&mut random, 2))
                .filter(|source| Regex::new(source).is_ok())
                .collect();
            let screen = screen(&sources);
            let regexes: Vec<_> = sources.iter().map(|s| Regex::new(s).expect(s)).collect();
            for _ in 0..8 {
                let text: String = (0..random.below(30))
                    .map(|_| *random.pick(&words))
                    .collect();
                let candidates = screen.of(&text, &mut String::new());
                let some = (0..regexes.len()).any(|number| candidates.has(number));
                assert_eq!(candidates.is_none(), !some);
                for (number, regex) in regexes.iter().enumerate() {
                    made += 1;
                    if regex.is_match(&text) {
                        matches += 1;
                        assert!(candidates.has(number), "{regex} in {text:?}");
                    } else if !candidates.has(number) {
                        spared += 1;
                    }
                }
            }
        }
        assert!(
            matches > made / 10 && spared > made / 20,
            "{made} {matches} {spared}"
        );
    }

    /// What is spared by how it is written has leaves that no regex may match, and no match; most that have
    /// none are spared. Leaves are few words, so that literals go over several of them.
    #[test]
    fn what_is_spared_has_no_match() {
        let mut random = Random::new(9);
        let words = [
            "drop", "TABLE", "all", "previous", "ignore", " ", "k", "\u{212a}", "é", "1", "x",
            "\"", "\\", "\n",
        ];
        let sources = [
            "(?i)drop table",
            "(?i)ignore (all )?previous",
            "k x",
            "(?i)kk",
            "1 all é",
            "  x",
        ];
        let (mut spared, mut clean) = (0, 0);
        for source in sources {
            let screen = screen(&[source.to_owned()]);
            let regex = Regex::new(source).expect(source);
            for _ in 0..2000 {
                let leaf = |random: &mut Random| -> Json<'static> {
                    let text: String = (0..random.below(4)).map(|_| *random.pick(&words)).collect();
                    Json::String(Text::plain(text.leak()))
                };
                let items = (0..random.below(4)).map(|_| leaf(&mut random)).collect();
                let json = RawJson::from_json(&Json::Array(items));
                let leaves = json.json().leaves();
                let may = screen.of(&leaves, &mut String::new()).has(0);
                clean += usize::from(!may);
                let written = std::str::from_utf8(json.bytes()).expect("text");
                if !written.contains('\\') && screen.spares(written, &mut String::new()) {
                    spared += 1;
                    assert!(!may && !regex.is_match(&leaves), "{source} {written}");
                }
            }
        }
        assert!(spared > clean / 3, "{spared} {clean}");
        let none = Screen::new([None].into_iter());
        assert!(!none.spares("{}", &mut String::new()), "it is always tried");
    }

    /// More literals than are looked for at once by the processor's wide words, and a text full of them.
    #[test]
    fn thousands_of_literals_and_of_places() {
        let sources: Vec<_> = (0..3000).map(|n| format!("(?i)word{n:04}x")).collect();
        let screen = screen(&sources);
        let candidates = screen.of("this is WORD0042X, and word2999x", &mut String::new());
        let met: Vec<_> = (0..3000).filter(|n| candidates.has(*n)).collect();
        assert_eq!(met, [42, 2999]);
        let candidates = screen.of(&"word0042x".repeat(10_000), &mut String::new());
        assert!((0..3000).all(|n| candidates.has(n)));
    }

    #[test]
    fn literals_within_others_are_met() {
        let sources = ["abcd", "bc", "abc", "cdx", "ABCDE", "z+"].map(str::to_owned);
        let screen = screen(&sources);
        for (text, expected) in [
            ("xabcdx", vec![0, 1, 2, 3, 4, 5]),
            ("bc", vec![1, 5]),
            ("ABC", vec![0, 1, 2, 4, 5]),
            ("", vec![5]),
        ] {
            let candidates = screen.of(text, &mut String::new());
            let met: Vec<_> = (0..sources.len()).filter(|n| candidates.has(*n)).collect();
            assert_eq!(met, expected, "{text}");
        }
    }
}
