//! Regexes of a policy: the limits they are compiled under, and where a bad one goes wrong.
//!
//! A policy has hundreds of them, and a replay asks few. So reading a policy tells whether each can be
//! used (`size`), and compiles it only where that is not certain; the others are compiled when a text
//! is first held against them. [`screen`] tells which of many have to be tried on a text at all.

pub mod literals;
pub mod screen;
mod size;

use literals::Set;
use memchr::memmem;
use regex::{Regex, RegexBuilder};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Most memory that one compiled regex may take, in bytes.
pub const SIZE_LIMIT: usize = 1 << 20;

/// Why a regex cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Byte offset in the pattern; 0 where it is about the whole.
    pub offset: usize,
    /// Plain words.
    pub message: String,
}

/// A regex that can be used, compiled when a text is first held against it. Copies share what is
/// compiled.
#[derive(Clone, Debug)]
pub struct Pattern(Arc<Lazy>);

#[derive(Debug)]
struct Lazy {
    source: String,
    literals: OnceLock<Option<Set>>,
    /// Texts that were told by their literals alone.
    spared: AtomicU32,
    compiled: OnceLock<Option<Regex>>,
}

/// Longest text, in bytes, that is looked at for literals before a regex is compiled.
const SHORT: usize = 256;
/// Texts that are, at most: compiling pays for whoever is asked more often.
const SPARED: u32 = 16;

impl Pattern {
    /// Reads a regex.
    ///
    /// # Errors
    /// As of [`compile`].
    pub fn read(source: &str) -> Result<Pattern, PatternError> {
        let compiled = OnceLock::new();
        // What does not parse does not compile either; that it is empty stands before all.
        let Some(hir) = regex_syntax::parse(source)
            .ok()
            .filter(|_| !source.is_empty())
        else {
            return Err(compile(source).err().unwrap_or_else(|| unread(source)));
        };
        if size::bound(&hir) > SIZE_LIMIT {
            let _ = compiled.set(Some(compile(source)?));
        }
        Ok(Pattern::of(source, compiled))
    }

    /// A regex that is known to be one: nothing is done before a text is held against it.
    ///
    /// # Errors
    /// None; it is read as by [`Pattern::read`].
    pub fn vouched(source: &str) -> Result<Pattern, PatternError> {
        Ok(Pattern::of(source, OnceLock::new()))
    }

    fn of(source: &str, compiled: OnceLock<Option<Regex>>) -> Pattern {
        Pattern(Arc::new(Lazy {
            source: source.to_owned(),
            literals: OnceLock::new(),
            spared: AtomicU32::new(0),
            compiled,
        }))
    }

    /// Literals of which every match holds one; absent if there are none worth looking for.
    pub fn literals(&self) -> Option<&Set> {
        let read = || literals::required(&regex_syntax::parse(&self.0.source).ok()?);
        self.0.literals.get_or_init(read).as_ref()
    }

    /// Whether it matches anywhere in a text, in time linear in the text; absent if it cannot be
    /// compiled, which reading it ruled out.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        let compiled = match self.0.compiled.get() {
            Some(compiled) => compiled,
            None if self.is_told(text) => return Some(false),
            None => (self.0.compiled).get_or_init(|| compile(&self.0.source).ok()),
        };
        Some(compiled.as_ref()?.is_match(text))
    }

    /// Whether a text is told not to match by what it lacks, so that nothing need be compiled. Names of
    /// tools are held against regexes of which most never match.
    fn is_told(&self, text: &str) -> bool {
        if text.len() > SHORT || self.0.spared.fetch_add(1, Ordering::Relaxed) >= SPARED {
            return false;
        }
        let Some(literals) = self.literals() else {
            return false;
        };
        let text = text.to_ascii_lowercase();
        let lacks = |literal: &Vec<u8>| memmem::find(text.as_bytes(), literal).is_none();
        literals.iter().all(lacks)
    }

    /// The regex as written.
    pub fn as_str(&self) -> &str {
        &self.0.source
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.source)
    }
}

/// Compiles a regex. Matching takes time linear in the text, whatever the pattern.
///
/// # Errors
/// The pattern is empty (it would match everything), is no regex, or compiles to more than
/// [`SIZE_LIMIT`].
pub fn compile(pattern: &str) -> Result<Regex, PatternError> {
    if pattern.is_empty() {
        return Err(PatternError {
            offset: 0,
            message: "the regex is empty and would match every text".into(),
        });
    }
    RegexBuilder::new(pattern)
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|error| explain(pattern, &error))
}

/// A regex that one reader of its syntax takes and another does not.
fn unread(pattern: &str) -> PatternError {
    PatternError {
        offset: 0,
        message: format!("bad regex `{}`", shorten(pattern)),
    }
}
fn explain(pattern: &str, error: &regex::Error) -> PatternError {
    let (offset, detail) = match (regex_syntax::parse(pattern), error) {
        (Err(regex_syntax::Error::Parse(e)), _) => (e.span().start.offset, e.kind().to_string()),
        (Err(regex_syntax::Error::Translate(e)), _) => {
            (e.span().start.offset, e.kind().to_string())
        }
        (_, regex::Error::CompiledTooBig(limit)) => {
            (0, format!("compiles to more than {limit} bytes"))
        }
        // The last line of the library's text is its message, without the drawing above it.
        _ => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            (0, last.trim_start_matches("error: ").to_owned())
        }
    };
    PatternError {
        offset,
        message: format!("bad regex `{}`: {detail}", shorten(pattern)),
    }
}

/// The beginning of a text that is quoted in a message.
pub fn shorten(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_regexes_say_where_and_why() {
        for (pattern, offset, message) in [
            ("", 0, "the regex is empty and would match every text"),
            ("ab(foo", 2, "bad regex `ab(foo`: unclosed group"),
            (
                "x(?=y)",
                1,
                "bad regex `x(?=y)`: look-around, including look-ahead and look-behind, is not supported",
            ),
            (
                r"(a)\1",
                3,
                r"bad regex `(a)\1`: backreferences are not supported",
            ),
            (
                r"\pL{1000}",
                0,
                r"bad regex `\pL{1000}`: compiles to more than 1048576 bytes",
            ),
        ] {
            let error = compile(pattern).expect_err(pattern);
            assert_eq!((error.offset, error.message.as_str()), (offset, message));
            assert_eq!(Pattern::read(pattern).expect_err(pattern), error);
        }
    }

    #[test]
    fn deep_nesting_is_refused_quickly() {
        let bomb = "(".repeat(100_000) + &")".repeat(100_000);
        assert!(compile(&bomb).is_err());
    }
}
