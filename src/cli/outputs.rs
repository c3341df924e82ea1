//! Where reports go: standard output, and files that are complete or absent.

use super::inputs::Sources;
use super::options::OutputArgs;
use super::place::{as_before, folder, identity, led_to, of_stream};
use super::say;
use super::signals::Unfinished;
use crate::audit::summary::ExitSummary;
use crate::escape::file_name;
use crate::exit::Exit;
use crate::report::Header;
use crate::trace::fault::Notice;
use anyhow::{Context, bail};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A report file under way: written beside its place, moved there once it is complete.
pub(super) struct ReportFile {
    /// As it was named.
    path: PathBuf,
    /// Where its links lead.
    place: PathBuf,
    temporary: NamedTempFile,
    unfinished: Unfinished,
}

impl ReportFile {
    /// Makes sure that the file can be written before anything is read.
    ///
    /// # Errors
    /// It is one of the inputs, exists and `force` is not set, or its directory cannot be written.
    pub(super) fn create(
        path: &Path,
        sources: &Sources,
        force: bool,
        unfinished: &Unfinished,
    ) -> anyhow::Result<ReportFile> {
        let shown = file_name(path);
        if path.as_os_str() == "-" {
            bail!("`-` is no file: --format says what goes to standard output");
        }
        let here = identity(path);
        if path.exists() && sources.holds(&here) {
            bail!("`{shown}` is an input: what is made of it cannot replace it");
        }
        if of_stream(&io::stdout()).as_ref() == Some(&here) {
            bail!("`{shown}` is standard output as well: one would replace the other");
        }
        if path.is_dir() {
            bail!("`{shown}` is a directory");
        }
        if path.exists() && !path.is_file() {
            bail!("`{shown}` is no regular file: only a whole file is replaced");
        }
        if path.symlink_metadata().is_ok() && !force {
            bail!("`{shown}` exists: use --force to replace it");
        }
        let failed = |e: io::Error| anyhow::anyhow!("`{shown}` cannot be written: {e}");
        let place = led_to(path).map_err(failed)?;
        let temporary = temporary(&place)
            // The library's own words name the temporary file.
            .map_err(|e| failed(e.kind().into()))?;
        unfinished.add(temporary.path());
        Ok(ReportFile {
            path: path.into(),
            place,
            temporary,
            unfinished: unfinished.clone(),
        })
    }

    /// A writer into the file.
    ///
    /// # Errors
    /// The system gives no second handle.
    pub(super) fn writer(&self) -> io::Result<Box<dyn Write + Send>> {
        Ok(Box::new(BufWriter::new(
            self.temporary.as_file().try_clone()?,
        )))
    }

    /// Why the report in it is not complete.
    pub(super) fn failed(self, error: io::Error) -> anyhow::Error {
        let shown = file_name(&self.path).into_owned();
        anyhow::Error::new(error).context(format!("`{shown}` cannot be written"))
    }

    /// Moves the complete file to its place.
    ///
    /// # Errors
    /// It cannot be moved; then it is absent.
    pub(super) fn keep(self) -> anyhow::Result<()> {
        let shown = file_name(&self.path).into_owned();
        let failed = || format!("`{shown}` cannot be written");
        self.temporary.as_file().sync_all().with_context(failed)?;
        if let Ok(replaced) = self.place.metadata() {
            as_before(self.temporary.as_file(), &replaced);
        }
        self.unfinished.remove(self.temporary.path());
        self.temporary.persist(&self.place).with_context(failed)?;
        Ok(())
    }
}

/// A temporary file beside that place. One that replaces another is made for its owner alone, and is
/// [made readable](as_before) when it is complete; a new one is as readable as any other new file.
fn temporary(place: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gate-");
    #[cfg(unix)]
    if !place.exists() {
        use std::os::unix::fs::PermissionsExt;
        // Less what the user's mask takes away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(place))
}

/// Makes sure that no two reports go to one file: the later would replace the earlier.
///
/// # Errors
/// Two do.
pub(super) fn keep_apart<'p>(paths: impl Iterator<Item = &'p Path>) -> anyhow::Result<()> {
    let mut places = Vec::new();
    for path in paths {
        let place = identity(path);
        if places.contains(&place) {
            bail!("`{}` is named for two reports", file_name(path));
        }
        places.push(place);
    }
    Ok(())
}

/// Standard output, written in blocks.
pub(super) fn stdout() -> Box<dyn Write + Send> {
    Box::new(BufWriter::with_capacity(1 << 16, io::stdout()))
}

/// Writes to standard output. Gives the status, which is another where that fails; a reader that went
/// away is no failure.
pub(super) fn print(status: Exit, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let mut out = stdout();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(&format!("gate: standard output cannot be written: {error}"));
            Exit::Unusable
        }
        _ => status,
    }
}

/// What a report on standard output tells that standard error may have to repeat.
pub(super) struct Reported<'a> {
    /// How the program ends.
    pub(super) exit: &'a ExitSummary,
    /// Faults and warnings, in order.
    pub(super) notices: &'a [Notice],
    /// How many faults there are in all.
    pub(super) faults: u64,
    /// Names of the inputs.
    pub(super) header: &'a Header,
    /// Whether the report is for people.
    pub(super) table: bool,
}

/// Prints a report, and says on standard error what its reader has to know beside it: faults, where
/// standard output is no terminal that shows them, and why nothing can be said. Gives the status.
pub(super) fn report(
    reported: &Reported<'_>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Exit {
    let status = print(reported.exit.status, write);
    if !(reported.table && io::stdout().is_terminal()) {
        let faults = reported.notices.iter().filter(|n| n.kind.is_fault());
        let all = match faults.count() as u64 == reported.faults {
            true => super::MACHINE_FORMATS,
            false => super::REPLAY,
        };
        super::tell_faults(reported.notices, reported.faults, all, |input| {
            reported.header.input(input)
        });
    }
    if reported.exit.status == Exit::Unusable {
        say(&format!("gate: {}", reported.exit.reason));
    }
    status
}

/// Where a command writes what it makes: a file, or standard output.
pub(super) struct Destination(Option<ReportFile>);

impl Destination {
    /// Makes sure that it can be written before anything is read, and gives a writer into it. `what`
    /// is made, in the singular.
    ///
    /// # Errors
    /// Those of [`ReportFile::create`].
    pub(super) fn open(
        args: &OutputArgs,
        what: &str,
        sources: &Sources,
        unfinished: &Unfinished,
    ) -> anyhow::Result<(Destination, Box<dyn Write + Send>)> {
        let Some(path) = &args.output else {
            return Ok((Destination(None), stdout()));
        };
        if path.as_os_str() == "-" {
            bail!("`-` is no file: without --output the {what} goes to standard output");
        }
        let file = ReportFile::create(path, sources, args.force, unfinished)?;
        let writer = file.writer().context("the file cannot be written")?;
        Ok((Destination(Some(file)), writer))
    }

    /// Keeps what is complete and gives the status, which is another where something failed. A reader
    /// of standard output that went away is no failure.
    pub(super) fn keep(self, status: Exit, failed: Option<io::Error>) -> Exit {
        let kept = match (self.0, failed) {
            (None, failed) => return print(status, |_| failed.map_or(Ok(()), Err)),
            (Some(file), Some(error)) => Err(file.failed(error)),
            (Some(file), None) => file.keep(),
        };
        match kept {
            Ok(()) => status,
            Err(error) => {
                say(&format!("gate: {}", super::error_text(&error)));
                Exit::Unusable
            }
        }
    }
}
