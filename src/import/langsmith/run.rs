//! One run of LangSmith: a step of a trace, not what gate calls a run.

use crate::import::foreign::spans::{
    Details, Kind, Said, Span, Spans, args_of, instant, nested, result_of,
};
use crate::import::foreign::{Out, Told, Unit, Unusable, identifier, kind, once, tool_name};
use crate::trace::event::RawJson;
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;

/// Types of runs, and what they stand for.
pub const TYPES: &[(&str, Kind)] = &[
    ("tool", Kind::Tool),
    ("llm", Kind::Answer),
    ("chain", Kind::Other),
    ("embedding", Kind::Other),
    ("parser", Kind::Other),
    ("prompt", Kind::Other),
    ("retriever", Kind::Other),
];

/// Fields of a run that decide what it is.
const FIELDS: &[&str] = &[
    "id",
    "trace_id",
    "parent_run_id",
    "run_type",
    "name",
    "inputs",
    "outputs",
    "error",
    "start_time",
    "end_time",
    "child_runs",
];

/// Where the conversation of a trace is kept in the metadata of its runs.
const SESSION: &[&str] = &["session_id", "thread_id", "conversation_id"];

/// What of a file a run is read into.
pub struct Reader<'r> {
    /// The spans.
    pub spans: &'r mut Spans,
    /// Whether any run so far tells its inputs; a recorder that hides them leaves them empty.
    pub has_inputs: &'r mut bool,
    /// What has been said.
    pub told: &'r mut Told,
}

/// The run that another stands in.
#[derive(Clone, Debug, Default)]
struct Around {
    trace: Option<String>,
    parent: Option<String>,
}

impl Reader<'_> {
    /// Reads a run and those inside it.
    pub fn take(&mut self, run: &Json<'_>, out: &mut Out<'_>) {
        let mut pending = vec![(run, Around::default())];
        while let Some((run, around)) = pending.pop() {
            // What makes it unusable has been reported; what stands in it may be sound.
            let inner = self.one(run, &around, out).unwrap_or(around);
            let children = run.get("child_runs").and_then(Json::as_array);
            let children = children.unwrap_or_default().iter().rev();
            pending.extend(children.map(|child| (child, inner.clone())));
        }
    }

    fn one(
        &mut self,
        run: &Json<'_>,
        around: &Around,
        out: &mut Out<'_>,
    ) -> Result<Around, Unusable> {
        if !matches!(run, Json::Object(_)) {
            let message = format!("a run has to be an object, not {}", kind(run));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
        once(run, FIELDS, out)?;
        let mut text = |field| {
            let text = identifier(field, run.get(field), out)?;
            Ok(text.filter(|text| !text.is_empty()).map(str::to_owned))
        };
        let (id, word) = (text("id")?, text("run_type")?);
        let parent = text("parent_run_id")?.or_else(|| around.parent.clone());
        // The first run of a trace gives it its name, where an older recorder does not say so.
        let root = id.clone().filter(|_| parent.is_none());
        let trace = text("trace_id")?.or_else(|| around.trace.clone()).or(root);
        let mut at = |field| instant(run.get(field), Unit::Millis, self.told, out);
        let (start, end) = (at("start_time"), at("end_time"));
        let kind = word.map(|word| {
            let known = TYPES.iter().find(|(name, _)| *name == word);
            if known.is_none() {
                self.told.skip("runs", &word, out);
            }
            known.map_or(Kind::Other, |(_, kind)| *kind)
        });
        let inner = Around {
            trace: trace.clone(),
            parent: id.clone(),
        };
        *self.has_inputs |= told_inputs(run).is_some();
        let wants_input = self.spans.wants_input(trace.as_deref(), start);
        let mut details = about(run, parent.is_none(), wants_input, out)?;
        match kind {
            Some(Kind::Tool) => {
                let name = tool_name("name", run.get("name"), out)?;
                details.name = Some(name.to_owned());
                details.args = self.arguments(name, run, out);
                outcome(run, &mut details, out);
            }
            Some(Kind::Answer) => answer(run, wants_input, &mut details),
            Some(_) => {}
            // An update tells neither what it is of nor its name.
            None => outcome(run, &mut details, out),
        }
        let span = Span {
            id,
            parent,
            kind,
            start,
            end,
            details,
        };
        self.spans.add(trace.as_deref(), span, out);
        Ok(inner)
    }

    fn arguments(
        &mut self,
        tool: &str,
        run: &Json<'_>,
        out: &mut Out<'_>,
    ) -> Option<RawJson<'static>> {
        let Some(inputs) = told_inputs(run) else {
            let empty = run.get("inputs").filter(|_| *self.has_inputs);
            return empty.and_then(|inputs| args_of(tool, inputs, self.told, out));
        };
        // An older recorder has the arguments as one text, as Python prints them.
        if let (Json::Object(members), Some(text)) = (inputs, inputs.get("input"))
            && members.len() == 1
            && text
                .as_str()
                .is_some_and(|text| text.trim_start().starts_with('{'))
        {
            return args_of(tool, text, self.told, out);
        }
        args_of(tool, inputs, self.told, out)
    }
}

