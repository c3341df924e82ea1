//! A state by itself, as a file of its own.

use super::document::{Document, Fault};
use super::state::{self, StateSpec};
use crate::trace::fault::Notice;

/// Reads the text of a file that holds one state, the first input.
///
/// # Errors
/// The first thing that is not as it should be, a fault with its line and column.
pub fn read(text: &[u8]) -> Result<(StateSpec<'_>, Vec<Notice>), Fault> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut document = Document::new(text, 0)?;
    let values = document.values()?;
    match values.as_slice() {
        [one] => {
            let state = state::read(&mut document, *one, "a state")?;
            Ok((state, document.notices))
        }
        [] => Err(document.bad(0, "the file holds no state".into(), None)),
        [_, second, ..] => {
            let message = "the file holds more than one state".into();
            Err(document.bad(second.at, message, None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn one_state_is_read_and_nothing_else() {
        let (state, _) = read(br#"{"tool_history":["a","b"],"step_count":2}"#).expect("a state");
        assert_eq!((state.history.len(), state.step_count), (2, Some(2)));
        for text in [
            "",
            "[]",
            "7",
            "{} {}",
            "{\"steps\":1}",
            "{\"step_count\":-1}",
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
