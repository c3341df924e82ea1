//! One call out of a message of the assistant.

use crate::import::foreign::{Out, Unusable, arguments, identifier, kind, once, tool_name};
use crate::trace::event::RawJson;
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// A call as it is written.
pub struct Written<'j> {
    /// Its id; absent in the older form, and where the record has none.
    pub id: Option<&'j str>,
    /// Name of the tool, never empty.
    pub tool: Cow<'j, str>,
    /// Its arguments.
    pub args: RawJson<'static>,
}

/// Reads an element of `tool_calls`: a function with its arguments, a custom tool with its text, or
/// the two fields of a function without an object around them.
///
/// # Errors
/// It has no usable name or id; the fault has been reported.
pub fn read<'j>(entry: &'j Json<'j>, out: &mut Out<'_>) -> Result<Written<'j>, Unusable> {
    once(
        entry,
        &["id", "function", "custom", "name", "arguments"],
        out,
    )?;
    let id = identifier("id", entry.get("id"), out)?.filter(|id| !id.is_empty());
    let (tool, args) = match (entry.get("function"), entry.get("custom")) {
        (Some(function @ Json::Object(_)), _) => function_call(function, out)?,
        (None, Some(custom @ Json::Object(_))) => custom_call(custom, out)?,
        (None, None) if matches!(entry, Json::Object(_)) => function_call(entry, out)?,
        (Some(other), _) | (None, Some(other)) => return Err(no_call(other, out)),
        (None, None) => return Err(no_call(entry, out)),
    };
    Ok(Written { id, tool, args })
}

/// Reads the value of the older `function_call`.
///
/// # Errors
/// It has no usable name; the fault has been reported.
pub fn read_legacy<'j>(call: &'j Json<'j>, out: &mut Out<'_>) -> Result<Written<'j>, Unusable> {
    if !matches!(call, Json::Object(_)) {
        return Err(no_call(call, out));
    }
    let (tool, args) = function_call(call, out)?;
    Ok(Written {
        id: None,
        tool,
        args,
    })
}

fn no_call(found: &Json<'_>, out: &mut Out<'_>) -> Unusable {
    let message = format!("a call has to be an object, not {}", kind(found));
    let help = "another format may fit, name it with `--from`";
    out.fault_with_help(FaultCode::BadField, message, help);
    Unusable
}

type Called<'j> = (Cow<'j, str>, RawJson<'static>);

fn function_call<'j>(function: &'j Json<'j>, out: &mut Out<'_>) -> Result<Called<'j>, Unusable> {
    once(function, &["name", "arguments"], out)?;
    let tool = tool_name("name", function.get("name"), out)?;
    let args = arguments(tool, function.get("arguments"), out);
    Ok((Cow::Borrowed(tool), args))
}

fn custom_call<'j>(custom: &'j Json<'j>, out: &mut Out<'_>) -> Result<Called<'j>, Unusable> {
    once(custom, &["name", "input"], out)?;
    let tool = tool_name("name", custom.get("name"), out)?;
    // Free text by design: nothing in it has to be an object.
    let args = match custom.get("input") {
        Some(text @ Json::String(_)) => {
            crate::import::foreign::check_value("the input of a custom tool", text, out);
            RawJson::from_json(text)
        }
        other => arguments(tool, other, out),
    };
    Ok((Cow::Borrowed(tool), args))
}
