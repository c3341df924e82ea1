//! JSON Schemas that a policy names. A schema stands on its own: nothing it refers to is fetched.

use super::reader::Reader;
use super::table::Item;
use crate::policy::Schema;
use crate::policy::effective::sha256;
use crate::policy::pattern::{SIZE_LIMIT, shorten};
use crate::trace::json::{self, Json};
use jsonschema::{PatternOptions, Retrieve, Uri, Validator};
use serde_json::Value;
use std::collections::HashSet;
use std::error::Error;
use std::sync::Arc;

/// Longest schema file, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Reads and compiles the schema of a contract.
pub fn schema<'t>(r: &mut Reader<'t>, item: Option<Item<'t>>) -> Option<Schema> {
    let item = item?;
    let file = r.text(Some(item.clone()))?;
    match load(r, file) {
        Ok((schema, demands)) => {
            if !demands {
                let message = format!("the schema `{file}` demands nothing: any arguments fit it");
                r.warn("empty_schema", item.span().start, message);
            }
            Some(schema)
        }
        Err(why) => {
            let message = format!("the schema `{file}` cannot be used: {why}");
            r.error(item.span().start, message, None);
            None
        }
    }
}

/// The schema, and whether it demands anything.
fn load(r: &mut Reader<'_>, file: &str) -> Result<(Schema, bool), String> {
    let bytes = r.file(file)?;
    if bytes.len() > MAX_BYTES {
        return Err(format!("it is longer than {MAX_BYTES} bytes"));
    }
    let json = json::parse(&bytes).map_err(|e| format!("{} at byte {}", e.message, e.offset))?;
    let value = value(&json)?;
    let schema = Schema {
        file: file.to_owned(),
        sha256: sha256(&bytes),
        validator: Arc::new(compile(&value)?),
    };
    Ok((schema, demands(&value)))
}

/// Whether a schema has anything in it but words for people.
fn demands(schema: &Value) -> bool {
    const WORDS: [&str; 6] = [
        "$schema",
        "$id",
        "$comment",
        "title",
        "description",
        "examples",
    ];
    match schema {
        Value::Bool(all) => !all,
        Value::Object(members) => members.keys().any(|key| !WORDS.contains(&key.as_str())),
        _ => true,
    }
}

/// Compiles a schema. Its regexes run in linear time, since what they meet is not trusted.
fn compile(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::regex().size_limit(SIZE_LIMIT);
    jsonschema::options()
        .with_retriever(Nothing)
        .with_pattern_options(patterns)
        .build(schema)
        .map_err(|e| {
            let path = e.instance_path().to_string();
            let place = if path.is_empty() { "/" } else { path.as_str() };
            format!("{} (at `{place}`)", shorten(&e.to_string()))
        })
}

/// Fetches nothing.
struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        Err(format!("`{uri}` is outside of the file, and nothing is fetched").into())
    }
}

/// The schema in the form that is compiled.
///
/// # Errors
/// A key is given twice, which would leave open what the schema says, or text or a number is damaged.
fn value(json: &Json<'_>) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(lexeme) => Value::Number(
            serde_json::from_str(lexeme).map_err(|_| format!("bad number `{lexeme}`"))?,
        ),
        Json::String(text) => Value::String(text.text.clone().into_owned()),
        Json::Array(items) => Value::Array(items.iter().map(value).collect::<Result<_, _>>()?),
        Json::Object(members) => {
            let mut seen = HashSet::new();
            let mut object = serde_json::Map::new();
            for (key, member) in members {
                if !seen.insert(key.text.as_ref()) {
                    return Err(format!("the key `{}` is given twice", key.text));
                }
                object.insert(key.text.clone().into_owned(), value(member)?);
            }
            Value::Object(object)
        }
    })
}
