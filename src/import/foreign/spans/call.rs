//! What is still to be done to make a call of a span or of a request.

use super::Request;
use super::hold::{Node, Trace};
use crate::import::foreign::{Out, arguments, quote};
use crate::trace::event::{RawJson, ToolCall};
use crate::trace::fault::{FaultCode, Place, WarningCode};

/// The same call, with the name of an argument that stands alone.
pub fn completed(mut node: Node, trace: &Trace, out: &mut Out<'_>) -> Node {
    let Some(details) = node.details.as_mut().filter(|details| details.is_bare) else {
        return node;
    };
    let tool = details.name.as_deref().unwrap_or_default();
    let Some(args) = &details.args else {
        return node;
    };
    out.move_to(node.place);
    match trace.names.complete(tool, args) {
        Some(args) => {
            let message = format!(
                "the argument of {} stands alone and is named as the model named it",
                quote(tool)
            );
            out.warn(WarningCode::Assumed, message);
            details.args = Some(args);
        }
        None => {
            let message = format!(
                "the argument of {} stands alone, without its name",
                quote(tool)
            );
            out.warn(WarningCode::UnparsedArguments, message);
        }
    }
    node
}

/// The arguments of a request, if it can be used as a call.
pub fn usable(
    request: &Request,
    place: Place,
    out: &mut Out<'_>,
) -> Option<Option<RawJson<'static>>> {
    out.move_to(place);
    let tool = &*request.tool;
    if request.is_damaged {
        let message = "a model asks for a call by a damaged name or id, which is not used";
        out.fault(FaultCode::InvalidUtf8, message);
        return None;
    }
    if tool.is_empty() {
        out.fault(FaultCode::BadField, "a call with an empty tool name");
        return None;
    }
    if request.is_repaired {
        let message = format!("damage in the arguments of {} reads as U+FFFD", quote(tool));
        out.warn(WarningCode::RepairedText, message);
    }
    let args = request.args.as_ref();
    Some(args.map(|args| arguments(tool, Some(&args.json()), out)))
}

/// A call with these arguments, or with none that are known.
pub fn told_arguments(args: Option<RawJson<'static>>) -> ToolCall<'static> {
    ToolCall {
        args_unknown: args.is_none(),
        args: args.unwrap_or_default(),
        ..ToolCall::default()
    }
}
