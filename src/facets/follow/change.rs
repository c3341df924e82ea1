//! What a command changes in its own shell.

use super::state::{State, Value};
use crate::facets::command::Simple;
use std::sync::Arc;

/// Whether a command declares variables.
fn is_declaring(program: &str) -> bool {
    matches!(
        program,
        "export" | "declare" | "typeset" | "local" | "readonly"
    )
}

/// Whether a command is taken to succeed.
pub(super) fn is_sure(command: &Simple) -> bool {
    match command.program() {
        None
        | Some(
            "cd" | "chdir" | "pushd" | "popd" | ":" | "true" | "set" | "shopt" | "umask" | "echo"
            | "printf" | "pwd",
        ) => true,
        Some(program) => is_declaring(program),
    }
}

/// Applies what a command changes where it runs.
pub(super) fn apply(command: &Simple, state: &mut State) {
    let Some(program) = command.program() else {
        for text in &command.assignments {
            assign(text, false, state);
        }
        return;
    };
    let words = command.words.get(1..).unwrap_or_default();
    let operands = || words.iter().filter(|word| !word.starts_with(['-', '+']));
    match program {
        "cd" | "chdir" => {
            let target = target(words, state);
            state.go(target.as_deref());
        }
        "pushd" => {
            let target = target(words, state);
            state.push(target.as_deref());
        }
        "popd" => state.pop(),
        "unset" => operands().for_each(|name| state.unset(name)),
        "read" | "mapfile" | "readarray" => {
            operands().for_each(|name| state.set(name, vec![None], false));
        }
        "set" if words.first().is_some_and(|word| word == "--") => {
            let mut positional = vec![String::new()];
            positional.extend(words.iter().skip(1).cloned());
            state.set_positional(positional);
        }
        "shift" => state.positional = None,
        "exit" | "return" | "break" | "continue" => state.left = true,
        _ if is_declaring(program) => {
            let exported = program == "export" || words.iter().any(|word| word == "-x");
            for word in operands() {
                if word.contains('=') {
                    assign(word, exported, state);
                } else if exported {
                    state.export(word);
                }
            }
        }
        _ => {}
    }
}

/// Where a `cd` goes; absent where it is not known.
fn target(words: &[String], state: &State) -> Option<String> {
    let option = |word: &&String| word.len() > 1 && word.starts_with('-');
    let Some(word) = words.iter().find(|word| !option(word)) else {
        return match state.variable("HOME").map(|v| v.values.as_slice()) {
            None => Some("~".into()),
            Some([Some(texts)]) => texts.first().cloned(),
            Some(_) => None,
        };
    };
    let known = ["$HOME/", "${HOME}/", "$PWD/", "${PWD}/"];
    let rest = known
        .iter()
        .find_map(|name| word.strip_prefix(name))
        .unwrap_or(word);
    let known = !rest.contains(['$', '`'])
        || matches!(word.as_str(), "$HOME" | "${HOME}" | "$PWD" | "${PWD}");
    known.then(|| word.clone())
}

fn assign(text: &str, exported: bool, state: &mut State) {
    let Some((name, value)) = text.split_once('=') else {
        return;
    };
    if name.contains('[') {
        let name = name.split('[').next().unwrap_or(name);
        return state.set(name, vec![None], exported);
    }
    let known = |text: &str| !text.contains(['$', '`', '(']);
    let Some(name) = name.strip_suffix('+') else {
        let value: Value = known(value).then(|| Arc::from([value.to_owned()]));
        return state.set(name, vec![value], exported);
    };
    let before = state
        .variable(name)
        .map(|v| v.values.clone())
        .unwrap_or_default();
    let added = before.iter().map(|before| {
        let before = before.as_ref().filter(|_| known(value))?;
        let text = before.first().map_or("", String::as_str);
        Some(Arc::from([text.to_owned() + value]))
    });
    let mut values: Vec<Value> = added.collect();
    if values.is_empty() {
        values.push(None);
    }
    state.set(name, values, exported);
}
