//! Numbers of a policy that may be changed, each by its path in the file.

use crate::firewall::{Bands, Firewall, Thresholds, bands};
use crate::policy::semantic::{Computed, Given, Scores, Semantic};
use crate::policy::{Agent, BarrierSpec, Measure, Policy};
use crate::stages::weigh::Amount;
use crate::trace::money::Nano;
use std::sync::Arc;

/// A number of a policy. Barriers, agents and budgets of tools are told by their index in the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the key of its path")]
pub enum Key {
    Budget(usize),
    PerCall(usize),
    Limit(usize),
    StepBudget(usize),
    MaxDrift(usize),
    Window(usize),
    Margin(usize),
    Kappa(usize),
    MaxSteps,
    MaxLoops,
    MaxRepeats,
    Timeout,
    ObservationWindow,
    MaxTokens,
    ToolTokens(usize),
    CallCost(usize),
    TotalCost(usize),
    MaxRefusals,
    HarmFloor,
    Escalate,
    Block,
    EscalateUnasked,
    BlockUnasked,
}

/// A number of a policy changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Which.
    pub key: Key,
    /// Its path in the policy file.
    pub path: Vec<String>,
    /// Line where it stands; 0 where it is a default or a preset's.
    pub line: usize,
    /// What it is.
    pub from: Amount,
    /// What it would have to be.
    pub to: Amount,
}

impl Change {
    /// The change of a number, which the policy has to have.
    pub fn of(policy: &Policy, key: Key, to: Amount) -> Option<Change> {
        let path = key.path(policy);
        Some(Change {
            key,
            line: policy.lines.line(path.iter().map(String::as_str)),
            from: key.get(policy)?,
            to,
            path,
        })
    }

    /// The path in the policy file: its parts with dots between, quoted where TOML asks for it. Untrusted.
    pub fn dotted(&self) -> String {
        let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let parts = self.path.iter().map(|part| {
            if !part.is_empty() && part.chars().all(bare) {
                return part.clone();
            }
            format!("\"{}\"", part.replace('\\', "\\\\").replace('"', "\\\""))
        });
        parts.collect::<Vec<_>>().join(".")
    }
}

impl Key {
    /// The index of the barrier whose number it is.
    pub fn barrier(self) -> Option<usize> {
        match self {
            Key::Budget(i)
            | Key::PerCall(i)
            | Key::Limit(i)
            | Key::StepBudget(i)
            | Key::MaxDrift(i)
            | Key::Window(i)
            | Key::Margin(i)
            | Key::Kappa(i) => Some(i),
            _ => None,
        }
    }

    /// What the policy says; absent where it does not say it.
    pub fn get(self, policy: &Policy) -> Option<Amount> {
        let (gates, dfa) = (&policy.gates, &policy.dfa);
        let count = Amount::Count;
        match self {
            Key::MaxSteps => Some(count(dfa.max_steps)),
            Key::MaxLoops => Some(count(dfa.max_loops)),
            Key::MaxRepeats => dfa.max_repeats.map(count),
            Key::MaxRefusals => dfa.max_refusals.map(count),
            Key::Timeout => dfa.timeout_ns.map(Amount::Span),
            Key::ObservationWindow => gates.window.map(count),
            Key::MaxTokens => gates.max_tokens.map(count),
            Key::ToolTokens(i) => gates.per_tool.get(i).map(|tool| count(tool.max_tokens)),
            Key::CallCost(i) => agent(policy, i)?.max_call_cost.map(Amount::Money),
            Key::TotalCost(i) => agent(policy, i)?.max_total_cost.map(Amount::Money),
            Key::HarmFloor => {
                let computed = policy.semantic.as_ref()?.computed()?;
                Some(Amount::Real(computed.bands.harm_floor))
            }
            Key::Escalate => policy.semantic.as_ref().map(|s| Amount::Real(s.escalate)),
            Key::Block => policy.semantic.as_ref().map(|s| Amount::Real(s.block)),
            Key::EscalateUnasked => Some(Amount::Real(unasked(policy)?.escalate)),
            Key::BlockUnasked => Some(Amount::Real(unasked(policy)?.block)),
            _ => self.of_barrier(policy.dcbf.barriers.get(self.barrier()?)?),
        }
    }

