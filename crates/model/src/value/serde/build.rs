//! Builders for the arrays and objects of a value that is being serialized.
//!
//! Owns the compound serializers of `to_value`.

use serde_core::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::ConversionError;
use super::conversion_error::ConversionResult;
use super::raw_value::RAW_VALUE;
use super::to_value::ValueSerializer;
use crate::limits::NESTING_LEVELS_MAX;
use crate::value::{Json, MeasuredJson, Object};

/// Builds an array, or an enum variant that contains one.
pub(super) struct ArrayBuilder {
    variant: Option<&'static str>,
    elements: Vec<Json>,
    inside: ValueSerializer,
}

/// Builds an object, or an enum variant that contains one.
pub(super) struct ObjectBuilder {
    variant: Option<&'static str>,
    object: Object,
    name: Option<String>,
    inside: ValueSerializer,
}

/// Builds an object from a struct, or parses the text of a `serde_json::value::RawValue`.
pub(super) enum StructBuilder {
    Object(ObjectBuilder),
    // A raw value serializes itself as a struct with one field, whose content is the text.
    Raw { level: usize, value: Json },
}

/// Wraps the content of an enum variant in an object whose only property is the variant's name.
pub(super) fn in_variant(variant: Option<&'static str>, value: Json) -> Json {
    let Some(variant) = variant else { return value };
    let mut object = Object::new();
    object.insert(variant, value);
    Json::Object(object)
}

impl ArrayBuilder {
    pub(super) fn new(
        variant: Option<&'static str>,
        length: usize,
        inside: ValueSerializer,
    ) -> Self {
        Self { variant, elements: Vec::with_capacity(length), inside }
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> ConversionResult<()> {
        self.elements.push(value.serialize(self.inside)?);
        Ok(())
    }

    fn finish(self) -> Json {
        in_variant(self.variant, Json::Array(self.elements))
    }
}

impl ObjectBuilder {
    pub(super) fn new(variant: Option<&'static str>, inside: ValueSerializer) -> Self {
        Self { variant, object: Object::new(), name: None, inside }
    }

    fn insert<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> ConversionResult<()> {
        // A name that occurs twice, as a flattened struct may send it, keeps the last value, as the parser does.
        let value = value.serialize(self.inside)?;
        self.object.insert(name, value);
        Ok(())
    }

    fn finish(self) -> Json {
        in_variant(self.variant, Json::Object(self.object))
    }
}

impl SerializeSeq for ArrayBuilder {
    type Ok = Json;
    type Error = ConversionError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> ConversionResult<()> {
        self.push(value)
    }

    fn end(self) -> ConversionResult<Json> {
        Ok(self.finish())
    }
}

impl SerializeTuple for ArrayBuilder {
    type Ok = Json;
    type Error = ConversionError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> ConversionResult<()> {
        self.push(value)
    }

    fn end(self) -> ConversionResult<Json> {
        Ok(self.finish())
    }
}

impl SerializeTupleStruct for ArrayBuilder {
    type Ok = Json;
    type Error = ConversionError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> ConversionResult<()> {
        self.push(value)
    }

    fn end(self) -> ConversionResult<Json> {
        Ok(self.finish())
    }
}

impl SerializeTupleVariant for ArrayBuilder {
    type Ok = Json;
    type Error = ConversionError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> ConversionResult<()> {
        self.push(value)
    }

    fn end(self) -> ConversionResult<Json> {
        Ok(self.finish())
    }
}

impl SerializeMap for ObjectBuilder {
    type Ok = Json;
    type Error = ConversionError;

    /// Numbers and Booleans become property names by their text, as in `serde_json`.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> ConversionResult<()> {
        self.name = Some(match key.serialize(self.inside)? {
            Json::String(name) => name,
            key @ (Json::Number(_) | Json::Bool(_)) => key.to_string(),
            other => {
                let kind = other.type_name();
                return Err(ConversionError::new(format!(
                    "a map key must be a string, not {kind}"
                )));
            }
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> ConversionResult<()> {
        let name = self.name.take();
        let name = name.ok_or_else(|| ConversionError::new("a map value came before its key"))?;
        self.insert(&name, value)
    }

    fn end(self) -> ConversionResult<Json> {
        Ok(self.finish())
    }
}

impl SerializeStructVariant for ObjectBuilder {
    type Ok = Json;
    type Error = ConversionError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> ConversionResult<()> {
        self.insert(name, value)
    }

    fn end(self) -> ConversionResult<Json> {
        Ok(self.finish())
    }
}

impl SerializeStruct for StructBuilder {
    type Ok = Json;
    type Error = ConversionError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        field: &T,
    ) -> ConversionResult<()> {
        match self {
            Self::Object(builder) => builder.insert(name, field),
            Self::Raw { level, value } => {
                *value = raw_value(&Json::from_serialize(field)?, *level)?;
                Ok(())
            }
        }
    }

    fn end(self) -> ConversionResult<Json> {
        match self {
            Self::Object(builder) => Ok(builder.finish()),
            Self::Raw { value, .. } => Ok(value),
        }
    }
}

/// Parses a raw value. The nesting limit includes the levels that surround it.
fn raw_value(text: &Json, level: usize) -> ConversionResult<Json> {
    let text = text.as_str().ok_or_else(|| ConversionError::new(format!("{RAW_VALUE} is text")))?;
    let parsed = MeasuredJson::parse(text.as_bytes())
        .map_err(|error| ConversionError::new(error.to_string()))?;
    // The parser counted from zero and does not know the levels around the raw value.
    if level + parsed.nesting_levels() > NESTING_LEVELS_MAX {
        return Err(ConversionError::new("nested deeper than 128 levels"));
    }
    Ok(parsed.into_value())
}
