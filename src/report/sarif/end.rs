//! What stands around the results: the tool before them; how it ended, and what it read, behind them.

use super::model::{Artifact, Descriptor, Location, Message, ROOT};
use crate::audit::summary::{InputSummary, Summary};
use crate::escape::visible;
use crate::exit::Exit;
use crate::number::count;
use crate::report::Header;
use crate::report::args::MASK;
use crate::report::finding::{self, Level};
use crate::report::json::v1::summary::SummaryRecord;
use crate::trace::fault::Notice;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a document of version 2.1.0 is held against.
pub const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The program.
#[derive(Debug, Serialize)]
pub struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    short_description: Message,
    notifications: Vec<Kind>,
    rules: &'a [Descriptor],
}

/// A kind of notification.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Kind {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Message,
}

/// Kinds of notifications, each with what it says.
const KINDS: &[(&str, &str)] = &[
    (
        "input_fault",
        "an input holds something that cannot be trusted",
    ),
    (
        "unread_input",
        "an input could not be read, or not to its end",
    ),
    (
        "more_faults",
        "there are more input faults than are notified of; all are results",
    ),
    (
        "broken_law",
        "the counts of the report do not add up: an error of gate itself",
    ),
];

/// The program, with its rules.
pub fn tool(rules: &[Descriptor]) -> Tool<'_> {
    let version = env!("CARGO_PKG_VERSION");
    let kind = |(id, says): &(&'static str, &str)| Kind {
        id,
        short_description: Message::plain(says),
        full_description: Message::plain(says),
        help: Message::plain(says),
    };
    Tool {
        driver: Driver {
            name: "gate",
            version,
            semantic_version: version,
            short_description: Message::plain("audits what AI agents did with their tools"),
            notifications: KINDS.iter().map(kind).collect(),
            rules,
        },
    }
}

/// What stands behind the results.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct End<'a> {
    column_kind: &'static str,
    default_encoding: &'static str,
    redaction_tokens: [&'static str; 1],
    original_uri_base_ids: BTreeMap<&'static str, Base>,
    invocations: [Invocation<'a>; 1],
    artifacts: Vec<File<'a>>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
struct Base {
    description: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'a> {
    command_line: &'a str,
    execution_successful: bool,
    exit_code: u8,
    exit_code_description: String,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notification {
    descriptor: Reference,
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
}

#[derive(Serialize)]
struct Reference {
    id: &'static str,
    index: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    location: Artifact,
    roles: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hashes: Option<Hashes<'a>>,
}

#[derive(Serialize)]
struct Hashes<'a> {
    #[serde(rename = "sha-256")]
    sha256: &'a str,
}

/// What every other format shows, as the record of JSON Lines has it.
#[derive(Serialize)]
struct Properties<'a> {
    summary: SummaryRecord<'a>,
}

/// What stands behind the results of an audit.
pub fn end<'a>(summary: &'a Summary, header: &'a Header) -> End<'a> {
    let directory = Base {
        description: Message::plain("the directory that gate was run in"),
    };
    End {
        column_kind: "unicodeCodePoints",
        default_encoding: "utf-8",
        redaction_tokens: [MASK],
        original_uri_base_ids: BTreeMap::from([(ROOT, directory)]),
        invocations: [Invocation {
            command_line: &header.command,
            execution_successful: summary.complete && summary.exit.status != Exit::Unusable,
            exit_code: summary.exit.status.code(),
            exit_code_description: visible(&summary.exit.reason).into_owned(),
            tool_execution_notifications: notifications(summary, header),
        }],
        artifacts: files(summary, header),
        properties: Properties {
            summary: SummaryRecord::new(summary, header),
        },
    }
}

fn notifications(summary: &Summary, header: &Header) -> Vec<Notification> {
    let inputs = summary.inputs.iter().enumerate();
    let mut all: Vec<Notification> = inputs
        .filter_map(|(index, input)| unread(index, input, header))
        .collect();
    let faults: Vec<&Notice> = summary
        .notices
        .iter()
        .filter(|n| n.kind.is_fault())
        .collect();
    all.extend(faults.iter().map(|notice| {
        let place = notice.place;
        let input = Artifact::input(header, place.input);
        let at = input.map(|input| Location {
            physical_location: Some(input.at(place.line, place.column)),
            ..Location::default()
        });
        notification("input_fault", &finding::of_notice(notice).message, at)
    }));
    let more = summary.counts.faults.saturating_sub(faults.len() as u64);
    if more > 0 {
        let more = count(more, "more input fault", "more input faults");
        all.push(notification("more_faults", &more, None));
    }
    let laws = summary.broken_laws.iter();
    all.extend(laws.map(|law| {
        let says = format!("it does not hold that {}", visible(law));
        notification("broken_law", &says, None)
    }));
    all
}

/// That an input could not be read, or not to its end.
fn unread(index: usize, input: &InputSummary, header: &Header) -> Option<Notification> {
    let says = match input.unreadable() {
        Some(why) => visible(&why).into_owned(),
        None if !input.complete => format!("`{}` was not read to its end", visible(&input.name)),
        None => return None,
    };
    let file = Artifact::input(header, index);
    let at = file.map(|file| Location {
        physical_location: Some(file.at(0, 0)),
        ..Location::default()
    });
    Some(notification("unread_input", &says, at))
}

fn notification(id: &'static str, says: &str, at: Option<Location>) -> Notification {
    let index = KINDS.iter().position(|(kind, _)| *kind == id);
    Notification {
        descriptor: Reference {
            id,
            index: index.unwrap_or_default(),
        },
        level: Level::Error.as_str(),
        message: Message::plain(says),
        locations: at.into_iter().collect(),
    }
}

/// The inputs, and the policy behind them if it is a file.
fn files<'a>(summary: &'a Summary, header: &Header) -> Vec<File<'a>> {
    let inputs = header.inputs.iter().enumerate().map(|(index, name)| {
        let read = summary
            .inputs
            .get(index)
            .filter(|input| !input.sha256.is_empty());
        File {
            location: Artifact::named(name, index),
            roles: ["analysisTarget"],
            length: read.map(|input| input.bytes),
            hashes: read.map(|input| Hashes {
                sha256: &input.sha256,
            }),
        }
    });
    let policy = Artifact::policy(header).map(|location| File {
        location,
        roles: ["userSpecifiedConfiguration"],
        length: None,
        hashes: None,
    });
    inputs.chain(policy).collect()
}
