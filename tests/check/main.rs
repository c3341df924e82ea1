//! What `gate check` says of policies: numbers that were worked out by hand, and each kind of finding
//! on a policy that has it and on one that has not.

#[path = "../program/mod.rs"]
mod program;
#[path = "../../src/testing.rs"]
mod testing;

mod binds;
mod cases;
mod dead;
mod exits;
mod numbers;
mod start;

use cases::CASES;
use gate::check::row::BarrierRow;
use gate::check::{CheckReport, check};
use gate::policy::{Policy, PolicyPlace, PolicySource, parse};
use gate::report::check::{CHECK_FORMATS, Shown};
use gate::verify::soundness::{Exit, Soundness};
use program::Scratch;
use serde_json::Value;

fn policy(text: &str) -> Policy {
    let source = PolicySource::File("p.toml".into());
    let nothing = |_: &str| Err("no file".to_owned());
    parse(text, "p.toml", source, &nothing).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn report(text: &str) -> CheckReport {
    check(&policy(text), None)
}

fn row(text: &str, name: &str) -> BarrierRow {
    let rows = report(text).barriers;
    let found = rows.into_iter().find(|row| row.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {text}"))
}

/// The default barriers under one function.
fn under(kappa: f64, power: f64) -> String {
    format!("[dcbf]\nkappa = {kappa:?}\npower = {power:?}\n")
}

fn exit(text: &str, name: &str) -> Option<Exit> {
    match row(text, name).soundness {
        Some(Soundness::Exits(exit) | Soundness::Between(exit)) => Some(exit),
        _ => None,
    }
}

/// A finding whose line is known and whose column is not has no column in any format.
#[test]
fn no_column_is_made_up_for_a_finding() {
    let mut report = report("dcbf.barriers.privacy.budget = 0.1\n");
    report.findings.truncate(1);
    let shown = Shown::default();
    let mut written = |line, column| {
        report.findings[0].place = PolicyPlace { line, column };
        let code = report.findings[0].code;
        let texts = CHECK_FORMATS.iter().map(|format| {
            let mut out = Vec::new();
            (format.write)(&report, &shown, &mut out).expect("memory");
            String::from_utf8(out).expect("UTF-8")
        });
        (code, texts.collect::<Vec<_>>())
    };
    let (code, texts) = written(4, 0);
    assert!(texts[0].contains(&format!("  4 {code}: ")), "{}", texts[0]);
    let json: Value = serde_json::from_str(&texts[1]).expect("JSON");
    let finding = &json["findings"][0];
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&4.into(), &Value::Null)
    );
    let (code, texts) = written(4, 2);
    assert!(
        texts[0].contains(&format!("  4:2 {code}: ")),
        "{}",
        texts[0]
    );
}

/// A schema without a demand is told of; what only describes is none.
#[test]
fn a_schema_that_demands_nothing_is_told_of() {
    let scratch = Scratch::new();
    scratch.file(
        "p.toml",
        "[[contracts]]\ntools = [\"a\"]\nschema = \"s.json\"\n",
    );
    for (schema, empty) in [
        ("{}", true),
        ("true", true),
        (
            "{\"title\": \"Arguments\", \"$schema\": \"https://json-schema.org/draft/2020-12/schema\"}",
            true,
        ),
        ("false", false),
        ("{\"type\": \"object\"}", false),
    ] {
        scratch.file("s.json", schema);
        let ran = scratch.gate("check p.toml").ends(0);
        assert_eq!(
            ran.out.contains("3:10 empty_schema"),
            empty,
            "{schema}\n{}",
            ran.out
        );
    }
}

#[test]
fn both_formats_hold_every_finding_and_nothing_is_said_beside_them() {
    let scratch = Scratch::new();
    let (_, line, text, _) = CASES[0];
    scratch.file("p.toml", text);
    for args in ["check p.toml", "check p.toml --format json"] {
        let ran = scratch.gate(args).ends(0);
        assert!(ran.out.contains("shadowed_pattern"), "{}", ran.out);
        assert_eq!(ran.err, "");
        scratch.gate(&format!("{args} --deny-warnings")).ends(1);
    }
    let ran = scratch.gate("check p.toml --format json").ends(0);
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(document["schema"], "gate.check/1");
    assert_eq!(document["findings"][0]["line"], line);
    assert_eq!(document["barriers"][1]["calls"]["calls"], 2);
    assert_eq!(document["limits"][1]["name"], "dfa.max_steps");
}

/// The effective form is a policy again, and the same one.
#[test]
fn the_effective_form_is_a_policy() {
    let scratch = Scratch::new();
    scratch.file("p.toml", "[dcbf]\nkappa = 2.0\n");
    let ran = scratch.gate("check p.toml --effective").ends(0);
    let effective = ran.out.clone();
    ran.says("warning: unsound_alpha");
    assert!(effective.contains("\n# stability: 50 calls, then none"));
    assert_eq!(
        policy(&effective).sha256,
        policy("[dcbf]\nkappa = 2.0\n").sha256
    );
    scratch.gate("check --effective --format json").ends(2);
    scratch.gate("check --effective --reach").ends(2);
}

/// Names of a policy come from whoever wrote it, and no line of the report is made by them.
#[test]
fn names_make_no_lines() {
    let scratch = Scratch::new();
    scratch.file(
        "p.toml",
        "[privilege.agents.\"a\\n\\u001B[2J\"]\ntools = []\nmax_total_cost_usd = 1\n",
    );
    let ran = scratch.gate("check p.toml").ends(0);
    assert!(ran.out.contains("agent_without_tools"), "{}", ran.out);
    assert!(
        ran.out.contains("\\u{1b}[2J") && !ran.out.contains('\u{1b}'),
        "{}",
        ran.out
    );
}
