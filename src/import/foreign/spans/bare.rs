//! Arguments of which only the value was recorded. The model that asked for the call has named it.

use super::Request;
use super::attributes::nested;
use crate::trace::event::RawJson;
use crate::trace::json::{Json, write_string};
use std::borrow::Cow;
use std::collections::HashMap;

/// Names of arguments by tool and value.
#[derive(Debug, Default)]
pub struct Names(HashMap<String, HashMap<String, Name>>);

/// What a value is called.
#[derive(Debug, PartialEq)]
enum Name {
    One(String),
    /// It has been asked for under several names.
    Several,
}

impl Names {
    /// Takes a request; those with one argument tell its name. Returns how many bytes that holds.
    pub fn learn(&mut self, request: &Request) -> usize {
        let Some(args) = request.args.as_ref().filter(|_| !request.is_damaged) else {
            return 0;
        };
        let args = args.json();
        let args = nested(&args);
        let Json::Object(members) = &*args else {
            return 0;
        };
        let [(name, value)] = &members[..] else {
            return 0;
        };
        let (name, value) = (name.text.to_string(), text(value).into_owned());
        let size = request.tool.len() + name.len() + value.len() + 64;
        let values = self.0.entry(request.tool.clone()).or_default();
        let known = values
            .entry(value)
            .or_insert_with(|| Name::One(name.clone()));
        if *known != Name::One(name) {
            *known = Name::Several;
        }
        size
    }

    /// The arguments of a call of `tool` of which `value` is all that is known; `None` if nobody has
    /// named it, or more than one name was given.
    pub fn complete(&self, tool: &str, value: &RawJson<'_>) -> Option<RawJson<'static>> {
        let json = value.json();
        let name = match self.0.get(tool)?.get(&*text(&json))? {
            Name::One(name) => name,
            Name::Several => return None,
        };
        let mut object = String::from("{");
        write_string(name, &mut object);
        object.push(':');
        json.write_compact(&mut object);
        object.push('}');
        RawJson::from_text(object).ok()
    }
}

/// A value as it is recorded where it stands alone.
fn text<'j>(value: &'j Json<'_>) -> Cow<'j, str> {
    match value {
        Json::String(text) => Cow::Borrowed(&text.text),
        other => Cow::Owned(other.to_compact()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(args: &str) -> Request {
        Request {
            tool: "f".into(),
            id: None,
            args: RawJson::from_text(args.to_owned()).ok(),
            is_damaged: false,
            is_repaired: false,
        }
    }

    #[test]
    fn a_value_is_named_as_the_model_named_it() {
        let mut names = Names::default();
        names.learn(&request(r#"{"path":"a"}"#));
        names.learn(&request(r#""{\"path\": \"b\"}""#));
        names.learn(&request(r#"{"path":"c","n":1}"#));
        let value = |text: &str| RawJson::from_string(text);
        let complete = |tool: &str, text: &str| {
            let args = names.complete(tool, &value(text))?;
            Some(String::from_utf8_lossy(args.bytes()).into_owned())
        };
        assert_eq!(complete("f", "a").as_deref(), Some(r#"{"path":"a"}"#));
        assert_eq!(complete("f", "b").as_deref(), Some(r#"{"path":"b"}"#));
        assert_eq!(complete("f", "c"), None);
        assert_eq!(complete("g", "a"), None);
    }

    #[test]
    fn two_names_are_none() {
        let mut names = Names::default();
        names.learn(&request(r#"{"path":"a"}"#));
        names.learn(&request(r#"{"url":"a"}"#));
        assert_eq!(names.complete("f", &RawJson::from_string("a")), None);
    }
}
