//! An opened input: its raw bytes counted and hashed as they stream, unpacked where their first
//! bytes, never the name, say that they are compressed.
//!
//! Reading an [`Input`] never fails: damage ends it after the good bytes and is told by
//! [`Input::damage`], so that what could be read is audited and what could not is named.

use super::unpack::{Gzip, Zstd};
use sha2::{Digest, Sha256};
use std::io::{self, BufReader, Read};

/// Buffer between the raw bytes and a decompressor, in bytes.
const BUFFER: usize = 128 * 1024;

/// The bytes of an input as its importer gets them.
pub struct Input<'a> {
    body: Body<'a>,
    max_bytes: Option<u64>,
    bytes: u64,
    ended: bool,
    damage: Option<String>,
}

/// What an input came to, once it has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// SHA-256 of the raw bytes read, in lowercase hexadecimal. They are the whole input unless
    /// reading stopped at an error of the device or at the byte limit.
    pub sha256: String,
    /// Raw bytes read.
    pub raw_bytes: u64,
    /// Bytes after decompression.
    pub bytes: u64,
    /// Zero bytes after the last member of a gzip file.
    pub padding: u64,
}

enum Body<'a> {
    Plain(Raw<'a>),
    Gzip(Box<Gzip<BufReader<Raw<'a>>>>),
    Zstd(Zstd<BufReader<Raw<'a>>>),
}

impl<'a> Input<'a> {
    /// Takes `bytes` as an input and looks at their first four. At most `max_bytes` are given out
    /// after decompression; absent means no limit.
    pub fn new(bytes: Box<dyn Read + Send + 'a>, max_bytes: Option<u64>) -> Self {
        let mut raw = Raw::new(bytes);
        raw.peek();
        let mut damage = None;
        let body = match raw.peeked.as_slice() {
            [0x1f, 0x8b, ..] => Body::Gzip(Box::new(Gzip::new(buffered(raw)))),
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Zstd::new(buffered(raw))
                .map_or_else(
                    |(reader, e)| {
                        damage = Some(format!("cannot decompress: {e}"));
                        Body::Plain(reader.into_inner())
                    },
                    Body::Zstd,
                ),
            _ => Body::Plain(raw),
        };
        Input {
            body,
            max_bytes,
            bytes: 0,
            ended: damage.is_some(),
            damage,
        }
    }

    /// Why the input ended before its end, in plain words; `None` as long as it did not.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Reads what is left, so that the hash covers the whole input, and tells the totals. Bytes
    /// behind a device error or a reached limit are left alone.
    pub fn finish(mut self) -> Totals {
        let limited = self.max_bytes.is_some_and(|max| self.bytes >= max);
        let bytes = self.bytes;
        let padding = match &self.body {
            Body::Gzip(gzip) => gzip.padding(),
            _ => 0,
        };
        let raw = self.body.raw_mut();
        if !limited {
            raw.drain();
        }
        let digest = std::mem::take(&mut raw.hash).finalize();
        Totals {
            sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            raw_bytes: raw.bytes,
            bytes,
            padding,
        }
    }

    /// Ends the input for good.
    fn stop(&mut self, why: String) -> usize {
        self.damage = Some(why);
        self.ended = true;
        0
    }

    fn broken(&mut self, error: &io::Error) -> usize {
        let at = self.body.raw_mut().bytes;
        let why = if self.body.raw_mut().failed {
            format!("reading failed after {at} bytes: {error}")
        } else if error.kind() == io::ErrorKind::UnexpectedEof {
            format!("the compressed stream ends early, after {at} bytes")
        } else {
            format!("the compressed stream is damaged: {error}")
        };
        self.stop(why)
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.ended || buf.is_empty() {
            return Ok(0);
        }
        let room = self.max_bytes.map_or(u64::MAX, |max| max - self.bytes);
        if room == 0 {
            // The limit is only passed if there is something behind it.
            return Ok(match self.body.read(&mut [0]) {
                Ok(0) => 0,
                Ok(_) => self.stop(format!("more than {} bytes", self.bytes)),
                Err(e) => self.broken(&e),
            });
        }
        let most = buf.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        match self.body.read(&mut buf[..most]) {
            Ok(n) => {
                self.ended = n == 0;
                self.bytes += n as u64;
                Ok(n)
            }
            Err(e) => Ok(self.broken(&e)),
        }
    }
}

impl<'a> Body<'a> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Body::Plain(raw) => raw.read(buf),
            Body::Gzip(gzip) => gzip.read(buf),
            Body::Zstd(zstd) => zstd.read(buf),
        }
    }

    fn raw_mut(&mut self) -> &mut Raw<'a> {
        match self {
            Body::Plain(raw) => raw,
            Body::Gzip(gzip) => gzip.reader_mut().get_mut(),
            Body::Zstd(zstd) => zstd.reader_mut().get_mut(),
        }
    }
}

fn buffered(raw: Raw<'_>) -> BufReader<Raw<'_>> {
    BufReader::with_capacity(BUFFER, raw)
}

/// The raw bytes, counted and hashed as they pass.
struct Raw<'a> {
    inner: Box<dyn Read + Send + 'a>,
    /// The first bytes, until they have been given out.
    peeked: Vec<u8>,
    bytes: u64,
    hash: Sha256,
    failed: bool,
    /// An error met while peeking, kept until the bytes before it have been given out.
    error: Option<io::Error>,
}

impl<'a> Raw<'a> {
    fn new(inner: Box<dyn Read + Send + 'a>) -> Self {
        Raw {
            inner,
            peeked: Vec::new(),
            bytes: 0,
            hash: Sha256::new(),
            failed: false,
            error: None,
        }
    }

    /// Reads the first four bytes, fewer if there are fewer.
    fn peek(&mut self) {
        let mut first = [0; 4];
        let mut len = 0;
        while len < first.len() {
            match self.pull(&mut first[len..]) {
                Ok(0) => break,
                Ok(n) => len += n,
                Err(e) => {
                    self.error = Some(e);
                    break;
                }
            }
        }
        self.peeked = first[..len].to_vec();
    }

    fn pull(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(buf) {
                Ok(n) => {
                    self.hash.update(&buf[..n]);
                    self.bytes += n as u64;
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = true;
                    return Err(e);
                }
            }
        }
    }

    fn drain(&mut self) {
        let mut buf = vec![0; BUFFER];
        while !self.failed && self.pull(&mut buf).is_ok_and(|n| n > 0) {}
    }
}

impl Read for Raw<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if !self.peeked.is_empty() {
            let n = buf.len().min(self.peeked.len());
            buf[..n].copy_from_slice(&self.peeked[..n]);
            self.peeked.drain(..n);
            return Ok(n);
        }
        match self.error.take() {
            Some(e) => Err(e),
            None => self.pull(buf),
        }
    }
}
