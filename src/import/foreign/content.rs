//! What a message or a result says: text, or blocks that are text, images and other things.

use crate::trace::event::RawJson;
use crate::trace::json::Json;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write;

/// Longest type of a block that its description repeats, in characters.
const KIND: usize = 40;

/// The content of a message or of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Content<'j> {
    /// Nothing.
    Nothing,
    /// Text; blocks are joined by line ends, those that are not text are described.
    Text(Cow<'j, str>),
    /// A JSON value that is neither text nor a list of blocks.
    Other(&'j Json<'j>),
}

impl<'j> Content<'j> {
    /// Reads a content. Images and other blocks are replaced by their type, size and hash, so that
    /// what is kept of a result stays small.
    pub fn of(value: Option<&'j Json<'j>>) -> Self {
        match value {
            None | Some(Json::Null) => Content::Nothing,
            Some(Json::String(text)) => Content::Text(Cow::Borrowed(&text.text)),
            Some(Json::Array(items)) if items.iter().all(is_block) => {
                let texts: Vec<_> = items.iter().map(block).collect();
                Content::Text(Cow::Owned(texts.join("\n")))
            }
            Some(image @ Json::Object(_)) if data(image).is_some() => Content::Text(block(image)),
            Some(other) => Content::Other(other),
        }
    }

    /// The text, if it is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The content as a result; `None` is no result.
    pub fn into_raw(self) -> Option<RawJson<'static>> {
        match self {
            Content::Nothing => None,
            Content::Text(text) => Some(RawJson::from_string(&text)),
            Content::Other(value) => Some(RawJson::from_json(value)),
        }
    }
}

fn is_block(value: &Json<'_>) -> bool {
    value.as_str().is_some() || value.get("type").is_some_and(|t| t.as_str().is_some())
}

fn block<'j>(value: &'j Json<'j>) -> Cow<'j, str> {
    let of = |field: &str| value.get(field).and_then(Json::as_str);
    // A file that a tool gives back whole, as text.
    let embedded = || value.get("resource")?.get("text")?.as_str();
    // Some writers keep the text of such a block in `content`.
    let content = || of("content").filter(|_| of("type") == Some("text"));
    let text = value.as_str().or_else(|| of("text"));
    match text.or_else(embedded).or_else(content) {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(describe(value)),
    }
}

/// A block that is not text: its type, the size of its data as recorded, and the first
/// 64 bits of their SHA-256.
fn describe(value: &Json<'_>) -> String {
    let kind = value.get("type").and_then(Json::as_str).unwrap_or("block");
    let kind: String = kind.chars().take(KIND).collect();
    let data = data(value).map_or_else(|| Cow::Owned(value.to_compact()), Cow::Borrowed);
    let hash = Sha256::digest(data.as_bytes());
    let mut out = format!("[{kind}: {} bytes, sha256 ", data.len());
    for byte in hash.iter().take(8) {
        let _ = write!(out, "{byte:02x}");
    }
    out.push(']');
    out
}

/// The encoded bytes of an image or a file, where a block has them.
fn data<'j>(value: &'j Json<'_>) -> Option<&'j str> {
    let of = |object: &str, field: &str| value.get(object).and_then(|o| o.get(field));
    value
        .get("data")
        .or_else(|| of("source", "data"))
        .or_else(|| of("resource", "blob"))
        .or_else(|| of("image_url", "url"))
        .and_then(Json::as_str)
        .or_else(|| {
            let url = value.get("image_url")?.as_str()?;
            url.starts_with("data:").then_some(url)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::json::parse;

    fn text(value: &str) -> String {
        let value = parse(value.as_bytes()).expect("valid");
        let raw = Content::of(Some(&value)).into_raw().expect("a result");
        String::from_utf8_lossy(raw.bytes()).into_owned()
    }

    #[test]
    fn blocks_are_joined_and_others_described() {
        assert_eq!(text(r#""a\nb""#), r#""a\nb""#);
        assert_eq!(
            text(r#"[{"type":"text","text":"a"},"b",{"type":"text","text":"c"}]"#),
            r#""a\nb\nc""#
        );
        assert_eq!(text(r#"[{"type":"text","content":"a"}]"#), r#""a""#);
        assert_eq!(text("[]"), "\"\"");
        let image = r#"[{"type":"image","source":{"type":"base64","data":"aGVsbG8="}}]"#;
        assert_eq!(text(image), "\"[image: 8 bytes, sha256 333d6b3a3c1f5db6]\"");
        let file = r#"[{"type":"resource","resource":{"uri":"file:///a","text":"a b"}}]"#;
        assert_eq!(text(file), "\"a b\"");
        assert_eq!(
            text(r#"[{"type":"tool_reference","tool_name":"T"}]"#),
            "\"[tool_reference: 41 bytes, sha256 402d38282aebf69a]\""
        );
    }

    #[test]
    fn what_is_no_list_of_blocks_stays_json() {
        assert_eq!(text(r#"{"a": [1]}"#), r#"{"a":[1]}"#);
        assert_eq!(text("[1, 2]"), "[1,2]");
        assert_eq!(Content::of(Some(&Json::Null)), Content::Nothing);
    }
}
