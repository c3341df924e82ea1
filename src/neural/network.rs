//! The function itself: normalisation, dense layers, one activation between them.
//!
//! Weights may have been stored with fewer digits; everything is computed in double precision, sums
//! in the order of the inputs and without fused operations, so that every machine gets the same h.

use super::activation::Activation;

/// A dense layer: outputs = weight * inputs + bias.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Its name in the file. Untrusted.
    pub name: String,
    /// Numbers it takes, at least 1.
    pub inputs: usize,
    /// Numbers it gives, at least 1.
    pub outputs: usize,
    /// Row by row, `outputs` rows of `inputs` finite numbers.
    pub weight: Vec<f64>,
    /// One finite number an output; absent where the layer adds none.
    pub bias: Option<Vec<f64>>,
}

/// Normalisation and layers. The layers fit together, and the last one has a single output.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Subtracted from the inputs; as many as there are, finite.
    pub mean: Vec<f64>,
    /// What they are then divided by; as many, finite and positive.
    pub std: Vec<f64>,
    /// The layers, at least one.
    pub layers: Vec<Dense>,
    /// What stands between two layers; nothing follows the last. Absent where there is one layer and
    /// nobody named any.
    pub activation: Option<Activation>,
}

impl Network {
    /// How many numbers it takes.
    pub fn inputs(&self) -> usize {
        self.mean.len()
    }

    /// Weights, and biases where there are any, together.
    pub fn parameters(&self) -> usize {
        let biases = |l: &Dense| l.bias.as_ref().map_or(0, Vec::len);
        let layers = self.layers.iter();
        layers.map(|l| l.weight.len() + biases(l)).sum()
    }

    /// Whether the inputs are normalised, or taken as they are.
    pub fn is_normalised(&self) -> bool {
        self.mean.iter().any(|m| *m != 0.0) || self.std.iter().any(|s| *s != 1.0)
    }

    /// An input as the first layer sees it, in deviations from its mean; NaN where there is no such
    /// input.
    pub fn normalised(&self, index: usize, input: f64) -> f64 {
        match (self.mean.get(index), self.std.get(index)) {
            (Some(mean), Some(std)) => (input - mean) / std,
            _ => f64::NAN,
        }
    }

    /// The output; NaN where an input, or any number on the way to it, is not finite, and where there
    /// are too few or too many inputs. An activation could hide that: tanh of infinity is 1.
    pub fn h(&self, inputs: &[f64]) -> f64 {
        if inputs.len() != self.inputs() || !inputs.iter().all(|x| x.is_finite()) {
            return f64::NAN;
        }
        let normalised = inputs.iter().enumerate();
        let mut values: Vec<f64> = normalised.map(|(i, &x)| self.normalised(i, x)).collect();
        for (n, layer) in self.layers.iter().enumerate() {
            let mut outputs = layer.outputs(&values);
            if !outputs.iter().all(|x| x.is_finite()) {
                return f64::NAN;
            }
            if n + 1 < self.layers.len() {
                let Some(activation) = self.activation else {
                    return f64::NAN;
                };
                for value in &mut outputs {
                    *value = activation.at(*value);
                }
            }
            values = outputs;
        }
        values.first().copied().unwrap_or(f64::NAN)
    }

    /// What h can come to at all, as far as the last hidden activation bounds it: the least and the
    /// greatest. Absent where it does not.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        let (low, high) = self.activation?.bounds()?;
        let last = self.layers.last().filter(|_| self.layers.len() > 1)?;
        let bias = last.biases().next()?;
        let reach = |pick: fn(f64, f64) -> f64| {
            let weights = last.weight.iter();
            weights.fold(bias, |sum, w| sum + pick(w * low, w * high))
        };
        let bounds = (reach(f64::min), reach(f64::max));
        (bounds.0.is_finite() && bounds.1.is_finite()).then_some(bounds)
    }
}

impl Dense {
    /// What is added to each output.
    fn biases(&self) -> impl Iterator<Item = f64> {
        let bias = self.bias.as_deref();
        (0..self.outputs).map(move |i| bias.map_or(0.0, |b| b.get(i).copied().unwrap_or(f64::NAN)))
    }

    fn outputs(&self, values: &[f64]) -> Vec<f64> {
        let rows = self.weight.chunks_exact(self.inputs).zip(self.biases());
        let output = |(row, bias): (&[f64], f64)| {
            let products = row.iter().zip(values).map(|(w, x)| w * x);
            products.fold(0.0, |sum, product| sum + product) + bias
        };
        rows.map(output).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(inputs: usize, weight: &[f64], bias: &[f64]) -> Dense {
        Dense {
            name: "l".into(),
            inputs,
            outputs: bias.len(),
            weight: weight.to_vec(),
            bias: Some(bias.to_vec()),
        }
    }

    fn network(activation: Activation) -> Network {
        Network {
            mean: vec![1.0, 2.0],
            std: vec![2.0, 0.5],
            layers: vec![
                dense(2, &[1.0, -1.0, 0.5, 0.25], &[0.1, -0.2]),
                dense(2, &[2.0, -3.0], &[0.5]),
            ],
            activation: Some(activation),
        }
    }

    /// A layer without biases computes as one whose biases are zero, and has fewer parameters.
    #[test]
    fn biases_that_are_not_there_are_not_counted() {
        let mut network = network(Activation::Relu);
        assert_eq!(network.parameters(), 9);
        for layer in &mut network.layers {
            layer.bias = Some(vec![0.0; layer.outputs]);
        }
        let zeros = network.h(&[3.0, 1.0]);
        for layer in &mut network.layers {
            layer.bias = None;
        }
        assert_eq!((network.h(&[3.0, 1.0]), network.parameters()), (zeros, 6));
    }

    #[test]
    fn the_output_is_that_of_the_formula() {
        // Normalised 1 and -2: 3.1 and -0.2, of which the second is cut off.
        let h = network(Activation::Relu).h(&[3.0, 1.0]);
        assert!((h - 6.7).abs() < 1e-12, "{h}");
    }

    #[test]
    fn what_is_not_finite_never_comes_out_as_a_number() {
        let network = network(Activation::Tanh);
        for inputs in [
            vec![f64::NAN, 0.0],
            vec![f64::INFINITY, 0.0],
            vec![1.0],
            vec![1.0; 3],
            // Finite by themselves, too large once normalised and summed.
            vec![f64::MAX, -f64::MAX],
        ] {
            assert!(network.h(&inputs).is_nan(), "{inputs:?}");
        }
    }

    #[test]
    fn bounds_hold_and_are_attained() {
        let network = network(Activation::Tanh);
        assert_eq!(network.bounds(), Some((-4.5, 5.5)));
        for i in -20..20 {
            let h = network.h(&[f64::from(i) * 100.0, f64::from(-i) * 3.0]);
            assert!((-4.5..=5.5).contains(&h));
        }
        assert_eq!(
            super::Network::bounds(&self::network(Activation::Relu)),
            None
        );
    }
}
