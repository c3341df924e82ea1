//! Conditions on texts, evaluated without the interpreter.
//!
//! Most conditions of policies ask whether lists of texts have one that matches a regex. The
//! interpreter makes values of all they name, looks functions up by name and copies what a loop goes
//! over: some ten thousand instructions for a condition that comes to a few comparisons. What is
//! understood here is those comparisons alone. Where anything else decides, or is absent, or a loop
//! goes on for long, this has no answer, and the interpreter is asked: its errors are the only ones.

mod read;
#[cfg(test)]
mod tests;

use super::{Bindings, Slot, Variable};
use cel::common::ast::IdedExpr;
use read::Reader;
use std::cell::Cell;
use std::cmp::Ordering;

/// Elements that loops look at before the interpreter takes over, which counts them exactly. It does not
/// run out of steps before this does: a loop takes one more of them than it has elements.
const ELEMENTS: u32 = 10_000;

/// A condition.
#[derive(Debug)]
pub(super) enum Plain {
    Is(bool),
    Not(Box<Plain>),
    /// Both; the second is not asked where the first does not hold.
    And(Box<[Plain; 2]>),
    /// Either; the second is not asked where the first holds.
    Or(Box<[Plain; 2]>),
    /// A text matches the regex in that slot.
    Matches(Text, usize),
    /// A text and another.
    Compares(Text, Comparison, Text),
    /// A list has that text.
    Has(List, Text),
    /// The length of a list, and the orders in which it may stand to a number.
    Length(List, &'static [Ordering], i64),
    /// The condition holds of an element, which is a text of its own in it.
    Exists(List, Box<Plain>),
    /// The condition holds of every element.
    All(List, Box<Plain>),
    /// Something that the interpreter is to be asked.
    Other,
}

/// A text.
#[derive(Debug)]
pub(super) enum Text {
    Of(Variable),
    /// The element of the loop that stands so many loops within others.
    Element(usize),
    Written(String),
}

/// What two texts are compared by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Comparison {
    Equal,
    Different,
    Contains,
    Starts,
    Ends,
}

/// Lists of texts, one behind the other.
#[derive(Debug)]
pub(super) struct List(Vec<Variable>);

impl Plain {
    /// A checked tree; absent where the interpreter would always be asked.
    pub(super) fn of(tree: &IdedExpr, slots: &[Slot]) -> Option<Plain> {
        let plain = Reader::new(slots).condition(tree);
        plain.decides().then_some(plain)
    }

    /// Whether it may have an answer: what is asked first is known.
    fn decides(&self) -> bool {
        match self {
            Plain::Other => false,
            Plain::Not(inner) => inner.decides(),
            Plain::And(both) | Plain::Or(both) => both[0].decides(),
            _ => true,
        }
    }

    /// Whether it holds; absent where the interpreter is to be asked.
    pub(super) fn holds(&self, slots: &[Slot], bindings: &dyn Bindings) -> Option<bool> {
        let scene = Scene {
            slots,
            bindings,
            left: Cell::new(ELEMENTS),
        };
        scene.holds(self, None)
    }
}

/// What a condition is held against.
struct Scene<'a> {
    slots: &'a [Slot],
    bindings: &'a dyn Bindings,
    /// Elements that loops may still look at.
    left: Cell<u32>,
}

/// The element of a loop, and of those around it.
#[derive(Clone, Copy)]
struct Element<'a> {
    text: &'a str,
    depth: usize,
    outer: Option<&'a Element<'a>>,
}

impl<'a> Scene<'a> {
    fn holds(&self, plain: &'a Plain, element: Option<&Element<'_>>) -> Option<bool> {
        match plain {
            Plain::Is(is) => Some(*is),
            Plain::Not(inner) => Some(!self.holds(inner, element)?),
            Plain::And(both) => match self.holds(&both[0], element)? {
                true => self.holds(&both[1], element),
                false => Some(false),
            },
            Plain::Or(both) => match self.holds(&both[0], element)? {
                true => Some(true),
                false => self.holds(&both[1], element),
            },
            Plain::Matches(text, slot) => match self.slots.get(*slot)? {
                Slot::Pattern(regex) => regex.0.is_match(self.text(text, element)?),
                _ => None,
            },
            Plain::Compares(one, comparison, other) => {
                let (one, other) = (self.text(one, element)?, self.text(other, element)?);
                Some(match comparison {
                    Comparison::Equal => one == other,
                    Comparison::Different => one != other,
                    Comparison::Contains => one.contains(other),
                    Comparison::Starts => one.starts_with(other),
                    Comparison::Ends => one.ends_with(other),
                })
            }
            Plain::Has(list, text) => {
                let text = self.text(text, element)?;
                self.find(list, |item| Some(item == text))
            }
            Plain::Length(list, orders, number) => {
                let lists = list.0.iter();
                let lengths = lists.map(|v| Some(self.bindings.texts(*v)?.len()));
                let length: usize = lengths.sum::<Option<usize>>()?;
                Some(orders.contains(&i64::try_from(length).ok()?.cmp(number)))
            }
            Plain::Exists(list, condition) => {
                self.find(list, |item| self.of_element(condition, item, element))
            }
            Plain::All(list, condition) => {
                let fails = |item: &str| Some(!self.of_element(condition, item, element)?);
                Some(!self.find(list, fails)?)
            }
            Plain::Other => None,
        }
    }

    /// Whether a condition holds of an element.
    fn of_element(
        &self,
        condition: &'a Plain,
        text: &str,
        outer: Option<&Element<'_>>,
    ) -> Option<bool> {
        self.left.set(self.left.get().checked_sub(1)?);
        let depth = outer.map_or(0, |outer| outer.depth + 1);
        let element = Element { text, depth, outer };
        self.holds(condition, Some(&element))
    }

    /// Whether that is so of an element of a list. All lists have to be there before one is looked at.
    fn find(&self, list: &List, mut is: impl FnMut(&str) -> Option<bool>) -> Option<bool> {
        for variable in &list.0 {
            self.bindings.texts(*variable)?;
        }
        for variable in &list.0 {
            for item in self.bindings.texts(*variable)? {
                if is(item)? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    fn text<'t>(&'t self, text: &'t Text, element: Option<&'t Element<'t>>) -> Option<&'t str> {
        match text {
            Text::Of(variable) => self.bindings.text(*variable),
            Text::Written(text) => Some(text),
            Text::Element(depth) => {
                let mut around = std::iter::successors(element, |element| element.outer);
                around
                    .find(|element| element.depth == *depth)
                    .map(|e| e.text)
            }
        }
    }
}
