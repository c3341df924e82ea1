//! Call ids of a run whose format does not keep them unique.
//!
//! A resumed conversation writes its calls again under their old ids; some agents use one id for
//! two calls. An id that comes back is told apart as `id#2`, and a result belongs to the nearest
//! earlier call of its id that is still open.

use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};

/// What a call did, for telling a repeated record from another call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of a call of `tool` with these arguments.
    pub fn of(tool: &str, args: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update((tool.len() as u64).to_le_bytes());
        hash.update(tool.as_bytes());
        hash.update(args);
        Fingerprint(hash.finalize().into())
    }
}

/// The calls of one run by their recorded id.
#[derive(Debug, Default)]
pub struct CallIds {
    /// An entry without calls keeps an id from being taken that was made up here.
    calls: HashMap<String, Calls>,
}

/// The calls of one id. There may be many: nothing here looks at all of them.
#[derive(Debug, Default)]
struct Calls {
    /// Their unique ids.
    names: Vec<String>,
    /// Those without a result, the nearest last.
    open: Vec<usize>,
    /// What they did.
    prints: Vec<Fingerprint>,
    /// The same, once there are many.
    many: HashSet<Fingerprint>,
    /// Whether one of them was repeated.
    repeated: bool,
    /// The number in the last name that was made up.
    number: usize,
}

/// Calls of one id that are looked through one by one.
const FEW: usize = 8;

impl Calls {
    fn add(&mut self, name: String, print: Fingerprint) {
        self.open.push(self.names.len());
        self.names.push(name);
        if self.many.is_empty() && self.prints.len() < FEW {
            self.prints.push(print);
        } else {
            self.many.extend(self.prints.drain(..));
            self.many.insert(print);
        }
    }

    fn did(&self, print: Fingerprint) -> bool {
        self.prints.contains(&print) || self.many.contains(&print)
    }
}

/// The call a result belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// An open call, which it closes; by its unique id.
    Open(String),
    /// A call that has its result already.
    Answered {
        /// Its unique id.
        id: String,
        /// Whether the record of the call was repeated, so that its result was to be expected again.
        repeated: bool,
    },
    /// No call of the run.
    Unknown,
}

impl CallIds {
    /// Whether a call of this id has done the same before; it then counts as repeated.
    pub fn repeats(&mut self, id: &str, print: Fingerprint) -> bool {
        let Some(calls) = self.calls.get_mut(id).filter(|calls| calls.did(print)) else {
            return false;
        };
        calls.repeated = true;
        true
    }

    /// Whether a call of this id has been added.
    pub fn knows(&self, id: &str) -> bool {
        let calls = self.calls.get(id);
        calls.is_some_and(|calls| !calls.names.is_empty())
    }

    /// The unique id of the open call that a result of this id would go to.
    pub fn open(&self, id: &str) -> Option<&str> {
        let calls = self.calls.get(id)?;
        calls.names.get(*calls.open.last()?).map(String::as_str)
    }

    /// Adds a call and returns its unique id.
    pub fn add(&mut self, id: &str, print: Fingerprint) -> String {
        let name = self.unique(id);
        if name != id {
            self.calls.entry(name.clone()).or_default();
        }
        let calls = self.calls.entry(id.to_owned()).or_default();
        calls.add(name.clone(), print);
        name
    }

    fn unique(&mut self, id: &str) -> String {
        let Some(calls) = self.calls.get(id) else {
            return id.to_owned();
        };
        let mut number = calls.names.len().max(calls.number).max(1);
        let name = loop {
            number += 1;
            let name = format!("{id}#{number}");
            if !self.calls.contains_key(&name) {
                break name;
            }
        };
        if let Some(calls) = self.calls.get_mut(id) {
            calls.number = number;
        }
        name
    }

    /// Finds the call of a result and closes it.
    pub fn close(&mut self, id: &str) -> Pairing {
        let Some(calls) = self.calls.get_mut(id) else {
            return Pairing::Unknown;
        };
        let open = calls.open.pop();
        match (open.and_then(|at| calls.names.get(at)), calls.names.last()) {
            (Some(name), _) => Pairing::Open(name.clone()),
            (None, Some(last)) => Pairing::Answered {
                id: last.clone(),
                repeated: calls.repeated,
            },
            (None, None) => Pairing::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(args: &str) -> Fingerprint {
        Fingerprint::of("f", args.as_bytes())
    }

    #[test]
    fn an_id_that_comes_back_is_made_unique() {
        let mut ids = CallIds::default();
        assert_eq!(ids.add("x", print("1")), "x");
        assert_eq!(ids.add("x", print("2")), "x#2");
        assert_eq!(ids.add("x#2", print("3")), "x#2#2");
        assert_eq!(ids.add("x", print("4")), "x#3");
        assert_eq!(ids.add("y#2", print("1")), "y#2");
        assert_eq!(ids.add("y", print("1")), "y");
        assert_eq!(ids.add("y", print("1")), "y#3");
    }

    #[test]
    fn results_go_to_the_nearest_open_call() {
        let mut ids = CallIds::default();
        ids.add("x", print("1"));
        ids.add("x", print("2"));
        assert_eq!(ids.open("x"), Some("x#2"));
        assert_eq!(ids.close("x"), Pairing::Open("x#2".into()));
        assert_eq!(ids.close("x"), Pairing::Open("x".into()));
        assert_eq!(ids.open("x"), None);
        let answered = Pairing::Answered {
            id: "x#2".into(),
            repeated: false,
        };
        assert_eq!(ids.close("x"), answered);
        assert_eq!(ids.close("z"), Pairing::Unknown);
    }

    #[test]
    fn many_calls_of_one_id_are_told_apart() {
        let mut ids = CallIds::default();
        for n in 0..20 {
            ids.add("x", print(&n.to_string()));
        }
        assert!(ids.repeats("x", print("0")));
        assert!(ids.repeats("x", print("19")));
        assert!(!ids.repeats("x", print("20")));
        assert_eq!(ids.close("x"), Pairing::Open("x#20".into()));
    }

    #[test]
    fn a_repeat_is_the_same_id_with_the_same_content() {
        let mut ids = CallIds::default();
        ids.add("x", print("1"));
        assert!(!ids.repeats("x", print("2")));
        assert!(!ids.repeats("y", print("1")));
        assert!(ids.repeats("x", print("1")));
        assert_eq!(ids.close("x"), Pairing::Open("x".into()));
        let again = Pairing::Answered {
            id: "x".into(),
            repeated: true,
        };
        assert_eq!(ids.close("x"), again);
    }
}
