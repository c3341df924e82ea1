//! Rules of a policy that can decide nothing, hide behind others, or contradict each other.
//!
//! Each file looks at one kind of rule. What is said has to hold for every recording there may be,
//! but for labels that recordings bring of their own: a recording may call anything anything.

mod agents;
mod barriers;
mod budgets;
mod contracts;
mod labels;
mod lists;
mod stages;

use super::codes::{Code, Finding, Findings};
use super::dead::Dead;
use super::row::BarrierRow;
use super::tools::Tools;
use crate::policy::Policy;

/// Most rules of a kind that are compared with each other, and most globs of a list.
const MOST: usize = 2_000;

/// Everything that is found.
pub(super) fn found(
    policy: &Policy,
    tools: &Tools,
    rows: &[BarrierRow],
    dead: &[Dead],
) -> Vec<Finding> {
    let mut findings = Findings::default();
    for reason in dead.iter().filter(|reason| !reason.told) {
        let message = format!("every call is refused: {}", reason.why);
        findings.add(Code::RefusesEveryCall, reason.place, message, reason.help);
    }
    stages::look(policy, &mut findings);
    lists::look(policy, tools, &mut findings);
    labels::look(policy, tools, &mut findings);
    agents::look(policy, tools, &mut findings);
    budgets::look(policy, &mut findings);
    contracts::look(policy, tools, &mut findings);
    barriers::look(policy, rows, dead, &mut findings);
    findings.into_list()
}

/// An expression without the white space that stands outside of its strings, so that two ways of
/// writing the same are the same. Words that only white space keeps apart stay apart.
fn plain(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut quote = None;
    let mut escaped = false;
    let mut blank = false;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for c in source.chars() {
        if let Some(q) = quote {
            out.push(c);
            if !escaped && c == q {
                quote = None;
            }
            escaped = !escaped && c == '\\';
            continue;
        }
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if blank && is_word(c) && out.chars().next_back().is_some_and(is_word) {
            out.push(' ');
        }
        blank = false;
        if matches!(c, '"' | '\'') {
            quote = Some(c);
        }
        out.push(c);
    }
    out
}

/// Whether one of two plain expressions is the other one with `!` in front.
fn negates(a: &str, b: &str) -> bool {
    let of = |not: &str, is: &str| {
        not.strip_prefix('!').is_some_and(|inner| {
            let bare = inner.strip_prefix('(').and_then(|i| i.strip_suffix(')'));
            (inner == is && is_primary(is)) || bare == Some(is) && is_primary(inner)
        })
    };
    of(a, b) || of(b, a)
}

/// Whether an expression without white space is one name, call or selection, to which a `!` in front
/// of it belongs as a whole: outside of brackets there are only letters, digits, dots and `_`. What
/// holds quotes that are not plain is none.
fn is_primary(text: &str) -> bool {
    let mut depth = 0usize;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (_, '\\') => return false,
            (Some(q), c) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if depth > 0 => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            (None, c) if depth == 0 && !(c.is_alphanumeric() || c == '_' || c == '.') => {
                return false;
            }
            _ => {}
        }
    }
    depth == 0 && quote.is_none() && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_makes_no_other_expression() {
        for (source, expected) in [
            (" a  ==  b ", "a==b"),
            ("x in [ 1, 2 ]", "x in[1,2]"),
            ("a == \"b  c\"", "a==\"b  c\""),
            (r#"a == "\" b" && c"#, r#"a=="\" b"&&c"#),
        ] {
            assert_eq!(plain(source), expected);
        }
    }

    /// `!a == b` is not the negation of `a == b`: the sign binds to `a` alone.
    #[test]
    fn a_negation_is_of_the_whole() {
        for (a, b, is) in [
            ("!seen(\"x\")", "seen(\"x\")", true),
            ("seen(\"x\")", "!seen(\"x\")", true),
            ("!(a==b)", "a==b", true),
            ("!a==b", "a==b", false),
            (
                "!a.b.exists(h,h==\"c d\")",
                "a.b.exists(h,h==\"c d\")",
                true,
            ),
            ("!(a)||(b)", "a)||(b", false),
            ("!a", "b", false),
            ("!!a", "!a", false),
        ] {
            assert_eq!(negates(a, b), is, "{a} {b}");
        }
    }
}
