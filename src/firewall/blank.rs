//! Copies of the intent inside an action's text, blanked before the text is embedded.
//!
//! An action that quotes the intent is close to it whatever it does: a comment would be enough to
//! lower its score. So runs of [`RUN`] and more words that follow one another in the intent too are
//! taken out, and rows of six and more of its words in whatever order, whatever stands between
//! the words and in whatever case they are. The work is linear in the text.
//!
//! Text and intent are to be in plain form, see [`super::plain`], as embedders read them.

use super::letters::{Kind, kind};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::borrow::Cow;

/// Words that follow one another in the intent too and make a copy.
pub const RUN: usize = 3;

/// Words of an intent in a row, in whatever order, that make a copy.
const ROW: usize = 6;

/// Words of an intent that are looked at.
const INTENT_WORDS: usize = 4096;

/// An intent as it is looked for.
#[derive(Debug, Default)]
pub struct Intent {
    /// Numbers of its words.
    words: HashMap<String, u32>,
    /// By the low bits of a word's first byte, which are the same for both cases of a letter: lengths
    /// of such words in bytes, as far as they are below 64; the last bit is for longer ones.
    lengths: [u64; 32],
    /// Every run of its words, padded with zeros where the intent is shorter than a run.
    runs: HashSet<[u32; RUN]>,
    /// Words of a run; 0 where the intent is too short to be copied.
    length: usize,
}

impl Intent {
    /// Takes an intent apart.
    pub fn new(intent: &str) -> Intent {
        let mut words = HashMap::new();
        let mut numbers = Vec::new();
        for (start, end) in spans(intent).take(INTENT_WORDS) {
            let next = words.len() as u32 + 1;
            let word = intent.get(start..end).unwrap_or("").to_lowercase();
            numbers.push(*words.entry(word).or_insert(next));
        }
        let length = match numbers.len() {
            0..=2 => 0,
            n => n.min(RUN),
        };
        let runs = match length {
            0 => HashSet::new(),
            length => numbers.windows(length).map(run).collect(),
        };
        let mut lengths = [0; 32];
        for word in words.keys() {
            let (at, bit) = shape(word);
            if let Some(set) = lengths.get_mut(at) {
                *set |= bit;
            }
        }
        Intent {
            words,
            lengths,
            runs,
            length,
        }
    }

    /// The text without copies of the intent, and how many words were taken out.
    pub fn blank<'t>(&self, text: &'t str) -> (Cow<'t, str>, usize) {
        if !self.may_be_copied(text) {
            return (Cow::Borrowed(text), 0);
        }
        let mut lower = String::new();
        let mut number = |(start, end)| {
            let word = text.get(start..end).unwrap_or("");
            self.number(word, &mut lower)
        };
        let places: Vec<(usize, usize)> = spans(text).collect();
        let numbers: Vec<u32> = places.iter().map(|place| number(*place)).collect();
        let mut out = String::with_capacity(text.len());
        let (mut kept, mut blanked, mut until, mut row_end) = (0, 0, 0, 0);
        for (at, &(start, end)) in places.iter().enumerate() {
            let window = numbers.get(at..at + self.length);
            if window.is_some_and(|w| !w.contains(&0) && self.runs.contains(&run(w))) {
                until = until.max(at + self.length);
            }
            while row_end < at || numbers.get(row_end).is_some_and(|n| *n != 0) {
                row_end += 1;
            }
            if row_end >= at + ROW {
                until = row_end;
            }
            if at < until {
                out.push_str(text.get(kept..start).unwrap_or(""));
                kept = end;
                blanked += 1;
            }
        }
        out.push_str(text.get(kept..).unwrap_or(""));
        (Cow::Owned(out), blanked)
    }

    /// Whether as many words of the intent follow one another in a text as make a copy, whichever
    /// they are. Most texts are done with here.
    fn may_be_copied(&self, text: &str) -> bool {
        let mut lower = String::new();
        let mut row = 0;
        self.length > 0
            && spans(text).any(|(start, end)| {
                let word = text.get(start..end).unwrap_or("");
                let is_known = self.number(word, &mut lower) != 0;
                row = if is_known { row + 1 } else { 0 };
                row >= self.length
            })
    }

    /// The number of a word, 0 where the intent has none such; `lower` is memory to use again.
    fn number(&self, word: &str, lower: &mut String) -> u32 {
        let is_ascii = word.is_ascii();
        // Only of ASCII does lower case keep the length.
        let (at, bit) = shape(word);
        if is_ascii && self.lengths.get(at).is_none_or(|set| set & bit == 0) {
            return 0;
        }
        lower.clear();
        if is_ascii {
            lower.push_str(word);
            lower.make_ascii_lowercase();
        } else {
            lower.extend(word.chars().flat_map(char::to_lowercase));
        }
        self.words.get(lower.as_str()).copied().unwrap_or(0)
    }
}

