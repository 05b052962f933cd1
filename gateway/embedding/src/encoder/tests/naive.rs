//! The network once more, in plain loops and double precision, from its description.

use std::collections::BTreeMap;

use crate::synthetic::{self, BLOCKS, BRANCH, EPSILON, Matrix, VECTOR};

type Row = Vec<f64>;

/// The arrays of the synthetic model, by name.
struct Arrays(BTreeMap<String, Matrix>);

/// Returns the vector of one sentence.
pub(super) fn encode(tokens: &[u32]) -> Row {
    let arrays = Arrays(synthetic::matrices());
    let mut features: Vec<Row> = tokens
        .iter()
        .map(|token| arrays.vector(*token as usize))
        .collect();
    let inputs: Vec<Row> = features.iter().map(|vector| arrays.input(vector)).collect();
    // A window has as many neighbours to the left as to the right, or one less.
    for (number, (window, left)) in [(2, 0), (3, 1), (5, 2)].into_iter().enumerate() {
        let own = |row: &Row| row[number * BRANCH..(number + 1) * BRANCH].to_vec();
        let own: Vec<Row> = inputs.iter().map(own).collect();
        let once = arrays.look(&own, (window, left), 1);
        let twice = arrays.look(&once, (window, left), 2);
        features
            .iter_mut()
            .zip(twice)
            .for_each(|(row, more)| row.extend(more));
    }
    let mut sum = vec![0.0; arrays.numbers("cnn_b").len()];
    for row in features {
        let row = arrays.normalize(&row, "ln_g", "ln_b");
        sum = add(
            &sum,
            &add(&arrays.times("cnn_W", &row), &arrays.numbers("cnn_b")),
        );
    }
    let root = f64::from(u32::try_from(tokens.len()).unwrap()).sqrt();
    let pooled: Row = sum.iter().map(|number| number / root).collect();
    arrays.dense(&pooled)
}

impl Arrays {
    fn dense(&self, pooled: &Row) -> Row {
        let first = rectify(self.times("d0", pooled));
        let second = rectify(add(&self.times("d1", &first), &self.times("p1", pooled)));
        let third = rectify(self.times("d2", &second));
        let last = add(&self.times("d3", &third), &self.times("p3", &second));
        let last: Row = last.into_iter().map(f64::tanh).collect();
        let length = last
            .iter()
            .map(|number| number * number)
            .sum::<f64>()
            .sqrt();
        last.into_iter().map(|number| number / length).collect()
    }

    fn vector(&self, token: usize) -> Row {
        let (block, row) = (token % BLOCKS, token / BLOCKS);
        let (scale, lowest) = (self.numbers("scale")[block], self.numbers("lo")[block]);
        let bytes = &synthetic::blocks()[block][row * VECTOR..(row + 1) * VECTOR];
        bytes
            .iter()
            .map(|byte| f64::from(*byte) * scale + lowest)
            .collect()
    }

    /// The input of all branches, which is normalized as one row.
    fn input(&self, vector: &Row) -> Row {
        let projected = [2, 3, 5].map(|window| {
            let projected = self.times(&format!("proj{window}"), vector);
            add(&projected, &self.numbers(&format!("proj_b{window}")))
        });
        let all = projected.concat();
        let learned = |name: &str| {
            [2, 3, 5]
                .map(|window| self.numbers(&format!("{name}{window}")))
                .concat()
        };
        normalize(&all, &learned("ln_g"), &learned("ln_b"))
    }

    /// One layer of a branch.
    fn look(&self, rows: &[Row], (window, left): (usize, usize), layer: usize) -> Vec<Row> {
        let nothing = vec![0.0; BRANCH];
        let one = |place: usize| {
            let neighbours = (0..window).map(|step| match (place + step).checked_sub(left) {
                Some(neighbour) => rows.get(neighbour).unwrap_or(&nothing),
                None => &nothing,
            });
            let around: Row = neighbours.flatten().copied().collect();
            let seen = self.times(&format!("w{layer}_{window}"), &around);
            let seen = rectify(add(&seen, &self.numbers(&format!("b{layer}_{window}"))));
            add(&seen, &rows[place])
        };
        (0..rows.len()).map(one).collect()
    }

    fn normalize(&self, row: &Row, scale: &str, shift: &str) -> Row {
        normalize(row, &self.numbers(scale), &self.numbers(shift))
    }

    fn numbers(&self, name: &str) -> Row {
        self.0[name]
            .1
            .iter()
            .map(|number| f64::from(*number))
            .collect()
    }

    /// A row times a matrix.
    fn times(&self, name: &str, row: &Row) -> Row {
        let columns = self.0[name].0[1];
        let matrix = self.numbers(name);
        assert_eq!(matrix.len(), row.len() * columns, "{name}");
        let column = |column: usize| {
            (0..row.len())
                .map(|place| row[place] * matrix[place * columns + column])
                .sum()
        };
        (0..columns).map(column).collect()
    }
}

fn normalize(row: &Row, scale: &Row, shift: &Row) -> Row {
    let width = f64::from(u32::try_from(row.len()).unwrap());
    let mean = row.iter().sum::<f64>() / width;
    let variance = row
        .iter()
        .map(|number| (number - mean).powi(2))
        .sum::<f64>()
        / width;
    let unit = |number: &f64| (number - mean) / (variance + EPSILON).sqrt();
    let learned = |(unit, (scale, shift)): (f64, (&f64, &f64))| unit * scale + shift;
    row.iter()
        .map(unit)
        .zip(scale.iter().zip(shift))
        .map(learned)
        .collect()
}

fn add(left: &Row, right: &Row) -> Row {
    left.iter().zip(right).map(|(a, b)| a + b).collect()
}

fn rectify(row: Row) -> Row {
    row.into_iter().map(|number| number.max(0.0)).collect()
}
