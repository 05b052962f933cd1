//! The tenant of 1.0 parameters, which is between a client and its server alone (A2A §8.3.2).

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Cursor, Kind};
use crate::{Error, ErrorKind};

/// Takes the tenant out of parameters of 1.0, of which all other bytes stay.
///
/// An empty one and `null` count as absent. The error is -32602 for one that is no string or is there twice.
pub fn split_tenant(params: &RawValue) -> Result<(Option<String>, Cow<'_, RawValue>), Error> {
    let text = params.get();
    let mut cursor = Cursor::new(text);
    if !text.starts_with('{') {
        return Ok((None, Cow::Borrowed(params)));
    }
    cursor.enter_object();
    let mut end_before = None;
    let mut found = None;
    while let Some(name) = cursor.next_member() {
        let value = cursor.value();
        if name == "tenant" {
            if found.is_some() {
                return Err(invalid("occurs more than once"));
            }
            let tenant = match value.kind() {
                Some(Kind::Null) => None,
                _ => Some(value.string().ok_or_else(|| invalid("must be a string"))?),
            };
            found = Some((tenant, end_before, value.end()));
        }
        end_before = Some(value.end());
    }
    let Some((tenant, start, end)) = found else {
        return Ok((None, Cow::Borrowed(params)));
    };
    let after = text.get(end..).unwrap_or_default();
    let (start, after) = match start {
        Some(start) => (start, after),
        // The first member leaves its comma behind.
        None => (1, after.trim_ascii_start().trim_start_matches(',')),
    };
    let before = text.get(..start).unwrap_or_default();
    let rest = RawValue::from_string(format!("{before}{after}"))
        .map_err(|_| Error::new(ErrorKind::Internal, "the parameters cannot be put together"))?;
    let tenant = tenant.filter(|tenant| !tenant.is_empty());
    Ok((tenant.map(Cow::into_owned), Cow::Owned(rest)))
}

fn invalid(problem: &str) -> Error {
    Error::new(ErrorKind::InvalidParams, format!("`tenant` {problem}"))
        .field_violation("tenant", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Result<(Option<String>, String), ErrorKind> {
        let params = RawValue::from_string(text.to_owned()).unwrap();
        split_tenant(&params)
            .map(|(tenant, rest)| (tenant, rest.get().to_owned()))
            .map_err(|error| error.kind)
    }

    #[test]
    fn all_but_the_tenant_stays_as_it_is() {
        for (params, rest) in [
            (r#"{"tenant":"x"}"#, "{}"),
            (r#"{ "tenant" : "x" , "n": 1E2 }"#, r#"{ "n": 1E2 }"#),
            (
                r#"{"n":1.50, "tenant":"x", "m":{}}"#,
                r#"{"n":1.50, "m":{}}"#,
            ),
            (
                r#"{"n":"\u00e9","te\u006eant":"\u0078"}"#,
                r#"{"n":"\u00e9"}"#,
            ),
        ] {
            let expected = (Some("x".to_owned()), rest.to_owned());
            assert_eq!(split(params), Ok(expected), "{params}");
        }
    }

    #[test]
    fn no_tenant_is_found_where_there_is_none() {
        for params in [
            "{}",
            r#"{"m":{"tenant":"x"}}"#,
            "[1]",
            "null",
            r#""tenant""#,
        ] {
            assert_eq!(split(params), Ok((None, params.to_owned())));
        }
        for absent in [r#"{"tenant":null}"#, r#"{"tenant":""}"#] {
            assert_eq!(split(absent), Ok((None, "{}".to_owned())));
        }
    }

    #[test]
    fn other_tenants_are_refused() {
        for params in [
            r#"{"tenant":1}"#,
            r#"{"tenant":["x"]}"#,
            r#"{"tenant":"x","tenant":"x"}"#,
        ] {
            assert_eq!(split(params), Err(ErrorKind::InvalidParams), "{params}");
        }
    }
}
