//! What the attributes of a span mean, by the conventions whose names are in `vocabulary`.

use super::attributes::{Attributes, Value, nested};
use super::messages::{Said, tool_message};
use super::vocabulary::{
    AGENT, AGENT_NAME, ANSWER, ARGS, CALL_ID, COST, FLAT_INPUT, FLAT_OUTPUT, INPUT, KINDS, MODEL,
    OTHER, OUTPUT, REDACTED, RESULT, SESSION, TOOL, TOOL_NAME,
};
use super::{Details, Kind, flat};
use crate::import::foreign::python::dictionary;
use crate::import::foreign::{Out, Told, Unusable, arguments, check_value, identifier, tool_name};
use crate::trace::event::RawJson;
use crate::trace::fault::WarningCode;
use crate::trace::json::Json;

/// What is known of a span besides its attributes.
#[derive(Debug, Default)]
pub struct About<'j> {
    /// Its name.
    pub name: &'j str,
    /// What it stands for, where that is known already.
    pub kind: Option<Kind>,
    /// Whether it is of a server.
    pub is_server: bool,
    /// Whether it says that it failed; `None` is not told.
    pub failed: Option<bool>,
    /// What happened in it: name and attributes.
    pub events: Vec<(&'j str, Attributes<'j>)>,
    /// Whether what the model was given to read is wanted.
    pub wants_input: bool,
}

