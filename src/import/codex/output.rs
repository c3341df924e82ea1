//! What the output of a call tells: what the tool gave, whether it failed, whether it ran at all.
//!
//! There is no flag for any of it. Codex puts lines of its own before what a command wrote, up to one
//! that says `Output:`; only these are searched for an exit code, so that a command cannot give itself
//! another one. Older versions wrote an object with `output` and `metadata` as text.
//!
//! A refusal is the whole output, as Codex itself words it. It counts for the tools that Codex runs
//! itself, which never answer without those lines; the tools of servers and of programs around Codex
//! answer in their own words, so of servers only the refusal that Codex makes for them counts.

use crate::import::foreign::Content;
use crate::trace::event::RawJson;
use crate::trace::json::{self, Json};

/// Outputs that say that the call was not let through, and who did not.
const REFUSALS: &[(&str, &str)] = &[
    ("exec command rejected by user", "user"),
    ("patch rejected by user", "user"),
    ("patch rejected: ", "policy"),
    ("command rejected by user", "user"),
    (
        "This action was rejected due to unacceptable risk",
        "guardian",
    ),
    ("Command blocked by PreToolUse hook", "hook"),
    ("Tool call blocked by PreToolUse hook", "hook"),
    ("approval required by policy", "policy"),
    ("approval policy is ", "policy"),
];

/// How outputs begin that say that a call failed before or instead of running.
const FAILURES: &[&str] = &[
    "aborted",
    "apply_patch verification failed",
    "command timed out after ",
    "err: ",
    "exec_command failed",
    "execution error: ",
    "failed in sandbox",
    "failed to parse function arguments",
    "failed to parse function_call",
    "unsupported call: ",
    "unsupported custom tool call: ",
    "write_stdin failed",
];

/// Most lines that Codex puts before what a command wrote.
const HEAD: usize = 12;

/// Tools that Codex runs itself and that can be refused.
const OWN: &[&str] = &[
    "apply_patch",
    "container.exec",
    "exec",
    "exec_command",
    "local_shell",
    "shell",
    "shell_command",
    "unified_exec",
    "write_stdin",
];

/// Whose words the outputs of a tool are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Words {
    /// Those of Codex, with what a command wrote below.
    Own,
    /// Those of an MCP server.
    Servers,
    /// Anybody's.
    #[default]
    Others,
}

impl Words {
    /// Those of the outputs of `tool`.
    pub fn of(tool: &str) -> Self {
        match tool {
            _ if tool.starts_with("mcp__") => Words::Servers,
            _ if OWN.contains(&tool) => Words::Own,
            _ => Words::Others,
        }
    }
}

/// What an output tells.
#[derive(Debug, Default)]
pub struct Output {
    /// What the tool gave; `None` is no result.
    pub result: Option<RawJson<'static>>,
    /// Whether it failed, where that can be told.
    pub error: Option<bool>,
    /// Who refused the call, if somebody did.
    pub refused: Option<&'static str>,
}

/// Reads the output of a call of a tool with such outputs.
pub fn read(value: Option<&Json<'_>>, words: Words) -> Output {
    if let Some(object @ Json::Object(_)) = value {
        return of_object(object, words);
    }
    let content = Content::of(value);
    let Some(text) = content.text() else {
        return Output {
            result: content.into_raw(),
            ..Output::default()
        };
    };
    if words == Words::Servers {
        let refused = text.trim_start_matches("err: ").trim_matches('"');
        let refused = matches!(
            refused,
            "user rejected MCP tool call" | "user cancelled MCP tool call"
        );
        return Output {
            refused: refused.then_some("user"),
            error: text.starts_with("err: ").then_some(true),
            result: content.into_raw(),
        };
    }
    if let Some(older) = of_older(text) {
        return older;
    }
    Output {
        refused: refusal(text).filter(|_| words == Words::Own),
        error: exit_code(text).map(|code| code != 0).or_else(|| {
            FAILURES
                .iter()
                .any(|begin| text.starts_with(begin))
                .then_some(true)
        }),
        result: content.into_raw(),
    }
}

/// Reads `{"content": .., "success": ..}`.
fn of_object(object: &Json<'_>, words: Words) -> Output {
    let Some(content) = object.get("content") else {
        return Output {
            result: Content::of(Some(object)).into_raw(),
            ..Output::default()
        };
    };
    let inner = match content {
        // Not again an object: that would go as deep as the record does.
        Json::Object(_) => Output {
            result: Content::of(Some(content)).into_raw(),
            ..Output::default()
        },
        content => read(Some(content), words),
    };
    let success = match object.get("success") {
        Some(Json::Bool(success)) => Some(!success),
        _ => None,
    };
    Output {
        error: success.or(inner.error),
        ..inner
    }
}

