//! How an action becomes the text that is embedded.

use super::blank;
use super::gloss::table::Entry;
use super::gloss::view::head;
use super::gloss::{Gloss, IntentSigns, Intents};
use super::plain::Plain;
use crate::embed::fold;
use crate::facets::Facets;
use crate::trace::json::Json;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Bytes of a text, or a tool's name, that are embedded, of its head.
const HEAD: usize = 400;

/// Bytes of one that are embedded, of its tail, where it is longer than both.
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
    /// Tool name, text with copies of the intent blanked, and gloss. Of a long name and a long text
    /// the head and the tail.
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
    /// The words of some of them that the text ends with, a space before each.
    pub words: Vec<&'static str>,
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
        let action = plain.as_ref().map_or(*action, Plain::action);
        let name = ends(action.tool);
        let cut = name.len() < action.tool.len();
        let action = &Action {
            tool: &name,
            ..action
        };
        let (blanked_text, blanked) = self.copies.blank(action.text);
        let entries = gloss.of(action, &blanked_text, &self.signs, cut);
        // Where nothing but copies is left nothing can hide behind them, and without them there
        // would be nothing to go by but the tool's name.
        let (blanked_text, blanked) = match blanked > 0 && blank::says_nothing(&blanked_text) {
            true => (action.text.into(), 0),
            false => (blanked_text, blanked),
        };
        let mut text = String::with_capacity(action.tool.len() + HEAD + TAIL + 128);
        text.push_str(action.tool);
        text.push(' ');
        text.push_str(&ends(&blanked_text));
        let mut words = Vec::with_capacity(entries.len());
        for (at, entry) in entries.iter().enumerate() {
            if entry.is_embedded() && !entries[..at].iter().any(|other| other.words == entry.words)
            {
                text.push(' ');
                text.push_str(entry.words);
                words.push(entry.words);
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
            words,
        }
    }
}

/// The head and the tail of what is longer than both, a space between them; else all of it.
fn ends(text: &str) -> Cow<'_, str> {
    if text.len() <= HEAD + TAIL + 1 {
        return Cow::Borrowed(text);
    }
    let tail = head(text, text.len() - TAIL).len();
    let tail = text.get(tail..).unwrap_or("");
    Cow::Owned(format!("{} {tail}", head(text, HEAD)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facets;

    /// Rationale: whoever names a tool chooses how long its name is, and embedders split names into
    /// words, at a cost that grows faster than their length.
    #[test]
    fn of_a_long_name_the_ends_are_looked_at() {
        let args = Json::Null;
        for part in ["Ab", "a_", "\u{e9}B"] {
            let tool = format!("delete_{}_backup", part.repeat(20_000));
            let facets = facets::of_call(&tool, &args);
            let action = Action {
                tool: &tool,
                args: &args,
                text: "",
                facets: &facets,
            };
            let ready = Preparer::default().prepare(&action, Some("read my mail"));
            let Prepared { text, gloss, .. } = &*ready.prepared;
            assert!(text.len() < 2 * (HEAD + TAIL), "{}", text.len());
            assert!(text.starts_with("delete_") && text.contains("_backup "));
            assert!(gloss.contains(&"too_long"), "{gloss:?}");
        }
        assert!(matches!(ends(&"a".repeat(HEAD + TAIL)), Cow::Borrowed(_)));
    }
}
