//! Products of matrices of 32-bit floats, and what happens between them.
//!
//! Every sum is taken in an order that is fixed by the shapes: products over the terms one after
//! another, sums of a row in [`LANES`] strands that are added up pairwise. Multiplications are not
//! fused with additions. So the same numbers come out on every machine, however wide its vectors
//! are; the loops are laid out for the compiler to use them.

/// Outputs that are computed side by side.
pub const LANES: usize = 8;

/// Rows that are computed side by side.
const ROWS: usize = 4;

/// One number for each of the outputs that are computed side by side.
type Lanes = [f32; LANES];

/// Rows of numbers, one after another.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Numbers in a row; at least 1.
    pub width: usize,
    /// The rows.
    pub values: Vec<f32>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, width: usize) -> Matrix {
        let values = vec![0.0; rows * width];
        Matrix { width, values }
    }

    /// All of it.
    pub fn view(&self) -> View<'_> {
        self.columns(0, self.width)
    }

    /// The columns from `first` on, `width` of them, which have to be there.
    pub fn columns(&self, first: usize, width: usize) -> View<'_> {
        View {
            matrix: self,
            first,
            width,
        }
    }

    /// The rows, to be changed.
    pub fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, f32> {
        self.values.chunks_exact_mut(self.width)
    }

    /// Adds another matrix of the same shape.
    pub fn add(&mut self, other: &Matrix) {
        for (a, b) in self.values.iter_mut().zip(&other.values) {
            *a += b;
        }
    }
}

/// Some columns of a matrix.
#[derive(Clone, Copy)]
pub struct View<'m> {
    matrix: &'m Matrix,
    first: usize,
    width: usize,
}

impl<'m> View<'m> {
    /// How many rows there are.
    pub fn height(self) -> usize {
        self.matrix.values.len() / self.matrix.width
    }

    /// The rows.
    pub fn rows(self) -> impl Iterator<Item = &'m [f32]> {
        let rows = self.matrix.values.chunks_exact(self.matrix.width);
        rows.map(move |row| &row[self.first..self.first + self.width])
    }

    /// The rows in blocks, the numbers of a column beside each other; the last block is filled up
    /// with zeros.
    fn blocks(self) -> Vec<[f32; ROWS]> {
        let mut blocks = vec![[0.0; ROWS]; self.height().div_ceil(ROWS) * self.width];
        for (i, row) in self.rows().enumerate() {
            let block = &mut blocks[i / ROWS * self.width..][..self.width];
            for (column, &x) in block.iter_mut().zip(row) {
                column[i % ROWS] = x;
            }
        }
        blocks
    }
}

/// The factor on the right of a product, and what is added to it, laid out for [`Panels::times`].
#[derive(Debug)]
pub struct Panels {
    inputs: usize,
    outputs: usize,
    /// Panels of outputs; in a panel one entry an input. The last one is filled up with zeros.
    weights: Vec<Lanes>,
    /// One entry a panel.
    bias: Vec<Lanes>,
}

impl Panels {
    fn empty(inputs: usize, outputs: usize) -> Panels {
        let panels = outputs.div_ceil(LANES);
        Panels {
            inputs,
            outputs,
            weights: vec![[0.0; LANES]; panels * inputs],
            bias: vec![[0.0; LANES]; panels],
        }
    }

    /// Rows become outputs: the product is `x · viewᵀ`.
    pub fn of_rows(view: View<'_>) -> Panels {
        let mut panels = Panels::empty(view.width, view.height());
        for (output, row) in view.rows().enumerate() {
            let panel = &mut panels.weights[output / LANES * view.width..][..view.width];
            for (lanes, &x) in panel.iter_mut().zip(row) {
                lanes[output % LANES] = x;
            }
        }
        panels
    }

    /// Columns become outputs: the product is `x · view`.
    pub fn of_columns(view: View<'_>) -> Panels {
        let mut panels = Panels::empty(view.height(), view.width);
        for (input, row) in view.rows().enumerate() {
            for (panel, part) in row.chunks(LANES).enumerate() {
                panels.weights[panel * panels.inputs + input][..part.len()].copy_from_slice(part);
            }
        }
        panels
    }

    /// The same with a number to add to each output, of which there are as many as outputs.
    pub fn plus(mut self, bias: &[f32]) -> Panels {
        for (lanes, part) in self.bias.iter_mut().zip(bias.chunks(LANES)) {
            lanes[..part.len()].copy_from_slice(part);
        }
        self
    }

    /// The product, with a row for each row of `x`, which is as wide as there are inputs.
    pub fn times(&self, x: View<'_>) -> Matrix {
        let blocks = x.blocks();
        let mut product = Matrix::zeros(x.height(), self.outputs);
        let panels = self.weights.chunks_exact(self.inputs).zip(&self.bias);
        for (p, (panel, &bias)) in panels.enumerate() {
            let first = p * LANES;
            let width = LANES.min(self.outputs - first);
            let rows = product.values.chunks_mut(ROWS * self.outputs);
            for (block, rows) in blocks.chunks_exact(self.inputs).zip(rows) {
                let sums = tile(block, panel, bias);
                for (row, sums) in rows.chunks_exact_mut(self.outputs).zip(&sums) {
                    row[first..first + width].copy_from_slice(&sums[..width]);
                }
            }
        }
        product
    }
}

/// [`ROWS`] rows times one panel.
#[inline]
fn tile(block: &[[f32; ROWS]], panel: &[Lanes], bias: Lanes) -> [Lanes; ROWS] {
    let mut sums = [bias; ROWS];
    for (xs, weights) in block.iter().zip(panel) {
        for (sum, x) in sums.iter_mut().zip(xs) {
            for (sum, weight) in sum.iter_mut().zip(weights) {
                *sum += x * weight;
            }
        }
    }
    sums
}

/// The sum of `f` over a row, in strands.
fn sum(row: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut strands = [0.0f32; LANES];
    let parts = row.chunks_exact(LANES);
    let rest = parts.remainder();
    for part in parts {
        for (strand, &x) in strands.iter_mut().zip(part) {
            *strand += f(x);
        }
    }
    for (strand, &x) in strands.iter_mut().zip(rest) {
        *strand += f(x);
    }
    let [a, b, c, d, e, f, g, h] = strands;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Brings a row to mean 0 and variance 1, then scales and shifts it (Ba, Kiros and Hinton, 2016).
/// `epsilon` is added to the variance.
pub fn normalise(row: &mut [f32], scale: &[f32], shift: &[f32], epsilon: f32) {
    let count = row.len() as f32;
    let mean = sum(row, |x| x) / count;
    let variance = sum(row, |x| (x - mean) * (x - mean)) / count;
    let factor = 1.0 / (variance + epsilon).sqrt();
    for ((x, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
        *x = (*x - mean) * factor * scale + shift;
    }
}

/// Turns a row of numbers into shares of 1 that go with their exponentials.
pub fn softmax(row: &mut [f32]) {
    let greatest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for x in row.iter_mut() {
        *x = libm::expf(*x - greatest);
    }
    let total = sum(row, |x| x);
    for x in row {
        *x /= total;
    }
}

/// `x Φ(x)`, with the normal distribution as it is and not approximated by a hyperbolic tangent
/// (Hendrycks and Gimpel, 2016).
pub fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2))
}
