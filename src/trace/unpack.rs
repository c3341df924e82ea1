//! Decompressors that give out every byte that was good before they tell what is wrong.
//!
//! The readers of the compression libraries drop what they had already unpacked when they meet an
//! error in the same step; here the step's output comes first and the error after it.

use flate2::{Decompress, FlushDecompress};
use std::io::{self, BufRead};
use zstd::stream::raw::{self, Operation};

/// Largest window of a gzip stream, as a power of two.
const WINDOW_BITS: u8 = 15;

/// Shortest beginning of a zstd frame that tells how much more its header takes, in bytes.
const FRAME_START: usize = 5;

fn too_short() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

/// Unpacks all members of a gzip file.
pub struct Gzip<R> {
    reader: R,
    member: Decompress,
    /// An error met in a step whose output had to go first.
    error: Option<io::Error>,
    ended: bool,
    padding: u64,
}

impl<R: BufRead> Gzip<R> {
    /// Unpacks what `reader` gives, which must begin with a member.
    pub fn new(reader: R) -> Self {
        Gzip {
            reader,
            member: Decompress::new_gzip(WINDOW_BITS),
            error: None,
            ended: false,
            padding: 0,
        }
    }

    /// The compressed bytes.
    pub fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Zero bytes met after the last member.
    pub fn padding(&self) -> u64 {
        self.padding
    }

    /// Unpacks into `buf`; 0 at the end.
    ///
    /// # Errors
    /// The stream is damaged, ends early, or is followed by something that is neither a member nor
    /// zeros; or the reader fails.
    pub fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if let Some(e) = self.error.take() {
            return Err(e);
        }
        while !self.ended {
            let input = self.reader.fill_buf()?;
            if input.is_empty() {
                return Err(too_short());
            }
            let before = (self.member.total_in(), self.member.total_out());
            let step = self.member.decompress(input, buf, FlushDecompress::None);
            let written = (self.member.total_out() - before.1) as usize;
            self.reader
                .consume((self.member.total_in() - before.0) as usize);
            match step {
                Ok(flate2::Status::StreamEnd) => self.next_member(),
                Ok(_) => {}
                Err(e) => self.error = Some(io::Error::new(io::ErrorKind::InvalidData, e)),
            }
            if written > 0 {
                return Ok(written);
            }
            if let Some(e) = self.error.take() {
                return Err(e);
            }
        }
        Ok(0)
    }

    fn next_member(&mut self) {
        match self.another() {
            Ok(true) => self.member = Decompress::new_gzip(WINDOW_BITS),
            Ok(false) => self.ended = true,
            Err(e) => self.error = Some(e),
        }
    }

    /// Whether another member follows the one just read.
    fn another(&mut self) -> io::Result<bool> {
        loop {
            let next = self.reader.fill_buf()?;
            let zeros = next.iter().take_while(|&&b| b == 0).count();
            match next.get(zeros) {
                None if zeros == 0 => return Ok(false),
                None => {
                    self.padding += zeros as u64;
                    self.reader.consume(zeros);
                }
                Some(0x1f) if zeros == 0 && self.padding == 0 => return Ok(true),
                Some(_) => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "something that is no gzip follows its last member",
                    ));
                }
            }
        }
    }
}

/// Unpacks all frames of a zstd file.
pub struct Zstd<R> {
    reader: R,
    decoder: raw::Decoder<'static>,
    /// How many bytes the decoder asks for. It gets no more at a time, so that each step is one
    /// block and an error never takes the blocks before it along.
    wanted: usize,
    /// Whether the last step filled its buffer, so that output may be left to give out first.
    full: bool,
    between_frames: bool,
}

impl<R: BufRead> Zstd<R> {
    /// Unpacks what `reader` gives.
    ///
    /// # Errors
    /// The decoder cannot be set up; the reader is given back.
    pub fn new(reader: R) -> Result<Self, (R, io::Error)> {
        match raw::Decoder::new() {
            Ok(decoder) => Ok(Zstd {
                reader,
                decoder,
                wanted: FRAME_START,
                full: false,
                between_frames: true,
            }),
            Err(e) => Err((reader, e)),
        }
    }

    /// The compressed bytes.
    pub fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Unpacks into `buf`; 0 at the end.
    ///
    /// # Errors
    /// The stream is damaged, ends early, or is followed by something that is no frame; or the
    /// reader fails.
    pub fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.reader.fill_buf()?;
            let ended = input.is_empty();
            if ended && self.between_frames {
                return Ok(0);
            }
            let most = if self.full { 0 } else { self.wanted };
            let step = &input[..input.len().min(most)];
            let status = self.decoder.run_on_buffers(step, buf)?;
            self.reader.consume(status.bytes_read);
            self.full = status.bytes_written == buf.len();
            self.between_frames = status.remaining == 0;
            self.wanted = match status.remaining {
                0 => FRAME_START,
                wanted => wanted,
            };
            if status.bytes_written > 0 {
                return Ok(status.bytes_written);
            }
            if ended && !self.between_frames {
                return Err(too_short());
            }
        }
    }
}
