//! Attributes of a span: names with dots, and values that are plain JSON or wrapped in their type.

use crate::import::foreign::{Out, Unusable};
use crate::trace::fault::FaultCode;
use crate::trace::json::{self, Json};
use std::borrow::Cow;
use std::collections::HashMap;

/// A value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'j> {
    /// Wrapped in its type: `{"stringValue": "x"}`.
    Typed(&'j Json<'j>),
    /// As it is.
    Plain(&'j Json<'j>),
}

/// The attributes of a span or an event.
#[derive(Debug, Default)]
pub struct Attributes<'j> {
    values: HashMap<&'j str, Value<'j>>,
}

/// What JSON a value holds: the value itself, or what its text encodes if that is an object or a list.
pub fn nested<'j>(value: &'j Json<'j>) -> Cow<'j, Json<'j>> {
    match value {
        Json::String(text) if text.text.trim_start().starts_with(['{', '[']) => {
            match json::parse(text.text.as_bytes()) {
                Ok(inner) => Cow::Owned(inner),
                Err(_) => Cow::Borrowed(value),
            }
        }
        _ => Cow::Borrowed(value),
    }
}

/// The member of an object in either spelling.
pub fn member<'j>(object: &'j Json<'j>, camel: &str, snake: &str) -> Option<&'j Json<'j>> {
    object.get(camel).or_else(|| object.get(snake))
}

impl<'j> Value<'j> {
    /// The value without its wrapping.
    pub fn json(self) -> Cow<'j, Json<'j>> {
        match self {
            Value::Plain(json) => Cow::Borrowed(json),
            Value::Typed(json) => unwrapped(json),
        }
    }

    /// The text or the number itself; what is neither is given as it stands.
    pub fn scalar(self) -> &'j Json<'j> {
        match self {
            Value::Plain(json) => json,
            Value::Typed(json) => member(json, "stringValue", "string_value")
                .or_else(|| json.get("doubleValue"))
                .or_else(|| json.get("double_value"))
                .or_else(|| member(json, "intValue", "int_value"))
                .unwrap_or(json),
        }
    }
}

fn unwrapped<'j>(json: &'j Json<'j>) -> Cow<'j, Json<'j>> {
    let of = |camel: &str, snake: &str| member(json, camel, snake);
    if !matches!(json, Json::Object(_)) {
        return Cow::Borrowed(json);
    }
    if let Some(Json::String(digits)) = of("intValue", "int_value") {
        return Cow::Owned(Json::Number(&digits.text));
    }
    let plain = of("stringValue", "string_value")
        .or_else(|| of("boolValue", "bool_value"))
        .or_else(|| of("doubleValue", "double_value"))
        .or_else(|| of("intValue", "int_value"))
        .or_else(|| of("bytesValue", "bytes_value"));
    if let Some(plain) = plain {
        return Cow::Borrowed(plain);
    }
    let values = |list: &'j Json<'j>| list.get("values").and_then(Json::as_array);
    if let Some(list) = of("arrayValue", "array_value") {
        let items = values(list).unwrap_or_default().iter();
        return Cow::Owned(Json::Array(
            items.map(|v| unwrapped(v).into_owned()).collect(),
        ));
    }
    if let Some(list) = of("kvlistValue", "kvlist_value") {
        let pairs = values(list).unwrap_or_default().iter();
        let member = |pair: &'j Json<'j>| {
            let Some(Json::String(key)) = pair.get("key") else {
                return None;
            };
            let value = pair.get("value").map(unwrapped);
            Some((key.clone(), value.map_or(Json::Null, Cow::into_owned)))
        };
        return Cow::Owned(Json::Object(pairs.filter_map(member).collect()));
    }
    Cow::Owned(Json::Null)
}

impl<'j> Attributes<'j> {
    /// Reads a list of `{"key", "value"}`.
    ///
    /// # Errors
    /// One of `deciding` is given twice with two values.
    pub fn of_list(
        list: Option<&'j Json<'j>>,
        deciding: &[&str],
        out: &mut Out<'_>,
    ) -> Result<Self, Unusable> {
        let mut attributes = Attributes::default();
        for pair in list.and_then(Json::as_array).unwrap_or_default() {
            let key = pair.get("key").and_then(Json::as_str);
            if let (Some(key), Some(value)) = (key, pair.get("value")) {
                attributes.insert(key, Value::Typed(value), deciding, out)?;
            }
        }
        Ok(attributes)
    }

    /// Reads the members of an object; anything else has none.
    ///
    /// # Errors
    /// One of `deciding` is given twice with two values.
    pub fn of_object(
        object: Option<&'j Json<'j>>,
        deciding: &[&str],
        out: &mut Out<'_>,
    ) -> Result<Self, Unusable> {
        let mut attributes = Attributes::default();
        if let Some(Json::Object(members)) = object {
            for (key, value) in members {
                attributes.insert(&key.text, Value::Plain(value), deciding, out)?;
            }
        }
        Ok(attributes)
    }

    fn insert(
        &mut self,
        key: &'j str,
        value: Value<'j>,
        deciding: &[&str],
        out: &mut Out<'_>,
    ) -> Result<(), Unusable> {
        let before = self.values.insert(key, value);
        if before.is_some_and(|before| before != value) && deciding.contains(&key) {
            let message = format!("`{key}` is given twice, what holds it is not used");
            out.fault(FaultCode::DuplicateKey, message);
            return Err(Unusable);
        }
        Ok(())
    }

    /// The value of that name.
    pub fn get(&self, key: &str) -> Option<Value<'j>> {
        self.values.get(key).copied()
    }

    /// The first of these names that is there, and its value.
    pub fn first<'k>(&self, keys: &[&'k str]) -> Option<(&'k str, Value<'j>)> {
        keys.iter().find_map(|key| Some((*key, self.get(key)?)))
    }

    /// The first of these names that is there and is text that is not empty.
    pub fn text(&self, keys: &[&str]) -> Option<&'j str> {
        let text = |key: &&str| self.get(key)?.scalar().as_str();
        keys.iter().filter_map(text).find(|text| !text.is_empty())
    }

    /// Every name and its value, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&'j str, Value<'j>)> {
        self.values.iter().map(|(key, value)| (*key, *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_values_are_unwrapped() {
        let plain = |text: &str| {
            let json = json::parse(text.as_bytes()).expect("valid");
            Value::Typed(&json).json().to_compact()
        };
        assert_eq!(plain(r#"{"stringValue":"x"}"#), "\"x\"");
        assert_eq!(plain(r#"{"string_value":"x"}"#), "\"x\"");
        assert_eq!(plain(r#"{"intValue":"42"}"#), "42");
        assert_eq!(plain(r#"{"intValue":42}"#), "42");
        assert_eq!(plain(r#"{"doubleValue":0.5}"#), "0.5");
        assert_eq!(
            plain(r#"{"arrayValue":{"values":[{"boolValue":true},{}]}}"#),
            "[true,null]"
        );
        assert_eq!(
            plain(r#"{"kvlistValue":{"values":[{"key":"a","value":{"intValue":"1"}}]}}"#),
            r#"{"a":1}"#
        );
    }
}
