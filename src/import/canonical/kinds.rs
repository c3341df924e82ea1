//! Builds the event of each kind of record from its fields.

use super::fields::Fields;
use super::keys::{Key, Kind};
use crate::trace::event::{
    Approval, ApprovalOutcome, Event, GroundTruth, Outcome, Recorded, RunEnd, RunStart, RunStatus,
    ToolCall, ToolResult,
};
use crate::trace::fault::FaultCode;
use crate::trace::json::{Raw, decode, scan_object};
use crate::trace::money::Nano;
use std::borrow::Cow;

/// The fields that tell how a call came out.
const OUTCOME: &[Key] = &[Key::Result, Key::Error, Key::CostUsd, Key::Tokens];

/// Fields of a call that few records have: one test tells that a record has none of them.
const SELDOM: &[Key] = &[
    Key::Resources,
    Key::EstimatedCostUsd,
    Key::EstimatedCost,
    Key::Metadata,
    Key::Batch,
    Key::Labels,
    Key::ContextEmbedding,
    Key::ActionEmbedding,
    Key::Decision,
    Key::SemanticScore,
    Key::Approval,
];

impl<'a> Fields<'_, 'a> {
    /// The event of a record of `kind`; `None` if a required field is missing. It is to be used
    /// only if the fields are not [`unusable`](Fields::unusable) by then.
    pub fn event(&mut self, kind: Kind, run: Option<Cow<'a, str>>) -> Option<Event<'a>> {
        match kind {
            Kind::RunStart => self.run_start(run).map(Event::RunStart),
            Kind::ToolCall => self.tool_call(run).map(Event::ToolCall),
            Kind::ToolResult => self.tool_result(run).map(Event::ToolResult),
            Kind::Approval => self.approval(run).map(Event::Approval),
            Kind::RunEnd => self.run_end(run).map(Event::RunEnd),
        }
    }

    fn run_start(&mut self, run: Option<Cow<'a, str>>) -> Option<RunStart<'a>> {
        let run = self.required(Key::Run, run)?;
        Some(RunStart {
            run: Some(run),
            agent: self.read(Key::Agent, Self::prose),
            intent: self.read(Key::Intent, Self::prose),
            ts: self.read(Key::Ts, Self::timestamp),
            label: self.one_of(Key::Label, GroundTruth::ALL),
            meta: self.read(Key::Meta, Self::object),
        })
    }

    /// A call. It is filled in where it stays: it has many fields, and few records have many of them.
    fn tool_call(&mut self, run: Option<Cow<'a, str>>) -> Option<Box<ToolCall<'a>>> {
        let tool = self.name_of_tool()?;
        let mut call = Box::<ToolCall<'_>>::default();
        call.run = run;
        call.tool = tool;
        if self.slots.of(OUTCOME) != 0 {
            let outcome = self.outcome();
            call.outcome = outcome.is_known().then_some(outcome);
        }
        call.id = self.one_id(&[Key::Id, Key::CallId, Key::ToolCallId]);
        call.turn = self.read(Key::Turn, Self::whole);
        call.args = self.arguments();
        call.args_unknown = self.arguments_unknown();
        call.agent = self.read(Key::Agent, Self::prose);
        if self.slots.of(SELDOM) != 0 {
            self.seldom(&mut call);
        }
        call.ts = self.read(Key::Ts, Self::timestamp);
        Some(call)
    }

    /// Fills in the fields that are [`SELDOM`] there.
    fn seldom(&mut self, call: &mut ToolCall<'a>) {
        call.resources = self.read(Key::Resources, Self::texts).unwrap_or_default();
        call.estimated_cost = self.estimate();
        call.batch = self.read(Key::Batch, Self::identity);
        call.labels = self.read(Key::Labels, Self::texts).unwrap_or_default();
        call.context_embedding = self.read(Key::ContextEmbedding, Self::vector);
        call.action_embedding = self.read(Key::ActionEmbedding, Self::vector);
        call.recorded = self.one_of(Key::Decision, Recorded::ALL);
        call.semantic_score = self.read(Key::SemanticScore, Self::float);
        call.approval = self.one_of(Key::Approval, ApprovalOutcome::ALL);
    }

    fn tool_result(&mut self, run: Option<Cow<'a, str>>) -> Option<ToolResult<'a>> {
        Some(ToolResult {
            run,
            call: self.call()?,
            outcome: self.outcome(),
            ts: self.read(Key::Ts, Self::timestamp),
        })
    }

    fn approval(&mut self, run: Option<Cow<'a, str>>) -> Option<Approval<'a>> {
        let call = self.call()?;
        let decision = self.one_of(Key::Decision, ApprovalOutcome::ALL);
        let decision = self.required(Key::Decision, decision)?;
        self.read(Key::Ts, Self::timestamp);
        Some(Approval {
            run,
            call,
            decision,
            by: self.read(Key::By, Self::prose),
        })
    }

    fn run_end(&mut self, run: Option<Cow<'a, str>>) -> Option<RunEnd<'a>> {
        let run = self.required(Key::Run, run)?;
        let status = self.one_of(Key::Status, RunStatus::ALL);
        self.read(Key::Reason, Self::prose);
        self.read(Key::Ts, Self::timestamp);
        Some(RunEnd {
            run: Some(run),
            // An end without a status is an end all the same: the agent has answered.
            status: status.unwrap_or(RunStatus::Answered),
        })
    }

    fn name_of_tool(&mut self) -> Option<Cow<'a, str>> {
        let spellings = [Key::Tool, Key::ToolName, Key::Name];
        let tool = self.one_id(&spellings);
        let tool = self.required(Key::Tool, tool)?;
        if tool.is_empty() {
            let raw = spellings.iter().find_map(|key| self.slots.get(*key));
            let offset = raw.map_or(0, |raw| raw.offset);
            self.fault(FaultCode::BadField, offset, "the tool name is empty".into());
            return None;
        }
        Some(tool)
    }

    fn call(&mut self) -> Option<Cow<'a, str>> {
        let call = self.one_id(&[Key::Call, Key::CallId, Key::ToolCallId]);
        self.required(Key::Call, call)
    }

    #[inline(always)]
    fn one_id(&mut self, spellings: &[Key]) -> Option<Cow<'a, str>> {
        self.spelled(spellings, Self::identity, |a, b| a == b)
    }

    fn outcome(&mut self) -> Outcome<'a> {
        Outcome {
            result: self.read(Key::Result, Self::json),
            error: self.read(Key::Error, Self::flag),
            cost: self.read(Key::CostUsd, Self::money),
            tokens: self.read(Key::Tokens, Self::whole),
        }
    }

    fn estimate(&mut self) -> Option<Nano> {
        self.spelled(
            &[Key::EstimatedCostUsd, Key::EstimatedCost, Key::Metadata],
            |fields, key, raw| match key {
                Key::Metadata => fields.estimate_in_metadata(raw),
                _ => fields.money(key, raw),
            },
            |a, b| a == b,
        )
    }

    fn estimate_in_metadata(&mut self, metadata: &Raw<'a>) -> Option<Nano> {
        const NAME: &str = "metadata.estimated_cost";
        let mut found = None;
        let mut twice = None;
        // Metadata of another shape says nothing about the cost; it has been scanned already.
        let _ = scan_object(metadata.bytes, |mut member| {
            if decode(member.key.bytes).text != Key::EstimatedCost.name() {
                return;
            }
            member.value.offset += metadata.offset;
            if found.is_some() {
                twice = Some(metadata.offset + member.key.offset);
            }
            found = found.or(Some(member.value));
        });
        if let Some(offset) = twice {
            let message = format!("`{NAME}` is given twice");
            self.fault(FaultCode::DuplicateKey, offset, message);
        }
        let value = found.filter(|raw| raw.bytes != b"null")?;
        self.money_in(NAME, &value)
    }
}
