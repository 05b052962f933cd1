//! Messages.

use serde_json::{Map, Value};

use super::conversion::Conversion;
use super::enums::Role;
use super::fields::{Fault, Fields, Object, Read};
use super::part::Part;
use super::{Dialect, Loss};

/// Is a message.
#[derive(Debug)]
pub(super) struct Message {
    message_id: String,
    role: Role,
    parts: Vec<Part>,
    pub(super) context_id: Option<String>,
    pub(super) task_id: Option<String>,
    reference_task_ids: Option<Vec<String>>,
    extensions: Option<Vec<String>>,
    metadata: Option<Map<String, Value>>,
}

impl Message {
    pub(super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let message = Self {
            message_id: if conversion.is_request() {
                fields.required("messageId")?
            } else {
                fields.text("messageId")?.unwrap_or_default()
            },
            role: Role::read(fields.take("role").as_ref(), conversion)?,
            parts: read_parts(&mut fields, conversion)?,
            context_id: fields.filled("contextId")?,
            task_id: fields.filled("taskId")?,
            reference_task_ids: fields.texts("referenceTaskIds")?,
            extensions: fields.texts("extensions")?,
            metadata: fields.object("metadata")?,
        };
        fields.finish(conversion.losses);
        Ok(message)
    }

    pub(super) fn write(self, conversion: &mut Conversion<'_>) -> Value {
        let is_proto = conversion.to == Dialect::V03Proto;
        let mut message = Object::default();
        if conversion.to == Dialect::V03 {
            message.put("kind", "message");
        }
        message.put("messageId", self.message_id);
        message.put_some("contextId", self.context_id);
        message.put_some("taskId", self.task_id);
        message.put("role", self.role.write(conversion));
        let parts = write_parts(self.parts, conversion);
        message.put(if is_proto { "content" } else { "parts" }, parts);
        message.put_some("metadata", self.metadata);
        message.put_some("extensions", self.extensions);
        let references = self.reference_task_ids;
        if is_proto {
            let is_lost = references.is_some_and(|ids| !ids.is_empty());
            conversion.lose_if(is_lost, Loss::ReferenceTaskIds);
        } else {
            message.put_some("referenceTaskIds", references);
        }
        message.into()
    }
}

fn read_parts(fields: &mut Fields, conversion: &mut Conversion<'_>) -> Read<Vec<Part>> {
    let is_request = conversion.is_request();
    let name = if fields.has("parts") {
        "parts"
    } else {
        "content"
    };
    let parts = fields.list(name, |part| Part::read(part, conversion))?;
    if is_request && parts.as_ref().is_none_or(Vec::is_empty) {
        return Err(Fault::new("parts", "must hold at least one part"));
    }
    Ok(parts.unwrap_or_default())
}

/// Writes parts.
pub(super) fn write_parts(parts: Vec<Part>, conversion: &mut Conversion<'_>) -> Vec<Value> {
    parts
        .into_iter()
        .map(|part| part.write(conversion))
        .collect()
}
