//! Values whose name says that they are secret, inside a text: `password: x`, `API_KEY=x`,
//! `\"token\": \"x\"`, `Cookie: a=b; c=d`, `<secret>x</secret>`.

use super::names;
use super::quotes::Quote;
use regex::Regex;
use std::ops::Range;

/// A name and what assigns to it. Two words are one name where the first of them needs the second.
const ASSIGNMENT: &str = r#"(?x)
    (?<name> (?:(?-u:\b)(?i:api|access|account|private|secret|signing|encryption|shared|master|auth)\x20)? [A-Za-z0-9_.-]+ )
    [\x20\t\r\n]* \\* ["'`]? \]? [\x20\t\r\n]* (?: => | := | = | : ) [\x20\t\r\n]*
"#;

/// An element with text.
const ELEMENT: &str = r"<(?<name>[A-Za-z0-9_:.-]+)(?:[ \t\r\n][^<>]*)?>(?<s>[^<]+)</";

/// Words after which a header's credentials follow.
const SCHEMES: &[&str] = &[
    "basic",
    "bearer",
    "token",
    "digest",
    "negotiate",
    "apikey",
    "hawk",
    "aws4-hmac-sha256",
];

/// Values that say that there is none.
const NOTHING: &[&str] = &["null", "none", "nil", "true", "false", "undefined"];

/// The patterns, compiled.
#[derive(Debug)]
pub struct Assigned {
    assignment: Option<Regex>,
    element: Option<Regex>,
}

impl Assigned {
    /// Compiles the patterns.
    pub fn new() -> Self {
        Assigned {
            assignment: Regex::new(ASSIGNMENT).ok(),
            element: Regex::new(ELEMENT).ok(),
        }
    }

    /// Adds where in the text such values are.
    pub fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let mut at = 0;
        while let Some(regex) = &self.assignment
            && let Some(captures) = regex.captures_at(text, at)
            && let (Some(all), Some(name)) = (captures.get(0), captures.name("name"))
        {
            at = all.end();
            if names::is_secret(name.as_str())
                && let Some(value) = value(text, at, names::is_header(name.as_str()))
            {
                at = value.end.max(at);
                found.push(value);
            }
        }
        if !text.contains("</") {
            return;
        }
        for captures in self.element.iter().flat_map(|r| r.captures_iter(text)) {
            let named = captures.name("name").map_or("", |name| name.as_str());
            if names::is_secret(named) {
                found.extend(captures.name("s").map(|value| value.range()));
            }
        }
    }
}

/// Whether a value says that there is none.
pub fn is_nothing(value: &str) -> bool {
    value.is_empty() || NOTHING.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// The value that begins there; absent where there is none.
fn value(text: &str, at: usize, header: bool) -> Option<Range<usize>> {
    if let Some(quote) = Quote::at(text, at) {
        let (piece, end) = quote.piece(text);
        let sign = text.get(quote.begins() - 1..quote.begins())?;
        if piece.is_empty() && text.get(end..)?.starts_with(sign) {
            // Three quotes: up to the next three.
            let begin = end + 1;
            let rest = text.get(begin..)?;
            let length = rest.find(&sign.repeat(3)).unwrap_or(rest.len());
            return Some(begin..begin + length);
        }
        return (!is_nothing(text.get(piece.clone())?)).then_some(piece);
    }
    let rest = text.get(at..)?;
    let until = |end: char| rest.find(end).map_or(rest.len(), |length| length + 1);
    match rest.chars().next()? {
        '[' => return Some(at..at + until(']')),
        '{' => return Some(at..at + until('}')),
        _ => {}
    }
    let bare = text.get(at..bare(text, at))?;
    if header {
        // The line is looked at only where it is taken as a whole: there may be many on one.
        let is_scheme = SCHEMES.iter().any(|s| bare.eq_ignore_ascii_case(s));
        if is_scheme {
            let line = line(rest);
            let gap = line.get(bare.len()..)?;
            let skipped = bare.len() + gap.len() - gap.trim_start().len();
            return (skipped < line.len()).then_some(at + skipped..at + line.len());
        }
        if bare.contains('=') {
            return Some(at..at + line(rest).len());
        }
    }
    (!is_nothing(bare)).then_some(at..at + bare.len())
}

/// What is left of a header's line.
fn line(rest: &str) -> &str {
    let ends = |c: char| matches!(c, '\n' | '\r' | '"' | '\'' | '`' | '\\');
    let line = rest.find(ends).and_then(|end| rest.get(..end));
    line.unwrap_or(rest).trim_end()
}

/// Where a value without quotes ends. A comma or a closing bracket ends it if nothing follows that
/// could belong to it.
fn bare(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    while let Some(&b) = bytes.get(end) {
        let next = bytes.get(end + 1).copied().unwrap_or(b' ');
        let free = next.is_ascii_whitespace() || matches!(next, b'"' | b'\'' | b'`' | b'\\');
        let ends = match b {
            b'"' | b'\'' | b'`' | b'&' | b';' | b'<' | b'>' => true,
            b',' | b'}' | b']' | b')' => free || matches!(next, b',' | b'}' | b']' | b')'),
            b'\\' => matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'\\'),
            b => b.is_ascii_whitespace(),
        };
        if ends {
            break;
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        let patterns = Assigned::new();
        assert!(patterns.assignment.is_some() && patterns.element.is_some());
    }
}
