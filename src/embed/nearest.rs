//! The nearest of many vectors, which are the same for every text.
//!
//! Cosines are first taken roughly, in integers, which is several times as fast; those that may be
//! the greatest are then worked out in full, so that the answer is the one that all of them in full
//! would give.

use super::Embedding;
use wide::{i16x8, i32x4};

/// What a component of a vector of length 1 is multiplied by before it is rounded.
const SCALE: f64 = 32_767.0;

/// Vectors whose products are summed side by side.
const SIDE: usize = 8;

/// Two components of the direction of each of [`SIDE`] vectors.
type Pairs = [i16x8; SIDE / 4];

/// Vectors that others are compared with.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    vectors: Vec<Embedding>,
    /// Their directions, as many side by side as are summed so; absent where one of them cannot be had,
    /// or they are not of one length.
    rough: Option<Vec<Pairs>>,
}

/// A vector for which the nearest is looked for, once or among several.
#[derive(Clone, Debug)]
pub struct Sought<'v> {
    vector: &'v Embedding,
    /// Its direction, each two components as often as they are multiplied at once; absent where it
    /// cannot be had.
    rough: Option<Vec<i16x8>>,
}

impl<'v> Sought<'v> {
    /// Takes a vector of the embedder whose vectors it is compared with.
    pub fn new(vector: &'v Embedding) -> Sought<'v> {
        let pairs = direction(vector);
        let often = |[a, b]: [i16; 2]| i16x8::new([a, b, a, b, a, b, a, b]);
        Sought {
            vector,
            rough: pairs.map(|pairs| pairs.map(often).collect()),
        }
    }
}

impl Nearest {
    /// Takes vectors of one embedder.
    pub fn new(vectors: Vec<Embedding>) -> Nearest {
        Nearest {
            rough: side_by_side(&vectors),
            vectors,
        }
    }

