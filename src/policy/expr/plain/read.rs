//! From a checked tree to a plain condition. The shapes are those that the parser gives to what is
//! written, with loops as the macros write them and the checker counts them.

use super::super::eval::{STEP, slot_index};
use super::super::functions::ORDERED;
use super::super::{Slot, Variable};
use super::{Comparison, List, Plain, Text};
use cel::common::ast::{
    CallExpr, ComprehensionExpr, Expr as Tree, IdedExpr, LiteralValue, operators,
};
use std::cmp::Ordering;

/// Reads a checked tree.
pub(super) struct Reader<'a> {
    slots: &'a [Slot],
    /// Names of the elements of the loops around the place.
    loops: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(slots: &'a [Slot]) -> Reader<'a> {
        Reader {
            slots,
            loops: Vec::new(),
        }
    }

    pub(super) fn condition(&mut self, tree: &'a IdedExpr) -> Plain {
        let known = match &tree.expr {
            Tree::Literal(LiteralValue::Boolean(is)) => Some(Plain::Is(*is.inner())),
            Tree::Call(call) => self.call(call),
            Tree::Comprehension(c) => self.comprehension(c),
            _ => None,
        };
        known.unwrap_or(Plain::Other)
    }

    fn call(&mut self, call: &'a CallExpr) -> Option<Plain> {
        let operands: Vec<_> = call
            .target
            .as_deref()
            .into_iter()
            .chain(&call.args)
            .collect();
        let name = call.func_name.as_str();
        match *operands.as_slice() {
            [one] if name == operators::LOGICAL_NOT => {
                Some(Plain::Not(Box::new(self.condition(one))))
            }
            [one, other] => match name {
                operators::LOGICAL_AND => Some(Plain::And(Box::new([
                    self.condition(one),
                    self.condition(other),
                ]))),
                operators::LOGICAL_OR => Some(Plain::Or(Box::new([
                    self.condition(one),
                    self.condition(other),
                ]))),
                operators::IN => Some(Plain::Has(self.list(other)?, self.text(one)?)),
                "matches" => Some(Plain::Matches(self.text(one)?, self.pattern(other)?)),
                _ => self.compares(name, one, other),
            },
            _ => None,
        }
    }

    fn compares(&self, name: &str, one: &'a IdedExpr, other: &'a IdedExpr) -> Option<Plain> {
        use Ordering::{Equal, Greater, Less};
        let (comparison, orders): (_, &[_]) = match name {
            operators::EQUALS => (Some(Comparison::Equal), &[Equal]),
            operators::NOT_EQUALS => (Some(Comparison::Different), &[Less, Greater]),
            operators::LESS => (None, &[Less]),
            operators::LESS_EQUALS => (None, &[Less, Equal]),
            operators::GREATER => (None, &[Greater]),
            operators::GREATER_EQUALS => (None, &[Greater, Equal]),
            "contains" => (Some(Comparison::Contains), &[]),
            "startsWith" => (Some(Comparison::Starts), &[]),
            "endsWith" => (Some(Comparison::Ends), &[]),
            _ => return None,
        };
        if let Tree::Literal(LiteralValue::Int(number)) = &other.expr {
            if orders.is_empty() {
                return None;
            }
            return Some(Plain::Length(self.length(one)?, orders, *number.inner()));
        }
        Some(Plain::Compares(
            self.text(one)?,
            comparison?,
            self.text(other)?,
        ))
    }

    /// The list whose length it is.
    fn length(&self, tree: &'a IdedExpr) -> Option<List> {
        match &tree.expr {
            Tree::Call(call) if call.func_name == "size" => {
                let operands = call.target.as_deref().into_iter().chain(&call.args);
                match *operands.collect::<Vec<_>>().as_slice() {
                    [list] => self.list(list),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `exists` and `all`, as the macros write them.
    fn comprehension(&mut self, c: &'a ComprehensionExpr) -> Option<Plain> {
        let [range] = called(&c.iter_range, ORDERED)?.as_slice() else {
            return None;
        };
        let list = self.list(range)?;
        let is_result = |tree: &IdedExpr| is_named(tree, &c.accu_var);
        let [step, again] = called(&c.loop_cond, operators::LOGICAL_AND)?.as_slice() else {
            return None;
        };
        let [again] = called(again, operators::NOT_STRICTLY_FALSE)?.as_slice() else {
            return None;
        };
        if c.iter_var2.is_some() || !is_named(step, STEP) || !is_result(&c.result) {
            return None;
        }
        let Tree::Literal(LiteralValue::Boolean(all)) = &c.accu_init.expr else {
            return None;
        };
        let all = *all.inner();
        let (goes_on, joins) = match all {
            true => (is_result(again), operators::LOGICAL_AND),
            false => {
                let negated = called(again, operators::LOGICAL_NOT).map(Vec::as_slice);
                let goes_on = matches!(negated, Some([result]) if is_result(result));
                (goes_on, operators::LOGICAL_OR)
            }
        };
        let [result, each] = called(&c.loop_step, joins)?.as_slice() else {
            return None;
        };
        if !goes_on || !is_result(result) {
            return None;
        }
        self.loops.push(&c.iter_var);
        let each = Box::new(self.condition(each));
        self.loops.pop();
        Some(match all {
            true => Plain::All(list, each),
            false => Plain::Exists(list, each),
        })
    }

    fn list(&self, tree: &IdedExpr) -> Option<List> {
        if let Some([one, other]) = called(tree, operators::ADD).map(Vec::as_slice) {
            let (List(mut all), List(more)) = (self.list(one)?, self.list(other)?);
            all.extend(more);
            return Some(List(all));
        }
        let facet = self.variable(tree).filter(|v| v.is_facet());
        facet.map(|variable| List(vec![variable]))
    }

    fn text(&self, tree: &IdedExpr) -> Option<Text> {
        match &tree.expr {
            Tree::Literal(LiteralValue::String(text)) => {
                Some(Text::Written(text.inner().to_owned()))
            }
            Tree::Ident(name) => match self.loops.iter().rposition(|element| element == name) {
                Some(depth) => Some(Text::Element(depth)),
                None => self.variable(tree).filter(|v| is_text(*v)).map(Text::Of),
            },
            _ => None,
        }
    }

    fn slot(&self, tree: &IdedExpr) -> Option<(usize, &'a Slot)> {
        let Tree::Ident(name) = &tree.expr else {
            return None;
        };
        let at = slot_index(name)?;
        Some((at, self.slots.get(at)?))
    }

    fn variable(&self, tree: &IdedExpr) -> Option<Variable> {
        match self.slot(tree)? {
            (_, Slot::Variable(variable)) => Some(*variable),
            _ => None,
        }
    }

    fn pattern(&self, tree: &IdedExpr) -> Option<usize> {
        match self.slot(tree)? {
            (at, Slot::Pattern(_)) => Some(at),
            _ => None,
        }
    }
}

/// The operands of a call of that function, which has no target.
fn called<'t>(tree: &'t IdedExpr, name: &str) -> Option<&'t Vec<IdedExpr>> {
    match &tree.expr {
        Tree::Call(call) if call.target.is_none() && call.func_name == name => Some(&call.args),
        _ => None,
    }
}

fn is_named(tree: &IdedExpr, name: &str) -> bool {
    matches!(&tree.expr, Tree::Ident(ident) if ident == name)
}

/// Whether a variable is always a text where it exists.
fn is_text(variable: Variable) -> bool {
    matches!(
        variable,
        Variable::CallId | Variable::CallTool | Variable::CallAgent | Variable::CallText
    )
}
