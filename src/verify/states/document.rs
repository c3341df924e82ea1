//! A JSON document whose values know where they stand, so that what is wrong with one can be told
//! with its line and column.

use crate::trace::fault::{FaultCode, Notice, NoticeKind, Place, WarningCode};
use crate::trace::json::{self, Damage, JsonError, JsonErrorKind, Scanner, Text};
use crate::trace::money::{MoneyError, Nano};
use crate::trace::numbers::{self, NumberError};
use std::borrow::Cow;

/// What makes a file unusable. Boxed because it is large and rare.
pub type Fault = Box<Notice>;

/// A value of the document.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    /// Its bytes, checked to be JSON.
    pub bytes: &'t [u8],
    /// Offset of the first byte in the document.
    pub at: usize,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member<'t> {
    /// Its key.
    pub key: Text<'t>,
    /// Offset of the key in the document.
    pub at: usize,
    /// Its value.
    pub value: Node<'t>,
}

/// The text of a file, with what was told of it.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t [u8],
    /// Offsets at which lines begin, the first excepted.
    lines: Vec<usize>,
    input: usize,
    /// Warnings, in order of appearance.
    pub notices: Vec<Notice>,
}

/// The elements of an array. The bytes have been checked when their document was cut into values, so
/// they can only come to their end.
pub struct Elements<'t> {
    scanner: Scanner<'t>,
    base: usize,
}

impl<'t> Iterator for Elements<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        self.scanner.space();
        self.scanner.take(b',');
        self.scanner.space();
        if self.scanner.peek() == Some(b']') {
            return None;
        }
        let raw = self.scanner.value(1).ok()?;
        Some(Node {
            bytes: raw.bytes,
            at: self.base + raw.offset,
        })
    }
}

impl<'t> Document<'t> {
    /// Takes the text of the input of that index.
    ///
    /// # Errors
    /// The text is not UTF-8.
    pub fn new(text: &'t [u8], input: usize) -> Result<Self, Fault> {
        let ends = memchr::memchr_iter(b'\n', text);
        let document = Document {
            text,
            lines: ends.map(|end| end + 1).collect(),
            input,
            notices: Vec::new(),
        };
        match std::str::from_utf8(text) {
            Ok(_) => Ok(document),
            Err(e) => Err(document.fault(
                e.valid_up_to(),
                FaultCode::InvalidUtf8,
                "bytes that are not UTF-8".into(),
            )),
        }
    }

    /// Line and column of an offset.
    pub fn place(&self, at: usize) -> Place {
        let line = self.lines.partition_point(|&start| start <= at);
        let start = line.checked_sub(1).map_or(0, |before| self.lines[before]);
        Place {
            input: self.input,
            line: line as u64 + 1,
            column: (at - start) as u64 + 1,
        }
    }

    /// A fault at an offset.
    pub fn fault(&self, at: usize, code: FaultCode, message: String) -> Fault {
        Box::new(self.notice(at, NoticeKind::Fault(code), message, None))
    }

    /// A `bad_field` fault at an offset, with a line of help.
    pub fn bad(&self, at: usize, message: String, help: Option<String>) -> Fault {
        Box::new(self.notice(at, NoticeKind::Fault(FaultCode::BadField), message, help))
    }

    /// Notes a warning at an offset.
    pub fn warn(&mut self, at: usize, code: WarningCode, message: String) {
        let notice = self.notice(at, NoticeKind::Warning(code), message, None);
        self.notices.push(notice);
    }

    /// Tells a warning at a place that is known already.
    pub fn warn_at(&mut self, place: Place, code: WarningCode, message: String) {
        self.notices.push(Notice {
            kind: NoticeKind::Warning(code),
            place,
            run: None,
            message,
            help: None,
        });
    }

    fn notice(&self, at: usize, kind: NoticeKind, message: String, help: Option<String>) -> Notice {
        Notice {
            kind,
            place: self.place(at),
            run: None,
            message,
            help,
        }
    }

