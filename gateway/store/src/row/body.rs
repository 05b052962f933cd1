//! The JSON of a decision as it is stored: compressed, behind a byte that says how.
//!
//! Records have their words in common, so a sample is the dictionary: a record of five agents takes two thirds of what it
//! would take alone, one of many a tenth less.

use std::{borrow::Cow, cell::RefCell, io, sync::LazyLock};

use zstd::{
    bulk::{Compressor, Decompressor},
    dict::{DecoderDictionary, EncoderDictionary},
};

/// JSON as it is, which begins with this byte; all records did before there were forms.
const JSON: u8 = b'{';
/// Compressed with [`SAMPLE`] as dictionary.
const WITH_SAMPLE: u8 = 1;

/// A decision among five agents. What is stored cannot be read without it, so it never changes; another sample would
/// be another form.
const SAMPLE: &[u8] = include_bytes!("body/sample-1.json");

/// The level of compression; higher ones take longer and gain less than a hundredth.
const LEVEL: i32 = 1;

/// The longest JSON that is compressed, in bytes, and so the most that a damaged record can take of memory.
const LIMIT: usize = 16 * 1024 * 1024;

static ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(SAMPLE, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(SAMPLE));

thread_local! {
    /// Kept by the thread, because setting one up takes as long as compressing a short record.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// Returns JSON in the form it is stored in.
///
/// # Errors
/// There is no memory for compressing.
pub(super) fn encode(json: Vec<u8>) -> io::Result<Vec<u8>> {
    if json.len() > LIMIT {
        return Ok(json);
    }
    let compressed = COMPRESSOR.with_borrow_mut(|kept| match kept {
        Some(compressor) => compressor.compress(&json),
        None => kept.insert(compressor()?).compress(&json),
    })?;
    Ok([&[WITH_SAMPLE], compressed.as_slice()].concat())
}

fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_prepared_dictionary(&ENCODER)?;
    // SQLite has no checksums, and half of a record may still be JSON.
    compressor.include_checksum(true)?;
    Ok(compressor)
}

/// Returns the JSON that is stored.
///
/// # Errors
/// What is wrong, in words: the form is not known, the record is damaged, or it is longer than any.
pub(super) fn decode(body: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    let Some((&form, compressed)) = body.split_first() else {
        return Err("it is empty".to_owned());
    };
    match form {
        JSON => Ok(Cow::Borrowed(body)),
        WITH_SAMPLE => Decompressor::with_prepared_dictionary(&DECODER)
            .and_then(|mut decompressor| decompressor.decompress(compressed, LIMIT))
            .map(Cow::Owned)
            .map_err(|error| format!("it does not decompress: {error}")),
        other => Err(format!("its form {other} is not known")),
    }
}

#[cfg(test)]
mod tests;
