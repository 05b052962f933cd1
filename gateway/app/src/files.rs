//! Files that others wrote, read with a limit.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// The largest file of keys that is read, in bytes.
pub(crate) const LARGEST_KEYS: usize = 1024 * 1024;

/// The largest file that is read as a secret, in bytes.
pub(crate) const LARGEST_SECRET: usize = 64 * 1024;

/// Reads a file that has at most this many bytes.
pub(crate) fn read(path: &Path, largest: usize) -> io::Result<Vec<u8>> {
    read_from(File::open(path)?, largest)
}

/// Reads to the end of what has at most this many bytes.
pub(crate) fn read_from(reader: impl Read, largest: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(largest as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > largest {
        return Err(io::Error::other(format!(
            "it is over the limit of {largest} bytes"
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::read_from;

    #[test]
    fn a_file_at_the_limit_is_read_and_one_over_it_is_not() {
        assert_eq!(read_from(&b"1234"[..], 4).unwrap(), b"1234");
        let refused = read_from(&b"12345"[..], 4).unwrap_err();
        assert_eq!(refused.to_string(), "it is over the limit of 4 bytes");
    }
}
