//! Conditions on texts, evaluated without the interpreter.
//!
//! Most conditions of policies ask whether lists of texts have one that matches a regex. The
//! interpreter makes values of all they name, looks functions up by name and copies what a loop goes
//! over: some ten thousand instructions for a condition that comes to a few comparisons. What is
//! understood here is those comparisons alone. Where anything else decides, or is absent, or a loop
//! goes on for long, this has no answer, and the interpreter is asked: its errors are the only ones.

use super::eval::{STEP, slot_index};
use super::functions::ORDERED;
use super::{Bindings, Slot, Variable};
use cel::common::ast::{
    CallExpr, ComprehensionExpr, Expr as Tree, IdedExpr, LiteralValue, operators,
};
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
        let mut reader = Reader {
            slots,
            loops: Vec::new(),
        };
        let plain = reader.condition(tree);
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

/// Reads a checked tree.
struct Reader<'a> {
    slots: &'a [Slot],
    /// Names of the elements of the loops around the place.
    loops: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn condition(&mut self, tree: &'a IdedExpr) -> Plain {
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

#[cfg(test)]
mod tests {
    use super::super::values::{string, strings};
    use super::super::{Compiler, Query, Site, eval};
    use super::*;
    use crate::policy::matcher::Matchers;
    use cel::Value;

    /// A call of which some is known.
    #[derive(Debug)]
    struct Call {
        text: Option<String>,
        commands: Option<Vec<String>>,
        reads: Vec<String>,
    }

    impl Bindings for Call {
        fn variable(&self, variable: Variable) -> Option<Value> {
            match variable {
                Variable::CallTool => Some(string("bash")),
                Variable::CallText => self.text.as_deref().map(string),
                Variable::CallCommands => self.commands.as_ref().map(strings),
                Variable::CallReads => Some(strings(&self.reads)),
                _ => None,
            }
        }

        fn text(&self, variable: Variable) -> Option<&str> {
            match variable {
                Variable::CallTool => Some("bash"),
                Variable::CallText => self.text.as_deref(),
                _ => None,
            }
        }

        fn texts(&self, variable: Variable) -> Option<&[String]> {
            match variable {
                Variable::CallCommands => self.commands.as_deref(),
                Variable::CallReads => Some(&self.reads),
                _ => None,
            }
        }

        fn query(&self, _: Query) -> Value {
            Value::Null
        }
    }

    /// Numbers without end, the same each time.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = (self.0)
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % end
        }

        fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
            all[self.below(all.len())]
        }

        /// A condition, with the names of the elements around it.
        fn condition(&mut self, depth: usize, loops: &mut Vec<&'static str>) -> String {
            let texts = ["call.tool", "call.text", "'a b'", "''", "call.id"];
            let texts = [&texts[..], loops].concat();
            let lists = [
                "call.commands",
                "call.reads",
                "(call.reads + call.commands)",
                "call.urls",
            ];
            let (one, other, list) = (self.of(&texts), self.of(&texts), self.of(&lists));
            let inner = depth.saturating_sub(1);
            match self.below(if depth == 0 { 7 } else { 13 }) {
                0 => self
                    .of(&["true", "false", "1 / 0 == 1", "call.turn == 1"])
                    .to_owned(),
                1 => format!(
                    "{one}.matches(r'{}')",
                    self.of(&["^a", "b", "(?i)A B", "x*", "[^a]$"])
                ),
                2 => format!(
                    "{one}.{}({other})",
                    self.of(&["contains", "startsWith", "endsWith"])
                ),
                3 => format!("{one} {} {other}", self.of(&["==", "!="])),
                4 => format!("{one} in {list}"),
                5 => {
                    let order = self.of(&["<", "<=", ">", ">=", "==", "!="]);
                    format!("{list}.size() {order} {}", self.below(3))
                }
                6 => format!("size({list}) > 0"),
                7 => format!("!({})", self.condition(inner, loops)),
                8 | 9 => {
                    let (one, other) = (self.condition(inner, loops), self.condition(inner, loops));
                    format!("({one}) {} ({other})", self.of(&["&&", "||"]))
                }
                10 => {
                    let (one, other) = (self.condition(inner, loops), self.condition(inner, loops));
                    format!("({one} ? {other} : true)")
                }
                _ => {
                    let (each, name) = (self.of(&["exists", "all"]), self.of(&["c", "p"]));
                    let name = if name == "c" { "c" } else { "p" };
                    loops.push(name);
                    let inner = self.condition(inner, loops);
                    loops.pop();
                    format!("{list}.{each}({name}, {inner})")
                }
            }
        }

        fn call(&mut self) -> Call {
            let words = ["a", "b", "a b", "", "xa", "bash"];
            let mut list = || {
                let length = self.below(4);
                (0..length).map(|_| self.of(&words).to_owned()).collect()
            };
            let (commands, reads): (Vec<_>, Vec<_>) = (list(), list());
            Call {
                text: (self.below(4) > 0).then(|| self.of(&words).to_owned()),
                commands: (self.below(5) > 0).then_some(commands),
                reads,
            }
        }
    }

    /// Where this has an answer it is the interpreter's, whatever is absent or fails; and it has one of
    /// most conditions.
    #[test]
    fn its_answers_are_those_of_the_interpreter() {
        let compiler = Compiler::new().expect("an environment");
        let mut random = Random(5);
        let (mut answers, mut asked) = (0, 0);
        for _ in 0..400 {
            let depth = random.below(4);
            let source = random.condition(depth, &mut Vec::new());
            let mut matchers = Matchers::default();
            let Ok(expr) = compiler.compile(&source, Site::Require, &mut matchers) else {
                continue;
            };
            let program = &expr.program;
            for _ in 0..6 {
                let call = random.call();
                let plain = program.plain.as_ref();
                let plain = plain.and_then(|plain| plain.holds(&program.slots, &call));
                asked += 1;
                if let Some(holds) = plain {
                    answers += 1;
                    let told = eval::run(program, &call);
                    assert_eq!(told, Ok(eval::Outcome::Bool(holds)), "{source} of {call:?}");
                }
            }
        }
        assert!(asked > 1000 && answers > asked / 2, "{answers} of {asked}");
    }

    /// Loops that go on for long are the interpreter's, whose limit is told in its words.
    #[test]
    fn long_loops_are_left_to_the_interpreter() {
        let compiler = Compiler::new().expect("an environment");
        let source = "call.reads.all(p, call.reads.all(q, p != 'x' || q == 'x'))";
        let expr = compiler.compile(source, Site::Require, &mut Matchers::default());
        let program = expr.expect(source).program;
        let plain = program.plain.as_ref().expect("a plain condition");
        let call = |length| Call {
            text: None,
            commands: None,
            reads: vec!["a".to_owned(); length],
        };
        assert_eq!(plain.holds(&program.slots, &call(90)), Some(true));
        assert_eq!(plain.holds(&program.slots, &call(120)), None);
    }

    /// Every condition of the presets has a plain form.
    #[test]
    fn presets_are_plain() {
        for preset in crate::policy::presets::PRESETS {
            let policy = crate::policy::Policy::preset(preset.id).expect(preset.id);
            let labels = policy.labels.iter().filter_map(|rule| rule.when.as_ref());
            let contracts = policy.contracts.iter().flat_map(|c| &c.require);
            for expr in labels.chain(contracts) {
                assert!(expr.program.plain.is_some(), "{}", expr.source());
            }
        }
    }
}
