//! Patterns of tool names, and the names a call goes by.
//!
//! A call goes by its tool's name and its labels. The policy's patterns are numbered once; which of
//! them a set of names matches is worked out the first time the set is met and kept as bits, so a
//! stage only ever asks for a bit.

use super::glob::{Globs, Stars, head, is_name};
use foldhash::HashMap;
use std::collections::BTreeSet;
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
    index: Arc<Index>,
}

/// Which lists a text can match, by what their patterns begin with, so that policies of thousands of
/// lists need not be gone through for every name.
#[derive(Clone, Debug, Default)]
struct Index {
    known: HashMap<(Scope, Vec<String>), MatcherId>,
    /// Lists that hold a name as it is.
    names: HashMap<String, Vec<MatcherId>>,
    /// Globs by their heads.
    globs: HashMap<String, Vec<Indexed>>,
    /// How long heads are, in bytes.
    heads: BTreeSet<usize>,
}

/// A glob, and the lists that hold it.
#[derive(Clone, Debug)]
struct Indexed {
    pattern: String,
    /// Absent where the list itself has to be asked.
    stars: Option<Stars>,
    lists: Vec<MatcherId>,
}

impl Index {
    fn add(&mut self, pattern: &str, id: MatcherId) {
        if is_name(pattern) {
            self.names.entry(pattern.to_owned()).or_default().push(id);
            return;
        }
        let head = head(pattern);
        self.heads.insert(head.len());
        let globs = self.globs.entry(head.to_owned()).or_default();
        match globs.iter_mut().find(|known| known.pattern == pattern) {
            Some(known) => known.lists.push(id),
            None => globs.push(Indexed {
                pattern: pattern.to_owned(),
                stars: Stars::of(pattern),
                lists: vec![id],
            }),
        }
    }
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
        let key = (scope, patterns);
        if let Some(&id) = self.index.known.get(&key) {
            return Ok(id);
        }
        let matcher = Matcher::new(key.1.clone(), scope)?;
        let Ok(number) = u16::try_from(self.list.len()) else {
            return Err((0, "more than 65536 lists of patterns".into()));
        };
        let (id, index) = (MatcherId(number), Arc::make_mut(&mut self.index));
        for pattern in &matcher.patterns {
            index.add(pattern, id);
        }
        index.known.insert(key, id);
        self.list.push(matcher);
        Ok(id)
    }

    /// The matcher of that number.
    pub fn get(&self, id: MatcherId) -> &Matcher {
        &self.list[usize::from(id.0)]
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Matcher> {
        self.list.iter()
    }

    /// The set of a tool's name and labels.
    pub fn names(&self, tool: &str, labels: &[&str]) -> NameSet {
        let mut sorted: Vec<&str> = labels.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut matched = ListSet::up_to(self.list.len());
        self.mark(tool, |_| true, &mut matched);
        for label in &sorted {
            self.mark(label, |scope| scope == Scope::Names, &mut matched);
        }
        NameSet {
            tool: tool.into(),
            labels: sorted.into_iter().map(Into::into).collect(),
            matched,
            number: 0,
        }
    }

    /// Marks the lists that match a text, of those whose scope counts.
    fn mark(&self, text: &str, counts: impl Fn(Scope) -> bool, matched: &mut ListSet) {
        let mut mark = |id: &MatcherId, asks: bool| {
            let n = usize::from(id.0);
            let list = self.list.get(n).filter(|list| counts(list.scope));
            let holds = list.is_some_and(|list| !asks || list.globs.is_match(text));
            if holds {
                matched.add(*id);
            }
        };
        let index = &*self.index;
        let named = index.names.get(text).into_iter().flatten();
        named.for_each(|id| mark(id, false));
        let heads = index.heads.iter().map_while(|&length| match length {
            over if over > text.len() => None,
            length => Some(text.get(..length)),
        });
        let globs = heads.filter_map(|head| index.globs.get(head?)).flatten();
        for glob in globs {
            match &glob.stars {
                Some(stars) if stars.is_match(text) => {
                    glob.lists.iter().for_each(|id| mark(id, false));
                }
                Some(_) => {}
                None => glob.lists.iter().for_each(|id| mark(id, true)),
            }
        }
    }
}

/// A tool's name with a call's labels, and which of the policy's patterns they match.
#[derive(Debug, PartialEq, Eq)]
pub struct NameSet {
    /// The tool's name.
    pub tool: Arc<str>,
    /// The labels, sorted, without repeats.
    pub labels: Vec<Box<str>>,
    matched: ListSet,
    number: u32,
}

impl NameSet {
    /// Its number in the table that it was met in; see [`NameTable::get`].
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether the names match that pattern list.
    #[inline]
    pub fn is(&self, id: MatcherId) -> bool {
        self.matched.holds(id)
    }

    /// The pattern lists that the names match.
    #[inline]
    pub fn matched(&self) -> &ListSet {
        &self.matched
    }

    /// The lists that it matches, of those.
    pub fn among(&self, lists: &ListSet) -> ListSet {
        self.matched.and(lists)
    }

    /// Whether any pattern of the policy names this tool or one of its labels.
    pub fn is_named(&self) -> bool {
        !self.matched.is_empty()
    }
}

