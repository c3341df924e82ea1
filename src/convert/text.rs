//! Texts and values inside a line: on one line, in UTF-8, with every hidden character as an escape,
//! so that a trace can be looked at in a terminal. They read back the same.

use crate::escape;
use crate::trace::event::RawJson;
use crate::trace::json;

/// Appends a text as a JSON string.
pub fn string(text: &str, out: &mut String) {
    let start = out.len();
    json::write_string(text, out);
    if !escape::is_plain(&out[start..]) {
        let written = out.split_off(start);
        written.chars().for_each(|c| push(c, out));
    }
}

/// Appends a value as it was written, line ends as blanks. Bytes that are not UTF-8 are written as
/// what they are read as, U+FFFD.
pub fn as_written(value: &RawJson<'_>, out: &mut String) {
    let text = String::from_utf8_lossy(value.bytes());
    if escape::is_plain(&text) {
        return out.push_str(&text);
    }
    for c in text.chars() {
        match c {
            // These stand between the parts: inside a text they are escaped.
            '\n' | '\r' => out.push(' '),
            '\t' => out.push('\t'),
            c => push(c, out),
        }
    }
}

/// Appends a value without white space between its parts and tells how deep it nests; what is no
/// array or object has no depth.
pub fn compact(value: &RawJson<'_>, out: &mut String) -> usize {
    let text = String::from_utf8_lossy(value.bytes());
    let (mut depth, mut deepest) = (0usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            '"' if !escaped => quoted = !quoted,
            '{' | '[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            '}' | ']' if !quoted => depth = depth.saturating_sub(1),
            ' ' | '\t' | '\n' | '\r' if !quoted => continue,
            _ => {}
        }
        escaped = quoted && c == '\\' && !escaped;
        push(c, out);
    }
    deepest
}

/// Appends a character, as an escape if it is hidden.
fn push(c: char, out: &mut String) {
    if !escape::is_hidden(c) {
        return out.push(c);
    }
    for unit in c.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_inside_of_texts_is_text() {
        let raw = RawJson::from_text("{ \"a b\" :\n[1,\t\" \\\" [ \"] }").expect("valid");
        let mut out = String::new();
        assert_eq!(compact(&raw, &mut out), 2);
        assert_eq!(out, "{\"a b\":[1,\" \\\" [ \"]}");
        out.clear();
        as_written(&raw, &mut out);
        assert_eq!(out, "{ \"a b\" : [1,\t\" \\\" [ \"] }");
        let raw = RawJson::from_text("\"\\\\\"").expect("valid");
        out.clear();
        assert_eq!((compact(&raw, &mut out), &*out), (0, "\"\\\\\""));
    }

    #[test]
    fn texts_read_back_the_same() {
        for text in [
            "",
            "a\"\\\n\t\u{1}",
            "é\u{202e}\u{feff}\u{e0041}🙂\u{fffd}\u{7f}",
        ] {
            let mut out = String::new();
            string(text, &mut out);
            assert!(!out.chars().any(escape::is_hidden), "{out}");
            assert_eq!(json::decode(out.as_bytes()).text, text);
        }
    }
}
