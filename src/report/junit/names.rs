//! Names of tests and suites, of which no two are the same.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Names that were given: build servers take two tests of one name for one.
#[derive(Default)]
pub struct Names<'n> {
    given: HashSet<Cow<'n, str>>,
    /// By a name that is wanted again, the number it was given last.
    again: HashMap<String, u64>,
}

impl<'n> Names<'n> {
    /// The name, with a number behind it where it was given before.
    pub fn unique(&mut self, name: Cow<'n, str>) -> String {
        if self.given.insert(name.clone()) {
            return name.into_owned();
        }
        let number = self.again.entry(name.clone().into_owned()).or_insert(1);
        loop {
            *number += 1;
            let numbered = format!("{name} #{number}");
            if self.given.insert(Cow::Owned(numbered.clone())) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run may be named as another would be.
    #[test]
    fn no_two_tests_have_one_name() {
        let mut names = Names::default();
        let given = ["a", "a #2", "a", "a", "a #3", "b"];
        let given = given.map(|name| names.unique(Cow::Borrowed(name)));
        let expected = ["a", "a #2", "a #3", "a #4", "a #3 #2", "b"];
        assert_eq!(given, expected);
    }
}
