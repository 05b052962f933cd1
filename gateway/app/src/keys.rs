//! The file with the keys that seal ids.
//!
//! One key per line, 32 bytes in base64; the first seals, all open. To rotate, put a new key on top and keep
//! the old ones for as long as clients may still hold their ids.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write as _},
    path::Path,
};

use aws_lc_rs::rand::fill;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use gateway_core::task::seal::{KEY_LENGTH, KeyRing};

/// The key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Reading or writing failed.
    #[error(
        "the key file `{path}` cannot be {action}: {cause}; let the gateway's user do that, or set `keys.file` to another path"
    )]
    Io {
        /// The file.
        path: String,
        /// `read` or `created`.
        action: &'static str,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A line is no key.
    #[error(
        "line {line} of the key file `{path}` is not a key: expected 32 bytes in base64; restore the file from a backup"
    )]
    NotAKey {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// There is no key in it.
    #[error("the key file `{0}` holds no key; delete it to have a new one made")]
    Empty(String),
    /// No random numbers.
    #[error(
        "the system gave no random numbers for a new key; put 32 random bytes in base64 into the file that `keys.file` names"
    )]
    NoRandom,
}

/// Makes a random key that is kept nowhere.
pub(crate) fn temporary() -> Result<KeyRing, KeyFileError> {
    let mut key = [0; KEY_LENGTH];
    fill(&mut key).map_err(|_| KeyFileError::NoRandom)?;
    KeyRing::new(&[key]).ok_or(KeyFileError::NoRandom)
}

/// Reads the key file; when there is none, creates one with a random key, readable by its owner only.
pub(crate) fn load_or_create(path: &Path) -> Result<KeyRing, KeyFileError> {
    let shown = path.display().to_string();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => create(path, &shown)?,
        Err(cause) => {
            return Err(KeyFileError::Io {
                path: shown,
                action: "read",
                cause,
            });
        }
    };
    let mut keys = Vec::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let key = STANDARD
            .decode(line.trim())
            .ok()
            .and_then(|bytes| <[u8; KEY_LENGTH]>::try_from(bytes).ok());
        keys.push(key.ok_or_else(|| KeyFileError::NotAKey {
            path: shown.clone(),
            line: number + 1,
        })?);
    }
    KeyRing::new(&keys).ok_or(KeyFileError::Empty(shown))
}

fn create(path: &Path, shown: &str) -> Result<String, KeyFileError> {
    let mut key = [0; KEY_LENGTH];
    fill(&mut key).map_err(|_| KeyFileError::NoRandom)?;
    let text = format!("{}\n", STANDARD.encode(key));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let failed = |cause| KeyFileError::Io {
        path: shown.to_owned(),
        action: "created",
        cause,
    };
    written.map_err(failed)?;
    tracing::info!("created the key file `{shown}`; replicas and later starts need the same one");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_start_creates_a_private_file_and_later_ones_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.key");
        load_or_create(&path).unwrap();
        let first = fs::read_to_string(&path).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        load_or_create(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), first);
    }

    #[test]
    fn bad_files_are_named_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.key");
        fs::write(
            &path,
            format!("{}\nnot a key\n", STANDARD.encode([7; KEY_LENGTH])),
        )
        .unwrap();
        assert!(
            load_or_create(&path)
                .unwrap_err()
                .to_string()
                .starts_with("line 2 of the key file")
        );
        fs::write(&path, "\n").unwrap();
        assert!(
            load_or_create(&path)
                .unwrap_err()
                .to_string()
                .contains("holds no key")
        );
        let missing = folder.path().join("none/gateway.key");
        assert!(
            load_or_create(&missing)
                .unwrap_err()
                .to_string()
                .contains("cannot be created")
        );
    }
}
