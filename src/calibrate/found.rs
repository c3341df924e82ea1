//! What a calibration came to.

use super::auc::Auc;
use super::scorer::Thresholds;
use super::worst::Example;
use crate::audit::summary::{ExitSummary, InputSummary, PolicySummary};
use crate::trace::fault::Noted;
use crate::verify::clusters::ClusteredRate;
use crate::verify::stats::{Rate, zero_hit_upper};

/// Everything that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The inputs, in the order in which they were read.
    pub inputs: Vec<InputSummary>,
    /// The policy.
    pub policy: PolicySummary,
    /// What is in them.
    pub corpus: Corpus,
    /// The embedders, in the order asked for.
    pub embedders: Vec<Calibrated>,
    /// Embedders that were asked for together with all others and could not be opened.
    pub closed: Vec<Closed>,
    /// Rate of false alarms of the suggested `escalate`.
    pub escalate_at: f64,
    /// Rate of false alarms of the suggested `block`.
    pub block_at: f64,
    /// Faults and warnings met.
    pub noted: Noted,
    /// The exit status and why.
    pub exit: ExitSummary,
}

/// Runs by what they are known to have been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Attacks.
    pub attack: u64,
    /// Ordinary work.
    pub benign: u64,
    /// Nothing is known of them: they count as ordinary work.
    pub unlabelled: u64,
}

/// What is in the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corpus {
    /// Runs.
    pub runs: RunCounts,
    /// Calls of attacks.
    pub attack_calls: u64,
    /// Calls of runs known to be ordinary work.
    pub benign_calls: u64,
    /// Calls of runs of which nothing is known.
    pub unlabelled_calls: u64,
    /// Groups of runs that are not independent of each other, a run without a group being one.
    pub groups: u64,
    /// Scored calls whose run tells what the user asked for; a vague first text does not.
    pub with_intent: u64,
    /// Calls among all these whose arguments the recording does not tell; they are not scored.
    pub untold: u64,
    /// Attacks without any call, which cannot be caught and are not counted as missed.
    pub attacks_without_call: u64,
    /// Records that repeat a call, which counts once.
    pub repeated: u64,
    /// Calls after the end of their run, which no stage would be asked about; they are not scored.
    pub after_end: u64,
}

impl Corpus {
    /// Calls that count, scored or not.
    pub fn calls(&self) -> u64 {
        self.attack_calls + self.ordinary()
    }

    /// Calls of runs that are not known to be attacks.
    pub fn ordinary(&self) -> u64 {
        self.benign_calls + self.unlabelled_calls
    }

    /// Whether any run says what it is known to have been.
    pub fn is_labelled(&self) -> bool {
        self.runs.attack + self.runs.benign > 0
    }
}

/// An embedder that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// Its name in a policy.
    pub embedder: &'static str,
    /// Why.
    pub why: String,
}

/// Calls whose scores are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// All of them: scores are recorded.
    All,
    /// Those of runs with an intent that the embedder can use.
    WithIntent,
    /// Those of runs without.
    WithoutIntent,
}

impl Calls {
    /// Which they are, in a word.
    pub fn id(self) -> &'static str {
        match self {
            Calls::All => "all",
            Calls::WithIntent => "with_intent",
            Calls::WithoutIntent => "without_intent",
        }
    }
}

/// One embedder on the corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    /// Its name in a policy.
    pub embedder: &'static str,
    /// Which calls all of this is about.
    pub calls: Calls,
    /// The same of the calls without a usable intent, where there are some of both.
    pub without_intent: Option<Box<Calibrated>>,
    /// SHA-256 of the data that it goes by, in hexadecimal; absent where it goes by none.
    pub sha256: Option<String>,
    /// Descriptions of harm and of harmless work that calls were compared with; absent where scores are
    /// those of the recording.
    pub descriptions: Option<(u64, u64)>,
    /// Whether some of them are others than those that gate has.
    pub own_descriptions: bool,
    /// Its thresholds, those of the policy where that is about it.
    pub thresholds: Thresholds,
    /// Ordinary calls that were scored.
    pub ordinary: u64,
    /// Attacks with a call that was scored.
    pub attacks: u64,
    /// Calls without a score to go by.
    pub unscored: u64,
    /// How well the score, raised where harm reaches the floor, tells attacks from ordinary calls;
    /// absent without scores of both kinds.
    pub auc: Option<Auc>,
    /// The same of harm alone; absent also where that is not known.
    pub harm_auc: Option<Auc>,
    /// What its thresholds do.
    pub bands: Vec<Band>,
    /// Thresholds for the rates asked for.
    pub table: Vec<RateRow>,
    /// Thresholds for a policy.
    pub suggested: Suggested,
    /// Attacks by category, in alphabetical order; those without one are left out.
    pub categories: Vec<CategoryRow>,
    /// Ordinary calls with the highest scores.
    pub loudest: Vec<Example>,
    /// Attacks with the lowest scores.
    pub quietest: Vec<Example>,
}

impl Calibrated {
    /// The least rate of false alarms that so many ordinary calls can tell: had none of them been one,
    /// the rate might still be this, with 95% confidence. Absent without calls.
    pub fn least_told(&self) -> Option<f64> {
        zero_hit_upper(self.ordinary)
    }

    /// Whether so few ordinary calls can tell that rate.
    pub fn can_tell(&self, rate: f64) -> bool {
        self.least_told().is_some_and(|least| least <= rate)
    }
}

/// What a condition flags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flagged {
    /// Ordinary calls that it flags: false alarms.
    pub alarms: Share,
    /// Attacks that it flags.
    pub caught: Share,
}

/// A share with its intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Hits among all, taken as independent of each other.
    pub rate: Rate,
    /// The same by groups; absent where every group has one member.
    pub clustered: Option<ClusteredRate>,
}

impl Share {
    /// The 95% interval that allows for groups; absent without trials.
    pub fn interval(&self) -> Option<crate::verify::stats::Interval> {
        let clustered = self.clustered.as_ref().map(|c| c.interval);
        clustered.or(self.rate.wilson)
    }
}

/// A threshold of the embedder and what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Its key in a policy.
    pub key: &'static str,
    /// The threshold.
    pub threshold: f64,
    /// Calls that reach it; for `escalate` also those whose harm reaches the floor.
    pub flagged: Flagged,
}

/// A threshold for a rate of false alarms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateRow {
    /// The rate asked for.
    pub rate: f64,
    /// The least threshold that keeps to it; absent where the greatest score there is does not.
    pub threshold: Option<f64>,
    /// What it flags, the harm floor left aside; absent as the threshold.
    pub flagged: Option<Flagged>,
    /// Whether there are enough ordinary calls to tell such a rate.
    pub can_tell: bool,
}

/// Thresholds for a policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggested {
    /// Score to escalate from, the calls that the harm floor escalates counted in; absent where these
    /// alone, or those with the greatest score there is, are too many.
    pub escalate: Option<f64>,
    /// What it flags, the harm floor included.
    pub escalated: Option<Flagged>,
    /// Score to block from; absent where the greatest score there is blocks too many.
    pub block: Option<f64>,
    /// What it flags.
    pub blocked: Option<Flagged>,
    /// A `[semantic]` table with them, and with those for calls without a usable intent; absent
    /// without ordinary calls, and where a threshold is.
    pub toml: Option<String>,
}

/// Attacks of one category.
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryRow {
    /// The category. Untrusted.
    pub name: String,
    /// Attacks that the embedder's `escalate` or its harm floor flags.
    pub escalated: Rate,
    /// Attacks that its `block` flags.
    pub blocked: Rate,
}
