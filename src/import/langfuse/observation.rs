//! One observation of a Langfuse trace.

use crate::import::foreign::spans::{
    About, Attributes, DECIDING, Details, Kind, Said, Span, Spans, args_of, instant, member, named,
    nested, read, result_of, tool_message,
};
use crate::import::foreign::{Out, Told, Unit, Unusable, identifier, kind, once};
use crate::trace::fault::FaultCode;
use crate::trace::json::{self, Json};

/// Types of observations, and what they stand for where nothing else says so.
pub const TYPES: &[(&str, Kind)] = &[
    ("SPAN", Kind::Other),
    ("GENERATION", Kind::Answer),
    ("EVENT", Kind::Other),
    ("AGENT", Kind::Agent),
    ("TOOL", Kind::Tool),
    ("CHAIN", Kind::Other),
    ("RETRIEVER", Kind::Other),
    ("EVALUATOR", Kind::Other),
    ("EMBEDDING", Kind::Other),
    ("GUARDRAIL", Kind::Other),
];

/// Fields of an observation that decide what it is.
const FIELDS: &[&str] = &[
    "id",
    "traceId",
    "trace_id",
    "parentObservationId",
    "parent_observation_id",
    "type",
    "name",
    "input",
    "output",
    "metadata",
    "startTime",
    "start_time",
    "endTime",
    "end_time",
];

/// What of a file an observation is read into.
pub struct Reader<'r> {
    /// The spans.
    pub spans: &'r mut Spans,
    /// What has been said.
    pub told: &'r mut Told,
}

impl Reader<'_> {
    /// Reads an observation; `trace` is the id of the trace that it stands in.
    ///
    /// # Errors
    /// It cannot be used; the fault has been reported.
    pub fn take(
        &mut self,
        observation: &Json<'_>,
        trace: Option<&str>,
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        if !matches!(observation, Json::Object(_)) {
            let message = format!(
                "an observation has to be an object, not {}",
                kind(observation)
            );
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
        once(observation, FIELDS, out)?;
        let field = |camel, snake| member(observation, camel, snake);
        let own = identifier("traceId", field("traceId", "trace_id"), out)?;
        let trace = own.or(trace).filter(|id| !id.is_empty());
        let id = identifier("id", observation.get("id"), out)?;
        let parent = field("parentObservationId", "parent_observation_id");
        let parent = identifier("parentObservationId", parent, out)?;
        let mut at = |camel, snake| instant(field(camel, snake), Unit::Millis, self.told, out);
        let start = at("startTime", "start_time");
        let end = at("endTime", "end_time");
        let wants_input = self.spans.wants_input(trace, start);
        let (kind, details) = self.says(observation, wants_input, out)?;
        let owned = |text: Option<&str>| text.filter(|t| !t.is_empty()).map(str::to_owned);
        let span = Span {
            id: owned(id),
            parent: owned(parent),
            kind: Some(kind),
            start,
            end,
            details,
        };
        self.spans.add(trace, span, out);
        Ok(())
    }

    fn says(
        &mut self,
        observation: &Json<'_>,
        wants_input: bool,
        out: &mut Out<'_>,
    ) -> Result<(Kind, Details), Unusable> {
        let metadata = observation.get("metadata").map(nested);
        let metadata = metadata.as_deref();
        let attributes = metadata.and_then(|metadata| metadata.get("attributes"));
        let attributes = Attributes::of_object(attributes, DECIDING, out)?;
        let level = observation.get("level").and_then(Json::as_str);
        let mut about = About {
            name: identifier("name", observation.get("name"), out)?.unwrap_or_default(),
            failed: level.map(|level| level == "ERROR"),
            wants_input,
            ..About::default()
        };
        let (kind, mut details) = read(&attributes, &about, self.told, out)?;
        let kind = match kind {
            Kind::Other => self.kind(observation, out),
            kind => kind,
        };
        if details == Details::default() && kind != Kind::Other {
            about.kind = Some(kind);
            (_, details) = read(&attributes, &about, self.told, out)?;
        }
        match kind {
            Kind::Tool => self.call(observation, metadata, &mut details, out),
            Kind::Answer => answer(observation, wants_input, &mut details),
            Kind::Agent | Kind::Other => {}
        }
        Ok((kind, details))
    }

    /// What it stands for by its type; an older recorder writes every call as a span, which then can
    /// only be told by a result that is a message of the tool.
    fn kind(&mut self, observation: &Json<'_>, out: &mut Out<'_>) -> Kind {
        let word = observation.get("type").and_then(Json::as_str);
        let word = word.unwrap_or_default();
        let known = TYPES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(word));
        if known.is_none() {
            self.told.skip("observations", word, out);
        }
        match known.map(|(_, kind)| *kind) {
            Some(Kind::Other) | None => {
                let output = observation.get("output");
                let is_call = output.is_some_and(|output| tool_message(output).is_some());
                if is_call { Kind::Tool } else { Kind::Other }
            }
            Some(kind) => kind,
        }
    }

    fn call(
        &mut self,
        observation: &Json<'_>,
        metadata: Option<&Json<'_>>,
        details: &mut Details,
        out: &mut Out<'_>,
    ) {
        let tool = details.name.clone().unwrap_or_default();
        if details.args.is_none() {
            let object = |value: &&Json<'_>| matches!(value, Json::Object(_));
            let inputs = metadata.and_then(|m| m.get("inputs")).filter(object);
            let input = inputs.or_else(|| observation.get("input"));
            details.args = input.and_then(|input| {
                let input = nested(input);
                args_of(&tool, named(&input), self.told, out)
            });
        }
        if let (None, Some(output)) = (&details.result, observation.get("output")) {
            let failed = details.error;
            // Text is stored as JSON, so that it may stand in quotes.
            let quoted = output.as_str().filter(|text| text.starts_with('"'));
            match quoted.map(|text| json::parse(text.as_bytes())) {
                Some(Ok(inner @ Json::String(_))) => result_of(&inner, details, out),
                _ => result_of(output, details, out),
            }
            details.error = match failed {
                Some(true) => failed,
                _ => details.error,
            };
        }
    }
}

fn answer(observation: &Json<'_>, wants_input: bool, details: &mut Details) {
    let field = |camel, snake| member(observation, camel, snake);
    let model = field("model", "provided_model_name").and_then(Json::as_str);
    if let (true, Some(model)) = (details.meta.is_empty(), model) {
        details.meta.push(("model", model.to_owned()));
    }
    let sum = field("costDetails", "cost_details").map(nested);
    let sum = sum.as_deref().and_then(|costs| costs.get("total"));
    let cost = field("totalCost", "total_cost").or(sum);
    if let (None, Some(Json::Number(cost))) = (&details.cost, cost) {
        // A model without a known price costs nothing here.
        let is_known = cost.bytes().any(|digit| matches!(digit, b'1'..=b'9'));
        details.cost = is_known.then(|| (*cost).to_owned());
    }
    if details.requests.is_empty() {
        let mut said = Said::default();
        observation
            .get("output")
            .into_iter()
            .for_each(|output| said.read(output));
        if said.requests.is_empty()
            && let Some(calls) = field("toolCalls", "tool_calls")
        {
            said.read_calls(calls);
        }
        details.requests = said.requests;
    }
    if wants_input && let Some(input) = observation.get("input") {
        let mut said = Said::default();
        said.read(input);
        if details.answers.is_empty() {
            details.answers = said.answers;
        }
        details.prompt = details.prompt.take().or(said.prompt);
    }
}
