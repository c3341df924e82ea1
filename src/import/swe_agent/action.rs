//! A call out of what a step says: a structured call, or the text of a command.

use crate::import::foreign::{Out, Unusable, arguments, identifier, kind, once, tool_name};
use crate::trace::event::{RawJson, ToolCall};
use crate::trace::fault::FaultCode;
use crate::trace::json::{Json, write_string};
use std::borrow::Cow;

/// The tool whose argument is a command.
pub const BASH: &str = "bash";

/// Commands that SWE-agent brings along. Whatever else a text begins with is a program.
const OWN: &[&str] = &[
    "click_mouse",
    "close_site",
    "connect_exec",
    "connect_sendline",
    "connect_start",
    "connect_stop",
    "create",
    "debug_add_breakpoint",
    "debug_continue",
    "debug_exec",
    "debug_start",
    "debug_step",
    "debug_stop",
    "decompile",
    "disassemble",
    "double_click_mouse",
    "drag_mouse",
    "edit",
    "execute_script_on_page",
    "exit_forfeit",
    "filemap",
    "find_file",
    "get_console_output",
    "goto",
    "insert",
    "move_mouse",
    "navigate_back",
    "navigate_forward",
    "open",
    "open_site",
    "press_keys_on_page",
    "reload_page",
    "screenshot_site",
    "scroll_down",
    "scroll_on_page",
    "scroll_up",
    "search_dir",
    "search_file",
    "set_browser_window_size",
    "str_replace_editor",
    "submit",
    "type_text",
    "undo_edit",
    "view_image",
    "wait_time",
];

/// The call that the text of an action is: of a command that SWE-agent brings along where it is that
/// command alone, else of `bash`. Its argument `command` is the whole text.
pub fn of_text(text: &str) -> ToolCall<'static> {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_own = OWN.contains(&first) && is_alone(text, first);
    let mut args = String::from("{\"command\":");
    write_string(text, &mut args);
    args.push('}');
    ToolCall {
        tool: Cow::Owned(if is_own { first } else { BASH }.to_owned()),
        args: RawJson::from_text(args).unwrap_or_default(),
        ..ToolCall::default()
    }
}

/// Whether a text is one command and nothing of the shell's: `open x && rm y` is a command line.
fn is_alone(text: &str, first: &str) -> bool {
    is_simple(without_body(text, first))
}

/// The first line, where what follows is a text up to `end_of_<command>`, which ends the action.
fn without_body<'t>(text: &'t str, first: &str) -> &'t str {
    let is_end = |line: &str| {
        let end = line.trim().strip_prefix("end_of_");
        end == Some(first)
    };
    let mut ends = text.lines().filter(|line| is_end(line));
    let is_body = ends.next().is_some()
        && ends.next().is_none()
        && text.lines().next_back().is_some_and(is_end);
    match text.split_once('\n') {
        Some((line, _)) if is_body => line,
        _ => text,
    }
}

/// Whether the shell reads a text as one command: nothing outside quotes separates, substitutes or
/// redirects.
fn is_simple(text: &str) -> bool {
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => {
                chars.next();
            }
            (None | Some('"'), '`') => return false,
            (None | Some('"'), '$') if chars.peek() == Some(&'(') => return false,
            (None, ';' | '&' | '|' | '<' | '>' | '\n' | '(' | ')') => return false,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    quote.is_none()
}

/// Reads a structured call, as the chat API or the Responses API write it.
///
/// # Errors
/// It cannot be used; the fault has been reported.
pub fn structured(call: &Json<'_>, out: &mut Out<'_>) -> Result<ToolCall<'static>, Unusable> {
    once(
        call,
        &["id", "call_id", "function", "name", "arguments"],
        out,
    )?;
    let function = match call.get("function") {
        None => call,
        Some(function @ Json::Object(_)) => function,
        Some(other) => {
            let message = format!("`function` has to be an object, not {}", kind(other));
            out.fault(FaultCode::BadField, message);
            return Err(Unusable);
        }
    };
    once(function, &["name", "arguments"], out)?;
    let tool = tool_name("name", function.get("name"), out)?;
    let id = match identifier("call_id", call.get("call_id"), out)? {
        Some(id) => Some(id),
        None => identifier("id", call.get("id"), out)?,
    };
    let value = function.get("arguments");
    Ok(ToolCall {
        tool: Cow::Owned(tool.to_owned()),
        id: id.map(|id| Cow::Owned(id.to_owned())),
        args: arguments(tool, value, out),
        args_unknown: value.is_none(),
        ..ToolCall::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(text: &str) -> String {
        of_text(text).tool.into_owned()
    }

    #[test]
    fn own_commands_are_tools_and_programs_are_bash() {
        assert_eq!(tool("open \"src/a.py\" 12\n"), "open");
        assert_eq!(tool("submit"), "submit");
        assert_eq!(tool("python -m pytest"), "bash");
        assert_eq!(tool("cd src && open a.py"), "bash");
        assert_eq!(tool("reopen a"), "bash");
        assert_eq!(of_text(" ls -l\n").args.bytes(), br#"{"command":"ls -l"}"#);
    }

    #[test]
    fn what_the_shell_makes_more_of_is_bash() {
        for line in [
            "open a.py && rm -rf b",
            "open a.py; rm b",
            "open a.py\nrm b",
            "open $(cat b)",
            "open \"`cat b`\"",
            "open a.py > /etc/hosts",
            "open 'a.py",
            "edit 1:2\nx\nend_of_edit\nrm b",
            "edit 1:2\nx\nend_of_edit\nrm b\nend_of_edit",
        ] {
            assert_eq!(tool(line), "bash", "{line}");
        }
    }

    #[test]
    fn texts_of_own_commands_are_no_commands() {
        assert_eq!(tool("edit 1:2\na = b; c && d\nend_of_edit\n"), "edit");
        assert_eq!(tool("edit 'a; b' 'c && d\ne'"), "edit");
        assert_eq!(tool("search_dir \"a \\\" | b\""), "search_dir");
        assert_eq!(tool("search_dir '$(x)'"), "search_dir");
    }
}
