//! The stages of the reference monitor: each judges a call against the run's state.
//!
//! [`STAGES`] is the only list, in pipeline order. The engine runs them one after the other and
//! stops at the first that does not pass; it knows none of them by name.

pub mod action;
pub mod bindings;
mod contracts;
mod dcbf;
mod dfa;
mod facts;
mod gates;
mod privilege;
mod probe;
mod remembered;
mod semantic;
pub mod weigh;

pub use crate::barriers::Step as Reading;
use crate::barriers::level::Transition;
use crate::engine::decision;
use crate::facets::{Arguments, Facets, tools::ToolName};
use crate::firewall::Ready;
use crate::policy::Policy;
use crate::policy::expr::Variable;
use crate::policy::matcher::NameSet;
use crate::state::history::History;
use crate::state::{AgentState, Embedded, Phase, RunView, StateView};
use crate::trace::event::{Outcome, Prepare, ToolCall};
use crate::trace::json::Json;
use crate::trace::money::Nano;
pub use facts::{Facts, Rooms};
pub use probe::{PROBE, Probed};
pub use remembered::Remembered;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use weigh::{Configured, Weighed};

/// Every stage, in pipeline order.
pub const STAGES: &[&dyn Stage] = &[
    &gates::Gates,
    &privilege::Privilege,
    &dfa::Dfa,
    &contracts::Contracts,
    &dcbf::Dcbf,
    &semantic::Semantic,
];

/// A stage of the pipeline.
pub trait Stage: Sync {
    /// Its name.
    fn id(&self) -> &'static str;

    /// What it asks, in one line.
    fn doc(&self) -> &'static str;

    /// Its rules in the order in which they are tried, each with one line about it.
    fn rules(&self) -> &'static [(&'static str, &'static str)];

    /// Whether it passes every call and every result under this policy, in any state, and has nothing to
    /// note: it is not asked then.
    fn is_idle(&self, _policy: &Policy) -> bool {
        false
    }

    /// What works out of calls beforehand what the stage asks of them under this policy, whatever the run
    /// (see [`Prepared`](crate::trace::event::Prepared)); absent if there is nothing.
    fn prepare(&self, _policy: &Policy) -> Option<Prepare> {
        None
    }

    /// Refuses every call of a run in this state, before any stage is asked.
    fn precheck(&self, _state: &AgentState) -> Option<Finding> {
        None
    }

    /// Judges a call. What there is to report beside the verdict goes into `notes`.
    fn judge(&self, cx: &CallContext<'_>, notes: &mut Notes) -> Verdict;

    /// Every rule that the policy has it check, in the order in which they are tried, postconditions
    /// last. What is weighed is one of these.
    fn configured(&self, policy: &Policy) -> Vec<Configured>;

    /// Every rule that is configured and meets the call, in the order in which they are tried: the
    /// explaining twin of [`Stage::judge`], and of [`Stage::precheck`] where the stage has one. The
    /// first rule that does not pass is the one that decides; none means that the stage passes.
    fn weigh(&self, cx: &CallContext<'_>) -> Vec<Weighed>;

    /// Every barrier before and after the call, where the stage checks them.
    fn transitions(&self, _cx: &CallContext<'_>) -> Vec<Transition> {
        Vec::new()
    }

    /// The value of every barrier in a state, where the stage checks them.
    fn values(&self, _policy: &Policy, _view: &StateView<'_>) -> Vec<f64> {
        Vec::new()
    }

    /// Whether the call's result has to be checked once it is known.
    fn awaits_result(&self, _cx: &CallContext<'_>) -> bool {
        false
    }

    /// Judges the result of an admitted call; a finding keeps it from the agent.
    fn check_result(&self, _cx: &CallContext<'_>, _outcome: &Outcome<'_>) -> Option<Finding> {
        None
    }

    /// Every rule that meets the result: the explaining twin of [`Stage::check_result`].
    fn weigh_result(&self, _cx: &CallContext<'_>, _outcome: &Outcome<'_>) -> Vec<Weighed> {
        Vec::new()
    }

    /// The phase that this many refusals in a row bring a run into.
    fn after_refusals(&self, _policy: &Policy, _in_a_row: u64) -> Option<Phase> {
        None
    }
}

/// What a stage says of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing against it.
    Pass,
    /// It may not run.
    Refuse(Box<Finding>),
    /// Somebody has to decide.
    Escalate(Box<Finding>),
    /// The stage could not be evaluated: it may not run.
    Error(Box<Finding>),
}

impl Verdict {
    /// Passes a call of which that holds.
    #[inline]
    fn refuse_unless(holds: bool, why: impl FnOnce() -> String) -> Verdict {
        match holds {
            true => Verdict::Pass,
            false => Verdict::Refuse(Finding::why(why())),
        }
    }
}

/// Why a stage did not pass a call. It is large and few calls have one, so that verdicts have it in a
/// box.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// The rule that decided.
    pub rule: &'static str,
    /// Why, in plain words. Holds untrusted text.
    pub reason: String,
    /// Line of the policy file that decided; 0 where it is a default.
    pub policy_line: usize,
    /// Id of the rule of the policy that decided; absent where it has none.
    pub policy_rule: Option<String>,
    /// Barriers that refuse, in policy order.
    pub broken: Vec<usize>,
    /// Whether the state alone refuses, whatever the call.
    pub standing: bool,
    /// Whether the run is exhausted by it.
    pub exhausts: bool,
}

