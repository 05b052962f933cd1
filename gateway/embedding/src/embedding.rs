//! What a text becomes: a direction in space. Texts that mean the same point the same way, in whichever language.

/// Holds the vector of one text: finite numbers of length 1 together, or all 0 where a text has no meaning to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding(Box<[f32]>);

impl Embedding {
    /// Scales a vector to length 1; one that cannot be scaled, because it is 0 or not finite, becomes all 0.
    pub(crate) fn normalized(mut values: Vec<f32>) -> Self {
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length.is_finite() && length > 0.0 {
            values.iter_mut().for_each(|value| *value /= length);
        } else {
            values.fill(0.0);
        }
        Self(values.into())
    }

    /// Returns the numbers.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Returns the cosine of the angle between both: 1 for the same direction, about 0 for unrelated texts, and 0 for a
    /// text that has no meaning to the model. Embeddings of different models cannot be compared.
    pub fn similarity(&self, other: &Self) -> f32 {
        debug_assert_eq!(
            self.0.len(),
            other.0.len(),
            "embeddings of different models"
        );
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_one() {
        let embedding = Embedding::normalized(vec![3.0, 0.0, -4.0]);
        assert_eq!(embedding.as_slice(), [0.6, 0.0, -0.8]);
    }

    #[test]
    fn what_cannot_be_scaled_is_similar_to_nothing() {
        let other = Embedding::normalized(vec![1.0, 2.0]);
        for hopeless in [
            vec![0.0, 0.0],
            vec![f32::NAN, 1.0],
            vec![f32::MAX, f32::MAX],
        ] {
            assert_eq!(Embedding::normalized(hopeless).similarity(&other), 0.0);
        }
    }

    #[test]
    fn similarity_is_the_cosine() {
        let east = Embedding::normalized(vec![2.0, 0.0]);
        let northeast = Embedding::normalized(vec![1.0, 1.0]);
        assert!((east.similarity(&northeast) - 0.5_f32.sqrt()).abs() < 1e-6);
    }
}