    /// The values of the document, one after the other.
    ///
    /// # Errors
    /// The first byte that is not JSON.
    pub fn values(&mut self) -> Result<Vec<Node<'t>>, Fault> {
        let mut scanner = Scanner::new(self.text);
        let (mut values, mut base) = (Vec::new(), 0);
        loop {
            scanner.space();
            if scanner.peek().is_none() {
                return Ok(values);
            }
            let start = base + scanner.offset();
            match scanner.value(1) {
                Ok(raw) => values.push(Node {
                    bytes: raw.bytes,
                    at: base + raw.offset,
                }),
                Err(e) => {
                    let fault = self.json_fault(base, &e);
                    base = self.next_record(start).ok_or_else(|| fault.clone())?;
                    self.notices.push(*fault);
                    scanner = Scanner::new(&self.text[base..]);
                }
            }
        }
    }

    /// Where the line after the one at `at` begins, if it is a record by itself: then what is wrong
    /// with the line before does not reach it.
    fn next_record(&self, at: usize) -> Option<usize> {
        let begins = at + memchr::memchr(b'\n', &self.text[at..])? + 1;
        let rest = &self.text[begins..];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        let whole = crate::trace::json::scan_object(line, |_| ()) == Ok(true);
        whole.then_some(begins)
    }

    fn json_fault(&self, base: usize, error: &JsonError) -> Fault {
        let code = match error.kind {
            JsonErrorKind::Malformed => FaultCode::MalformedJson,
            JsonErrorKind::Truncated => FaultCode::TruncatedInput,
            JsonErrorKind::TooDeep => FaultCode::TooDeep,
        };
        self.fault(base + error.offset, code, error.message.into())
    }

    /// The elements of an array, one by one.
    ///
    /// # Errors
    /// The value is no array.
    pub fn elements(&self, node: Node<'t>, what: &str) -> Result<Elements<'t>, Fault> {
        let mut scanner = Scanner::new(node.bytes);
        if !scanner.take(b'[') {
            return Err(self.wrong(node, what, "an array"));
        }
        Ok(Elements {
            scanner,
            base: node.at,
        })
    }

    /// The members of an object.
    ///
    /// # Errors
    /// The value is no object.
    pub fn members(&self, node: Node<'t>, what: &str) -> Result<Vec<Member<'t>>, Fault> {
        let mut members = Vec::new();
        let object = json::scan_object(node.bytes, |m| {
            members.push(Member {
                key: json::decode(m.key.bytes),
                at: node.at + m.key.offset,
                value: Node {
                    bytes: m.value.bytes,
                    at: node.at + m.value.offset,
                },
            });
        });
        match object {
            Ok(true) => Ok(members),
            Ok(false) => Err(self.wrong(node, what, "an object")),
            Err(e) => Err(self.json_fault(node.at, &e)),
        }
    }

    /// A fault for a value of the wrong kind.
    pub fn wrong(&self, node: Node<'_>, what: &str, due: &str) -> Fault {
        let message = format!("{what} must be {due}, not {}", node.kind());
        self.bad(node.at, message, None)
    }

    /// A text that names something, so that it has to be read exactly.
    ///
    /// # Errors
    /// The value is no string, or holds an escaped surrogate without its partner.
    pub fn text(&self, node: Node<'t>, what: &str) -> Result<Cow<'t, str>, Fault> {
        if node.bytes.first() != Some(&b'"') {
            return Err(self.wrong(node, what, "a string"));
        }
        let text = json::decode(node.bytes);
        if text.damage != Damage::None {
            let message = format!("{what} holds an escaped surrogate without its partner");
            return Err(self.fault(node.at, FaultCode::InvalidUtf8, message));
        }
        Ok(text.text)
    }

    /// An array of texts.
    ///
    /// # Errors
    /// The value is something else.
    pub fn texts(&self, node: Node<'t>, what: &str) -> Result<Vec<Cow<'t, str>>, Fault> {
        let one = format!("each of {what}");
        self.elements(node, what)?
            .map(|n| self.text(n, &one))
            .collect()
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// The value is something else.
    pub fn flag(&self, node: Node<'t>, what: &str) -> Result<bool, Fault> {
        match node.bytes {
            b"true" => Ok(true),
            b"false" => Ok(false),
            _ => Err(self.wrong(node, what, "true or false")),
        }
    }

    /// A finite number.
    ///
    /// # Errors
    /// The value is no number, or too large for a float.
    pub fn number(&self, node: Node<'t>, what: &str) -> Result<f64, Fault> {
        let digits = self.digits(node, what, "a number")?;
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number + 0.0),
            _ => Err(self.bad(node.at, format!("{what}: `{digits}` is out of range"), None)),
        }
    }

    /// An array of finite numbers.
    ///
    /// # Errors
    /// The value is something else.
    pub fn numbers(&self, node: Node<'t>, what: &str) -> Result<Vec<f64>, Fault> {
        let one = format!("each of {what}");
        self.elements(node, what)?
            .map(|n| self.number(n, &one))
            .collect()
    }

    /// A whole number from 0, written in any way, as in a trace: 3, 3.0 or 3e0.
    ///
    /// # Errors
    /// The value is something else or beyond 64 bits.
    pub fn count(&self, node: Node<'t>, what: &str) -> Result<u64, Fault> {
        let due = "a whole number, not negative";
        let digits = self.digits(node, what, due)?;
        numbers::whole(digits).map_err(|why| {
            let message = match why {
                NumberError::TooLarge => format!("{what}: `{digits}` is beyond 64 bits"),
                _ => format!("{what} must be {due}: `{digits}`"),
            };
            self.bad(node.at, message, None)
        })
    }

    /// An amount of dollars, not negative. One that has to be rounded is warned of.
    ///
    /// # Errors
    /// The value is something else or out of range.
    pub fn money(&mut self, node: Node<'t>, what: &str) -> Result<Nano, Fault> {
        let digits = self.digits(node, what, "a number")?;
        let problem = match Nano::parse(digits) {
            Ok((amount, _)) if amount < Nano::ZERO => "is negative",
            Ok((amount, lost)) => {
                if lost {
                    let message = format!("{what}: `{digits}` is rounded to {amount}");
                    self.warn(node.at, WarningCode::RoundedCost, message);
                }
                return Ok(amount);
            }
            Err(MoneyError::OutOfRange) => "is out of range",
            Err(MoneyError::NotANumber) => "is no amount of money",
        };
        Err(self.bad(node.at, format!("{what}: `{digits}` {problem}"), None))
    }

    fn digits(&self, node: Node<'t>, what: &str, due: &str) -> Result<&'t str, Fault> {
        std::str::from_utf8(node.bytes)
            .ok()
            .filter(|text| text.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
            .ok_or_else(|| self.wrong(node, what, due))
    }
}

impl Node<'_> {
    /// Whether the value is `null`, which means absent.
    pub fn is_null(&self) -> bool {
        self.bytes == b"null"
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.bytes.first() == Some(&b'{')
    }

    /// Whether the value is an array.
    pub fn is_array(&self) -> bool {
        self.bytes.first() == Some(&b'[')
    }

    /// Whether the value is a string.
    pub fn is_string(&self) -> bool {
        self.bytes.first() == Some(&b'"')
    }

    /// Its kind with an article.
    pub fn kind(&self) -> &'static str {
        match self.bytes.first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "true or false",
            Some(b'n') => "null",
            _ => "a number",
        }
    }
}
