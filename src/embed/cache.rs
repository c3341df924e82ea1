//! Vectors of texts that were embedded lately.
//!
//! Agents repeat themselves, and every call of a run is held against the same intent. A cache changes
//! no result, whatever it has forgotten: an embedder gives the same vector for the same text.

use super::{Embedder, Embedding};
use foldhash::quality::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// How much a cache keeps at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Texts.
    pub entries: usize,
    /// Bytes of texts and vectors, with what a map takes beside them by estimate.
    pub bytes: usize,
    /// Of how many texts that were met once it is known that they were: a text is kept when it is met
    /// again. 0 where it is kept at once.
    pub met: usize,
}

impl Limits {
    /// 16,384 texts, and 32 MiB; for an embedder that takes long.
    pub const DEFAULT: Limits = Limits {
        entries: 16_384,
        bytes: 32 << 20,
        met: 0,
    };

    /// 1,024 texts that were met twice, and 2 MiB: of an embedder that makes a vector in about the
    /// time that it takes to keep one and to forget another for it.
    pub const NEAR: Limits = Limits {
        entries: 1024,
        bytes: 2 << 20,
        met: 2048,
    };
}

/// Bytes that an entry takes beside its text and components, by estimate.
const OVERHEAD: usize = 128;

/// An embedder that remembers. Texts are told apart by all their characters.
///
/// Two generations: a text that is asked for is in the young one from then on. Once that holds half of
/// what the limits allow, it becomes the old one, and what was old is forgotten. A text that would
/// fill a generation alone is not kept.
pub struct Cached {
    embedder: Arc<dyn Embedder>,
    limits: Limits,
    generations: Mutex<Generations>,
    /// Keys of this cache's own, so that nobody can choose texts of one hash.
    keys: RandomState,
}

#[derive(Default)]
struct Generations {
    young: Generation,
    old: Generation,
    /// Hashes of texts that were met once, each where its low bits tell, in the place of the one that
    /// was there; as many as the limits say, or none before the first. One that is there by chance
    /// makes a text be kept a sight too soon.
    met: Vec<u64>,
    /// The latest text that was not kept, with its hash: who looks at one call more than once asks in
    /// a row.
    latest: Option<(u64, String, Embedding)>,
}

#[derive(Default)]
struct Generation {
    /// By keyed hash of the text, which is worked out once for all that is done with it. Of two texts
    /// of one hash the later takes the place of the other.
    vectors: HashMap<u64, (Box<str>, Embedding), BuildHasherDefault<Hashed>>,
    bytes: usize,
}

/// The hash of what is a hash.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

fn size(text: &str, vector: &Embedding) -> usize {
    text.len() + mem::size_of_val::<[f64]>(&vector.values) + OVERHEAD
}

impl Generations {
    fn find(&mut self, hash: u64, text: &str, limits: Limits) -> Option<Embedding> {
        if let Some((latest, known, vector)) = &self.latest
            && *latest == hash
            && known == text
        {
            return Some(vector.clone());
        }
        if let Some((known, vector)) = self.young.vectors.get(&hash)
            && &**known == text
        {
            return Some(vector.clone());
        }
        if &*self.old.vectors.get(&hash)?.0 != text {
            return None;
        }
        let (text, vector) = self.old.vectors.remove(&hash)?;
        self.old.bytes -= size(&text, &vector);
        self.keep(hash, text, vector.clone(), limits);
        Some(vector)
    }

    /// Whether a text that is not kept is to be kept now.
    fn is_due(&mut self, hash: u64, limits: Limits) -> bool {
        if limits.met == 0 {
            return true;
        }
        self.met.resize(limits.met, 0);
        let place = self.met.get_mut(hash as usize % limits.met);
        place.is_none_or(|place| mem::replace(place, hash) == hash)
    }

