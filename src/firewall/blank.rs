//! Copies of the intent inside an action's text, blanked before the text is embedded.
//!
//! An action that quotes the intent is close to it whatever it does: a comment would be enough to
//! lower its score. So runs of [`RUN`] and more words that follow one another in the intent too are
//! taken out, whatever stands between the words and in whatever case they are. The work is linear in
//! the text.

use std::collections::{HashMap, HashSet};

/// Words in a row that make a copy. An intent of three words is copied as a whole.
pub const RUN: usize = 4;

/// Words of an intent that are looked at.
const INTENT_WORDS: usize = 4096;

/// An intent as it is looked for.
#[derive(Debug, Default)]
pub struct Intent {
    /// Numbers of its words.
    words: HashMap<String, u32>,
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
        Intent {
            words,
            runs,
            length,
        }
    }

    /// The text without copies of the intent, and how many words were taken out.
    pub fn blank(&self, text: &str) -> (String, usize) {
        if self.length == 0 {
            return (text.to_owned(), 0);
        }
        let spans: Vec<(usize, usize)> = spans(text).collect();
        let mut lower = String::new();
        let numbers: Vec<u32> = spans
            .iter()
            .map(|&(start, end)| {
                let word = text.get(start..end).unwrap_or("");
                lower.clear();
                lower.extend(word.chars().flat_map(char::to_lowercase));
                self.words.get(&lower).copied().unwrap_or(0)
            })
            .collect();
        let mut out = String::with_capacity(text.len());
        let (mut kept, mut blanked, mut until) = (0, 0, 0);
        for (at, &(start, end)) in spans.iter().enumerate() {
            let window = numbers.get(at..at + self.length);
            if window.is_some_and(|w| !w.contains(&0) && self.runs.contains(&run(w))) {
                until = at + self.length;
            }
            if at < until {
                out.push_str(text.get(kept..start).unwrap_or(""));
                kept = end;
                blanked += 1;
            }
        }
        out.push_str(text.get(kept..).unwrap_or(""));
        (out, blanked)
    }
}

fn run(words: &[u32]) -> [u32; RUN] {
    let mut run = [0; RUN];
    run.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
    run
}

/// Where words begin and end: letters and digits in a row.
fn spans(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, _) = chars.find(|(_, c)| c.is_alphanumeric())?;
        while chars.next_if(|(_, c)| c.is_alphanumeric()).is_some() {}
        let end = chars.peek().map_or(text.len(), |(end, _)| *end);
        Some((start, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(text: &str, intent: &str) -> (String, usize) {
        Intent::new(intent).blank(text)
    }

    #[test]
    fn copies_go_whatever_their_case_and_punctuation() {
        let intent = "Summarise the unread emails in my inbox";
        for (text, left, words) in [
            (
                "a # summarise, the: UNREAD emails in my inbox b",
                "a # , :     b",
                7,
            ),
            ("unread emails in my pocket", "    pocket", 4),
            ("the unread emails", "the unread emails", 0),
            ("emails unread in my inbox", "emails unread in my inbox", 0),
            ("", "", 0),
        ] {
            assert_eq!(blanked(text, intent), (left.to_owned(), words), "{text}");
        }
        assert_eq!(blanked("x FIX THE TESTS y", "fix the tests").1, 3);
        assert_eq!(blanked("fix tests", "fix tests").1, 0);
        assert_eq!(blanked("anything at all", "").1, 0);
        assert_eq!(
            blanked("çÖÉ straße im Schnee", "ÇÖé STRASSE straße im schnee").1,
            0
        );
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
        let text = "a a a b ".repeat(1 << 17);
        assert_eq!(blanked(&text, "a a a a a a a a").1, 0);
        assert_eq!(blanked(&text, "a a a b").1, 1 << 19);
    }
}
