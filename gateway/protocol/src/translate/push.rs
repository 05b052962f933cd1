//! Push configurations: flat with one scheme in 1.0, nested with a list of schemes in 0.3.

use serde_json::Value;

use super::conversion::Conversion;
use super::fields::{Fault, Fields, Object, Read};
use super::resource;
use super::{Dialect, Loss};

const NESTED: &str = "pushNotificationConfig";

/// Is a push configuration, with the task that it is for.
#[derive(Debug, Default)]
pub(super) struct PushConfig {
    tenant: Option<String>,
    task_id: Option<String>,
    id: Option<String>,
    url: Option<String>,
    token: Option<String>,
    authentication: Option<Authentication>,
}

#[derive(Debug)]
struct Authentication {
    schemes: Vec<String>,
    credentials: Option<String>,
}

impl PushConfig {
    /// Reads the parameters or the result of a registration.
    pub(super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let config = match conversion.from {
            Dialect::V1 => Self::read_inline(value, conversion),
            Dialect::V03 => Self::read_nested(value, conversion),
            Dialect::V03Proto => Self::read_named(value, conversion),
        }?;
        let required = match conversion.from {
            Dialect::V03Proto => "parent",
            Dialect::V03 | Dialect::V1 => "taskId",
        };
        let Some(task_id) = &config.task_id else {
            return Err(Fault::missing(required));
        };
        if conversion.to == Dialect::V03Proto {
            let id = config.id.as_ref().unwrap_or(task_id);
            resource::check_push_config(task_id, id)?;
        }
        if conversion.is_request() && config.url.is_none() {
            return Err(Fault::missing("url"));
        }
        Ok(config)
    }

    /// Reads the configuration itself, as it stands in the configuration of a message.
    pub(super) fn read_inline(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let config = Self {
            tenant: fields.filled("tenant")?,
            task_id: fields.filled("taskId")?,
            id: fields.filled("id")?,
            url: fields.filled("url")?,
            token: fields.filled("token")?,
            authentication: fields.take_as("authentication", |value| {
                Authentication::read(value, conversion)
            })?,
        };
        fields.finish(conversion.losses);
        Ok(config)
    }

    fn read_nested(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let task_id = fields.filled("taskId")?;
        let nested = fields.take_as(NESTED, |value| Self::read_inline(value, conversion))?;
        fields.finish(conversion.losses);
        let nested = nested.ok_or_else(|| Fault::missing(NESTED))?;
        Ok(Self { task_id, ..nested })
    }

    /// Reads a registration of the protobuf form.
    ///
    /// REST clients send the whole request, its `config` alone, or what is nested in that; `parent` comes from the path.
    fn read_named(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let parent = fields.take_as("parent", |name| resource_name(&name, resource::read_task))?;
        let config_id = fields.filled("configId")?;
        if let Some(config) = fields.fields("config")? {
            fields.finish(conversion.losses);
            fields = config;
        }
        let name = fields.filled("name")?;
        let named = name.and_then(|name| resource::read_push_config(&name).ok());
        if let Some(config) = fields.fields(NESTED)? {
            fields.finish(conversion.losses);
            fields = config;
        }
        let config = Self::read_inline(fields.into_value(), conversion)?;
        let (named_task, named_id) = named.unzip();
        Ok(Self {
            task_id: parent.or(named_task),
            id: config.id.or(config_id).or(named_id),
            ..config
        })
    }

    /// Writes the parameters of a registration.
    pub(super) fn write_params(self, conversion: &mut Conversion<'_>) -> Value {
        if conversion.to != Dialect::V03Proto {
            return self.write_result(conversion);
        }
        let task_id = self.task_id.clone().unwrap_or_default();
        let mut params = Object::default();
        params.put("parent", resource::task(&task_id));
        params.put_some("configId", self.id.clone());
        let mut config = Object::default();
        let name = |id: &String| resource::push_config(&task_id, id);
        config.put_some("name", self.id.as_ref().map(name));
        config.put(NESTED, self.write_config(conversion));
        params.put("config", config);
        params.into()
    }

    /// Writes a registration as results hold it.
    pub(super) fn write_result(mut self, conversion: &mut Conversion<'_>) -> Value {
        if conversion.to == Dialect::V1 {
            return self.write_flat(conversion);
        }
        let task_id = self.task_id.take().unwrap_or_default();
        let mut registration = Object::default();
        if conversion.to == Dialect::V03Proto {
            // The name must have an id, and servers of 0.3 take the task's where the client gave none.
            let id = self.id.get_or_insert_with(|| task_id.clone());
            registration.put("name", resource::push_config(&task_id, id));
        } else {
            registration.put("taskId", task_id);
        }
        registration.put(NESTED, self.write_config(conversion));
        registration.into()
    }

    /// Writes the configuration itself, as it stands in the configuration of a message.
    pub(super) fn write_inline(self, conversion: &mut Conversion<'_>) -> Value {
        if conversion.to == Dialect::V1 {
            self.write_flat(conversion)
        } else {
            conversion.lose_if(self.task_id.is_some(), Loss::InlinePushTaskId);
            self.write_config(conversion)
        }
    }

    fn write_flat(self, conversion: &mut Conversion<'_>) -> Value {
        let mut config = Object::default();
        config.put_some("tenant", self.tenant);
        config.put_some("taskId", self.task_id);
        config.put_some("id", self.id);
        config.put("url", self.url.unwrap_or_default());
        config.put_some("token", self.token);
        let authentication = self.authentication.map(|info| info.write_one(conversion));
        config.put_some("authentication", authentication);
        config.into()
    }

    fn write_config(self, conversion: &mut Conversion<'_>) -> Value {
        conversion.lose_if(self.tenant.is_some(), Loss::Tenant);
        let mut config = Object::default();
        config.put_some("id", self.id);
        config.put("url", self.url.unwrap_or_default());
        config.put_some("token", self.token);
        config.put_some(
            "authentication",
            self.authentication.map(Authentication::write_all),
        );
        config.into()
    }
}

impl Authentication {
    fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let schemes = fields.texts("schemes")?;
        let scheme = match schemes {
            None => fields.filled("scheme")?,
            Some(_) => None,
        };
        let authentication = Self {
            schemes: schemes.unwrap_or_else(|| Vec::from_iter(scheme)),
            credentials: fields.filled("credentials")?,
        };
        fields.finish(conversion.losses);
        Ok(authentication)
    }

    fn write_one(self, conversion: &mut Conversion<'_>) -> Value {
        let mut schemes = self.schemes.into_iter();
        let mut authentication = Object::default();
        authentication.put_some("scheme", schemes.next());
        for _ in schemes {
            conversion.lose(Loss::ExtraAuthenticationSchemes);
        }
        authentication.put_some("credentials", self.credentials);
        authentication.into()
    }

    fn write_all(self) -> Value {
        let mut authentication = Object::default();
        authentication.put("schemes", self.schemes);
        authentication.put_some("credentials", self.credentials);
        authentication.into()
    }
}

/// Reads a resource name.
pub(super) fn resource_name<T>(value: &Value, read: impl Fn(&str) -> Read<T>) -> Read<T> {
    let name = value.as_str();
    name.map_or_else(|| Err(Fault::of_value("must be a string")), read)
}
