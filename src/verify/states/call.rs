//! Calls in a states file: the name of a tool, or an object spelled like a call of a trace.

use super::document::{Document, Fault, Node};
use super::fields::{Fields, Spellings, Unknown};
use crate::trace::event::{Outcome, RawJson, ToolCall};
use crate::trace::fault::{FaultCode, WarningCode};
use crate::trace::json::{self, Damage, Json};
use crate::trace::money::Nano;
use std::borrow::Cow;

/// The fields of a call, as the canonical trace spells them. Those that no barrier can see (what was
/// decided, what came back) are known so that a misspelled one is told from a strange one.
const FIELDS: &[Spellings] = &[
    &["tool", "tool_name", "name"],
    &["id", "call_id", "tool_call_id"],
    &["args", "arguments", "input"],
    &["argv"],
    &["payload"],
    &["args_unknown"],
    &["turn"],
    &["agent"],
    &["resources"],
    &["labels"],
    &["estimated_cost_usd", "estimated_cost"],
    &["metadata"],
    &["context_embedding"],
    &["action_embedding"],
    &["error"],
    &["type"],
    &["run"],
    &["batch"],
    &["decision"],
    &["semantic_score"],
    &["approval"],
    &["ts"],
    &["result"],
    &["cost_usd"],
    &["tokens"],
];

/// Reads a call: a string is the name of its tool.
///
/// # Errors
/// The value is neither a string nor an object, or a field of it is not as it should be.
pub fn read<'t>(
    document: &mut Document<'t>,
    node: Node<'t>,
    what: &str,
) -> Result<ToolCall<'t>, Fault> {
    if node.is_string() {
        let tool = name(document, node, what)?;
        return Ok(ToolCall {
            tool,
            ..ToolCall::default()
        });
    }
    if !node.is_object() {
        return Err(document.wrong(node, what, "the name of a tool or an object"));
    }
    let fields = Fields::read(document, node, what, FIELDS, Unknown::RefuseSimilar)?;
    if let Some(kind) = fields.get("type")
        && kind.bytes != b"\"tool_call\""
    {
        let message = format!("{what} must be of type `tool_call`");
        return Err(document.fault(kind.at, FaultCode::UnknownType, message));
    }
    let tool = name(document, fields.require(document, "tool", what)?, "`tool`")?;
    let mut call = ToolCall {
        tool,
        args: args(document, &fields)?,
        estimated_cost: estimate(document, &fields)?,
        context_embedding: embedding(document, &fields, "context_embedding")?,
        action_embedding: embedding(document, &fields, "action_embedding")?,
        ..ToolCall::default()
    };
    if let Some(node) = fields.get("args_unknown") {
        call.args_unknown = document.flag(node, "`args_unknown`")?;
        let given = ["args", "argv", "payload"].map(|key| fields.get(key));
        if call.args_unknown && given.iter().any(Option::is_some) {
            let message = "`args_unknown` is true, and arguments are given".into();
            return Err(document.bad(node.at, message, None));
        }
    }
    if let Some(node) = fields.get("id") {
        call.id = Some(document.text(node, "`id`")?);
    }
    if let Some(node) = fields.get("agent") {
        call.agent = Some(document.text(node, "`agent`")?);
    }
    if let Some(node) = fields.get("turn") {
        call.turn = Some(document.count(node, "`turn`")?);
    }
    if let Some(node) = fields.get("resources") {
        call.resources = document.texts(node, "`resources`")?;
    }
    if let Some(node) = fields.get("labels") {
        call.labels = document.texts(node, "`labels`")?;
    }
    if let Some(node) = fields.get("error") {
        call.outcome = Some(Outcome {
            error: Some(document.flag(node, "`error`")?),
            ..Outcome::default()
        });
    }
    Ok(call)
}

fn name<'t>(document: &Document<'t>, node: Node<'t>, what: &str) -> Result<Cow<'t, str>, Fault> {
    let name = document.text(node, what)?;
    if name.is_empty() {
        return Err(document.bad(node.at, format!("{what} is empty"), None));
    }
    Ok(name)
}

