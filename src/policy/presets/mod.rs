//! Built-in policies to start from, and what each of their rules is for.
//!
//! A preset is a policy file with its explanation in it: lines that begin with `#:` belong to the
//! block of settings that follows them. The first of them names the rule and says in a few words
//! what it is; the others are its page. Lines that begin with `#+` are a trace that the rule lets
//! pass, lines that begin with `#-` one of which it refuses the last call: tests replay both. A
//! number behind the sign says how many times the line comes.

use super::toml::Source;

/// A built-in policy.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name, as `extends` and `--policy` take it.
    pub id: &'static str,
    /// One line about it.
    pub doc: &'static str,
    /// The policy.
    pub text: &'static str,
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        id: "default",
        doc: "nothing but the defaults of every stage and barrier",
        text: "",
    },
    Preset {
        id: "coding-agent",
        doc: "coding agents with a shell, files and the web",
        text: include_str!("coding-agent.toml"),
    },
    Preset {
        id: "mcp-default",
        doc: "agents whose tools are MCP servers",
        text: include_str!("mcp-default.toml"),
    },
    Preset {
        id: "agentdojo",
        doc: "the four suites of AgentDojo: mail, money, messages and bookings",
        text: include_str!("agentdojo.toml"),
    },
    Preset {
        id: "strict",
        doc: "look, but do not touch: reading tools alone, on small budgets",
        text: include_str!("strict.toml"),
    },
];

/// The preset of that name.
pub fn find(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

/// A line of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The record.
    pub line: &'static str,
    /// How many times it comes.
    pub times: usize,
}

impl Example {
    fn of(text: &'static str) -> Example {
        let (number, line) = text.split_once(' ').unwrap_or(("", text));
        Example {
            line: line.trim(),
            times: number.parse().unwrap_or(1),
        }
    }
}

/// A rule of a preset and its explanation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresetRule {
    /// Its name, `<preset>/<rule>`.
    pub id: String,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Its page: paragraphs of Markdown.
    pub page: Vec<&'static str>,
    /// The settings that make it, as they stand in the preset.
    pub settings: Vec<&'static str>,
    /// A trace that it lets pass.
    pub passes: Vec<Example>,
    /// A trace whose last call it refuses.
    pub refuses: Vec<Example>,
}

impl Preset {
    /// Its rules, in the order in which they stand.
    pub fn rules(&self) -> Vec<PresetRule> {
        let mut rules: Vec<PresetRule> = Vec::new();
        let mut in_head = false;
        for line in self.text.lines() {
            let marked = ["#:", "#+", "#-"].iter().find_map(|mark| {
                let rest = line.strip_prefix(mark)?;
                Some((*mark, rest))
            });
            match (marked, rules.last_mut()) {
                (Some(("#:", text)), _) if !in_head => {
                    in_head = true;
                    let (name, summary) = text.trim().split_once(": ").unwrap_or((text, ""));
                    rules.push(PresetRule {
                        id: format!("{}/{name}", self.id),
                        summary,
                        ..PresetRule::default()
                    });
                }
                (Some((mark, text)), Some(rule)) => match mark {
                    "#:" => rule.page.push(text.trim()),
                    "#+" => rule.passes.push(Example::of(text)),
                    _ => rule.refuses.push(Example::of(text)),
                },
                (None, Some(rule)) => {
                    in_head = false;
                    rule.settings.push(line);
                }
                _ => {}
            }
        }
        for rule in &mut rules {
            let blank = |line: &&str| line.trim().is_empty();
            while rule.settings.last().is_some_and(blank) {
                rule.settings.pop();
            }
        }
        rules
    }

    /// The ids of its contracts, which `without` may name.
    pub fn contracts(&self) -> Vec<String> {
        let source = Source::new(self.id, self.text);
        let Ok(table) = source.parse() else {
            return Vec::new();
        };
        let contracts = table.get_ref().get("contracts");
        let contracts = contracts.and_then(|list| list.get_ref().as_array());
        let id = |contract: &::toml::Spanned<::toml::de::DeValue<'_>>| {
            let id = contract.get_ref().as_table()?.get("id")?;
            Some(id.get_ref().as_str()?.to_owned())
        };
        contracts.into_iter().flatten().filter_map(id).collect()
    }
}