    /// Has a text at hand that is not kept.
    fn hold(&mut self, hash: u64, text: &str, vector: Embedding, limits: Limits) {
        if size(text, &vector) > limits.bytes / 2 {
            return;
        }
        match &mut self.latest {
            Some(latest) => {
                latest.0 = hash;
                latest.1.clear();
                latest.1.push_str(text);
                latest.2 = vector;
            }
            None => self.latest = Some((hash, text.to_owned(), vector)),
        }
    }

    fn keep(&mut self, hash: u64, text: Box<str>, vector: Embedding, limits: Limits) {
        let size = size(&text, &vector);
        let (entries, bytes) = (limits.entries / 2, limits.bytes / 2);
        if size > bytes || entries == 0 {
            return;
        }
        if self.young.bytes + size > bytes || self.young.vectors.len() >= entries {
            self.old = mem::take(&mut self.young);
        }
        self.young.bytes += size;
        if let Some((text, vector)) = self.young.vectors.insert(hash, (text, vector)) {
            self.young.bytes -= self::size(&text, &vector);
        }
    }
}

impl Cached {
    /// An embedder that remembers within its own limits.
    pub fn new(embedder: Arc<dyn Embedder>) -> Cached {
        let limits = embedder.remembers();
        Cached::within(embedder, limits)
    }

    /// An embedder that remembers within limits.
    pub fn within(embedder: Arc<dyn Embedder>, limits: Limits) -> Cached {
        Cached {
            embedder,
            limits,
            generations: Mutex::default(),
            keys: RandomState::default(),
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Generations) -> T) -> T {
        // A thread that panicked here left generations that are sound, if not full.
        let generations = self.generations.lock();
        act(&mut generations.unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for Cached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cached({:?})", self.embedder)
    }
}

impl Embedder for Cached {
    fn id(&self) -> &'static str {
        self.embedder.id()
    }

    fn sha256(&self) -> Option<&str> {
        self.embedder.sha256()
    }

    fn embed(&self, text: &str) -> Embedding {
        self.embed_with(text, &[])
    }