/// Arguments, under any of their names. A string that holds an object stands for the object.
fn args<'t>(document: &mut Document<'t>, fields: &Fields<'t>) -> Result<RawJson<'t>, Fault> {
    let parts: Vec<(&str, Node<'t>)> = ["argv", "payload"]
        .into_iter()
        .filter_map(|key| Some((key, fields.get(key)?)))
        .collect();
    let Some(node) = fields.get("args") else {
        return Ok(joined(document, &parts));
    };
    if let Some((key, part)) = parts.first() {
        let written = fields.spelling("args");
        let message = format!("arguments are given as `{written}` and as `{key}`");
        return Err(document.fault(part.at, FaultCode::DuplicateKey, message));
    }
    repaired(document, node);
    if node.is_string() {
        let text = json::decode(node.bytes).text;
        if let Ok(object @ Json::Object(_)) = json::parse(text.as_bytes()) {
            return Ok(RawJson::from_json(&object));
        }
        if text.trim_start().starts_with('{') {
            let message = "arguments that look like an object but are none".into();
            document.warn(node.at, WarningCode::UnparsedArguments, message);
        }
    }
    Ok(RawJson::from_scanned(node.bytes))
}

/// An object of the arguments that stand in the call itself; empty without any.
fn joined<'t>(document: &mut Document<'t>, parts: &[(&str, Node<'t>)]) -> RawJson<'t> {
    if parts.is_empty() {
        return RawJson::default();
    }
    let mut members = Vec::new();
    for (key, node) in parts {
        repaired(document, *node);
        members.push((
            json::Text {
                text: Cow::Borrowed(*key),
                damage: Damage::None,
            },
            json::parse(node.bytes).unwrap_or(Json::Null),
        ));
    }
    RawJson::from_json(&Json::Object(members))
}

fn repaired(document: &mut Document<'_>, node: Node<'_>) {
    let damaged = json::parse(node.bytes).is_ok_and(|json| json.damage() != Damage::None);
    if damaged {
        let message = "an escaped surrogate without its partner is read as U+FFFD".into();
        document.warn(node.at, WarningCode::RepairedText, message);
    }
}

/// The estimated cost: the call's own field, else the one in its metadata.
fn estimate<'t>(document: &mut Document<'t>, fields: &Fields<'t>) -> Result<Option<Nano>, Fault> {
    let own = fields.get("estimated_cost_usd");
    let metadata = match fields.get("metadata") {
        Some(node) if node.is_object() => {
            let known: &[Spellings] = &[&["estimated_cost"]];
            Fields::read(document, node, "`metadata`", known, Unknown::RefuseSimilar)?
                .get("estimated_cost")
        }
        _ => None,
    };
    match (own, metadata) {
        (Some(_), Some(second)) => Err(document.fault(
            second.at,
            FaultCode::DuplicateKey,
            "the estimated cost is given twice, in the call and in its metadata".into(),
        )),
        (Some(node), None) | (None, Some(node)) => {
            document.money(node, "the estimated cost").map(Some)
        }
        (None, None) => Ok(None),
    }
}

/// An embedding; absent where it is not given or empty. One without a direction is warned of: the
/// scope barrier cannot see it.
///
/// # Errors
/// The field is no array of finite numbers.
pub fn embedding<'t>(
    document: &mut Document<'t>,
    fields: &Fields<'t>,
    field: &str,
) -> Result<Option<Vec<f64>>, Fault> {
    let Some(node) = fields.get(field) else {
        return Ok(None);
    };
    let numbers = document.numbers(node, &format!("`{field}`"))?;
    if numbers.iter().all(|&x| x == 0.0) {
        let kind = if numbers.is_empty() {
            "empty"
        } else {
            "all zeros"
        };
        let message = format!("`{field}` is {kind}: the scope barrier does not see it");
        document.warn(node.at, WarningCode::ZeroEmbedding, message);
    }
    Ok(Some(numbers).filter(|numbers| !numbers.is_empty()))
}
