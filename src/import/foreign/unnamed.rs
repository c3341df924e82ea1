//! Calls without an id that wait for their result.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// The calls, in order.
#[derive(Debug, Default)]
pub struct Unnamed {
    count: u64,
    /// Number and given id of each that waits.
    waiting: BTreeMap<u64, String>,
    /// Numbers of calls of each tool; those that wait no more may still be among them.
    tools: HashMap<String, VecDeque<u64>>,
}

impl Unnamed {
    /// Adds a call of `tool` that was given this id.
    pub fn push(&mut self, tool: &str, id: String) {
        self.count += 1;
        self.waiting.insert(self.count, id);
        self.tools
            .entry(tool.to_owned())
            .or_default()
            .push_back(self.count);
    }

    /// Takes the earliest call: of any tool, or of `tool`.
    pub fn take(&mut self, tool: Option<&str>) -> Option<String> {
        let Some(tool) = tool else {
            return self.waiting.pop_first().map(|(_, id)| id);
        };
        let numbers = self.tools.get_mut(tool)?;
        while let Some(number) = numbers.pop_front() {
            if let Some(id) = self.waiting.remove(&number) {
                return Some(id);
            }
        }
        None
    }

    /// Whether a call of `tool` waits.
    pub fn waits(&mut self, tool: &str) -> bool {
        let Some(numbers) = self.tools.get_mut(tool) else {
            return false;
        };
        while let Some(number) = numbers.front() {
            if self.waiting.contains_key(number) {
                return true;
            }
            numbers.pop_front();
        }
        false
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.tools.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_call_is_taken() {
        let mut calls = Unnamed::default();
        for (tool, id) in [("a", "1"), ("b", "2"), ("a", "3"), ("b", "4")] {
            calls.push(tool, id.to_owned());
        }
        assert_eq!(calls.take(Some("b")).as_deref(), Some("2"));
        assert_eq!(calls.take(None).as_deref(), Some("1"));
        assert!(calls.waits("a"));
        assert_eq!(calls.take(Some("a")).as_deref(), Some("3"));
        assert!(!calls.waits("a"));
        assert_eq!(calls.take(Some("c")), None);
        calls.clear();
        assert_eq!(calls.take(None), None);
    }
}
