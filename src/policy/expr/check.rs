//! The names of an expression, checked against what exists where it stands and replaced by the
//! slots that answer for them.

use super::eval::STEP;
use super::functions::{ORDERED, Regex};
use super::names::{self, Site};
use super::{ExprError, Query, Slot, Variable};
use crate::diag::nearest;
use crate::policy::matcher::{MatcherId, Matchers, Scope};
use crate::policy::pattern::{Pattern, PatternError};
use cel::common::ast::operators;
use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr as Tree, IdedExpr, LiteralValue, SelectExpr,
    SourceInfo,
};

/// How a regex that is written out is read: looked at, or known to be one.
pub(super) type ReadRegex = fn(&str) -> Result<Pattern, PatternError>;

/// Walks a tree.
pub struct Checker<'a> {
    source: &'a str,
    site: Site,
    places: &'a SourceInfo,
    matchers: &'a mut Matchers,
    regex: ReadRegex,
    /// Variables of the comprehensions around the place.
    scope: Vec<String>,
    slots: Vec<Slot>,
    errors: Vec<ExprError>,
}

impl<'a> Checker<'a> {
    /// Starts a walk of the tree that `source` was parsed to.
    pub fn new(
        source: &'a str,
        site: Site,
        places: &'a SourceInfo,
        matchers: &'a mut Matchers,
        regex: ReadRegex,
    ) -> Checker<'a> {
        Checker {
            source,
            site,
            places,
            matchers,
            regex,
            scope: Vec::new(),
            slots: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// The slots of the tree, and what is wrong with it.
    pub fn finish(self) -> (Vec<Slot>, Vec<ExprError>) {
        (self.slots, self.errors)
    }

    /// Checks a tree and puts slots in place of what is not the interpreter's.
    pub fn check(&mut self, node: &mut IdedExpr) {
        let id = node.id;
        let replacement = match &mut node.expr {
            Tree::Ident(name) => self.ident(id, name),
            Tree::Select(select) => self.select(id, select),
            Tree::Call(call) => self.call(id, call),
            Tree::Comprehension(c) => {
                self.comprehension(c);
                None
            }
            Tree::List(list) => {
                list.elements.iter_mut().for_each(|e| self.check(e));
                None
            }
            Tree::Map(map) => {
                for entry in &mut map.entries {
                    if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                        self.check(&mut entry.key);
                        self.check(&mut entry.value);
                    }
                }
                None
            }
            Tree::Struct(s) => {
                let message = format!("no messages can be made: `{}{{..}}`", s.type_name);
                self.error(id, message);
                None
            }
            Tree::Literal(_) | Tree::Unspecified => None,
        };
        if let Some(slot) = replacement {
            node.expr = self.slot(slot);
        }
    }