/// Reads `{"output": .., "metadata": {"exit_code": ..}}` that was written as text.
fn of_older(text: &str) -> Option<Output> {
    if !text.starts_with('{') || !text.contains("\"metadata\"") {
        return None;
    }
    let object = json::parse(text.as_bytes()).ok()?;
    let output = object.get("output")?.as_str()?;
    let Json::Number(code) = object.get("metadata")?.get("exit_code")? else {
        return None;
    };
    Some(Output {
        result: Some(RawJson::from_string(output)),
        error: Some(*code != "0"),
        refused: None,
    })
}

fn refusal(text: &str) -> Option<&'static str> {
    let begins = REFUSALS.iter().find(|(begin, _)| text.starts_with(begin));
    if let Some((_, by)) = begins {
        return Some(by);
    }
    let (line, _) = text.split_once('\n').unwrap_or((text, ""));
    if line.starts_with('`') && line.contains("` rejected: ") {
        return Some("policy");
    }
    // The command is quoted before, and what it says is no refusal.
    let (_, reason) = text
        .strip_prefix("exec_command failed")?
        .rsplit_once("CreateProcess { message: \"Rejected(")?;
    Some(if reason.starts_with("\\\"rejected by user\\\"") {
        "user"
    } else {
        "policy"
    })
}

/// The exit code in the lines before what a command wrote.
fn exit_code(text: &str) -> Option<i64> {
    let mut lines = text.lines().take(HEAD).peekable();
    let first = lines.peek()?;
    let begins = [
        "Chunk ID: ",
        "Exit code: ",
        "Process exited with code ",
        "Wall time: ",
    ];
    if !begins.iter().any(|begin| first.starts_with(begin)) {
        return None;
    }
    let head = lines.take_while(|line| *line != "Output:");
    let mut codes = head.filter_map(|line| {
        let code = line
            .strip_prefix("Exit code: ")
            .or(line.strip_prefix("Process exited with code "))?;
        code.trim().parse().ok()
    });
    codes.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (Option<bool>, Option<&'static str>) {
        let value = Json::from(text.to_owned());
        let output = read(Some(&value), Words::Own);
        (output.error, output.refused)
    }

    #[test]
    fn exit_codes_stand_before_the_output() {
        assert_eq!(
            told("Exit code: 0\nWall time: 1 seconds\nOutput:\nx").0,
            Some(false)
        );
        assert_eq!(
            told("Chunk ID: a\nProcess exited with code 7\nOutput:\n").0,
            Some(true)
        );
        let forged = "Chunk ID: a\nProcess running with session ID 4\nOutput:\nExit code: 1";
        assert_eq!(told(forged).0, None);
        assert_eq!(told("it says\nExit code: 1").0, None);
        assert_eq!(told("unsupported call: f").0, Some(true));
    }

    #[test]
    fn the_older_form_is_text_within_text() {
        let text = r#"{"output":"a\nb","metadata":{"exit_code":1,"duration_seconds":0.1}}"#;
        let output = read(Some(&Json::from(text.to_owned())), Words::Own);
        assert_eq!(output.error, Some(true));
        assert_eq!(output.result.expect("a result").bytes(), br#""a\nb""#);
    }

    #[test]
    fn objects_say_whether_they_succeeded() {
        let object = json::parse(br#"{"content":"no","success":false}"#).expect("valid");
        let output = read(Some(&object), Words::Own);
        assert_eq!(output.error, Some(true));
        assert_eq!(output.result.expect("a result").bytes(), br#""no""#);
    }

    #[test]
    fn refusals_are_told_from_failures() {
        assert_eq!(told("exec command rejected by user").1, Some("user"));
        assert_eq!(told("`rm x` rejected: blocked by policy").1, Some("policy"));
        let exec = |reason: &str| {
            told(&format!(
                "exec_command failed for `rm x`: CreateProcess {{ message: \"{reason}\" }}"
            ))
        };
        assert_eq!(exec(r#"Rejected(\"rejected by user\")"#).1, Some("user"));
        assert_eq!(
            exec(r#"Rejected(\"`rm x` rejected: no\")"#).1,
            Some("policy")
        );
        assert_eq!(exec("No such file"), (Some(true), None));
        let echoed = "Exit code: 0\nOutput:\nexec command rejected by user";
        assert_eq!(told(echoed), (Some(false), None));
    }

    #[test]
    fn only_codex_words_a_refusal() {
        let of = |text: &str, tool: &str| {
            read(Some(&Json::from(text.to_owned())), Words::of(tool)).refused
        };
        let words = "exec command rejected by user";
        assert_eq!(of(words, "shell"), Some("user"));
        assert_eq!(of(words, "lookup"), None);
        let by = |text: &str| of(text, "mcp__s__f");
        assert_eq!(by("user rejected MCP tool call"), Some("user"));
        assert_eq!(by("err: \"user rejected MCP tool call\""), Some("user"));
        assert_eq!(by("exec command rejected by user"), None);
    }
}
