//! How much work an expression is, read off its tree before it is evaluated: a bound by which whoever
//! evaluates it in thousands of states can say beforehand what that comes to.

use super::eval::MAX_STEPS;
use super::functions::ORDERED;
use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr as Tree, IdedExpr, LiteralValue};

/// Elements that a list is taken to have whose length does not stand in the expression; never fewer than
/// the longest one that is written out has.
const UNKNOWN: u64 = 64;
/// Bytes of a text that count as much as a node: about what reading a node comes to.
const TEXT: usize = 16;

/// About how many nodes of the tree are evaluated at most. What stands in a loop counts once for every
/// element, and no loops are taken to go on for longer than the evaluation lets them.
pub(super) fn of(tree: &IdedExpr) -> u64 {
    let mut unknown = UNKNOWN;
    longest(tree, &mut unknown);
    weight(tree, unknown)
}

/// What a node is made of.
fn parts(tree: &IdedExpr) -> Vec<&IdedExpr> {
    match &tree.expr {
        Tree::Call(call) => call
            .target
            .as_deref()
            .into_iter()
            .chain(&call.args)
            .collect(),
        Tree::Select(select) => vec![&select.operand],
        Tree::List(list) => list.elements.iter().collect(),
        Tree::Map(map) => {
            let entries = map.entries.iter().filter_map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => Some([&entry.key, &entry.value]),
                EntryExpr::StructField(_) => None,
            });
            entries.flatten().collect()
        }
        Tree::Comprehension(c) => {
            vec![
                &c.iter_range,
                &c.accu_init,
                &c.loop_cond,
                &c.loop_step,
                &c.result,
            ]
        }
        // No expression of a policy holds messages.
        Tree::Ident(_) | Tree::Literal(_) | Tree::Struct(_) | Tree::Unspecified => Vec::new(),
    }
}

/// The most elements that anything which is written out has, or can be taken apart into.
fn longest(tree: &IdedExpr, most: &mut u64) {
    let own = match &tree.expr {
        Tree::List(list) => list.elements.len(),
        Tree::Map(map) => map.entries.len(),
        Tree::Literal(LiteralValue::String(text)) => text.inner().len(),
        _ => 0,
    };
    *most = (*most).max(own as u64);
    parts(tree).into_iter().for_each(|part| longest(part, most));
}

fn weight(tree: &IdedExpr, unknown: u64) -> u64 {
    if let Tree::Comprehension(c) = &tree.expr {
        return looped(c, unknown);
    }
    let own = match &tree.expr {
        Tree::Literal(LiteralValue::String(text)) => 1 + text.inner().len() / TEXT,
        _ => 1,
    };
    let parts = parts(tree).into_iter().map(|part| weight(part, unknown));
    parts.fold(own as u64, u64::saturating_add)
}

fn looped(c: &ComprehensionExpr, unknown: u64) -> u64 {
    let times = length(&c.iter_range, unknown)
        .unwrap_or(unknown)
        .min(MAX_STEPS);
    let once = [&c.iter_range, &c.accu_init, &c.result];
    let once = once.map(|part| weight(part, unknown));
    let each = weight(&c.loop_cond, unknown).saturating_add(weight(&c.loop_step, unknown));
    let all = times.saturating_mul(each);
    once.into_iter()
        .fold(all.saturating_add(1), u64::saturating_add)
}

/// The most elements of a list, where that stands in the expression.
fn length(range: &IdedExpr, unknown: u64) -> Option<u64> {
    match &range.expr {
        Tree::List(list) => Some(list.elements.len() as u64),
        Tree::Map(map) => Some(map.entries.len() as u64),
        Tree::Call(call) if call.func_name == ORDERED => length(call.args.first()?, unknown),
        // A list that a loop makes has one element for each step at most.
        Tree::Comprehension(c) if matches!(c.accu_init.expr, Tree::List(_)) => {
            length(&c.iter_range, unknown)
        }
        // Of lists that are joined or chosen from, as many as all have together.
        Tree::Call(call) if matches!(call.func_name.as_str(), "_+_" | "_?_:_") => {
            let skip = call.args.len().saturating_sub(2);
            let lists = call.args.iter().skip(skip);
            let lengths = lists.map(|list| length(list, unknown).unwrap_or(unknown));
            Some(lengths.fold(0, u64::saturating_add))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::expr::{Compiler, Site};
    use crate::policy::matcher::Matchers;

    fn work(source: &str) -> u64 {
        let mut matchers = Matchers::default();
        let compiler = Compiler::new().expect("an environment");
        let expr = compiler.compile(source, Site::Barrier, &mut matchers);
        expr.expect(source).work()
    }

    /// Loops within each other multiply: that is what makes a short text a long evaluation.
    #[test]
    fn what_stands_in_a_loop_counts_for_every_element() {
        let plain = work("count('a') > 0 ? 1.0 : -1.0");
        assert!((3..20).contains(&plain), "{plain}");
        let nine = "[1,2,3,4,5,6,7,8,9]";
        let mut inner = "count('a') > 0".to_owned();
        let mut before = plain;
        for name in ["x", "y", "z", "w"] {
            inner = format!("{nine}.all({name}, {inner})");
            let now = work(&format!("{inner} ? 1.0 : -1.0"));
            assert!(now >= 8 * before && now <= 40 * before, "{now} {before}");
            before = now;
        }
        assert!(before > 9 * 9 * 9 * 9 * plain / 2);
    }

    /// A list whose length is not known counts for no less than any that is written out, so that a list
    /// of lists does not hide what it holds.
    #[test]
    fn lists_of_unknown_length_are_taken_for_long_ones() {
        let list = |n: usize| vec!["1"; n].join(",");
        let nested = |n| format!("[[{}]].all(x, x.all(y, y > 0)) ? 1 : 0", list(n));
        assert!(work(&nested(2)) > 64 && work(&nested(2)) == work(&nested(2)));
        assert!(work(&nested(900)) > 900 * 4);
        let joined = format!("([{0}] + [{0}]).all(x, x > 0) ? 1 : 0", list(100));
        assert!(work(&joined) > 200 * 4);
        let text = format!("'{}'.split(',').all(x, x != '') ? 1 : 0", list(500));
        assert!(work(&text) > 500 * 4);
    }

    /// However loops are nested, the number does not wrap.
    #[test]
    fn loops_without_end_are_a_great_number() {
        let list = format!("[{}]", vec!["1"; 200].join(","));
        let mut inner = "true".to_owned();
        for n in 0..12 {
            inner = format!("{list}.all(x{n}, {inner})");
        }
        assert_eq!(work(&format!("{inner} ? 1 : 0")), u64::MAX);
    }
}
