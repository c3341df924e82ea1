//! The list of features: for people, and for what trains models.

use crate::policy::features::{FEATURES, VERSION, schema_sha256};
use crate::report::json::write;
use crate::report::number::Number;
use serde::Serialize;
use std::io::{self, Write};

/// What the list is shown with.
#[derive(Clone, Debug)]
pub struct Listed {
    /// SHA-256 of what the features count by under the policy, in hexadecimal.
    pub parameters_sha256: String,
    /// Whether it is written as JSON.
    pub json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'static str,
    sha256: &'a str,
    parameters_sha256: &'a str,
    features: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    unit: &'static str,
    least: Option<Number>,
    greatest: Option<Number>,
    doc: &'static str,
}

/// Writes the list, and flushes.
///
/// # Errors
/// The output cannot be written.
pub fn list(listed: &Listed, out: &mut dyn Write) -> io::Result<()> {
    let sha256 = schema_sha256();
    if listed.json {
        let entries = FEATURES.iter().map(|f| Entry {
            name: f.name,
            unit: f.unit,
            least: Some(Number(f.range.0)).filter(|n| n.0.is_finite()),
            greatest: f.range.1.map(Number),
            doc: f.doc,
        });
        let document = Document {
            schema: "gate.feature_list/1",
            version: VERSION,
            sha256: &sha256,
            parameters_sha256: &listed.parameters_sha256,
            features: entries.collect(),
        };
        return write::document(&document, out);
    }
    writeln!(out, "{VERSION}, sha256 {sha256}")?;
    writeln!(out, "parameters sha256 {}", listed.parameters_sha256)?;
    writeln!(out)?;
    let widest = FEATURES.iter().map(|f| f.name.len()).max().unwrap_or(0);
    for f in FEATURES {
        writeln!(
            out,
            "{:widest$}  {} ({}, {})",
            f.name,
            f.doc,
            f.unit,
            range(f.range)
        )?;
    }
    out.flush()
}

/// A range in words.
fn range((least, greatest): (f64, Option<f64>)) -> String {
    match greatest {
        Some(greatest) if least.is_finite() => format!("{least} to {greatest}"),
        Some(greatest) => format!("up to {greatest}"),
        None => format!("from {least}"),
    }
}
