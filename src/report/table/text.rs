//! Text of the human report: made safe, cut and wrapped by display columns, painted.

use crate::audit::summary::Replayed;
use crate::escape::{self, tamed};
pub use crate::number::count;
use crate::number::rounded;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Most columns a name takes before it is quoted.
const NAME: usize = 60;

/// Most columns a sentence takes; machine formats have all of it.
const PROSE: usize = 300;

/// Enough of a digest to tell files apart at a glance; empty where there is none.
pub fn short(sha256: &str) -> String {
    sha256.chars().take(12).collect()
}

/// The same with the name of what it is.
pub fn digest(sha256: &str) -> String {
    match sha256 {
        "" => String::new(),
        sha256 => format!("sha256 {}", short(sha256)),
    }
}

/// A part of a barrier's scale as a percentage with one decimal, below zero too. What is not at zero
/// does not read as if it were.
pub fn share(scaled: f64) -> String {
    let percent = (scaled * 1000.0).round() / 10.0;
    if percent == 0.0 && scaled != 0.0 {
        let sign = if scaled < 0.0 { "-" } else { "" };
        return format!("{sign}<0.1%");
    }
    format!("{}%", rounded(percent))
}

/// The line of the policy that something stands on; absent where it is a default or a preset's.
pub fn line(policy_line: usize) -> Option<String> {
    (policy_line > 0).then(|| format!("line {policy_line}"))
}

/// Which rule of its kind one is, behind the kind: its name and its line, as far as it has them. The
/// name is untrusted.
pub fn which(rule: &str, policy_line: usize) -> String {
    let name = match rule {
        "" => String::new(),
        rule => format!(" {}", name(rule)),
    };
    let line = line(policy_line).map_or(String::new(), |line| format!(" ({line})"));
    format!("{name}{line}")
}

/// What an input was read as, or why it could not be read.
pub fn read_as(format: Option<&str>, error: Option<&str>) -> String {
    match error {
        Some(error) => prose(error),
        None => format.unwrap_or("unknown").to_owned(),
    }
}

/// How calls were replayed.
pub fn replayed(replayed: &Replayed) -> String {
    format!(
        "mode {}, dispatch {}, escalated calls: {}",
        replayed.mode, replayed.dispatch, replayed.on_escalate
    )
}

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Not at all.
    Plain,
    /// A heading.
    Bold,
    /// What goes against the policy or cannot be trusted.
    Bad,
    /// What wants a look.
    Doubt,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Bold => "1",
            Tone::Bad => "31",
            Tone::Doubt => "33",
        }
    }
}

/// Columns a text takes on a terminal.
pub fn width(text: &str) -> usize {
    match escape::is_plain(text) {
        // A column each, and nearly every text is like that.
        true => text.len(),
        false => text.width(),
    }
}

/// What [`cut`] gives, of a text whose own width is known.
pub fn fitting(text: &str, width: usize, columns: usize) -> Cow<'_, str> {
    // As many columns as bytes: no marks among them.
    match width == text.len() && width <= columns {
        true => Cow::Borrowed(text),
        false => Cow::Owned(cut(text, columns)),
    }
}

/// Appends that many blanks.
pub fn blanks(mut count: usize, out: &mut String) {
    const BLANKS: &str = "                                ";
    while count > BLANKS.len() {
        out.push_str(BLANKS);
        count -= BLANKS.len();
    }
    out.push_str(&BLANKS[..count]);
}

