//! The table of signs and entries, read from `gloss.txt`.
//!
//! `sign NAME PATTERN` is a regular expression over one line of the view; several lines with one
//! name add up. `@T`, `@K` and so on stand for the mark of a kind of line, see [`super::view`].
//! `harm ID STRENGTH CONDITION => WORDS` and `safe …` are entries: every part of the condition has
//! to hold, `a|b` holds where either sign was found, and `!a` where it was not. `near …` is an entry
//! of harmless work that counts beside harm as well: it tells that the call is about what was asked.
//! `apart …` is one of harm whose words stay out of the embedded text: they tell how call and intent
//! hang together and nothing of what the call does.

use super::coded::Coded;
use super::listed::{self, Holds};
use super::patterns::{Patterns, marked};
use foldhash::{HashMap, HashMapExt};
use std::sync::OnceLock;

const TEXT: &str = include_str!("../gloss.txt");

/// See [`listed`]; after lines that tell what it is.
const LITERALS: &str = include_str!("../gloss.literals");

const LITERALS_HEAD: &str = "\
# Literals that matches of the patterns of gloss.txt hold, see gloss/listed.rs.
# Made by UPDATE_DOCS=1 cargo test --test docs
";

/// 64-bit words of a set of signs.
const WORDS: usize = 8;

/// A set of signs, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs([u64; WORDS]);

impl Signs {
    /// Puts a sign in.
    pub fn insert(&mut self, sign: usize) {
        if let Some(word) = self.0.get_mut(sign / 64) {
            *word |= 1 << (sign % 64);
        }
    }

    /// Takes a sign out.
    pub fn remove(&mut self, sign: usize) {
        if let Some(word) = self.0.get_mut(sign / 64) {
            *word &= !(1 << (sign % 64));
        }
    }

    /// Whether it holds a sign.
    pub fn has(&self, sign: usize) -> bool {
        let word = self.0.get(sign / 64);
        word.is_some_and(|word| word >> (sign % 64) & 1 == 1)
    }

    /// Puts all of another set in.
    pub fn add(&mut self, other: &Signs) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// The signs that another set has as well.
    fn both(mut self, other: &Signs) -> Signs {
        for (word, kept) in self.0.iter_mut().zip(other.0) {
            *word &= kept;
        }
        self
    }

    /// The numbers of its signs, in order.
    fn each(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(at, word)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|left| *left != 0);
            let words = std::iter::successors((word != 0).then_some(word), rest);
            words.map(move |word| 64 * at + word.trailing_zeros() as usize)
        })
    }

    /// The set of one sign.
    fn of(sign: usize) -> Signs {
        let mut signs = Signs::default();
        signs.insert(sign);
        signs
    }

    // All words are looked at, several at a time: which one tells is not worth a branch for each.
    fn meets(&self, other: &Signs) -> bool {
        let both = self.0.iter().zip(other.0).map(|(a, b)| a & b);
        both.fold(0, |all, word| all | word) != 0
    }

    fn has_all(&self, other: &Signs) -> bool {
        let missing = self.0.iter().zip(other.0).map(|(a, b)| !a & b);
        missing.fold(0, |all, word| all | word) == 0
    }
}

/// One part of a condition: any of these found, or any of those not found.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    found: Signs,
    absent: Signs,
}

impl Part {
    fn holds(&self, signs: &Signs) -> bool {
        signs.meets(&self.found) || !signs.has_all(&self.absent)
    }
}

/// A shape and the words that it adds.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub id: &'static str,
    /// Whether it tells of harm; otherwise of harmless work.
    pub harm: bool,
    /// Whether it counts where harm was found: all of harm do, and signs of nearness to the intent.
    pub beside: bool,
    /// Whether its words say nothing of what the call does.
    apart: bool,
    /// How sure the shape alone tells it, in (0, 1]: closeness of the words to a description counts
    /// this much.
    pub strength: f64,
    /// The words.
    pub words: &'static str,
    /// Its place in the table.
    pub number: usize,
    /// The signs that all have to be found.
    needs: Signs,
    /// The parts of the condition that hold in several ways.
    when: Vec<Part>,
}

/// From this strength on the shape is sure enough for its words to be part of the embedded text.
const SURE: f64 = 0.5;

impl Entry {
    /// Whether words of harmless work are kept away from the text on its account; a less sure entry
    /// counts by itself only.
    pub fn is_sure(&self) -> bool {
        self.strength >= SURE
    }

    /// Whether its words are embedded with the text.
    pub fn is_embedded(&self) -> bool {
        !self.apart && (!self.harm || self.is_sure())
    }

