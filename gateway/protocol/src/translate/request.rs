//! The parameters of every operation.

use serde_json::{Map, Value};

use super::configuration::{Configuration, put_history_length, read_history_length};
use super::conversion::Conversion;
use super::fields::{Fault, Fields, Object, Read};
use super::message::Message;
use super::push::{PushConfig, resource_name};
use super::{Dialect, Loss, resource};
use crate::{Error, ErrorKind, Operation};

mod push_reference;

use push_reference::PushReference;

/// Converts parameters.
pub(super) fn convert(
    operation: Operation,
    value: Value,
    conversion: &mut Conversion<'_>,
) -> Result<Value, Error> {
    let registers = operation == Operation::CreateTaskPushNotificationConfig;
    let has_one_form = conversion.from != Dialect::V03Proto || !registers;
    if conversion.is_identity() && has_one_form {
        return Ok(value);
    }
    let value = match value {
        Value::Null => Value::Object(Map::new()),
        value => value,
    };
    let converted = match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => {
            convert_send(operation, value, conversion)
        }
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
            convert_task(operation, value, conversion)
        }
        // The protobuf of 0.3 has no listing, so that its clients ask in the words of 1.0.
        Operation::ListTasks
            if (conversion.from, conversion.to) == (Dialect::V03Proto, Dialect::V1) =>
        {
            return Ok(value);
        }
        Operation::ListTasks => return Err(no_listing()),
        Operation::CreateTaskPushNotificationConfig => {
            PushConfig::read(value, conversion).map(|config| config.write_params(conversion))
        }
        Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => {
            PushReference::read(operation, value, conversion)
                .map(|reference| reference.write(conversion))
        }
        Operation::GetExtendedAgentCard => convert_card(value, conversion),
    };
    converted.map_err(|fault| conversion.refuse(fault))
}

fn no_listing() -> Error {
    Error::new(
        ErrorKind::UnsupportedOperation,
        "tasks cannot be listed in A2A 0.3, use 1.0",
    )
}

fn convert_send(
    operation: Operation,
    value: Value,
    conversion: &mut Conversion<'_>,
) -> Read<Value> {
    let mut fields = Fields::read(value)?;
    // The protobuf form names the field `request`, and its JSON form `message`.
    let name = if fields.has("message") {
        "message"
    } else {
        "request"
    };
    let message = fields.take(name).ok_or_else(|| Fault::missing("message"))?;
    let message = Message::read(message, conversion).map_err(|fault| fault.within("message"))?;
    let configuration = Configuration::read(fields.take("configuration"), operation, conversion)
        .map_err(|fault| fault.within("configuration"))?;
    let tenant = fields.filled("tenant")?;
    let metadata = fields.object("metadata")?;
    fields.finish(conversion.losses);

    let mut params = Object::default();
    put_tenant(&mut params, tenant, conversion);
    params.put("message", message.write(conversion));
    params.put_some("configuration", configuration.write(operation, conversion));
    params.put_some("metadata", metadata);
    Ok(params.into())
}

fn convert_task(
    operation: Operation,
    value: Value,
    conversion: &mut Conversion<'_>,
) -> Read<Value> {
    let mut fields = Fields::read(value)?;
    let id = match conversion.from {
        Dialect::V03Proto => fields
            .take_as("name", |name| resource_name(&name, resource::read_task))?
            .ok_or_else(|| Fault::missing("name"))?,
        Dialect::V03 | Dialect::V1 => fields.required("id")?,
    };
    let tenant = fields.filled("tenant")?;
    let metadata = fields.object("metadata")?;
    let history_length = match operation {
        Operation::GetTask => read_history_length(&mut fields, conversion.from)?,
        _ => None,
    };
    fields.finish(conversion.losses);

    let mut params = Object::default();
    put_tenant(&mut params, tenant, conversion);
    match conversion.to {
        Dialect::V03Proto => params.put("name", resource::task(&id)),
        Dialect::V03 | Dialect::V1 => params.put("id", id),
    }
    put_history_length(&mut params, history_length, conversion);
    let keeps_metadata = match conversion.to {
        Dialect::V03 => true,
        Dialect::V1 => operation == Operation::CancelTask,
        Dialect::V03Proto => false,
    };
    put_metadata(&mut params, metadata, keeps_metadata, conversion);
    Ok(params.into())
}

fn convert_card(value: Value, conversion: &mut Conversion<'_>) -> Read<Value> {
    let mut fields = Fields::read(value)?;
    let tenant = fields.filled("tenant")?;
    fields.finish(conversion.losses);
    let mut params = Object::default();
    put_tenant(&mut params, tenant, conversion);
    Ok(params.into())
}

fn put_tenant(params: &mut Object, tenant: Option<String>, conversion: &mut Conversion<'_>) {
    if conversion.to == Dialect::V1 {
        params.put_some("tenant", tenant);
    } else {
        conversion.lose_if(tenant.is_some(), Loss::Tenant);
    }
}

fn put_metadata(
    params: &mut Object,
    metadata: Option<Map<String, Value>>,
    is_kept: bool,
    conversion: &mut Conversion<'_>,
) {
    if is_kept {
        params.put_some("metadata", metadata);
    } else {
        let is_lost = metadata.is_some_and(|metadata| !metadata.is_empty());
        conversion.lose_if(is_lost, Loss::RequestMetadata);
    }
}
