//! How far the numbers matter that an expression takes from the history.
//!
//! `count("x") >= 3` tells three from two, and nothing from four on. Where a number is only ever
//! compared with numbers that stand in the expression, those beyond the greatest of them are all alike.

use super::{Expr, Query, Slot};
use cel::common::ast::{CallExpr, EntryExpr, Expr as Tree, IdedExpr, LiteralValue, operators};

impl Expr {
    /// What it asks of the history, each with the greatest number it is compared with; absent where
    /// something else is done with it.
    pub fn compared(&self) -> Vec<(Query, Option<u64>)> {
        let Some(program) = self.program() else {
            return Vec::new();
        };
        let mut greatest = vec![Some(0); program.slots.len()];
        walk(&program.tree, &mut greatest);
        let slots = program.slots.iter().zip(greatest);
        let asked = slots.filter_map(|(slot, most)| match slot {
            Slot::Query(query) => Some((*query, most)),
            _ => None,
        });
        asked.collect()
    }
}

const COMPARISONS: [&str; 6] = [
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::LESS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::GREATER_EQUALS,
];

fn walk(node: &IdedExpr, greatest: &mut [Option<u64>]) {
    match &node.expr {
        Tree::Ident(name) => {
            // It stands where it may come to anything.
            if let Some(most) = slot(name, greatest) {
                *most = None;
            }
        }
        Tree::Call(call) => {
            if let Some((name, number)) = comparison(call) {
                if let Some(most) = slot(name, greatest) {
                    *most = most.map(|most| most.max(number));
                }
                return;
            }
            let parts = call.target.as_deref().into_iter().chain(&call.args);
            parts.for_each(|part| walk(part, greatest));
        }
        Tree::Select(select) => walk(&select.operand, greatest),
        Tree::List(list) => list.elements.iter().for_each(|part| walk(part, greatest)),
        Tree::Map(map) => {
            for entry in &map.entries {
                if let EntryExpr::MapEntry(entry) = &entry.expr {
                    walk(&entry.key, greatest);
                    walk(&entry.value, greatest);
                }
            }
        }
        Tree::Comprehension(c) => {
            let parts = [
                &c.iter_range,
                &c.accu_init,
                &c.loop_cond,
                &c.loop_step,
                &c.result,
            ];
            parts.iter().for_each(|part| walk(part, greatest));
        }
        // No expression of a policy holds these.
        Tree::Struct(_) => greatest.fill(None),
        Tree::Literal(_) | Tree::Unspecified => {}
    }
}

fn slot<'g>(name: &str, greatest: &'g mut [Option<u64>]) -> Option<&'g mut Option<u64>> {
    greatest.get_mut(name.strip_prefix('@')?.parse::<usize>().ok()?)
}

/// A name and the number it is compared with, where that is all there is to it.
fn comparison(call: &CallExpr) -> Option<(&str, u64)> {
    if !COMPARISONS.contains(&call.func_name.as_str()) {
        return None;
    }
    let [left, right] = call.args.as_slice() else {
        return None;
    };
    match (&left.expr, &right.expr) {
        (Tree::Ident(name), other) | (other, Tree::Ident(name)) => Some((name, literal(other)?)),
        _ => None,
    }
}

/// A number as it is written, rounded up; those below zero count as zero.
fn literal(tree: &Tree) -> Option<u64> {
    match tree {
        Tree::Literal(LiteralValue::Int(n)) => Some(u64::try_from(*n.inner()).unwrap_or(0)),
        Tree::Literal(LiteralValue::UInt(n)) => Some(*n.inner()),
        // Casting stops at the greatest number, and takes what is no number for zero.
        Tree::Literal(LiteralValue::Double(n)) => {
            n.inner().is_finite().then(|| n.inner().ceil() as u64)
        }
        Tree::Call(call) if call.func_name == operators::NEGATE => match call.args.as_slice() {
            [only] => literal(&only.expr).map(|_| 0),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::expr::{Compiler, Site};
    use crate::policy::matcher::Matchers;

    fn most(source: &str) -> Vec<Option<u64>> {
        let mut matchers = Matchers::default();
        let compiler = Compiler::new().expect("an environment");
        let expr = compiler.compile(source, Site::Barrier, &mut matchers);
        let compared = expr.expect(source).compared();
        compared.into_iter().map(|(_, most)| most).collect()
    }

    #[test]
    fn numbers_matter_as_far_as_they_are_compared() {
        for (source, expected) in [
            (r#"count("a") >= 3 ? 1 : -1"#, vec![Some(3)]),
            (
                r#"2 < count("a") || count("a") == 7 ? 1 : -1"#,
                vec![Some(7)],
            ),
            (r#"3 - count("a")"#, vec![None]),
            (r#"count("a") > 1 ? count("a") : 0"#, vec![None]),
            (
                r#"since("a") < 0 || since("a") > 2.5 ? 1 : 0"#,
                vec![Some(3)],
            ),
            (r#"count("a") < count("b") ? 1 : 0"#, vec![None, None]),
            (r#"[1, 2].all(n, count("a") > n) ? 1 : 0"#, vec![None]),
            (r#"seen("a") ? 1 : 0"#, vec![None]),
        ] {
            assert_eq!(most(source), expected, "{source}");
        }
    }
}