/// Some of a policy's pattern lists, a bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ListSet {
    /// The first 64 lists, which are all that most policies have: they need no allocation.
    first: u64,
    more: Vec<u64>,
}

impl ListSet {
    /// None of so many lists.
    fn up_to(lists: usize) -> ListSet {
        ListSet {
            first: 0,
            more: vec![0; lists.div_ceil(64).saturating_sub(1)],
        }
    }

    /// Whether that list is one of them.
    #[inline]
    pub fn holds(&self, id: MatcherId) -> bool {
        let n = usize::from(id.0);
        let word = match n / 64 {
            0 => self.first,
            more => self.more.get(more - 1).copied().unwrap_or(0),
        };
        word >> (n % 64) & 1 == 1
    }

    /// Adds a list.
    fn add(&mut self, id: MatcherId) {
        let n = usize::from(id.0);
        let word = match n / 64 {
            0 => &mut self.first,
            more => {
                self.more.resize(more.max(self.more.len()), 0);
                &mut self.more[more - 1]
            }
        };
        *word |= 1 << (n % 64);
    }

    /// The lists that are in any of those sets.
    #[inline]
    pub fn all_of<'s>(sets: impl Iterator<Item = &'s ListSet> + Clone) -> ListSet {
        // The further lists, which few policies have, are gone through by themselves.
        let (first, longest) = sets.clone().fold((0, 0), |(lists, longest), set| {
            (lists | set.first, set.more.len().max(longest))
        });
        let mut more = vec![0; longest];
        if longest > 0 {
            for set in sets {
                let own = set.more.iter();
                more.iter_mut()
                    .zip(own)
                    .for_each(|(lists, own)| *lists |= own);
            }
        }
        ListSet { first, more }
    }

    /// The lists that both have.
    fn and(&self, others: &ListSet) -> ListSet {
        let both = self.more.iter().zip(&others.more);
        ListSet {
            first: self.first & others.first,
            more: both.map(|(a, b)| a & b).collect(),
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = MatcherId> {
        let words = std::iter::once(&self.first).chain(&self.more);
        words.zip((0u16..).step_by(64)).flat_map(|(&word, first)| {
            let bits = (0..64u16).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| MatcherId(first + bit))
        })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.more.iter().all(|&word| word == 0)
    }
}

impl FromIterator<MatcherId> for ListSet {
    fn from_iter<I: IntoIterator<Item = MatcherId>>(ids: I) -> ListSet {
        let mut set = ListSet::default();
        ids.into_iter().for_each(|id| set.add(id));
        set
    }
}

/// Every set of names met so far; equal sets are one.
#[derive(Debug, Default)]
pub struct NameTable {
    sets: HashMap<Box<str>, Vec<Arc<NameSet>>>,
    by_number: Vec<Arc<NameSet>>,
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
        let mut set = matchers.names(tool, &sorted);
        set.number = u32::try_from(self.by_number.len()).unwrap_or(u32::MAX);
        let set = Arc::new(set);
        self.by_number.push(Arc::clone(&set));
        self.sets
            .entry(tool.into())
            .or_default()
            .push(Arc::clone(&set));
        set
    }

    /// The set of that number.
    pub fn get(&self, number: u32) -> Option<&Arc<NameSet>> {
        self.by_number.get(number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

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

    /// Bits are what a set of numbers says, with and without those that need an allocation.
    #[test]
    fn sets_of_lists_are_sets() {
        let mut random = Random::new(1);
        for most in [3, 64, 65, 400] {
            for _ in 0..200 {
                let mut some = || -> BTreeSet<MatcherId> {
                    (0..random.below(9))
                        .map(|_| MatcherId(random.below(most)))
                        .collect()
                };
                let (a, b) = (some(), some());
                let of = |ids: &BTreeSet<MatcherId>| ids.iter().copied().collect::<ListSet>();
                let (own, others) = (of(&a), of(&b));
                let joined = ListSet::all_of([&own, &others].into_iter());
                assert!(joined.iter().eq(a.union(&b).copied()));
                assert!(own.and(&others).iter().eq(a.intersection(&b).copied()));
                assert_eq!(own.is_empty(), a.is_empty());
                let holds = |n| own.holds(MatcherId(n)) == a.contains(&MatcherId(n));
                assert!((0..500).all(holds));
            }
        }
    }

    /// What the index finds is what every list says when it is asked by itself.
    #[test]
    fn lists_are_found_as_they_match() {
        let lists = [
            &["a", "b*"][..],
            &["*"],
            &["ab*", "ab?"],
            &["{a,b}b"],
            &["*b", "ö*"],
            &["b*b", "a"],
            &["", "[ab]*"],
        ];
        let mut matchers = Matchers::default();
        for scope in [Scope::Names, Scope::Tool] {
            for list in lists {
                matchers.add(patterns(list), scope).expect("globs");
            }
        }
        let texts = ["", "a", "b", "ab", "abc", "bb", "öb", "x"];
        for tool in texts {
            for label in texts {
                let names = matchers.names(tool, &[label]);
                for (n, list) in (0..).zip(matchers.iter()) {
                    let expected = list.matches(tool, &[label]);
                    assert_eq!(names.is(MatcherId(n)), expected, "{tool} {label} {list:?}");
                }
            }
        }
    }
}
