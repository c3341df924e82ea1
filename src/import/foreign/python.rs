//! Values that a program in Python has printed instead of writing them as JSON.

use crate::trace::event::RawJson;
use crate::trace::json::{MAX_DEPTH, write_string};

/// Reads a dictionary as Python prints it, `{'a': 1, 'b': [True, None]}`. `None` if the text is
/// anything else, which includes objects that only stand for themselves, like `<Path 'x'>`.
pub fn dictionary(text: &str) -> Option<RawJson<'static>> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    let mut reader = Reader {
        rest: text,
        json: String::with_capacity(text.len()),
    };
    reader.value(1)?;
    reader.rest.trim_start().is_empty().then_some(())?;
    // Numbers are taken as they stand, so not all that is read here is JSON.
    RawJson::from_text(reader.json).ok()
}

struct Reader<'a> {
    rest: &'a str,
    json: String,
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        for (word, json) in [("None", "null"), ("True", "true"), ("False", "false")] {
            if self.take(word) {
                self.json.push_str(json);
                return Some(());
            }
        }
        if self.take("{") {
            return self.items('{', '}', "}", depth, true);
        }
        if self.take("[") {
            return self.items('[', ']', "]", depth, false);
        }
        if self.take("(") {
            return self.items('[', ']', ")", depth, false);
        }
        if self.rest.starts_with(['\'', '"']) {
            return self.string();
        }
        self.number()
    }

    fn items(
        &mut self,
        open: char,
        close: char,
        end: &str,
        depth: usize,
        keyed: bool,
    ) -> Option<()> {
        self.json.push(open);
        let mut is_first = true;
        while !self.take(end) {
            if !is_first {
                self.take(",").then_some(())?;
                if self.take(end) {
                    break;
                }
                self.json.push(',');
            }
            is_first = false;
            if keyed {
                self.rest = self.rest.trim_start();
                self.string()?;
                self.take(":").then_some(())?;
                self.json.push(':');
            }
            self.value(depth + 1)?;
        }
        self.json.push(close);
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let quote = self
            .rest
            .chars()
            .next()
            .filter(|c| matches!(c, '\'' | '"'))?;
        let mut chars = self.rest.get(1..)?.chars();
        let mut text = String::new();
        loop {
            match chars.next()? {
                c if c == quote => break,
                '\\' => text.push(escaped(&mut chars)?),
                c => text.push(c),
            }
        }
        self.rest = chars.as_str();
        write_string(&text, &mut self.json);
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        if number.is_empty() {
            return None;
        }
        self.json.push_str(number);
        self.rest = rest;
        Some(())
    }
}

fn escaped(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let digits = match chars.next()? {
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        c @ ('\\' | '\'' | '"') => return Some(c),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let mut code = 0_u32;
    for _ in 0..digits {
        code = code.checked_mul(16)? + chars.next()?.to_digit(16)?;
    }
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let raw = dictionary(text)?;
        Some(String::from_utf8_lossy(raw.bytes()).into_owned())
    }

    #[test]
    fn a_printed_dictionary_is_an_object() {
        let all = r#"{'a': 1, "it's": [True, None, (1.5,)], 'c': {'d': -2e+16}}"#;
        let json = r#"{"a":1,"it's":[true,null,[1.5]],"c":{"d":-2e+16}}"#;
        assert_eq!(read(all).as_deref(), Some(json));
        let escapes = r"{'a': 'x\'y\n\\\x41\u00e9\U0001f600'}";
        assert_eq!(read(escapes).as_deref(), Some(r#"{"a":"x'y\n\\Aé😀"}"#));
        assert_eq!(read(" {} ").as_deref(), Some("{}"));
    }

    #[test]
    fn anything_else_is_not() {
        for other in [
            "",
            "x",
            "[1]",
            "{'a'}",
            "{'a': }",
            "{'a': 1",
            "{'a': 1} x",
            "{'a': <Path>}",
            "{1: 2}",
            "{'a': 01}",
            "{'a': 'b}",
            r"{'a': '\ud83d'}",
            r"{'a': '\q'}",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
        let deep = format!("{{'a': {}{}}}", "[".repeat(300), "]".repeat(300));
        assert_eq!(read(&deep), None);
    }
}
