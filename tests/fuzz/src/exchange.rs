//! Exchanges of ids, there and back.

use std::borrow::Cow;
use std::convert::Infallible;

use gateway_protocol::IdKind;
use serde_json::value::RawValue;

use crate::input::{raw, tree};

const MARK: &str = "~";

/// Returns what takes the place of an id.
pub(crate) fn marked(id: Option<&str>) -> Option<String> {
    id.map(|id| format!("{MARK}{id}"))
}

/// Exchanges the ids in a document by a function that decides about one.
pub(crate) type Rewrite<'r> = dyn for<'a> Fn(
        &'a RawValue,
        &mut dyn FnMut(IdKind, &str) -> Result<Option<String>, Infallible>,
    ) -> Result<Cow<'a, [u8]>, Infallible>
    + 'r;

/// Checks exchanges of one document, and returns it with all ids marked.
pub(crate) fn check(document: &RawValue, rewrite: &Rewrite<'_>) -> Box<RawValue> {
    let mut ids = Vec::new();
    let Ok(kept) = rewrite(document, &mut |kind, id| {
        ids.push((kind, id.to_owned()));
        Ok(None)
    });
    assert_eq!(kept, document.get().as_bytes(), "no id was exchanged");

    // Escapes in an id do not come back, everything else does.
    let Ok(spelled) = rewrite(document, &mut |_, id| Ok(Some(id.to_owned())));
    assert_eq!(tree(&spelled), tree(&kept));

    let mut seen = ids.iter();
    let Ok(there) = rewrite(document, &mut |kind, id| {
        assert_eq!(seen.next(), Some(&(kind, id.to_owned())));
        Ok(marked(Some(id)))
    });
    let there = raw(&there).to_owned();
    let mut seen = ids.iter();
    let Ok(back) = rewrite(&there, &mut |kind, id| {
        let id = id.strip_prefix(MARK).expect("every id was exchanged");
        assert_eq!(seen.next(), Some(&(kind, id.to_owned())));
        Ok(Some(id.to_owned()))
    });
    assert_eq!(seen.next(), None, "an exchanged id is lost");
    assert_eq!(back, spelled, "the way back differs");
    there
}