/// The inputs of a run, unless they are empty.
fn told_inputs<'j>(run: &'j Json<'j>) -> Option<&'j Json<'j>> {
    let inputs = run.get("inputs")?;
    let is_empty = matches!(inputs, Json::Null) || *inputs == Json::Object(Vec::new());
    (!is_empty).then_some(inputs)
}

/// What a run says of its trace.
fn about(
    run: &Json<'_>,
    is_root: bool,
    wants_input: bool,
    out: &mut Out<'_>,
) -> Result<Details, Unusable> {
    let mut details = Details::default();
    let extra = run.get("extra").map(nested);
    let extra = extra.as_deref();
    if let Some(metadata) = extra.and_then(|extra| extra.get("metadata")) {
        let field = SESSION.iter().find(|field| metadata.get(field).is_some());
        if let Some(field) = field
            && let Some(Json::String(_)) = metadata.get(field)
        {
            let session = identifier(field, metadata.get(field), out)?;
            details.session = session.filter(|s| !s.is_empty()).map(str::to_owned);
        }
        let text = |field| {
            metadata
                .get(field)
                .and_then(Json::as_str)
                .map(str::to_owned)
        };
        details.agent = text("lc_agent_name");
        details
            .meta
            .extend(text("ls_model_name").map(|model| ("model", model)));
    }
    if let Some(extra) = extra {
        let id = identifier("tool_call_id", extra.get("tool_call_id"), out)?;
        details.call = id.map(str::to_owned);
    }
    if is_root && let Some(name) = run.get("session_name").and_then(Json::as_str) {
        details.meta.push(("project", name.to_owned()));
    }
    if is_root
        && wants_input
        && let Some(inputs) = run.get("inputs")
    {
        let mut said = Said::default();
        said.read(inputs);
        let plain = || {
            inputs
                .get("input")
                .and_then(Json::as_str)
                .map(str::to_owned)
        };
        details.prompt = said.prompt.or_else(plain);
    }
    Ok(details)
}

/// Reads what became of a call.
fn outcome(run: &Json<'_>, details: &mut Details, out: &mut Out<'_>) {
    if let Some(outputs) = run.get("outputs") {
        let is_empty = *outputs == Json::Object(Vec::new());
        let value = outputs.get("output").unwrap_or(outputs);
        if !is_empty {
            result_of(value, details, out);
        }
    }
    details.error = match run.get("error") {
        Some(Json::String(error)) if !error.text.is_empty() => Some(true),
        _ if run.get("end_time").is_some_and(|end| *end != Json::Null) => {
            Some(details.error == Some(true))
        }
        _ => details.error,
    };
}

fn answer(run: &Json<'_>, wants_input: bool, details: &mut Details) {
    details.cost = match run.get("total_cost") {
        Some(Json::Number(cost)) => Some((*cost).to_owned()),
        Some(Json::String(cost)) if !cost.text.is_empty() => Some(cost.text.to_string()),
        _ => None,
    };
    let mut said = Said::default();
    run.get("outputs")
        .into_iter()
        .for_each(|outputs| said.read(outputs));
    details.requests = said.requests;
    if wants_input && let Some(inputs) = run.get("inputs") {
        let mut said = Said::default();
        said.read(inputs);
        details.answers = said.answers;
        details.prompt = details.prompt.take().or(said.prompt);
    }
}
