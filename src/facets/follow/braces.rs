//! Brace expansion: `a{b,c}` is `ab ac`, `{1..3}` is `1 2 3`.

use crate::facets::shell::{PartKind, Word};
use std::borrow::Cow;

/// Most words that one word becomes.
const MAX_WORDS: usize = 256;

/// Most pieces that the words of one word have together.
const MAX_PIECES: usize = 4096;

/// Deepest nesting of braces in each other.
const MAX_DEPTH: usize = 8;

/// A piece of a word. Without a kind it is plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece<'w> {
    pub kind: Option<PartKind>,
    pub text: Cow<'w, str>,
}

/// The words that a word stands for, each as its pieces. `None` if they are too many or the braces
/// nest too deep. A word without braces is itself.
pub(super) fn expand(word: &Word) -> Option<Vec<Vec<Piece<'_>>>> {
    let pieces = word.pieces().map(|(kind, text)| Piece {
        kind,
        text: text.into(),
    });
    if !word.text.contains('{') {
        return Some(vec![pieces.collect()]);
    }
    let pieces: Vec<_> = pieces.collect();
    let tokens = tokens(&pieces);
    let groups = groups(&tokens);
    if groups.iter().all(Option::is_none) {
        return Some(vec![pieces]);
    }
    let braces = Braces { tokens, groups };
    braces.range(0, braces.tokens.len(), 0)
}

/// The texts that a text without quotes stands for; itself if they are too many.
pub fn texts(text: &str) -> Vec<String> {
    let word = Word::plain(text);
    let Some(words) = expand(&word) else {
        return vec![text.to_owned()];
    };
    let joined = words
        .iter()
        .map(|word| word.iter().map(|piece| &*piece.text).collect());
    joined.collect()
}

/// A word split at what means something in braces.
struct Braces<'w> {
    tokens: Vec<Piece<'w>>,
    /// For each token that opens a group, the index of the one that closes it.
    groups: Vec<Option<usize>>,
}

impl<'w> Braces<'w> {
    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn range(&self, start: usize, end: usize, depth: usize) -> Option<Vec<Vec<Piece<'w>>>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut words = vec![Vec::new()];
        let mut size = 0;
        let mut at = start;
        while at < end {
            let Some(close) = self.groups.get(at).copied().flatten() else {
                size += words.len();
                if size > MAX_PIECES {
                    return None;
                }
                let token = self.tokens.get(at)?;
                words.iter_mut().for_each(|word| word.push(token.clone()));
                at += 1;
                continue;
            };
            let choices = self.choices(at, close, depth)?;
            let longest = choices.iter().map(Vec::len).max().unwrap_or(0);
            let count = words.len() * choices.len();
            let each = words.iter().map(Vec::len).max().unwrap_or(0) + longest;
            if count > MAX_WORDS || count * each > MAX_PIECES {
                return None;
            }
            let joined = words.iter().flat_map(|word: &Vec<Piece<'w>>| {
                choices
                    .iter()
                    .map(move |choice| [&word[..], &choice[..]].concat())
            });
            words = joined.collect();
            size = words.iter().map(Vec::len).sum();
            at = close + 1;
        }
        Some(words)
    }

    /// What may stand for the group between two tokens.
    fn choices(&self, open: usize, close: usize, depth: usize) -> Option<Vec<Vec<Piece<'w>>>> {
        if let [Piece { kind: None, text }] = self.tokens.get(open + 1..close)?
            && let Some(ends) = Sequence::read(text)
        {
            return ends.items();
        }
        let mut words = Vec::new();
        let mut start = open + 1;
        let mut at = start;
        loop {
            if at == close || self.is(at, ",") {
                words.extend(self.range(start, at, depth + 1)?);
                if words.len() > MAX_WORDS {
                    return None;
                }
                start = at + 1;
            }
            if at >= close {
                return Some(words);
            }
            at = self.groups.get(at).copied().flatten().unwrap_or(at) + 1;
        }
    }
}

impl Piece<'_> {
    fn is(&self, text: &str) -> bool {
        self.kind.is_none() && self.text == text
    }
}

/// Splits plain pieces at braces and commas.
fn tokens<'w>(pieces: &[Piece<'w>]) -> Vec<Piece<'w>> {
    let mut out = Vec::new();
    for piece in pieces {
        let (None, Cow::Borrowed(text)) = (piece.kind, &piece.text) else {
            out.push(piece.clone());
            continue;
        };
        let mut plain = |text: &'w str| {
            if !text.is_empty() {
                out.push(Piece {
                    kind: None,
                    text: text.into(),
                });
            }
        };
        let mut rest: &'w str = text;
        while let Some(at) = rest.find(['{', ',', '}']) {
            plain(&rest[..at]);
            plain(&rest[at..at + 1]);
            rest = &rest[at + 1..];
        }
        plain(rest);
    }
    out
}