/// The text, at most that many columns of it, with `…` where there was more. Marks that take no
/// column count as well, four to a column, so that they cannot pile up without end.
pub fn cut(text: &str, columns: usize) -> String {
    let most = columns.saturating_mul(4);
    if width(text) <= columns && text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut taken = 1;
    for c in text.chars().take(most) {
        taken += c.width().unwrap_or(0);
        if taken > columns {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// A name of unknown making: hidden characters shown, long ones cut, and those that hold white
/// space or nothing at all quoted, so that one name cannot pass for two cells.
pub fn name(text: &str) -> String {
    if text.len() <= NAME && !text.is_empty() && text.bytes().all(is_of_word) {
        // As nearly every name is: nothing below changes it.
        return text.to_owned();
    }
    let shown = cut(&tamed(&escape::visible(text)), NAME);
    if shown.is_empty() || shown.contains(char::is_whitespace) {
        format!("\"{}\"", shown.replace('"', "\\\""))
    } else {
        shown
    }
}

/// Whether a byte is a character that needs no look at what stands around it.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
}

/// A sentence that may hold untrusted text: hidden characters shown, cut where it is endless.
pub fn prose(text: &str) -> String {
    cut(&tamed(&escape::visible(text)), PROSE)
}

/// The text in lines of at most that many columns, broken at spaces where it can be; `first` leads
/// the first line, blanks of the same width the others. Without a width it is one line.
pub fn wrapped(first: &str, text: &str, columns: Option<usize>) -> Vec<String> {
    hanging(first, width(first), text, columns)
}

/// As [`wrapped`], with that many blanks before the lines after the first.
pub fn hanging(first: &str, indent: usize, text: &str, columns: Option<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let lead = if lines.is_empty() {
            first.to_owned()
        } else {
            " ".repeat(indent)
        };
        let room = columns.map_or(usize::MAX, |c| c.saturating_sub(width(&lead)).max(20));
        let (line, after) = break_line(rest, room);
        // Within a word this says nothing to a build server; where a line begins it does.
        let line = match line.starts_with("::") {
            true => Cow::Owned(tamed(line)),
            false => Cow::Borrowed(line),
        };
        lines.push(format!("{lead}{line}").trim_end().to_owned());
        rest = after;
        if rest.is_empty() {
            return lines;
        }
    }
}

/// Splits off what fits into `room` columns; at least one character, so that it ends.
fn break_line(text: &str, room: usize) -> (&str, &str) {
    if width(text) <= room {
        return (text, "");
    }
    let mut taken = 0;
    let mut space = None;
    for (at, c) in text.char_indices() {
        taken += c.width().unwrap_or(0);
        if c == ' ' && at > 0 {
            space = Some(at);
        }
        if taken > room && at > 0 {
            let at = space.unwrap_or(at);
            return (&text[..at], text[at..].trim_start());
        }
    }
    (text, "")
}

/// The text in its tone, where colours are wanted. The codes are written here rather than by a
/// terminal library, which would ask the environment whether to.
pub fn paint(text: &str, tone: Tone, color: bool) -> String {
    let mut out = String::new();
    painted(text, tone, color, &mut out);
    out
}

/// Appends what [`paint`] gives.
pub fn painted(text: &str, tone: Tone, color: bool, out: &mut String) {
    if !color || tone == Tone::Plain {
        return out.push_str(text);
    }
    for part in ["\u{1b}[", tone.code(), "m", text, "\u{1b}[0m"] {
        out.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_goes_by_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
    }

    #[test]
    fn names_are_one_word_or_quoted() {
        assert_eq!(name("send_email"), "send_email");
        assert_eq!(name("a  allow"), "\"a  allow\"");
        assert_eq!(name(""), "\"\"");
        assert_eq!(name("a\n b\""), "\"a\\u{a} b\\\"\"");
        assert_eq!(width(&name(&"x".repeat(200))), 60);
    }

    /// Nothing is gone about otherwise because it is plain.
    #[test]
    fn plain_texts_are_as_all_others() {
        let long = "x".repeat(61);
        for text in [
            "",
            "a",
            "a-b_c.d/e",
            " a ",
            "~!",
            "日本",
            "a\u{301}",
            "é",
            "a#b",
            &long,
        ] {
            assert_eq!(width(text), text.width());
            for columns in [0, 1, 2, 3, 60, 61] {
                assert_eq!(fitting(text, width(text), columns), cut(text, columns));
            }
            let shown = cut(&tamed(&escape::visible(text)), NAME);
            assert_eq!(name(text).trim_matches('"'), shown);
        }
        for count in [0, 1, 32, 33, 64, 100] {
            let mut out = String::new();
            blanks(count, &mut out);
            assert_eq!(out, " ".repeat(count));
        }
    }

    #[test]
    fn marks_without_width_do_not_pile_up() {
        let text = format!("a{}", "\u{301}".repeat(10_000));
        assert!(cut(&text, 60).chars().count() <= 241);
    }

    #[test]
    fn build_servers_see_no_command() {
        for (text, shown) in [
            ("::error::x", ":\\u{3a}error::x"),
            ("a ::group x", "a :\\u{3a}group x"),
            ("##vso[task.complete]", "#\\u{23}vso[task.complete]"),
            ("x##[error]y", "x#\\u{23}[error]y"),
            ("###[x", "##\\u{23}[x"),
            ("a::b # c ## d: e", "a::b # c ## d: e"),
        ] {
            assert_eq!(tamed(text), shown);
        }
    }

    #[test]
    fn wrapping_hangs_under_the_text() {
        let text = "privacy would fall from 0.1 to -0.1";
        assert_eq!(wrapped("- ", text, None), [format!("- {text}")]);
        assert_eq!(
            wrapped("- ", text, Some(24)),
            ["- privacy would fall", "  from 0.1 to -0.1"]
        );
        assert_eq!(
            wrapped("", &"x".repeat(45), Some(20)),
            ["x".repeat(20), "x".repeat(20), "x".repeat(5)]
        );
        assert_eq!(wrapped("  ", "", Some(20)), [""]);
        assert_eq!(
            wrapped("  ", &format!("{}::error::x", "x".repeat(20)), Some(22)),
            [&*format!("  {}", "x".repeat(20)), "  :\\u{3a}error::x"]
        );
    }
}
