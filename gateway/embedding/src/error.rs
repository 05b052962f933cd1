//! Why a model cannot be used, with the file and the next step.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Says which file of a model cannot be used and why.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// There is no such file.
    #[error("the model's file `{}` is missing: fetch the model with `deploy/fetch-model {}`", .0.display(), folder(.0))]
    Missing(PathBuf),
    /// The file is there but cannot be read.
    #[error("the model's file `{}` cannot be read", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// The file holds something else than expected.
    #[error(
        "the model's file `{}` cannot be used: {reason}; remove `{}` and fetch the model with `deploy/fetch-model {}`",
        file.display(),
        folder(file),
        folder(file)
    )]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl ModelError {
    pub(crate) fn broken(file: &Path, reason: impl Into<String>) -> Self {
        Self::Broken {
            file: file.to_owned(),
            reason: reason.into(),
        }
    }
}

fn folder(file: &Path) -> impl std::fmt::Display {
    file.parent().unwrap_or(file).display()
}
