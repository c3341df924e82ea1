//! Patterns of tool names, and the names a call goes by.
//!
//! A call goes by its tool's name and its labels. The policy's patterns are numbered once; which of
//! them a set of names matches is worked out the first time the set is met and kept as bits, so a
//! stage only ever asks for a bit.

use super::glob::Globs;
use std::collections::HashMap;
use std::sync::Arc;

/// What a pattern is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The tool's name or any label: everywhere but in lists that allow.
    Names,
    /// The tool's name alone: lists that allow.
    Tool,
}

/// A list of glob patterns that matches when any of them does.
#[derive(Clone, Debug)]
pub struct Matcher {
    /// The patterns as written.
    pub patterns: Vec<String>,
    /// What they are compared with.
    pub scope: Scope,
    globs: Globs,
}

/// Number of a [`Matcher`] in its policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatcherId(pub u16);

impl Matcher {
    /// Builds a matcher.
    ///
    /// # Errors
    /// The index of the first pattern that is no glob, and why.
    pub fn new(patterns: Vec<String>, scope: Scope) -> Result<Matcher, (usize, String)> {
        let globs = Globs::new(&patterns)?;
        Ok(Matcher {
            patterns,
            scope,
            globs,
        })
    }

    /// Whether the tool or, where labels count, any of the labels matches.
    pub fn matches<S: AsRef<str>>(&self, tool: &str, labels: &[S]) -> bool {
        self.globs.is_match(tool)
            || (self.scope == Scope::Names
                && labels
                    .iter()
                    .any(|label| self.globs.is_match(label.as_ref())))
    }
}

/// The matchers of a policy, by number. Equal lists share a number.
#[derive(Clone, Debug, Default)]
pub struct Matchers {
    list: Vec<Matcher>,
}

impl Matchers {
    /// Adds a matcher, or finds the equal one.
    ///
    /// # Errors
    /// The index of the first pattern that is no glob, and why. Index 0 too where there are more
    /// lists than can be numbered.
    pub fn add(
        &mut self,
        patterns: Vec<String>,
        scope: Scope,
    ) -> Result<MatcherId, (usize, String)> {
        let same = |m: &Matcher| m.scope == scope && m.patterns == patterns;
        let index = match self.list.iter().position(same) {
            Some(index) => index,
            None => {
                self.list.push(Matcher::new(patterns, scope)?);
                self.list.len() - 1
            }
        };
        match u16::try_from(index) {
            Ok(n) => Ok(MatcherId(n)),
            Err(_) => Err((0, "more than 65536 lists of patterns".into())),
        }
    }

    /// The matcher of that number.
    pub fn get(&self, id: MatcherId) -> &Matcher {
        &self.list[usize::from(id.0)]
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Matcher> {
        self.list.iter()
    }
}

/// A tool's name with a call's labels, and which of the policy's patterns they match.
#[derive(Debug, PartialEq, Eq)]
pub struct NameSet {
    /// The tool's name.
    pub tool: Box<str>,
    /// The labels, sorted, without repeats.
    pub labels: Vec<Box<str>>,
    matched: Vec<u64>,
}

impl NameSet {
    /// Whether the names match that pattern list.
    pub fn is(&self, id: MatcherId) -> bool {
        let n = usize::from(id.0);
        self.matched
            .get(n / 64)
            .is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    /// Whether any pattern of the policy names this tool or one of its labels.
    pub fn is_named(&self) -> bool {
        self.matched.iter().any(|&word| word != 0)
    }
}

/// Every set of names met so far; equal sets are one.
#[derive(Debug, Default)]
pub struct NameTable {
    sets: HashMap<Box<str>, Vec<Arc<NameSet>>>,
}

impl NameTable {
    /// The set of these names under this policy's matchers.
    pub fn intern(&mut self, matchers: &Matchers, tool: &str, labels: &[&str]) -> Arc<NameSet> {
        let mut sorted: Vec<&str> = labels.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let same = |set: &&Arc<NameSet>| {
            set.labels.len() == sorted.len()
                && set
                    .labels
                    .iter()
                    .zip(&sorted)
                    .all(|(a, b)| a.as_ref() == *b)
        };
        if let Some(found) = self.sets.get(tool).and_then(|sets| sets.iter().find(same)) {
            return Arc::clone(found);
        }
        let mut matched = vec![0u64; matchers.list.len().div_ceil(64)];
        for (n, matcher) in matchers.iter().enumerate() {
            if matcher.matches(tool, &sorted) {
                matched[n / 64] |= 1 << (n % 64);
            }
        }
        let set = Arc::new(NameSet {
            tool: tool.into(),
            labels: sorted.into_iter().map(Into::into).collect(),
            matched,
        });
        self.sets
            .entry(tool.into())
            .or_default()
            .push(Arc::clone(&set));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(list: &[&str]) -> Vec<String> {
        list.iter().map(|p| p.to_string()).collect()
    }

    #[test]
    fn globs_are_anchored_and_case_sensitive() {
        let m = Matcher::new(patterns(&["mcp__*__send", "{a,b}?", "[0-9]x"]), Scope::Tool)
            .expect("globs");
        let no: [&str; 0] = [];
        for yes in ["mcp__mail__send", "ab", "bz", "7x"] {
            assert!(m.matches(yes, &no), "{yes}");
        }
        for other in ["MCP__mail__send", "xmcp__mail__send", "a", "7x7", "c?"] {
            assert!(!m.matches(other, &no), "{other}");
        }
        assert_eq!(
            Matcher::new(patterns(&["ok", "[z"]), Scope::Tool)
                .expect_err("")
                .0,
            1
        );
    }

    #[test]
    fn labels_count_only_outside_lists_that_allow() {
        let mut matchers = Matchers::default();
        let names = matchers
            .add(patterns(&["out"]), Scope::Names)
            .expect("glob");
        let tool = matchers.add(patterns(&["out"]), Scope::Tool).expect("glob");
        assert_eq!(matchers.add(patterns(&["out"]), Scope::Names), Ok(names));
        let mut table = NameTable::default();
        let set = table.intern(&matchers, "mail", &["x", "out", "out"]);
        assert!(set.is(names) && !set.is(tool));
        assert!(Arc::ptr_eq(
            &set,
            &table.intern(&matchers, "mail", &["out", "x"])
        ));
        assert!(!table.intern(&matchers, "mail", &[]).is_named());
    }
}