    fn of_barrier(self, spec: &BarrierSpec) -> Option<Amount> {
        Some(match (self, &spec.measure) {
            (Key::Margin(_), _) => Amount::Real(spec.margin),
            (Key::Kappa(_), _) => Amount::Real(spec.alpha.kappa),
            (Key::Budget(_), Measure::Privacy { budget, .. }) => Amount::Real(*budget),
            (Key::PerCall(_), Measure::Privacy { per_call, .. }) => Amount::Real(*per_call),
            (Key::Limit(_), Measure::Resource { limit }) => Amount::Money(*limit),
            (Key::StepBudget(_), Measure::Stability { step_budget }) => Amount::Count(*step_budget),
            (Key::MaxDrift(_), Measure::Scope { max_drift, .. }) => Amount::Real(*max_drift),
            (Key::Window(_), Measure::Safety { window, .. }) => {
                Amount::Count(u64::try_from(*window).unwrap_or(u64::MAX))
            }
            _ => return None,
        })
    }

    /// The least and the greatest that a policy may say.
    pub fn range(self, policy: &Policy) -> (Amount, Amount) {
        let counts = |least| (Amount::Count(least), Amount::Count(i64::MAX.unsigned_abs()));
        let reals = |least| (Amount::Real(least), Amount::Real(f64::MAX));
        match self {
            Key::MaxSteps
            | Key::MaxLoops
            | Key::ObservationWindow
            | Key::MaxTokens
            | Key::ToolTokens(_)
            | Key::StepBudget(_) => counts(0),
            Key::MaxRepeats | Key::MaxRefusals | Key::Window(_) => counts(1),
            // A billionth of a second; the most is that of amounts of money, which are read alike.
            Key::Timeout => (Amount::Span(1), Amount::Span(MOST)),
            Key::Limit(_) | Key::CallCost(_) | Key::TotalCost(_) => {
                (Amount::Money(Nano::ZERO), Amount::Money(Nano(MOST)))
            }
            Key::Margin(_) => reals(f64::MIN),
            Key::Escalate | Key::EscalateUnasked => {
                let block = policy.semantic.as_ref().map_or(f64::MAX, |s| {
                    self.others(s)
                        .fold(f64::MAX, |most, pair| most.min(pair.block))
                });
                (Amount::Real(0.0), Amount::Real(block))
            }
            Key::Block | Key::BlockUnasked => reals(policy.semantic.as_ref().map_or(0.0, |s| {
                self.others(s)
                    .fold(0.0, |least, pair| least.max(pair.escalate))
            })),
            Key::Budget(_)
            | Key::PerCall(_)
            | Key::MaxDrift(_)
            | Key::Kappa(_)
            | Key::HarmFloor => reals(0.0),
        }
    }

    /// Changes a policy. What is no amount of that kind changes nothing.
    pub fn set(self, policy: &mut Policy, to: Amount) {
        let (gates, dfa) = (&mut policy.gates, &mut policy.dfa);
        match (self, to) {
            (Key::MaxSteps, Amount::Count(n)) => dfa.max_steps = n,
            (Key::MaxLoops, Amount::Count(n)) => dfa.max_loops = n,
            (Key::MaxRepeats, Amount::Count(n)) => dfa.max_repeats = Some(n),
            (Key::MaxRefusals, Amount::Count(n)) => dfa.max_refusals = Some(n),
            (Key::Timeout, Amount::Span(ns)) => dfa.timeout_ns = Some(ns),
            (Key::ObservationWindow, Amount::Count(n)) => gates.window = Some(n),
            (Key::MaxTokens, Amount::Count(n)) => gates.max_tokens = Some(n),
            (Key::ToolTokens(i), Amount::Count(n)) => {
                let tool = gates.per_tool.get_mut(i);
                tool.into_iter().for_each(|tool| tool.max_tokens = n);
            }
            (Key::CallCost(i), Amount::Money(nano)) => {
                agent_mut(policy, i, |agent| agent.max_call_cost = Some(nano));
            }
            (Key::TotalCost(i), Amount::Money(nano)) => {
                agent_mut(policy, i, |agent| agent.max_total_cost = Some(nano));
            }
            (key, Amount::Real(x)) if key.is_semantic() => {
                policy.semantic = policy.semantic.take().map(|s| self.in_semantic(s, x));
            }
            _ => {
                let specs = &mut policy.dcbf.barriers;
                if let Some(spec) = self.barrier().and_then(|i| specs.get_mut(i)) {
                    self.set_barrier(spec, to);
                    if let Measure::Safety { window, .. } = &spec.measure {
                        policy.recent = policy.recent.max(*window);
                    }
                }
            }
        }
    }

