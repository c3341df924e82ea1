//! Lines of a stream, cut from the pieces that it is read in.
//!
//! Numbers and columns are those of the bytes as they came: what is stripped from a line still
//! counts in its columns, and a line that is too long to hold still counts as a line.

use super::chunks::{Chunk, Part};

/// The UTF-8 byte order mark.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// A line of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Number of the line, from 1; within the piece until it is [`moved`](Line::moved).
    pub number: u64,
    /// Offset of its first byte, byte order mark included, from where `number` is counted from.
    pub offset: u64,
    /// Bytes stripped from its beginning: byte order marks.
    pub stripped: usize,
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

/// How far into the stream something stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Lines before it.
    pub lines: u64,
    /// Bytes before it.
    pub bytes: u64,
}

impl Line<'_> {
    /// The same line, counted from the start of the stream, of which that much came before.
    pub fn moved(self, before: Reached) -> Self {
        Line {
            number: self.number + before.lines,
            offset: self.offset + before.bytes,
            ..self
        }
    }

    /// Byte order marks that have no business where they stand: all but one at the very start of the
    /// stream.
    pub fn stray_boms(&self) -> usize {
        (self.stripped / BOM.len()).saturating_sub(usize::from(self.offset == 0))
    }
}

/// Cuts a piece into lines, which are counted from its start.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: Part<'a>,
    max_line: usize,
    reached: Reached,
}

impl<'a> Lines<'a> {
    /// Cuts a piece. A line longer than `max_line` bytes is told as [`Content::TooLong`].
    pub fn new(chunk: &'a Chunk, max_line: usize) -> Self {
        Lines {
            rest: chunk.part(),
            max_line,
            reached: Reached::default(),
        }
    }

    /// Cuts text.
    pub fn of(text: &'a [u8]) -> Self {
        Lines {
            rest: Part::Whole(text),
            max_line: usize::MAX,
            reached: Reached::default(),
        }
    }

    /// How far the lines given out so far go.
    pub fn reached(&self) -> Reached {
        self.reached
    }

    /// How many lines are left, should they be like those given out so far, and half as many again, as
    /// they differ.
    pub fn expected(&self) -> usize {
        let Part::Whole(rest) = self.rest else {
            return 0;
        };
        let given = self.reached.bytes / self.reached.lines.max(1);
        let left = rest.len() as u64 / given.max(1);
        usize::try_from(left + left / 2).unwrap_or(usize::MAX)
    }

    /// Gives out a line of that many bytes.
    fn line(&mut self, length: u64, terminated: bool, text: Option<&'a [u8]>) -> Line<'a> {
        let mut line = Line {
            number: self.reached.lines + 1,
            offset: self.reached.bytes,
            stripped: 0,
            terminated,
            content: Content::TooLong(length),
        };
        self.reached.lines += 1;
        self.reached.bytes += length + u64::from(terminated);
        let Some(text) = text.filter(|text| text.len() <= self.max_line) else {
            return line;
        };
        let mut text = text.strip_suffix(b"\r").unwrap_or(text);
        while let Some(rest) = text.strip_prefix(BOM) {
            line.stripped += BOM.len();
            text = rest;
        }
        line.content = match text.iter().all(u8::is_ascii_whitespace) {
            true => Content::Blank,
            false => Content::Text(text),
        };
        line
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        match std::mem::take(&mut self.rest) {
            Part::Whole([]) => None,
            Part::Whole(text) => {
                let end = memchr::memchr(b'\n', text);
                let (line, rest) = text.split_at(end.unwrap_or(text.len()));
                self.rest = Part::Whole(rest.get(1..).unwrap_or_default());
                Some(self.line(line.len() as u64, end.is_some(), Some(line)))
            }
            Part::Skipped { length, terminated } => Some(self.line(length, terminated, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunks::{Chunks, SIZE};
    use super::*;
    use std::io::{self, Read};

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
        let mut chunks = Chunks::new(Drip(bytes), SIZE, max);
        let (mut chunk, mut reached, mut out) = (Chunk::default(), Reached::default(), Vec::new());
        while chunks.next(&mut chunk) {
            let mut lines = Lines::new(&chunk, max);
            for line in lines.by_ref() {
                let content = match line.content {
                    Content::Blank => "-".to_owned(),
                    Content::Text(t) => String::from_utf8_lossy(t).into_owned(),
                    Content::TooLong(n) => format!("<{n}>"),
                };
                let line = line.moved(reached);
                out.push(format!("{}@{} {content}", line.number, line.offset));
            }
            let Reached { lines, bytes } = lines.reached();
            reached.lines += lines;
            reached.bytes += bytes;
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

    /// However long lines are against the pieces, they are what they are cut from the whole.
    #[test]
    fn lines_do_not_depend_on_pieces() {
        let mut text = Vec::new();
        for n in 0..40_u32 {
            text.extend(std::iter::repeat_n(b'a', (n * n * 977 % 90_001) as usize));
            text.extend_from_slice(if n % 3 == 0 { b"\r\n" } else { b"\n" });
        }
        text.extend_from_slice(b"no end");
        for max in [100, 10_000, 80_000, 1 << 20] {
            let mut lines = text.split(|b| *b == b'\n');
            let mut at = 0;
            let expected = lines.by_ref().enumerate().map(|(n, line)| {
                let bare = line.strip_suffix(b"\r").unwrap_or(line);
                let content = match (line.len() > max, bare.is_empty()) {
                    (true, _) => format!("<{}>", line.len()),
                    (_, true) => "-".to_owned(),
                    _ => String::from_utf8_lossy(bare).into_owned(),
                };
                let shown = format!("{}@{at} {content}", n + 1);
                at += line.len() + 1;
                shown
            });
            assert!(cut(&text, max).into_iter().eq(expected), "{max}");
        }
    }

    #[test]
    fn byte_order_marks_are_stripped_and_strays_told() {
        let mut lines = Lines::of(b"\xef\xbb\xbfa\n\xef\xbb\xbfb");
        let first = lines.next().expect("first");
        assert_eq!((first.stripped, first.stray_boms()), (3, 0));
        let second = lines.next().expect("second");
        assert_eq!((second.stripped, second.stray_boms()), (3, 1));
        assert_eq!(second.content, Content::Text(b"b"));
    }
}
