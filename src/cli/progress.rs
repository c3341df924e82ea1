//! A progress bar on standard error, for work that takes over a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Read};
use std::time::{Duration, Instant};

/// Shows how many bytes have been read.
#[derive(Clone)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// A bar up to `total` bytes, or a running count where that is not known. Nothing is shown where
    /// standard error is no terminal, or where standard output is one: its lines would run into the
    /// bar.
    pub(super) fn new(total: Option<u64>, wanted: bool) -> Progress {
        let shown = wanted && io::stderr().is_terminal() && !io::stdout().is_terminal();
        let bar = shown.then(|| {
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
            let style = match total {
                Some(_) => "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
                None => "{bytes} {bytes_per_sec}",
            };
            bar.with_style(
                ProgressStyle::with_template(style)
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            )
        });
        Progress {
            bar,
            begun: Instant::now(),
        }
    }

    /// Counts the bytes that are read.
    pub(super) fn over(&self, bytes: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        match &self.bar {
            Some(_) => Box::new(Counted {
                bytes,
                progress: self.clone(),
            }),
            None => bytes,
        }
    }

    fn advance(&self, bytes: u64) {
        let Some(bar) = &self.bar else { return };
        bar.inc(bytes);
        if bar.is_hidden() && self.begun.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Takes the bar away.
    pub(super) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

struct Counted {
    bytes: Box<dyn Read + Send>,
    progress: Progress,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.bytes.read(buffer)?;
        self.progress.advance(n as u64);
        Ok(n)
    }
}
