//! Writes parts, and names what 0.3 cannot say of text and data.

use serde_json::{Map, Value, json};

use super::super::conversion::Conversion;
use super::super::fields::Object;
use super::super::{Dialect, Loss, bytes};
use super::{Content, Labels, Part, VALUE, WRAPPED};

impl Part {
    pub(in super::super) fn write(self, conversion: &mut Conversion<'_>) -> Value {
        match conversion.to {
            Dialect::V1 => self.write_new(),
            Dialect::V03 => self.write_old(conversion),
            Dialect::V03Proto => self.write_proto(conversion),
        }
    }

    fn write_new(self) -> Value {
        let mut part = Object::default();
        match self.content {
            Content::Text(text) => part.put("text", text),
            Content::Raw(raw) => part.put("raw", raw),
            Content::Url(url) => part.put("url", url),
            Content::Data(data) => part.put("data", data),
        }
        part.put_some("filename", self.labels.filename);
        part.put_some("mediaType", self.labels.media_type);
        part.put_some("metadata", self.metadata);
        part.into()
    }

    fn write_old(self, conversion: &mut Conversion<'_>) -> Value {
        let Self {
            content,
            labels,
            mut metadata,
        } = self;
        let (kind, content) = match content {
            Content::Text(text) => ("text", labels.lost(text.into(), conversion)),
            Content::Raw(raw) => ("file", labels.file("bytes", raw)),
            Content::Url(url) => ("file", labels.file("uri", url)),
            Content::Data(data) => {
                let data = wrap(data, &mut metadata);
                ("data", labels.lost(data, conversion))
            }
        };
        let mut part = Object::default();
        part.put("kind", kind);
        part.put(kind, content);
        part.put_some("metadata", metadata);
        part.into()
    }

    fn write_proto(self, conversion: &mut Conversion<'_>) -> Value {
        let Self {
            content,
            labels,
            mut metadata,
        } = self;
        let (name, content) = match content {
            Content::Text(text) => ("text", labels.lost(text.into(), conversion)),
            Content::Raw(raw) => {
                let field = bytes::to_proto(raw, conversion.settings.file_bytes);
                ("file", labels.file("fileWithBytes", field))
            }
            Content::Url(url) => ("file", labels.file("fileWithUri", url)),
            Content::Data(data) => {
                let data = json!({ "data": wrap(data, &mut metadata) });
                ("data", labels.lost(data, conversion))
            }
        };
        let mut part = Object::default();
        part.put(name, content);
        part.put_some("metadata", metadata);
        part.into()
    }
}

impl Labels {
    /// Leaves the labels out of content that has no place for them.
    fn lost(self, content: Value, conversion: &mut Conversion<'_>) -> Value {
        conversion.lose_if(self.media_type.is_some(), Loss::PartMediaType);
        conversion.lose_if(self.filename.is_some(), Loss::PartFilename);
        content
    }

    fn file(self, name: &str, content: String) -> Value {
        let mut file = Object::default();
        file.put(name, content);
        file.put_some("mimeType", self.media_type);
        file.put_some("name", self.filename);
        file.into()
    }
}

/// Puts a value into an object, and says so in the metadata, unless it is one.
fn wrap(data: Value, metadata: &mut Option<Map<String, Value>>) -> Value {
    if data.is_object() {
        return data;
    }
    let metadata = metadata.get_or_insert_default();
    metadata.insert(WRAPPED.to_owned(), Value::Bool(true));
    json!({ VALUE: data })
}
