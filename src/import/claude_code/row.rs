//! What kind of row it is and which run it belongs to.

use crate::import::Sign;
use crate::import::foreign::{Out, Unusable, identifier};
use crate::trace::json::Json;

/// Fields of a row that decide what becomes of it.
pub const FIELDS: &[&str] = &[
    "type",
    "message",
    "sessionId",
    "session_id",
    "isSidechain",
    "agentId",
    "parent_tool_use_id",
];

/// Types of rows that hold no call and no result.
pub const IGNORED: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "attachment",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    // Progress repeats rows of subagents, which have files of their own.
    "progress",
    "queue-operation",
    "rate_limit_event",
    // The end of a turn of the conversation, which may go on.
    "result",
    // Pieces of messages that follow whole.
    "stream_event",
    "summary",
    "system",
    "tag",
    "tool_progress",
    "worktree-state",
];

/// The run of a row.
pub struct RunId {
    /// Its name; absent means the run named after the file.
    pub run: Option<String>,
    /// The subagent that acts in it; absent in the session itself.
    pub agent: Option<String>,
    /// Whether the row is a subagent's but does not tell which one's.
    pub is_assumed: bool,
}

/// Reads which run a row belongs to.
///
/// # Errors
/// An id of it is damaged or no string.
pub fn run_of(row: &Json<'_>, out: &mut Out<'_>) -> Result<RunId, Unusable> {
    let text = |field: &str, out: &mut Out<'_>| {
        let value = identifier(field, row.get(field), out)?;
        Ok(value.filter(|id| !id.is_empty()).map(str::to_owned))
    };
    let session = match text("sessionId", out)? {
        Some(session) => Some(session),
        None => text("session_id", out)?,
    };
    let is_sidechain = row.get("isSidechain") == Some(&Json::Bool(true));
    let agent = if is_sidechain {
        text("agentId", out)?
    } else {
        text("parent_tool_use_id", out)?
    };
    let is_assumed = is_sidechain && agent.is_none();
    let part = if is_assumed {
        Some("sidechain")
    } else {
        agent.as_deref()
    };
    let run = match (session, part) {
        (Some(session), Some(part)) => Some(format!("{session}/{part}")),
        (session, part) => session.or(part.map(str::to_owned)),
    };
    Ok(RunId {
        run,
        agent,
        is_assumed,
    })
}

/// Whether the row is the first of a stream, which tells model and directory.
pub fn is_beginning(row: &Json<'_>) -> bool {
    let is = |field: &str, word: &str| row.get(field).and_then(Json::as_str) == Some(word);
    is("type", "system") && is("subtype", "init")
}

/// Why the sample is of Claude Code, if it is.
pub fn recognise(sample: &[Json<'_>]) -> Option<Sign> {
    let says = |row: &Json<'_>| {
        let kind = row.get("type").and_then(Json::as_str);
        matches!(kind, Some("user" | "assistant"))
            && matches!(row.get("message"), Some(Json::Object(_)))
    };
    let has = |row: &Json<'_>, field: &str| row.get(field).is_some();
    if sample
        .iter()
        .any(|row| says(row) && has(row, "sessionId") && has(row, "parentUuid"))
    {
        let reason = "a user or assistant row with `sessionId`, `parentUuid` and `message`";
        return Some(Sign::decisive(reason));
    }
    sample
        .iter()
        .any(|row| has(row, "session_id") && (says(row) || is_beginning(row)))
        .then(|| Sign::decisive("rows of a stream with `session_id`, `type` and `message`"))
}
