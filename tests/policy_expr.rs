//! Expressions: their mistakes are errors of the policy; what they come to.

use gate::policy::expr::names::VARIABLES;
use gate::policy::expr::{Bindings, Compiler, Expr, Query, Site, Variable, values};
use gate::policy::matcher::Matchers;
use gate::policy::{PolicySource, parse};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Answers with fixed values and counts the questions.
#[derive(Default)]
struct Fixed {
    args: &'static str,
    asked: AtomicUsize,
}

impl Bindings for Fixed {
    fn variable(&self, variable: Variable) -> Option<cel::Value> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Some(match variable {
            Variable::CallTool => values::string("Bash"),
            Variable::CallArgs => {
                let json = gate::trace::json::parse(self.args.as_bytes()).expect("json");
                values::value_of(&json)
            }
            Variable::CallHosts => values::strings(["a.example", "b.example"]),
            Variable::StateStepCount => cel::Value::UInt(7),
            Variable::StateCostUsd => cel::Value::Float(1.5),
            Variable::RunIntent => return None,
            _ => values::string(""),
        })
    }

    fn query(&self, query: Query) -> cel::Value {
        match query {
            Query::Count(_) => cel::Value::Int(2),
            Query::Seen(_) | Query::LastOk(_) => cel::Value::Bool(true),
            Query::Since(_) => cel::Value::Int(-1),
            Query::Recent(_, n) => cel::Value::Int(n as i64),
        }
    }
}

fn compile(source: &str, site: Site) -> Result<Expr, Vec<String>> {
    let compiler = Compiler::new().expect("functions");
    compiler
        .compile(source, site, &mut Matchers::default())
        .map_err(|errors| {
            let show = |e: &gate::policy::expr::ExprError| {
                let help = e.help.iter().map(|help| format!(" | {help}"));
                format!("{}: {}{}", e.offset, e.message, help.collect::<String>())
            };
            errors.iter().map(show).collect()
        })
}

const ARGS: &str = r#"{"path":"/etc/x","n":3,"list":[1,2],"b":{"z":1,"y":2,"a":3}}"#;

fn test(source: &str) -> Result<bool, String> {
    let expr = compile(source, Site::Ensure).expect(source);
    let fixed = Fixed {
        args: ARGS,
        ..Fixed::default()
    };
    expr.test(&fixed)
}

#[track_caller]
fn wrong(source: &str, site: Site, expected: &str) {
    assert_eq!(
        compile(source, site).map(|_| ()),
        Err(vec![expected.to_owned()]),
        "{source}"
    );
}

#[test]
fn conditions_hold() {
    for source in [
        "call.tool == 'Bash'",
        "call.args.path.startsWith('/etc') && has(call.args.n) && !has(call.args.m)",
        "call.args['path'].matches('^/etc/.$') && matches(call.args.path, 'x$')",
        "call.args.path.matches('^' + call.args.path + '$')",
        "call.hosts.size() == 2 && call.hosts.exists(h, h.endsWith('.example'))",
        "call.args.list.all(n, n > 0) && call.args.list.map(n, n * 2) == [2, 4]",
        "count('a*') == 2 && seen('b') && last_ok(\"c\") && since('d') == -1",
        "recent('x', 3) == 3",
        "state.step_count == 7u && state.step_count + 1u > 7u && state.cost_usd < 2.0",
        "result == '' && error == ''",
        "type(call.args.n) == int && 'z' in call.args.b",
        "call.tool.lowerAscii() == 'bash'",
        "true || run.intent == 'x'",
        "[1, 2].exists(call, call == 2)",
    ] {
        assert_eq!(test(source), Ok(true), "{source}");
    }
}

#[test]
fn maps_are_walked_in_the_order_of_their_keys() {
    for _ in 0..20 {
        assert_eq!(test("call.args.b.map(k, k) == ['a', 'y', 'z']"), Ok(true));
        assert_eq!(
            test("call.args.b.filter(k, k > 'b').map(k, k)[0] == 'y'"),
            Ok(true)
        );
    }
}

