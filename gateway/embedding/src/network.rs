//! The network: from tokens to one vector for each sentence.
//!
//! It looks at a sentence in windows of two, three and five tokens and adds up what it sees, divided by the root of the
//! sentence's length. There is no attention, which is why it takes milliseconds. Names of arrays are those of the model's
//! file; all sizes come from there.

mod layers;
mod table;

use std::ops::Range;

use ndarray::{Array2, Axis, Slice, concatenate};

use self::{
    layers::{Branch, LayerNorm, Linear, count, multiply, rectify},
    table::Table,
};
use crate::{ModelError, weights::Weights};

/// How many tokens each of the branches sees at once.
const WINDOWS: [usize; 3] = [2, 3, 5];

/// Holds all numbers of the model.
pub(crate) struct Network {
    table: Table,
    /// From a token's vector to the input of all branches, side by side.
    projection: Linear,
    projection_norm: LayerNorm,
    branches: Vec<Branch>,
    features_norm: LayerNorm,
    pooled: Linear,
    dense: Dense,
}

impl Network {
    pub(crate) fn read(weights: &Weights<'_>) -> Result<Self, ModelError> {
        let table = Table::read(weights)?;
        let epsilon = weights.number("eps")?;
        let width = weights.columns("proj2")?;
        let features = table.width() + WINDOWS.len() * width;
        let norm = |scale, shift| LayerNorm {
            scale,
            shift,
            epsilon,
        };
        let side_by_side = |name: &str| {
            let parts = WINDOWS.map(|window| weights.vector(&format!("{name}{window}"), width));
            let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
            Ok::<_, ModelError>(parts.into_iter().flatten().collect())
        };
        let pooled = weights.columns("cnn_W")?;
        Ok(Self {
            projection: Linear {
                factor: projection(weights, (table.width(), width))?,
                bias: side_by_side("proj_b")?,
            },
            projection_norm: norm(side_by_side("ln_g")?, side_by_side("ln_b")?),
            branches: WINDOWS
                .into_iter()
                .map(|window| Branch::read(weights, window, width))
                .collect::<Result<_, _>>()?,
            features_norm: norm(
                weights.vector("ln_g", features)?,
                weights.vector("ln_b", features)?,
            ),
            pooled: Linear {
                factor: weights.matrix("cnn_W", (features, pooled))?,
                bias: weights.vector("cnn_b", pooled)?,
            },
            dense: Dense::read(weights, pooled)?,
            table,
        })
    }

    /// Returns how many tokens the network knows: a token is less than that.
    pub(crate) fn tokens(&self) -> usize {
        self.table.tokens()
    }

    /// Computes one row for each sentence, of any length. A sentence is not empty.
    pub(crate) fn forward(&self, sentences: &[&[u32]]) -> Array2<f32> {
        let places = places(sentences);
        let mut features = self.features(sentences, &places);
        self.features_norm.apply(&mut features);
        self.dense.apply(&self.pool(&features, &places))
    }

    /// Computes for each token its vector and what the branches see around it, side by side.
    fn features(&self, sentences: &[&[u32]], places: &[Range<usize>]) -> Array2<f32> {
        let tokens = places.last().map_or(0, |place| place.end);
        let (start, width) = (
            self.table.width(),
            self.projection.bias.len() / WINDOWS.len(),
        );
        let mut features = Array2::zeros((tokens, start + self.projection.bias.len()));
        let mut vectors = Array2::zeros((tokens, start));
        for (token, mut row) in sentences.iter().copied().flatten().zip(vectors.rows_mut()) {
            self.table
                .write(*token as usize, row.as_slice_mut().unwrap_or_default());
        }
        let mut inputs = self.projection.apply(&vectors);
        self.projection_norm.apply(&mut inputs);
        features
            .slice_axis_mut(Axis(1), (..start).into())
            .assign(&vectors);
        for (number, branch) in self.branches.iter().enumerate() {
            let columns = number * width..(number + 1) * width;
            let seen = branch.apply(
                &inputs.slice_axis(Axis(1), Slice::from(columns.clone())),
                places,
            );
            let columns = Slice::from(start + columns.start..start + columns.end);
            features.slice_axis_mut(Axis(1), columns).assign(&seen);
        }
        features
    }

    /// Adds up the tokens of each sentence, divided by the root of their number.
    fn pool(&self, features: &Array2<f32>, places: &[Range<usize>]) -> Array2<f32> {
        let mut sums = Array2::zeros((places.len(), features.ncols()));
        for (place, mut sum) in places.iter().zip(sums.rows_mut()) {
            let own = features.slice_axis(Axis(0), place.clone().into());
            sum.assign(&own.sum_axis(Axis(0)));
        }
        // Every token is multiplied with the same matrix, so it may as well be their sum.
        let mut pooled = multiply(&sums, &self.pooled.factor);
        for (place, mut row) in places.iter().zip(pooled.rows_mut()) {
            let tokens = count(place.len());
            row.scaled_add(tokens, &self.pooled.bias);
            row /= tokens.sqrt();
        }
        pooled
    }
}

/// Finds where each sentence lies when all are laid out one after the other.
fn places(sentences: &[&[u32]]) -> Vec<Range<usize>> {
    let mut end = 0;
    let place = |sentence: &&[u32]| {
        let start = end;
        end += sentence.len();
        start..end
    };
    sentences.iter().map(place).collect()
}

fn projection(weights: &Weights<'_>, size: (usize, usize)) -> Result<Array2<f32>, ModelError> {
    let parts = WINDOWS.map(|window| weights.matrix(&format!("proj{window}"), size));
    let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<_> = parts.iter().map(|part| part.view()).collect();
    concatenate(Axis(1), &parts).map_err(|error| weights.broken(error.to_string()))
}

/// The layers behind the sum over all tokens: three, of which the second and the last also see what the one before saw.
struct Dense {
    first: Array2<f32>,
    second: Array2<f32>,
    second_past_first: Array2<f32>,
    third: Array2<f32>,
    last: Array2<f32>,
    last_past_third: Array2<f32>,
}

impl Dense {
    fn read(weights: &Weights<'_>, input: usize) -> Result<Self, ModelError> {
        let inner = weights.columns("d0")?;
        let third = weights.columns("d2")?;
        let output = weights.columns("d3")?;
        Ok(Self {
            first: weights.matrix("d0", (input, inner))?,
            second: weights.matrix("d1", (inner, inner))?,
            second_past_first: weights.matrix("p1", (input, inner))?,
            third: weights.matrix("d2", (inner, third))?,
            last: weights.matrix("d3", (third, output))?,
            last_past_third: weights.matrix("p3", (inner, output))?,
        })
    }

    fn apply(&self, input: &Array2<f32>) -> Array2<f32> {
        let mut first = multiply(input, &self.first);
        rectify(&mut first);
        let mut second = multiply(&first, &self.second) + multiply(input, &self.second_past_first);
        rectify(&mut second);
        let mut third = multiply(&second, &self.third);
        rectify(&mut third);
        let mut last = multiply(&third, &self.last) + multiply(&second, &self.last_past_third);
        last.mapv_inplace(f32::tanh);
        last
    }
}