    fn embed_with(&self, text: &str, parts: &[&'static str]) -> Embedding {
        let hash = self.keys.hash_one(text);
        let known = self.with(|all| match all.find(hash, text, self.limits) {
            Some(vector) => Ok(vector),
            None => Err(all.is_due(hash, self.limits)),
        });
        let is_due = match known {
            Ok(vector) => return vector,
            Err(is_due) => is_due,
        };
        // Not under the lock: threads that miss the same text do the same work, and none waits.
        let vector = self.embedder.embed_with(text, parts);
        self.with(|all| match is_due {
            true => all.keep(hash, text.into(), vector.clone(), self.limits),
            false => all.hold(hash, text, vector.clone(), self.limits),
        });
        vector
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The length of a text, and how often it was asked.
    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    impl Embedder for Counting {
        fn id(&self) -> &'static str {
            "counting"
        }

        fn sha256(&self) -> Option<&str> {
            Some("none")
        }

        fn embed(&self, text: &str) -> Embedding {
            self.0.fetch_add(1, Ordering::Relaxed);
            assert_ne!(text, "panic");
            Embedding::new(vec![text.len() as f64, 1.0])
        }
    }

    fn cached(entries: usize, bytes: usize) -> (Arc<Counting>, Cached) {
        let counting = Arc::new(Counting::default());
        let limits = Limits {
            entries,
            bytes,
            met: 0,
        };
        let cached = Cached::within(counting.clone(), limits);
        (counting, cached)
    }

    fn asked(counting: &Counting) -> usize {
        counting.0.load(Ordering::Relaxed)
    }

    #[test]
    fn a_text_is_embedded_once() {
        let (counting, cached) = cached(10, 1 << 20);
        for text in ["a", "bb", "a", "bb", "A", "a "] {
            assert_eq!(cached.embed(text), Counting::default().embed(text));
        }
        assert_eq!(asked(&counting), 4);
        assert_eq!((cached.id(), cached.sha256()), ("counting", Some("none")));
    }

    /// Texts that never come again take no room, and what comes again is embedded twice, or once where
    /// it does so at once.
    #[test]
    fn a_text_may_have_to_be_met_twice() {
        let counting = Arc::new(Counting::default());
        let limits = Limits {
            met: 1 << 12,
            ..Limits::DEFAULT
        };
        let cached = Cached::within(counting.clone(), limits);
        for i in 0..500 {
            cached.embed(&i.to_string());
        }
        cached.with(|all| {
            assert!(all.young.vectors.is_empty() && all.old.vectors.is_empty());
            assert_eq!(all.met.len(), 1 << 12);
        });
        for i in 0..5 {
            assert_eq!(cached.embed("again"), Counting::default().embed("again"));
            let other = format!("other {i}");
            assert_eq!(cached.embed(&other), cached.embed(&other));
        }
        // Another text may have taken its place between two sights, as keys are chosen by chance.
        let asked = asked(&counting);
        assert!((500 + 2 + 5..=500 + 5 + 5).contains(&asked), "{asked}");
    }

    /// What is asked for again stays, and the limits hold at any time.
    #[test]
    fn the_least_used_is_forgotten() {
        let (counting, cached) = cached(8, 1 << 20);
        for i in 0..1000 {
            cached.embed("kept");
            cached.embed(&i.to_string());
            cached.with(|all| {
                assert!(all.young.vectors.len() <= 4 && all.old.vectors.len() <= 4);
                for generation in [&all.young, &all.old] {
                    let sizes = generation.vectors.values().map(|(text, v)| size(text, v));
                    assert_eq!(generation.bytes, sizes.sum::<usize>());
                }
            });
        }
        assert_eq!(asked(&counting), 1001);
        cached.embed("0");
        assert_eq!(asked(&counting), 1002);
    }

    #[test]
    fn bytes_are_bounded() {
        let (counting, cached) = cached(1000, 4000);
        for length in 0..3000 {
            cached.embed(&"x".repeat(length));
            cached.with(|all| assert!(all.young.bytes <= 2000 && all.old.bytes <= 2000));
        }
        // Longer than half of the limit: embedded each time.
        let before = asked(&counting);
        cached.embed(&"x".repeat(2500));
        cached.embed(&"x".repeat(2500));
        assert_eq!(asked(&counting), before + 2);
        assert!(Cached::new(counting).embed("").values.len() == 2);
    }

    /// A text is the same whatever is known of its parts.
    #[test]
    fn parts_are_of_the_text() {
        let (counting, cached) = cached(10, 1 << 20);
        let whole = cached.embed("one two");
        assert_eq!(cached.embed_with("one two", &["two"]), whole);
        assert_eq!(asked(&counting), 1);
        assert_ne!(cached.embed_with("one or two", &["two"]), whole);
        assert_eq!(asked(&counting), 2);
    }

    #[test]
    fn no_room_is_no_fault() {
        for (entries, bytes) in [(0, 0), (1, 1 << 20), (10, 1)] {
            let (counting, cached) = cached(entries, bytes);
            cached.embed("a");
            assert_eq!(cached.embed("a"), Counting::default().embed("a"));
            assert_eq!(asked(&counting), 2);
        }
    }

    /// Threads see the vectors they would have without a cache, whatever the others displace, and
    /// one that panics takes no other with it.
    #[test]
    fn threads_share_it() {
        let (_, cached) = cached(64, 1 << 20);
        std::thread::scope(|scope| {
            for start in 0..4 {
                let cached = &cached;
                scope.spawn(move || {
                    for i in 0..2000 {
                        let text = "y".repeat((start * 31 + i * 7) % 100);
                        assert_eq!(cached.embed(&text).values[0], text.len() as f64);
                    }
                });
            }
            let panicked = scope.spawn(|| cached.embed("panic")).join();
            assert!(panicked.is_err());
        });
        let poisoned = std::thread::scope(|scope| {
            let poison = || cached.with(|_| panic!("on purpose"));
            scope.spawn(poison).join().is_err()
        });
        assert!(poisoned);
        assert_eq!(cached.embed("abc").values[0], 3.0);
    }
}