    /// Whether these signs are what it asks for.
    pub fn holds(&self, signs: &Signs) -> bool {
        signs.has_all(&self.needs) && self.when.iter().all(|part| part.holds(signs))
    }
}

/// The whole table.
#[derive(Debug)]
pub struct Table {
    /// Every entry in order.
    pub entries: Vec<Entry>,
    /// By number of a sign: the numbers of the entries that may hold where it is found. An entry stands
    /// at the signs of one part of its condition, see [`by_sign`].
    by_sign: Vec<Vec<u16>>,
    /// The signs at which entries stand.
    keys: Signs,
    /// Entries that may hold without any sign.
    always: Vec<u16>,
    /// Patterns of the tool's name.
    pub tool: Patterns,
    /// Patterns of the intent.
    pub intent: Patterns,
    /// Patterns of everything else.
    pub call: Patterns,
    /// Every sign of the intent.
    pub asked: Signs,
    names: HashMap<&'static str, usize>,
}

impl Table {
    /// The built-in table.
    pub fn built_in() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| match Table::parse(TEXT, LITERALS) {
            Ok(table) => table,
            // The texts are part of the program, and a test reads them.
            Err(error) => unreachable!("the gloss table: {error}"),
        })
    }

    /// The number of a sign; one that no condition can hold where there is none of this name.
    pub fn sign(&self, name: &str) -> usize {
        self.names.get(name).copied().unwrap_or(usize::MAX)
    }

    /// The entries that these signs are what they ask for, in order.
    pub fn held(&self, signs: &Signs) -> Vec<&Entry> {
        let by_sign = signs
            .both(&self.keys)
            .each()
            .filter_map(|sign| self.by_sign.get(sign));
        let may_hold = by_sign.flatten().chain(&self.always);
        let entries = may_hold.filter_map(|number| self.entries.get(usize::from(*number)));
        let mut held: Vec<_> = entries.filter(|entry| entry.holds(signs)).collect();
        held.sort_unstable_by_key(|entry| entry.number);
        held.dedup_by_key(|entry| entry.number);
        held
    }

    /// Reads a table, with what [`listed`] says of its patterns.
    ///
    /// # Errors
    /// The line that is not understood.
    fn parse(text: &'static str, literals: &'static str) -> Result<Table, String> {
        let mut names: HashMap<&'static str, usize> = HashMap::new();
        names.extend(Coded::ALL.iter().map(|coded| (coded.name(), coded.sign())));
        let (mut tool, mut intent, mut call) = (Vec::new(), Vec::new(), Vec::new());
        let mut asked = Signs::default();
        let mut listed = lines(literals).map(Holds::read);
        for (name, pattern) in patterns(text) {
            let next = names.len();
            let sign = *names.entry(name).or_insert(next);
            let holds = match listed.next().flatten() {
                Some((of, holds)) if of == name => holds,
                _ => return Err(format!("the literals of `{name}` are not listed")),
            };
            if pattern.starts_with("@I") {
                asked.insert(sign);
                intent.push((sign, pattern, holds));
            } else if pattern.starts_with("@T") {
                tool.push((sign, pattern, holds));
            } else {
                call.push((sign, pattern, holds));
            }
        }
        if names.len() > WORDS * 64 {
            return Err(format!("{} signs are too many", names.len()));
        }
        let mut entries = Vec::new();
        for line in lines(text).filter(|line| !line.starts_with("sign ")) {
            let number = entries.len();
            entries.push(entry(line, number, &names).ok_or_else(|| line.to_owned())?);
        }
        let (by_sign, always) = by_sign(&entries, &asked);
        let mut keys = Signs::default();
        for (sign, entries) in by_sign.iter().enumerate() {
            if !entries.is_empty() {
                keys.insert(sign);
            }
        }
        Ok(Table {
            by_sign,
            keys,
            always,
            entries,
            tool: Patterns::new(&tool)?,
            intent: Patterns::new(&intent)?,
            call: Patterns::new(&call)?,
            asked,
            names,
        })
    }
}

