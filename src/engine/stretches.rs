//! Which of a run's calls has an id. Ids that count upwards have hashes that do
//! ([`super::digest::id`]), so that however many of them follow one another, they are one stretch.

use super::numbers::{Reader, Writer};
use std::collections::BTreeMap;

/// Calls in a row whose ids count upwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// Hash of the first id.
    first: u64,
    /// Place of its call in the run.
    place: usize,
    calls: usize,
}

impl Stretch {
    fn place(self, id: u64) -> Option<usize> {
        let ahead = id.checked_sub(self.first)?;
        (ahead < self.calls as u64).then(|| self.place + ahead as usize)
    }

    /// Whether that is the id that would be next.
    fn goes_on(self, id: u64) -> bool {
        self.first.checked_add(self.calls as u64) == Some(id)
    }
}

/// The ids of a run, by their hashes.
#[derive(Clone, Debug)]
pub(super) enum Stretches {
    /// In order of arrival.
    Few(Vec<Stretch>),
    /// By the first id, and the first id of the latest.
    Many(Box<(BTreeMap<u64, Stretch>, u64)>),
}

impl Default for Stretches {
    fn default() -> Self {
        Stretches::Few(Vec::new())
    }
}

/// Stretches up to which looking through the list is as quick as a tree.
const FEW: usize = 32;

impl Stretches {
    /// The place of the call of that id.
    #[inline]
    pub(super) fn find(&self, id: u64) -> Option<usize> {
        match self {
            // Mostly it is one of the latest calls.
            Stretches::Few(list) => list.iter().rev().find_map(|stretch| stretch.place(id)),
            Stretches::Many(many) => many.0.range(..=id).next_back()?.1.place(id),
        }
    }

    /// The next call, of that place, has this id, which none before has.
    pub(super) fn push(&mut self, id: u64, place: usize) {
        let latest = match self {
            Stretches::Few(list) => list.last_mut(),
            Stretches::Many(many) => many.0.get_mut(&many.1),
        };
        if let Some(latest) = latest.filter(|latest| latest.goes_on(id)) {
            latest.calls += 1;
            return;
        }
        let stretch = Stretch {
            first: id,
            place,
            calls: 1,
        };
        match self {
            Stretches::Few(list) if list.len() < FEW => {
                if list.len() == list.capacity() {
                    // Most runs have one, and there may be many runs.
                    list.reserve_exact(1 + list.len() / 2);
                }
                list.push(stretch);
            }
            Stretches::Few(list) => {
                let all = list.drain(..).chain([stretch]);
                let by_id = all.map(|stretch| (stretch.first, stretch)).collect();
                *self = Stretches::Many(Box::new((by_id, id)));
            }
            Stretches::Many(many) => {
                many.0.insert(id, stretch);
                many.1 = id;
            }
        }
    }

    /// All ids, in order of arrival.
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        let mut all: Vec<Stretch> = match self {
            Stretches::Few(list) => list.clone(),
            Stretches::Many(many) => many.0.values().copied().collect(),
        };
        all.sort_unstable_by_key(|stretch| stretch.place);
        let ids = |s: Stretch| (0..s.calls as u64).map(move |ahead| s.first.wrapping_add(ahead));
        all.into_iter().flat_map(ids)
    }

    /// Whether it is so few that writing them takes little.
    pub(super) fn are_few(&self) -> bool {
        matches!(self, Stretches::Few(_))
    }

    /// Writes them where they are few.
    pub(super) fn write(&self, out: &mut Writer) {
        let Stretches::Few(list) = self else { return };
        out.number(list.len() as u64);
        for stretch in list {
            out.hash(stretch.first);
            out.number(stretch.calls as u64);
        }
    }

    /// Reads them again.
    pub(super) fn read(from: &mut Reader<'_>) -> Stretches {
        let count = from.size().min(FEW);
        // No more room than they need, as in `push`.
        let (mut list, mut place) = (Vec::with_capacity(count), 0);
        for _ in 0..count {
            let (first, calls) = (from.hash(), from.size());
            list.push(Stretch {
                first,
                place,
                calls,
            });
            place += calls;
        }
        Stretches::Few(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    /// Whatever ids come, they are found as a list of them all finds them.
    #[test]
    fn ids_are_found_where_they_were_put() {
        let mut random = Random::new(1);
        for jumps in [1, 3, 40, 4000] {
            let (mut stretches, mut plain) = (Stretches::default(), Vec::new());
            // The first goes over the end of the numbers.
            let mut id = u64::MAX - 5;
            for _ in 0..3000 {
                id = match random.below(jumps) {
                    0 if jumps > 1 => id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ random.below(9),
                    1 if jumps > 3 => id.wrapping_sub(random.below(20)),
                    _ => id.wrapping_add(1),
                };
                let place = plain.iter().position(|&other| other == id);
                assert_eq!(stretches.find(id), place, "{id}");
                if place.is_none() {
                    stretches.push(id, plain.len());
                    plain.push(id);
                }
                if random.below(20) == 0 && stretches.are_few() {
                    let mut out = Writer::default();
                    stretches.write(&mut out);
                    stretches = Stretches::read(&mut Reader(&out.bytes));
                }
            }
            assert!(stretches.iter().eq(plain));
        }
    }
}
