//! Call ids of a run whose format does not keep them unique.
//!
//! A resumed conversation writes its calls again under their old ids; some agents use one id for
//! two calls. An id that comes back is told apart as `id#2`, and a result belongs to the nearest
//! earlier call of its id that is still open.

use sha2::{Digest, Sha256};
use std::collections::HashMap;

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
    /// An empty list keeps an id from being taken that was made up here.
    calls: HashMap<String, Vec<Call>>,
}

#[derive(Debug)]
struct Call {
    name: String,
    print: Fingerprint,
    open: bool,
    repeated: bool,
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
        let same = |call: &&mut Call| call.print == print;
        match self
            .calls
            .get_mut(id)
            .and_then(|calls| calls.iter_mut().find(same))
        {
            Some(call) => {
                call.repeated = true;
                true
            }
            None => false,
        }
    }

    /// Whether a call of this id has been added.
    pub fn knows(&self, id: &str) -> bool {
        self.calls.get(id).is_some_and(|calls| !calls.is_empty())
    }

    /// The unique id of the open call that a result of this id would go to.
    pub fn open(&self, id: &str) -> Option<&str> {
        let open = self.calls.get(id)?.iter().rev().find(|call| call.open);
        open.map(|call| call.name.as_str())
    }

    /// Adds a call and returns its unique id.
    pub fn add(&mut self, id: &str, print: Fingerprint) -> String {
        let name = self.unique(id);
        if name != id {
            self.calls.entry(name.clone()).or_default();
        }
        self.calls.entry(id.to_owned()).or_default().push(Call {
            name: name.clone(),
            print,
            open: true,
            repeated: false,
        });
        name
    }

    fn unique(&self, id: &str) -> String {
        let Some(calls) = self.calls.get(id) else {
            return id.to_owned();
        };
        let mut n = calls.len().max(1) + 1;
        loop {
            let name = format!("{id}#{n}");
            if !self.calls.contains_key(&name) {
                return name;
            }
            n += 1;
        }
    }

    /// Finds the call of a result and closes it.
    pub fn close(&mut self, id: &str) -> Pairing {
        let Some(calls) = self.calls.get_mut(id) else {
            return Pairing::Unknown;
        };
        if let Some(call) = calls.iter_mut().rev().find(|call| call.open) {
            call.open = false;
            return Pairing::Open(call.name.clone());
        }
        match calls.last() {
            Some(call) => Pairing::Answered {
                id: call.name.clone(),
                repeated: calls.iter().any(|call| call.repeated),
            },
            None => Pairing::Unknown,
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
