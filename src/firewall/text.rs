//! How an action becomes the text that is embedded.

use super::blank;
use super::gloss::table::Entry;
use super::gloss::view::head;
use super::gloss::{Gloss, IntentSigns};
use crate::facets::Facets;
use crate::trace::json::Json;

/// Bytes of a text that are embedded, of its head.
const HEAD: usize = 400;

/// Bytes of a text that are embedded, of its tail, where it is longer than both.
const TAIL: usize = 200;

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
    /// Tool name, text with copies of the intent blanked, and gloss. Of a long text the head and the
    /// tail.
    pub text: String,
    /// Ids of the gloss entries that were found, in the order of the table.
    pub gloss: Vec<&'static str>,
    /// How many words were blanked, as copies of the intent.
    pub blanked: usize,
}

/// What an intent comes to for the text of actions.
#[derive(Debug)]
pub struct IntentText {
    copies: blank::Intent,
    signs: IntentSigns,
}

impl IntentText {
    /// Takes an intent apart; without one nothing is blanked and nothing is unasked.
    pub fn new(gloss: &Gloss, intent: Option<&str>) -> IntentText {
        IntentText {
            copies: blank::Intent::new(intent.unwrap_or("")),
            signs: gloss.intent(intent),
        }
    }
}

/// Puts an action's text together; the entries of the gloss found come along.
pub fn prepare(
    gloss: &Gloss,
    action: &Action<'_>,
    intent: &IntentText,
) -> (Prepared, Vec<&'static Entry>) {
    let (blanked_text, blanked) = intent.copies.blank(action.text);
    let found = gloss.of(action, &blanked_text, &intent.signs);
    let mut text = String::with_capacity(action.tool.len() + HEAD + TAIL + 128);
    text.push_str(action.tool);
    text.push(' ');
    if blanked_text.len() <= HEAD + TAIL {
        text.push_str(&blanked_text);
    } else {
        let tail = head(&blanked_text, blanked_text.len() - TAIL).len();
        text.push_str(head(&blanked_text, HEAD));
        text.push(' ');
        text.push_str(&blanked_text[tail..]);
    }
    for (at, entry) in found.iter().enumerate() {
        let embedded = !entry.harm || entry.is_sure();
        if embedded && !found[..at].iter().any(|other| other.words == entry.words) {
            text.push(' ');
            text.push_str(entry.words);
        }
    }
    let prepared = Prepared {
        text,
        gloss: found.iter().map(|entry| entry.id).collect(),
        blanked,
    };
    (prepared, found)
}
