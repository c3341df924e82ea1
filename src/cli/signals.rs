//! Signals. Being interrupted: no half-written report is left behind, and the status says which signal.
//! Files that may not grow further: the write fails, and whoever writes says so or does without.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// From now on a write that would make a file longer than the process may (`ulimit -f`) fails as others
/// do, instead of ending the process.
pub(super) fn outlive_file_limits() {
    #[cfg(unix)]
    {
        use std::sync::atomic::AtomicBool;
        // The error of the write tells the same, so nobody reads the flag; that the signal is taken is
        // enough. Where it cannot be, the default holds.
        let taken = Arc::new(AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, taken);
    }
}

/// Report files that are not complete yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Unfinished(Arc<Mutex<Vec<PathBuf>>>);

impl Unfinished {
    pub(super) fn add(&self, path: &Path) {
        self.with(|paths| paths.push(path.into()));
    }

    pub(super) fn remove(&self, path: &Path) {
        self.with(|paths| paths.retain(|p| p != path));
    }

    fn with(&self, change: impl FnOnce(&mut Vec<PathBuf>)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// From now on an interrupt, a hang-up or a request to end removes the files and ends the
    /// process with 128 and the signal's number.
    pub(super) fn remove_when_interrupted(&self) {
        #[cfg(unix)]
        {
            use crate::exit::Exit;
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
            let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])
            else {
                // Without a handler the default holds: the process ends, the status is the same.
                return;
            };
            let unfinished = self.clone();
            std::thread::spawn(move || {
                if let Some(signal) = signals.forever().next() {
                    unfinished.with(|paths| {
                        for path in paths.drain(..) {
                            let _ = std::fs::remove_file(path);
                        }
                    });
                    let signal = u8::try_from(signal).unwrap_or(0);
                    std::process::exit(i32::from(Exit::Signal(signal).code()));
                }
            });
        }
    }
}
