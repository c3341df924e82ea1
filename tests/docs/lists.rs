//! The lists of the program and the tables of the documentation say the same.

use super::{quoted, root, rows, section, text};
use gate::barriers::BARRIERS;
use gate::check::Code;
use gate::exit::Finding;
use gate::import::{IMPORTERS, Opening, Record, Sink};
use gate::inspect::facts::Fact;
use gate::report::FORMATS;
use gate::report::barriers::BARRIER_FORMATS;
use gate::report::calibration::CALIBRATION_FORMATS;
use gate::report::check::CHECK_FORMATS;
use gate::report::explain::EXPLAIN_FORMATS;
use gate::report::inspect::INSPECT_FORMATS;
use gate::stages::STAGES;
use gate::trace::event::Event;
use gate::trace::fault::{FaultCode, Notice, Place, WarningCode};

/// The first words in backticks of every row.
fn first(text: &str) -> Vec<String> {
    let rows = rows(text);
    let cells = rows
        .iter()
        .filter_map(|row| quoted(&row[0]).first().cloned());
    cells.collect()
}

#[test]
fn every_fault_and_warning_has_its_row() {
    let page = text("docs/trace.md");
    let faults = FaultCode::ALL.iter().map(|code| code.as_str());
    assert_eq!(
        first(&section(&page, "## Faults")),
        faults.collect::<Vec<_>>()
    );
    let warnings = WarningCode::ALL.iter().map(|code| code.as_str());
    assert_eq!(
        first(&section(&page, "## Warnings")),
        warnings.collect::<Vec<_>>()
    );
}

/// Takes everything and keeps nothing.
struct Nothing;

impl Sink for Nothing {
    fn event(&mut self, _: Place, _: Event<'_>) {}
    fn notice(&mut self, _: Notice) {}
}

#[test]
fn every_documented_field_is_a_field_of_its_record() {
    let page = text("docs/trace.md");
    let canonical = IMPORTERS.iter().find(|format| format.id == "canonical");
    let canonical = canonical.expect("the canonical format");
    let unknown = |record: String| {
        let mut importer = (canonical.importer)(Opening {
            input: 0,
            stem: "x",
            max_hold: 1 << 20,
        });
        let record = Record {
            place: Place::default(),
            text: record.as_bytes(),
            last: true,
        };
        importer.record(record, &mut Nothing);
        importer.unknown_fields()
    };
    assert_eq!(unknown("{\"nope\":null}".into()), 1);
    for kind in [
        "tool_call",
        "tool_result",
        "approval",
        "run_start",
        "run_end",
    ] {
        let section = section(&page, &format!("### `{kind}`"));
        let names: Vec<_> = rows(&section).iter().flat_map(|r| quoted(&r[0])).collect();
        assert!(names.len() >= 4, "{kind}: {names:?}");
        for name in names {
            let field = name.split('.').next().unwrap_or_default();
            let record = format!("{{\"type\":\"{kind}\",\"{field}\":null}}");
            assert_eq!(unknown(record), 0, "{kind}: `{name}`");
        }
    }
}

#[test]
fn every_stage_has_its_section_and_every_rule_its_row() {
    let page = text("docs/stages.md");
    let listed = first(page.split("\n## ").next().unwrap_or_default());
    for stage in STAGES {
        assert!(listed.contains(&stage.id().to_owned()), "{}", stage.id());
        let section = section(&page, &format!("## `{}`", stage.id()));
        let rules = first(&section);
        for (rule, _) in stage.rules() {
            assert!(rules.contains(&(*rule).to_owned()), "{}.{rule}", stage.id());
        }
        let known = |name: &String| {
            stage.rules().iter().any(|(rule, _)| rule == name)
                || BARRIERS.iter().any(|barrier| barrier.id == name)
        };
        let strange: Vec<_> = rules.iter().filter(|name| !known(name)).collect();
        assert!(strange.is_empty(), "{}: {strange:?}", stage.id());
    }
}

#[test]
fn every_barrier_has_its_row_and_unit() {
    let page = section(&text("docs/stages.md"), "## `dcbf`");
    for barrier in BARRIERS {
        let row = rows(&page)
            .into_iter()
            .find(|row| row[0] == format!("`{}`", barrier.id));
        let row = row.unwrap_or_else(|| panic!("`{}` has no row", barrier.id));
        assert_eq!(row[2], barrier.unit, "{}", barrier.id);
    }
}

#[test]
fn every_finding_has_its_row() {
    let page = section(&text("docs/exit-status.md"), "## Findings");
    let words = Finding::ALL.iter().map(|(_, word)| *word);
    assert_eq!(first(&page), words.collect::<Vec<_>>());
}

#[test]
fn every_format_is_named() {
    let readme = section(&text("README.md"), "## Inputs");
    for format in IMPORTERS {
        assert!(readme.contains(format.title), "{}", format.title);
    }
    let page = text("docs/output.md");
    let reports = FORMATS.iter().map(|format| format.id);
    let barriers = BARRIER_FORMATS.iter().map(|format| format.id);
    let inspections = INSPECT_FORMATS.iter().map(|format| format.id);
    let calibrations = CALIBRATION_FORMATS.iter().map(|format| format.id);
    let explanations = EXPLAIN_FORMATS.iter().map(|format| format.id);
    let checks = CHECK_FORMATS.iter().map(|format| format.id);
    let others = barriers.chain(inspections).chain(calibrations);
    let others = others.chain(explanations).chain(checks);
    for id in reports.chain(others) {
        assert!(page.contains(&format!("`{id}`")), "{id}");
    }
}

#[test]
fn every_finding_about_a_policy_has_its_row() {
    let page = section(&text("docs/check.md"), "## Findings");
    let codes = Code::ALL.iter().map(|code| code.as_str());
    assert_eq!(first(&page), codes.collect::<Vec<_>>());
}

#[test]
fn every_fact_of_an_inspection_is_named() {
    let page = section(&text("docs/inspect.md"), "### `gate.inspect/1`");
    for (_, name, words) in Fact::ALL {
        assert!(page.contains(&format!("`{name}`")), "{name}");
        assert!(!words.is_empty());
    }
}

/// Made anew with `UPDATE_DOCS=1`.
#[test]
fn the_page_about_formats_is_what_the_program_says() {
    let page = gate::import::doc::page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(root().join("docs/formats.md"), &page).expect("written");
    }
    let same = page == text("docs/formats.md");
    assert!(same, "docs/formats.md is out of date: set UPDATE_DOCS=1");
}

