//! How an action becomes the text that is embedded.

use super::blank;
use super::gloss::table::Entry;
use super::gloss::view::head;
use super::gloss::{Gloss, IntentSigns, Intents};
use super::plain::Plain;
use crate::embed::fold;
use crate::facets::Facets;
use crate::trace::json::Json;
use std::sync::{Arc, OnceLock};

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

/// An action made ready to be embedded, whoever embeds it.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Its text.
    pub prepared: Arc<Prepared>,
    /// The gloss entries that were found, in the order of the table.
    pub entries: Vec<&'static Entry>,
}

/// Makes actions ready. What an intent and a tool's name come to is remembered up to a bound, which
/// changes no result.
#[derive(Debug, Default)]
pub struct Preparer {
    gloss: Gloss,
    intents: Intents<IntentText>,
    /// What no intent comes to.
    unknown: OnceLock<IntentText>,
}

impl Preparer {
    /// Makes an action ready, of a run with this intent.
    pub fn prepare(&self, action: &Action<'_>, intent: Option<&str>) -> Ready {
        match intent {
            Some(text) => {
                let asked = self.intents.get(text, || self.take_apart(intent));
                asked.prepare(&self.gloss, action)
            }
            None => {
                let asked = self.unknown.get_or_init(|| self.take_apart(None));
                asked.prepare(&self.gloss, action)
            }
        }
    }

    /// Takes an intent apart; without one nothing is blanked and nothing is unasked.
    fn take_apart(&self, intent: Option<&str>) -> IntentText {
        IntentText {
            copies: blank::Intent::new(&fold(intent.unwrap_or(""))),
            signs: self.gloss.intent(intent),
        }
    }
}

/// What an intent comes to for the text of actions.
#[derive(Debug)]
struct IntentText {
    copies: blank::Intent,
    signs: IntentSigns,
}

impl IntentText {
    /// Puts an action's text together.
    fn prepare(&self, gloss: &Gloss, action: &Action<'_>) -> Ready {
        let plain = Plain::of(action);
        let action = &plain.as_ref().map_or(*action, Plain::action);
        let (blanked_text, blanked) = self.copies.blank(action.text);
        let entries = gloss.of(action, &blanked_text, &self.signs);
        // Where nothing but copies is left nothing can hide behind them, and without them there
        // would be nothing to go by but the tool's name.
        let (blanked_text, blanked) = match blanked > 0 && blank::says_nothing(&blanked_text) {
            true => (action.text.into(), 0),
            false => (blanked_text, blanked),
        };
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
        for (at, entry) in entries.iter().enumerate() {
            if entry.is_embedded() && !entries[..at].iter().any(|other| other.words == entry.words)
            {
                text.push(' ');
                text.push_str(entry.words);
            }
        }
        let prepared = Prepared {
            text,
            gloss: entries.iter().map(|entry| entry.id).collect(),
            blanked,
        };
        Ready {
            prepared: Arc::new(prepared),
            entries,
        }
    }
}