    fn slot(&mut self, slot: Slot) -> Tree {
        let index = match self.slots.iter().position(|s| s.same(&slot)) {
            Some(index) => index,
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        Tree::Ident(format!("@{index}"))
    }

    fn offset(&self, id: u64) -> usize {
        let start = self.places.offset_for(id).map_or(0, |(start, _)| start);
        (start as usize).min(self.source.len())
    }

    fn error(&mut self, id: u64, message: impl Into<String>) -> &mut ExprError {
        let error = ExprError::new(self.offset(id), message);
        self.errors.push(error);
        let last = self.errors.len() - 1;
        &mut self.errors[last]
    }

    fn is_local(&self, name: &str) -> bool {
        // What begins with `@` was made by a macro: it cannot be written.
        name.starts_with('@') || self.scope.iter().any(|local| local == name)
    }

    fn ident(&mut self, id: u64, name: &str) -> Option<Slot> {
        if self.is_local(name) || names::TYPES.contains(&name) {
            return None;
        }
        if names::fields(name).next().is_some() {
            let list: Vec<_> = names::fields(name).collect();
            let error = match self.site.roots().contains(&name) {
                true => (
                    format!("`{name}` alone is no value"),
                    format!("name one of its fields: {}", list.join(", ")),
                ),
                false => self.not_here(name),
            };
            self.error(id, error.0).help = Some(error.1);
            return None;
        }
        match names::variable(name) {
            Some(variable) if self.site.roots().contains(&name) => Some(Slot::Variable(variable)),
            Some(_) => {
                let (message, help) = self.not_here(name);
                self.error(id, message).help = Some(help);
                None
            }
            None => {
                let locals: Vec<String> = self.scope.clone();
                let known = self.site.roots().iter().copied();
                let meant = nearest(name, known.chain(locals.iter().map(String::as_str)));
                let roots = self.site.roots().join(", ");
                let help = match meant {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("{} may use {roots}", self.site.name()),
                };
                self.error(id, format!("unknown name `{name}`")).help = Some(help);
                None
            }
        }
    }

    fn not_here(&self, name: &str) -> (String, String) {
        let message = format!("`{name}` does not exist in {}", self.site.name());
        (message, self.site.why_not(name).to_owned())
    }

    fn select(&mut self, id: u64, select: &mut SelectExpr) -> Option<Slot> {
        let Tree::Ident(root) = &select.operand.expr else {
            self.check(&mut select.operand);
            return None;
        };
        let root = root.clone();
        let has_fields = names::fields(&root).next().is_some();
        if self.is_local(&root) || !has_fields || !self.site.roots().contains(&root.as_str()) {
            self.check(&mut select.operand);
            return None;
        }
        let Some(variable) = names::variable(&format!("{root}.{}", select.field)) else {
            self.unknown_field(id, &root, &select.field);
            return None;
        };
        if select.test {
            let message = format!("`has({})` is always true", variable.name());
            let help = "absent texts are empty: compare with `''`";
            self.error(id, message).help = Some(help.to_owned());
            return None;
        }
        Some(Slot::Variable(variable))
    }

    fn unknown_field(&mut self, id: u64, root: &str, field: &str) {
        let help = match nearest(field, names::fields(root)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                let list: Vec<_> = names::fields(root).collect();
                format!("`{root}` has {}", list.join(", "))
            }
        };
        // The node stands at its dot.
        let offset = self.offset(id);
        let skip = self.source[offset..].find(field).unwrap_or(0);
        let message = format!("`{root}` has no field `{field}`");
        self.errors
            .push(ExprError::new(offset + skip, message).help(help));
    }

    fn comprehension(&mut self, c: &mut ComprehensionExpr) {
        self.check(&mut c.iter_range);
        self.check(&mut c.accu_init);
        let range = std::mem::take(&mut c.iter_range);
        c.iter_range = IdedExpr {
            id: range.id,
            expr: Tree::Call(CallExpr {
                func_name: ORDERED.to_owned(),
                target: None,
                args: vec![range],
            }),
        };
        let outside = self.scope.len();
        self.scope.push(c.iter_var.clone());
        self.scope.extend(c.iter_var2.clone());
        self.scope.push(c.accu_var.clone());
        self.check(&mut c.loop_cond);
        self.check(&mut c.loop_step);
        self.check(&mut c.result);
        self.scope.truncate(outside);
        let (id, again) = (c.loop_cond.id, std::mem::take(&mut c.loop_cond));
        let step = IdedExpr {
            id,
            expr: Tree::Ident(STEP.to_owned()),
        };
        c.loop_cond = IdedExpr {
            id,
            expr: Tree::Call(CallExpr {
                func_name: operators::LOGICAL_AND.to_owned(),
                target: None,
                args: vec![step, again],
            }),
        };
    }

    fn call(&mut self, id: u64, call: &mut CallExpr) -> Option<Slot> {
        let name = call.func_name.clone();
        if call.target.is_none() && names::HISTORY.contains(&name.as_str()) {
            return self.history(id, &name, &call.args).map(Slot::Query);
        }
        if let Some(target) = &mut call.target {
            self.check(target);
        }
        if name == "matches"
            && let Some(regex) = call.args.last_mut()
        {
            self.literal_regex(regex);
        }
        call.args.iter_mut().for_each(|arg| self.check(arg));
        let known = match call.target {
            Some(_) => names::MEMBER,
            None => names::GLOBAL,
        };
        let operator = !name.starts_with(|c: char| c.is_alphabetic());
        let operator = operator || name.starts_with('_') || name.starts_with('@');
        if !operator && !known.contains(&name.as_str()) {
            self.unknown_function(id, &name, call.target.is_some());
        }
        None
    }

