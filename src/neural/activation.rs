//! Activations, computed without the mathematics library of the system: its last digits differ
//! between machines.

/// A function between two layers. NaN stays NaN in each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// tanh(x).
    Tanh,
    /// The greater of x and 0.
    Relu,
    /// x, or a hundredth of it below zero.
    LeakyRelu,
    /// x, or exp(x) - 1 below zero.
    Elu,
    /// 1 / (1 + exp(-x)).
    Sigmoid,
    /// ln(1 + exp(x)).
    Softplus,
    /// x / (1 + exp(-x)).
    Silu,
    /// x times the normal distribution function of x.
    Gelu,
}

impl Activation {
    /// Every activation, with its name in metadata and policies.
    pub const ALL: &[(Activation, &'static str)] = &[
        (Activation::Tanh, "tanh"),
        (Activation::Relu, "relu"),
        (Activation::LeakyRelu, "leaky_relu"),
        (Activation::Elu, "elu"),
        (Activation::Sigmoid, "sigmoid"),
        (Activation::Softplus, "softplus"),
        (Activation::Silu, "silu"),
        (Activation::Gelu, "gelu"),
    ];

    /// The activation of that name.
    pub fn named(name: &str) -> Option<Activation> {
        let found = Activation::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(activation, _)| *activation)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        let found = Activation::ALL.iter().find(|(known, _)| *known == self);
        found.map_or("", |(_, name)| name)
    }

    /// Its value at x, with the parameters that PyTorch has by default.
    pub fn at(self, x: f64) -> f64 {
        match self {
            Activation::Tanh => libm::tanh(x),
            Activation::Relu if x < 0.0 => 0.0,
            Activation::Relu => x,
            Activation::LeakyRelu if x < 0.0 => 0.01 * x,
            Activation::LeakyRelu => x,
            Activation::Elu if x < 0.0 => libm::expm1(x),
            Activation::Elu => x,
            Activation::Sigmoid => sigmoid(x),
            // Above 20 the sum is x to the last digit that PyTorch keeps, and exp may overflow.
            Activation::Softplus if x > 20.0 => x,
            Activation::Softplus => libm::log1p(libm::exp(x)),
            Activation::Silu => x * sigmoid(x),
            Activation::Gelu => 0.5 * x * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2)),
        }
    }

    /// The least and the greatest value it can take; absent where it has no greatest.
    pub fn bounds(self) -> Option<(f64, f64)> {
        match self {
            Activation::Tanh => Some((-1.0, 1.0)),
            Activation::Sigmoid => Some((0.0, 1.0)),
            _ => None,
        }
    }
}

/// The logistic function; neither side overflows.
fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let e = libm::exp(x);
        e / (1.0 + e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the functions in closed form, to 1e-12.
    #[test]
    fn values_are_those_of_the_formulas() {
        let cases = [
            (Activation::Tanh, 0.5, 0.462_117_157_260_009_8),
            (Activation::Relu, -2.0, 0.0),
            (Activation::Relu, 2.5, 2.5),
            (Activation::LeakyRelu, -2.0, -0.02),
            (Activation::Elu, -1.0, -0.632_120_558_828_557_7),
            (Activation::Sigmoid, 2.0, 0.880_797_077_977_882_4),
            (Activation::Sigmoid, -2.0, 0.119_202_922_022_117_56),
            (Activation::Softplus, 1.0, 1.313_261_687_518_222_8),
            (Activation::Silu, 1.0, 0.731_058_578_630_004_9),
            (Activation::Gelu, 1.0, 0.841_344_746_068_542_9),
        ];
        for (activation, x, value) in cases {
            let ours = activation.at(x);
            assert!((ours - value).abs() < 1e-12, "{activation:?}({x}) = {ours}");
        }
    }

    /// A comparison that forgets NaN would turn an input that is no number into a safe zero.
    #[test]
    fn what_is_no_number_stays_none_and_nothing_overflows() {
        for (activation, name) in Activation::ALL {
            assert!(activation.at(f64::NAN).is_nan(), "{name}");
            assert!(activation.at(1e300).is_finite(), "{name}");
            assert!(activation.at(-1e300).is_finite(), "{name}");
            assert_eq!(Activation::named(name), Some(*activation));
        }
    }
}
