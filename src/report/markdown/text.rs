//! Text of unknown making in Markdown: in a code span, where nothing is a mention, a link, an image or HTML.

use crate::escape::visible;
use crate::report::table::text::cut;

/// The text as a code span, at most that many columns of it, hidden characters shown.
pub fn code(text: &str, columns: usize) -> String {
    span(&cut(&visible(text), columns))
}

/// The same in a cell of a table.
pub fn cell(text: &str, columns: usize) -> String {
    let shown = cut(&visible(text), columns);
    let mut out = String::with_capacity(shown.len() + 8);
    for c in shown.chars() {
        match c {
            // A backslash before it would be taken for the one that escapes it.
            '|' if out.ends_with('\\') => out.push_str("\\u{7c}"),
            '|' => out.push_str("\\|"),
            c => out.push(c),
        }
    }
    span(&out)
}

/// A code span; a text without ink is told in words or quoted.
fn span(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    if text.trim().is_empty() {
        return format!("`\"{text}\"`");
    }
    let fence = "`".repeat(longest(text) + 1);
    // One blank on either side is taken away again.
    let blanks = text.starts_with(' ') && text.ends_with(' ');
    let pad = if text.starts_with('`') || text.ends_with('`') || blanks {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The text as a block of its own, whole, hidden characters shown.
pub fn block(text: &str) -> String {
    let shown = visible(text);
    let fence = "`".repeat(longest(&shown).max(2) + 1);
    format!("{fence}text\n{shown}\n{fence}")
}

/// The most backticks that stand together.
fn longest(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// The text of a code span that begins the line and is all of it, read as CommonMark reads it.
    fn read(span: &str) -> Option<String> {
        let ticks = span.chars().take_while(|&c| c == '`').count();
        let inner = span.get(ticks..span.len().checked_sub(ticks)?)?;
        let runs = inner.split(|c| c != '`').map(str::len);
        let closed = runs.into_iter().any(|run| run == ticks);
        let ends = span.chars().rev().take_while(|&c| c == '`').count();
        if ticks == 0 || closed || ends != ticks {
            return None;
        }
        let padded = inner.starts_with(' ') && inner.ends_with(' ') && !inner.trim().is_empty();
        Some(if padded {
            inner[1..inner.len() - 1].to_owned()
        } else {
            inner.to_owned()
        })
    }

    #[test]
    fn nothing_leaves_a_code_span() {
        let mut random = Random::new(11);
        let signs = ['`', '|', '\\', ' ', '<', 'a', '@', '['];
        for _ in 0..50_000 {
            let text: String = (0..1 + random.below(8))
                .map(|_| *random.pick(&signs))
                .collect();
            let shown = read(&code(&text, 80)).expect("a code span");
            let blank = text.trim().is_empty();
            assert!(
                shown == text || blank && shown == format!("\"{text}\""),
                "{text:?}"
            );
            // Cells are parted at pipes before spans are read; a backslash escapes what is behind it.
            let mut escaped = false;
            for c in cell(&text, 80).chars() {
                assert!(escaped || c != '|', "{text:?}");
                escaped = c == '\\' && !escaped;
            }
            let mut before = ' ';
            for c in cell(&text, 80).chars() {
                assert!(before == '\\' || c != '|', "{text:?}");
                before = c;
            }
        }
    }

    #[test]
    fn blocks_hold_their_text() {
        assert_eq!(block("a\nb"), "```text\na\\u{a}b\n```");
        assert!(block("````").starts_with("`````text\n"));
        assert_eq!(
            (code("", 9), code("  ", 9)),
            ("(empty)".to_owned(), "`\"  \"`".to_owned())
        );
    }
}