impl Finding {
    fn new(rule: &'static str, reason: String) -> Finding {
        Finding {
            rule,
            reason,
            ..Finding::default()
        }
    }

    /// Why, without the rule, which is known where it is tried.
    #[cold]
    fn why(reason: String) -> Box<Finding> {
        Box::new(Finding::new("", reason))
    }

    /// The rule looks at arguments, and the recording does not tell them.
    fn blind() -> Box<Finding> {
        Finding::why(BLIND.into())
    }
}

/// Said where a rule looks at arguments, and the recording does not tell them.
const BLIND: &str = "the recording does not tell the arguments";

/// What stages report of a call beside their verdicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// One reading a barrier; empty where the barriers were not reached.
    pub barriers: Vec<Reading>,
    /// Weighted average of the barriers.
    pub composite: Option<f64>,
    /// Barriers that refuse the call jointly with its in-flight siblings.
    pub hazard: Vec<usize>,
    /// Score of the semantic firewall.
    pub semantic_score: Option<f64>,
    /// How that score came about, where it was worked out here and did not pass.
    pub semantic: Option<Box<decision::Semantic>>,
    /// How the semantic firewall measured the call, where it worked the score out.
    pub measured: Option<weigh::Measured>,
    /// The semantic stage was reached and had no score to go by.
    pub unscored: bool,
    /// The semantic stage scored the call without knowing what the user wanted.
    pub without_intent: bool,
    /// The scope barrier was reached without usable embeddings.
    pub scope_inert: bool,
    /// Features of the transition, where they were asked for.
    pub probed: Option<Box<Probed>>,
    /// Embeddings made here for the scope barrier; the run's from now on if the call is admitted.
    pub embedded: Option<Embedded>,
}

/// What the state would be had the admitted calls that are still in flight settled.
#[derive(Clone, Debug)]
pub struct Siblings {
    /// The settled calls, and those in flight after them in order of arrival.
    pub history: History,
    /// What those in flight were expected to cost together.
    pub estimate: Nano,
}

/// A call and everything a stage may look at to judge it.
pub struct CallContext<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The call as recorded.
    pub call: &'a ToolCall<'a>,
    /// Its id, given or made.
    pub id: &'a str,
    /// Its turn, given or made.
    pub turn: u64,
    /// Its tool and labels.
    pub names: &'a Arc<NameSet>,
    /// Who calls: the call's agent, else the run's.
    pub agent: Option<&'a str>,
    /// Its own estimate, else the policy's charge for a call without one.
    pub estimate: Nano,
    /// The run's state as the call meets it.
    pub state: &'a AgentState,
    /// The run.
    pub run: RunView<'a>,
    /// Admitted calls still in flight; absent if there are none.
    pub siblings: Option<&'a Siblings>,
    /// How often in a row, this time included, the same tool was called with equal arguments.
    pub repeats: u64,
    /// Nanoseconds since the run began, where both times are known.
    pub elapsed_ns: Option<i128>,
    /// Whether rules that are weighed need not say what they looked at.
    pub wordless: bool,
    /// Scores of this call from earlier replays.
    pub remembered: Option<&'a Remembered>,
    /// What the call says by itself, shared with all who are given this call.
    facts: &'a Facts,
    /// Arguments, parsed when first asked for.
    args: OnceLock<Json<'a>>,
    /// All that the arguments say the call does, worked out when first asked for.
    done: OnceLock<Facets>,
    /// The call's text as it is embedded, put together when first asked for.
    ready: OnceLock<Ready>,
    /// What the user asked for, as far as it tells anything; found out when first asked for.
    wanted: OnceLock<Option<&'a str>>,
}

impl<'a> CallContext<'a> {
    /// A context with nothing worked out yet; the remaining fields say that nothing is in flight,
    /// repeated or timed.
    pub fn new(
        policy: &'a Policy,
        call: &'a ToolCall<'a>,
        names: &'a Arc<NameSet>,
        state: &'a AgentState,
        run: RunView<'a>,
        facts: &'a Facts,
    ) -> Self {
        CallContext {
            policy,
            call,
            id: call.id.as_deref().unwrap_or_default(),
            turn: call.turn.unwrap_or_default(),
            names,
            agent: call.agent.as_deref().or(run.agent),
            estimate: call.estimated_cost.unwrap_or(policy.dcbf.per_call_cost),
            state,
            run,
            siblings: None,
            repeats: 1,
            elapsed_ns: None,
            wordless: false,
            remembered: None,
            facts,
            args: OnceLock::new(),
            done: OnceLock::new(),
            ready: OnceLock::new(),
            wanted: OnceLock::new(),
        }
    }

