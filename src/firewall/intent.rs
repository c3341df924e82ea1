//! Intents that tell what is wanted, and those that do not.
//!
//! A first message such as "hi", "go on" or "implement #231" asks for something that stands elsewhere.
//! Nothing is close to it, so that to hold calls against it calls nearly all of them strange. It is
//! taken as no intent at all. So is an intent of which an embedder knows too little.

use super::gloss::relation::STOP;

/// Words of content that an intent has at least.
const LEAST: usize = 2;

/// Greetings, words that only say to go on, and words that stand for what is not told; in English, as
/// the gloss reads it.
const EMPTY: &[&str] = &[
    "again",
    "agreed",
    "ahead",
    "alright",
    "another",
    "any",
    "anyone",
    "anything",
    "ask",
    "asked",
    "asks",
    "awesome",
    "below",
    "but",
    "continue",
    "cool",
    "could",
    "dear",
    "do",
    "does",
    "doing",
    "done",
    "else",
    "evening",
    "everything",
    "exactly",
    "fine",
    "folks",
    "go",
    "going",
    "good",
    "got",
    "great",
    "hello",
    "help",
    "here",
    "hey",
    "hi",
    "if",
    "issue",
    "job",
    "just",
    "keep",
    "kind",
    "know",
    "let",
    "lets",
    "like",
    "ll",
    "more",
    "morning",
    "need",
    "next",
    "nice",
    "no",
    "nope",
    "now",
    "ok",
    "okay",
    "one",
    "perfect",
    "pls",
    "plz",
    "problem",
    "proceed",
    "question",
    "ready",
    "really",
    "resume",
    "right",
    "see",
    "should",
    "some",
    "something",
    "stuff",
    "sure",
    "task",
    "tasks",
    "thank",
    "thanks",
    "there",
    "these",
    "thing",
    "things",
    "those",
    "today",
    "too",
    "us",
    "want",
    "well",
    "when",
    "will",
    "work",
    "would",
    "yeah",
    "yep",
    "yes",
];

/// The intent, where it tells what is wanted: where it has two words of content or more. Numbers, a
/// command to the program that the user talks to (`/compact`), and words that any request may have
/// are none.
pub fn told(intent: &str) -> Option<&str> {
    told_to(intent, |_| true)
}

/// The same for a reader who knows only some words.
pub fn told_to(intent: &str, knows: impl Fn(&str) -> bool) -> Option<&str> {
    let mut left = LEAST;
    let text = without_command(intent);
    let words = text.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let count = content(word);
        if count > 0 && knows(word) {
            left = left.saturating_sub(count);
        }
        if left == 0 {
            return Some(intent);
        }
    }
    None
}

/// How many words of content a word counts as.
fn content(word: &str) -> usize {
    if !word.is_ascii() {
        // Whether its script puts spaces between words is not known: letters beyond the Latin ones
        // count as a word every other one.
        let letters = word.chars().filter(|c| c.is_alphabetic());
        let unspaced = letters.filter(|c| is_unspaced(*c)).count();
        return (unspaced / 2).max(1);
    }
    let lower = || word.bytes().map(|byte| byte.to_ascii_lowercase());
    let order = |known: &&str| known.bytes().cmp(lower());
    let listed = |list: &[&str]| list.binary_search_by(order).is_ok();
    let is_name = word.bytes().any(|byte| byte.is_ascii_alphabetic()) && word.len() > 1;
    usize::from(is_name && !listed(STOP) && !listed(EMPTY))
}

/// Whether a letter is of a script that is written without spaces between words: Thai, Lao, Burmese,
/// Khmer, kana, ideographs.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

/// What follows a command such as `/review`, which begins a text and is no path.
fn without_command(intent: &str) -> &str {
    let text = intent.trim_start();
    let Some(rest) = text.strip_prefix('/') else {
        return text;
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let after = rest.trim_start_matches(is_part);
    match after.chars().next() {
        Some(c) if !c.is_whitespace() => text,
        _ => after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_adds_to_the_other() {
        assert!(EMPTY.is_sorted());
        assert!(EMPTY.iter().all(|word| STOP.binary_search(word).is_err()));
    }

    #[test]
    fn what_stands_elsewhere_is_not_told() {
        for vague in [
            "",
            " \n",
            "ok",
            "Hi!",
            "Continue.",
            "yes, please go on",
            "do it",
            "Help me with my work",
            "See the issue",
            "implement #231",
            "/compact",
            " /clear 12",
            "Fix it!",
            "1 2 3 4",
            "thanks, that's great; keep going",
            "...",
            "👍👍 ok",
            "x",
            "a b c d",
            "DEPLOY",
            "/mcp:server_1 now",
            "是",
            "да",
            "\u{200b}",
        ] {
            assert_eq!(told(vague), None, "{vague}");
        }
    }

    #[test]
    fn two_words_of_content_tell_something() {
        for clear in [
            "run tests",
            "Fix the failing test",
            "play some jazz",
            "/review the parser module",
            "/srv/data fill",
            "look up the weather",
            "Close ticket 311",
            "Upgrade Django to 5.0",
            "修复解析器",
            "исправь тест",
            "naïve café",
            "أصلح الاختبار",
            "テストを直して",
        ] {
            assert_eq!(told(clear), Some(clear), "{clear}");
        }
    }
}