/// Made anew with `UPDATE_DOCS=1`.
#[test]
fn the_page_about_rules_is_what_the_program_says() {
    let page = gate::rules::document();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(root().join("docs/rules.md"), &page).expect("written");
    }
    let same = page == text("docs/rules.md");
    assert!(same, "docs/rules.md is out of date: set UPDATE_DOCS=1");
}

/// Made anew with `UPDATE_DOCS=1`.
#[test]
fn the_page_about_the_gloss_is_what_the_program_says() {
    let page = gate::firewall::gloss::document();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(root().join("docs/gloss.md"), &page).expect("written");
    }
    let same = page == text("docs/gloss.md");
    assert!(same, "docs/gloss.md is out of date: set UPDATE_DOCS=1");
}

/// Made anew with `UPDATE_DOCS=1`. What is not listed is never found, whatever the pattern says.
#[test]
fn the_literals_of_the_gloss_are_those_of_its_patterns() {
    let made = gate::firewall::gloss::table::literals().expect("patterns");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(root().join("src/firewall/gloss.literals"), &made).expect("written");
    }
    let same = made == text("src/firewall/gloss.literals");
    assert!(
        same,
        "src/firewall/gloss.literals is out of date: set UPDATE_DOCS=1"
    );
}

#[test]
fn every_rule_has_its_page() {
    let rules = gate::rules::all();
    for rule in &rules {
        assert!(!rule.summary.is_empty(), "{}", rule.id);
        assert!(rule.page.len() > 40, "{} has no page", rule.id);
        let same = rules.iter().filter(|other| other.id == rule.id);
        assert_eq!(same.count(), 1, "{}", rule.id);
    }
}

#[test]
fn every_dependency_has_its_row() {
    let manifest: toml::Table = text("Cargo.toml").parse().expect("a manifest");
    let mut required = Vec::new();
    for table in ["dependencies", "dev-dependencies"] {
        let table = manifest[table].as_table().expect("dependencies");
        required.extend(table.iter().map(|(name, what)| {
            let version = what.as_str().or_else(|| what.get("version")?.as_str());
            (name.clone(), version.unwrap_or_default().to_owned())
        }));
    }
    let page = text("docs/dependencies.md");
    let head = page.split("\n## ").next().unwrap_or_default();
    let documented: Vec<_> = rows(head)
        .into_iter()
        .map(|row| (row[0].trim_matches('`').to_owned(), row[1].clone()))
        .collect();
    assert_eq!(documented, required);
}

/// What the environment decides is said, and what it decides in GitHub Actions also where recipes are.
#[test]
fn every_variable_of_the_environment_is_documented() {
    let mut names = Vec::new();
    for entry in walkdir::WalkDir::new(root().join("src/cli")) {
        let entry = entry.expect("an entry");
        if entry.file_type().is_file() {
            let source = std::fs::read_to_string(entry.path()).expect("source");
            let asked = source.split("env::var_os(\"").skip(1);
            names.extend(asked.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }
    assert!(names.len() > 2, "{names:?}");
    let (output, ci) = (text("docs/output.md"), text("docs/ci.md"));
    let (here, there) = (
        section(&output, "## GitHub Actions"),
        section(&ci, "## GitHub Actions"),
    );
    for name in names {
        let told = format!("`{name}`");
        assert!(output.contains(&told), "{name}");
        if name.starts_with("GITHUB_") {
            assert!(here.contains(&told) && there.contains(&told), "{name}");
        }
    }
    for page in [here, there] {
        assert!(page.contains("`--no-github`") && page.contains("`gate replay`"));
    }
}
