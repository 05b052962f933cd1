//! The numbers of a model, as its file has them: arrays with names. Sizes are checked when an array is asked for.

use std::{iter::FusedIterator, path::Path};

use ndarray::{Array1, Array2};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::ModelError;

/// Reads arrays from a safetensors file that is in memory.
pub(crate) struct Weights<'a> {
    file: &'a Path,
    arrays: SafeTensors<'a>,
    name: String,
}

/// An array of bytes, row by row.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Weights<'a> {
    pub(crate) fn parse(file: &'a Path, content: &'a [u8]) -> Result<Self, ModelError> {
        let broken =
            |error| ModelError::broken(file, format!("it is no safetensors file: {error}"));
        let arrays = SafeTensors::deserialize(content).map_err(broken)?;
        let (_, header) = SafeTensors::read_metadata(content).map_err(broken)?;
        let about = header.metadata().as_ref();
        let said = |key: &str| {
            about
                .and_then(|about| about.get(key))
                .filter(|text| !text.is_empty())
        };
        let (Some(name), Some(digest)) = (said("name"), said("sha256")) else {
            return Err(ModelError::broken(
                file,
                "it does not say `name` and `sha256` of its model",
            ));
        };
        let digest: String = digest.chars().take(12).collect();
        Ok(Self {
            file,
            arrays,
            name: format!("{name} {digest}"),
        })
    }

    /// Returns the name of the model and the beginning of its digest.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns how many columns a matrix has.
    pub(crate) fn columns(&self, name: &str) -> Result<usize, ModelError> {
        let array = self.array(name, Dtype::F32)?;
        match *array.shape() {
            [rows, columns] if rows > 0 && columns > 0 => Ok(columns),
            _ => Err(self.wrong_shape(name, array.shape(), "rows and columns")),
        }
    }

    /// Returns a matrix with this many rows and columns.
    pub(crate) fn matrix(
        &self,
        name: &str,
        size: (usize, usize),
    ) -> Result<Array2<f32>, ModelError> {
        let array = self.array(name, Dtype::F32)?;
        let wrong = || {
            let expected = format!("{} by {}", size.0, size.1);
            self.wrong_shape(name, array.shape(), &expected)
        };
        if array.shape() != [size.0, size.1] {
            return Err(wrong());
        }
        let numbers = self.finite(name, floats(array.data()).collect())?;
        Array2::from_shape_vec(size, numbers).map_err(|_| wrong())
    }

    /// Returns a vector of this length.
    pub(crate) fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, ModelError> {
        let array = self.array(name, Dtype::F32)?;
        if array.shape() != [length] {
            return Err(self.wrong_shape(name, array.shape(), &length.to_string()));
        }
        let numbers = floats(array.data()).collect();
        self.finite(name, numbers).map(Array1::from_vec)
    }

    /// Returns the one number that an array of no dimensions holds.
    pub(crate) fn number(&self, name: &str) -> Result<f32, ModelError> {
        let array = self.array(name, Dtype::F64)?;
        let bytes = array.data().try_into();
        let bytes = bytes.map_err(|_| self.wrong_shape(name, array.shape(), "a single number"))?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the network computes in single precision"
        )]
        let number = f64::from_le_bytes(bytes) as f32;
        Ok(self.finite(name, vec![number])?[0])
    }

    /// Returns an array of bytes, or nothing if there is none of this name.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Bytes<'a>>, ModelError> {
        if self.arrays.tensor(name).is_err() {
            return Ok(None);
        }
        let array = self.array(name, Dtype::U8)?;
        let [rows, columns] = *array.shape() else {
            return Err(self.wrong_shape(name, array.shape(), "two dimensions"));
        };
        Ok(Some(Bytes {
            rows,
            columns,
            bytes: array.data(),
        }))
    }

    /// Makes an error about the file.
    pub(crate) fn broken(&self, reason: impl Into<String>) -> ModelError {
        ModelError::broken(self.file, reason)
    }

    fn array(&self, name: &str, kind: Dtype) -> Result<TensorView<'a>, ModelError> {
        let array = self.arrays.tensor(name);
        let array = array.map_err(|_| self.broken(format!("array `{name}` is missing")))?;
        if array.dtype() != kind {
            let reason = format!(
                "array `{name}` holds {:?}, expected {kind:?}",
                array.dtype()
            );
            return Err(self.broken(reason));
        }
        Ok(array)
    }

    fn wrong_shape(&self, name: &str, found: &[usize], expected: &str) -> ModelError {
        self.broken(format!(
            "array `{name}` has the shape {found:?}, expected {expected}"
        ))
    }

    fn finite(&self, name: &str, numbers: Vec<f32>) -> Result<Vec<f32>, ModelError> {
        if numbers.iter().all(|number| number.is_finite()) {
            return Ok(numbers);
        }
        Err(self.broken(format!("array `{name}` holds something that is no number")))
    }
}

fn floats(bytes: &[u8]) -> impl FusedIterator<Item = f32> {
    let (numbers, _) = bytes.as_chunks();
    numbers.iter().map(|number| f32::from_le_bytes(*number))
}
