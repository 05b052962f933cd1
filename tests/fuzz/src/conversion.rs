//! Conversion between the dialects: what comes out has the shape of its dialect, nothing is lost uncounted, and a second
//! way there and back changes nothing more.
//!
//! An input is three choices (operation, parameters or result, dialect) and JSON.

mod shape;
mod texts;

use gateway_protocol::translate::{Dialect, Losses, StreamState, Translator};
use gateway_protocol::{Error, Operation};
use serde_json::Value;

use crate::input::choose;

const DIALECTS: [Dialect; 3] = [Dialect::V1, Dialect::V03, Dialect::V03Proto];

/// Says which half of a call a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Params,
    Result,
}

/// Is a value of a call.
#[derive(Debug, Clone, Copy)]
struct Place {
    operation: Operation,
    half: Half,
}

/// Converts JSON from one dialect to all.
///
/// # Panics
/// When a converted value does not have the shape of its dialect, has lost something that was not counted, or changes
/// once more on a second way there and back.
pub fn conversion(input: &[u8]) {
    let Some((operation, input)) = choose(input, &Operation::ALL) else {
        return;
    };
    let Some((half, input)) = choose(input, &[Half::Params, Half::Result]) else {
        return;
    };
    let Some((from, input)) = choose(input, &DIALECTS) else {
        return;
    };
    let Ok(value) = serde_json::from_slice::<Value>(input) else {
        return;
    };
    let place = Place { operation, half };
    for to in DIALECTS {
        let translator = Translator::new(from, to);
        match place.convert(translator, &value) {
            Ok((away, losses)) if from == to => check_unchanged(place, &value, &away, &losses),
            Ok((away, losses)) => check_converted(place, translator, &value, (&away, &losses)),
            Err(error) => check_refused(place, &error),
        }
        if half == Half::Result && operation.is_streaming() {
            check_stream(place, translator, &value);
        }
    }
}

impl Place {
    fn convert(self, translator: Translator, value: &Value) -> Result<(Value, Losses), Error> {
        let mut losses = Losses::default();
        let converted = match self.half {
            Half::Params => translator.params(self.operation, value.clone(), &mut losses),
            Half::Result => translator.result(self.operation, value.clone(), &mut losses),
        };
        converted.map(|value| (value, losses))
    }

    /// Tells whether values are not looked into, or have no counterpart.
    fn is_opaque(self) -> bool {
        let result_is = |operation| self.half == Half::Result && self.operation == operation;
        // 0.3 cannot list tasks.
        self.operation == Operation::ListTasks
            || result_is(Operation::GetExtendedAgentCard)
            || result_is(Operation::DeleteTaskPushNotificationConfig)
    }

    /// Tells whether ids may stand in several members, of which one counts.
    fn names_ids_twice(self, from: Dialect) -> bool {
        from == Dialect::V03Proto && self.operation == Operation::CreateTaskPushNotificationConfig
    }
}

fn check_refused(place: Place, error: &Error) {
    match place.half {
        Half::Params if place.operation == Operation::ListTasks => {
            assert_eq!(error.code(), -32004);
        }
        Half::Params => assert_eq!(error.code(), -32602, "{error}"),
        Half::Result => assert_eq!(error.code(), -32006, "{error}"),
    }
}

/// Checks that a value keeps its bytes where nothing is to be converted.
fn check_unchanged(place: Place, value: &Value, away: &Value, losses: &Losses) {
    match (place.operation, place.half) {
        (Operation::ListTasks, Half::Result)
        | (Operation::CreateTaskPushNotificationConfig, Half::Params) => {}
        _ => {
            assert_eq!(away.to_string(), value.to_string());
            assert!(losses.is_empty());
        }
    }
}

fn check_converted(
    place: Place,
    there: Translator,
    value: &Value,
    (away, losses): (&Value, &Losses),
) {
    shape::check(place, there.to, away);
    if place.is_opaque() {
        return;
    }
    if losses.is_empty() && !place.names_ids_twice(there.from) {
        texts::check(there.from, value, away);
    }
    // The first way back may lose as well: names of another dialect were read, which are no names in their own.
    let (back, _) = convert(place, there.reversed(), away);
    shape::check(place, there.from, &back);
    let (away, lost) = convert(place, there, &back);
    assert!(lost.is_empty(), "the second way loses {lost:?} of {back}");
    let (again, lost) = convert(place, there.reversed(), &away);
    assert!(
        lost.is_empty(),
        "the second way back loses {lost:?} of {away}"
    );
    assert_eq!(again.to_string(), back.to_string(), "over {away}");
}

/// Converts an event as the first two of a stream.
fn check_stream(place: Place, translator: Translator, value: &Value) {
    let mut state = StreamState::default();
    let mut next = || translator.event(value.clone(), &mut state, &mut Losses::default());
    let (Ok(first), Ok(second)) = (next(), next()) else {
        return;
    };
    assert!(!second.needs_snapshot, "a snapshot is due in the middle");
    if let Some(opening) = first.opening() {
        shape::check(place, translator.to, &opening);
    }
    if translator.from != translator.to {
        shape::check(place, translator.to, &second.value);
    }
}

/// Converts what was converted before, which must be possible.
fn convert(place: Place, translator: Translator, value: &Value) -> (Value, Losses) {
    let converted = place.convert(translator, value);
    converted.unwrap_or_else(|error| panic!("{error} in {value}"))
}
