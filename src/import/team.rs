//! The lines of an input read by several threads, with the outcome of one.
//!
//! Each takes the next piece of the input, reads the records in it, and waits for its turn to have them
//! judged and what was decided written. So whatever depends on order happens in order; at most a piece a
//! thread is under way.

use super::apart::{Apart, Batch};
use super::reading::Reading;
use super::{Importer, Sink};
use crate::trace::chunks::{self, Chunk, Chunks};
use crate::trace::lines::{Lines, Reached};
use std::io::Read;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Reads the lines that `bytes` gives, by so many threads.
pub fn read(
    reading: &mut Reading<'_, '_>,
    threads: NonZeroUsize,
    bytes: impl Read + Send,
    importer: &mut dyn Importer,
) {
    let apart = importer.apart().filter(|_| !reading.refused);
    let is_alone = threads.get() == 1;
    let size = match is_alone {
        true => chunks::SIZE,
        false => chunks::SHARED_SIZE,
    };
    let (input, max_line) = (reading.input, reading.options.max_line);
    let team = Team {
        source: Mutex::new(Source {
            chunks: Chunks::new(bytes, size, max_line),
            given: 0,
        }),
        turns: Mutex::new(Turns {
            reading,
            importer,
            before: Reached::default(),
            taken: 0,
            broken: false,
        }),
        changed: Condvar::new(),
        apart,
        input,
        max_line,
    };
    thread::scope(|scope| {
        for _ in 1..threads.get() {
            // Where the system gives no more threads, those that there are do the work.
            let spawned = thread::Builder::new().spawn_scoped(scope, || team.work(false));
            if spawned.is_err() {
                break;
            }
        }
        team.work(is_alone);
    });
}

/// What the threads share.
struct Team<'t, 's, 'o, R> {
    source: Mutex<Source<R>>,
    turns: Mutex<Turns<'t, 's, 'o>>,
    /// Told whenever it is another's turn.
    changed: Condvar,
    apart: Option<Box<dyn Apart>>,
    input: usize,
    max_line: usize,
}

struct Source<R> {
    chunks: Chunks<R>,
    /// Pieces given out.
    given: u64,
}

/// What is done in turn.
struct Turns<'t, 's, 'o> {
    reading: &'t mut Reading<'s, 'o>,
    importer: &'t mut dyn Importer,
    /// How far the pieces go that were taken.
    before: Reached,
    /// Pieces whose records were taken.
    taken: u64,
    /// A thread has given up, so that nobody may wait for it.
    broken: bool,
}

impl Turns<'_, '_, '_> {
    /// Takes the records of a piece, which may have been read already.
    fn take(&mut self, chunk: &Chunk, batch: Option<Batch<'_>>, max_line: usize) {
        let before = self.before;
        let reached = if let Some(batch) = batch {
            batch.give(before, |line, items| {
                self.reading.line(&line, items, self.importer);
            })
        } else {
            let mut lines = Lines::new(chunk, max_line);
            for line in lines.by_ref() {
                self.reading.line(&line.moved(before), None, self.importer);
            }
            lines.reached()
        };
        self.before.lines += reached.lines;
        self.before.bytes += reached.bytes;
        self.taken += 1;
    }
}

impl<'t, 's, 'o, R: Read> Team<'t, 's, 'o, R> {
    /// Reads pieces until there are no more, beside others or alone.
    fn work(&self, is_alone: bool) {
        let _leaving = Leaving(self);
        let mut chunk = Chunk::default();
        // Whoever is alone has nothing to gain by it.
        let mut prepare = match is_alone {
            true => None,
            false => lock(&self.turns).reading.prepare(),
        };
        while let Some((number, alone)) = self.next(&mut chunk) {
            let apart = self.apart.as_deref();
            let batch = apart
                .map(|apart| Batch::read(&chunk, self.max_line, self.input, apart, &mut prepare));
            let Some(mut turns) = self.turn(number) else {
                return;
            };
            turns.take(&chunk, batch, self.max_line);
            drop(turns);
            self.changed.notify_all();
            if alone.is_some() {
                chunk = Chunk::default();
            }
        }
    }

    /// Reads the next piece, and tells which one it is. While one that is large is under way, no other
    /// is read: lines may be long, and threads many.
    fn next(&self, chunk: &mut Chunk) -> Option<(u64, Option<MutexGuard<'_, Source<R>>>)> {
        let mut source = lock(&self.source);
        let number = source.given;
        source.given += 1;
        let more = source.chunks.next(chunk);
        more.then(|| (number, chunk.is_large().then_some(source)))
    }

    /// Waits until it is the turn of the piece of that number; absent if that will never be.
    fn turn(&self, number: u64) -> Option<MutexGuard<'_, Turns<'t, 's, 'o>>> {
        let waits = |turns: &mut Turns<'t, 's, 'o>| !turns.broken && turns.taken != number;
        let turns = self.changed.wait_while(lock(&self.turns), waits);
        let turns = turns.unwrap_or_else(PoisonError::into_inner);
        (!turns.broken).then_some(turns)
    }
}

/// Tells the others when its thread panics, so that none waits for it. The panic goes on from there.
struct Leaving<'a, 't, 's, 'o, R>(&'a Team<'t, 's, 'o, R>);

impl<R> Drop for Leaving<'_, '_, '_, '_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.turns).broken = true;
            self.0.changed.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
