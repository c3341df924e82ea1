//! What else is known of a run.

use crate::trace::event::RawJson;
use crate::trace::json::{Json, write_string};

/// An object of the fields that are text, numbers or truth values; `None` if none is. Their names
/// have to differ.
pub fn meta<'j, 'n>(
    fields: impl IntoIterator<Item = (&'n str, Option<&'j Json<'j>>)>,
) -> Option<RawJson<'static>> {
    let mut text = String::new();
    for (name, value) in fields {
        let Some(value @ (Json::String(_) | Json::Number(_) | Json::Bool(_))) = value else {
            continue;
        };
        text.push(if text.is_empty() { '{' } else { ',' });
        write_string(name, &mut text);
        text.push(':');
        value.write_compact(&mut text);
    }
    text.push('}');
    // A lone brace is no JSON: then there is nothing to say.
    RawJson::from_text(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    #[test]
    fn only_plain_values_are_taken() {
        let json = parse(br#"{"a":"x","b":{},"c":1.50,"d":null,"e":true}"#).expect("valid");
        let all = ["a", "b", "c", "d", "e", "f"].map(|name| (name, json.get(name)));
        let object = meta(all).expect("something");
        assert_eq!(object.bytes(), br#"{"a":"x","c":1.50,"e":true}"#);
        assert_eq!(meta([("b", json.get("b"))]), None);
    }
}
