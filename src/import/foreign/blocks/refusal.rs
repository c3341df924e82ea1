//! Results that say that their call was not let through.
//!
//! The text is all there is, and a tool could have written it too. That is why only results flagged
//! as errors count and only texts that begin as the program itself begins them.

/// How a refusal begins, and who refuses.
const REFUSALS: &[(&str, &str)] = &[
    (
        "The user doesn't want to proceed with this tool use",
        "user",
    ),
    (
        "The user doesn't want to take this action right now",
        "user",
    ),
    ("User chose to stay in plan mode", "user"),
    (
        "The agent proposed a plan that was rejected by the user",
        "user",
    ),
    ("Claude requested permissions to ", "permissions"),
];

/// Who refused the call of an error result with this text; `None` if nobody did.
pub fn by(text: &str) -> Option<&'static str> {
    let rule = text.starts_with("Permission to use ") && text.contains(" has been denied");
    if rule {
        return Some("permissions");
    }
    let hook = text.starts_with("PreToolUse:") && text.contains(" hook error");
    let first = text.lines().next().unwrap_or_default();
    if hook || first.contains(" operation blocked by hook") {
        return Some("hook");
    }
    REFUSALS
        .iter()
        .find(|(begin, _)| text.starts_with(begin))
        .map(|(_, by)| *by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_from_failures() {
        let user = "The user doesn't want to proceed with this tool use. Stop.";
        assert_eq!(by(user), Some("user"));
        let rule = "Permission to use Bash with command rm -rf x has been denied.";
        assert_eq!(by(rule), Some("permissions"));
        assert_eq!(by("PreToolUse:Bash hook error: [guard]: no"), Some("hook"));
        assert_eq!(by("Bash operation blocked by hook:\n- no"), Some("hook"));
        assert_eq!(by("Exit code 1: permission denied"), None);
        assert_eq!(by("[Request interrupted by user for tool use]"), None);
    }
}
