//! The nouns of a trace. Every format is imported into these, and nothing after the importers
//! knows which format a call came from.

use super::json::{self, Json};
use super::money::Nano;
use simdutf8::basic::from_utf8;
use std::borrow::Cow;

/// One record of a trace.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// A run begins afresh.
    RunStart(RunStart<'a>),
    /// An agent called a tool.
    ToolCall(Box<ToolCall<'a>>),
    /// A call came back.
    ToolResult(ToolResult<'a>),
    /// Somebody decided about an escalated call.
    Approval(Approval<'a>),
    /// A run is over.
    RunEnd(RunEnd<'a>),
}

impl<'a> Event<'a> {
    /// The run the record names; absent means the run named after the file.
    pub fn run(&self) -> Option<&Cow<'a, str>> {
        match self {
            Event::RunStart(e) => e.run.as_ref(),
            Event::ToolCall(e) => e.run.as_ref(),
            Event::ToolResult(e) => e.run.as_ref(),
            Event::Approval(e) => e.run.as_ref(),
            Event::RunEnd(e) => e.run.as_ref(),
        }
    }
}

/// The beginning of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunStart<'a> {
    /// Id of the run; absent means the run named after the file.
    pub run: Option<Cow<'a, str>>,
    /// Who acts in it, where its calls do not say.
    pub agent: Option<Cow<'a, str>>,
    /// What the user asked for.
    pub intent: Option<Cow<'a, str>>,
    /// When it began.
    pub ts: Option<Timestamp<'a>>,
    /// Ground truth, for scoring.
    pub label: Option<GroundTruth>,
    /// Anything else known of the run, a JSON object.
    pub meta: Option<RawJson<'a>>,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall<'a> {
    /// Id of the run; absent means the run named after the file.
    pub run: Option<Cow<'a, str>>,
    /// Name of the tool, never empty.
    pub tool: Cow<'a, str>,
    /// Id of the call; absent means `call-<n>`.
    pub id: Option<Cow<'a, str>>,
    /// Turn of the conversation; absent means the previous call's turn plus one.
    pub turn: Option<u64>,
    /// Arguments; absent in the input means `{}`.
    pub args: RawJson<'a>,
    /// Whether the recording does not tell the arguments; `args` is then `{}`, and nothing that
    /// needs them can be judged.
    pub args_unknown: bool,
    /// Who calls; absent means the run's agent.
    pub agent: Option<Cow<'a, str>>,
    /// What the call touches.
    pub resources: Vec<Cow<'a, str>>,
    /// What the call was expected to cost.
    pub estimated_cost: Option<Nano>,
    /// Calls that were dispatched together share a batch.
    pub batch: Option<Cow<'a, str>>,
    /// Labels the record brings along.
    pub labels: Vec<Cow<'a, str>>,
    /// Embedding of what the agent was asked to do.
    pub context_embedding: Option<Vec<f64>>,
    /// Embedding of what the agent does.
    pub action_embedding: Option<Vec<f64>>,
    /// What the live system decided.
    pub recorded: Option<Recorded>,
    /// Score the live system's semantic firewall gave.
    pub semantic_score: Option<f64>,
    /// What became of the live system's escalation.
    pub approval: Option<ApprovalOutcome>,
    /// When the call was made.
    pub ts: Option<Timestamp<'a>>,
    /// How it came out, where the record says so itself.
    pub outcome: Option<Outcome<'a>>,
    /// What was worked out of all this already.
    pub prepared: Prepared,
}

/// What was worked out of a call by whoever read it beside others, so that there is less to do where
/// calls are taken in turn. It says nothing that the call does not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prepared {
    /// Hash of its content and, where it has one, of its outcome; absent where they were not asked for.
    pub hashes: Option<(u64, Option<u64>)>,
    /// No regex by which the policy refuses calls matches its text. Where it is false, that is not known.
    pub unrefused: bool,
}

/// Prepares calls, on any thread.
pub type Prepare = Box<dyn FnMut(&mut ToolCall<'_>) + Send>;

/// The result of an earlier call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult<'a> {
    /// Id of the run; absent means the run named after the file.
    pub run: Option<Cow<'a, str>>,
    /// Id of the call.
    pub call: Cow<'a, str>,
    /// How it came out.
    pub outcome: Outcome<'a>,
    /// When it came back.
    pub ts: Option<Timestamp<'a>>,
}

/// How a call came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome<'a> {
    /// What the tool returned; `null` and absent are no result.
    pub result: Option<RawJson<'a>>,
    /// Whether the tool failed; absent means it did not.
    pub error: Option<bool>,
    /// What it cost; absent means nothing was recorded.
    pub cost: Option<Nano>,
    /// Tokens of the result, where the record counted them.
    pub tokens: Option<u64>,
}

impl Outcome<'_> {
    /// Whether the record says anything at all about how the call came out.
    pub fn is_known(&self) -> bool {
        self.result.is_some()
            || self.error.is_some()
            || self.cost.is_some()
            || self.tokens.is_some()
    }

    /// The same outcome without a borrow.
    pub fn into_owned(self) -> Outcome<'static> {
        Outcome {
            result: self.result.map(RawJson::into_owned),
            error: self.error,
            cost: self.cost,
            tokens: self.tokens,
        }
    }
}

