//! A file for what a replay keeps of many runs, beside memory.

use crate::engine::Room;
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::sync::{Arc, OnceLock};

/// A file without a name among other temporary ones, which is gone with the program. It is made when
/// something is put there first; where that cannot be done, memory has to do.
#[derive(Default)]
pub(super) struct Temporary {
    file: Option<File>,
    failure: Arc<OnceLock<String>>,
}

impl Temporary {
    /// Why something that was put there could not be read back, once that has happened: what comes of the
    /// replay is not to be trusted then.
    pub(super) fn failure(&self) -> Arc<OnceLock<String>> {
        Arc::clone(&self.failure)
    }

    fn lose(&self, why: impl std::fmt::Display) {
        let why = format!("what was put aside of its runs is lost: {why}");
        // The first tells most.
        self.failure.get_or_init(|| why);
    }

    fn at(&mut self, place: u64) -> Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile()?,
        };
        let file = self.file.insert(file);
        file.seek(SeekFrom::Start(place))?;
        Ok(file)
    }
}

impl Room for Temporary {
    fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
        self.at(at).and_then(|file| file.write_all(bytes)).is_ok()
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> bool {
        let read = self.at(at).and_then(|file| file.read_exact(into));
        if let Err(error) = &read {
            self.lose(error);
        }
        read.is_ok()
    }

    fn changed(&mut self) {
        self.lose("it reads otherwise than it was written");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_not_is_told() {
        let mut room = Temporary::default();
        let failure = room.failure();
        assert!(room.write(3, b"abcdef") && room.write(0, b"xyz"));
        let mut found = [0; 5];
        assert!(room.read(2, &mut found));
        assert_eq!((&found, failure.get()), (b"zabcd", None));
        assert!(!room.read(7, &mut found));
        assert!(failure.get().is_some_and(|why| why.contains("is lost")));
    }

    #[test]
    fn what_was_changed_is_told() {
        let mut room = Temporary::default();
        let failure = room.failure();
        room.changed();
        assert!(failure.get().is_some_and(|why| why.contains("otherwise")));
    }
}
