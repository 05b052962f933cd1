//! SHA-256 digests as text.

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};

/// Returns `sha256:` and the digest in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(digest(&SHA256, bytes).as_ref()))
}

/// Returns the first 8 hexadecimal digits of the SHA-256 digest.
#[must_use]
pub fn short(bytes: &[u8]) -> String {
    hex(&digest(&SHA256, bytes).as_ref()[..4])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}
