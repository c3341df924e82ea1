//! The leaves of a value, straight from the text that it is written with.

use super::scan::{Scanner, Taken};
use super::text::unescape;
use super::{JsonError, Raw};

/// The strings, numbers and booleans of the value that `text` is, in document order, joined by single
/// spaces: what [`Json::leaves`](super::Json::leaves) says of it, without building a tree.
///
/// # Errors
/// The first place where the text is not one JSON value.
pub fn leaves(text: &str) -> Result<String, JsonError> {
    let mut leaves = Leaves {
        text,
        out: String::with_capacity(text.len()),
        any: false,
    };
    let mut scanner = Scanner::new(text.as_bytes());
    leaves.value(&mut scanner, 1).map_err(|e| *e)?;
    scanner.end()?;
    Ok(leaves.out)
}

struct Leaves<'a> {
    text: &'a str,
    out: String,
    /// Whether there was one already.
    any: bool,
}

impl<'a> Leaves<'a> {
    fn value(&mut self, scanner: &mut Scanner<'a>, depth: usize) -> Taken {
        scanner.space();
        match scanner.peek() {
            Some(b'"') => {
                let quoted = scanner.quoted()?;
                self.string(quoted);
            }
            Some(b'{') => scanner.object(depth, |s, _, d| self.value(s, d))?,
            Some(b'[') => scanner.elements(depth, |s, d| self.value(s, d))?,
            first => {
                let start = scanner.offset();
                scanner.scalar()?;
                if first != Some(b'n') {
                    self.part();
                    let written = self.text.get(start..scanner.offset());
                    self.out.push_str(written.unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    fn string(&mut self, quoted: Raw<'a>) {
        self.part();
        let inner = quoted.offset + 1..quoted.offset + quoted.bytes.len() - 1;
        let inner = self.text.get(inner).unwrap_or_default();
        if quoted.seen.surplus == 0 {
            self.out.push_str(inner);
        } else {
            unescape(inner, &mut self.out);
        }
    }

    /// Parts a leaf from the one before.
    fn part(&mut self) {
        if std::mem::replace(&mut self.any, true) {
            self.out.push(' ');
        }
    }
}
