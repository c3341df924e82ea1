//! What thresholds of the semantic firewall do on a corpus: false alarms on ordinary calls, attacks
//! that are caught, and the thresholds that keep to a rate of false alarms.
//!
//! Ordinary calls are judged one by one: those of runs that are known to be harmless, and of runs of
//! which nothing is known. A run that is known to be an attack counts once, by the greatest score of
//! its calls. Calls of runs with and without a usable intent are kept apart, since their scores are
//! not alike. Of an ordinary call 24 bytes are kept an embedder, of an attack 32. Of calls of a run
//! under way 16 bytes are kept, and of a run that has ended as many, until its input ends.

pub mod auc;
pub mod found;
mod measure;
mod runs;
pub mod scorer;
mod snippet;
pub mod threshold;
pub mod worst;

use crate::audit::records::Records;
use crate::audit::summary::{InputSummary, PolicySummary};
use crate::audit::verdict::{Leniency, exit_of_reading};
use crate::engine::asked;
use crate::import::Sink;
use crate::policy::Policy;
use crate::policy::matcher::{NameSet, NameTable};
use crate::stages::CallContext;
use crate::stages::Facts;
use crate::state::{AgentState, RunView};
use crate::trace::event::{Event, GroundTruth, RunEnd, RunStart, ToolCall};
use crate::trace::fault::{Noted, Notice, Place};
use crate::trace::json::Json;
use found::{Calibration, Closed, Corpus};
use measure::Pools;
use runs::Runs;
use scorer::Scorer;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use worst::Example;

/// What is asked of a calibration.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Rates of false alarms to give thresholds for, each within [0, 1].
    pub rates: Vec<f64>,
    /// Rate of false alarms of the suggested `escalate`.
    pub escalate_at: f64,
    /// Rate of false alarms of the suggested `block`.
    pub block_at: f64,
    /// Most calls of each kind that are listed.
    pub list: usize,
    /// Whether listed calls keep their arguments.
    pub keep_args: bool,
}

/// Scores the calls of inputs.
pub struct Calibrator<'p> {
    policy: &'p Policy,
    /// No rule of a policy asks for names here.
    names: Arc<NameSet>,
    asked: Asked,
    scorers: Vec<(Scorer, Pools)>,
    runs: Runs,
    /// What the records say against each other, told as a replay tells it.
    records: Records,
    corpus: Corpus,
    /// Categories of attacks, by their index.
    categories: Vec<Box<str>>,
    category_of: HashMap<Box<str>, u32>,
    noted: Noted,
}