#[test]
fn evaluation_errors_are_told_in_plain_words_without_values() {
    for (source, words) in [
        ("call.args.secret == 1", "there is no key `secret`"),
        (
            "call.args.path > 3",
            "`>` cannot be applied to string and int",
        ),
        (
            "call.args.path.matches('(' + call.args.path)",
            "`matches` was given something that is no regex",
        ),
        ("run.intent == 'x'", "`run.intent` does not exist here"),
        ("1 / (call.args.n - 3) == 1", "division by zero"),
        ("call.args.list[7] == 1", "the index is outside of the list"),
        (
            "call.args.n.matches('a')",
            "`matches` cannot be applied to int and pattern",
        ),
        (
            "int(call.args.path) == 1",
            "`int` cannot be worked out for what it was given",
        ),
        (
            "call.args.path",
            "it comes to a string, not to true or false",
        ),
        ("call.args.n", "it comes to a number, not to true or false"),
    ] {
        assert_eq!(test(source), Err(words.to_owned()), "{source}");
    }
}

#[test]
fn numbers_come_as_floats() {
    let number = |source: &str| {
        let expr = compile(source, Site::Barrier).expect(source);
        expr.number(&Fixed::default())
    };
    assert_eq!(number("3 - count('x')"), Ok(1.0));
    assert_eq!(number("state.step_count"), Ok(7.0));
    assert_eq!(number("2.0 - state.cost_usd"), Ok(0.5));
    assert_eq!(
        number("true"),
        Err("it comes to true or false, not to a number".into())
    );
    assert_eq!(
        number("state.phase"),
        Err("it comes to a string, not to a number".into())
    );
}

#[test]
fn a_variable_is_asked_for_once_and_only_when_needed() {
    let fixed = Fixed {
        args: ARGS,
        ..Fixed::default()
    };
    let expr = compile(
        "call.args.list.all(n, call.args.n > 0) || call.tool == ''",
        Site::Require,
    );
    assert_eq!(expr.expect("valid").test(&fixed), Ok(true));
    assert_eq!(fixed.asked.load(Ordering::Relaxed), 1);
}

#[test]
fn unknown_names_are_errors_with_the_nearest() {
    let require = Site::Require;
    wrong(
        "call.tol == 'x'",
        require,
        "5: `call` has no field `tol` | did you mean `tool`?",
    );
    wrong(
        "1 == call . zzz",
        require,
        "12: `call` has no field `zzz` | `call` has id, tool, agent, turn, args, resources, labels, estimated_cost_usd, text, commands, reads, writes, deletes, urls, hosts",
    );
    wrong(
        "cal.tool == 'x'",
        require,
        "0: unknown name `cal` | did you mean `call`?",
    );
    wrong(
        "zzz",
        require,
        "0: unknown name `zzz` | `require` may use call, state, run",
    );
    wrong(
        "true && call",
        require,
        "8: `call` alone is no value | name one of its fields: id, tool, agent, turn, args, resources, labels, estimated_cost_usd, text, commands, reads, writes, deletes, urls, hosts",
    );
    wrong(
        "call['tool'] == 'x'",
        require,
        "0: `call` alone is no value | name one of its fields: id, tool, agent, turn, args, resources, labels, estimated_cost_usd, text, commands, reads, writes, deletes, urls, hosts",
    );
    wrong(
        "has(call.agent)",
        require,
        "3: `has(call.agent)` is always true | absent texts are empty: compare with `''`",
    );
    wrong(
        "call.tool.startWith('x')",
        require,
        "10: unknown function `startWith` | did you mean `startsWith`?",
    );
    wrong(
        "cuont('x') > 1",
        require,
        "0: unknown function `cuont` | did you mean `count`?",
    );
    wrong(
        "T{a: 1} == 1",
        require,
        "1: no messages can be made: `T{..}`",
    );
    wrong(
        "[1].all(x, y > x)",
        require,
        "11: unknown name `y` | `require` may use call, state, run",
    );
}

#[test]
fn what_exists_depends_on_the_place() {
    wrong(
        "result == 1",
        Site::Require,
        "0: `result` does not exist in `require` | `result` and `error` exist in `ensure` alone, once the call has come back",
    );
    wrong(
        "call.tool == 'x' ? 1 : 2",
        Site::Barrier,
        "0: `call` does not exist in a barrier's `expr` | a barrier is a function of the state: it may use `state`, `run` and the functions over the history",
    );
    wrong(
        "state.phase == 'x'",
        Site::Label,
        "0: `state` does not exist in a label's `when` | a label belongs to the call: its condition may use `call` and `run`",
    );
    wrong(
        "seen('x')",
        Site::Label,
        "0: `seen` does not exist in a label's `when` | a label belongs to the call: its condition may use `call` and `run`",
    );
    for (name, _) in VARIABLES {
        assert!(
            compile(&format!("{name} == {name}"), Site::Ensure).is_ok(),
            "{name}"
        );
    }
}

