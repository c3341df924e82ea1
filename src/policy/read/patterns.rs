//! Reading of globs, regexes and expressions.

use super::reader::{Named, Reader};
use super::table::Item;
use crate::policy::expr::{Expr, Site};
use crate::policy::glob::{self, is_name};
use crate::policy::matcher::{MatcherId, Scope};
use crate::policy::pattern::{self, Pattern};
use crate::policy::refused::{RefusePattern, Refused};

/// Most globs and regexes in one policy.
pub const MAX_PATTERNS: usize = 10_000;

/// Whether a name that stands in a list is compared with the other names of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// It is: mistyped, it would silently protect nothing.
    Checked,
    /// It is, but for the other names of its own list, where tools may well resemble each other.
    Tools,
    /// It only serves for comparison.
    Listed,
}

impl<'t> Reader<'t> {
    /// Reads a list of tool patterns.
    pub fn globs(
        &mut self,
        item: Option<Item<'t>>,
        scope: Scope,
        names: Names,
    ) -> Option<MatcherId> {
        let item = item?;
        let texts = self.texts(Some(item.clone()))?;
        let mut patterns = Vec::with_capacity(texts.len());
        let before = self.names.len();
        for (element, text) in texts {
            if self.glob(text, element.span().start, names) {
                patterns.push(text.to_owned());
            }
        }
        if names == Names::Tools {
            let list = Some(item.span().start);
            self.names[before..].iter_mut().for_each(|n| n.list = list);
        }
        self.matcher(patterns, scope, item.at)
    }

    /// Checks one tool pattern that stands at an offset, and notes it where it is a name.
    pub fn glob(&mut self, text: &str, at: usize, names: Names) -> bool {
        if !self.counted(at) {
            return false;
        }
        if let Err(why) = glob::check(text) {
            let message = format!("bad glob `{}`: {why}", pattern::shorten(text));
            self.error(at, message, None);
            return false;
        }
        if is_name(text) {
            self.names.push(Named {
                name: text.to_owned(),
                at: Some(at),
                checked: names != Names::Listed,
                list: None,
            });
        }
        true
    }

    /// The number of a list of patterns that were checked before.
    pub fn matcher(&mut self, patterns: Vec<String>, scope: Scope, at: usize) -> Option<MatcherId> {
        match self.matchers.add(patterns, scope) {
            Ok(id) => Some(id),
            Err((_, why)) => {
                self.error(at, format!("the patterns cannot be used: {why}"), None);
                None
            }
        }
    }

    /// Reads a list of regexes; every bad one is an error.
    pub fn regexes(&mut self, item: Option<Item<'t>>) -> Refused {
        let Some(item) = item else {
            return Refused::default();
        };
        let Some(elements) = item.elements() else {
            self.wrong(&item, "a list of strings");
            return Refused::default();
        };
        let mut patterns = Vec::with_capacity(elements.len());
        for element in elements {
            let Some(text) = element.value.get_ref().as_str() else {
                self.wrong(&element, "a string");
                continue;
            };
            if !self.counted(element.at) {
                break;
            }
            match Pattern::read(text) {
                Ok(regex) => patterns.push(RefusePattern {
                    regex,
                    place: self.source.place(element.at),
                }),
                Err(e) => {
                    let at = self.source.inside(element.span(), text, e.offset);
                    self.error(at, e.message, None);
                }
            }
        }
        Refused::new(patterns)
    }

    /// Whether one more pattern is still within the limit; notes the first that is not.
    fn counted(&mut self, at: usize) -> bool {
        self.patterns += 1;
        if self.patterns == MAX_PATTERNS + 1 {
            let message = format!("the policy has more than {MAX_PATTERNS} patterns");
            self.error(at, message, None);
        }
        self.patterns <= MAX_PATTERNS
    }

    /// Reads an expression.
    pub fn expression(&mut self, item: Option<Item<'t>>, site: Site) -> Option<Expr> {
        let item = item?;
        let text = self.text(Some(item.clone()))?;
        // Tests read every expression of every preset: a replay compiles those that it comes to.
        let compiled = match item.span().start >= self.source.preset() {
            true => self.compiler.vouched(text, site, &mut self.matchers),
            false => self.compiler.compile(text, site, &mut self.matchers),
        };
        match compiled {
            Ok(expr) => {
                for query in expr.queries() {
                    let patterns = self.matchers.get(query.tools()).patterns.clone();
                    for name in patterns.into_iter().filter(|name| is_name(name)) {
                        let at = Some(item.span().start);
                        self.names.push(Named {
                            name,
                            at,
                            checked: true,
                            list: None,
                        });
                    }
                }
                Some(expr)
            }
            Err(errors) => {
                for e in errors {
                    let at = self.source.inside(item.span(), text, e.offset);
                    self.error(at, e.message, e.help);
                }
                None
            }
        }
    }

    /// Reads an expression or a list of them.
    pub fn expressions(&mut self, item: Option<Item<'t>>, site: Site) -> Vec<Expr> {
        let Some(item) = item else {
            return Vec::new();
        };
        let elements = self.one_or_several(item, "a list of strings");
        let read = |element| self.expression(Some(element), site);
        elements.into_iter().filter_map(read).collect()
    }
}