    /// Changes a barrier whose number it is.
    pub fn set_barrier(self, spec: &mut BarrierSpec, to: Amount) {
        match (self, &mut spec.measure, to) {
            (Key::Margin(_), _, Amount::Real(x)) => spec.margin = x,
            (Key::Kappa(_), _, Amount::Real(x)) => spec.alpha.kappa = x,
            (Key::Budget(_), Measure::Privacy { budget, .. }, Amount::Real(x)) => *budget = x,
            (Key::PerCall(_), Measure::Privacy { per_call, .. }, Amount::Real(x)) => *per_call = x,
            (Key::Limit(_), Measure::Resource { limit }, Amount::Money(nano)) => *limit = nano,
            (Key::StepBudget(_), Measure::Stability { step_budget }, Amount::Count(n)) => {
                *step_budget = n;
            }
            (Key::MaxDrift(_), Measure::Scope { max_drift, .. }, Amount::Real(x)) => {
                *max_drift = x;
            }
            (Key::Window(_), Measure::Safety { window, .. }, Amount::Count(n)) => {
                *window = usize::try_from(n).unwrap_or(usize::MAX);
            }
            _ => {}
        }
    }

    /// Whether it is a number of the semantic firewall.
    pub fn is_semantic(self) -> bool {
        matches!(
            self,
            Key::HarmFloor | Key::Escalate | Key::Block | Key::EscalateUnasked | Key::BlockUnasked
        )
    }

    /// The thresholds among which one has to stay in order when it changes: those of its own table, and
    /// those of calls without an intent where it holds for them and the other one there is given.
    fn others(self, semantic: &Semantic) -> impl Iterator<Item = Thresholds> {
        let own = Thresholds {
            escalate: semantic.escalate,
            block: semantic.block,
        };
        let Given {
            own: given,
            without_intent,
        } = semantic.given;
        let computed = semantic.computed();
        let others = computed.map(|computed| computed.bands.without_intent);
        let (holds, other) = match self {
            Key::Escalate => (
                without_intent.escalate.is_none(),
                without_intent.block.or(given.block).is_some(),
            ),
            Key::Block => (
                without_intent.block.is_none(),
                without_intent.escalate.or(given.escalate).is_some(),
            ),
            _ => (true, true),
        };
        let unasked = matches!(self, Key::EscalateUnasked | Key::BlockUnasked);
        let others = others.filter(|_| holds && other);
        (!unasked).then_some(own).into_iter().chain(others)
    }

    /// The firewall with that number in its table: what the table does not give follows, as when the
    /// policy is read, and so does a score that is raised to a threshold.
    fn in_semantic(self, semantic: Semantic, to: f64) -> Semantic {
        let mut semantic = semantic;
        let Given {
            own,
            without_intent,
        } = &mut semantic.given;
        match self {
            Key::Escalate => own.escalate = Some(to),
            Key::Block => own.block = Some(to),
            Key::EscalateUnasked => without_intent.escalate = Some(to),
            Key::BlockUnasked => without_intent.block = Some(to),
            _ => {}
        }
        let computed = match &semantic.scores {
            Scores::Computed(computed) => Arc::clone(computed),
            Scores::Recorded => {
                semantic.escalate = own.escalate.unwrap_or(semantic.escalate);
                semantic.block = own.block.unwrap_or(semantic.block);
                return semantic;
            }
        };
        let defaults = bands(computed.embedder.id());
        let (asked, without_intent) = semantic.given.thresholds(&defaults);
        (semantic.escalate, semantic.block) = (asked.escalate, asked.block);
        let bands = Bands {
            harm_floor: match self {
                Key::HarmFloor => to,
                _ => computed.bands.harm_floor,
            },
            escalate: asked.escalate,
            block: asked.block,
            without_intent,
            ..computed.bands
        };
        let embedder = Arc::clone(&computed.embedder);
        semantic.scores = Scores::Computed(Arc::new(Computed {
            firewall: Firewall::new(Arc::clone(&embedder), &computed.exemplars, bands),
            embedder,
            bands,
            exemplars: computed.exemplars.clone(),
            harm: computed.harm.clone(),
            benign: computed.benign.clone(),
        }));
        semantic
    }