impl<'p> Calibrator<'p> {
    /// Nothing has been read yet. Calls are taken apart as the stage of that policy takes them.
    pub fn new(policy: &'p Policy, scorers: Vec<Scorer>, asked: Asked) -> Calibrator<'p> {
        let pool = |scorer| (scorer, Pools::new(asked.list));
        Calibrator {
            policy,
            names: NameTable::default().intern(&policy.matchers, "", &[]),
            scorers: scorers.into_iter().map(pool).collect(),
            asked,
            runs: Runs::default(),
            records: Records::default(),
            corpus: Corpus::default(),
            categories: Vec::new(),
            category_of: HashMap::new(),
            noted: Noted::default(),
        }
    }

    /// Begins the input of that index. Records without a run belong to the run named `stem`.
    pub fn begin_input(&mut self, input: usize, stem: &str) {
        self.runs.begin_input(stem);
        self.records.begin_input(input, stem);
    }

    /// The input has been read: its runs are over.
    pub fn end_input(&mut self) {
        for run in self.runs.end_input() {
            self.over(run);
        }
        self.records.end_input();
        self.take_told();
    }

    /// What the corpus came to. `closed` are embedders that could not be opened.
    pub fn finish(
        self,
        inputs: Vec<InputSummary>,
        closed: Vec<Closed>,
        leniency: Leniency,
    ) -> Calibration {
        let mut corpus = self.corpus;
        corpus.groups = u64::from(self.runs.groups());
        let calls = corpus.calls();
        let exit = exit_of_reading(inputs.iter(), self.noted.faults, calls, leniency);
        let (asked, categories) = (&self.asked, &self.categories);
        let embedders = self.scorers.into_iter();
        Calibration {
            embedders: embedders
                .map(|(scorer, pools)| pools.finish(&scorer, asked, categories))
                .collect(),
            closed,
            escalate_at: asked.escalate_at,
            block_at: asked.block_at,
            inputs,
            policy: PolicySummary::of(self.policy),
            corpus,
            noted: self.noted,
            exit,
        }
    }

    fn run_start(&mut self, start: &RunStart<'_>) {
        let attack = start.label == Some(GroundTruth::Attack);
        let category = meta_text(start, "category").filter(|_| attack);
        let category = category.map(|name| self.category(name));
        let group = meta_text(start, "group");
        let before = self.runs.begin(start, category, group.as_deref());
        if let Some(before) = before {
            self.over(before);
        }
        let runs = &mut self.corpus.runs;
        match start.label {
            Some(GroundTruth::Attack) => runs.attack += 1,
            Some(GroundTruth::Benign) => runs.benign += 1,
            None => runs.unlabelled += 1,
        }
    }

    fn category(&mut self, name: String) -> u32 {
        if let Some(known) = self.category_of.get(&*name) {
            return *known;
        }
        let next = u32::try_from(self.categories.len()).unwrap_or(u32::MAX);
        self.categories.push(name.clone().into());
        self.category_of.insert(name.into(), next);
        next
    }

    fn run_end(&mut self, end: &RunEnd<'_>) {
        if let Some(run) = self.runs.end(end.run.as_deref()) {
            self.over(run);
        }
    }

    fn tool_call(&mut self, place: Place, call: &ToolCall<'_>) {
        let Some((run, is_new)) = self.runs.open(call.run.as_deref()) else {
            self.corpus.after_end += 1;
            return;
        };
        self.corpus.runs.unlabelled += u64::from(is_new);
        let id = match &call.id {
            Some(id) => id.to_string(),
            None => run.default_id(),
        };
        let content = asked::content(call);
        match run.marks.entry(asked::call_key(&id)) {
            Entry::Occupied(known) => {
                // One with other content is a fault, which is told of the records.
                self.corpus.repeated += u64::from(*known.get() == content);
                return;
            }
            Entry::Vacant(free) => {
                free.insert(content);
            }
        }
        run.calls += 1;
        let calls = match run.truth {
            Some(GroundTruth::Attack) => &mut self.corpus.attack_calls,
            Some(GroundTruth::Benign) => &mut self.corpus.benign_calls,
            None => &mut self.corpus.unlabelled_calls,
        };
        *calls += 1;
        let (state, names) = (AgentState::default(), &self.names);
        let view = RunView {
            id: &run.id,
            intent: run.intent.as_deref(),
            ..RunView::default()
        };
        let facts = Facts::default();
        let mut cx = CallContext::new(self.policy, call, names, &state, view, &facts);
        cx.id = &id;
        if cx.args().is_none() {
            self.corpus.untold += 1;
            return;
        }
        self.corpus.with_intent += u64::from(cx.intent().is_some());
        let keep_args = self.asked.keep_args;
        run.best.resize(self.scorers.len(), None);
        for ((scorer, pools), best) in self.scorers.iter_mut().zip(&mut run.best) {
            let Some(scored) = scorer.score(&cx) else {
                pools.asked.unscored += 1;
                continue;
            };
            let example = |scored| Example::of(place, &cx, scored, keep_args);
            if run.truth == Some(GroundTruth::Attack) {
                let harm = scored.parts.as_ref().map(|parts| parts.harm);
                let best = best.get_or_insert_default();
                best.harm = best.harm.max(harm.unwrap_or(-1.0));
                let so_far = best.example.as_ref();
                if so_far.is_none_or(|so_far| so_far.scored.score < scored.score) {
                    best.example = Some(example(scored));
                }
            } else {
                let pool = pools.of(&scored);
                pool.ordinary(run.group, place, scored, example);
            }
        }
    }

    /// A run is over: an attack counts by the greatest scores of its calls.
    fn over(&mut self, run: runs::Run) {
        if run.truth != Some(GroundTruth::Attack) {
            return;
        }
        self.corpus.attacks_without_call += u64::from(run.calls == 0);
        for ((_, pools), best) in self.scorers.iter_mut().zip(run.best) {
            if let Some(best) = best
                && let Some(example) = &best.example
            {
                let pool = pools.of(&example.scored);
                pool.attack(run.group, run.category, best);
            }
        }
    }

    fn take_told(&mut self) {
        for notice in self.records.told() {
            self.notice(notice);
        }
    }
}

/// A text or a number of a run's `meta`, as text.
fn meta_text(start: &RunStart<'_>, name: &str) -> Option<String> {
    let meta = start.meta.as_ref()?.json();
    match meta.get(name)? {
        Json::String(text) => Some(text.text.to_string()),
        Json::Number(number) => Some((*number).to_owned()),
        _ => None,
    }
}

impl Sink for Calibrator<'_> {
    fn event(&mut self, place: Place, event: Event<'_>) {
        match &event {
            Event::RunStart(start) => self.run_start(start),
            Event::ToolCall(call) => self.tool_call(place, call),
            Event::RunEnd(end) => self.run_end(end),
            Event::ToolResult(_) | Event::Approval(_) => {}
        }
        self.records.event(place, event);
        self.take_told();
    }

    fn notice(&mut self, notice: Notice) {
        self.noted.add(notice);
    }
}
