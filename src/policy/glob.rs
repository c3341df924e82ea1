//! Globs of tool names, labels and resources: `*`, `?`, `[..]`, `{a,b}`, anchored, case-sensitive.
//!
//! They are compared character by character, not byte by byte, and know no path separators. A
//! pattern without any of these signs is compared as it is, one with stars alone part by part, which
//! needs no building; the others become one set of regexes.

use regex::{RegexSet, RegexSetBuilder};
use std::iter::Peekable;
use std::str::Chars;

/// Most memory that the globs of one list may take once they are compiled, in bytes.
const SIZE_LIMIT: usize = 8 << 20;

/// A list of globs that matches where any of them does.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    /// Sorted.
    names: Vec<String>,
    stars: Vec<Stars>,
    /// All others; absent where there are none, as building it takes a while.
    set: Option<RegexSet>,
}

impl Globs {
    /// Compiles a list.
    ///
    /// # Errors
    /// The index of the first pattern that is no glob, and why; plain words.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Globs, (usize, String)> {
        let (mut names, mut stars, mut regexes) = (Vec::new(), Vec::new(), Vec::new());
        for (i, pattern) in patterns.iter().enumerate() {
            match pattern.as_ref() {
                name if is_name(name) => names.push(name.to_owned()),
                glob => match Stars::of(glob) {
                    Some(own) => stars.push(own),
                    None => regexes.push(regex(glob).map_err(|e| (i, e))?),
                },
            }
        }
        names.sort_unstable();
        if regexes.is_empty() {
            return Ok(Globs {
                names,
                stars,
                set: None,
            });
        }
        let set = RegexSetBuilder::new(regexes).size_limit(SIZE_LIMIT).build();
        let set =
            set.map_err(|_| (0, "the globs of the list are too large together".to_owned()))?;
        Ok(Globs {
            names,
            stars,
            set: Some(set),
        })
    }

    /// Whether any of them matches the whole text.
    pub fn is_match(&self, text: &str) -> bool {
        self.names
            .binary_search_by(|name| name.as_str().cmp(text))
            .is_ok()
            || self.stars.iter().any(|stars| stars.is_match(text))
            || self.set.as_ref().is_some_and(|set| set.is_match(text))
    }
}

/// A glob that has stars, and no other sign.
#[derive(Clone, Debug)]
pub struct Stars {
    /// What stands before, between and behind the stars.
    parts: Vec<String>,
}

impl Stars {
    /// Takes a pattern apart; absent where it has other signs.
    pub fn of(pattern: &str) -> Option<Stars> {
        let others = pattern.contains(['?', '[', ']', '{', '}', '\\']);
        let parts = pattern.split('*').map(str::to_owned);
        (!others).then(|| Stars {
            parts: parts.collect(),
        })
    }

    /// Whether it matches the whole text: that begins with the first part, ends with the last, and has
    /// the others between, in order. Taking each as early as it comes leaves most to the rest.
    pub fn is_match(&self, text: &str) -> bool {
        let (first, between, last) = match self.parts.as_slice() {
            [one] => return one == text,
            [first, between @ .., last] => (first, between, last),
            [] => return false,
        };
        let inner = text.strip_prefix(first.as_str());
        let Some(mut rest) = inner.and_then(|rest| rest.strip_suffix(last.as_str())) else {
            return false;
        };
        for part in between {
            match rest.split_once(part.as_str()) {
                Some((_, behind)) => rest = behind,
                None => return false,
            }
        }
        true
    }
}

/// What everything that a pattern matches begins with, as far as that is written plainly.
pub fn head(pattern: &str) -> &str {
    let signs = ['*', '?', '[', ']', '{', '}', '\\'];
    pattern.split(signs).next().unwrap_or_default()
}

