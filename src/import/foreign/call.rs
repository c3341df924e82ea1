//! A call that is an object of its own, with its tool, its id and its arguments in three fields.

use super::{Out, Unusable, arguments, identifier, kind, once, tool_name};
use crate::trace::event::ToolCall;
use crate::trace::fault::FaultCode;
use crate::trace::json::Json;
use std::borrow::Cow;

/// Reads a call whose fields are called `tool`, `id` and `args`. A format that keeps calls so writes
/// an empty object where there are no arguments: absent and null, they are not told.
///
/// # Errors
/// It is no object, has no usable name or id, or gives a field twice; the fault has been reported.
pub fn object(
    entry: &Json<'_>,
    [tool, id, args]: [&'static str; 3],
    out: &mut Out<'_>,
) -> Result<ToolCall<'static>, Unusable> {
    if !matches!(entry, Json::Object(_)) {
        let message = format!("a call has to be an object, not {}", kind(entry));
        out.fault(FaultCode::BadField, message);
        return Err(Unusable);
    }
    once(entry, &[tool, id, args], out)?;
    let name = tool_name(tool, entry.get(tool), out)?;
    let id = identifier(id, entry.get(id), out)?;
    let args = entry.get(args).filter(|args| **args != Json::Null);
    Ok(ToolCall {
        tool: Cow::Owned(name.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args: arguments(name, args, out),
        args_unknown: args.is_none(),
        ..ToolCall::default()
    })
}
