//! What a client asks of routing in the extension's own member of `metadata`.
//!
//! Plain keys belong to everybody, so that a value of another type there is somebody else's. These members are the
//! gateway's own: what is wrong with them is said, since an ignored ceiling would be worse than none.

use std::collections::BTreeMap;

use gateway_protocol::view::MessageView;
use serde_json::value::RawValue;

use super::features::ROUTING_EXTENSION;
use crate::{agent::Effect, decision::Hints, failure::Failure};

/// The members of a JSON object; where a name is repeated, the last one counts.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Adds what the message asks for to its hints; its own metadata is the closer word than that of the request. Of two
/// ceilings the lower one holds.
pub(crate) fn read(message: &MessageView<'_>, hints: &mut Hints) -> Result<(), Failure> {
    let metadata = [message.request_metadata, message.metadata];
    for metadata in metadata.into_iter().flatten() {
        let Some(extension) = extension(metadata)? else {
            continue;
        };
        check_hints(&extension)?;
        if let Some(profile) = extension.get("profile") {
            let name = word(profile).ok_or_else(|| {
                let expected = "the name of a profile as text";
                Failure::unusable_hint(
                    Some("profile"),
                    "the routing profile must be text",
                    expected,
                )
            })?;
            hints.profile = Some(name);
        }
        if let Some(ceiling) = extension.get("max_effect") {
            let effect = word(ceiling).and_then(|word| Effect::parse(&word));
            let effect = effect.ok_or_else(|| {
                let expected = "read, prepare, reversible_write or external_effect";
                let text = format!("`max_effect` must be {expected}");
                Failure::unusable_hint(Some("max_effect"), &text, expected)
            })?;
            // A restriction is not lifted by the other place.
            hints.max_effect = Some(hints.max_effect.map_or(effect, |other| other.min(effect)));
        }
    }
    Ok(())
}

/// Checks what is read as hints as well: in plain metadata it is ignored if it is of another type, here it is refused.
fn check_hints(extension: &Members<'_>) -> Result<(), Failure> {
    let given = |name: &str| extension.get(name).filter(|value| !is_null(value));
    for name in ["agent", "skill"] {
        if given(name).is_some_and(|value| word(value).is_none()) {
            let text = format!("`{name}` must be text");
            return Err(Failure::unusable_hint(Some(name), &text, "an id as text"));
        }
    }
    let Some(budget) = given("budget") else {
        return Ok(());
    };
    let limits: Option<Members<'_>> = serde_json::from_str(budget.get()).ok();
    let limits = limits.ok_or_else(|| {
        let expected = "an object such as {\"max_cost_eur\": 0.5}";
        Failure::unusable_hint(Some("budget"), "`budget` must be an object", expected)
    })?;
    for name in ["max_latency_ms", "max_cost_eur"] {
        let limit = limits.get(name).filter(|value| !is_null(value));
        if limit.is_some_and(|value| !is_limit(value)) {
            let text = format!("`{name}` must be a number that is not negative");
            let hint = Some("budget");
            return Err(Failure::unusable_hint(hint, &text, "a number such as 0.5"));
        }
    }
    Ok(())
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

fn is_limit(value: &RawValue) -> bool {
    let number: Option<f64> = serde_json::from_str(value.get()).ok();
    number.is_some_and(|number| number.is_finite() && number >= 0.0)
}

/// Returns the members of the extension's object, if it is there and not null.
fn extension(metadata: &str) -> Result<Option<Members<'_>>, Failure> {
    let members: Members<'_> = serde_json::from_str(metadata).unwrap_or_default();
    let Some(extension) = members.get(ROUTING_EXTENSION) else {
        return Ok(None);
    };
    serde_json::from_str(extension.get()).map_err(|_| {
        let text = format!("`{ROUTING_EXTENSION}` must be an object");
        Failure::unusable_hint(None, &text, "an object such as {\"max_effect\": \"read\"}")
    })
}

/// Longest name of a profile, in characters; longer ones cannot exist.
const LONGEST_NAME: usize = 64;

fn word(value: &RawValue) -> Option<String> {
    let text: String = serde_json::from_str(value.get()).ok()?;
    Some(text.chars().take(LONGEST_NAME).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(request: Option<&str>, message: Option<&str>) -> Result<Hints, Failure> {
        let view = MessageView {
            request_metadata: request,
            metadata: message,
            ..MessageView::default()
        };
        let mut hints = Hints::default();
        read(&view, &mut hints).map(|()| hints)
    }

    #[test]
    fn only_the_extension_is_read_and_the_message_is_the_closer_word() {
        let plain = r#"{"profile":"fast","max_effect":"read"}"#;
        assert_eq!(hints(Some(plain), Some(plain)).unwrap(), Hints::default());
        let request = format!(r#"{{"{ROUTING_EXTENSION}":{plain}}}"#);
        let message = format!(r#"{{"other\n":1,"{ROUTING_EXTENSION}":{{"profile":"cheap"}}}}"#);
        let both = hints(Some(&request), Some(&message)).unwrap();
        assert_eq!(
            (both.profile.as_deref(), both.max_effect),
            (Some("cheap"), Some(Effect::Read))
        );
    }

    #[test]
    fn of_two_ceilings_the_lower_one_holds_wherever_it_stands() {
        let ceiling = |word| format!(r#"{{"{ROUTING_EXTENSION}":{{"max_effect":"{word}"}}}}"#);
        let (low, high) = (ceiling("read"), ceiling("external_effect"));
        for (request, message) in [(&low, &high), (&high, &low)] {
            let hints = hints(Some(request), Some(message)).unwrap();
            assert_eq!(hints.max_effect, Some(Effect::Read));
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_not_ignored() {
        for wrong in [
            r#"{"max_effect":"raed"}"#,
            r#"{"max_effect":1}"#,
            r#"{"profile":[]}"#,
            r#"{"agent":7}"#,
            r#"{"skill":["a"]}"#,
            r#"{"budget":"low"}"#,
            r#"{"budget":[1]}"#,
            r#"{"budget":{"max_cost_eur":"5"}}"#,
            r#"{"budget":{"max_cost_eur":-1}}"#,
            r#"{"budget":{"max_latency_ms":1e999}}"#,
            r#"{"budget":{"max_latency_ms":true}}"#,
        ] {
            let metadata = format!(r#"{{"{ROUTING_EXTENSION}":{wrong}}}"#);
            let failure = hints(None, Some(&metadata)).unwrap_err();
            assert_eq!(failure.error.code(), -32602, "{wrong}");
        }
    }

    #[test]
    fn what_is_null_is_not_there() {
        for nothing in [
            r#"{"agent":null,"skill":null,"budget":null}"#,
            r#"{"budget":{"max_cost_eur":null,"max_latency_ms":0}}"#,
        ] {
            let metadata = format!(r#"{{"{ROUTING_EXTENSION}":{nothing}}}"#);
            assert!(hints(None, Some(&metadata)).is_ok(), "{nothing}");
        }
    }

    #[test]
    fn what_is_no_object_may_hold_a_ceiling_that_nobody_reads_and_is_refused() {
        for odd in [r#"["read"]"#, r#""{\"max_effect\":\"read\"}""#, "1"] {
            let odd = format!(r#"{{"{ROUTING_EXTENSION}":{odd}}}"#);
            let failure = hints(Some(&odd), None).unwrap_err();
            assert_eq!(failure.error.code(), -32602, "{odd}");
        }
        let nothing = format!(r#"{{"{ROUTING_EXTENSION}":null}}"#);
        assert_eq!(hints(None, Some(&nothing)).unwrap(), Hints::default());
    }
}
