//! Counting the tokens of results that a trace did not count.

use crate::policy::{Policy, Tokenizer};
use crate::trace::event::RawJson;
use crate::trace::json::Json;
use tiktoken::CoreBpe;

/// Counts as a policy says, or not at all where nothing in the policy asks.
pub struct TokenCounter {
    tokenizer: Option<Tokenizer>,
}

impl TokenCounter {
    /// The counter a policy needs.
    pub fn for_policy(policy: &Policy) -> TokenCounter {
        TokenCounter {
            tokenizer: policy.counts_tokens().then_some(policy.gates.tokenizer),
        }
    }

    /// Tokens of a result: of a string itself, of any other JSON in compact form. 0 where nothing
    /// asks for tokens.
    pub fn count(&self, result: &RawJson<'_>) -> u64 {
        let Some(tokenizer) = self.tokenizer else {
            return 0;
        };
        if let (Tokenizer::Chars4, Some(chars)) = (tokenizer, result.chars()) {
            return quarter(chars);
        }
        match result.json() {
            Json::String(text) => tokens_of(tokenizer, &text.text),
            json => tokens_of(tokenizer, &json.to_compact()),
        }
    }
}

/// Tokens of a text, none of it taken for a special token.
///
/// An encoding is unpacked with the first text it counts, in a tenth of a second, and then shared
/// by all threads.
pub fn tokens_of(tokenizer: Tokenizer, text: &str) -> u64 {
    let encoding = match tokenizer {
        Tokenizer::Chars4 => return quarter(text.chars().count()),
        Tokenizer::O200kBase | Tokenizer::Cl100kBase => tiktoken::get_encoding(tokenizer.name()),
    };
    match encoding {
        Some(encoding) => encoded(encoding, text, PIECE),
        // The vocabularies are part of the program; were one missing, the budget is spent.
        None => u64::MAX,
    }
}

/// A quarter of the Unicode scalar values of a text, at least one for a text that is not empty.
fn quarter(chars: usize) -> u64 {
    match chars as u64 {
        0 => 0,
        n => (n / 4).max(1),
    }
}

/// Longest text that is encoded at once, in bytes. A word as long as that takes some 35 bytes of
/// memory for each of its own.
const PIECE: usize = 1 << 20;

/// The sum over pieces of at most `most` bytes.
fn encoded(encoding: &CoreBpe, mut text: &str, most: usize) -> u64 {
    let mut sum = 0;
    while !text.is_empty() {
        let (piece, rest) = text.split_at(cut(text, most));
        sum += encoding.count(piece) as u64;
        text = rest;
    }
    sum
}

/// Where the first piece of a text ends.
///
/// That is a place where the encodings part words whatever comes before and after, so that no count
/// depends on it. Only a text without one for `most` bytes is cut elsewhere, which may count a token
/// or two more there.
fn cut(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let parted = (1..=most).rev().find(|&at| parts_words(text, at));
    let anywhere = || (1..=most).rev().find(|&at| text.is_char_boundary(at));
    parted.or_else(anywhere).unwrap_or(text.len())
}

/// Whether both encodings always part words at `at`, which is after the first byte of the text.
///
/// Of the patterns they split text with,
/// - none goes on from a letter or digit to anything but letters, digits, marks, or a contraction
///   with its apostrophe;
/// - none goes on from a line end to anything but white space, or the slash that `o200k_base` takes
///   with the line ends after punctuation.
fn parts_words(text: &str, at: usize) -> bool {
    let Some(&[before, after]) = text.as_bytes().get(at - 1..=at) else {
        return false;
    };
    match before {
        b'\n' => {
            let begins = |rest: &str| rest.starts_with(|c: char| !c.is_whitespace() && c != '/');
            text.get(at..).is_some_and(begins)
        }
        _ if before.is_ascii_alphanumeric() => {
            after.is_ascii() && !after.is_ascii_alphanumeric() && after != b'\''
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn count(tokenizer: Tokenizer, json: &str) -> u64 {
        let counter = TokenCounter {
            tokenizer: Some(tokenizer),
        };
        counter.count(&RawJson::from_text(json).expect("json"))
    }

    #[test]
    fn four_characters_are_a_token() {
        let chars4 = |json: &str| count(Tokenizer::Chars4, json);
        assert_eq!(chars4(r#""""#), 0);
        assert_eq!(chars4(r#""a""#), 1);
        assert_eq!(chars4(r#""abcdefgh""#), 2);
        assert_eq!(chars4("\"\\u65e5\\u672c\u{8a9e}\u{306e}\""), 1);
        assert_eq!(chars4(r#"{ "ok" : true, "n": [1, 2, null] }"#), 6);
    }

    #[test]
    fn texts_are_counted_as_they_are_and_other_json_in_compact_form() {
        for (tokenizer, name) in [
            (Tokenizer::O200kBase, "o200k_base"),
            (Tokenizer::Cl100kBase, "cl100k_base"),
        ] {
            let encoding = tiktoken::get_encoding(name).expect("an encoding of that name");
            let whole = |text: &str| encoding.count(text) as u64;
            assert_eq!(
                count(tokenizer, r#""a \"b\"\n""#),
                whole("a \"b\"\n"),
                "{name}"
            );
            let spaced = r#"{ "ok" : [1, "two"] }"#;
            assert_eq!(
                count(tokenizer, spaced),
                whole(r#"{"ok":[1,"two"]}"#),
                "{name}"
            );
            assert_eq!(count(tokenizer, r#""""#), 0, "{name}");
        }
    }

    /// Cuts that must not show: short pieces of texts made of what splits and joins words.
    #[test]
    fn pieces_count_as_the_whole() {
        const BITS: &[&str] = &[
            "a", "B", "the", "9", "1234", " ", "  ", "\t", "\n", "\r\n", "\n\n", "\n ", "/", "\n/",
            ".", "!\n", "'", "'s", "'LL", "\u{301}", "é", "中文", "。", "\u{a0}", "\u{3000}",
            "\u{2028}", "\"", "{\"", "\":", "_", "-", "\u{17f}", "\u{0}", "😀", "²",
        ];
        let mut random = Random::new(7);
        let mut cuts = 0;
        for _ in 0..3000 {
            let text: String = (0..random.below(60)).map(|_| *random.pick(BITS)).collect();
            for name in ["o200k_base", "cl100k_base"] {
                let encoding = tiktoken::get_encoding(name).expect("an encoding of that name");
                let whole = encoding.count(&text);
                for at in (1..text.len()).filter(|&at| parts_words(&text, at)) {
                    let (left, right) = text.split_at(at);
                    let parted = encoding.count(left) + encoding.count(right);
                    assert_eq!(parted, whole, "{name}: {left:?} {right:?}");
                    cuts += 1;
                }
            }
        }
        assert!(cuts > 10_000, "{cuts} cuts were tried");
    }

    #[test]
    fn a_text_is_cut_within_its_bounds() {
        let encoding = tiktoken::get_encoding("o200k_base").expect("an encoding of that name");
        let text = "the quick brown fox, it's jumped\n".repeat(50);
        for most in 8..80 {
            assert_eq!(encoded(encoding, &text, most), encoding.count(&text) as u64);
        }
        for (text, most) in [
            ("é".repeat(9), 3),
            ("😀😀".to_owned(), 1),
            (" ".repeat(9), 2),
        ] {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let at = cut(rest, most);
                assert!(at > 0 && rest.is_char_boundary(at), "{text:?} {most}");
                rest = &rest[at..];
            }
        }
    }
}
