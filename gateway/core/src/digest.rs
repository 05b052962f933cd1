//! SHA-256 digests as text.

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};

/// Returns `sha256:` and the digest in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(digest(&SHA256, bytes).as_ref()))
}

/// Returns the first 8 hexadecimal digits of what [`sha256`] returned: enough to be shown, not to be compared.
#[must_use]
pub fn shown(digest: &str) -> &str {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    digits.get(..8).unwrap_or(digits)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{sha256, shown};

    #[test]
    fn shown_digits_are_the_first_of_the_digest() {
        let digest = sha256(b"abc");
        assert!(digest.starts_with("sha256:ba7816bf8f01cfea"), "{digest}");
        assert_eq!((digest.len(), shown(&digest)), (71, "ba7816bf"));
    }
}
