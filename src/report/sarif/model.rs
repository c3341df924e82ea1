//! The objects of SARIF 2.1.0 that reports have, as far as they have them.

use super::text::{self, uri};
use crate::report::Header;
use serde::Serialize;

/// What relative addresses are meant from.
pub const ROOT: &str = "%SRCROOT%";

/// A message.
#[derive(Clone, Debug, Serialize)]
pub struct Message {
    /// Escaped.
    text: String,
}

impl Message {
    /// A message of text that is not escaped yet.
    pub fn plain(text: &str) -> Message {
        Message {
            text: text::message(text),
        }
    }
}

/// A rule, or a kind of notification.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    pub id: String,
    pub name: String,
    pub short_description: Message,
    pub full_description: Message,
    pub help: Help,
    pub default_configuration: Configuration,
    pub properties: Tags,
}

/// What to do about it.
#[derive(Clone, Debug, Serialize)]
pub struct Help {
    /// Escaped.
    pub text: String,
    pub markdown: String,
}

/// How a rule is set.
#[derive(Clone, Debug, Serialize)]
pub struct Configuration {
    pub level: &'static str,
}

/// Words that rules are found by.
#[derive(Clone, Debug, Serialize)]
pub struct Tags {
    pub tags: Vec<String>,
}

/// A result, without its properties.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found<'a> {
    pub rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
    pub level: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_state: Option<&'static str>,
    pub message: Message,
    pub locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location>,
    pub partial_fingerprints: Prints,
}

/// By what a result is known again: gate's own, and the one that GitHub goes by, which tells results of one
/// fingerprint apart.
#[derive(Debug, Serialize)]
pub struct Prints {
    #[serde(rename = "gateFinding/v1")]
    pub own: String,
    #[serde(rename = "primaryLocationLineHash")]
    pub counted: String,
}

/// Where something is.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<Physical>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<Logical>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// A place in a file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Physical {
    pub artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// A file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

/// Where in a file, from 1.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u64>,
}

/// A run, or a call in it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Logical {
    pub name: String,
    pub fully_qualified_name: String,
    pub kind: &'static str,
}

impl Artifact {
    /// The file of that name, and its place among the files of the report.
    pub fn named(name: &str, index: usize) -> Artifact {
        let uri = uri(name);
        Artifact {
            uri_base_id: uri.as_ref().filter(|uri| uri.relative).map(|_| ROOT),
            uri: uri.map(|uri| uri.text),
            index: Some(index),
        }
    }

    /// An input.
    pub fn input(header: &Header, input: usize) -> Option<Artifact> {
        let name = header.inputs.get(input)?;
        Some(Artifact::named(name, input))
    }

    /// The policy, which comes after the inputs; absent where it is no file.
    pub fn policy(header: &Header) -> Option<Artifact> {
        let file = header.policy_is_file;
        file.then(|| Artifact::named(&header.policy, header.inputs.len()))
    }

    /// A place in it; line and column are not known where they are 0.
    pub fn at(self, line: u64, column: u64) -> Physical {
        let region = (line > 0).then(|| Region {
            start_line: line,
            start_column: Some(column).filter(|&column| column > 0),
        });
        Physical {
            artifact_location: self,
            region,
        }
    }
}
