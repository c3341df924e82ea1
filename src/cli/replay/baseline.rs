//! `--baseline FILE`: an earlier SARIF report that the new one is held against.

use super::args::Args;
use crate::escape::file_name;
use crate::report::sarif::{Baseline, FORMAT};
use anyhow::{Context, bail};
use std::fs::File;
use std::sync::Arc;

/// The earlier report, if one is named.
///
/// # Errors
/// No SARIF report is asked for; the file cannot be read, or is no SARIF report of gate.
pub(super) fn baseline(args: &Args) -> anyhow::Result<Option<Arc<Baseline>>> {
    let Some(path) = &args.baseline else {
        return Ok(None);
    };
    let mut formats = args.files.0.iter().map(|(format, _)| format.id);
    if args.format.id != FORMAT.id && !formats.any(|id| id == FORMAT.id) {
        bail!("`--baseline` is for a SARIF report: add `--sarif FILE` or `--format sarif`");
    }
    let shown = file_name(path);
    let file = File::open(path).with_context(|| format!("`{shown}` cannot be read"))?;
    let baseline =
        Baseline::read(file).map_err(|why| anyhow::anyhow!("`{shown}` is no baseline: {why}"))?;
    Ok(Some(Arc::new(baseline)))
}
