//! Telling prose from calls that a model wrote as text, as the prompts of the benchmark or the model's
//! own training ask for it.

/// Words that stand before a call in the languages of models, wherever in a text.
const MARKS: &[&str] = &[
    "<function=",
    "<function_call",
    "<functioncall",
    "<invoke",
    "<tool_call",
    "<tool_use",
    "<|python_tag|>",
    "<|tool_call",
    "<\u{ff5c}tool",
    "[TOOL_CALLS]",
    "functools[",
];

/// Whether a text holds what looks like a call: a mark, or a line that is one or begins a list of
/// them. A fence around it is a line of its own.
pub fn holds_calls(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark)) || text.lines().any(is_call)
}

fn is_call(line: &str) -> bool {
    let line = line.trim().trim_matches('`').trim();
    // A list of calls, whether it ends here or not.
    if let Some(inner) = line.strip_prefix('[').map(str::trim_start) {
        return inner.starts_with('{') || arguments(inner).is_some();
    }
    let ends = |rest: &str| rest.is_empty() || rest.trim_end_matches([';', ',']).ends_with(')');
    line.starts_with('{') || arguments(line).is_some_and(ends)
}

/// What follows the name of a function and its bracket.
fn arguments(text: &str) -> Option<&str> {
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let rest = text.trim_start_matches(of_name);
    let after = rest.strip_prefix('(')?;
    (rest.len() < text.len()).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::holds_calls;

    #[test]
    fn calls_in_text_are_told_from_prose() {
        for text in [
            "[f()]",
            " [ a.b_c(x=1), g()]",
            "[cd(folder='x')]",
            r#"[{"rm": {"a": 1}}]"#,
            r#"{"name": "rm", "arguments": {}}"#,
            "<tool_call>\n{}\n</tool_call>",
            "<function=rm>{}</function>",
            "rm(a=1)",
            "rm(",
            "```python\n[rm(a=1)]\n```",
            "```[rm(a=1)]```",
            "I delete it:\n\n  rm(a=1)\n",
        ] {
            assert!(holds_calls(text), "{text}");
        }
        for text in [
            "",
            "I call f()",
            "[1, 2]",
            "[]",
            "Error during inference: x(y)",
            "[(a)]",
            "The root(s) are 1 and 2.",
            "f(x) is 3",
        ] {
            assert!(!holds_calls(text), "{text}");
        }
    }
}
