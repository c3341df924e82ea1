//! How alike two embeddings are.

/// Cosine of two vectors of one length, clamped to [-1, 1]; absent where either is empty or all
/// zeros.
///
/// Both are scaled by their greatest component first, so that neither squares of large components
/// nor of small ones leave the range of a float.
pub fn cosine(a: &[f64], b: &[f64]) -> Option<f64> {
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let (sa, sb) = (largest(a), largest(b));
    if sa == 0.0 || sb == 0.0 {
        return None;
    }
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(x, y)| f(x / sa, y / sb)).sum()
    };
    let (aa, bb, ab) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    Some((ab / (aa.sqrt() * bb.sqrt())).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::cosine;

    #[test]
    fn the_cosine_stays_in_range() {
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 1.0]), Some(0.0));
        assert_eq!(
            cosine(&[1e200, 1e200], &[1e-200, 1e-200]).map(|c| c > 0.999_999),
            Some(true)
        );
        let v = [0.1, 0.2, 0.3];
        assert!(cosine(&v, &v).is_some_and(|c| c <= 1.0));
        assert_eq!(cosine(&[0.0], &[1.0]), None);
        assert_eq!(cosine(&[], &[]), None);
    }
}