/// A decision about an escalated call.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval<'a> {
    /// Id of the run; absent means the run named after the file.
    pub run: Option<Cow<'a, str>>,
    /// Id of the call.
    pub call: Cow<'a, str>,
    /// What was decided.
    pub decision: ApprovalOutcome,
    /// Who decided.
    pub by: Option<Cow<'a, str>>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEnd<'a> {
    /// Id of the run; absent means the run named after the file.
    pub run: Option<Cow<'a, str>>,
    /// How it ended.
    pub status: RunStatus,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// The agent gave its answer.
    Answered,
    /// Somebody stopped it.
    Aborted,
    /// It ran out of time.
    Timeout,
}

/// What somebody decided about an escalated call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// The call may run.
    Approved,
    /// The call may not run.
    Denied,
    /// Nobody decided in time; the call did not run.
    Expired,
}

/// What the live system decided about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It ran.
    Allow,
    /// It did not run.
    Block,
    /// It was put before somebody.
    Escalate,
    /// It ran and its result was kept from the agent.
    Withhold,
}

/// What a run is known to have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroundTruth {
    /// An attack.
    Attack,
    /// Ordinary work.
    Benign,
}

/// A point in time as the trace wrote it; parsed only where a rule asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Timestamp<'a>(pub Cow<'a, str>);

/// Gives an enum of the trace its words: what the trace spells, in order.
macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// Every value and the word the trace spells it with.
            pub const ALL: &[($type, &'static str)] = &[$(($type::$variant, $word)),+];

            /// The word the trace spells it with.
            pub fn as_str(self) -> &'static str {
                match self { $($type::$variant => $word),+ }
            }
        }
    };
}

words!(RunStatus { Answered = "answered", Aborted = "aborted", Timeout = "timeout" });
words!(ApprovalOutcome { Approved = "approved", Denied = "denied", Expired = "expired" });
words!(Recorded {
    Allow = "allow",
    Block = "block",
    Escalate = "escalate",
    Withhold = "withhold",
});
words!(GroundTruth { Attack = "attack", Benign = "benign" });

/// A JSON value kept as it was written, checked but not decoded.
#[derive(Clone, Debug)]
pub struct RawJson<'a> {
    written: Written<'a>,
    /// [`Seen::surplus`](json::Seen), where who checked it has told.
    surplus: Option<usize>,
}

/// How a value was written.
#[derive(Clone, Debug)]
enum Written<'a> {
    /// In UTF-8.
    Text(Cow<'a, str>),
    /// With bytes inside strings that are not UTF-8.
    Damaged(Cow<'a, [u8]>),
}

impl Default for RawJson<'_> {
    fn default() -> Self {
        RawJson {
            written: Written::Text(Cow::Borrowed("{}")),
            surplus: Some(0),
        }
    }
}

impl PartialEq for RawJson<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for RawJson<'_> {}

impl<'a> RawJson<'a> {
    /// Wraps bytes that the scanner has accepted as one value.
    pub fn from_scanned(bytes: &'a [u8]) -> Self {
        RawJson {
            written: match from_utf8(bytes) {
                Ok(text) => Written::Text(Cow::Borrowed(text)),
                Err(_) => Written::Damaged(Cow::Borrowed(bytes)),
            },
            surplus: None,
        }
    }

    /// Wraps a value that the scanner has found in a text, which is given once more as `utf8` where
    /// all of it is UTF-8.
    pub fn from_raw(raw: json::Raw<'a>, utf8: Option<&'a str>) -> Self {
        let span = raw.offset..raw.offset + raw.bytes.len();
        match utf8.and_then(|text| text.get(span)) {
            Some(text) => RawJson {
                written: Written::Text(Cow::Borrowed(text)),
                surplus: Some(raw.seen.surplus),
            },
            None => RawJson::from_scanned(raw.bytes),
        }
    }

