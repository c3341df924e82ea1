//! The times of calls: the first, the last, and whether they run forward.

/// Times that were met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The earliest: nanoseconds since 1970, and as it was written. Untrusted.
    pub first: Option<(i128, String)>,
    /// The latest.
    pub last: Option<(i128, String)>,
    /// Calls with a time before that of the call before them in their run.
    pub backwards: u64,
    /// Calls with a time that cannot be read.
    pub unreadable: u64,
}

impl Times {
    /// Takes the time of a call; `before` is that of the call before it in its run.
    pub fn add(&mut self, ns: i128, written: &str, before: Option<i128>) {
        if self.first.as_ref().is_none_or(|(first, _)| ns < *first) {
            self.first = Some((ns, written.to_owned()));
        }
        if self.last.as_ref().is_none_or(|(last, _)| ns > *last) {
            self.last = Some((ns, written.to_owned()));
        }
        self.backwards += u64::from(before.is_some_and(|before| ns < before));
    }

    /// Adds those of other calls.
    pub fn merge(&mut self, other: &Times) {
        for (ns, written) in [&other.first, &other.last].into_iter().flatten() {
            self.add(*ns, written, None);
        }
        self.backwards += other.backwards;
        self.unreadable += other.unreadable;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_found_in_any_order() {
        let mut times = Times::default();
        times.add(5, "five", None);
        times.add(3, "three", Some(5));
        times.add(3, "3", Some(3));
        let mut sum = Times::default();
        sum.merge(&times);
        assert_eq!(sum, times);
        assert_eq!(sum.first, Some((3, "three".into())));
        assert_eq!(sum.last, Some((5, "five".into())));
        assert_eq!(sum.backwards, 1);
    }
}
