//! Tensors as files hold them, every number a double.

use super::Refusal;

/// Most numbers of all tensors of a model together.
pub const MAX_NUMBERS: usize = 1 << 22;

/// Most tensors of a model.
pub const MAX_TENSORS: usize = 1000;

/// What a number is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// IEEE double.
    F64,
    /// IEEE single.
    F32,
    /// IEEE half.
    F16,
    /// The upper half of a single.
    Bf16,
}

impl Dtype {
    /// Bytes of a number.
    pub fn size(self) -> usize {
        match self {
            Dtype::F64 => 8,
            Dtype::F32 => 4,
            Dtype::F16 | Dtype::Bf16 => 2,
        }
    }

    /// The number that little-endian bytes hold, which a double holds exactly. Absent where they are
    /// too few.
    pub fn number(self, bytes: &[u8]) -> Option<f64> {
        Some(match self {
            Dtype::F64 => f64::from_le_bytes(bytes.try_into().ok()?),
            Dtype::F32 => f64::from(f32::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::F16 => half(u16::from_le_bytes(bytes.try_into().ok()?)),
            Dtype::Bf16 => {
                let bits = u16::from_le_bytes(bytes.try_into().ok()?);
                f64::from(f32::from_bits(u32::from(bits) << 16))
            }
        })
    }
}

/// IEEE 754 binary16.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (bits >> 10 & 0x1f, f64::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        e => sign * (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(e) - 15),
    }
}

/// A tensor, in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name. Untrusted.
    pub name: String,
    /// Its extents; none for a single number.
    pub shape: Vec<usize>,
    /// Its numbers, as many as the extents multiply to, all finite.
    pub numbers: Vec<f64>,
}

impl Tensor {
    /// A tensor of the numbers.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn new(name: &str, shape: Vec<usize>, numbers: Vec<f64>) -> Result<Tensor, Refusal> {
        match numbers.iter().position(|x| !x.is_finite()) {
            Some(at) => Err(Refusal::new(format!(
                "number {at} of `{name}` is {}, which is not finite",
                numbers[at]
            ))),
            None => Ok(Tensor {
                name: name.to_owned(),
                shape,
                numbers,
            }),
        }
    }

    /// Its extents in words.
    pub fn extents(&self) -> String {
        extents(&self.shape)
    }
}

/// Extents in words: `64 x 16`.
pub fn extents(shape: &[usize]) -> String {
    match shape {
        [] => "a single number".to_owned(),
        _ => {
            let parts: Vec<String> = shape.iter().map(usize::to_string).collect();
            parts.join(" x ")
        }
    }
}

/// How many numbers the extents multiply to, where that is no more than a model may have.
pub fn count(shape: &[usize]) -> Option<usize> {
    let product = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d))?;
    (product <= MAX_NUMBERS).then_some(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_floats_are_widened_exactly() {
        let cases = [
            (0x3c00u16, 1.0),
            (0xc000, -2.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x7bff, 65504.0),
            (0x3555, 0.333_251_953_125),
        ];
        for (bits, value) in cases {
            assert_eq!(Dtype::F16.number(&bits.to_le_bytes()), Some(value));
        }
        assert_eq!(Dtype::Bf16.number(&0x3f80u16.to_le_bytes()), Some(1.0));
        assert_eq!(
            Dtype::F16.number(&0x7c00u16.to_le_bytes()),
            Some(f64::INFINITY)
        );
        assert!(Dtype::F16.number(&[1, 0x7c]).is_some_and(f64::is_nan));
        assert_eq!(Dtype::F32.number(&[0; 3]), None);
    }

    #[test]
    fn extents_that_do_not_fit_are_none() {
        assert_eq!(count(&[2, 3]), Some(6));
        assert_eq!(count(&[]), Some(1));
        assert_eq!(count(&[usize::MAX, 2]), None);
        assert_eq!(count(&[1 << 12, 1 << 12]), None);
    }
}