/// Words of the state of a task, which say nothing of what is done.
const STATES: &[&str] = &[
    "completed",
    "done",
    "false",
    "high",
    "in",
    "low",
    "medium",
    "open",
    "pending",
    "progress",
    "todo",
    "true",
];

/// Whether what is left of a text says nothing: words of state and short numbers at most.
pub fn says_nothing(left: &str) -> bool {
    spans(left).all(|(start, end)| {
        let word = left.get(start..end).unwrap_or("").to_ascii_lowercase();
        let is_short = word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
        is_short || STATES.binary_search(&&*word).is_ok()
    })
}

/// Where in [`Intent::lengths`] a word is, and its bit there.
fn shape(word: &str) -> (usize, u64) {
    let first = word.bytes().next().unwrap_or(0);
    (usize::from(first & 31), 1 << word.len().min(63))
}

fn run(words: &[u32]) -> [u32; RUN] {
    let mut run = [0; RUN];
    run.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
    run
}

/// Where words begin and end: letters and digits in a row.
fn spans(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = loop {
            let (is_part, length) = character(text, at)?;
            if is_part {
                break at;
            }
            at += length;
        };
        while let Some((true, length)) = character(text, at) {
            at += length;
        }
        Some((start, at))
    })
}

/// Whether the character that begins here is part of a word, and its bytes; nothing at the end.
fn character(text: &str, at: usize) -> Option<(bool, usize)> {
    match kind(*text.as_bytes().get(at)?) {
        Kind::Part => Some((true, 1)),
        Kind::Gap => Some((false, 1)),
        Kind::Other => {
            let c = text.get(at..)?.chars().next()?;
            Some((c.is_alphanumeric(), c.len_utf8()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(text: &str, intent: &str) -> (String, usize) {
        let (text, words) = Intent::new(intent).blank(text);
        (text.into_owned(), words)
    }

    #[test]
    fn copies_go_whatever_their_case_and_punctuation() {
        let intent = "Summarise the unread emails in my inbox";
        for (text, left, words) in [
            (
                "a # summarise, the: UNREAD emails in my inbox b",
                "a # , :      b",
                7,
            ),
            ("unread emails in my pocket", "    pocket", 4),
            ("the unread emails", "  ", 3),
            ("unread the emails", "unread the emails", 0),
            ("inbox my in emails unread", "inbox my in emails unread", 0),
            ("inbox my in emails unread the, ok", "     , ok", 6),
            ("", "", 0),
        ] {
            assert_eq!(blanked(text, intent), (left.to_owned(), words), "{text}");
        }
        assert_eq!(blanked("x FIX THE TESTS y", "fix the tests").1, 3);
        assert_eq!(blanked("fix tests", "fix tests").1, 0);
        assert_eq!(blanked("anything at all", "").1, 0);
        assert_eq!(
            blanked("çÖÉ straße im Schnee", "ÇÖé STRASSE straße im schnee").1,
            3
        );
    }

    /// Rationale: with nothing beside copies nothing can hide; a word that says something can.
    #[test]
    fn states_and_short_numbers_say_nothing() {
        for (left, nothing) in [
            ("", true),
            (" -- in_progress 3 True", true),
            ("  pending rm", false),
            (" 4500", false),
            (" \u{e4}", false),
        ] {
            assert_eq!(says_nothing(left), nothing, "{left}");
        }
        assert!(STATES.is_sorted());
    }

    #[test]
    fn every_copy_goes() {
        let intent = "list the open tickets";
        let text = format!("{intent} ").repeat(3);
        assert_eq!(blanked(&text, intent).1, 12);
        assert!(blanked(&text, intent).0.trim().is_empty());
    }

    #[test]
    fn work_is_linear_in_the_text() {
        let text = "a a b ".repeat(1 << 17);
        assert_eq!(blanked(&text, "a a a a a a a a").1, 0);
        assert_eq!(blanked(&text, "a a b").1, 3 << 17);
    }
}
