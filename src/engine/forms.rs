//! Names that differ in Unicode form alone, from one another or from those of the policy.

use crate::policy::Policy;
use crate::policy::lookalike::{composed, named_form, spelled};
use foldhash::HashMap;
use std::fmt;

/// Most names that are remembered; all of them have letters beyond ASCII.
const MOST: usize = 4096;

/// Longest name that is looked at, in bytes.
const LONGEST: usize = 1024;

/// Most spellings of one name that are told.
const SPELLINGS: usize = 8;

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Run,
    Call,
    Tool,
    Agent,
    Label,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Run => "run",
            Kind::Call => "call",
            Kind::Tool => "tool",
            Kind::Agent => "agent",
            Kind::Label => "label",
        })
    }
}

/// The names that were met, by their composed form.
#[derive(Debug, Default)]
pub(super) struct Forms {
    known: HashMap<(Kind, Box<str>), Known>,
}

#[derive(Debug)]
struct Known {
    /// The first spelling.
    name: Box<str>,
    /// Whether the policy has it.
    of_policy: bool,
    /// The other spellings that were told.
    told: Vec<Box<str>>,
}

impl Forms {
    /// The names of the policy.
    pub(super) fn of(policy: &Policy) -> Forms {
        let mut forms = Forms::default();
        let agents = policy.privilege.iter().flat_map(|p| &p.agents);
        let agents = agents.map(|agent| (Kind::Agent, &agent.name));
        let patterns = policy.matchers.iter().flat_map(|list| &list.patterns);
        let named = patterns.flat_map(|name| [(Kind::Tool, name), (Kind::Label, name)]);
        let labels = policy.labels.iter().map(|rule| (Kind::Label, &rule.label));
        for (kind, name) in agents.chain(labels).chain(named) {
            if !name.is_ascii() {
                let known = Known::new(name, true);
                forms
                    .known
                    .entry((kind, composed(name).into()))
                    .or_insert(known);
            }
        }
        forms
    }

    /// Meets a name: of a call, in the run of that name. What is to be said where it differs in form
    /// alone from one that is known, once a spelling.
    pub(super) fn meet(&mut self, kind: Kind, run: &str, name: &str) -> Option<String> {
        if name.is_ascii() || name.len() > LONGEST {
            return None;
        }
        let form = composed(name);
        let form = match kind {
            Kind::Call => format!("{run}\0{form}").into(),
            _ => form,
        };
        let room = self.known.len() < MOST;
        let Some(known) = self.known.get_mut(&(kind, Box::from(&*form))) else {
            if room {
                let key = (kind, form.into());
                self.known.insert(key, Known::new(name, false));
            }
            return None;
        };
        if *known.name == *name || known.told.iter().any(|told| **told == *name) {
            return None;
        }
        if known.told.len() == SPELLINGS {
            return None;
        }
        known.told.push(name.into());
        Some(says(kind, name, &known.name, known.of_policy))
    }

    /// The same of a tool, which a glob of the policy may name.
    pub(super) fn meet_tool(&mut self, policy: &Policy, tool: &str) -> Option<String> {
        if tool.is_ascii() || tool.len() > LONGEST {
            return None;
        }
        let first = !self
            .known
            .contains_key(&(Kind::Tool, composed(tool).into()));
        let met = self.meet(Kind::Tool, "", tool);
        if met.is_some() || !first {
            return met;
        }
        let named = named_form(&policy.matchers, tool)?;
        Some(says(Kind::Tool, tool, &named, true))
    }
}

impl Known {
    fn new(name: &str, of_policy: bool) -> Known {
        Known {
            name: name.into(),
            of_policy,
            told: Vec::new(),
        }
    }
}

fn says(kind: Kind, name: &str, other: &str, of_policy: bool) -> String {
    let known = match of_policy {
        true => "which the policy names",
        false => "which was met before",
    };
    format!(
        "{kind} `{}` differs from `{}`, {known}, in Unicode form alone; names are compared as bytes, and these are two",
        spelled(name),
        spelled(other)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "caf\u{e9}";
    const TWO: &str = "cafe\u{301}";

    /// Said once a spelling, of one kind alone; calls are told apart within their run.
    #[test]
    fn another_form_is_told_once() {
        let mut forms = Forms::default();
        for kind in [Kind::Run, Kind::Call, Kind::Tool, Kind::Agent, Kind::Label] {
            assert_eq!(forms.meet(kind, "r", ONE), None);
            assert_eq!(forms.meet(kind, "r", ONE), None);
            let said = forms.meet(kind, "r", TWO).expect("a warning");
            assert!(
                said.starts_with(&format!("{kind} `cafe\\u{{301}}` differs")),
                "{said}"
            );
            assert_eq!(forms.meet(kind, "r", TWO), None);
            assert_eq!(forms.meet(kind, "r", "cafe"), None);
        }
        assert_eq!(forms.meet(Kind::Call, "s", TWO), None);
    }

    /// However many names there are, so many are remembered and no more.
    #[test]
    fn names_are_bounded() {
        let mut forms = Forms::default();
        for n in 0..2 * MOST {
            assert_eq!(forms.meet(Kind::Call, "r", &format!("{ONE}{n}")), None);
        }
        assert_eq!(forms.known.len(), MOST);
        assert!(forms.meet(Kind::Call, "r", &format!("{TWO}7")).is_some());
    }
}
