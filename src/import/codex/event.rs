//! Events, which tell again what items tell, and how a call came out.

use crate::trace::json::Json;

/// Events that say nothing about a call that its items do not.
pub const IGNORED: &[&str] = &[
    "agent_message",
    "agent_message_delta",
    "agent_reasoning",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "background_event",
    "context_compacted",
    "deprecation_notice",
    "elicitation_request",
    "entered_review_mode",
    "error",
    "exec_approval_request",
    "exec_command_begin",
    "exec_command_output_delta",
    "exited_review_mode",
    "apply_patch_approval_request",
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_close_begin",
    "collab_close_end",
    "collab_resume_begin",
    "collab_resume_end",
    "collab_waiting_begin",
    "collab_waiting_end",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "guardian_assessment",
    "guardian_warning",
    "hook_completed",
    "hook_started",
    "image_generation_begin",
    "image_generation_end",
    "item_started",
    "item_updated",
    "mcp_startup_complete",
    "mcp_startup_update",
    "mcp_tool_call_begin",
    "model_reroute",
    "model_verification",
    "patch_apply_begin",
    "patch_apply_updated",
    "plan_delta",
    "plan_update",
    "raw_response_item",
    "request_permissions",
    "request_user_input",
    "session_configured",
    "shutdown_complete",
    "stream_error",
    "sub_agent_activity",
    "task_complete",
    "terminal_interaction",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_rolled_back",
    "thread_settings_applied",
    "token_count",
    "turn_aborted",
    "turn_complete",
    "turn_diff",
    "undo_completed",
    "undo_started",
    "user_shell_command",
    "view_image_tool_call",
    "warning",
    "web_search_begin",
    "web_search_end",
];

/// Types of items of an `item_completed` event that are calls of the model.
const CALLS: &[&str] = &[
    "CommandExecution",
    "DynamicToolCall",
    "FileChange",
    "McpToolCall",
];

/// What became of a call by an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// It ran, and nothing is known to have gone wrong.
    Well,
    /// It failed.
    Failed,
    /// It was not let through.
    Declined,
}

/// What an event says of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Told<'j> {
    /// Id of the call.
    pub call: &'j str,
    /// What became of it.
    pub came: Came,
    /// Whether the user ran it, not the agent.
    pub is_users: bool,
}

/// What an event says of a call; `None` if it says nothing of any.
pub fn read<'j>(kind: &str, event: &'j Json<'j>) -> Option<Told<'j>> {
    let (item, id) = match kind {
        "item_completed" => {
            let item = event.get("item")?;
            let is_call = item
                .get("type")
                .and_then(Json::as_str)
                .is_some_and(|t| CALLS.contains(&t));
            (item, item.get("id").filter(|_| is_call)?)
        }
        "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end" => {
            (event, event.get("call_id")?)
        }
        _ => return None,
    };
    let word = |field: &str| item.get(field).and_then(Json::as_str);
    let is_users =
        word("source").is_some_and(|source| matches!(source, "user_shell" | "userShell"));
    Some(Told {
        call: id.as_str()?,
        came: came(item),
        is_users,
    })
}

fn came(item: &Json<'_>) -> Came {
    let result = |field: &str| item.get("result").and_then(|result| result.get(field));
    let is = |value: Option<&Json<'_>>, truth: bool| value == Some(&Json::Bool(truth));
    let flagged =
        |result: &Json<'_>| is(result.get("isError"), true) || is(result.get("is_error"), true);
    let code = match item.get("exit_code") {
        Some(Json::Number(code)) => *code != "0",
        _ => false,
    };
    match item.get("status").and_then(Json::as_str) {
        Some("declined") => Came::Declined,
        Some("failed") => Came::Failed,
        _ if code || is(item.get("success"), false) => Came::Failed,
        _ if result("Err").is_some() || result("Ok").is_some_and(flagged) => Came::Failed,
        _ => Came::Well,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn told(kind: &str, event: &str) -> Option<(String, Came, bool)> {
        let event = parse(event.as_bytes()).expect("valid");
        read(kind, &event).map(|t| (t.call.to_owned(), t.came, t.is_users))
    }

    #[test]
    fn ends_of_calls_tell_what_became_of_them() {
        let item = |rest: &str| {
            let event = format!(r#"{{"item":{{"type":"CommandExecution","id":"c",{rest}}}}}"#);
            told("item_completed", &event).expect("a call").1
        };
        assert_eq!(item(r#""status":"completed","exit_code":0"#), Came::Well);
        assert_eq!(item(r#""status":"completed","exit_code":2"#), Came::Failed);
        assert_eq!(
            item(r#""status":"declined","exit_code":-1"#),
            Came::Declined
        );
        let mcp = |result: &str| {
            let event = format!(r#"{{"call_id":"c","result":{result}}}"#);
            told("mcp_tool_call_end", &event).expect("a call").1
        };
        assert_eq!(mcp(r#"{"Ok":{"content":[]}}"#), Came::Well);
        assert_eq!(mcp(r#"{"Ok":{"content":[],"isError":true}}"#), Came::Failed);
        assert_eq!(mcp(r#"{"Err":"no server"}"#), Came::Failed);
        let users = r#"{"call_id":"c","source":"user_shell","exit_code":0}"#;
        assert_eq!(
            told("exec_command_end", users),
            Some(("c".into(), Came::Well, true))
        );
        assert_eq!(
            told("item_completed", r#"{"item":{"type":"Plan","id":"c"}}"#),
            None
        );
        assert_eq!(told("token_count", "{}"), None);
    }
}
