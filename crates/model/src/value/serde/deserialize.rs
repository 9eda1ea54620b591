//! `Deserialize` for JSON values.
//!
//! `serde_json` passes the raw text, which our own parser reads, so that numbers stay exact and the limits hold. Other
//! formats pass the value part by part.

use std::fmt;

use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::raw_value::RAW_VALUE;
use crate::value::{Json, Number, Object};

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By this name `serde_json` recognizes a raw value and calls `visit_map` with one entry: the text.
        deserializer.deserialize_newtype_struct(RAW_VALUE, JsonVisitor)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Object(object) => Ok(object),
            other => {
                Err(D::Error::custom(format!("expected an object, not {}", other.type_name())))
            }
        }
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    /// Formats that do not know the raw value call this, and then pass the parts.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    // Wider integers go by their text: above 2^63 a number is kept as a decimal with all of its digits.
    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        number(&value.to_string())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Json, E> {
        number(&value.to_string())
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Json, E> {
        number(&value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        let number = Number::from_f64(value);
        number.map(Json::Number).ok_or_else(|| E::custom("JSON has no NaN and no infinity"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::from(text))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Json, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = sequence.next_element()? {
            elements.push(element);
        }
        Ok(Json::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut object = Object::new();
        while let Some(name) = map.next_key::<String>()? {
            // As the first name only. A document may contain a property of this name, and its other properties must
            // not get lost.
            if name == RAW_VALUE && object.is_empty() {
                return map.next_value::<ParsedText>().map(|parsed| parsed.0);
            }
            object.insert(name, map.next_value::<Json>()?);
        }
        Ok(Json::Object(object))
    }
}

fn number<E: Error>(text: &str) -> Result<Json, E> {
    Number::parse(text)
        .map(Json::Number)
        .ok_or_else(|| E::custom("the number is not a JSON number"))
}

/// A value that is passed as raw text.
struct ParsedText(Json);

impl<'de> Deserialize<'de> for ParsedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor).map(Self)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the text of a JSON value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Json::parse(text.as_bytes()).map_err(E::custom)
    }
}
