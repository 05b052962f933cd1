//! The JSON of a decision as it is stored: compressed, behind a byte that says how.
//!
//! Records have their words in common. A short one is compressed with a sample as dictionary, which makes it a third
//! smaller than alone; a long one repeats itself so often that a dictionary would only cost time.

use std::{borrow::Cow, cell::RefCell, io, sync::LazyLock};

use zstd::{
    bulk::{Compressor, Decompressor},
    dict::{DecoderDictionary, EncoderDictionary},
};

/// JSON as it is, which begins with this byte; all records did before there were forms.
const JSON: u8 = b'{';
/// Compressed with [`SAMPLE`] as dictionary.
const WITH_SAMPLE: u8 = 1;
/// Compressed without a dictionary.
const ALONE: u8 = 2;

/// A decision among five agents. What is stored cannot be read without it, so it never changes; another sample would
/// be another form.
const SAMPLE: &[u8] = include_bytes!("body/sample-1.json");

/// The level of compression; higher ones take longer and gain less than a hundredth.
const LEVEL: i32 = 1;

/// The length of JSON, in bytes, from which on it is compressed without the sample.
const LONG: usize = 32 * 1024;

/// The longest JSON that is compressed, in bytes, and so the most that a damaged record can take of memory.
const LIMIT: usize = 16 * 1024 * 1024;

static ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(SAMPLE, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(SAMPLE));

/// Kept by the thread, because setting one up takes as long as compressing a short record.
type Kept = RefCell<Option<Compressor<'static>>>;

thread_local! {
    static COMPRESSOR_WITH_SAMPLE: Kept = const { RefCell::new(None) };
    static COMPRESSOR_ALONE: Kept = const { RefCell::new(None) };
}

/// Returns JSON in the form it is stored in.
///
/// # Errors
/// There is no memory for compressing.
pub(super) fn encode(json: Vec<u8>) -> io::Result<Vec<u8>> {
    let (form, compressed) = match json.len() {
        0..LONG => (
            WITH_SAMPLE,
            COMPRESSOR_WITH_SAMPLE.with(|kept| compress(kept, with_sample, &json))?,
        ),
        LONG..=LIMIT => (
            ALONE,
            COMPRESSOR_ALONE.with(|kept| compress(kept, alone, &json))?,
        ),
        _ => return Ok(json),
    };
    Ok([&[form], compressed.as_slice()].concat())
}

fn with_sample() -> io::Result<Compressor<'static>> {
    Compressor::with_prepared_dictionary(&ENCODER)
}

fn alone() -> io::Result<Compressor<'static>> {
    Compressor::new(LEVEL)
}

fn compress(
    kept: &Kept,
    new: fn() -> io::Result<Compressor<'static>>,
    json: &[u8],
) -> io::Result<Vec<u8>> {
    match &mut *kept.borrow_mut() {
        Some(compressor) => compressor.compress(json),
        empty => {
            let mut compressor = new()?;
            // SQLite has no checksums, and half of a record may still be JSON.
            compressor.include_checksum(true)?;
            empty.insert(compressor).compress(json)
        }
    }
}

/// Returns the JSON that is stored.
///
/// # Errors
/// What is wrong, in words: the form is not known, the record is damaged, or it is longer than any.
pub(super) fn decode(body: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    let Some((&form, compressed)) = body.split_first() else {
        return Err("it is empty".to_owned());
    };
    let decompressor = match form {
        JSON => return Ok(Cow::Borrowed(body)),
        WITH_SAMPLE => Decompressor::with_prepared_dictionary(&DECODER),
        ALONE => Decompressor::new(),
        other => return Err(format!("its form {other} is not known")),
    };
    decompressor
        .and_then(|mut decompressor| decompressor.decompress(compressed, LIMIT))
        .map(Cow::Owned)
        .map_err(|error| format!("it does not decompress: {error}"))
}

#[cfg(test)]
mod tests;