fn groups(tokens: &[Piece<'_>]) -> Vec<Option<usize>> {
    let mut found = vec![None; tokens.len()];
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.is("{") {
            open.push((at, false));
        } else if token.is(",") {
            if let Some((_, comma)) = open.last_mut() {
                *comma = true;
            }
        } else if token.is("}")
            && let Some((start, comma)) = open.pop()
        {
            let sequence = match tokens.get(start + 1..at) {
                Some([Piece { kind: None, text }]) => Sequence::read(text).is_some(),
                _ => false,
            };
            if let Some(group) = found.get_mut(start).filter(|_| comma || sequence) {
                *group = Some(at);
            }
        }
    }
    found
}

/// `FIRST..LAST`, of numbers or letters.
struct Sequence {
    first: i64,
    last: i64,
    /// Digits of a number that begins with a zero.
    width: usize,
    letters: bool,
}

impl Sequence {
    fn read(text: &str) -> Option<Sequence> {
        let (first, last) = text.split_once("..")?;
        let (Ok(from), Ok(to)) = (first.parse::<i32>(), last.parse::<i32>()) else {
            let letter = |text: &str| match text.as_bytes() {
                [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
                _ => None,
            };
            return Some(Sequence {
                first: letter(first)?,
                last: letter(last)?,
                width: 0,
                letters: true,
            });
        };
        let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
        let width = if padded(first) || padded(last) {
            first.len().max(last.len())
        } else {
            0
        };
        Some(Sequence {
            first: from.into(),
            last: to.into(),
            width: width.min(12),
            letters: false,
        })
    }

    /// The items; `None` if they are too many.
    fn items<'w>(&self) -> Option<Vec<Vec<Piece<'w>>>> {
        let count = usize::try_from(self.first.abs_diff(self.last)).ok()? + 1;
        if count > MAX_WORDS {
            return None;
        }
        let step = if self.last < self.first { -1 } else { 1 };
        let numbers = std::iter::successors(Some(self.first), |n| Some(n + step)).take(count);
        let text = |n: i64| match u8::try_from(n) {
            Ok(byte) if self.letters => char::from(byte).to_string(),
            _ => format!("{n:0width$}", width = self.width),
        };
        let item = |n| {
            vec![Piece {
                kind: None,
                text: Cow::Owned(text(n)),
            }]
        };
        Some(numbers.map(item).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facets::shell;

    fn words(text: &str) -> Option<String> {
        let found = shell::read(text, 0);
        let word = found.commands.first()?.words.first()?;
        let words = expand(word)?;
        let join = |word: &Vec<Piece>| word.iter().map(|p| &*p.text).collect::<String>();
        Some(words.iter().map(join).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn braces_expand() {
        for (text, expected) in [
            ("a{b,c}d", "abd acd"),
            ("{a,b}{c,d}", "ac ad bc bd"),
            ("a{b,c{d,e}}", "ab acd ace"),
            ("{,a}b", "b ab"),
            ("{1..3}", "1 2 3"),
            ("x{03..1}", "x03 x02 x01"),
            ("{a..c}", "a b c"),
            ("{a}", "{a}"),
            ("{a,b", "{a,b"),
            ("a},{b", "a},{b"),
            ("{{a,b}", "{a {b"),
            ("'{a,b}'", "{a,b}"),
            ("{'a,b',c}", "a,b c"),
            ("$${a,b}", "$$a $$b"),
            ("${a,b}", "${a,b}"),
            ("{$a,b}", "$a b"),
        ] {
            assert_eq!(words(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn braces_have_limits() {
        assert_eq!(words("{1..256}").map(|w| w.split(' ').count()), Some(256));
        for text in [
            "{1..257}".into(),
            "{a,b}".repeat(9),
            "{a,b}".repeat(50_000),
            "{a,".repeat(9) + &"}".repeat(9),
            "{a,".repeat(50_000) + &"}".repeat(50_000),
            format!("{{a,b}}{}", "{".repeat(100_000)),
            "{-2147483648..2147483647}".into(),
        ] {
            assert_eq!(words(&text), None, "{}", &text[..9.min(text.len())]);
        }
        assert!(words(&"{".repeat(200_000)).is_some());
    }
}
