//! How much memory a regex compiles to at most, read off its syntax.
//!
//! Compiling takes a hundred times longer than parsing. Where the bound is within the limit, the regex
//! is known to compile without compiling it. The limit is on the machine of states that everything else
//! is made of, forward and backward, and what is counted here is what the library counts of it.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};
use regex_syntax::utf8::Utf8Sequences;

/// Bytes of a state.
const STATE: usize = 32;
/// Bytes of a transition that a state of several has.
const TRANSITION: usize = 8;
/// States around every pattern: what leads up to a match, what notes its ends, what accepts it.
const AROUND: usize = 16;

/// Most bytes that the states of a regex take.
pub(super) fn bound(hir: &Hir) -> usize {
    of(hir).saturating_add(AROUND * STATE)
}

fn of(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => STATE,
        HirKind::Literal(literal) => literal.0.len() * STATE,
        HirKind::Class(Class::Bytes(class)) => 2 * STATE + class.ranges().len() * TRANSITION,
        HirKind::Class(Class::Unicode(class)) => of_class(class),
        HirKind::Capture(capture) => of(&capture.sub).saturating_add(2 * STATE),
        HirKind::Concat(parts) => all(parts, 0),
        // Each part has a transition; literals may share a tree, whose nodes take up to four states.
        HirKind::Alternation(parts) => match parts.iter().all(is_literal) {
            true => all(parts, 2 * STATE).saturating_mul(4),
            false => all(parts, TRANSITION).saturating_add(2 * STATE),
        },
        HirKind::Repetition(repetition) => {
            // The part as often as it is written out, each time with a fork that skips it.
            let least = repetition.min.saturating_add(1);
            let times = repetition.max.unwrap_or(least).max(least) as usize;
            let once = of(&repetition.sub).saturating_add(STATE + 2 * TRANSITION);
            once.saturating_mul(times).saturating_add(4 * STATE)
        }
    }
}

fn is_literal(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Literal(_))
}

fn all(parts: &[Hir], beside: usize) -> usize {
    let parts = parts.iter().map(|part| of(part).saturating_add(beside));
    parts.fold(STATE, usize::saturating_add)
}

/// A class as all byte sequences of its characters, each with states of its own. In truth they share
/// many of them.
fn of_class(class: &ClassUnicode) -> usize {
    if class.is_ascii() {
        return 2 * STATE + class.ranges().len() * TRANSITION;
    }
    let ranges = class.iter();
    let sequences = ranges.flat_map(|range| Utf8Sequences::new(range.start(), range.end()));
    let each = sequences.map(|sequence| sequence.len() * (STATE + TRANSITION) + TRANSITION);
    each.sum::<usize>() + 4 * STATE
}

#[cfg(test)]
mod tests {
    use super::super::literals::tests::pattern;
    use super::*;
    use crate::testing::Random;
    use regex::RegexBuilder;

    /// Given just the memory that the bound says, every regex compiles.
    #[test]
    fn nothing_takes_more_than_the_bound() {
        let fixed = [
            "a",
            r"\w",
            r"\w+",
            r"\pL{1,20}",
            ".",
            r"(?s).{40}",
            r"\W{3,}",
            "(?i)straße|K{2}",
            "(a|b|cd|ce|cfg){3}",
            "((a)(b)?)*",
            "",
            "(?:|a)",
            r"[^\x00-\x{10FFFF}]",
            "abc|abd|x|xyz|",
            r"\b{start}x$",
            "(?:a?){30}",
            "(?-u:[a-z])",
            "(a*)*b+?",
            "é{0,0}",
            "[é-ü]",
        ];
        let mut random = Random::new(11);
        let made: Vec<_> = (0..800).map(|_| pattern(&mut random, 3)).collect();
        for source in fixed.into_iter().chain(made.iter().map(String::as_str)) {
            let Ok(hir) = regex_syntax::parse(source) else {
                continue;
            };
            let mut builder = RegexBuilder::new(source);
            let built = builder.size_limit(bound(&hir)).build();
            assert!(built.is_ok(), "{source} takes more than {}", bound(&hir));
        }
    }
}
