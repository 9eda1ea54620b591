//! `Serialize` for JSON values.
//!
//! Numbers whose text a format would change are passed to `serde_json` as raw text.

use serde_core::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

use crate::value::{Json, Number, Object};

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(elements) => {
                let mut sequence = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements {
                    sequence.serialize_element(element)?;
                }
                sequence.end()
            }
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(text) = self.decimal_text() else {
            return serializer.serialize_i64(self.as_i64().unwrap_or_default());
        };
        if let Ok(integer) = text.parse::<u64>() {
            return serializer.serialize_u64(integer);
        }
        let value = self.as_f64();
        // Only `serde_json` understands raw text, so it is used only where printing the double would change the digits.
        let survives = serde_json::to_string(&value).is_ok_and(|printed| printed == text);
        if survives || !serializer.is_human_readable() {
            return serializer.serialize_f64(value);
        }
        let raw = RawValue::from_string(text.to_owned()).map_err(serde_core::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}
