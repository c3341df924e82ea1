//! Finding and loading the policy.

use super::inputs::Sources;
use super::place::folder;
use super::{Told, files};
use crate::diag::Diagnostic;
use crate::escape::file_name;
use crate::policy::read::Load;
use crate::policy::read::MAX_BYTES;
use crate::policy::{Policy, PolicySource, parse, parse_without_models};
use anyhow::{Context, bail};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the policy file that is looked for.
const FILE: &str = "gate.toml";

/// The policy that a command goes by.
#[derive(Debug, clap::Args)]
pub(super) struct PolicyArgs {
    /// Policy file, or a preset such as `coding-agent` [default: the gate.toml found upward, else built in]
    #[arg(long, value_name = "POLICY", help_heading = "Policy")]
    policy: Option<PathBuf>,
}

impl PolicyArgs {
    /// The policy with which these inputs are audited, as [`load`] finds it.
    ///
    /// # Errors
    /// Those of [`load`].
    pub(super) fn load(&self, audited: &mut Sources) -> anyhow::Result<Policy> {
        load(self.policy.as_deref(), audited)
    }
}

/// The policy of a command: the one named, else the `gate.toml` found from the working directory
/// upward, else the built-in one.
///
/// `audited` is what is being audited: it must not choose the policy it is held against, so a policy found
/// inside one of its directories has to be named. The files of the policy are read beside it from then on.
///
/// # Errors
/// It cannot be read, or has errors; they are all in the message.
pub(super) fn load(named: Option<&Path>, audited: &mut Sources) -> anyhow::Result<Policy> {
    load_by(named, audited, parse)
}

/// The policy of a command that makes what models are trained on: the same, with no model opened.
///
/// # Errors
/// Those of [`load`].
pub(super) fn load_without_models(
    named: Option<&Path>,
    audited: &mut Sources,
) -> anyhow::Result<Policy> {
    load_by(named, audited, parse_without_models)
}

/// Reads the text of a policy; its name, where it came from, and how to read what it names.
type Parse = fn(&str, &str, PolicySource, &Load<'_>) -> Result<Policy, Vec<Diagnostic>>;

fn load_by(named: Option<&Path>, audited: &mut Sources, parse: Parse) -> anyhow::Result<Policy> {
    let (path, policy) = match named {
        Some(path) => match path.to_str().and_then(Policy::preset) {
            Some(policy) => return Ok(policy),
            None => (path.to_owned(), read(path, files::read, parse)?),
        },
        None => match find(&audited.directories)? {
            Some(path) => {
                let policy = read(&path, files::read_regular, parse)?;
                (path, policy)
            }
            None => return Ok(Policy::built_in()),
        },
    };
    let beside = policy.files.iter().map(|file| folder(&path).join(file));
    audited.beside.extend(beside);
    audited.beside.push(path);
    Ok(policy)
}

fn find(audited: &[PathBuf]) -> anyhow::Result<Option<PathBuf>> {
    let start = std::env::current_dir().context("the working directory cannot be read")?;
    let Some(path) = start
        .ancestors()
        .map(|dir| dir.join(FILE))
        .find(|path| path.exists())
    else {
        return Ok(None);
    };
    let inside = |dir: &&PathBuf| dir.canonicalize().is_ok_and(|dir| path.starts_with(dir));
    if let Some(dir) = audited.iter().find(inside) {
        bail!(
            "{} lies in `{}`, which is audited: name it with --policy if it is to be trusted",
            file_name(&path),
            file_name(dir)
        );
    }
    // Shown as it lies from here, so that reports do not depend on where the project stands.
    let up = start
        .ancestors()
        .take_while(|dir| !path.starts_with(dir) || path.parent() != Some(dir));
    let mut shown: PathBuf = up.map(|_| "..").collect();
    shown.push(FILE);
    Ok(Some(shown))
}

/// Reads the bytes of a policy, no more than so many.
type Open = fn(&Path, usize) -> io::Result<Vec<u8>>;

fn read(path: &Path, open: Open, parse: Parse) -> anyhow::Result<Policy> {
    let name = file_name(path);
    let text = open(path, MAX_BYTES).with_context(|| format!("policy `{name}` cannot be read"))?;
    let text = String::from_utf8(text).with_context(|| format!("policy `{name}` is not UTF-8"))?;
    let load = files::of_directory(path.parent().unwrap_or(Path::new("")));
    parse(&text, &name, PolicySource::File(path.into()), &load).map_err(|errors| {
        let errors: Vec<_> = errors.iter().map(Diagnostic::to_string).collect();
        let errors = errors.iter().flat_map(|error| error.lines());
        let head = format!("gate: policy `{name}` cannot be used");
        Told(
            std::iter::once(head)
                .chain(errors.map(str::to_owned))
                .collect(),
        )
        .into()
    })
}
