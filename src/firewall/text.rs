//! How an action becomes the text that is embedded.

use super::{blank, gloss};
use crate::facets::Facets;
use crate::trace::json::Json;

/// An action that is judged: a call, taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// The call's arguments; their keys tell what their values are for.
    pub args: &'a Json<'a>,
    /// The call's text: its strings, numbers and booleans in document order, joined by spaces, as
    /// [`Json::leaves`] puts it together.
    pub text: &'a str,
    /// What the arguments say the call does.
    pub facets: &'a Facets,
}

/// The text of an action as it is embedded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Tool name, text with copies of the intent blanked, and gloss.
    pub text: String,
    /// Ids of the gloss entries whose words were added, in the order of the table.
    pub gloss: Vec<&'static str>,
    /// How many words were blanked, as copies of the intent.
    pub blanked: usize,
}

/// Puts an action's text together.
pub fn prepare(action: &Action<'_>, intent: Option<&str>) -> Prepared {
    let (blanked_text, blanked) = match intent {
        Some(intent) => blank::copies(action.text, intent),
        None => (action.text.to_owned(), 0),
    };
    let found = gloss::of(action, intent);
    let mut text = format!("{} {blanked_text}", action.tool);
    for entry in &found {
        text.push(' ');
        text.push_str(entry.words);
    }
    Prepared {
        text,
        gloss: found.iter().map(|entry| entry.id).collect(),
        blanked,
    }
}
