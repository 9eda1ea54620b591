//! Deserialize a Rust type directly from a JSON value, without intermediate text.
//!
//! Owns the `Deserializer` over a borrowed value. It behaves as `serde_json` does for the printed value.

use serde_core::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde_core::de::{Deserialize, Deserializer, Error, IntoDeserializer, Unexpected, Visitor};
use serde_core::forward_to_deserialize_any;

use super::ConversionError;
use super::raw_value::RAW_VALUE;
use crate::value::{Json, Number, Object};

impl Json {
    /// Deserializes a Rust type from this value. Strings are borrowed from it where the type allows.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use planisphere_model::Json;
    ///
    /// let value = Json::parse(br#"{"a":1,"b":2}"#)?;
    /// let counts: BTreeMap<&str, u32> = value.deserialize_into()?;
    /// assert_eq!(counts.get("b"), Some(&2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a field is missing or has another type; the message is serde's.
    pub fn deserialize_into<'de, T: Deserialize<'de>>(&'de self) -> Result<T, ConversionError> {
        T::deserialize(self)
    }
}

impl<'de> IntoDeserializer<'de, ConversionError> for &'de Json {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for &'de Json {
    type Error = ConversionError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        match self {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Number(number) => visit_number(number, visitor),
            Json::String(text) => visitor.visit_borrowed_str(text),
            Json::Array(elements) => {
                let mut sequence = SeqDeserializer::new(elements.iter());
                let value = visitor.visit_seq(&mut sequence)?;
                // A visitor that leaves elements unread expected a shorter array; `serde_json` refuses it too.
                sequence.end()?;
                Ok(value)
            }
            Json::Object(object) => {
                let mut map = MapDeserializer::new(entries(object));
                let value = visitor.visit_map(&mut map)?;
                map.end()?;
                Ok(value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        match self {
            Json::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        if name == RAW_VALUE {
            // The same form in which `serde_json` passes a raw value, so its `RawValue` and our `Json` both read it.
            let text = (RAW_VALUE, self.to_string());
            return visitor.visit_map(MapDeserializer::new(std::iter::once(text)));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        match self {
            Json::String(variant) => visitor.visit_enum(variant.as_str().into_deserializer()),
            // A variant with content is an object whose only property is the name of the variant.
            Json::Object(object) if object.len() == 1 => {
                let map = MapDeserializer::new(entries(object));
                visitor.visit_enum(MapAccessDeserializer::new(map))
            }
            _ => Err(ConversionError::invalid_type(
                Unexpected::Other(self.type_name()),
                &"a string, or an object with one property",
            )),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        match self {
            Json::String(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        match self {
            Json::Number(number) => match number.text().parse() {
                // From the text: a decimal keeps digits that its double has lost.
                Ok(integer) => visitor.visit_i128(integer),
                Err(_) => self.deserialize_any(visitor),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        match self {
            Json::Number(number) => match number.text().parse() {
                Ok(integer) => visitor.visit_u128(integer),
                Err(_) => self.deserialize_any(visitor),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    /// Skips the whole value.
    fn deserialize_ignored_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        // The content is borrowed and already parsed, so nothing has to be traversed.
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string unit unit_struct seq tuple
        tuple_struct map struct
        identifier
    }
}

/// Numbers without fraction and exponent are integers. `1.0` and `1e2` are floating-point numbers, which integer fields
/// refuse.
fn visit_number<'de, V: Visitor<'de>>(
    number: &Number,
    visitor: V,
) -> Result<V::Value, ConversionError> {
    match number.decimal_text() {
        None => {
            // Without a decimal text it is an integer. Non-negative ones are passed as unsigned, as `serde_json` does.
            let integer = number.as_i64().unwrap_or_default();
            match u64::try_from(integer) {
                Ok(unsigned) => visitor.visit_u64(unsigned),
                Err(_) => visitor.visit_i64(integer),
            }
        }
        Some(text) => match text.parse() {
            Ok(unsigned) => visitor.visit_u64(unsigned),
            Err(_) => visitor.visit_f64(number.as_f64()),
        },
    }
}

fn entries(object: &Object) -> impl Iterator<Item = (PropertyName<'_>, &Json)> {
    object.iter().map(|(name, value)| (PropertyName(name), value))
}

/// A property name as the key of a map: a string, or the number or Boolean that the map of the Rust type has as its
/// key.
struct PropertyName<'de>(&'de str);

impl<'de> IntoDeserializer<'de, ConversionError> for PropertyName<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Methods that parse a key as the JSON value that its text represents.
macro_rules! read_key_as_value {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
            match Json::parse(self.0.as_bytes()) {
                Ok(value @ Json::Bool(_)) => visitor.visit_bool(value == Json::Bool(true)),
                Ok(Json::Number(number)) => visit_number(&number, visitor),
                _ => visitor.visit_borrowed_str(self.0),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for PropertyName<'de> {
    type Error = ConversionError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        visitor.visit_borrowed_str(self.0)
    }

    read_key_as_value! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConversionError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConversionError> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier
        ignored_any
    }
}
