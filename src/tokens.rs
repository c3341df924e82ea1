//! Counting the tokens of results that a trace did not count.

use crate::policy::{Policy, Tokenizer};
use crate::trace::event::RawJson;
use crate::trace::json::Json;
use std::sync::OnceLock;
use tiktoken_rs::CoreBPE;

/// Counts as a policy says, or not at all where nothing in the policy asks.
pub struct TokenCounter {
    tokenizer: Option<Tokenizer>,
    /// Loaded with the first text it has to count.
    encoding: OnceLock<Option<CoreBPE>>,
}

impl TokenCounter {
    /// The counter a policy needs.
    pub fn for_policy(policy: &Policy) -> TokenCounter {
        TokenCounter {
            tokenizer: policy.counts_tokens().then_some(policy.gates.tokenizer),
            encoding: OnceLock::new(),
        }
    }

    /// Tokens of a result: of a string itself, of any other JSON in compact form. 0 where nothing
    /// asks for tokens.
    pub fn count(&self, result: &RawJson<'_>) -> u64 {
        let Some(tokenizer) = self.tokenizer else {
            return 0;
        };
        match result.json() {
            Json::String(text) => self.count_text(tokenizer, &text.text),
            json => self.count_text(tokenizer, &json.to_compact()),
        }
    }

    fn count_text(&self, tokenizer: Tokenizer, text: &str) -> u64 {
        let load = match tokenizer {
            Tokenizer::Chars4 => return chars4(text),
            Tokenizer::O200kBase => tiktoken_rs::o200k_base,
            Tokenizer::Cl100kBase => tiktoken_rs::cl100k_base,
        };
        match self.encoding.get_or_init(|| load().ok()) {
            Some(encoding) => {
                let count = |piece: &str| encoding.encode_ordinary(piece).len() as u64;
                pieces(text).map(count).sum()
            }
            // The vocabularies are part of the program; were one unreadable, the budget is spent.
            None => u64::MAX,
        }
    }
}

/// Longest text that is encoded at once, in bytes. The encodings look for words with a regex that
/// takes stack with the length of a run of spaces, and merge long words in quadratic time.
const PIECE: usize = 128 << 10;

/// The text in pieces that are encoded one by one.
///
/// A cut between a line end and a letter changes no token: in these encodings none spans it. Only a
/// text without one for 128 KiB is cut elsewhere, which may count one token more a piece.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(cut(rest));
        rest = after;
        Some(piece)
    })
}

fn cut(text: &str) -> usize {
    if text.len() <= PIECE {
        return text.len();
    }
    let bytes = text.as_bytes();
    let ends_line = |&at: &usize| bytes[at - 1] == b'\n' && bytes[at].is_ascii_alphanumeric();
    let line = (1..=PIECE).rev().find(ends_line);
    let end = || (1..=PIECE).rev().find(|&at| text.is_char_boundary(at));
    line.or_else(end).unwrap_or(text.len())
}

/// A quarter of the Unicode scalar values, at least one for a text that is not empty.
fn chars4(text: &str) -> u64 {
    match text.chars().count() as u64 {
        0 => 0,
        n => (n / 4).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(tokenizer: Tokenizer, json: &str) -> u64 {
        let counter = TokenCounter {
            tokenizer: Some(tokenizer),
            encoding: OnceLock::new(),
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
    fn long_texts_are_counted_in_pieces() {
        let line = "the quick brown fox, jumped\n";
        let text = line.repeat(20_000);
        let encoding = tiktoken_rs::o200k_base().expect("vocabulary");
        let whole = encoding.encode_ordinary(&text).len() as u64;
        let quoted = RawJson::from_string(&text);
        let counter = TokenCounter {
            tokenizer: Some(Tokenizer::O200kBase),
            encoding: OnceLock::new(),
        };
        assert!(text.len() > 3 * PIECE);
        assert_eq!(counter.count(&quoted), whole);
        for hostile in [" ".repeat(2_000_000), "é".repeat(100_000)] {
            assert!(counter.count(&RawJson::from_string(&hostile)) > 0);
        }
    }

    #[test]
    fn real_encodings_count_as_their_makers_do() {
        let text = r#""hello world, hello tokens""#;
        assert_eq!(count(Tokenizer::O200kBase, text), 5);
        assert_eq!(count(Tokenizer::Cl100kBase, text), 5);
    }
}
