//! How an input is cut into records: by lines, or as one document that holds several values.

use super::Record;
use super::drive::Cut;
use crate::trace::fault::Place;
use crate::trace::json::{Json, JsonError, JsonErrorKind, Raw, Scanner, parse_tolerant};
use crate::trace::lines::{BOM, Content, Lines};
use std::io::Read;

/// Records that are shown to the formats for detection.
pub const SAMPLE_RECORDS: usize = 64;

/// Bytes that the sample may span, unless its first record alone is longer.
pub const SAMPLE_BYTES: usize = 1 << 20;

/// The beginning of an input, held while it is decided what it is.
#[derive(Default)]
pub struct Head {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the input ends after them.
    pub ended: bool,
}

impl Head {
    /// Reads until the head holds `size` bytes or the input ends.
    pub fn fill(&mut self, size: usize, source: &mut impl Read) {
        let missing = size.saturating_sub(self.bytes.len());
        let got = source
            .by_ref()
            .take(missing as u64)
            .read_to_end(&mut self.bytes);
        self.ended |= got.is_ok_and(|n| n < missing);
    }

    /// Reads all of a document, but no more than `max` bytes of it.
    pub fn hold(&mut self, max: usize, source: &mut impl Read) {
        self.fill(max.saturating_add(1), source);
        if self.bytes.len() > max {
            self.bytes.truncate(max);
            self.ended = false;
        }
    }

    /// Reads enough for a sample.
    pub fn fill_sample(&mut self, source: &mut impl Read) {
        const STEP: usize = 32 * 1024;
        while !self.ended && self.bytes.len() < SAMPLE_BYTES && !self.holds_sample() {
            self.fill(SAMPLE_BYTES.min(self.bytes.len() + STEP), source);
        }
    }

    fn holds_sample(&self) -> bool {
        let lines = self.bytes.split(|&b| b == b'\n');
        // The last piece is not a whole line yet.
        lines.filter(|l| !l.trim_ascii().is_empty()).count() > SAMPLE_RECORDS
    }

    /// Decides how the input is cut, reading on as far as that needs, at most past `max` bytes.
    pub fn plan(&mut self, max: usize, source: &mut impl Read) -> Cut {
        loop {
            let over = self.bytes.len() > max;
            match decide(&self.bytes, self.ended || over) {
                // A value that is too long to be held may as well be a torn line.
                Some(Cut::Document) if over && first_value(&self.bytes).is_err() => {
                    return Cut::Lines;
                }
                Some(cut) => return cut,
                None => {
                    let more = self.bytes.len().saturating_mul(2).max(4096);
                    self.fill(more.min(max.saturating_add(1)), source);
                }
            }
        }
    }
}

/// How an input that begins with `head` is cut; `None` if more of it has to be seen. `ended` says
/// that there is no more.
fn decide(head: &[u8], ended: bool) -> Option<Cut> {
    let text = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    let Some(b'[' | b'{') = text.first() else {
        return if text.is_empty() && !ended {
            None
        } else {
            Some(Cut::Lines)
        };
    };
    let (line, rest) = match memchr::memchr(b'\n', text) {
        Some(n) => (&text[..n], text[n..].trim_ascii()),
        None if ended => (text, &b""[..]),
        None => return None,
    };
    let array = text[0] == b'[';
    match parse_span(line) {
        Ok(()) if !array => Some(Cut::Lines),
        Ok(()) if !rest.is_empty() => Some(Cut::Lines),
        Ok(()) => ended.then_some(Cut::Document),
        Err(e) if e.kind != JsonErrorKind::Truncated => Some(Cut::Lines),
        Err(_) if rest.is_empty() && !ended => None,
        Err(_) if rest.is_empty() && !array => Some(Cut::Lines),
        Err(_) => continued(text, ended),
    }
}

/// How a text is cut whose first line is not a whole value.
fn continued(text: &[u8], ended: bool) -> Option<Cut> {
    match first_value(text) {
        Ok(None) => Some(Cut::Document),
        Ok(Some(first)) if text[0] == b'{' || first.starts_with(b"{") => Some(Cut::Document),
        // A torn line that begins like an array is told from an array by its end.
        Ok(Some(_)) if !ended => None,
        Ok(Some(_)) if parse_span(text).is_ok() => Some(Cut::Document),
        Ok(Some(_)) => Some(Cut::Lines),
        Err(e) if e.kind != JsonErrorKind::Truncated => Some(Cut::Lines),
        Err(_) if !ended => None,
        // Torn: the document, unless it is its first line that is torn and others are records.
        Err(_) if text.split(|&b| b == b'\n').any(is_object) => Some(Cut::Lines),
        Err(_) => Some(Cut::Document),
    }
}

fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{") && parse_span(line).is_ok()
}

fn parse_span(text: &[u8]) -> Result<(), JsonError> {
    let mut scanner = Scanner::tolerant(text);
    scanner.value(1)?;
    scanner.end()
}

fn first_value(text: &[u8]) -> Result<Option<&[u8]>, JsonError> {
    let first = Document::new(text).next().transpose()?;
    Ok(first.map(|raw| raw.bytes))
}

/// The values of a document: the elements of a top-level array, or top-level values that stand one
/// after the other.
pub struct Document<'a> {
    scanner: Scanner<'a>,
    array: bool,
    /// Whether nothing more is to come.
    over: bool,
    begun: bool,
}

impl<'a> Document<'a> {
    /// The values of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        let mut scanner = Scanner::tolerant(text);
        for &byte in BOM {
            scanner.take(byte);
        }
        scanner.space();
        let array = scanner.take(b'[');
        Document {
            scanner,
            array,
            over: false,
            begun: false,
        }
    }

    fn step(&mut self) -> Result<Option<Raw<'a>>, JsonError> {
        self.scanner.space();
        if !self.array {
            return match self.scanner.peek() {
                None => Ok(None),
                Some(_) => self.scanner.value(1).map(Some),
            };
        }
        if self.begun {
            if self.scanner.take(b']') {
                return self.scanner.end().map(|()| None);
            }
            if !self.scanner.take(b',') {
                return Err(self.unexpected());
            }
        } else if self.scanner.take(b']') {
            return self.scanner.end().map(|()| None);
        }
        self.begun = true;
        self.scanner.value(2).map(Some)
    }

    fn unexpected(&self) -> JsonError {
        let (kind, message) = match self.scanner.peek() {
            None => (
                JsonErrorKind::Truncated,
                "the text ends in the middle of a value",
            ),
            Some(_) => (JsonErrorKind::Malformed, "expected `,` or `]`"),
        };
        JsonError {
            kind,
            offset: self.scanner.offset(),
            message,
        }
    }
}

impl<'a> Iterator for Document<'a> {
    type Item = Result<Raw<'a>, JsonError>;

    /// The next value; an error is the last item.
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let item = self.step().transpose();
        self.over = !matches!(item, Some(Ok(_)));
        item
    }
}

/// The whole document as one record, to find places in it.
pub fn whole(input: usize, text: &[u8]) -> Record<'_> {
    Record {
        place: Place {
            input,
            line: 1,
            column: 1,
        },
        text,
        last: true,
    }
}

/// The first records of an input, those that can be parsed.
pub fn sample(head: &Head, cut: Cut) -> Vec<Json<'_>> {
    match cut {
        Cut::Document => Document::new(&head.bytes)
            .map_while(Result::ok)
            .take(SAMPLE_RECORDS)
            .enumerate()
            .take_while(|(i, raw)| *i == 0 || raw.offset + raw.bytes.len() <= SAMPLE_BYTES)
            .filter_map(|(_, raw)| parse_tolerant(raw.bytes).ok().map(|(json, _)| json))
            .collect(),
        Cut::Lines => spans(head)
            .into_iter()
            .filter_map(|(start, end)| {
                parse_tolerant(&head.bytes[start..end])
                    .ok()
                    .map(|(json, _)| json)
            })
            .collect(),
    }
}

/// Where the lines of the sample stand in the head.
fn spans(head: &Head) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    for line in Lines::of(&head.bytes) {
        let Content::Text(text) = line.content else {
            continue;
        };
        let start = line.offset as usize + line.stripped;
        let end = start + text.len();
        let whole = line.terminated || head.ended;
        if spans.len() == SAMPLE_RECORDS || !whole || (!spans.is_empty() && end > SAMPLE_BYTES) {
            break;
        }
        spans.push((start, end));
    }
    spans
}
