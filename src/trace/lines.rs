//! A stream of bytes cut into lines, in memory bounded by the line limit.
//!
//! Numbers and columns are those of the bytes as they came: what is stripped from a line still
//! counts in its columns, and a line that is too long to hold still counts as a line.

use std::io::{self, Read};

/// How much is asked of the reader at a time, in bytes.
const CHUNK: usize = 256 * 1024;

/// The UTF-8 byte order mark.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// A line of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Number of the line, from 1.
    pub number: u64,
    /// Offset of its first byte in the stream, byte order mark included.
    pub offset: u64,
    /// Bytes stripped from its beginning: byte order marks.
    pub stripped: usize,
    /// Byte order marks that have no business where they stand: all but one at the very start.
    pub stray_boms: usize,
    /// Whether a line end follows; without one this is the last line.
    pub terminated: bool,
    /// What it holds.
    pub content: Content<'a>,
}

/// What a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Nothing but white space.
    Blank,
    /// Its bytes, without byte order mark, carriage return and line end.
    Text(&'a [u8]),
    /// More bytes than the limit; they were skipped. Holds the length in bytes.
    TooLong(u64),
}

/// Cuts what a reader gives into lines.
pub struct Lines<R> {
    reader: R,
    max_line: usize,
    buf: Vec<u8>,
    /// The bytes read and not yet given out are `buf[start..end]`, searched up to `searched`.
    start: usize,
    end: usize,
    searched: usize,
    /// Offset of `buf[start]` in the stream.
    offset: u64,
    number: u64,
    ended: bool,
    error: Option<io::Error>,
}

impl<R: Read> Lines<R> {
    /// Cuts what `reader` gives. A line longer than `max_line` bytes is skipped and told as
    /// [`Content::TooLong`].
    pub fn new(reader: R, max_line: usize) -> Self {
        Lines {
            reader,
            max_line,
            buf: vec![0; CHUNK],
            start: 0,
            end: 0,
            searched: 0,
            offset: 0,
            number: 0,
            ended: false,
            error: None,
        }
    }

    /// The error that ended the stream early. What was read before it has been given out.
    pub fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// The next line, `None` at the end of the stream.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        let mut dropped = 0u64;
        let (stop, terminated) = loop {
            match memchr::memchr(b'\n', &self.buf[self.searched..self.end]) {
                Some(n) => break (self.searched + n, true),
                None => self.searched = self.end,
            }
            if self.end - self.start > self.max_line {
                dropped += (self.end - self.start) as u64;
                (self.start, self.end, self.searched) = (0, 0, 0);
            }
            if !self.fill() {
                if self.start == self.end && dropped == 0 {
                    return None;
                }
                break (self.end, false);
            }
        };
        Some(self.line(stop, terminated, dropped))
    }

    /// Gives out `buf[start..stop]`, of which `dropped` bytes more came before.
    fn line(&mut self, stop: usize, terminated: bool, dropped: u64) -> Line<'_> {
        let length = dropped + (stop - self.start) as u64;
        let (start, offset) = (self.start, self.offset);
        self.start = stop + usize::from(terminated);
        self.searched = self.start;
        self.offset += length + u64::from(terminated);
        self.number += 1;
        let mut line = Line {
            number: self.number,
            offset,
            stripped: 0,
            stray_boms: 0,
            terminated,
            content: Content::TooLong(length),
        };
        if length > self.max_line as u64 {
            return line;
        }
        let mut text = &self.buf[start..stop];
        text = text.strip_suffix(b"\r").unwrap_or(text);
        while let Some(rest) = text.strip_prefix(BOM) {
            line.stray_boms += usize::from(offset > 0 || line.stripped > 0);
            line.stripped += BOM.len();
            text = rest;
        }
        line.content = if text.iter().all(u8::is_ascii_whitespace) {
            Content::Blank
        } else {
            Content::Text(text)
        };
        line
    }

    /// Reads more behind `end`; false at the end of the stream.
    fn fill(&mut self) -> bool {
        if self.ended {
            return false;
        }
        if self.end == self.buf.len() {
            if self.start > 0 {
                self.buf.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.searched -= self.start;
                self.start = 0;
            } else {
                let room = self.buf.len().saturating_mul(2);
                let most = self.max_line.saturating_add(CHUNK);
                self.buf.resize(room.min(most), 0);
            }
        }
        loop {
            match self.reader.read(&mut self.buf[self.end..]) {
                Ok(0) => break,
                Ok(n) => {
                    self.end += n;
                    return true;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.error = Some(e);
                    break;
                }
            }
        }
        self.ended = true;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, so that every line is met cut.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(1).min(buf.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn cut(bytes: &[u8], max: usize) -> Vec<String> {
        let mut lines = Lines::new(Drip(bytes), max);
        let mut out = Vec::new();
        while let Some(line) = lines.next_line() {
            let content = match line.content {
                Content::Blank => "-".to_owned(),
                Content::Text(t) => String::from_utf8_lossy(t).into_owned(),
                Content::TooLong(n) => format!("<{n}>"),
            };
            out.push(format!("{}@{} {content}", line.number, line.offset));
        }
        out
    }

    #[test]
    fn lines_keep_their_numbers_and_offsets() {
        assert_eq!(
            cut(b"a\r\n\n \t\nbb", 9),
            ["1@0 a", "2@3 -", "3@4 -", "4@7 bb"]
        );
        assert_eq!(cut(b"a\n", 9), ["1@0 a"]);
        assert!(cut(b"", 9).is_empty());
    }

    #[test]
    fn a_long_line_is_skipped_and_counted() {
        assert_eq!(
            cut(b"abcd\nabc\nabcdefgh\nx", 3),
            ["1@0 <4>", "2@5 abc", "3@9 <8>", "4@18 x"]
        );
        assert_eq!(cut(b"abcdef", 3), ["1@0 <6>"]);
    }

    #[test]
    fn memory_stays_bounded_while_a_line_is_skipped() {
        let mut lines = Lines::new(io::repeat(b'x').take(8 << 20), 1 << 20);
        let line = lines.next_line().expect("one line");
        assert_eq!(line.content, Content::TooLong(8 << 20));
        assert!(lines.buf.len() <= (1 << 20) + CHUNK);
    }

    #[test]
    fn byte_order_marks_are_stripped_and_strays_told() {
        let mut lines = Lines::new(&b"\xef\xbb\xbfa\n\xef\xbb\xbfb"[..], 99);
        let first = lines.next_line().expect("first");
        assert_eq!((first.stripped, first.stray_boms), (3, 0));
        let second = lines.next_line().expect("second");
        assert_eq!((second.stripped, second.stray_boms), (3, 1));
        assert_eq!(second.content, Content::Text(b"b"));
    }

    #[test]
    fn an_error_ends_the_stream_after_its_prefix() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("disk gone"))
            }
        }
        let mut lines = Lines::new((&b"a\nb"[..]).chain(Broken), 99);
        assert!(lines.next_line().is_some_and(|l| l.terminated));
        assert!(lines.next_line().is_some_and(|l| !l.terminated));
        assert!(lines.next_line().is_none());
        assert!(lines.error().is_some());
    }
}
