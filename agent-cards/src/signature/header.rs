//! One entry of `signatures` and its protected header, read with suspicion.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::algorithm::{SignatureAlgorithm, UnacceptedAlgorithm};
use crate::members::{self, Object};

/// The longest protected header and signature read, in bytes of base64.
const LONGEST: usize = 16 * 1024;

/// The longest name of a key or key set, in bytes: it is shown to people.
const LONGEST_NAME: usize = 1024;

/// A signature that can be tried.
#[derive(Debug)]
pub(super) struct Signed<'a> {
    pub(super) protected: &'a str,
    pub(super) signature: &'a str,
    pub(super) header: Header,
}

/// What the protected header says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) kid: String,
    pub(super) jku: Option<String>,
}

/// Why a signature cannot be tried, with what could be read of its header.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub(super) reason: String,
    pub(super) kid: Option<String>,
    pub(super) jku: Option<String>,
}

/// Reads an entry of a card's `signatures`.
pub(super) fn read(entry: &Value) -> Result<Signed<'_>, Unreadable> {
    let Value::Object(object) = entry else {
        return Err(format!(
            "the signature is {}, expected an object",
            members::kind(entry)
        )
        .into());
    };
    let protected = encoded(object, "protected")?;
    let signature = encoded(object, "signature")?;
    decode("signature", signature)?;
    let json = decode("protected", protected)?;
    let header: Value = serde_json::from_slice(&json)
        .map_err(|error| format!("the protected header is not JSON: {error}"))?;
    let Value::Object(header) = &header else {
        let found = members::kind(&header);
        return Err(format!("the protected header is {found}, expected an object").into());
    };
    let text = |name: &str| header.get(name).and_then(Value::as_str).map(str::to_owned);
    let (kid, jku) = (text("kid").filter(|kid| !kid.is_empty()), text("jku"));
    for (name, value) in [("kid", &kid), ("jku", &jku)] {
        let length = value.as_ref().map_or(0, String::len);
        if length > LONGEST_NAME {
            let reason = format!("`{name}` has {length} bytes, {LONGEST_NAME} are read");
            return Err(reason.into());
        }
    }
    match understand(header, kid.clone(), jku.clone()) {
        Ok(header) => Ok(Signed {
            protected,
            signature,
            header,
        }),
        Err(reason) => Err(Unreadable { reason, kid, jku }),
    }
}

/// Returns why a signature cannot be tried, whatever the key.
pub(crate) fn unreadable(entry: &Value) -> Option<String> {
    read(entry).err().map(|unreadable| unreadable.reason)
}

/// Returns the `kid` that a signature names.
pub(super) fn key_id(entry: &Value) -> Option<String> {
    match read(entry) {
        Ok(signed) => Some(signed.header.kid),
        Err(unreadable) => unreadable.kid,
    }
}

/// Returns who a signature says made it: the key's `kid`, and where its key set is.
pub(crate) fn signer(entry: &Value) -> String {
    let (kid, jku) = match read(entry) {
        Ok(signed) => (Some(signed.header.kid), signed.header.jku),
        Err(unreadable) => (unreadable.kid, unreadable.jku),
    };
    let kid = kid.unwrap_or_else(|| "a key without name".to_owned());
    match jku {
        Some(jku) => format!("{kid} of {jku}"),
        None => kid,
    }
}

fn understand(header: &Object, kid: Option<String>, jku: Option<String>) -> Result<Header, String> {
    if header.contains_key("crit") {
        // RFC 7515 §4.1.11: a header that must be understood and is not refuses the signature.
        return Err("the protected header has `crit`, no extension is supported".to_owned());
    }
    let name = header.get("alg").and_then(Value::as_str);
    let name = name.ok_or("the protected header names no algorithm (`alg`)")?;
    let algorithm = name
        .parse()
        .map_err(|error: UnacceptedAlgorithm| error.to_string())?;
    let kid = kid.ok_or("the protected header names no key (`kid`)")?;
    Ok(Header {
        algorithm,
        kid,
        jku,
    })
}

fn encoded<'a>(entry: &'a Object, name: &str) -> Result<&'a str, String> {
    let text = match entry.get(name) {
        None | Some(Value::Null) => return Err(format!("`{name}` is missing")),
        Some(Value::String(text)) => text,
        Some(other) => {
            return Err(format!(
                "`{name}` is {}, expected a string",
                members::kind(other)
            ));
        }
    };
    if text.is_empty() {
        return Err(format!("`{name}` is empty"));
    }
    if text.len() > LONGEST {
        return Err(format!(
            "`{name}` has {} bytes, {LONGEST} are read",
            text.len()
        ));
    }
    Ok(text)
}

fn decode(name: &str, text: &str) -> Result<Vec<u8>, String> {
    URL_SAFE_NO_PAD
        .decode(text)
        .map_err(|error| format!("`{name}` is not base64url without padding: {error}"))
}

impl From<String> for Unreadable {
    fn from(reason: String) -> Self {
        Self {
            reason,
            kid: None,
            jku: None,
        }
    }
}
