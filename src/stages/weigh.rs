//! Rules as they meet a call, one by one.
//!
//! A stage goes along its rules once, and who is told of them decides how far: `First` stops at
//! the first that does not pass, which makes a verdict; `All` hears every one, which makes an
//! explanation. So the two cannot part. Nothing is put into words before somebody asks for them.

use super::{CallContext, Verdict};
use crate::barriers::level::Transition;
use crate::policy::Policy;
use crate::trace::money::Nano;
use std::fmt::Display;
use std::ops::ControlFlow;

/// A quantity that a rule holds against a limit of the policy, or that limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Calls, steps, turns or tokens.
    Count(u64),
    /// Dollars.
    Money(Nano),
    /// Nanoseconds.
    Span(i128),
    /// A number without a unit of its own, such as a score.
    Real(f64),
}

/// One rule of a stage, as it meets a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// The rule, one of [`Stage::rules`](super::Stage::rules).
    pub rule: &'static str,
    /// Which of the policy's it is: the barrier, the id of the contract or else its tools, the
    /// regex, the agent, the tool with a budget. Empty where a policy has but one.
    pub name: String,
    /// Line of the policy file where it stands; 0 where it is a default or a preset's.
    pub policy_line: usize,
    /// What it says.
    pub outcome: Weight,
    /// Of an escalation that the decision does not stand on, that it lets the call through: somebody
    /// approved, or the replay does where nobody decided. Told by those who explain.
    pub let_through: bool,
    /// What it held against its limit; absent where it has none.
    pub met: Option<Amount>,
    /// How the semantic firewall measured the call; absent where another rule looked, and where the
    /// score is a recorded one.
    pub measured: Option<Measured>,
    /// What it looked at, in plain words with numbers. Holds no arguments, and untrusted text. Empty
    /// where no words were asked for.
    pub looked_at: String,
}

/// How the semantic firewall measured a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// How close it is to harm, before anything is taken off.
    pub harm: f64,
    /// Whether it was held against an intent.
    pub asked: bool,
}

/// What a rule says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    /// Nothing against it.
    Passes,
    /// It may not run, or its result may not be seen.
    Refuses,
    /// Somebody has to decide.
    Escalates,
    /// It could not be evaluated: the call may not run.
    Fails,
    /// It is a label rule, and gives the call its label.
    Gives,
}

impl Weight {
    /// The word machine formats spell it with.
    pub fn as_str(self) -> &'static str {
        match self {
            Weight::Passes => "passes",
            Weight::Refuses => "refuses",
            Weight::Escalates => "escalates",
            Weight::Fails => "fails",
            Weight::Gives => "gives",
        }
    }

    /// Whether it does not let the call pass.
    pub fn stops(self) -> bool {
        matches!(self, Weight::Refuses | Weight::Escalates | Weight::Fails)
    }
}

impl From<&Verdict> for Weight {
    fn from(verdict: &Verdict) -> Weight {
        match verdict {
            Verdict::Pass => Weight::Passes,
            Verdict::Refuse(_) => Weight::Refuses,
            Verdict::Escalate(_) => Weight::Escalates,
            Verdict::Error(_) => Weight::Fails,
        }
    }
}

/// What the rules of a stage say of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct StageWeighed {
    /// The stage; [`LABELS`] for the rules that give labels, which are no stage's.
    pub stage: &'static str,
    /// Its rules that met the call, in the order in which they are tried; postconditions last, where
    /// the call had a result to check.
    pub rules: Vec<Weighed>,
    /// Barriers before and after the call, in policy order, of the stage that checks them. Empty where
    /// no words were asked for.
    pub transitions: Vec<Transition>,
}

impl StageWeighed {
    /// The rule that decides, were the stage asked alone; absent where it passes the call.
    pub fn first(&self) -> Option<&Weighed> {
        self.rules.iter().find(|rule| rule.outcome.stops())
    }
}

/// What stands in place of a stage where label rules are told of.
pub const LABELS: &str = "labels";

/// The rule of a label rule.
pub const LABEL: &str = "label";

/// The label rules of a policy, by label.
pub fn label_rules(policy: &Policy) -> Vec<Configured> {
    let rules = policy.labels.iter().map(|rule| Configured {
        rule: LABEL,
        name: rule.label.clone(),
        policy_line: rule.place.line,
    });
    rules.collect()
}

/// A rule as a policy has it, whether a call meets it or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configured {
    /// As in [`Weighed`].
    pub rule: &'static str,
    /// As in [`Weighed`].
    pub name: String,
    /// As in [`Weighed`].
    pub policy_line: usize,
}

/// Where a rule stands in the policy.
#[derive(Clone, Copy)]
pub(super) enum At<'p> {
    /// On that line; 0 for a default or a preset's.
    Line(usize),
    /// Where the first of these keys stands that the file has, else where the setting of that name
    /// does, in that table.
    Setting(&'static [&'static str], &'p str, &'static [&'static str]),
}

