//! A zip archive that is held in memory: its members by name, unpacked one at a time.
//!
//! The members are those of the archive's directory, which stands at its end. An archive without a
//! readable one was cut off; its members are then those that stand one after the other from the
//! beginning, as far as they go.

use std::fmt::Display;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::read::read_zipfile_from_stream;

/// How the first member of an archive begins.
pub const BEGINNING: &[u8] = b"PK\x03\x04";

/// How an entry of the directory begins.
const ENTRY: &[u8] = b"PK\x01\x02";

/// Most members that an archive may have, so that its directory cannot fill the memory.
const MOST: usize = 1 << 18;

/// Why a member could not be unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It has more bytes than were asked for.
    TooLong,
    /// It is damaged, or packed in a way that cannot be read; in plain words.
    Damaged(String),
}

/// An opened archive.
pub struct Archive<'a> {
    bytes: &'a [u8],
    names: Vec<String>,
    members: Members<'a>,
    damage: Option<String>,
}

enum Members<'a> {
    /// Those of its directory.
    Listed(Box<ZipArchive<Cursor<&'a [u8]>>>),
    /// Where each begins, in an archive without a directory.
    Found(Vec<usize>),
}

impl<'a> Archive<'a> {
    /// Opens an archive. `None` if it is none, or has too many members.
    pub fn open(bytes: &'a [u8]) -> Option<Self> {
        if !bytes.starts_with(BEGINNING) || entries(bytes) > MOST {
            return None;
        }
        match ZipArchive::new(Cursor::new(bytes)) {
            Ok(zip) => {
                let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
                Some(Archive {
                    bytes,
                    names: zip.file_names_raw().map(text).collect(),
                    members: Members::Listed(Box::new(zip)),
                    damage: None,
                })
            }
            Err(error) => Self::cut_off(bytes, &error),
        }
    }

    /// An archive whose directory cannot be read.
    fn cut_off(bytes: &'a [u8], error: &dyn Display) -> Option<Self> {
        let mut rest = bytes;
        let (mut names, mut begins) = (Vec::new(), Vec::new());
        while begins.len() < MOST {
            let begin = bytes.len() - rest.len();
            let Ok(Some(member)) = read_zipfile_from_stream(&mut rest) else {
                break;
            };
            names.push(String::from_utf8_lossy(member.name_raw()).into_owned());
            begins.push(begin);
        }
        let damage = format!(
            "the archive has no directory that can be read: {}",
            words(error)
        );
        (!names.is_empty()).then_some(Archive {
            bytes,
            names,
            members: Members::Found(begins),
            damage: Some(damage),
        })
    }

    /// The names of the members, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What is wrong with the archive as a whole, in plain words.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Whether two members have one name. Only the last of them is listed.
    pub fn repeats_names(&self) -> bool {
        match &self.members {
            Members::Listed(zip) => zip.has_duplicate_names(),
            Members::Found(_) => false,
        }
    }

    /// Unpacks a member into `buffer`, which is emptied first, but no more than `max` bytes and one.
    /// What it holds after an error is what was unpacked before.
    ///
    /// # Errors
    /// The member cannot be unpacked, or is longer.
    pub fn read(&mut self, index: usize, max: u64, buffer: &mut Vec<u8>) -> Result<(), Unread> {
        buffer.clear();
        match &mut self.members {
            Members::Listed(zip) => unpack(zip.by_index(index).map_err(damaged)?, max, buffer),
            Members::Found(begins) => {
                let begin = begins.get(index).copied().unwrap_or(usize::MAX);
                let mut rest = self.bytes.get(begin..).unwrap_or_default();
                match read_zipfile_from_stream(&mut rest).map_err(damaged)? {
                    Some(member) => unpack(member, max, buffer),
                    None => Err(Unread::Damaged("it is not there".to_owned())),
                }
            }
        }
    }
}

fn entries(bytes: &[u8]) -> usize {
    memchr::memmem::find_iter(bytes, ENTRY).count()
}

fn unpack(member: impl Read, max: u64, buffer: &mut Vec<u8>) -> Result<(), Unread> {
    let mut member = member.take(max.saturating_add(1));
    member.read_to_end(buffer).map_err(damaged)?;
    if buffer.len() as u64 > max {
        return Err(Unread::TooLong);
    }
    Ok(())
}

fn damaged(error: impl Display) -> Unread {
    Unread::Damaged(words(&error))
}

/// The words of an error as they stand in the middle of a message.
fn words(error: &dyn Display) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    fn archive(method: CompressionMethod) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method);
        for (name, text) in [("a", "first"), ("dir/b", "second")] {
            writer.start_file(name, options).expect("to memory");
            writer.write_all(text.as_bytes()).expect("to memory");
        }
        writer.finish().expect("to memory").into_inner()
    }

    fn read(archive: &mut Archive<'_>, index: usize, max: u64) -> Result<String, Unread> {
        let mut buffer = b"rest".to_vec();
        archive.read(index, max, &mut buffer)?;
        Ok(String::from_utf8_lossy(&buffer).into_owned())
    }

    #[test]
    fn members_are_unpacked_whatever_the_method() {
        for method in [
            CompressionMethod::Stored,
            CompressionMethod::Deflated,
            CompressionMethod::Zstd,
        ] {
            let bytes = archive(method);
            let mut archive = Archive::open(&bytes).expect("an archive");
            assert_eq!(archive.names(), ["a", "dir/b"]);
            assert_eq!(read(&mut archive, 1, 100).as_deref(), Ok("second"));
            assert_eq!(read(&mut archive, 0, 5).as_deref(), Ok("first"));
            assert_eq!(read(&mut archive, 0, 4), Err(Unread::TooLong));
            assert_eq!(archive.damage(), None);
            assert!(!archive.repeats_names());
            assert!(matches!(read(&mut archive, 2, 9), Err(Unread::Damaged(_))));
        }
    }

    #[test]
    fn what_stands_in_a_cut_archive_is_found() {
        let bytes = archive(CompressionMethod::Deflated);
        let second = memchr::memmem::rfind(&bytes, BEGINNING).expect("two members");
        for (cut, members) in [(bytes.len() - 30, 2), (second + 40, 2), (second + 10, 1)] {
            let mut archive = Archive::open(&bytes[..cut]).expect("an archive");
            assert_eq!(archive.names().len(), members, "{cut}");
            assert!(archive.damage().is_some());
            assert_eq!(read(&mut archive, 0, 100).as_deref(), Ok("first"));
        }
        let mut half = Archive::open(&bytes[..second + 38]).expect("an archive");
        assert!(matches!(read(&mut half, 1, 100), Err(Unread::Damaged(_))));
        assert!(Archive::open(&bytes[..20]).is_none());
        assert!(Archive::open(b"{}").is_none());
    }

    #[test]
    fn a_changed_byte_is_damage() {
        let mut bytes = archive(CompressionMethod::Stored);
        let at = memchr::memmem::find(&bytes, b"first").expect("stored");
        bytes[at] = b'F';
        let mut archive = Archive::open(&bytes).expect("an archive");
        assert!(matches!(
            read(&mut archive, 0, 100),
            Err(Unread::Damaged(_))
        ));
        assert_eq!(read(&mut archive, 1, 100).as_deref(), Ok("second"));
    }
}
