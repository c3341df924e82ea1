//! A stream of bytes read in pieces of whole lines, in memory bounded by the line limit.

use std::io::{self, Read};

/// How much a piece holds, in bytes, unless a line of it is longer: small enough that what is read from
/// it is still near the processor when it is used.
pub const SIZE: usize = 32 * 1024;

/// The same of a piece that another thread takes the next one after: what they share travels from one
/// processor to the other with each.
pub const SHARED_SIZE: usize = 256 * 1024;

/// What the place that is read into is a multiple of: some processors copy several times slower to
/// the first bytes of a page, which is where large buffers begin.
const ALIGNED: usize = 4096;

/// A piece of a stream. Its memory is used again for the next.
#[derive(Debug, Default)]
pub struct Chunk {
    bytes: Vec<u8>,
    /// What is used of them.
    start: usize,
    end: usize,
    skipped: Option<Skipped>,
}

/// A line that was skipped.
#[derive(Clone, Copy, Debug)]
struct Skipped {
    length: u64,
    terminated: bool,
}

/// What a piece is made of.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// Lines, of which all but the last of a stream have their ends.
    Whole(&'a [u8]),
    /// One line that was too long to be held.
    Skipped {
        /// Its bytes, its end left out.
        length: u64,
        /// Whether it has an end.
        terminated: bool,
    },
}

impl Default for Part<'_> {
    fn default() -> Self {
        Part::Whole(&[])
    }
}

impl Chunk {
    /// Whether a line in it is longer than pieces are.
    pub fn is_large(&self) -> bool {
        self.bytes.len() > 4 * SHARED_SIZE
    }

    /// What it is made of.
    pub fn part(&self) -> Part<'_> {
        match self.skipped {
            Some(Skipped { length, terminated }) => Part::Skipped { length, terminated },
            None => Part::Whole(self.bytes.get(self.start..self.end).unwrap_or_default()),
        }
    }
}

/// Cuts what a reader gives into pieces.
#[derive(Debug)]
pub struct Chunks<R> {
    reader: R,
    size: usize,
    max_line: usize,
    /// The beginning of a line that did not fit into the piece before.
    carried: Vec<u8>,
    ended: bool,
}

impl<R: Read> Chunks<R> {
    /// Cuts what `reader` gives into pieces of about `size` bytes. An error ends it like an end. A line
    /// longer than `max_line` bytes may be skipped.
    pub fn new(reader: R, size: usize, max_line: usize) -> Self {
        Chunks {
            reader,
            size,
            max_line,
            carried: Vec::new(),
            ended: false,
        }
    }

    /// Reads the next piece in place of what `chunk` held; false at the end of the stream.
    pub fn next(&mut self, chunk: &mut Chunk) -> bool {
        chunk.skipped = None;
        self.begin(chunk);
        // Where a line end is looked for.
        let mut searched = chunk.start;
        loop {
            let more = self.fill(chunk);
            let fresh = chunk.bytes.get(searched..chunk.end).unwrap_or_default();
            if let Some(at) = memchr::memrchr(b'\n', fresh) {
                let end = searched + at + 1;
                self.carried.extend_from_slice(&chunk.bytes[end..chunk.end]);
                chunk.end = end;
                return true;
            }
            if !more {
                return chunk.start < chunk.end;
            }
            if chunk.end - chunk.start > self.max_line {
                self.skip(chunk);
                return true;
            }
            searched = chunk.end;
            if chunk.end == chunk.bytes.len() {
                let room = chunk.bytes.len().saturating_mul(2);
                let most = self.max_line.saturating_add(chunk.start + self.size);
                chunk.bytes.resize(room.min(most), 0);
            }
        }
    }

    /// Puts what was carried over in front of where the rest is read to.
    fn begin(&mut self, chunk: &mut Chunk) {
        let carried = self.carried.len();
        let least = carried + ALIGNED + self.size;
        if chunk.bytes.len() < least || chunk.bytes.len() > 2 * least {
            chunk.bytes = vec![0; least];
        }
        let behind = chunk.bytes.get(carried..).unwrap_or_default();
        chunk.start = behind.as_ptr().align_offset(ALIGNED).min(ALIGNED);
        chunk.end = chunk.start + carried;
        chunk.bytes[chunk.start..chunk.end].copy_from_slice(&self.carried);
        self.carried.clear();
    }

    /// Reads behind what there is, what comes at once; false at the end of the stream.
    fn fill(&mut self, chunk: &mut Chunk) -> bool {
        if !self.ended {
            chunk.end += self.read(&mut chunk.bytes[chunk.end..]);
        }
        !self.ended
    }

    /// Reads some; nothing at the end of the stream.
    fn read(&mut self, into: &mut [u8]) -> usize {
        loop {
            match self.reader.read(into) {
                Ok(n) => {
                    self.ended = n == 0;
                    return n;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    self.ended = true;
                    return 0;
                }
            }
        }
    }

    /// Skips a line of which the piece holds the beginning.
    fn skip(&mut self, chunk: &mut Chunk) {
        let mut length = (chunk.end - chunk.start) as u64;
        let mut terminated = false;
        while !self.ended && !terminated {
            let got = self.read(&mut chunk.bytes);
            let read = chunk.bytes.get(..got).unwrap_or_default();
            let end = memchr::memchr(b'\n', read);
            terminated = end.is_some();
            length += end.unwrap_or(got) as u64;
            let behind = end.and_then(|end| read.get(end + 1..));
            self.carried.extend_from_slice(behind.unwrap_or_default());
        }
        chunk.skipped = Some(Skipped { length, terminated });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_stays_bounded_while_a_line_is_skipped() {
        let mut chunks = Chunks::new(io::repeat(b'x').take(8 << 20), SIZE, 1 << 20);
        let mut chunk = Chunk::default();
        assert!(chunks.next(&mut chunk));
        assert!(
            matches!(chunk.part(), Part::Skipped { length, terminated: false } if length == 8 << 20)
        );
        assert!(chunk.bytes.len() <= (1 << 20) + SIZE + ALIGNED);
        assert!(!chunks.next(&mut chunk));
    }

    /// Whoever writes slowly is read as the lines come.
    #[test]
    fn lines_that_have_come_are_not_held_back() {
        let mut rest = [&b"a\nb"[..], b"c", b"\nd"].into_iter();
        let (mut chunk, mut pieces) = (Chunk::default(), Vec::new());
        let mut chunks = Chunks::new(Pipe(rest.by_ref()), SIZE, 99);
        while chunks.next(&mut chunk) {
            if let Part::Whole(text) = chunk.part() {
                pieces.push(text.to_vec());
            }
        }
        assert_eq!(pieces, [&b"a\n"[..], b"bc\n", b"d"]);
    }

    /// Gives what comes, write by write.
    struct Pipe<I>(I);

    impl<I: Iterator<Item = &'static [u8]>> Read for Pipe<I> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let next = self.0.next().unwrap_or_default();
            into[..next.len()].copy_from_slice(next);
            Ok(next.len())
        }
    }

    #[test]
    fn an_error_ends_the_stream_after_what_came_before() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("disk gone"))
            }
        }
        let mut chunks = Chunks::new((&b"a\nb"[..]).chain(Broken), SIZE, 99);
        let mut chunk = Chunk::default();
        let mut pieces = Vec::new();
        while chunks.next(&mut chunk) {
            let Part::Whole(text) = chunk.part() else {
                panic!("nothing is skipped")
            };
            pieces.push(text.to_vec());
        }
        assert_eq!(pieces, [&b"a\n"[..], b"b"]);
    }
}