/// Whether a pattern means itself alone.
pub fn is_name(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// What a glob matches, as a tree; `None` if it is no glob.
pub fn hir(glob: &str) -> Option<regex_syntax::hir::Hir> {
    regex_syntax::parse(&regex(glob).ok()?).ok()
}

/// Checks one pattern.
///
/// # Errors
/// It is no glob; plain words.
pub fn check(pattern: &str) -> Result<(), String> {
    Globs::new(&[pattern]).map(|_| ()).map_err(|(_, why)| why)
}

fn regex(glob: &str) -> Result<String, String> {
    let mut out = String::from(r"(?s)\A(?:");
    let mut open = 0;
    let mut chars = glob.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            '[' => class(&mut chars, &mut out)?,
            '{' => {
                open += 1;
                out.push_str("(?:");
            }
            '}' if open == 0 => return Err("`}` closes no `{`".into()),
            '}' => {
                open -= 1;
                out.push(')');
            }
            ',' if open > 0 => out.push('|'),
            '\\' => {
                let escaped = chars.next().ok_or("`\\` escapes nothing at the end")?;
                literal(escaped, &mut out);
            }
            c => literal(c, &mut out),
        }
    }
    if open > 0 {
        return Err("`{` is not closed".into());
    }
    out.push_str(r")\z");
    Ok(out)
}

/// A class, its `[` taken: `]` right after it, or after `!` or `^`, means itself.
fn class(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    out.push('[');
    if chars.next_if(|c| matches!(c, '!' | '^')).is_some() {
        out.push('^');
    }
    let unclosed = || "`[` is not closed".to_owned();
    let mut first = true;
    loop {
        let low = match chars.next().ok_or_else(unclosed)? {
            ']' if !first => break,
            '\\' => chars.next().ok_or_else(unclosed)?,
            c => c,
        };
        first = false;
        literal(low, out);
        let mut ahead = chars.clone();
        if ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']') {
            chars.next();
            let high = match chars.next().ok_or_else(unclosed)? {
                '\\' => chars.next().ok_or_else(unclosed)?,
                c => c,
            };
            if high < low {
                return Err(format!("the range `{low}-{high}` runs backwards"));
            }
            out.push('-');
            literal(high, out);
        }
    }
    out.push(']');
    Ok(())
}

fn literal(c: char, out: &mut String) {
    out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_texts_character_by_character() {
        for (glob, yes, no) in [
            ("mcp__*__send", "mcp__mail__send", "xmcp__mail__send"),
            ("mcp__*", "mcp__a/b\nc", "MCP__a"),
            ("l?s", "lös", "ls"),
            ("l[oö]s", "lös", "lis"),
            ("[à-ÿ]", "é", "e"),
            ("[!o]", "ö", "o"),
            ("[]x]", "]", "["),
            ("[a-]", "-", "b"),
            ("{a,b{c,d}}e", "bde", "be"),
            ("a,b", "a,b", "a"),
            (r"\*", "*", "a"),
            ("[^.]", "a", "."),
            ("a.b", "a.b", "axb"),
            ("", "", "a"),
            ("x{,y}", "x", "xz"),
            ("aba*aba", "abaaba", "aba"),
            ("a*b*b*c", "abbc", "abc"),
            ("**ö**", "xö", "o"),
        ] {
            let globs = Globs::new(&[glob]).expect(glob);
            assert!(globs.is_match(yes), "{glob} {yes}");
            assert!(!globs.is_match(no), "{glob} {no}");
        }
    }

    #[test]
    fn what_is_no_glob_is_told() {
        for (glob, why) in [
            ("[z", "`[` is not closed"),
            ("[", "`[` is not closed"),
            ("[]", "`[` is not closed"),
            ("{a", "`{` is not closed"),
            ("a}", "`}` closes no `{`"),
            ("[z-a]", "the range `z-a` runs backwards"),
            ("a\\", "`\\` escapes nothing at the end"),
        ] {
            assert_eq!(check(glob), Err(why.to_owned()), "{glob}");
        }
        assert_eq!(Globs::new(&["ok", "[z"]).expect_err("").0, 1);
    }
}
