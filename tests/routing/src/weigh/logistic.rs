//! Logistic regression by Newton's method.

/// Steps, many more than are needed.
const STEPS: usize = 50;
/// Keeps weights finite where the data could be told apart without error.
const RIDGE: f64 = 1e-3;

/// Returns the weights under which the observed answers are likeliest.
pub(super) fn regression<const N: usize>(observed: &[([f64; N], bool)]) -> [f64; N] {
    let mut weights = [0.0; N];
    for _ in 0..STEPS {
        let mut slope = weights.map(|weight| RIDGE * weight);
        let mut bend = [[0.0; N]; N];
        for (place, row) in bend.iter_mut().enumerate() {
            row[place] = RIDGE;
        }
        for (features, is_right) in observed {
            let sum: f64 = weights.iter().zip(features).map(|(a, b)| a * b).sum();
            let expected = probability(sum);
            let error = expected - f64::from(u8::from(*is_right));
            let spread = expected * (1.0 - expected);
            for (row, (slope, feature)) in bend.iter_mut().zip(slope.iter_mut().zip(features)) {
                *slope += error * feature;
                for (value, other) in row.iter_mut().zip(features) {
                    *value += spread * feature * other;
                }
            }
        }
        let step = solve(bend, slope);
        let longest = step
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        let shortened = (5.0 / longest.max(f64::MIN_POSITIVE)).min(1.0);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight -= shortened * step;
        }
    }
    weights
}

/// Returns the probability of log-odds.
pub(super) fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Solves a symmetric, positive definite system by elimination.
fn solve<const N: usize>(mut rows: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for pivot in 0..N {
        let (row, value) = (rows[pivot], right[pivot]);
        for below in 0..N {
            if below == pivot {
                continue;
            }
            let factor = rows[below][pivot] / row[pivot];
            for (cell, above) in rows[below].iter_mut().zip(row) {
                *cell -= factor * above;
            }
            right[below] -= factor * value;
        }
    }
    std::array::from_fn(|place| right[place] / rows[place][place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_weights_are_found_again() {
        let mut observed = Vec::new();
        for at in 0..2000_u32 {
            let (first, second) = (
                f64::from(at % 20) / 5.0 - 2.0,
                f64::from(at / 20) / 25.0 - 2.0,
            );
            let likely = probability(1.5 * first - 0.5 * second + 0.3);
            let right = (likely * 100.0).round();
            observed.extend((0..100).map(|draw| ([first, second, 1.0], f64::from(draw) < right)));
        }
        let found = regression(&observed);
        for (found, known) in found.iter().zip([1.5, -0.5, 0.3]) {
            assert!((found - known).abs() < 0.02, "{found} is not {known}");
        }
    }
}
