//! Where the saved state of an agent or a team keeps messages.

use crate::trace::json::Json;

/// Fields that hold the messages that an agent gives its model.
const CONTEXTS: &[&str] = &["llm_context", "model_context"];

/// The field that holds the messages of a team.
const THREAD: &str = "message_thread";

/// Fields that hold states: those of several agents by their names, or one.
const SEVERAL: &str = "agent_states";
const ONE: &[&str] = &["agent_state", "inner_team_state"];

/// The lists of messages in a state.
#[derive(Debug, Default)]
pub struct Lists<'j> {
    /// What the members of a team said and did, in order.
    pub threads: Vec<&'j [Json<'j>]>,
    /// The same for each agent alone, without what others did.
    pub contexts: Vec<&'j [Json<'j>]>,
}

/// Whether a record is a state.
pub fn is_state(record: &Json<'_>) -> bool {
    let is_object = |field: &&str| matches!(record.get(field), Some(Json::Object(_)));
    let has_messages = |field: &&str| {
        let context = record.get(field);
        context.is_some_and(|context| context.get("messages").is_some())
    };
    is_object(&SEVERAL)
        || ONE.iter().any(is_object)
        || CONTEXTS.iter().any(has_messages)
        || record.get(THREAD).and_then(Json::as_array).is_some()
}

/// Finds the lists of a state and of the states inside it.
pub fn lists<'j>(record: &'j Json<'j>) -> Lists<'j> {
    let mut found = Lists::default();
    let mut open = vec![record];
    while let Some(state) = open.pop() {
        found
            .threads
            .extend(state.get(THREAD).and_then(Json::as_array));
        for context in CONTEXTS.iter().filter_map(|field| state.get(field)) {
            let messages = context.get("messages").and_then(Json::as_array);
            found.contexts.extend(messages);
        }
        open.extend(ONE.iter().filter_map(|field| state.get(field)));
        if let Some(Json::Object(states)) = state.get(SEVERAL) {
            open.extend(states.iter().rev().map(|(_, state)| state));
        }
    }
    found
}
