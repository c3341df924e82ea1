//! Tool names that look like one the policy names but are not it, and names in another Unicode form.
//!
//! Names are compared as bytes. One letter can be written in several ways in Unicode, as one character or
//! as a letter with an accent behind it, and what writes a name picks one: names that nobody can tell
//! apart on a screen may be two.

use super::matcher::{Matchers, NameSet};
use foldhash::HashSet;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

/// Finds look-alikes among the tools of a trace, each once.
pub struct Lookalikes {
    /// Names of the policy by how they look.
    known: BTreeMap<String, String>,
    /// Tools that have been looked at.
    seen: HashSet<Arc<str>>,
}

impl Lookalikes {
    /// Looks out for every name of the policy that is no glob.
    pub fn new(matchers: &Matchers) -> Lookalikes {
        let names = matchers.iter().flat_map(|m| &m.patterns);
        let literal = names.filter(|name| !name.contains(['*', '?', '[', '{', '\\']));
        Lookalikes {
            known: literal.map(|name| (look(name), name.clone())).collect(),
            seen: HashSet::default(),
        }
    }

    /// The name of the policy that this tool looks like, if no pattern names it as it is. Said once
    /// a tool.
    pub fn find(&mut self, names: &NameSet) -> Option<&str> {
        if names.is_named() || self.known.is_empty() || self.seen.contains(&names.tool) {
            return None;
        }
        self.seen.insert(Arc::clone(&names.tool));
        self.known.get(&look(&names.tool)).map(String::as_str)
    }
}

/// The name in its composed form (NFC): names of one form differ in how they are written alone.
pub fn composed(name: &str) -> Cow<'_, str> {
    match name.is_ascii() {
        true => name.into(),
        false => name.nfc().collect::<String>().into(),
    }
}

/// The name with its letters told by number, so that forms can be told apart by eye: `caf\u{e9}`.
pub fn spelled(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    for c in name.chars() {
        match c.is_ascii() {
            true => spelled.push(c),
            false => spelled.extend(c.escape_unicode()),
        }
    }
    spelled
}

/// Another Unicode form of this tool that a list of the policy names, where it does not name this one.
pub fn named_form(matchers: &Matchers, tool: &str) -> Option<String> {
    if tool.is_ascii() {
        return None;
    }
    let forms = [tool.nfc().collect::<String>(), tool.nfd().collect()];
    let none: &[&str] = &[];
    let named = |form: &String| {
        let mut lists = matchers.iter();
        form != tool && lists.any(|list| list.matches(form, none) && !list.matches(tool, none))
    };
    forms.into_iter().find(named)
}

/// What is left of a name once case, surrounding space and confusable letters are taken away.
fn look(name: &str) -> String {
    let skeleton: String = unicode_security::skeleton(name.trim()).collect();
    skeleton.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::matcher::{NameTable, Scope};
    use super::*;

    /// The two ways to write one name come to one form, and can be told apart as they are spelled.
    #[test]
    fn forms_of_a_name_are_one_and_are_told_apart() {
        let (one, two) = ("caf\u{e9}", "cafe\u{301}");
        assert_eq!(composed(one), composed(two));
        assert_ne!(composed(one), composed("cafe"));
        assert_eq!(spelled(one), "caf\\u{e9}");
        assert_eq!(spelled(two), "cafe\\u{301}");
        assert_eq!(composed("plain"), "plain");
    }

    /// A glob in one form does not name a tool in the other, whatever other list names that.
    #[test]
    fn a_form_that_a_list_names_is_found() {
        let mut matchers = Matchers::default();
        for pattern in ["*", "caf\u{e9}_*"] {
            matchers
                .add(vec![pattern.into()], Scope::Names)
                .expect("globs");
        }
        let found = named_form(&matchers, "cafe\u{301}_order");
        assert_eq!(found.as_deref(), Some("caf\u{e9}_order"));
        assert_eq!(named_form(&matchers, "caf\u{e9}_order"), None);
        assert_eq!(named_form(&matchers, "cafe_order"), None);
    }

    #[test]
    fn case_space_and_foreign_letters_do_not_hide_a_tool() {
        let mut matchers = Matchers::default();
        matchers
            .add(vec!["send_email".into(), "http_*".into()], Scope::Names)
            .expect("globs");
        let mut looks = Lookalikes::new(&matchers);
        let mut table = NameTable::default();
        for tool in ["Send_Email", "send_email ", "\u{455}end_email"] {
            let names = table.intern(&matchers, tool, &[]);
            assert_eq!(looks.find(&names), Some("send_email"), "{tool}");
            assert_eq!(looks.find(&names), None, "said once");
        }
        for tool in ["send_email", "http_get", "sendmail"] {
            assert_eq!(
                looks.find(&table.intern(&matchers, tool, &[])),
                None,
                "{tool}"
            );
        }
    }
}