impl At<'_> {
    fn line(self, policy: &Policy) -> usize {
        let (table, name, keys) = match self {
            At::Line(line) => return line,
            At::Setting(table, name, keys) => (table, name, keys),
        };
        let setting = || table.iter().copied().chain([name]);
        let keys = keys.iter();
        let mut lines = keys.map(|key| policy.lines.line(setting().chain([*key])));
        let key = lines.find(|&line| line > 0);
        key.unwrap_or_else(|| policy.lines.line(setting()))
    }
}

/// A rule of a policy, not in words yet.
#[derive(Clone, Copy)]
pub(super) struct Known<'p> {
    /// The rule.
    pub(super) rule: &'static str,
    /// Which of the policy's it is.
    pub(super) name: &'p dyn Display,
    /// Where it stands.
    pub(super) at: At<'p>,
    /// What it holds against its limit.
    pub(super) met: Option<Amount>,
    /// How the semantic firewall measured the call.
    pub(super) measured: Option<Measured>,
}

impl<'p> Known<'p> {
    /// A rule of which a policy has one, under that key of that table.
    pub(super) const fn one(
        rule: &'static str,
        table: &'static [&'static str],
        key: &'static str,
    ) -> Known<'static> {
        Known {
            rule,
            name: &"",
            at: At::Setting(table, key, &[]),
            met: None,
            measured: None,
        }
    }

    /// The rule as it holds that against its limit.
    pub(super) fn on(self, met: Amount) -> Known<'p> {
        Known {
            met: Some(met),
            ..self
        }
    }

    /// The line where it stands; 0 where it is a default or a preset's.
    pub(super) fn line(self, policy: &Policy) -> usize {
        self.at.line(policy)
    }

    /// In words.
    pub(super) fn configured(self, policy: &Policy) -> Configured {
        Configured {
            rule: self.rule,
            name: self.name.to_string(),
            policy_line: self.line(policy),
        }
    }
}

/// Nothing more to be tried, or the next rule.
pub(super) type Walked = ControlFlow<()>;

/// The next rule is to be tried.
pub(super) const ON: Walked = ControlFlow::Continue(());

/// Is told of rules as they are tried.
pub(super) trait Walk {
    /// Whether it has a use for rules that pass; it need not be told of them otherwise.
    const HEARS_PASSES: bool;

    /// Hears what a rule looked at and what it says, in a finding that need not name the rule and its
    /// line. Says whether the next one is to be tried.
    fn tried(&mut self, rule: Known<'_>, looked_at: &dyn Display, verdict: Verdict) -> Walked;
}

/// The first rule that does not pass.
pub(super) struct First<'p> {
    policy: &'p Policy,
    verdict: Verdict,
}

impl First<'_> {
    /// What the rules come to.
    pub(super) fn of(policy: &Policy, walk: impl FnOnce(&mut First<'_>) -> Walked) -> Verdict {
        let mut first = First {
            policy,
            verdict: Verdict::Pass,
        };
        let _ = walk(&mut first);
        first.verdict
    }
}

impl Walk for First<'_> {
    const HEARS_PASSES: bool = false;

    #[inline]
    fn tried(&mut self, rule: Known<'_>, _: &dyn Display, verdict: Verdict) -> Walked {
        match verdict {
            Verdict::Pass => ON,
            verdict => self.stop(rule, verdict),
        }
    }
}

impl First<'_> {
    /// Keeps what did not pass. Apart, since nearly every rule passes nearly every call.
    #[cold]
    fn stop(&mut self, rule: Known<'_>, verdict: Verdict) -> Walked {
        self.verdict = verdict;
        if let Verdict::Refuse(finding) | Verdict::Escalate(finding) | Verdict::Error(finding) =
            &mut self.verdict
        {
            finding.rule = rule.rule;
            finding.policy_line = rule.line(self.policy);
        }
        ControlFlow::Break(())
    }
}

/// Every rule.
pub(super) struct All<'p> {
    policy: &'p Policy,
    words: bool,
    rules: Vec<Weighed>,
}

impl All<'_> {
    /// What the rules say of a call, one by one.
    pub(super) fn of(
        cx: &CallContext<'_>,
        walk: impl FnOnce(&mut All<'_>) -> Walked,
    ) -> Vec<Weighed> {
        let mut all = All {
            policy: cx.policy,
            words: !cx.wordless,
            rules: Vec::new(),
        };
        let _ = walk(&mut all);
        all.rules
    }
}

impl Walk for All<'_> {
    const HEARS_PASSES: bool = true;

    fn tried(&mut self, rule: Known<'_>, looked_at: &dyn Display, verdict: Verdict) -> Walked {
        let looked_at = if self.words {
            looked_at.to_string()
        } else {
            String::new()
        };
        self.rules.push(Weighed {
            rule: rule.rule,
            name: rule.name.to_string(),
            policy_line: rule.line(self.policy),
            outcome: Weight::from(&verdict),
            met: rule.met,
            measured: rule.measured,
            let_through: false,
            looked_at,
        });
        ON
    }
}
