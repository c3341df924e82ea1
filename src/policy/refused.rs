//! `gates.refuse`: the regexes that no call's text may match, with what tells which have to be tried.

use super::PolicyPlace;
use super::pattern::Pattern;
use super::pattern::screen::{Candidates, Screen};
use crate::trace::event::RawJson;
use std::ops::Deref;

/// A regex that refuses calls.
#[derive(Clone, Debug)]
pub struct RefusePattern {
    /// The regex.
    pub regex: Pattern,
    /// Where in the file.
    pub place: PolicyPlace,
}

/// All of them, in file order.
#[derive(Clone, Debug, Default)]
pub struct Refused {
    patterns: Vec<RefusePattern>,
    screen: Screen,
}

impl Refused {
    /// Regexes in the order in which they are to be tried.
    pub fn new(patterns: Vec<RefusePattern>) -> Refused {
        let sets = patterns.iter().map(|pattern| pattern.regex.literals());
        Refused {
            screen: Screen::new(sets),
            patterns,
        }
    }

    /// Those that may match a text, by their place. `room` is where the text is prepared, and can be used
    /// again.
    pub fn candidates(&self, text: &str, room: &mut String) -> Candidates<'_> {
        self.screen.of(text, room)
    }

    /// Whether the way in which these arguments are written tells that none matches their text. `room` is as
    /// above.
    pub fn spares(&self, args: &RawJson<'_>, room: &mut String) -> bool {
        let written = args.unescaped();
        written.is_some_and(|json| self.screen.spares(json, room))
    }
}

impl Deref for Refused {
    type Target = [RefusePattern];

    fn deref(&self) -> &[RefusePattern] {
        &self.patterns
    }
}
