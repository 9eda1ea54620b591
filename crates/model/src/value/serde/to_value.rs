//! A type of the program into a JSON value, without text in between.
//!
//! Owns the `Serializer`. It gives the value that the text of `serde_json` would be parsed to, digits included: `1.0`
//! stays `1.0`, and a type nested too deeply is refused as its text would be.

use serde_core::ser::{Error, Serialize, Serializer};

use super::build::{ArrayBuilder, ObjectBuilder, StructBuilder, in_variant};
use super::{ConversionError, RAW_VALUE};
use crate::limits::NESTING_LEVELS_MAX;
use crate::value::{Json, Number};

impl Json {
    /// The value of a type of the program.
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
    /// When the type refuses to be serialized, has map keys that are no text, or is nested too deeply.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self> {
        value.serialize(ValueSerializer { level: 0 })
    }
}

type Result<T> = std::result::Result<T, ConversionError>;

/// Serializes what lies inside of `level` arrays and objects.
#[derive(Clone, Copy)]
pub(super) struct ValueSerializer {
    level: usize,
}

impl ValueSerializer {
    /// The serializer of what an array or object holds.
    fn inside(self) -> Result<Self> {
        if self.level >= NESTING_LEVELS_MAX {
            return Err(ConversionError::new("nested deeper than 128 levels"));
        }
        Ok(Self { level: self.level + 1 })
    }

    fn array(self, variant: Option<&'static str>, length: Option<usize>) -> Result<ArrayBuilder> {
        let outer = if variant.is_some() { self.inside()? } else { self };
        Ok(ArrayBuilder::new(variant, length.unwrap_or_default(), outer.inside()?))
    }

    fn object(self, variant: Option<&'static str>) -> Result<ObjectBuilder> {
        let outer = if variant.is_some() { self.inside()? } else { self };
        Ok(ObjectBuilder::new(variant, outer.inside()?))
    }
}

/// Digits as `serde_json` prints them; NaN and the infinities become null as there.
fn floating_point(value: impl Serialize) -> Result<Json> {
    let text = serde_json::to_vec(&value).map_err(ConversionError::custom)?;
    Json::parse(&text).map_err(ConversionError::custom)
}

/// An integer that may exceed 64 bits.
fn integer(value: impl ToString) -> Result<Json> {
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

    fn serialize_bool(self, value: bool) -> Result<Json> {
        Ok(Json::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_i16(self, value: i16) -> Result<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_i32(self, value: i32) -> Result<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_i64(self, value: i64) -> Result<Json> {
        Ok(Json::from(value))
    }

    fn serialize_i128(self, value: i128) -> Result<Json> {
        integer(value)
    }

    fn serialize_u8(self, value: u8) -> Result<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_u16(self, value: u16) -> Result<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_u32(self, value: u32) -> Result<Json> {
        Ok(Json::from(i64::from(value)))
    }

    fn serialize_u64(self, value: u64) -> Result<Json> {
        i64::try_from(value).map_or_else(|_| integer(value), |value| Ok(Json::from(value)))
    }

    fn serialize_u128(self, value: u128) -> Result<Json> {
        integer(value)
    }

    fn serialize_f32(self, value: f32) -> Result<Json> {
        floating_point(value)
    }

    fn serialize_f64(self, value: f64) -> Result<Json> {
        floating_point(value)
    }

    fn serialize_char(self, value: char) -> Result<Json> {
        Ok(Json::String(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Result<Json> {
        Ok(Json::from(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Json> {
        self.inside()?;
        Ok(Json::Array(value.iter().map(|byte| Json::from(i64::from(*byte))).collect()))
    }

    fn serialize_none(self) -> Result<Json> {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Json> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Json> {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Json> {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Json> {
        Ok(Json::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Json> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Json> {
        Ok(in_variant(Some(variant), value.serialize(self.inside()?)?))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<ArrayBuilder> {
        self.array(None, length)
    }

    fn serialize_tuple(self, length: usize) -> Result<ArrayBuilder> {
        self.array(None, Some(length))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<ArrayBuilder> {
        self.array(None, Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<ArrayBuilder> {
        self.array(Some(variant), Some(length))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<ObjectBuilder> {
        self.object(None)
    }

    fn serialize_struct(self, name: &'static str, _length: usize) -> Result<StructBuilder> {
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
    ) -> Result<ObjectBuilder> {
        self.object(Some(variant))
    }
}
