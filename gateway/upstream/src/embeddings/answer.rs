//! Reads what an embeddings API answers, of which nothing is taken for granted.

use serde::Deserialize;

/// The most numbers of a vector.
const WIDEST: usize = 8192;

#[derive(Deserialize)]
struct Answer {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    index: usize,
    embedding: Vec<f32>,
}

/// Returns one vector for each of so many texts, in their order and of length 1.
pub(super) fn read(body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        format!("an answer that is not `{{\"data\": [{{\"index\", \"embedding\"}}]}}` (at {place})")
    })?;
    let found = answer.data.len();
    if found != texts {
        return Err(format!("{found} vectors for {texts} texts"));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    for Entry { index, embedding } in answer.data {
        let place = vectors.get_mut(index).filter(|place| place.is_none());
        let place = place.ok_or_else(|| format!("two vectors or none with `index` {index}"))?;
        *place = Some(of_length_1(embedding)?);
    }
    Ok(vectors.into_iter().flatten().collect())
}

/// Scales a vector to length 1; one of nothing but zeros stays so.
fn of_length_1(mut vector: Vec<f32>) -> Result<Vec<f32>, String> {
    if vector.is_empty() || vector.len() > WIDEST {
        let width = vector.len();
        return Err(format!(
            "a vector of {width} numbers; 1 to {WIDEST} are read"
        ));
    }
    let length = vector
        .iter()
        .map(|value| f64::from(*value).powi(2))
        .sum::<f64>()
        .sqrt();
    if !length.is_finite() {
        return Err("a vector with a number that is none".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, reason = "between -1 and 1")]
    for value in vector.iter_mut().filter(|_| length > 0.0) {
        *value = (f64::from(*value) / length) as f32;
    }
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn vectors_are_ordered_by_index_and_scaled() {
        let body = r#"{"object":"list","data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4.0]}],"usage":{}}"#;
        assert_eq!(
            read(body.as_bytes(), 2),
            Ok(vec![vec![0.6, 0.8], vec![0.0, 1.0]])
        );
        let nothing = r#"{"data":[{"index":0,"embedding":[0,0]}]}"#;
        assert_eq!(read(nothing.as_bytes(), 1), Ok(vec![vec![0.0, 0.0]]));
    }

    #[test]
    fn what_is_wrong_is_refused_with_its_reason() {
        for (body, problem) in [
            ("<html>Bad gateway</html>", "an answer that is not"),
            ("", "an answer that is not"),
            (r#"{"data":[]}"#, "0 vectors for 1 texts"),
            (r#"{"data":[{"index":1,"embedding":[1]}]}"#, "`index` 1"),
            (r#"{"data":[{"index":0,"embedding":[]}]}"#, "0 numbers"),
            (
                r#"{"data":[{"index":0,"embedding":[NaN]}]}"#,
                "an answer that is not",
            ),
            (
                r#"{"data":[{"index":0,"embedding":[null]}]}"#,
                "an answer that is not",
            ),
            (
                r#"{"data":[{"index":0,"embedding":"AACAPw=="}]}"#,
                "an answer that is not",
            ),
            (
                r#"{"data":[{"index":0,"embedding":[1e39]}]}"#,
                "an answer that is not",
            ),
        ] {
            let said = read(body.as_bytes(), 1).unwrap_err();
            assert!(said.contains(problem), "{body}: {said}");
        }
        let twice = r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#;
        assert!(read(twice.as_bytes(), 2).unwrap_err().contains("`index` 0"));
        let wide = format!(
            r#"{{"data":[{{"index":0,"embedding":[{}1]}}]}}"#,
            "1,".repeat(WIDEST)
        );
        assert!(read(wide.as_bytes(), 1).unwrap_err().contains("8193"));
    }

    proptest! {
        #[test]
        fn no_answer_breaks_the_reader(body in ".{0,200}") {
            let _refused = read(body.as_bytes(), 1);
        }

        #[test]
        fn every_vector_that_is_read_has_length_1(numbers in proptest::collection::vec(-1e30_f32..1e30, 1..40)) {
            let body = serde_json::json!({ "data": [{ "index": 0, "embedding": numbers }] }).to_string();
            let vector = read(body.as_bytes(), 1).unwrap().remove(0);
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-3, "{}", length);
        }
    }
}