/// The [`Table::by_sign`] and [`Table::always`] of entries. What cannot hold without one of some signs
/// stands at those, the rarest of its condition; at what is `asked` only where there is nothing else, as
/// a call without an intent has all of that.
fn by_sign(entries: &[Entry], asked: &Signs) -> (Vec<Vec<u16>>, Vec<u16>) {
    let parts = |entry: &Entry| -> Vec<Signs> {
        let any = entry
            .when
            .iter()
            .filter(|part| part.absent == Signs::default());
        let any = any.map(|part| part.found);
        entry.needs.each().map(Signs::of).chain(any).collect()
    };
    let mut named = [0_usize; WORDS * 64];
    for sign in entries.iter().flat_map(parts).flat_map(Signs::each) {
        if let Some(count) = named.get_mut(sign) {
            *count += 1;
        }
    }
    let count = |signs: &Signs| -> (bool, usize) {
        let named = signs.each().filter_map(|sign| named.get(sign));
        (signs.meets(asked), named.sum())
    };
    let (mut by_sign, mut always) = (vec![Vec::new(); WORDS * 64], Vec::new());
    for (number, entry) in (0..).zip(entries) {
        let Some(rarest) = parts(entry).into_iter().min_by_key(count) else {
            always.push(number);
            continue;
        };
        for sign in rarest.each() {
            if let Some(numbers) = by_sign.get_mut(sign) {
                numbers.push(number);
            }
        }
    }
    (by_sign, always)
}

fn entry(line: &'static str, number: usize, names: &HashMap<&str, usize>) -> Option<Entry> {
    let (head, words) = line.split_once(" => ")?;
    let mut head = head.split(' ');
    let kind = head.next()?;
    let (harm, beside) = match kind {
        "harm" | "apart" => (true, true),
        "safe" => (false, false),
        "near" => (false, true),
        _ => return None,
    };
    let (id, strength) = (head.next()?, head.next()?.parse().ok()?);
    let (mut needs, mut when) = (Signs::default(), Vec::new());
    for part in head {
        let mut signs = Part::default();
        for sign in part.split('|') {
            match sign.strip_prefix('!') {
                Some(sign) => signs.absent.insert(*names.get(sign)?),
                None => signs.found.insert(*names.get(sign)?),
            }
        }
        match part.contains(['|', '!']) {
            true => when.push(signs),
            false => needs.add(&signs.found),
        }
    }
    let is_empty = when.is_empty() && needs == Signs::default();
    (0.0 < strength && strength <= 1.0 && !is_empty).then_some(Entry {
        id,
        harm,
        beside,
        apart: kind == "apart",
        strength,
        words,
        number,
        needs,
        when,
    })
}

/// The lines that are neither empty nor a remark.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The signs of a table with their patterns, line by line.
fn patterns(text: &str) -> impl Iterator<Item = (&str, &str)> {
    lines(text).filter_map(|line| line.strip_prefix("sign ")?.split_once(' '))
}

/// The file `gloss.literals`, from the patterns as they are.
///
/// # Errors
/// What is wrong with a pattern.
pub fn literals() -> Result<String, String> {
    let mut file = LITERALS_HEAD.to_owned();
    for (name, pattern) in patterns(TEXT) {
        file.push_str(&listed::line(name, &marked(pattern))?);
        file.push('\n');
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_table_is_sound_and_leaves_nothing_unused() {
        let table = Table::parse(TEXT, LITERALS).expect("every line is understood");
        for patterns in [&table.tool, &table.intent, &table.call] {
            let (unsound, unfiltered) = patterns.unsound();
            assert!(unsound.is_empty(), "{unsound:?}");
            assert!(
                unfiltered < 12,
                "{unfiltered} patterns are tried on every call"
            );
        }
        let ids: HashSet<_> = table.entries.iter().map(|entry| entry.id).collect();
        assert_eq!(ids.len(), table.entries.len(), "ids are not repeated");
        let used = |sign| {
            let mut parts = table.entries.iter().flat_map(|entry| &entry.when);
            table.entries.iter().any(|entry| entry.needs.has(sign))
                || parts.any(|part| part.found.has(sign) || part.absent.has(sign))
        };
        let unused = table.names.iter().filter(|(_, sign)| !used(**sign));
        let unused: Vec<_> = unused.map(|(name, _)| *name).collect();
        let known = ["t_looks", "host_internal", "reads", "t_upkeep"];
        let unused: Vec<_> = unused.iter().filter(|name| !known.contains(name)).collect();
        assert!(unused.is_empty(), "{unused:?}");
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for line in [
            "harm x 1 nothing => words",
            "harm x 0 commands => words",
            "harm x NaN commands => words",
            "harm x 1 => words",
            "harm x 1 commands words",
            "other x 1 commands => words",
        ] {
            assert_eq!(Table::parse(line, "").err().as_deref(), Some(line));
        }
        assert!(Table::parse("sign x a", "x -\ta").is_ok());
        for unlike in ["", "x", "y -\ta"] {
            assert!(Table::parse("sign x a", unlike).is_err());
        }
    }
}
