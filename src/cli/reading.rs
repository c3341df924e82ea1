//! Reading all inputs, one after the other, into what takes their events.

use super::inputs::{Source, Sources};
use super::options::InputArgs;
use super::progress::Progress;
use crate::audit::summary::InputSummary;
use crate::calibrate::Calibrator;
use crate::convert::Converter;
use crate::engine::Engine;
use crate::explain::tape::Tape;
use crate::import::Sink;
use crate::import::drive::{ReadOptions, read};
use crate::inspect::Inspector;
use crate::trace::fault::Notice;

/// Takes the events of several inputs.
pub(super) trait Intake: Sink {
    /// The events that follow are of the input of that index. Records without a run belong to the
    /// run named `stem`.
    fn begin_input(&mut self, index: usize, stem: &str);

    /// The input has been read.
    fn end_input(&mut self);
}

impl Intake for Engine<'_> {
    fn begin_input(&mut self, index: usize, stem: &str) {
        Engine::begin_input(self, index, stem);
    }

    fn end_input(&mut self) {
        Engine::end_input(self);
    }
}

impl Intake for Converter<'_> {
    fn begin_input(&mut self, index: usize, stem: &str) {
        Converter::begin_input(self, index, stem);
    }

    fn end_input(&mut self) {
        Converter::end_input(self);
    }
}

impl Intake for Inspector<'_> {
    fn begin_input(&mut self, index: usize, stem: &str) {
        Inspector::begin_input(self, index, stem);
    }

    fn end_input(&mut self) {
        Inspector::end_input(self);
    }
}

impl Intake for Calibrator<'_> {
    fn begin_input(&mut self, index: usize, stem: &str) {
        Calibrator::begin_input(self, index, stem);
    }

    fn end_input(&mut self) {
        Calibrator::end_input(self);
    }
}

impl Intake for Tape {
    fn begin_input(&mut self, _: usize, stem: &str) {
        Tape::begin_input(self, stem);
    }

    fn end_input(&mut self) {}
}

/// Reads every input and says what each of them is. One that cannot be opened gives nothing. How far
/// it got is shown on the way where that is wanted.
pub(super) fn read_all(
    sources: &Sources,
    args: &InputArgs,
    show_progress: bool,
    into: &mut dyn Intake,
) -> Vec<InputSummary> {
    let progress = Progress::new(sources.bytes(), show_progress);
    let options = args.read_options();
    let sources = sources.list.iter().enumerate();
    let read = sources.map(|(index, source)| read_one(index, source, &options, &progress, into));
    let inputs = read.collect();
    progress.done();
    inputs
}

fn read_one(
    index: usize,
    source: &Source,
    options: &ReadOptions,
    progress: &Progress,
    into: &mut dyn Intake,
) -> InputSummary {
    let blank = InputSummary {
        name: source.name.clone(),
        ..InputSummary::default()
    };
    if source.repeats {
        into.notice(Notice::repeated_input(index));
        return InputSummary {
            complete: true,
            ..blank
        };
    }
    let bytes = match source.open() {
        Ok(bytes) => progress.over(bytes),
        Err(error) => {
            return InputSummary {
                error: Some(error.to_string()),
                ..blank
            };
        }
    };
    into.begin_input(index, &source.stem);
    let report = read(index, &source.name, &source.stem, bytes, options, into);
    into.end_input();
    InputSummary::of(&source.name, report)
}
