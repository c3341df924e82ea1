//! Arguments that several commands take.

use crate::exit::Finding;
use crate::import::IMPORTERS;
use crate::import::drive::ReadOptions;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How inputs are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(super) struct InputArgs {
    /// Files or directories; `-` is standard input. In a directory every file that ends in .jsonl,
    /// .ndjson, .json, .eval or .traj is read, also with .gz or .zst behind
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// Read the inputs as this format instead of detecting it
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(super) from: Option<String>,

    /// Longest line in bytes; longer ones are faults
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub(super) max_line: usize,

    /// Most bytes held of an input that has to be put in order, or is an archive
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 20)]
    pub(super) max_hold: usize,

    /// Most bytes read of one input after decompression
    #[arg(long, value_name = "BYTES")]
    pub(super) max_bytes: Option<u64>,

    /// Let faulty input leave the exit status alone
    #[arg(long)]
    pub(super) allow_faults: bool,

    /// Take a last line that is cut off as a warning
    #[arg(long)]
    pub(super) allow_torn_tail: bool,

    /// Let an audit without any call pass
    #[arg(long)]
    pub(super) allow_empty: bool,
}

impl InputArgs {
    pub(super) fn read_options(&self) -> ReadOptions {
        let named = |id: &String| IMPORTERS.iter().find(|f| f.id == id).map(|f| f.id);
        ReadOptions {
            max_line: self.max_line,
            max_hold: self.max_hold,
            max_bytes: self.max_bytes,
            from: self.from.as_ref().and_then(named),
            allow_torn_tail: self.allow_torn_tail,
        }
    }
}

fn formats() -> clap::builder::PossibleValuesParser {
    let value = |f: &crate::import::Format| PossibleValue::new(f.id).help(f.doc);
    IMPORTERS.iter().map(value).collect::<Vec<_>>().into()
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Whether standard output is coloured.
    pub(super) fn wanted(self, terminal: bool) -> bool {
        let refused = || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !refused(),
        }
    }
}

/// A kind of finding, or none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FailOn(pub(super) Option<Finding>);

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        const VALUES: [FailOn; 9] = [
            FailOn(Some(Finding::Block)),
            FailOn(Some(Finding::Escalate)),
            FailOn(Some(Finding::Withhold)),
            FailOn(Some(Finding::Error)),
            FailOn(Some(Finding::Violation)),
            FailOn(Some(Finding::Hazard)),
            FailOn(Some(Finding::Drift)),
            FailOn(Some(Finding::Unsound)),
            FailOn(None),
        ];
        &VALUES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.map_or("none", Finding::as_str)))
    }
}

/// The findings a list names.
///
/// # Errors
/// `none` stands beside others.
pub(super) fn findings(list: &[FailOn]) -> anyhow::Result<Vec<Finding>> {
    let named: Vec<Finding> = list.iter().filter_map(|f| f.0).collect();
    if named.len() < list.len() && !named.is_empty() {
        anyhow::bail!("`--fail-on none` cannot be given with other findings");
    }
    Ok(named)
}

/// A share between 0 and 1.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.0..=1.0).contains(&rate) => Ok(rate),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_can_be_named() {
        let named: Vec<_> = FailOn::value_variants()
            .iter()
            .filter_map(|f| f.0)
            .collect();
        let all: Vec<_> = Finding::ALL.iter().map(|(f, _)| *f).collect();
        assert_eq!(named, all);
    }
}
