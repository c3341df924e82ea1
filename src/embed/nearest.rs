//! The nearest of many vectors, which are the same for every text.
//!
//! Cosines are first taken roughly, in integers, which is several times as fast; those that may be
//! the greatest are then worked out in full, so that the answer is the one that all of them in full
//! would give.

use super::Embedding;

/// What a component of a vector of length 1 is multiplied by before its fraction is cut off.
const SCALE: f64 = 32_767.0;

/// Vectors that others are compared with.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    vectors: Vec<Embedding>,
    /// The same, roughly; absent where one of them cannot be had so.
    rough: Option<Vec<Vec<i16>>>,
}

impl Nearest {
    /// Takes vectors of one embedder.
    pub fn new(vectors: Vec<Embedding>) -> Nearest {
        Nearest {
            rough: vectors.iter().map(rough).collect(),
            vectors,
        }
    }

    /// The greatest cosine and where it is met first; zeros where there is nothing to compare with.
    pub fn to(&self, vector: &Embedding) -> (f64, usize) {
        match (&self.rough, rough(vector)) {
            (Some(others), Some(rough)) => {
                let cosines: Vec<i32> = others.iter().map(|other| product(&rough, other)).collect();
                // Cutting the fraction off moves a component by a unit at most, and the components of a
                // vector of length 1 sum up to at most the root of their number: so far may both be off.
                let components = rough.len() as f64;
                let off = 2.0 * SCALE * components.sqrt() + components;
                let greatest = cosines.iter().copied().max().unwrap_or(0);
                let least = f64::from(greatest) - 2.0 * off;
                let mut rough = cosines.into_iter();
                let may_be = |_: &&Embedding| rough.next().is_none_or(|c| f64::from(c) >= least);
                self.greatest(vector, may_be)
            }
            _ => self.greatest(vector, |_| true),
        }
    }

    /// The greatest cosine of those that are looked at.
    fn greatest(
        &self,
        vector: &Embedding,
        mut looked_at: impl FnMut(&&Embedding) -> bool,
    ) -> (f64, usize) {
        let others = self.vectors.iter().enumerate();
        let cosines = others
            .filter(|(_, other)| looked_at(other))
            .map(|(at, other)| (vector.cosine(other), at));
        let first = cosines.reduce(|best, next| if next.0 > best.0 { next } else { best });
        first.unwrap_or((0.0, 0))
    }
}

/// The direction of a vector in integers; absent where its length is too great or small to divide by,
/// or sums of products could be too great.
fn rough(vector: &Embedding) -> Option<Vec<i16>> {
    if vector.is_zero() {
        return Some(vec![0; vector.values.len()]);
    }
    let scale = SCALE / vector.norm;
    let sound = vector.norm.is_normal() && scale.is_normal() && vector.values.len() <= 4096;
    let component = |value: &f64| (value * scale) as i16;
    sound.then(|| vector.values.iter().map(component).collect())
}

/// Sum of products; of two vectors of [`rough`] it is within 2³¹.
fn product(a: &[i16], b: &[i16]) -> i32 {
    let products = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b));
    products.fold(0, i32::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(count: usize, length: usize) -> Vec<Embedding> {
        let mut state = 7_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
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
                assert_eq!(nearest.to(vector), (cosine, at));
            }
        }
        assert_eq!(Nearest::default().to(&vectors(1, 4)[0]), (0.0, 0));
    }
}
