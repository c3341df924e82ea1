//! JSON as values of expressions.

use crate::trace::json::Json;
use cel::Value;
use cel::objects::{Key, Map};
use std::collections::HashMap;
use std::sync::Arc;

/// The value of a JSON document. Integers that fit 64 bits are `int`, else `uint`; every other
/// number is a `double`, the nearest. Objects are maps, the last of repeated keys counting.
pub fn value_of(json: &Json<'_>) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(lexeme) => number(lexeme),
        Json::String(text) => string(&text.text),
        Json::Array(items) => Value::List(Arc::new(items.iter().map(value_of).collect())),
        Json::Object(members) => {
            let entry = |(key, value): &(crate::trace::json::Text<'_>, Json<'_>)| {
                let key = Key::String(Arc::new(key.text.clone().into_owned()));
                (key, value_of(value))
            };
            let map: HashMap<Key, Value> = members.iter().map(entry).collect();
            Value::Map(Map { map: Arc::new(map) })
        }
    }
}

/// A string value.
pub fn string(text: &str) -> Value {
    Value::String(Arc::new(text.to_owned()))
}

/// A list of strings.
pub fn strings<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Value {
    Value::List(Arc::new(
        texts.into_iter().map(|t| string(t.as_ref())).collect(),
    ))
}

fn number(lexeme: &str) -> Value {
    if let Ok(n) = lexeme.parse::<i64>() {
        return Value::Int(n);
    }
    if let Ok(n) = lexeme.parse::<u64>() {
        return Value::UInt(n);
    }
    // A scanned JSON number is always a decimal that can be read.
    Value::Float(lexeme.parse().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn value(text: &str) -> Value {
        value_of(&parse(text.as_bytes()).expect(text))
    }

    #[test]
    fn numbers_keep_their_kind() {
        assert_eq!(value("-9223372036854775808"), Value::Int(i64::MIN));
        assert_eq!(value("18446744073709551615"), Value::UInt(u64::MAX));
        assert_eq!(
            value("18446744073709551616"),
            Value::Float(18446744073709551616.0)
        );
        assert_eq!(value("1.0"), Value::Float(1.0));
        assert_eq!(value("1e2"), Value::Float(100.0));
        assert_eq!(value("-0"), Value::Int(0));
    }

    #[test]
    fn the_last_of_repeated_keys_counts() {
        let Value::Map(map) = value(r#"{"a":1,"a":[true,null,"x"]}"#) else {
            panic!("no map");
        };
        let list = vec![Value::Bool(true), Value::Null, string("x")];
        assert_eq!(map.map.len(), 1);
        assert_eq!(map.get(&Key::from("a")), Some(&Value::List(Arc::new(list))));
    }
}
