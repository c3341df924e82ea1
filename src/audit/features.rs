//! The table of features: a row a call, on its way to a report.

use crate::engine::{Counted, Final, Output, RunReport};
use crate::report::features::Rows;
use crate::trace::event::{GroundTruth, Recorded};
use crate::trace::fault::{Noted, Notice};
use std::io;

/// A call with the features of its transition.
#[derive(Clone, Debug)]
pub struct FeatureRow {
    /// Index of the input.
    pub input: usize,
    /// Line of the call.
    pub line: u64,
    /// Id of the run. Untrusted.
    pub run: String,
    /// Number of the call in its run, from 1.
    pub seq: u64,
    /// Id of the call. Untrusted.
    pub call: String,
    /// The tool. Untrusted.
    pub tool: String,
    /// What the run is known to be; absent where its start does not say.
    pub label: Option<GroundTruth>,
    /// What the live system decided; absent where the trace does not say.
    pub recorded: Option<Recorded>,
    /// Whether a fault left the run's state in doubt.
    pub inconclusive: bool,
    /// Whether the five barriers hold in the state that the call meets.
    pub safe: bool,
    /// Whether they hold in the simulated next state.
    pub next_safe: bool,
    /// Every feature of the state that the call meets, in the order of the list.
    pub features: Vec<f64>,
    /// Every feature of the next state.
    pub next: Vec<f64>,
}

/// Takes a replay of the probe and hands its rows on.
pub struct FeatureTable<'w> {
    rows: Box<dyn Rows + 'w>,
    /// What came of it so far.
    pub made: Made,
}

/// What came of a table.
#[derive(Debug, Default)]
pub struct Made {
    /// Rows handed on.
    pub rows: u64,
    /// Calls that gave no row.
    pub rowless: u64,
    /// Faults and warnings met.
    pub noted: Noted,
    /// Why nothing more is written.
    pub failed: Option<io::Error>,
}

impl<'w> FeatureTable<'w> {
    /// A table into this report.
    pub fn new(rows: Box<dyn Rows + 'w>) -> Self {
        FeatureTable {
            rows,
            made: Made::default(),
        }
    }

    /// Ends the report.
    pub fn finish(mut self) -> Made {
        if self.made.failed.is_none() {
            self.made.failed = self.rows.finish().err();
        }
        self.made
    }
}

impl Output for FeatureTable<'_> {
    fn decision(&mut self, decided: &mut Final) {
        let decision = &mut decided.decision;
        let Some(probed) = decided.probed.take() else {
            self.made.rowless += 1;
            return;
        };
        self.made.rows += 1;
        let row = FeatureRow {
            input: decision.input,
            line: decision.line,
            run: decision.run.to_string(),
            seq: decision.seq,
            call: std::mem::take(&mut decision.call),
            tool: decision.tool.to_string(),
            label: decided.label,
            recorded: decision.recorded,
            inconclusive: decision.inconclusive,
            safe: probed.safe,
            next_safe: probed.next_safe,
            features: probed.features,
            next: probed.next,
        };
        if self.made.failed.is_none() {
            self.made.failed = self.rows.row(&row).err();
        }
    }

    fn notice(&mut self, notice: Notice) {
        self.made.noted.add(notice);
    }

    fn run(&mut self, _: RunReport) {}

    fn count(&mut self, _: Counted) {}
}
