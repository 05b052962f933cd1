//! The configuration of a message: the wait flag is inverted between the versions, and zero history means all in one
//! dialect and none in the others.

use serde_json::Value;

use super::conversion::Conversion;
use super::fields::{Fields, Object, Read};
use super::push::PushConfig;
use super::{Dialect, Loss, UnsetBlocking};
use crate::Operation;

/// Is what a client asks of the answer to a message.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    /// Whether there was a configuration at all.
    is_present: bool,
    accepted_output_modes: Option<Vec<String>>,
    push: Option<PushConfig>,
    history_length: Option<i32>,
    /// Whether the client waits for the task to end or to ask; absent if it leaves that to the agent.
    waits: Option<bool>,
}

impl Configuration {
    pub(super) fn read(
        value: Option<Value>,
        operation: Operation,
        conversion: &mut Conversion<'_>,
    ) -> Read<Self> {
        let mut configuration = Self::default();
        let mut flag = None;
        if let Some(value) = value {
            let mut fields = Fields::read(value)?;
            configuration = Self {
                is_present: true,
                accepted_output_modes: fields.texts("acceptedOutputModes")?,
                push: read_push(&mut fields, conversion)?,
                history_length: read_history_length(&mut fields, conversion.from)?,
                waits: None,
            };
            flag = match conversion.from {
                Dialect::V1 => fields.flag("returnImmediately")?.map(|returns| !returns),
                Dialect::V03 | Dialect::V03Proto => fields.flag("blocking")?,
            };
            fields.finish(conversion.losses);
        }
        configuration.waits = flag.or_else(|| Self::unset(operation, conversion));
        Ok(configuration)
    }

    /// Returns what a client means that does not say whether it waits.
    fn unset(operation: Operation, conversion: &Conversion<'_>) -> Option<bool> {
        // A stream is no wait: the flag has no effect there (A2A §3.2.2).
        if operation == Operation::SendStreamingMessage {
            return None;
        }
        match (conversion.from, conversion.settings.unset_blocking) {
            (Dialect::V1, _) => Some(true),
            (Dialect::V03 | Dialect::V03Proto, UnsetBlocking::Wait) => Some(true),
            (Dialect::V03 | Dialect::V03Proto, UnsetBlocking::Return)
            | (Dialect::V03Proto, UnsetBlocking::AsSent) => Some(false),
            (Dialect::V03, UnsetBlocking::AsSent) => None,
        }
    }

    pub(super) fn write(
        self,
        operation: Operation,
        conversion: &mut Conversion<'_>,
    ) -> Option<Value> {
        let is_proto = conversion.to == Dialect::V03Proto;
        let mut configuration = Object::default();
        configuration.put_some("acceptedOutputModes", self.accepted_output_modes);
        let push = self.push.map(|push| push.write_inline(conversion));
        let name = match conversion.to {
            Dialect::V03 => "pushNotificationConfig",
            Dialect::V03Proto => "pushNotification",
            Dialect::V1 => "taskPushNotificationConfig",
        };
        configuration.put_some(name, push);
        put_history_length(&mut configuration, self.history_length, conversion);
        match (conversion.to, self.waits) {
            (Dialect::V1, Some(false)) => configuration.put("returnImmediately", true),
            (Dialect::V1, _) => {}
            (_, Some(waits)) => configuration.put("blocking", waits),
            // An absent flag of the protobuf form would say `false`, and agents of 0.3 wait by default.
            (_, None) if is_proto && operation == Operation::SendMessage => {
                configuration.put("blocking", true);
            }
            (_, None) => {}
        }
        (self.is_present || !configuration.is_empty()).then(|| configuration.into())
    }
}

fn read_push(fields: &mut Fields, conversion: &mut Conversion<'_>) -> Read<Option<PushConfig>> {
    let names = [
        "taskPushNotificationConfig",
        "pushNotificationConfig",
        "pushNotification",
    ];
    let name = names.into_iter().find(|name| fields.has(name));
    let read = |name| fields.take_as(name, |value| PushConfig::read_inline(value, conversion));
    name.map_or(Ok(None), read)
}

/// Reads a history length; zero means no limit in the protobuf form of 0.3.
pub(super) fn read_history_length(fields: &mut Fields, from: Dialect) -> Read<Option<i32>> {
    let length = fields.integer("historyLength")?;
    Ok(length.filter(|length| from != Dialect::V03Proto || *length != 0))
}

/// Writes a history length.
///
/// The protobuf form of 0.3 cannot ask for no history: it asks for one message, and whoever relays the answer leaves
/// that out.
pub(super) fn put_history_length(
    owner: &mut Object,
    length: Option<i32>,
    conversion: &mut Conversion<'_>,
) {
    let is_lost = conversion.to == Dialect::V03Proto && length == Some(0);
    conversion.lose_if(is_lost, Loss::HistoryLengthZero);
    let length = if is_lost { Some(1) } else { length };
    owner.put_some("historyLength", length);
}
