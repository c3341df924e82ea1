//! Which file a path means, whatever it is called there, and who may read what takes its place.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Most links that lead on from one to the next, as systems have it.
const MOST_LINKS: usize = 40;

/// By what one file is told from another: where it lies once links are followed.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// A file that is there, by whatever of its names.
    #[cfg(unix)]
    Inode(u64, u64),
    /// A file that is there, or a path that says nothing of a file.
    Path(PathBuf),
    /// A file that is not there yet: its folder and its name.
    Within(Box<Identity>, OsString),
}

/// The identity of a file that may not exist.
pub(super) fn identity(path: &Path) -> Identity {
    #[cfg(unix)]
    if let Ok(meta) = fs::metadata(path) {
        return inode(&meta);
    }
    if let Ok(path) = path.canonicalize() {
        return Identity::Path(path);
    }
    let place = led_to(path).unwrap_or_else(|_| path.into());
    match place.file_name() {
        Some(name) => Identity::Within(Box::new(identity(folder(&place))), name.to_owned()),
        None => Identity::Path(place),
    }
}

/// The identity of the file that a standard stream leads to or comes from; absent where that is none, as of
/// terminals and pipes.
#[cfg(unix)]
pub(super) fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<Identity> {
    let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
    let meta = file.metadata().ok().filter(fs::Metadata::is_file)?;
    Some(inode(&meta))
}

#[cfg(unix)]
fn inode(meta: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Identity::Inode(meta.dev(), meta.ino())
}

/// What a standard stream is of is not known on this system.
#[cfg(not(unix))]
pub(super) fn of_stream<S>(_: &S) -> Option<Identity> {
    None
}

/// The folder that a file lies in.
pub(super) fn folder(path: &Path) -> &Path {
    let parent = path.parent().filter(|path| !path.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// The path at the end of all links that a path leads along, whether there is a file or not.
///
/// # Errors
/// The links lead round in a circle, or to what has no path.
pub(super) fn led_to(path: &Path) -> io::Result<PathBuf> {
    if !path.is_symlink() {
        return Ok(path.into());
    }
    if path.exists() {
        return path.canonicalize();
    }
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&place) {
            Ok(target) => place = folder(&place).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("it is a link that leads nowhere"))
}

/// Lets a file that takes the place of another be read and written by nobody else than that was: it gets
/// the other's mode, and its owner and group as far as the system lets it. Where the group is not the same,
/// it may do no more than everybody.
///
/// What fails leaves the file to its owner alone, as it was made.
#[cfg(unix)]
pub(super) fn as_before(file: &File, replaced: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let group = Some(replaced.gid());
    let same = fchown(file, Some(replaced.uid()), group).or_else(|_| fchown(file, None, group));
    let mode = replaced.mode() & 0o777;
    let everybody = mode & 0o007;
    let mode = match same {
        Ok(()) => mode,
        Err(_) => mode & (0o707 | (everybody << 3)),
    };
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

/// The mode of a file is none of this system's.
#[cfg(not(unix))]
pub(super) fn as_before(_: &File, _: &fs::Metadata) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_the_same_by_all_its_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").expect("a file");
        fs::hard_link(at("file"), at("other")).expect("a name");
        symlink("file", at("link")).expect("a link");
        fs::create_dir(at("d")).expect("a folder");
        for name in ["other", "link", "./file", "d/../file"] {
            assert_eq!(identity(&at(name)), identity(&at("file")), "{name}");
        }
        // None of these is there, and two of them are one.
        symlink("d/new", at("to-new")).expect("a link");
        symlink("to-new", at("to-link")).expect("a link");
        symlink("d", at("to-d")).expect("a link");
        for name in ["to-new", "to-link", "to-d/new", "d/../d/./new"] {
            assert_eq!(identity(&at(name)), identity(&at("d/new")), "{name}");
        }
        for name in ["new", "d/newer", "d/new/new", "no/new"] {
            assert_ne!(identity(&at(name)), identity(&at("d/new")), "{name}");
        }
    }

    #[test]
    fn links_that_lead_in_a_circle_lead_nowhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        symlink("b", at("a")).expect("a link");
        symlink("a", at("b")).expect("a link");
        assert!(led_to(&at("a")).is_err());
        assert_eq!(identity(&at("a")), identity(&at("a")));
    }
}
