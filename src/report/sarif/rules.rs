//! The rules of a report: one for each rule of the stages, and one for each code of a fault or a warning.

use super::codes::{DOUBTS, FAULTS, WARNINGS};
use super::model::{Configuration, Descriptor, Help, Message, Tags};
use super::text;
use crate::report::finding::{Level, RuleId};
use crate::rules::{self, Kind};

/// Rules that escalate or withhold; all others of the stages block.
const WARN: &[&str] = &["semantic/harm", "contracts/ensure"];

/// What is told of the hazards of batches.
const HAZARD: &str = "\
Calls of the run were in flight together, each of them admitted by itself, and barriers refuse this one once the effects \
of the others are counted too. The recording shows what a monitor that judges call by call cannot see.

`--fail-on hazard` makes it a finding. With `--dispatch sequential` no calls are in flight together.";

/// What is told of labels that could not be evaluated.
const LABEL: &str = "\
The condition of a label could not be evaluated for this call, so it is not known which rules are about it. The decision \
is `error`, and the call may not run.

Look at the `when` of the label in `[[labels]]`: it asks for something that the arguments of the call do not have.";

/// The rules, in the order in which they are listed.
#[derive(Debug)]
pub struct Rules(Vec<Descriptor>);

impl Rules {
    /// Every rule.
    pub fn all() -> Rules {
        let stages = rules::all()
            .into_iter()
            .filter(|rule| rule.kind == Kind::Stage);
        let stages = stages.map(|rule| {
            let level = match WARN.contains(&rule.id.as_str()) {
                true => Level::Warning,
                false => Level::Error,
            };
            descriptor(&rule.id, level, &rule.summary, &rule.page)
        });
        let label = descriptor(
            &RuleId::LABEL.to_string(),
            Level::Error,
            "a label that could not be evaluated",
            LABEL,
        );
        let hazard = descriptor(
            &RuleId::HAZARD.to_string(),
            Level::Warning,
            "a call that barriers refuse jointly with calls in flight",
            HAZARD,
        );
        let coded = [
            (RuleId::FAULT, Level::Error, FAULTS),
            (RuleId::WARNING, Level::Warning, WARNINGS),
            (RuleId::POLICY, Level::Warning, DOUBTS),
        ];
        let coded = coded.into_iter().flat_map(|(group, level, codes)| {
            let codes = codes.iter();
            codes.map(move |(code, says)| descriptor(&format!("{group}/{code}"), level, says, says))
        });
        Rules(stages.chain([label, hazard]).chain(coded).collect())
    }

    /// The place of a rule in the list; absent for one that is not in it.
    pub fn index(&self, id: &str) -> Option<usize> {
        self.0.iter().position(|rule| rule.id == id)
    }

    /// The list.
    pub fn list(&self) -> &[Descriptor] {
        &self.0
    }
}

fn descriptor(id: &str, level: Level, summary: &str, page: &str) -> Descriptor {
    let page = without_links(page);
    let first = page.split("\n\n").next().unwrap_or_default();
    let group = id.split('/').next().unwrap_or_default();
    Descriptor {
        id: id.to_owned(),
        name: camel_case(id),
        short_description: Message::plain(summary),
        full_description: Message::plain(&first.replace('\n', " ")),
        help: Help {
            text: text::message(&page),
            markdown: page,
        },
        default_configuration: Configuration {
            level: level.as_str(),
        },
        properties: Tags {
            tags: vec![group.to_owned()],
        },
    }
}

/// The id as one word: `dcbf/forward_invariance` is `DcbfForwardInvariance`.
fn camel_case(id: &str) -> String {
    let words = id.split(['/', '_']);
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    words.map(capital).collect()
}

/// The page without its links to other pages, which lead nowhere from a report.
fn without_links(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("](") {
        let (lead, words) = before.rsplit_once('[').unwrap_or(("", before));
        out.push_str(lead);
        out.push_str(words);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_stages_is_there_with_its_page() {
        let all = Rules::all();
        for stage in crate::rules::all()
            .iter()
            .filter(|rule| rule.kind == Kind::Stage)
        {
            let index = all.index(&stage.id).expect("a rule");
            let rule = &all.list()[index];
            assert!(
                rule.help.markdown.len() > 50 && !rule.help.markdown.contains("]("),
                "{}",
                rule.id
            );
        }
        let mut ids: Vec<&str> = all.list().iter().map(|rule| rule.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all.list().len());
    }

    #[test]
    fn links_are_their_words() {
        assert_eq!(
            without_links("see [a](b.md) and [c](d), `[x]`"),
            "see a and c, `[x]`"
        );
        assert_eq!(
            camel_case("dcbf/forward_invariance"),
            "DcbfForwardInvariance"
        );
    }
}