    /// Its path in the policy file.
    pub fn path(self, policy: &Policy) -> Vec<String> {
        let parts = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect();
        let key = self.name();
        match self {
            Key::MaxSteps | Key::MaxLoops | Key::MaxRepeats | Key::MaxRefusals | Key::Timeout => {
                parts(&["dfa", key])
            }
            Key::ObservationWindow | Key::MaxTokens => parts(&["gates", key]),
            Key::ToolTokens(i) => {
                let tool = policy.gates.per_tool.get(i);
                parts(&["gates", "per_tool", tool.map_or("", |tool| &tool.name)])
            }
            Key::CallCost(i) | Key::TotalCost(i) => {
                let name = agent(policy, i).map_or("", |agent| &agent.name);
                parts(&["privilege", "agents", name, key])
            }
            Key::HarmFloor | Key::Escalate | Key::Block => parts(&["semantic", key]),
            Key::EscalateUnasked | Key::BlockUnasked => parts(&["semantic", "without_intent", key]),
            _ => {
                let spec = self.barrier().and_then(|i| policy.dcbf.barriers.get(i));
                let name = spec.map_or("", |spec| &spec.name);
                match spec.map(|spec| &spec.measure) {
                    Some(Measure::Neural(_)) if policy.lines.line(["dcbf", name]) > 0 => {
                        parts(&["dcbf", name, key])
                    }
                    _ => parts(&["dcbf", "barriers", name, key]),
                }
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Key::Budget(_) => "budget",
            Key::PerCall(_) => "per_call",
            Key::Limit(_) => "limit_usd",
            Key::StepBudget(_) => "step_budget",
            Key::MaxDrift(_) => "max_drift",
            Key::Window(_) | Key::ObservationWindow => "window",
            Key::Margin(_) => "margin",
            Key::Kappa(_) => "kappa",
            Key::MaxSteps => "max_steps",
            Key::MaxLoops => "max_loops",
            Key::MaxRepeats => "max_repeats",
            Key::Timeout => "timeout_seconds",
            Key::MaxTokens => "max_tokens",
            Key::ToolTokens(_) => "",
            Key::CallCost(_) => "max_call_cost_usd",
            Key::TotalCost(_) => "max_total_cost_usd",
            Key::HarmFloor => "harm_floor",
            Key::MaxRefusals => "max_refusals",
            Key::Escalate | Key::EscalateUnasked => "escalate",
            Key::Block | Key::BlockUnasked => "block",
        }
    }
}

/// The most that a policy may say of money, in billionths.
const MOST: i128 = 1_000_000_000_000_000_000_000_000_000;

/// The thresholds of calls without a usable intent.
fn unasked(policy: &Policy) -> Option<Thresholds> {
    Some(policy.semantic.as_ref()?.computed()?.bands.without_intent)
}

fn agent(policy: &Policy, index: usize) -> Option<&Agent> {
    policy.privilege.as_ref()?.agents.get(index)
}

fn agent_mut(policy: &mut Policy, index: usize, change: impl FnOnce(&mut Agent)) {
    let agents = policy.privilege.iter_mut().flat_map(|p| &mut p.agents);
    if let Some(agent) = agents.into_iter().nth(index) {
        change(agent);
    }
}
