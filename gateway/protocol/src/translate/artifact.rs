//! Artifacts, which are the same in all dialects but for their parts.

use serde_json::{Map, Value};

use super::conversion::Conversion;
use super::fields::{Fields, Object, Read};
use super::message::write_parts;
use super::part::Part;

/// Is an artifact, or a piece of one.
#[derive(Debug)]
pub(super) struct Artifact {
    artifact_id: String,
    name: Option<String>,
    description: Option<String>,
    parts: Vec<Part>,
    extensions: Option<Vec<String>>,
    metadata: Option<Map<String, Value>>,
}

impl Artifact {
    /// Reads an artifact; one without parts passes, because agents close a stream of chunks with such.
    pub(super) fn read(value: Value, conversion: &mut Conversion<'_>) -> Read<Self> {
        let mut fields = Fields::read(value)?;
        let artifact = Self {
            artifact_id: fields.text("artifactId")?.unwrap_or_default(),
            name: fields.text("name")?,
            description: fields.text("description")?,
            parts: fields
                .list("parts", |part| Part::read(part, conversion))?
                .unwrap_or_default(),
            extensions: fields.texts("extensions")?,
            metadata: fields.object("metadata")?,
        };
        fields.finish(conversion.losses);
        Ok(artifact)
    }

    pub(super) fn write(self, conversion: &mut Conversion<'_>) -> Value {
        let mut artifact = Object::default();
        artifact.put("artifactId", self.artifact_id);
        artifact.put_some("name", self.name);
        artifact.put_some("description", self.description);
        artifact.put("parts", write_parts(self.parts, conversion));
        artifact.put_some("metadata", self.metadata);
        artifact.put_some("extensions", self.extensions);
        artifact.into()
    }
}
