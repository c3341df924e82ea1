//! The nearest of many vectors, which are the same for every text.
//!
//! Cosines are first taken roughly, in integers, which is several times as fast; those that may be
//! the greatest are then worked out in full, so that the answer is the one that all of them in full
//! would give.

use super::Embedding;

/// What a component of a vector of length 1 is multiplied by before its fraction is cut off.
const SCALE: f64 = 32_767.0;

/// Components whose products are summed at once.
const BLOCK: usize = 32;

/// Vectors that others are compared with.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    vectors: Vec<Embedding>,
    /// Their directions, one after the other; absent where one of them cannot be had so, or they are
    /// not of one length.
    rough: Option<Vec<i16>>,
}

/// A vector for which the nearest is looked for, once or among several.
#[derive(Clone, Debug)]
pub struct Sought<'v> {
    vector: &'v Embedding,
    /// Its direction; absent where it cannot be had so.
    rough: Option<Vec<i16>>,
}

impl<'v> Sought<'v> {
    /// Takes a vector of the embedder whose vectors it is compared with.
    pub fn new(vector: &'v Embedding) -> Sought<'v> {
        let mut rough = Vec::with_capacity(vector.values.len());
        let is_sound = push_direction(vector, &mut rough);
        Sought {
            vector,
            rough: is_sound.then_some(rough),
        }
    }
}

impl Nearest {
    /// Takes vectors of one embedder.
    pub fn new(vectors: Vec<Embedding>) -> Nearest {
        let length = vectors.first().map_or(0, |vector| vector.values.len());
        let mut rough = Vec::with_capacity(vectors.len() * length);
        let is_sound = vectors
            .iter()
            .all(|vector| vector.values.len() == length && push_direction(vector, &mut rough));
        Nearest {
            rough: is_sound.then_some(rough),
            vectors,
        }
    }

    /// The greatest cosine and where it is met first; zeros where there is nothing to compare with.
    pub fn to(&self, sought: &Sought<'_>) -> (f64, usize) {
        let vector = sought.vector;
        let (Some(others), Some(rough)) = (&self.rough, &sought.rough) else {
            return self.greatest(vector, |_| true);
        };
        if rough.is_empty() || others.len() != rough.len() * self.vectors.len() {
            return self.greatest(vector, |_| true);
        }
        let others = others.chunks_exact(rough.len());
        let cosines: Vec<i32> = others.map(|other| product(rough, other)).collect();
        // Cutting the fraction off moves a component by a unit at most, and the components of a vector
        // of length 1 sum up to at most the root of their number: so far may both be off.
        let components = rough.len() as f64;
        let off = 2.0 * SCALE * components.sqrt() + components;
        let greatest = cosines.iter().copied().max().unwrap_or(0);
        let least = f64::from(greatest) - 2.0 * off;
        self.greatest(vector, |at| {
            cosines.get(at).is_none_or(|c| f64::from(*c) >= least)
        })
    }

    /// The greatest cosine of those that are looked at.
    fn greatest(&self, vector: &Embedding, looked_at: impl Fn(usize) -> bool) -> (f64, usize) {
        let others = self.vectors.iter().enumerate();
        let cosines = others
            .filter(|(at, _)| looked_at(*at))
            .map(|(at, other)| (vector.cosine(other), at));
        let first = cosines.reduce(|best, next| if next.0 > best.0 { next } else { best });
        first.unwrap_or((0.0, 0))
    }
}

/// Appends the direction of a vector in integers; false where its length is too great or small to
/// divide by, or sums of products could be too great.
fn push_direction(vector: &Embedding, out: &mut Vec<i16>) -> bool {
    if vector.is_zero() {
        out.resize(out.len() + vector.values.len(), 0);
        return true;
    }
    let scale = SCALE / vector.norm;
    let sound = vector.norm.is_normal() && scale.is_normal() && vector.values.len() <= 4096;
    let component = |value: &f64| (value * scale) as i16;
    if sound {
        out.extend(vector.values.iter().map(component));
    }
    sound
}

/// Sum of products; of two directions it is within 2³¹. In blocks, which take no more than a few
/// registers each.
fn product(a: &[i16], b: &[i16]) -> i32 {
    let (a, a_rest) = a.as_chunks::<BLOCK>();
    let (b, b_rest) = b.as_chunks::<BLOCK>();
    let sum = |a: &[i16], b: &[i16]| {
        let products = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b));
        products.fold(0, i32::wrapping_add)
    };
    let blocks = a.iter().zip(b).map(|(a, b)| sum(a, b));
    blocks.fold(sum(a_rest, b_rest), i32::wrapping_add)
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
}
