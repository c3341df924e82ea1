//! What the user asked for, out of all that is written down as said by the user.

use crate::trace::json::Json;

/// How texts begin that the program, not the user, put into the user's messages.
const INJECTED: &[&str] = &[
    "# AGENTS.md instructions",
    "<apps_instructions>",
    "<codex_internal_context",
    "<collaboration_mode>",
    "<developer_",
    "<environment_context>",
    "<external_",
    "<INSTRUCTIONS>",
    "<model_switch>",
    "<permissions instructions>",
    "<personality_spec>",
    "<skill>",
    "<skills_instructions>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_action>",
    "<user_instructions>",
    "<user_shell_command>",
];

/// The user's own words in a message, or in the item of an event; `None` where it holds none.
pub fn of_message(message: &Json<'_>) -> Option<String> {
    match message.get("content")? {
        Json::String(text) => own(&text.text).map(str::to_owned),
        Json::Array(blocks) => {
            let texts = blocks.iter().filter_map(|b| b.get("text")?.as_str());
            let words: Vec<_> = texts.filter_map(own).collect();
            (!words.is_empty()).then(|| words.join("\n"))
        }
        _ => None,
    }
}

/// The user's own words in a `user_message` event.
pub fn of_event(event: &Json<'_>) -> Option<String> {
    own(event.get("message")?.as_str()?).map(str::to_owned)
}

fn own(text: &str) -> Option<&str> {
    let text = text.trim();
    let injected = INJECTED.iter().any(|begin| text.starts_with(begin));
    (!text.is_empty() && !injected).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    #[test]
    fn only_the_users_own_words_count() {
        let of = |content: &str| {
            let text = format!(r#"{{"content":{content}}}"#);
            of_message(&parse(text.as_bytes()).expect("valid"))
        };
        assert_eq!(of("\" go \"").as_deref(), Some("go"));
        let mixed = r##"[{"type":"input_text","text":"# AGENTS.md instructions for /w"},
            {"type":"input_text","text":"<environment_context>x</environment_context>"},
            {"type":"input_text","text":"mend it"},{"type":"input_image","image_url":"data:"}]"##;
        assert_eq!(of(mixed).as_deref(), Some("mend it"));
        assert_eq!(of(r#""<user_instructions>x""#), None);
        assert_eq!(of("\" \""), None);
    }
}
