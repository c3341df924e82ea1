//! XML 1.0 as far as these reports need it. What XML cannot hold and what a reader cannot see stands as
//! an escape, so that nothing is lost without a trace.

use crate::escape;
use std::fmt::Write;

/// Appends ` name="value"`.
pub fn attribute(name: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    escaped(value, false, out);
    out.push(b'"');
}

/// Appends text between tags, line ends as they are.
pub fn text(text: &str, out: &mut Vec<u8>) {
    escaped(text, true, out);
}

fn escaped(text: &str, lines: bool, out: &mut Vec<u8>) {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            // Everywhere, so that `]]>` stands nowhere.
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&apos;"),
            '\n' if lines => shown.push('\n'),
            c if escape::is_hidden(c) => {
                // Writing to a string does not fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    out.extend_from_slice(shown.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str) -> (String, String) {
        let (mut inside, mut between) = (Vec::new(), Vec::new());
        attribute("a", value, &mut inside);
        text(value, &mut between);
        let string = |bytes| String::from_utf8(bytes).unwrap();
        (string(inside), string(between))
    }

    #[test]
    fn markup_is_escaped() {
        let (inside, between) = shown("<a b='c'>&\"]]>");
        assert_eq!(between, "&lt;a b=&apos;c&apos;&gt;&amp;&quot;]]&gt;");
        assert_eq!(inside, format!(" a=\"{between}\""));
    }

    #[test]
    fn lines_stay_between_tags_alone() {
        let (inside, between) = shown("a\r\n\tb");
        assert_eq!(inside, " a=\"a\\u{d}\\u{a}\\u{9}b\"");
        assert_eq!(between, "a\\u{d}\n\\u{9}b");
    }

    /// Of all characters only those come out that XML 1.0 has.
    #[test]
    fn nothing_comes_out_that_xml_has_not() {
        let legal = |c: char| matches!(c, '\n' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let (inside, between) = shown(&c.to_string());
            assert!(inside.chars().chain(between.chars()).all(legal), "{c:?}");
        }
    }
}