    fn unknown_function(&mut self, id: u64, name: &str, member: bool) {
        let known: Vec<&str> = match member {
            true => names::MEMBER.to_vec(),
            false => [names::HISTORY, names::GLOBAL].concat(),
        };
        let help = match nearest(name, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", known.join(", ")),
        };
        let offset = self.name_before(id, name);
        let message = format!("unknown function `{name}`");
        self.errors.push(ExprError::new(offset, message).help(help));
    }

    /// Offset of a function's name: its node stands at the parenthesis behind it.
    fn name_before(&self, id: u64, name: &str) -> usize {
        let offset = self.offset(id);
        let before = self.source[..offset].trim_end();
        match before.strip_suffix(name) {
            Some(rest) => rest.len(),
            None => offset,
        }
    }

    /// Compiles a regex that is written out, so that a bad one is an error of the policy.
    fn literal_regex(&mut self, node: &mut IdedExpr) {
        let Some(text) = literal(node) else {
            return;
        };
        match (self.regex)(text) {
            Ok(regex) => {
                let slot = Slot::Pattern(Regex(regex));
                node.expr = self.slot(slot);
            }
            Err(e) => {
                self.error(node.id, e.message);
            }
        }
    }

    fn history(&mut self, id: u64, name: &str, args: &[IdedExpr]) -> Option<Query> {
        let offset = self.name_before(id, name);
        if !self.site.has_history() {
            let message = format!("`{name}` does not exist in {}", self.site.name());
            let error = ExprError::new(offset, message).help(self.site.why_not(name));
            self.errors.push(error);
            return None;
        }
        let wanted = if name == "recent" { 2 } else { 1 };
        if args.len() != wanted {
            let usage = if wanted == 2 {
                "recent('tool', 10)".to_owned()
            } else {
                format!("{name}('tool')")
            };
            let message = format!("`{name}` takes {wanted} argument(s), not {}", args.len());
            self.errors
                .push(ExprError::new(offset, message).help(format!("write `{usage}`")));
            return None;
        }
        let tools = self.tools(name, &args[0])?;
        Some(match name {
            "count" => Query::Count(tools),
            "seen" => Query::Seen(tools),
            "last_ok" => Query::LastOk(tools),
            "since" => Query::Since(tools),
            _ => Query::Recent(tools, self.length(&args[1])?),
        })
    }

    fn tools(&mut self, function: &str, arg: &IdedExpr) -> Option<MatcherId> {
        let Some(text) = literal(arg) else {
            let message =
                format!("`{function}` takes a tool name, glob or label written out in quotes");
            self.error(arg.id, message).help = Some(
                "gate counts calls as they settle, so it has to know the name beforehand".into(),
            );
            return None;
        };
        if text.is_empty() {
            self.error(arg.id, "the tool name is empty");
            return None;
        }
        match self.matchers.add(vec![text.to_owned()], Scope::Names) {
            Ok(id) => Some(id),
            Err((_, why)) => {
                self.error(arg.id, format!("bad glob `{text}`: {why}"));
                None
            }
        }
    }

    fn length(&mut self, arg: &IdedExpr) -> Option<usize> {
        let length = match &arg.expr {
            Tree::Literal(LiteralValue::Int(n)) => usize::try_from(*n.inner()).ok(),
            Tree::Literal(LiteralValue::UInt(n)) => usize::try_from(*n.inner()).ok(),
            _ => None,
        };
        let length = length.filter(|&n| n > 0);
        if length.is_none() {
            let message = "`recent` takes a number of calls, 1 or more, written out";
            self.error(arg.id, message);
        }
        length
    }
}

/// The text of a string literal.
fn literal(node: &IdedExpr) -> Option<&str> {
    match &node.expr {
        Tree::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

impl Slot {
    /// Whether both stand for the same.
    fn same(&self, other: &Slot) -> bool {
        match (self, other) {
            (Slot::Variable(a), Slot::Variable(b)) => a == b,
            (Slot::Query(a), Slot::Query(b)) => a == b,
            (Slot::Pattern(a), Slot::Pattern(b)) => a.0.as_str() == b.0.as_str(),
            _ => false,
        }
    }
}

impl Slot {
    /// What messages call it.
    pub fn name(&self) -> &'static str {
        match self {
            Slot::Variable(variable) => Variable::name(*variable),
            Slot::Query(_) => "the history",
            Slot::Pattern(_) => "the regex",
        }
    }
}
