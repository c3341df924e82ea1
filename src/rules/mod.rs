//! Every rule that a decision can name, with its page: those of the stages, the barriers, and those of
//! the presets. `gate rule` prints them, and `docs/rules.md` is made of them.

mod page;

use crate::barriers::BARRIERS;
use crate::policy::presets::{Example, PRESETS, PresetRule};
use crate::stages::STAGES;
pub use page::document;

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name: `<stage>/<rule>`, `barrier/<barrier>` or `<preset>/<rule>`.
    pub id: String,
    /// What it says, in a few words.
    pub summary: String,
    /// Its explanation, in Markdown, without a heading.
    pub page: String,
    /// What it is a rule of.
    pub kind: Kind,
}

/// What a rule is a rule of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A stage of the pipeline.
    Stage,
    /// The safe set.
    Barrier,
    /// A preset.
    Preset,
}

/// Pages of the stages, and of the barriers, by their ids.
const PAGES: &[(&str, &str)] = &[
    ("gates", include_str!("pages/gates.md")),
    ("privilege", include_str!("pages/privilege.md")),
    ("dfa", include_str!("pages/dfa.md")),
    ("contracts", include_str!("pages/contracts.md")),
    ("dcbf", include_str!("pages/dcbf.md")),
    ("semantic", include_str!("pages/semantic.md")),
    ("barrier", include_str!("pages/barrier.md")),
];

/// Every rule: the stages in pipeline order, the barriers, the presets.
pub fn all() -> Vec<Rule> {
    let stages = STAGES.iter().flat_map(|stage| {
        let rules = stage.rules().iter();
        rules.map(|(rule, summary)| built_in(stage.id(), rule, summary, Kind::Stage))
    });
    let barriers = BARRIERS.iter().map(|barrier| {
        let summary = format!("a barrier, in {}", barrier.unit);
        built_in("barrier", barrier.id, &summary, Kind::Barrier)
    });
    let presets = PRESETS.iter().flat_map(|preset| preset.rules());
    stages
        .chain(barriers)
        .chain(presets.map(|rule| of_preset(&rule)))
        .collect()
}

/// The rule of that name.
pub fn find(id: &str) -> Option<Rule> {
    all().into_iter().find(|rule| rule.id == id)
}

fn built_in(of: &str, rule: &str, summary: &str, kind: Kind) -> Rule {
    Rule {
        id: format!("{of}/{rule}"),
        summary: summary.to_owned(),
        page: written(of, rule).trim().to_owned(),
        kind,
    }
}

/// What stands under the heading of a rule in the pages of a stage; empty if nothing does.
fn written(of: &str, rule: &str) -> &'static str {
    let pages = PAGES.iter().find(|(id, _)| *id == of);
    let sections = pages.into_iter().flat_map(|(_, text)| text.split("## "));
    let section = sections.filter_map(|section| section.split_once('\n'));
    let mut found = section.filter(|(heading, _)| heading.trim() == rule);
    found.next().map_or("", |(_, text)| text)
}

fn shown(example: &Example) -> String {
    match example.times {
        1 => example.line.to_owned(),
        times => format!("{}  # {times} times", example.line),
    }
}

fn of_preset(rule: &PresetRule) -> Rule {
    let mut page = rule.page.join("\n");
    page += "\n\n```toml\n";
    page += &rule.settings.join("\n");
    page += "\n```\n";
    for (head, calls) in [
        ("It lets pass:", &rule.passes),
        ("It refuses the last of:", &rule.refuses),
    ] {
        if !calls.is_empty() {
            let lines: Vec<String> = calls.iter().map(shown).collect();
            page += &format!("\n{head}\n\n```json\n{}\n```\n", lines.join("\n"));
        }
    }
    Rule {
        id: rule.id.clone(),
        summary: rule.summary.to_owned(),
        page: page.trim().to_owned(),
        kind: Kind::Preset,
    }
}
