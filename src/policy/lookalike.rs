//! Tool names that look like one the policy names but are not it.

use super::matcher::{Matchers, NameSet};
use std::collections::{BTreeMap, HashSet};

/// Finds look-alikes among the tools of a trace, each once.
pub struct Lookalikes {
    /// Names of the policy by how they look.
    known: BTreeMap<String, String>,
    /// Tools that have been looked at.
    seen: HashSet<Box<str>>,
}

impl Lookalikes {
    /// Looks out for every name of the policy that is no glob.
    pub fn new(matchers: &Matchers) -> Lookalikes {
        let names = matchers.iter().flat_map(|m| &m.patterns);
        let literal = names.filter(|name| !name.contains(['*', '?', '[', '{', '\\']));
        Lookalikes {
            known: literal.map(|name| (look(name), name.clone())).collect(),
            seen: HashSet::new(),
        }
    }

    /// The name of the policy that this tool looks like, if no pattern names it as it is. Said once
    /// a tool.
    pub fn find(&mut self, names: &NameSet) -> Option<&str> {
        if names.is_named() || self.known.is_empty() || self.seen.contains(&names.tool) {
            return None;
        }
        self.seen.insert(names.tool.clone());
        self.known.get(&look(&names.tool)).map(String::as_str)
    }
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