    /// Checks and wraps a JSON text.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn from_text(text: impl Into<Vec<u8>>) -> Result<RawJson<'static>, json::JsonError> {
        let bytes = text.into();
        let seen = json::check(&bytes)?;
        Ok(RawJson {
            written: match String::from_utf8(bytes) {
                Ok(text) => Written::Text(Cow::Owned(text)),
                Err(e) => Written::Damaged(Cow::Owned(e.into_bytes())),
            },
            surplus: Some(seen.surplus),
        })
    }

    /// Wraps a parsed value.
    pub fn from_json(value: &Json<'_>) -> RawJson<'static> {
        RawJson {
            written: Written::Text(Cow::Owned(value.to_compact())),
            surplus: None,
        }
    }

    /// Wraps a text as a JSON string.
    pub fn from_string(text: &str) -> RawJson<'static> {
        let mut out = String::with_capacity(text.len() + 2);
        json::write_string(text, &mut out);
        RawJson {
            written: Written::Text(Cow::Owned(out)),
            surplus: None,
        }
    }

    /// The bytes as written.
    pub fn bytes(&self) -> &[u8] {
        match &self.written {
            Written::Text(text) => text.as_bytes(),
            Written::Damaged(bytes) => bytes,
        }
    }

    /// The text as written, where that is UTF-8 and known to have no escape.
    pub fn unescaped(&self) -> Option<&str> {
        match &self.written {
            Written::Text(text) if self.surplus == Some(0) => Some(text),
            _ => None,
        }
    }

    /// The parsed value.
    pub fn json(&self) -> Json<'_> {
        // The constructors let only checked text in.
        json::parse(self.bytes()).unwrap_or(Json::Null)
    }

    /// Appends what [`Json::leaves`] says of the parsed value, which is not built for it.
    pub fn leaves(&self, out: &mut String) {
        match &self.written {
            Written::Text(text) => json::leaves(text, out),
            Written::Damaged(_) => out.push_str(&self.json().leaves()),
        }
    }

    /// Unicode scalar values of the text that this is, which is not decoded for it; `None` if it is
    /// no string.
    pub fn chars(&self) -> Option<usize> {
        if self.bytes().first() != Some(&b'"') {
            return None;
        }
        let surplus = || Some(json::check(self.bytes()).ok()?.surplus);
        let text = match &self.written {
            Written::Text(text) => text,
            Written::Damaged(bytes) => return Some(json::decode(bytes).text.chars().count()),
        };
        let written = match text.is_ascii() {
            true => text.len(),
            false => text.chars().count(),
        };
        Some(written - 2 - self.surplus.or_else(surplus)?)
    }

    /// The same value without a borrow.
    pub fn into_owned(self) -> RawJson<'static> {
        RawJson {
            written: match self.written {
                Written::Text(text) => Written::Text(Cow::Owned(text.into_owned())),
                Written::Damaged(bytes) => Written::Damaged(Cow::Owned(bytes.into_owned())),
            },
            surplus: self.surplus,
        }
    }
}

impl Event<'_> {
    /// The same event without a borrow.
    pub fn into_owned(self) -> Event<'static> {
        let own = |text: Cow<'_, str>| -> Cow<'static, str> { Cow::Owned(text.into_owned()) };
        let time = |ts: Timestamp<'_>| Timestamp(Cow::Owned(ts.0.into_owned()));
        match self {
            Event::RunStart(e) => Event::RunStart(RunStart {
                run: e.run.map(own),
                agent: e.agent.map(own),
                intent: e.intent.map(own),
                ts: e.ts.map(time),
                label: e.label,
                meta: e.meta.map(RawJson::into_owned),
            }),
            Event::ToolCall(e) => Event::ToolCall(Box::new(e.into_owned())),
            Event::ToolResult(e) => Event::ToolResult(ToolResult {
                run: e.run.map(own),
                call: own(e.call),
                outcome: e.outcome.into_owned(),
                ts: e.ts.map(time),
            }),
            Event::Approval(e) => Event::Approval(Approval {
                run: e.run.map(own),
                call: own(e.call),
                decision: e.decision,
                by: e.by.map(own),
            }),
            Event::RunEnd(e) => Event::RunEnd(RunEnd {
                run: e.run.map(own),
                status: e.status,
            }),
        }
    }
}

impl ToolCall<'_> {
    /// The same call without a borrow, for a decision that has to wait.
    pub fn into_owned(self) -> ToolCall<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        ToolCall {
            run: self.run.map(own),
            tool: own(self.tool),
            id: self.id.map(own),
            turn: self.turn,
            args: self.args.into_owned(),
            args_unknown: self.args_unknown,
            agent: self.agent.map(own),
            resources: self.resources.into_iter().map(own).collect(),
            estimated_cost: self.estimated_cost,
            batch: self.batch.map(own),
            labels: self.labels.into_iter().map(own).collect(),
            context_embedding: self.context_embedding,
            action_embedding: self.action_embedding,
            recorded: self.recorded,
            semantic_score: self.semantic_score,
            approval: self.approval,
            ts: self.ts.map(|ts| Timestamp(own(ts.0))),
            outcome: self.outcome.map(Outcome::into_owned),
            prepared: self.prepared,
        }
    }
}