    /// What the name of the call's tool says of what it does.
    pub fn tool_name(&self) -> &Arc<ToolName> {
        self.facts.tool_name(&self.call.tool)
    }

    /// The call's arguments; absent where the recording does not tell them.
    pub fn args(&self) -> Option<&Json<'a>> {
        (!self.call.args_unknown).then(|| self.args.get_or_init(|| self.call.args.json()))
    }

    /// The call's text: its strings, numbers and booleans in document order, joined by spaces.
    /// Absent where the recording does not tell the arguments.
    pub fn text(&self) -> Option<&str> {
        let told = !self.call.args_unknown;
        told.then(|| self.facts.text(&self.call.args))
    }

    /// Its arguments taken apart.
    fn apart(&self, args: &Json<'_>) -> &facts::Apart {
        let arguments = || Arguments::new(Arc::clone(self.tool_name()), args);
        let apart = || Box::new(facts::Apart::new(arguments()));
        self.facts.apart.get_or_init(apart)
    }

    /// A list of what the call does. Absent where the recording does not tell the arguments, and where
    /// these go beyond what is read.
    fn facet(&self, facet: Variable) -> Option<&facts::Facet> {
        let apart = match self.facts.apart.get() {
            Some(known) => &**known,
            None => self.apart(self.args()?),
        };
        apart.facet(facet)
    }

    /// What the call touches: the record's resources, else those the policy finds in its arguments.
    /// Absent where the policy would look for them there, and the recording does not tell them.
    pub fn resources(&self) -> Option<Vec<Cow<'_, str>>> {
        let recorded = &self.call.resources;
        if !recorded.is_empty() {
            return Some(recorded.iter().map(|r| Cow::Borrowed(&**r)).collect());
        }
        let rules = self.policy.resources.iter();
        let rules = rules.filter(|rule| self.names.is(rule.tools));
        let mut found = Vec::new();
        for rule in rules {
            found.extend(extract(self.args()?, &rule.path));
        }
        Some(found)
    }

    /// The state as it stands, without what the call brings along.
    pub fn standing_view(&self) -> StateView<'_> {
        self.state.view(self.run)
    }

    /// The state with the embeddings that the call's record brings along.
    pub fn view(&self) -> StateView<'_> {
        let call = self.call;
        if call.context_embedding.is_none() && call.action_embedding.is_none() {
            return self.standing_view();
        }
        let mut view = self.state.recorded_view(self.run);
        if let Some(own) = &self.call.context_embedding {
            view.context = Some(own);
        }
        if let Some(own) = &self.call.action_embedding {
            view.action = Some(own);
        }
        view
    }
}

/// The texts at a path of the arguments: a string, or every element of an array. What is there and is
/// no string counts as its JSON, so that it has to be allowed like any resource; arguments that are no
/// object count as a whole.
fn extract<'a>(args: &'a Json<'_>, path: &[String]) -> Vec<Cow<'a, str>> {
    let text = |json: &'a Json<'_>| match json.as_str() {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(json.to_compact()),
    };
    let mut at = args;
    for key in path {
        match (at, at.get(key)) {
            (_, Some(Json::Null)) => return Vec::new(),
            (_, Some(value)) => at = value,
            (Json::Object(_), None) => return Vec::new(),
            (_, None) => return vec![text(at)],
        }
    }
    match at {
        Json::Array(items) => items.iter().map(text).collect(),
        value => vec![text(value)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    #[test]
    fn resources_are_found_or_count_as_they_stand() {
        let path = ["a".to_owned(), "b".to_owned()];
        for (args, found) in [
            (r#"{"a":{"b":"x"}}"#, vec!["x"]),
            (
                r#"{"a":{"b":["x",["y"],{"p":1}]}}"#,
                vec!["x", r#"["y"]"#, r#"{"p":1}"#],
            ),
            (r#"{"a":{"b":7}}"#, vec!["7"]),
            (r#"{"a":{"c":"x"}}"#, vec![]),
            (r#"{"a":{"b":null}}"#, vec![]),
            (r#"{"a":"rm x"}"#, vec!["rm x"]),
            (r#""rm x""#, vec!["rm x"]),
        ] {
            let json = parse(args.as_bytes()).expect("json");
            assert_eq!(extract(&json, &path), found, "{args}");
        }
    }

    #[test]
    fn stages_stand_in_pipeline_order_and_are_documented() {
        let ids: Vec<_> = STAGES.iter().map(|s| s.id()).collect();
        assert_eq!(
            ids,
            ["gates", "privilege", "dfa", "contracts", "dcbf", "semantic"]
        );
        for stage in STAGES {
            assert!(!stage.doc().is_empty() && !stage.rules().is_empty());
            assert!(
                stage
                    .rules()
                    .iter()
                    .all(|(rule, doc)| !rule.is_empty() && !doc.is_empty())
            );
        }
    }
}
