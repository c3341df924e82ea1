//! What is in a recording: counted as it is read, without judging anything.
//!
//! What is counted grows with the tools, agents, labels and runs of the inputs. What is known is kept
//! of a run's latest `runs::MOST` calls: a result for one before them counts as one without a call.
//! What is wrong with the records is told as a replay tells it, which keeps a few bytes a call.

pub mod contents;
pub mod facts;
pub mod needs;
mod runs;
mod takes;
pub mod times;

use crate::audit::records::Records;
use crate::audit::summary::{ExitSummary, InputSummary, PolicySummary};
use crate::audit::verdict::{Leniency, exit_of_reading};
use crate::import::Sink;
use crate::import::drive::format;
use crate::policy::Policy;
use crate::policy::matcher::NameTable;
use crate::trace::event::Event;
use crate::trace::fault::{Noted, Notice, Place};
use contents::Contents;
use needs::Need;
use runs::Runs;
use std::collections::HashMap;

/// One input and what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspected {
    /// What it is and how it was read.
    pub input: InputSummary,
    /// The name of its format among people; absent where it is of no known format.
    pub title: Option<&'static str>,
    /// The parts of a trace that its format cannot tell.
    pub untold: Vec<&'static str>,
    /// What is in it.
    pub contents: Contents,
}

/// Everything that an inspection found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspection {
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<Inspected>,
    /// What is in all of them together.
    pub total: Contents,
    /// The policy whose needs and labels were counted; absent if there was none.
    pub policy: Option<PolicySummary>,
    /// What the policy needs to know; `Contents::needs` says how far it does.
    pub needs: Vec<Need>,
    /// The labels of the policy's rules, each with its line, in file order.
    pub label_rules: Vec<(String, usize)>,
    /// The first [`Noted::KEPT`] faults and as many warnings, in order.
    pub notices: Vec<Notice>,
    /// The exit status and why.
    pub exit: ExitSummary,
}

impl Inspection {
    /// The label of the rule that stands on that line of the policy; empty if there is none.
    pub fn label_at(&self, line: usize) -> &str {
        let mut rules = self.label_rules.iter();
        let rule = rules.find(|(_, at)| *at == line);
        rule.map_or("", |(label, _)| label)
    }
}

/// Counts what is in inputs.
pub struct Inspector<'p> {
    policy: Option<&'p Policy>,
    names: NameTable,
    needs: Vec<Need>,
    runs: Runs,
    /// Results whose call has not come, by run and call.
    early: HashMap<(u128, u64), runs::Mark>,
    /// What the records say against each other, told as a replay tells it.
    records: Records,
    here: Contents,
    /// What was found in each input that has been read, by its index.
    found: HashMap<usize, Contents>,
    /// The input that is being read.
    input: Option<usize>,
    noted: Noted,
}

impl<'p> Inspector<'p> {
    /// Nothing has been read yet. With a policy its needs are held against what is known of calls,
    /// and the labels that it gives are counted.
    pub fn new(policy: Option<&'p Policy>) -> Self {
        let needs = policy.map(needs::needs).unwrap_or_default();
        Inspector {
            policy,
            names: NameTable::default(),
            here: Contents::new(needs.len()),
            needs,
            runs: Runs::default(),
            early: HashMap::new(),
            records: Records::default(),
            found: HashMap::new(),
            input: None,
            noted: Noted::default(),
        }
    }

    /// Begins the input of that index. Records without a run belong to the run named `stem`.
    pub fn begin_input(&mut self, input: usize, stem: &str) {
        self.input = Some(input);
        self.runs.begin_input(stem);
        self.early.clear();
        self.records.begin_input(input, stem);
    }

    /// The input has been read.
    pub fn end_input(&mut self) {
        self.records.end_input();
        self.take_told();
        let fresh = Contents::new(self.needs.len());
        let here = std::mem::replace(&mut self.here, fresh);
        if let Some(input) = self.input.take() {
            self.found.insert(input, here);
        }
    }

    /// What was found in these inputs, which are all there are.
    pub fn finish(mut self, inputs: Vec<InputSummary>, leniency: Leniency) -> Inspection {
        let mut total = Contents::new(self.needs.len());
        let inputs = inputs.into_iter().enumerate();
        let inputs: Vec<_> = inputs
            .map(|(index, input)| {
                let known = input.format.and_then(format);
                let untold = known.into_iter().flat_map(|f| f.mapping.unknown());
                Inspected {
                    title: known.map(|format| format.title),
                    untold: untold.collect(),
                    contents: self.found.remove(&index).unwrap_or_default(),
                    input,
                }
            })
            .collect();
        for inspected in &inputs {
            total.merge(&inspected.contents);
        }
        let rules = self.policy.iter().flat_map(|policy| &policy.labels);
        let rules = rules.map(|rule| (rule.label.clone(), rule.place.line));
        Inspection {
            exit: exit_of_reading(
                inputs.iter().map(|inspected| &inspected.input),
                total.fault_count(),
                total.calls,
                leniency,
            ),
            policy: self.policy.map(PolicySummary::of),
            label_rules: rules.collect(),
            needs: self.needs,
            notices: self.noted.kept,
            inputs,
            total,
        }
    }

    fn take_told(&mut self) {
        for notice in self.records.told() {
            self.notice(notice);
        }
    }
}

impl Sink for Inspector<'_> {
    fn event(&mut self, place: Place, event: Event<'_>) {
        match &event {
            Event::RunStart(start) => self.run_start(start),
            Event::ToolCall(call) => self.tool_call(call),
            Event::ToolResult(result) => self.tool_result(result),
            Event::Approval(approval) => self.approval(approval),
            Event::RunEnd(end) => self.run_end(end),
        }
        self.records.event(place, event);
        self.take_told();
    }

    fn notice(&mut self, notice: Notice) {
        // One that is not read is told of all the same.
        let here = match self.input {
            Some(_) => &mut self.here,
            None => {
                let fresh = || Contents::new(self.needs.len());
                self.found.entry(notice.place.input).or_insert_with(fresh)
            }
        };
        here.notice(notice.kind);
        self.noted.add(notice);
    }
}
