//! Files that are read as a whole, with a bound: some are too long, some have no end, and some never
//! say anything.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Longest file that another one names, or that lies in the folder of a model, in bytes.
const MOST: usize = 256 << 20;

/// The bytes of a file of at most so many. Pipes and devices may be named too, and no more is taken
/// from them; a regular file that is too long is not read at all.
///
/// # Errors
/// It cannot be read, or is longer.
pub(super) fn read(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let too_long = || io::Error::other(format!("it is longer than {most} bytes"));
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() && meta.len() > most as u64 {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(too_long());
    }
    Ok(bytes)
}

/// The same of a file that nobody named on the command line. It has to be a regular one: opening a
/// pipe that nobody writes to would wait for ever.
///
/// # Errors
/// Those of [`read`]; it is no regular file.
pub(super) fn read_regular(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let meta = std::fs::metadata(path)?;
    if !meta.is_file() && !meta.is_dir() {
        return Err(io::Error::other("it is no regular file"));
    }
    read(path, most)
}

/// Reads the files of a directory by their names.
pub(super) fn of_directory(dir: &Path) -> impl Fn(&str) -> Result<Vec<u8>, String> {
    let dir = dir.to_owned();
    move |file| read_regular(&dir.join(file), MOST).map_err(|error| error.to_string())
}