/// Reads what a span stands for and what it says.
///
/// # Errors
/// It is a call without a usable name or id, or of a conversation without one; the fault has been
/// reported.
pub fn read(
    attributes: &Attributes<'_>,
    about: &About<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(Kind, Details), Unusable> {
    let kind = about
        .kind
        .unwrap_or_else(|| kind(attributes, about, told, out));
    let session = attributes.first(SESSION).filter(|_| kind != Kind::Other);
    let session = match session {
        Some((key, value)) => identifier(key, Some(value.scalar()), out)?,
        None => None,
    };
    let mut details = Details {
        session: session.filter(|s| !s.is_empty()).map(str::to_owned),
        agent: attributes.text(AGENT_NAME).map(str::to_owned),
        ..Details::default()
    };
    match kind {
        Kind::Tool => tool(attributes, about, &mut details, told, out)?,
        Kind::Answer => answer(attributes, about, &mut details),
        Kind::Agent => {
            let own = attributes
                .text(AGENT_NAME)
                .or(attributes.text(&["traceloop.entity.name"]));
            let name = about
                .name
                .strip_prefix("invoke_agent ")
                .unwrap_or(about.name);
            details.name = Some(own.unwrap_or(name).to_owned());
            if about.wants_input {
                let mut said = Said::default();
                given(attributes, about, &mut said);
                details.prompt = said.prompt;
            }
        }
        Kind::Other => details = Details::default(),
    }
    Ok((kind, details))
}

fn kind(
    attributes: &Attributes<'_>,
    about: &About<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Kind {
    let method = attributes.text(&["mcp.method.name"]);
    if method.is_some_and(|method| method != "tools/call") {
        return Kind::Other;
    }
    let has = |key: &str| attributes.get(key).is_some();
    let words = KINDS.iter().filter_map(|key| attributes.text(&[key]));
    let mut found = None;
    for word in words {
        let word = word.trim_matches('"').to_ascii_lowercase();
        let is = |list: &[&str]| list.contains(&&*word);
        let generates = word.ends_with(".dogenerate") || word.ends_with(".dostream");
        let kind = if is(TOOL) {
            Kind::Tool
        } else if is(AGENT) {
            Kind::Agent
        } else if is(ANSWER) || generates {
            Kind::Answer
        } else {
            if !is(OTHER) && !word.starts_with("ai.") {
                told.skip("spans", &word, out);
            }
            Kind::Other
        };
        if matches!(found, None | Some(Kind::Other)) {
            found = Some(kind);
        }
    }
    let is_call = method.is_some()
        || has("ai.toolCall.name")
        || about.name == "running tool"
        || (found.is_none() && has("gen_ai.tool.name"));
    match found {
        None | Some(Kind::Other) if is_call => Kind::Tool,
        None => Kind::Other,
        Some(kind) => kind,
    }
}

fn tool(
    attributes: &Attributes<'_>,
    about: &About<'_>,
    details: &mut Details,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Result<(), Unusable> {
    let own = Json::from(bare_name(about.name).to_owned());
    let name = match attributes.first(TOOL_NAME) {
        Some((key, value)) => tool_name(key, Some(value.scalar()), out)?.to_owned(),
        None => tool_name("name", Some(&own), out)?.to_owned(),
    };
    if let Some((key, value)) = attributes.first(CALL_ID) {
        details.call = identifier(key, Some(value.scalar()), out)?.map(str::to_owned);
    }
    // Some recorders tell both as events.
    let event = |name: &str, field: &str| {
        let mut events = about.events.iter().filter(|(known, _)| *known == name);
        events.find_map(|(_, attributes)| attributes.get(field))
    };
    let args = attributes.first(ARGS);
    details.is_bare = args.is_some_and(|(key, value)| is_bare(key, value, attributes));
    let args = args.map(|(_, value)| value);
    let args = args.or_else(|| event("gen_ai.tool.message", "content"));
    if let Some(value) = args.filter(|value| value.scalar().as_str() != Some(REDACTED)) {
        details.args = if details.is_bare {
            check_value("an argument", value.scalar(), out);
            Some(RawJson::from_json(value.scalar()))
        } else {
            args_of(&name, &unpacked(value, "inputs"), told, out)
        };
    }
    let result = attributes.first(RESULT).map(|(_, value)| value);
    let result = result.or_else(|| event("gen_ai.choice", "message"));
    if let Some(value) = result {
        result_of(&unpacked(value, "output"), details, out);
    }
    details.is_served = about.is_server;
    let raised = about.events.iter().any(|(name, _)| *name == "exception");
    let failed = match about.failed {
        Some(failed) => failed,
        None => raised || attributes.text(&["error.type"]).is_some(),
    };
    details.error = Some(failed || details.error == Some(true));
    details.name = Some(name);
    Ok(())
}

/// Whether the input of a tool is the value of its only argument, which one recorder writes without
/// its name. What says that it is JSON and cannot be read is no such value.
fn is_bare(key: &str, value: Value<'_>, attributes: &Attributes<'_>) -> bool {
    let Some(text) = value.scalar().as_str() else {
        return false;
    };
    let is_object = |text: &str| text.trim_start().starts_with('{');
    key == "input.value"
        && attributes.text(&["input.mime_type"]) != Some("application/json")
        && !(text.trim().is_empty() || is_object(text) || text == REDACTED)
}

/// The name of a tool out of the name of its span.
fn bare_name(name: &str) -> &str {
    let name = ["execute_tool ", "tools/call "]
        .iter()
        .find_map(|before| name.strip_prefix(before))
        .unwrap_or(name);
    name.strip_suffix(".tool").unwrap_or(name)
}

/// Takes a value out of what some recorders put around it: `{"inputs": {..}, "tags", "kwargs"}`.
fn unpacked<'j>(value: Value<'j>, field: &str) -> std::borrow::Cow<'j, Json<'j>> {
    let json = value.json();
    let is_packed = |json: &Json<'_>| json.get("kwargs").is_some() && json.get(field).is_some();
    if let Json::String(text) = &*json
        && text.text.contains("\"kwargs\"")
    {
        let owned = match &json {
            std::borrow::Cow::Borrowed(json) => nested(json),
            std::borrow::Cow::Owned(_) => return json,
        };
        if is_packed(&owned)
            && let Json::Object(members) = owned.into_owned()
        {
            let inner = members
                .into_iter()
                .rev()
                .find(|(name, _)| name.text == field);
            return inner.map_or(json, |(_, inner)| std::borrow::Cow::Owned(inner));
        }
    }
    json
}

/// The named arguments out of those of a function in Python, `{"args": [], "kwargs": {..}}`. Anything
/// else stays as it is.
pub fn named<'j>(value: &'j Json<'j>) -> &'j Json<'j> {
    let Json::Object(members) = value else {
        return value;
    };
    let is_empty = |list: &Json<'_>| list.as_array().is_some_and(<[_]>::is_empty);
    match (value.get("args"), value.get("kwargs")) {
        (Some(args), Some(named)) if members.len() == 2 && is_empty(args) => named,
        _ => value,
    }
}

/// Reads the arguments of a call; null is not told.
pub fn args_of(
    tool: &str,
    value: &Json<'_>,
    told: &mut Told,
    out: &mut Out<'_>,
) -> Option<RawJson<'static>> {
    if let Json::String(text) = value
        && let Some(printed) = dictionary(&text.text)
        && crate::trace::json::parse(text.text.as_bytes()).is_err()
    {
        told.assume("arguments that Python has printed are read as JSON", out);
        return Some(printed);
    }
    (*value != Json::Null).then(|| arguments(tool, Some(value), out))
}

