//! A serde deserializer over the tree whose errors know their node.

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error as _, Expected, IntoDeserializer, MapAccess, SeqAccess,
        Unexpected, VariantAccess, Visitor, value::StrDeserializer,
    },
    forward_to_deserialize_any,
};

use super::fault::Fault;
use crate::config::tree::{Entry, Node, Plain, Scalar, Value};

/// Reads one node.
#[derive(Clone, Copy)]
pub(super) struct NodeDeserializer<'t>(&'t Node);

impl<'t> NodeDeserializer<'t> {
    /// Reads a whole tree.
    pub(super) fn root(node: &'t Node) -> Self {
        Self(node)
    }

    /// Deserializes the node; whatever goes wrong that no inner node explains is about this one.
    fn seed<'de, S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self).map_err(|fault| fault.at(self.0))
    }

    fn unfit(self, expected: &dyn Expected) -> Fault {
        Fault::invalid_type(Unexpected::Other(""), expected).at(self.0)
    }

    /// Returns the text of a scalar, whatever type it would have on its own: a token may look like a number.
    fn text(self, expected: &dyn Expected) -> Result<&'t str, Fault> {
        match &self.0.value {
            Value::Scalar(scalar) if scalar.kind() != Plain::Nothing => Ok(&scalar.text),
            _ => Err(self.unfit(expected)),
        }
    }
}

impl<'de> Deserializer<'de> for NodeDeserializer<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.0.value {
            Value::List(items) => visitor.visit_seq(Items(items.iter())),
            Value::Mapping(_) => self.deserialize_map(visitor),
            Value::Scalar(scalar) => visit_scalar(scalar, visitor),
        }
        .map_err(|fault| fault.at(self.0))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let text = self.text(&visitor)?;
        visitor.visit_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_str(self.0.text())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.0.value {
            Value::Scalar(scalar) if scalar.kind() == Plain::Nothing => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Value::Mapping(mapping) = &self.0.value else {
            return Err(self.unfit(&visitor));
        };
        let within = (&visitor as &dyn Expected).to_string();
        let entries = Entries {
            rest: mapping.entries.iter(),
            value: None,
            within: &within,
        };
        visitor
            .visit_map(entries)
            .map_err(|fault| fault.within(&within.as_str()).at(self.0))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if matches!(self.0.value, Value::Mapping(_)) {
            return self.deserialize_map(visitor);
        }
        let expected = format!("a mapping for {}", &visitor as &dyn Expected);
        Err(self.unfit(&expected.as_str()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match &self.0.value {
            Value::Mapping(mapping) if mapping.entries.len() == 1 => {
                visitor.visit_enum(Variant(&mapping.entries[0]))
            }
            Value::Scalar(_) => {
                let word: StrDeserializer<'_, Fault> = self.text(&visitor)?.into_deserializer();
                visitor.visit_enum(word)
            }
            _ => Err(self.unfit(&visitor)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char
        bytes byte_buf unit unit_struct seq tuple tuple_struct ignored_any
    }
}

fn visit_scalar<'de, V: Visitor<'de>>(scalar: &Scalar, visitor: V) -> Result<V::Value, Fault> {
    match scalar.kind() {
        Plain::Nothing => visitor.visit_unit(),
        Plain::Boolean(value) => visitor.visit_bool(value),
        Plain::Unsigned(value) => visitor.visit_u64(value),
        Plain::Signed(value) => visitor.visit_i64(value),
        Plain::Float(value) => visitor.visit_f64(value),
        Plain::Text => visitor.visit_str(&scalar.text),
    }
}

struct Items<'t>(std::slice::Iter<'t, Node>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        self.0
            .next()
            .map(|node| NodeDeserializer(node).seed(seed))
            .transpose()
    }
}

struct Entries<'t> {
    rest: std::slice::Iter<'t, Entry>,
    value: Option<&'t Node>,
    within: &'t str,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some(entry) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(&entry.value);
        let key = seed.deserialize(NodeDeserializer(&entry.key));
        key.map(Some)
            .map_err(|fault| fault.within(&self.within).at(&entry.key))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let node = self
            .value
            .take()
            .ok_or_else(|| Fault::custom("a value was asked for before its key"))?;
        NodeDeserializer(node).seed(seed)
    }
}

/// An enum variant with contents: a mapping of one key.
struct Variant<'t>(&'t Entry);

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        let variant = NodeDeserializer(&self.0.key).seed(seed)?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Err(Fault::custom("this word takes no value").at(&self.0.key))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        NodeDeserializer(&self.0.value).seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        NodeDeserializer(&self.0.value).deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        NodeDeserializer(&self.0.value).deserialize_map(visitor)
    }
}