#[test]
fn history_functions_take_literals() {
    let require = Site::Require;
    wrong(
        "count(call.tool) > 1",
        require,
        "10: `count` takes a tool name, glob or label written out in quotes | gate counts calls as they settle, so it has to know the name beforehand",
    );
    wrong(
        "recent('x', 0) > 1",
        require,
        "12: `recent` takes a number of calls, 1 or more, written out",
    );
    wrong(
        "recent('x', -2) > 1",
        require,
        "13: `recent` takes a number of calls, 1 or more, written out",
    );
    wrong(
        "recent('x') > 1",
        require,
        "0: `recent` takes 2 argument(s), not 1 | write `recent('tool', 10)`",
    );
    wrong(
        "seen()",
        require,
        "0: `seen` takes 1 argument(s), not 0 | write `seen('tool')`",
    );
    wrong("seen('')", require, "5: the tool name is empty");
    let glob = compile("seen('[z')", require).expect_err("bad glob");
    assert!(glob[0].starts_with("5: bad glob `[z`: "), "{glob:?}");
}

#[test]
fn syntax_errors_point_at_their_place() {
    let require = Site::Require;
    wrong("call.tool ==", require, "12: the expression ends too early");
    wrong(
        "call.tool = 'x'",
        require,
        "10: unexpected `=` | equality is written `==`",
    );
    wrong("'é' + @", require, "7: unexpected `@`");
    wrong("a b", require, "2: unexpected `b`");
    wrong("1 + -<", require, "5: unexpected `-<`");
    wrong("run.meta[", require, "9: the expression ends too early");
    wrong(
        "call.tool.matches('\\d')",
        require,
        "18: unexpected `'\\d` | write a text with backslashes as `r'..'`",
    );
    wrong("  ", require, "0: the expression is empty");
    wrong(
        "'x'.matches('a(')",
        require,
        "12: bad regex `a(`: unclosed group",
    );
    wrong("call.?tool == 'x'", require, "4: unsupported syntax '.?'");
}

#[test]
fn places_are_those_of_the_file() {
    let at = |text: &str| {
        let load = |_: &str| Err("none".to_owned());
        let errors = parse(text, "p", PolicySource::BuiltIn, &load).expect_err(text);
        (errors[0].line, errors[0].column)
    };
    assert_eq!(
        at("[[labels]]\nlabel='x'\nwhen = 'call.tol == 1'\n"),
        (3, 14)
    );
    assert_eq!(
        at("[[labels]]\nlabel='x'\nwhen = \"call.tol == 1\"\n"),
        (3, 14)
    );
    assert_eq!(
        at("[[labels]]\nlabel='x'\nwhen = '''\ntrue &&\n  call.tol == 1'''\n"),
        (5, 8)
    );
    assert_eq!(
        at("[[labels]]\nlabel='x'\nwhen = \"\\\"a\\\" == call.tol\"\n"),
        (3, 8)
    );
    assert_eq!(
        at("[[contracts]]\ntools=['x']\nrequire = ['true', 'zzz']\n"),
        (3, 21)
    );
}

#[test]
fn the_deepest_expressions_fit_the_stack_of_a_thread() {
    let plus = format!("1{} > 0", "+1".repeat(29));
    let nested = (0..7).fold("true".to_owned(), |inner, n| {
        format!("[1].exists(x{n}, {inner})")
    });
    let brackets = format!("{}true{}", "(".repeat(32), ")".repeat(32));
    let terms = vec!["call.tool == 'Bash'"; 200].join(" && ");
    for source in [plus, nested, brackets, terms] {
        let run = move || test(&source);
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
        assert_eq!(
            thread.expect("thread").join().expect("no overflow"),
            Ok(true)
        );
    }
    let deeper = compile(&format!("1{} > 0", "+1".repeat(40)), Site::Require);
    assert_eq!(
        deeper.map(|_| ()),
        Err(vec![
            "0: the expression is nested deeper than 32 levels".to_owned()
        ])
    );
}