/// Reads what a call returned into `details`: the value itself, or what a message of the tool says.
pub fn result_of(value: &Json<'_>, details: &mut Details, out: &mut Out<'_>) {
    if *value == Json::Null || value.as_str() == Some(REDACTED) {
        return;
    }
    check_value("a result", value, out);
    match tool_message(value) {
        Some(message) => {
            details.result = message.result;
            details.call = details.call.take().or(message.call);
            details.error = message.error.or(details.error);
        }
        None => details.result = crate::import::foreign::Content::of(Some(value)).into_raw(),
    }
}

fn answer(attributes: &Attributes<'_>, about: &About<'_>, details: &mut Details) {
    if let Some(model) = attributes.text(MODEL) {
        details.meta.push(("model", model.to_owned()));
    }
    let cost = attributes.first(COST).map(|(_, value)| value.json());
    details.cost = match cost.as_deref() {
        Some(Json::Number(digits)) => Some((*digits).to_owned()),
        _ => None,
    };
    let mut said = Said::default();
    for key in OUTPUT {
        if let Some(value) = attributes.get(key) {
            said.read(&value.json());
        }
    }
    for prefix in FLAT_OUTPUT {
        said.read(&Json::Array(flat::messages(attributes, prefix)));
    }
    if let Some(value) = attributes.get("ai.response.toolCalls") {
        said.read_calls(&value.json());
    }
    for (name, attributes) in &about.events {
        if *name == "gen_ai.choice" {
            let keys = ["message", "tool_calls"];
            for key in keys.iter().filter_map(|key| attributes.get(key)) {
                said.read(&key.json());
            }
        }
    }
    details.requests = said.requests;
    if about.wants_input {
        let mut said = Said::default();
        given(attributes, about, &mut said);
        (details.answers, details.prompt) = (said.answers, said.prompt);
    }
}

/// Reads what a model was given to read.
fn given(attributes: &Attributes<'_>, about: &About<'_>, said: &mut Said) {
    for key in INPUT {
        if let Some(value) = attributes.get(key) {
            said.read(&value.json());
        }
    }
    for prefix in FLAT_INPUT {
        said.read(&Json::Array(flat::messages(attributes, prefix)));
    }
    for (name, attributes) in &about.events {
        if *name == "gen_ai.user.message"
            && let Some(text) = attributes.text(&["content"])
        {
            said.user(Some(text));
        }
    }
}

/// Warns of values that the recorder cut or left out.
pub fn tell_dropped(count: Option<&Json<'_>>, told: &mut Told, out: &mut Out<'_>) {
    let digits = match count {
        Some(Json::Number(digits)) => digits,
        Some(Json::String(text)) => &*text.text,
        _ => return,
    };
    if digits != "0" && told.first("dropped") {
        let message = "the recorder has dropped attributes of spans, what they held is not told";
        out.warn(WarningCode::Assumed, message);
    }
}
