//! `--sarif FILE` and the like: an option for each format, so that one pass writes several reports.

use crate::report::{FORMATS, Format};
use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use std::path::PathBuf;

/// Reports that go to files beside standard output: the format and the file of each, in the order of
/// the formats.
#[derive(Debug, Default)]
pub(super) struct FileArgs(pub(super) Vec<(&'static Format, PathBuf)>);

impl Args for FileArgs {
    fn augment_args(command: Command) -> Command {
        let option = |format: &'static Format| {
            Arg::new(format.id)
                .long(format.id)
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help(format!("Also write to this file: {}", format.doc))
                .help_heading("Report files")
        };
        command.args(FORMATS.iter().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FileArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut files = FileArgs::default();
        files.update_from_arg_matches(matches)?;
        Ok(files)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let given = |format: &'static Format| {
            let file = matches.get_one::<PathBuf>(format.id)?;
            Some((format, file.clone()))
        };
        self.0 = FORMATS.iter().filter_map(given).collect();
        Ok(())
    }
}
