//! What can be said for certain of two globs: that one matches whatever the other does, or that no
//! name matches both. What is not certain is not said.

use crate::policy::Policy;
use crate::policy::glob::{Globs, is_name};
use crate::policy::matcher::{MatcherId, Scope};

/// A glob, ready to be compared.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
    /// Compiled; absent for a plain name.
    glob: Option<Globs>,
    /// What everything that it matches begins with.
    prefix: String,
    /// What everything that it matches ends with.
    suffix: String,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Pattern {
        let signs = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\');
        let glob = (!is_name(text)).then(|| Globs::new(&[text]).unwrap_or_default());
        let prefix = text.split(signs).next().unwrap_or_default();
        let suffix = text.rsplit(signs).next().unwrap_or_default();
        Pattern {
            prefix: prefix.to_owned(),
            suffix: suffix.to_owned(),
            text: text.to_owned(),
            glob,
        }
    }

    /// Whether it means itself alone.
    pub(super) fn is_name(&self) -> bool {
        self.glob.is_none()
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        match &self.glob {
            Some(glob) => glob.is_match(name),
            None => self.text == name,
        }
    }

    /// Whether it certainly matches whatever the other one does.
    pub(super) fn covers(&self, other: &Pattern) -> bool {
        if self.text == other.text || self.is_everything() {
            return true;
        }
        if other.is_name() {
            return self.matches(&other.text);
        }
        let plain = |text: &str| is_name(text);
        match (self.text.strip_suffix('*'), self.text.strip_prefix('*')) {
            (Some(head), _) if plain(head) => other.prefix.starts_with(head),
            (_, Some(tail)) if plain(tail) => other.suffix.ends_with(tail),
            _ => false,
        }
    }

    /// Whether it certainly matches nothing that the other one does.
    pub(super) fn is_apart(&self, other: &Pattern) -> bool {
        match (self.is_name(), other.is_name()) {
            (true, _) => !other.matches(&self.text),
            (_, true) => !self.matches(&other.text),
            (false, false) => {
                let (a, b) = (self, other);
                let heads = a.prefix.starts_with(&b.prefix) || b.prefix.starts_with(&a.prefix);
                let tails = a.suffix.ends_with(&b.suffix) || b.suffix.ends_with(&a.suffix);
                !heads || !tails
            }
        }
    }

    fn is_everything(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| c == '*')
    }
}

/// A list of globs.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) patterns: Vec<Pattern>,
    /// What they are compared with.
    pub(super) scope: Scope,
}

impl List {
    pub(super) fn of(policy: &Policy, id: MatcherId) -> List {
        let matcher = policy.matchers.get(id);
        List {
            patterns: matcher.patterns.iter().map(|p| Pattern::new(p)).collect(),
            scope: matcher.scope,
        }
    }

    /// Whether it certainly matches whatever that pattern does.
    pub(super) fn covers(&self, pattern: &Pattern) -> bool {
        self.patterns.iter().any(|own| own.covers(pattern))
    }

    /// Whether it certainly matches whatever the other list does. What matches by a label need not
    /// match by its tool.
    pub(super) fn covers_list(&self, other: &List) -> bool {
        let labels = self.scope == Scope::Names
            || other.scope == Scope::Tool
            || self.patterns.iter().any(Pattern::is_everything);
        labels && other.patterns.iter().all(|pattern| self.covers(pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both answers are checked against names: what is said has to be true of each of them.
    #[test]
    fn what_is_said_of_two_globs_is_true_of_names() {
        let globs = [
            "*", "a", "ab", "a*", "*b", "a*b", "?", "a?", "[ab]", "[!a]*", "{a,b}c", "a{b,c}",
            "x*", "*x", r"\*", r"a\*", "a,b", "ab*", "*ab", "**", "a[b]", "{a,}b",
        ];
        let letters = ["", "a", "b", "c", "x", "*", ","];
        let mut names: Vec<String> = Vec::new();
        for a in letters {
            for b in letters {
                for c in letters {
                    names.push(format!("{a}{b}{c}"));
                }
            }
        }
        let (mut covered, mut apart) = (0, 0);
        for a in globs.map(Pattern::new) {
            for b in globs.map(Pattern::new) {
                if a.covers(&b) {
                    covered += 1;
                    let wrong = names.iter().find(|n| b.matches(n) && !a.matches(n));
                    assert_eq!(wrong, None, "{} covers {}", a.text, b.text);
                }
                assert_eq!(a.is_apart(&b), b.is_apart(&a), "{} {}", a.text, b.text);
                if a.is_apart(&b) {
                    apart += 1;
                    let wrong = names.iter().find(|n| b.matches(n) && a.matches(n));
                    assert_eq!(wrong, None, "{} apart from {}", a.text, b.text);
                }
            }
        }
        assert!(covered > 60 && apart > 100, "{covered} {apart}");
    }

    #[test]
    fn the_common_cases_are_seen() {
        for (a, b) in [("*", "mcp__*"), ("mcp__*", "mcp__mail__*"), ("*_x", "a_x")] {
            assert!(Pattern::new(a).covers(&Pattern::new(b)), "{a} {b}");
            assert!(!Pattern::new(b).covers(&Pattern::new(a)), "{b} {a}");
        }
        assert!(Pattern::new("mcp__*").is_apart(&Pattern::new("Web*")));
        assert!(Pattern::new("*_read").is_apart(&Pattern::new("*_write")));
        assert!(!Pattern::new("a*").is_apart(&Pattern::new("*b")));
    }
}
