//! Serialize a Rust type directly into a JSON value, without intermediate text.
//!
//! Owns the `Serializer`. The result equals what parsing the output of `serde_json` would give, digits included: `1.0`
//! stays `1.0`, and a type that is nested too deeply is refused just as its text would be.

use serde_core::ser::{Error, Serialize, Serializer};

use super::ConversionError;
use super::build::{ArrayBuilder, ObjectBuilder, StructBuilder, in_variant};
use super::conversion_error::ConversionResult;
use super::raw_value::RAW_VALUE;
use crate::limits::NESTING_LEVELS_MAX;
use crate::value::{Json, Number};

impl Json {
    /// Serializes a Rust type into a value.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use planisphere_model::Json;
    ///
    /// let prices = BTreeMap::from([("apple", 1.0), ("pear", 1.25)]);
    /// let value = Json::from_serialize(&prices)?;
    /// assert_eq!(value.to_string(), r#"{"apple":1.0,"pear":1.25}"#);
    /// # Ok::<(), planisphere_model::ConversionError>(())
    /// ```
    ///
    /// # Errors
    /// When the type refuses to be serialized, has map keys that are not strings, or is nested too deeply.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, ConversionError> {
        value.serialize(ValueSerializer { level: 0 })
    }
}

/// Serializes a value that is nested in `level` arrays and objects.
#[derive(Clone, Copy)]
pub(super) struct ValueSerializer {
    level: usize,
}

impl ValueSerializer {
    /// The serializer for the content of an array or object.
    fn inside(self) -> ConversionResult<Self> {
        if self.level >= NESTING_LEVELS_MAX {
            return Err(ConversionError::new("nested deeper than 128 levels"));
        }
        Ok(Self { level: self.level + 1 })
    }

    // A variant adds the object around its content, which is a level of its own; the same in `object`.
    fn array(
        self,
        variant: Option<&'static str>,
        length: Option<usize>,
    ) -> ConversionResult<ArrayBuilder> {
        let outer = if variant.is_some() { self.inside()? } else { self };
        Ok(ArrayBuilder::new(variant, length.unwrap_or_default(), outer.inside()?))
    }

    fn object(self, variant: Option<&'static str>) -> ConversionResult<ObjectBuilder> {
        let outer = if variant.is_some() { self.inside()? } else { self };
        Ok(ObjectBuilder::new(variant, outer.inside()?))
    }
}

/// Keeps the digits that `serde_json` prints. NaN and infinities become null, as in `serde_json`.
fn floating_point(value: impl Serialize) -> ConversionResult<Json> {
    let text = serde_json::to_vec(&value).map_err(ConversionError::custom)?;
    Json::parse(&text).map_err(ConversionError::custom)
}

/// An integer that may exceed 64 bits.
fn integer(value: &impl ToString) -> ConversionResult<Json> {
    Number::parse(&value.to_string())
        .map(Json::Number)
        .ok_or_else(|| ConversionError::new("the integer is outside the range of a 64-bit double"))
}

impl Serializer for ValueSerializer {
    type Ok = Json;
    type Error = ConversionError;
    type SerializeSeq = ArrayBuilder;
    type SerializeTuple = ArrayBuilder;
    type SerializeTupleStruct = ArrayBuilder;
    type SerializeTupleVariant = ArrayBuilder;
    type SerializeMap = ObjectBuilder;
    type SerializeStruct = StructBuilder;
    type SerializeStructVariant = ObjectBuilder;

    fn serialize_bool(self, value: bool) -> ConversionResult<Json> {
        Ok(Json::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> ConversionResult<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_i16(self, value: i16) -> ConversionResult<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_i32(self, value: i32) -> ConversionResult<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_i64(self, value: i64) -> ConversionResult<Json> {
        Ok(Json::from(value))
    }

    fn serialize_i128(self, value: i128) -> ConversionResult<Json> {
        integer(&value)
    }

    fn serialize_u8(self, value: u8) -> ConversionResult<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_u16(self, value: u16) -> ConversionResult<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_u32(self, value: u32) -> ConversionResult<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_u64(self, value: u64) -> ConversionResult<Json> {
        i64::try_from(value).map_or_else(|_| integer(&value), |value| Ok(Json::from(value)))
    }

    fn serialize_u128(self, value: u128) -> ConversionResult<Json> {
        integer(&value)
    }

    fn serialize_f32(self, value: f32) -> ConversionResult<Json> {
        floating_point(value)
    }

    fn serialize_f64(self, value: f64) -> ConversionResult<Json> {
        floating_point(value)
    }

    fn serialize_char(self, value: char) -> ConversionResult<Json> {
        Ok(Json::String(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> ConversionResult<Json> {
        Ok(Json::from(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> ConversionResult<Json> {
        // For its check of the level only: bytes become an array, as in `serde_json`.
        self.inside()?;
        Ok(Json::Array(value.iter().map(|byte| Json::from(i64::from(*byte))).collect()))
    }

    fn serialize_none(self) -> ConversionResult<Json> {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> ConversionResult<Json> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> ConversionResult<Json> {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> ConversionResult<Json> {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> ConversionResult<Json> {
        Ok(Json::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> ConversionResult<Json> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> ConversionResult<Json> {
        Ok(in_variant(Some(variant), value.serialize(self.inside()?)?))
    }

    fn serialize_seq(self, length: Option<usize>) -> ConversionResult<ArrayBuilder> {
        self.array(None, length)
    }

    fn serialize_tuple(self, length: usize) -> ConversionResult<ArrayBuilder> {
        self.array(None, Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        length: usize,
    ) -> ConversionResult<ArrayBuilder> {
        self.array(None, Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> ConversionResult<ArrayBuilder> {
        self.array(Some(variant), Some(length))
    }

    fn serialize_map(self, _length: Option<usize>) -> ConversionResult<ObjectBuilder> {
        self.object(None)
    }

    fn serialize_struct(
        self,
        name: &'static str,
        _length: usize,
    ) -> ConversionResult<StructBuilder> {
        if name == RAW_VALUE {
            return Ok(StructBuilder::Raw { level: self.level, value: Json::Null });
        }
        self.object(None).map(StructBuilder::Object)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> ConversionResult<ObjectBuilder> {
        self.object(Some(variant))
    }
}