    /// The greatest cosine and where it is met first; zeros where there is nothing to compare with.
    pub fn to(&self, sought: &Sought<'_>) -> (f64, usize) {
        let (vector, count) = (sought.vector, self.vectors.len());
        let (Some(others), Some(rough)) = (&self.rough, &sought.rough) else {
            return greatest(vector, self.vectors.iter().enumerate());
        };
        if rough.is_empty() || others.len() != rough.len() * count.div_ceil(SIDE) {
            return greatest(vector, self.vectors.iter().enumerate());
        }
        let mut cosines = Vec::with_capacity(count.next_multiple_of(SIDE));
        for others in others.chunks_exact(rough.len()) {
            let products = others.iter().zip(rough);
            let sums = products.fold([i32x4::ZERO; SIDE / 4], |[a, b], ([c, d], pair)| {
                [a + c.dot(*pair), b + d.dot(*pair)]
            });
            cosines.extend_from_slice(sums.map(i32x4::to_array).as_flattened());
        }
        cosines.truncate(count);
        // Rounding moves a component by a unit at most, and the components of a vector of length 1 sum
        // up to at most the root of their number: so far may both be off.
        let components = (2 * rough.len()) as f64;
        let off = 2.0 * SCALE * components.sqrt() + components;
        let most = cosines.iter().copied().max().unwrap_or(0);
        let least = most - (2.0 * off) as i32 - 1;
        let known = cosines.iter().zip(&self.vectors).enumerate();
        let near = known.filter(|(_, (cosine, _))| **cosine >= least);
        greatest(vector, near.map(|(at, (_, other))| (at, other)))
    }
}

/// The greatest cosine of a vector to one of these, and the place of the first that has it.
fn greatest<'v>(
    vector: &Embedding,
    others: impl Iterator<Item = (usize, &'v Embedding)>,
) -> (f64, usize) {
    let cosines = others.map(|(at, other)| (vector.cosine(other), at));
    let first = cosines.reduce(|best, next| if next.0 > best.0 { next } else { best });
    first.unwrap_or((0.0, 0))
}

/// The directions of vectors, side by side; nothing is beside the last of them.
fn side_by_side(vectors: &[Embedding]) -> Option<Vec<Pairs>> {
    let length = vectors.first()?.values.len();
    let mut all = Vec::with_capacity(length.div_ceil(2) * vectors.len().div_ceil(SIDE));
    for group in vectors.chunks(SIDE) {
        let one = |vector: &Embedding| match vector.values.len() == length {
            true => Some(direction(vector)?.collect()),
            false => None,
        };
        let group: Vec<Vec<[i16; 2]>> = group.iter().map(one).collect::<Option<_>>()?;
        for pair in 0..length.div_ceil(2) {
            let component = |place: usize| {
                let pair = group.get(place / 2).and_then(|one| one.get(pair));
                pair.map_or(0, |pair| pair[place % 2])
            };
            all.push(std::array::from_fn(|at| {
                i16x8::new(std::array::from_fn(|lane| component(8 * at + lane)))
            }));
        }
    }
    Some(all)
}

/// The direction of a vector in integers, two components at a time; absent where its length is too
/// great or small to divide by, or sums of products, which are within 2³¹, could be too great.
fn direction(vector: &Embedding) -> Option<impl Iterator<Item = [i16; 2]>> {
    let scale = match vector.is_zero() {
        true => 0.0,
        false => SCALE / vector.norm,
    };
    let sound = vector.is_zero() || vector.norm.is_normal() && scale.is_normal();
    if !sound || vector.values.len() > 4096 {
        return None;
    }
    let (pairs, rest) = vector.values.as_chunks();
    let last = rest.first().map(|last| [*last, 0.0]);
    let pairs = pairs.iter().copied().chain(last);
    Some(pairs.map(move |pair| pair.map(|value| rounded(value * scale))))
}

/// The integer that is nearest to a number within ±32,767: the lowest bits once it is added to a number
/// so great that no fraction is left.
fn rounded(value: f64) -> i16 {
    const GREAT: f64 = (3_u64 << 51) as f64;
    (value + GREAT).to_bits() as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn vectors(count: usize, length: usize) -> Vec<Embedding> {
        let mut random = Random::new(7);
        let mut next = || random.below(1_u32 << 31) as f64 / f64::from(1_u32 << 30) - 1.0;
        let mut vector = || Embedding::new((0..length).map(|_| next()).collect());
        (0..count).map(|_| vector()).collect()
    }

    /// Also of vectors that are nearly or wholly the same, and of those that are none.
    #[test]
    fn the_nearest_is_the_one_that_cosines_tell() {
        for length in [1, 7, 128, 384] {
            let mut others = vectors(80, length);
            for at in 0..20 {
                let mut values = others[at].values.to_vec();
                values[0] += 1e-6 * at as f64;
                others.push(Embedding::new(values));
            }
            others.push(others[3].clone());
            others.push(Embedding::new(vec![0.0; length]));
            others.push(Embedding::new(
                others[5].values.iter().map(|v| v * 1e9).collect(),
            ));
            let nearest = Nearest::new(others.clone());
            let huge = Embedding::new(vec![1e200; length]);
            for vector in vectors(50, length).iter().chain(&others).chain([&huge]) {
                let cosines = others.iter().map(|other| vector.cosine(other)).enumerate();
                let best = cosines.reduce(|best, next| if next.1 > best.1 { next } else { best });
                let (at, cosine) = best.expect("some");
                assert_eq!(nearest.to(&Sought::new(vector)), (cosine, at));
            }
        }
        assert_eq!(
            Nearest::default().to(&Sought::new(&vectors(1, 4)[0])),
            (0.0, 0)
        );
    }

    /// Of vectors that all point away, the nearest is one of them, and not a place that is left free.
    #[test]
    fn a_free_place_is_near_to_nothing() {
        let vector = Embedding::new(vec![1.0, 2.0, 3.0]);
        let away = Embedding::new(vec![-1.0, -2.0, -2.5]);
        for count in 1..=2 * SIDE {
            let nearest = Nearest::new(vec![away.clone(); count]);
            let expected = (vector.cosine(&away), 0);
            assert_eq!(nearest.to(&Sought::new(&vector)), expected, "{count}");
        }
    }
}
