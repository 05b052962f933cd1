//! `${VAR}` and `${VAR:-default}` inside scalars.

use std::borrow::Cow;

/// Looks a variable up; the process environment in production, a closure in tests.
pub type Environment<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Why a text could not be interpolated.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unresolved {
    /// The variable is not set and has no default.
    Unset(String),
    /// What follows `${` is not a reference.
    Malformed,
}

/// Replaces each reference by its value.
///
/// A default counts when the variable is unset or empty. `$${` stands for a literal `${`, and a `$` that is not
/// followed by `{` stands for itself. Values are not interpolated again.
pub(super) fn interpolate<'t>(
    text: &'t str,
    environment: &Environment<'_>,
) -> Result<Cow<'t, str>, Unresolved> {
    if !text.contains("${") {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(escaped) = before.strip_suffix('$') {
            out.push_str(escaped);
            out.push_str("${");
            rest = after;
            continue;
        }
        out.push_str(before);
        let (reference, after) = after.split_once('}').ok_or(Unresolved::Malformed)?;
        out.push_str(&resolve(reference, environment)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

fn resolve(reference: &str, environment: &Environment<'_>) -> Result<String, Unresolved> {
    let (name, default) = match reference.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (reference, None),
    };
    if !is_name(name) {
        return Err(Unresolved::Malformed);
    }
    match (environment(name), default) {
        (Some(value), None) => Ok(value),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.to_owned()),
        (None, None) => Err(Unresolved::Unset(name.to_owned())),
    }
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::{Unresolved, interpolate};

    fn resolved(text: &str) -> Result<String, Unresolved> {
        let environment = |name: &str| match name {
            "A" => Some("alpha".to_owned()),
            "EMPTY" => Some(String::new()),
            "NESTED" => Some("${A}".to_owned()),
            _ => None,
        };
        interpolate(text, &environment).map(std::borrow::Cow::into_owned)
    }

    #[test]
    fn references_are_replaced_anywhere_in_a_text() {
        assert_eq!(resolved("x-${A}-${A}.y").unwrap(), "x-alpha-alpha.y");
        assert_eq!(resolved("${EMPTY}").unwrap(), "");
    }

    #[test]
    fn defaults_count_when_a_variable_is_unset_or_empty() {
        assert_eq!(resolved("${A:-b}").unwrap(), "alpha");
        assert_eq!(resolved("${NONE:-b:-c}").unwrap(), "b:-c");
        assert_eq!(resolved("${EMPTY:-b}").unwrap(), "b");
        assert_eq!(resolved("${NONE:-}").unwrap(), "");
    }

    #[test]
    fn a_doubled_dollar_escapes_and_a_lone_dollar_is_literal() {
        assert_eq!(resolved("$${A} $5 $A $").unwrap(), "${A} $5 $A $");
        assert_eq!(resolved("$$${A}").unwrap(), "$${A}");
    }

    #[test]
    fn values_are_not_interpolated_again() {
        assert_eq!(resolved("${NESTED}").unwrap(), "${A}");
    }

    #[test]
    fn unset_variables_and_malformed_references_are_refused() {
        assert_eq!(
            resolved("${NONE}"),
            Err(Unresolved::Unset("NONE".to_owned()))
        );
        for text in ["${", "${}", "${A", "${1A}", "${A-b}", "${A B}"] {
            assert_eq!(resolved(text), Err(Unresolved::Malformed), "{text}");
        }
    }
}
