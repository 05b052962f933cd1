//! The parameters that point at push configurations without holding one.

use serde_json::{Map, Value};

use super::super::conversion::Conversion;
use super::super::fields::{Fault, Fields, Object, Read};
use super::super::push::resource_name;
use super::super::{Dialect, Loss, resource};
use super::{put_metadata, put_tenant};
use crate::Operation;

/// Points at one push configuration of a task, or at all.
#[derive(Debug)]
pub(super) struct PushReference {
    tenant: Option<String>,
    task_id: String,
    /// Absent for all of them.
    id: Option<String>,
    page_size: Option<i32>,
    page_token: Option<String>,
    metadata: Option<Map<String, Value>>,
}

impl PushReference {
    pub(super) fn read(
        operation: Operation,
        value: Value,
        conversion: &mut Conversion<'_>,
    ) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let is_list = operation == Operation::ListTaskPushNotificationConfigs;
        let (task_id, id) = if is_list {
            (read_list_owner(&mut fields, conversion.from)?, None)
        } else {
            read_ids(&mut fields, conversion.from)?
        };
        let id = match id {
            None if operation == Operation::GetTaskPushNotificationConfig => {
                conversion.lose(Loss::PushConfigId);
                Some(task_id.clone())
            }
            None if !is_list => return Err(Fault::missing(id_name(conversion.from))),
            id => id,
        };
        if let (Dialect::V03Proto, Some(id)) = (conversion.to, &id) {
            resource::check_push_config(&task_id, id)?;
        }
        let (page_size, page_token) = if is_list {
            let size = fields.integer("pageSize")?;
            (size.filter(|size| *size != 0), fields.filled("pageToken")?)
        } else {
            (None, None)
        };
        let reference = Self {
            tenant: fields.filled("tenant")?,
            task_id,
            id,
            page_size,
            page_token,
            metadata: fields.object("metadata")?,
        };
        fields.finish(conversion.losses);
        Ok(reference)
    }

    pub(super) fn write(self, conversion: &mut Conversion<'_>) -> Value {
        let mut params = Object::default();
        put_tenant(&mut params, self.tenant, conversion);
        match (conversion.to, self.id) {
            (Dialect::V1, id) => {
                params.put("taskId", self.task_id);
                params.put_some("id", id);
            }
            (Dialect::V03, id) => {
                params.put("id", self.task_id);
                params.put_some("pushNotificationConfigId", id);
            }
            (Dialect::V03Proto, Some(id)) => {
                params.put("name", resource::push_config(&self.task_id, &id));
            }
            (Dialect::V03Proto, None) => params.put("parent", resource::task(&self.task_id)),
        }
        let keeps_metadata = conversion.to == Dialect::V03;
        put_metadata(&mut params, self.metadata, keeps_metadata, conversion);
        if conversion.to == Dialect::V03 {
            let is_lost = self.page_size.is_some() || self.page_token.is_some();
            conversion.lose_if(is_lost, Loss::PushListPaging);
        } else {
            params.put_some("pageSize", self.page_size);
            params.put_some("pageToken", self.page_token);
        }
        params.into()
    }
}

fn read_list_owner(fields: &mut Fields, from: Dialect) -> Read<String> {
    match from {
        Dialect::V1 => fields.required("taskId"),
        Dialect::V03 => fields.required("id"),
        Dialect::V03Proto => fields
            .take_as("parent", |name| resource_name(&name, resource::read_task))?
            .ok_or_else(|| Fault::missing("parent")),
    }
}

fn read_ids(fields: &mut Fields, from: Dialect) -> Read<(String, Option<String>)> {
    match from {
        Dialect::V1 => Ok((fields.required("taskId")?, fields.filled("id")?)),
        Dialect::V03 => Ok((
            fields.required("id")?,
            fields.filled("pushNotificationConfigId")?,
        )),
        Dialect::V03Proto => {
            let read = |name: Value| resource_name(&name, resource::read_push_config);
            let ids = fields.take_as("name", read)?;
            let (task_id, id) = ids.ok_or_else(|| Fault::missing("name"))?;
            Ok((task_id, Some(id)))
        }
    }
}

fn id_name(from: Dialect) -> &'static str {
    match from {
        Dialect::V1 => "id",
        Dialect::V03 => "pushNotificationConfigId",
        Dialect::V03Proto => "name",
    }
}
