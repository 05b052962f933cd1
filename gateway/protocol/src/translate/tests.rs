//! Golden tables, one per subject, and the round trips that the list of losses must explain.

mod configuration;
mod errors;
mod events;
mod leniency;
mod messages;
mod parts;
mod push;
mod requests;
mod results;
mod round_trip;

use serde_json::Value;

use super::*;
use Dialect::{V1, V03, V03Proto};

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Converts parameters and returns the names of what was lost.
fn params(
    operation: Operation,
    (from, to): (Dialect, Dialect),
    text: &str,
) -> (Value, Vec<&'static str>) {
    params_with(Translator::new(from, to), operation, text)
}

fn params_with(
    translator: Translator,
    operation: Operation,
    text: &str,
) -> (Value, Vec<&'static str>) {
    let mut losses = Losses::default();
    let converted = translator.params(operation, read(text), &mut losses);
    let converted = converted.unwrap_or_else(|error| panic!("{error} for {text}"));
    (converted, names(&losses))
}

fn result(
    operation: Operation,
    (from, to): (Dialect, Dialect),
    text: &str,
) -> (Value, Vec<&'static str>) {
    let mut losses = Losses::default();
    let converted = Translator::new(from, to).result(operation, read(text), &mut losses);
    let converted = converted.unwrap_or_else(|error| panic!("{error} for {text}"));
    (converted, names(&losses))
}

/// Returns the message and the field of the error that parameters cause.
fn refused(operation: Operation, from: Dialect, text: &str) -> (String, String) {
    let to = if from == V1 { V03 } else { V1 };
    let error = Translator::new(from, to)
        .params(operation, read(text), &mut Losses::default())
        .unwrap_err();
    assert_eq!(error.code(), -32602, "{text}");
    let field = &error.details[0]["fieldViolations"][0]["field"];
    (error.message.clone(), field.as_str().unwrap().to_owned())
}

fn names(losses: &Losses) -> Vec<&'static str> {
    losses.iter().map(|(loss, _)| loss.name()).collect()
}

const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
const DIALECTS: [Dialect; 3] = [V03, V03Proto, V1];

/// Asserts that three texts say the same in 0.3, its protobuf form and 1.0, whatever is converted to whatever.
fn assert_same_params(operation: Operation, forms: [&str; 3]) {
    assert_same(forms, |pair, text| params(operation, pair, text));
}

fn assert_same_result(operation: Operation, forms: [&str; 3]) {
    assert_same(forms, |pair, text| result(operation, pair, text));
}

fn assert_same(
    forms: [&str; 3],
    convert: impl Fn((Dialect, Dialect), &str) -> (Value, Vec<&'static str>),
) {
    for (from, to) in PAIRS {
        let (converted, lost) = convert((DIALECTS[from], DIALECTS[to]), forms[from]);
        let pair = (DIALECTS[from], DIALECTS[to]);
        assert_eq!(converted, read(forms[to]), "{pair:?} of {}", forms[from]);
        assert_eq!(lost, [""; 0], "{pair:?} of {}", forms[from]);
    }
}

/// Wraps a part as the only one of a message that an agent answers with.
fn message_with(dialect: Dialect, part: &str) -> String {
    match dialect {
        V03 => format!(r#"{{"kind":"message","messageId":"m","role":"agent","parts":[{part}]}}"#),
        V03Proto => {
            format!(r#"{{"message":{{"messageId":"m","role":"ROLE_AGENT","content":[{part}]}}}}"#)
        }
        V1 => format!(r#"{{"message":{{"messageId":"m","role":"ROLE_AGENT","parts":[{part}]}}}}"#),
    }
}

/// Converts one part and returns what was lost.
fn part(pair: (Dialect, Dialect), text: &str) -> (Value, Vec<&'static str>) {
    let (converted, lost) = result(Operation::SendMessage, pair, &message_with(pair.0, text));
    let place = match pair.1 {
        V03 => "/parts/0",
        V03Proto => "/message/content/0",
        V1 => "/message/parts/0",
    };
    (converted.pointer(place).unwrap().clone(), lost)
}
