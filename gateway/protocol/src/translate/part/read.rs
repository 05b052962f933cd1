//! Reads parts, also those that do not say their kind or use the names of another form.

use serde_json::{Map, Value};

use super::super::conversion::Conversion;
use super::super::fields::{Fault, Fields, Read};
use super::super::{Dialect, bytes};
use super::{Content, Labels, Part, VALUE, WRAPPED};

const CONTENTS: [&str; 5] = ["text", "file", "raw", "url", "data"];
const CHOICE: &str = "text, raw, url or data (in 0.3: text, file or data)";

impl Part {
    pub(in super::super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let (name, value) = take_content(&mut fields)?;
        let mut part = Self {
            content: Content::Data(Value::Null),
            labels: Labels::read(&mut fields, "mediaType", "filename")?,
            metadata: fields.object("metadata")?,
        };
        part.read_content(name, value, conversion)
            .map_err(|fault| fault.within(name))?;
        fields.finish(conversion.losses);
        Ok(part)
    }

    fn read_content(
        &mut self,
        name: &str,
        value: Value,
        conversion: &mut Conversion<'_>,
    ) -> Read<()> {
        self.content = match (name, value) {
            ("text", Value::String(text)) => Content::Text(text),
            ("url", Value::String(url)) => Content::Url(url),
            ("raw", Value::String(raw)) => {
                Content::Raw(bytes::standard(raw).ok_or_else(not_base64)?)
            }
            ("file", value) => {
                let mut file = Fields::read(value)?;
                let content = read_file(&mut file, conversion)?;
                self.labels = Labels::read(&mut file, "mimeType", "name")?;
                file.finish(conversion.losses);
                content
            }
            ("data", value) => Content::Data(self.read_data(value, conversion.from)),
            _ => return Err(Fault::of_value("must be a string")),
        };
        Ok(())
    }

    fn read_data(&mut self, value: Value, from: Dialect) -> Value {
        let mut data = match value {
            Value::Object(mut wrapper) if from == Dialect::V03Proto && is_data_part(&wrapper) => {
                wrapper.remove("data").unwrap_or_default()
            }
            value => value,
        };
        if from != Dialect::V1
            && let Value::Object(wrapper) = &mut data
            && wrapper.len() == 1
            && wrapper.contains_key(VALUE)
            && self.take_mark()
        {
            data = wrapper.remove(VALUE).unwrap_or_default();
        }
        data
    }

    fn take_mark(&mut self) -> bool {
        let Some(metadata) = &mut self.metadata else {
            return false;
        };
        let is_marked = metadata.get(WRAPPED) == Some(&Value::Bool(true));
        if is_marked {
            metadata.shift_remove(WRAPPED);
        }
        if is_marked && metadata.is_empty() {
            self.metadata = None;
        }
        is_marked
    }
}

impl Labels {
    fn read(fields: &mut Fields, media_type: &str, filename: &str) -> Read<Self> {
        Ok(Self {
            media_type: fields.filled(media_type)?,
            filename: fields.filled(filename)?,
        })
    }
}

/// Takes the member that is the content: the one `kind` names, else the only one there is.
fn take_content(fields: &mut Fields) -> Read<(&'static str, Value)> {
    let kind = fields.take("kind");
    let kind = kind.as_ref().and_then(Value::as_str);
    let present: Vec<_> = CONTENTS
        .into_iter()
        .filter(|name| fields.has(name))
        .collect();
    let named = present.iter().find(|name| kind == Some(**name));
    let name = match (named, present.as_slice()) {
        (Some(name), _) | (None, [name]) => name,
        // `null` is a value of `data`, but no text, file or URL.
        (None, []) => "data",
        (None, _) => return Err(Fault::of_value(format!("must have only one of {CHOICE}"))),
    };
    let value = fields.take_even_null(name);
    let value = value.ok_or_else(|| Fault::of_value(format!("must have one of {CHOICE}")))?;
    Ok((name, value))
}

/// Reads a 0.3 file under the names of either 0.3 form, and the one of old examples.
fn read_file(file: &mut Fields, conversion: &Conversion<'_>) -> Read<Content> {
    if let Some(field) = file.text("fileWithBytes")? {
        let content = if conversion.from == Dialect::V03Proto {
            bytes::from_proto(&field, conversion.settings.file_bytes)
        } else {
            bytes::standard(field)
        };
        return content.map(Content::Raw).ok_or_else(not_base64);
    }
    for name in ["bytes", "data"] {
        if let Some(content) = file.text(name)? {
            let content = bytes::standard(content);
            return content.map(Content::Raw).ok_or_else(not_base64);
        }
    }
    for name in ["uri", "fileWithUri"] {
        if let Some(uri) = file.text(name)? {
            return Ok(Content::Url(uri));
        }
    }
    Err(Fault::of_value("must have bytes or uri"))
}

/// Tells whether an object is the `DataPart` of the protobuf form rather than the data itself.
fn is_data_part(object: &Map<String, Value>) -> bool {
    object.len() == 1 && object.get("data").is_some_and(Value::is_object)
}

fn not_base64() -> Fault {
    Fault::of_value("must hold base64")
}
