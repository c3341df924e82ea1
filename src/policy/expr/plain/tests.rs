//! Plain conditions against the interpreter.

use super::super::values::{string, strings};
use super::super::{Bindings, Compiler, Query, Site, Variable, eval};
use crate::policy::matcher::Matchers;
use crate::testing::Random;
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

/// A condition, with the names of the elements around it.
fn condition(random: &mut Random, depth: usize, loops: &mut Vec<&'static str>) -> String {
    let texts = ["call.tool", "call.text", "'a b'", "''", "call.id"];
    let texts = [&texts[..], loops].concat();
    let lists = [
        "call.commands",
        "call.reads",
        "(call.reads + call.commands)",
        "call.urls",
    ];
    let (one, other, list) = (
        random.pick(&texts),
        random.pick(&texts),
        random.pick(&lists),
    );
    let inner =
        |random: &mut Random, loops: &mut Vec<_>| condition(random, depth.saturating_sub(1), loops);
    match random.below(if depth == 0 { 7 } else { 13 }) {
        0 => (*random.pick(&["true", "false", "1 / 0 == 1", "call.turn == 1"])).to_owned(),
        1 => format!(
            "{one}.matches(r'{}')",
            random.pick(&["^a", "b", "(?i)A B", "x*", "[^a]$"])
        ),
        2 => {
            let name = random.pick(&["contains", "startsWith", "endsWith"]);
            match random.below(4) {
                0 => format!("{list}.size().{name}({})", random.below(3)),
                _ => format!("{one}.{name}({other})"),
            }
        }
        3 => format!("{one} {} {other}", random.pick(&["==", "!="])),
        4 => format!("{one} in {list}"),
        5 => {
            let order = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
            format!("{list}.size() {order} {}", random.below(3))
        }
        6 => format!("size({list}) > 0"),
        7 => format!("!({})", inner(random, loops)),
        8 | 9 => {
            let (one, other) = (inner(random, loops), inner(random, loops));
            format!("({one}) {} ({other})", random.pick(&["&&", "||"]))
        }
        10 => {
            let (one, other) = (inner(random, loops), inner(random, loops));
            format!("({one} ? {other} : true)")
        }
        _ => {
            let (each, name) = (random.pick(&["exists", "all"]), *random.pick(&["c", "p"]));
            loops.push(name);
            let inner = inner(random, loops);
            loops.pop();
            format!("{list}.{each}({name}, {inner})")
        }
    }
}

fn call(random: &mut Random) -> Call {
    let words = ["a", "b", "a b", "", "xa", "bash"];
    let mut list = || {
        let length = random.below(4);
        (0..length)
            .map(|_| (*random.pick(&words)).to_owned())
            .collect()
    };
    let (commands, reads): (Vec<_>, Vec<_>) = (list(), list());
    Call {
        text: (random.below(4) > 0).then(|| (*random.pick(&words)).to_owned()),
        commands: (random.below(5) > 0).then_some(commands),
        reads,
    }
}

/// Where this has an answer it is the interpreter's, whatever is absent or fails; and it has one of
/// most conditions.
#[test]
fn its_answers_are_those_of_the_interpreter() {
    let compiler = Compiler::new().expect("an environment");
    let mut random = Random::new(5);
    let (mut answers, mut asked) = (0, 0);
    for _ in 0..400 {
        let depth = random.below(4);
        let source = condition(&mut random, depth, &mut Vec::new());
        let mut matchers = Matchers::default();
        let Ok(expr) = compiler.compile(&source, Site::Require, &mut matchers) else {
            continue;
        };
        let program = expr.program().expect(&source);
        for _ in 0..6 {
            let call = call(&mut random);
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
    let expr = expr.expect(source);
    let program = expr.program().expect(source);
    let plain = program.plain.as_ref().expect("a plain condition");
    let call = |length| Call {
        text: None,
        commands: None,
        reads: vec!["a".to_owned(); length],
    };
    assert_eq!(plain.holds(&program.slots, &call(90)), Some(true));
    assert_eq!(plain.holds(&program.slots, &call(120)), None);
}

/// Every expression of the presets compiles, which nobody asks when one is read, and nearly every
/// condition of a call alone has a plain form: those that take texts apart have not.
#[test]
fn presets_compile_and_are_plain() {
    let mut others = Vec::new();
    for preset in crate::policy::presets::PRESETS {
        let policy = crate::policy::Policy::preset(preset.id).expect(preset.id);
        for expr in policy.expressions() {
            let program = expr.program().expect("what compiles");
            let of_run = expr.names(Variable::RunIntent) || expr.queries().count() > 0;
            if program.plain.is_none() && !of_run {
                others.push(expr.source().to_owned());
            }
        }
    }
    assert!(others.len() <= 2, "{others:#?}");
}
