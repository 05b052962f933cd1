//! The kinds of layers the network is made of. A matrix has one row for each token, or for each sentence.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis, Slice};

use crate::{ModelError, weights::Weights};

/// Up to this many rows a product is computed row by row.
const FEW_ROWS: usize = 3;

/// Brings each row to mean 0 and variance 1, then scales and shifts its numbers as was learned.
pub(super) struct LayerNorm {
    pub(super) scale: Array1<f32>,
    pub(super) shift: Array1<f32>,
    /// Keeps a row without variance from being divided by 0.
    pub(super) epsilon: f32,
}

impl LayerNorm {
    pub(super) fn apply(&self, matrix: &mut Array2<f32>) {
        for mut row in matrix.rows_mut() {
            let mean = row.mean().unwrap_or_default();
            row -= mean;
            let variance = row.dot(&row) / count(row.len());
            row *= (variance + self.epsilon).sqrt().recip();
            row *= &self.scale;
            row += &self.shift;
        }
    }
}

/// A matrix to multiply with and a vector to add.
pub(super) struct Linear {
    pub(super) factor: Array2<f32>,
    pub(super) bias: Array1<f32>,
}

impl Linear {
    pub(super) fn apply(&self, input: &ArrayRef2<f32>) -> Array2<f32> {
        multiply(input, &self.factor) + &self.bias
    }
}

/// Looks at each token together with its neighbours, twice; what comes out is as wide as what goes in.
pub(super) struct Branch {
    window: usize,
    first: Linear,
    second: Linear,
}

impl Branch {
    pub(super) fn read(
        weights: &Weights<'_>,
        window: usize,
        width: usize,
    ) -> Result<Self, ModelError> {
        let layer = |number: usize| {
            Ok::<_, ModelError>(Linear {
                factor: weights.matrix(&format!("w{number}_{window}"), (window * width, width))?,
                bias: weights.vector(&format!("b{number}_{window}"), width)?,
            })
        };
        let (first, second) = (layer(1)?, layer(2)?);
        Ok(Self {
            window,
            first,
            second,
        })
    }

    pub(super) fn apply(&self, input: &ArrayRef2<f32>, sentences: &[Range<usize>]) -> Array2<f32> {
        let once = self.layer(&self.first, input, sentences);
        self.layer(&self.second, &once, sentences)
    }

    fn layer(
        &self,
        layer: &Linear,
        input: &ArrayRef2<f32>,
        sentences: &[Range<usize>],
    ) -> Array2<f32> {
        let windows = windows(input, sentences, self.window);
        let mut output = layer.apply(&windows);
        rectify(&mut output);
        output + input
    }
}

/// Lays each token's window out in one row. What would lie outside the sentence is 0.
fn windows(input: &ArrayRef2<f32>, sentences: &[Range<usize>], window: usize) -> Array2<f32> {
    let (tokens, width) = input.dim();
    let before = (window - 1) / 2;
    let mut all = Array2::zeros((tokens, window * width));
    for sentence in sentences {
        for token in sentence.clone() {
            for place in 0..window {
                // Unsigned, a place before the first token wraps to one behind every sentence.
                let neighbour = (token + place).wrapping_sub(before);
                if sentence.contains(&neighbour) {
                    let columns = Slice::from(place * width..(place + 1) * width);
                    let mut row = all.row_mut(token);
                    row.slice_axis_mut(Axis(0), columns)
                        .assign(&input.row(neighbour));
                }
            }
        }
    }
    all
}

/// Raises negative numbers to 0.
pub(super) fn rectify(matrix: &mut Array2<f32>) {
    matrix.mapv_inplace(|number| number.max(0.0));
}

/// Multiplies two matrices.
pub(super) fn multiply(left: &ArrayRef2<f32>, right: &Array2<f32>) -> Array2<f32> {
    if left.nrows() > FEW_ROWS {
        return left.dot(right);
    }
    // The general way rearranges the right matrix first, which does not pay for a few rows.
    let mut product = Array2::zeros((left.nrows(), right.ncols()));
    for (row, mut into) in left.rows().into_iter().zip(product.rows_mut()) {
        add_rows(&row, right, &mut into);
    }
    product
}

/// Adds up the rows of a matrix, each times its factor.
fn add_rows(factors: &ArrayRef1<f32>, matrix: &Array2<f32>, into: &mut ArrayRef1<f32>) {
    for (factor, row) in factors.into_iter().zip(matrix.rows()) {
        // Half of what was rectified is 0.
        if *factor != 0.0 {
            into.scaled_add(*factor, &row);
        }
    }
}

/// Returns a number of tokens or columns as the network computes with it.
#[expect(
    clippy::cast_precision_loss,
    reason = "a count is far below the 16 million that are exact"
)]
pub(super) fn count(number: usize) -> f32 {
    number as f32
}
