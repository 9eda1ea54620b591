//! The value of a secret: in memory only, and wiped when it is dropped.
//!
//! Owns the only two types that hold values. They cannot be printed, serialised or cloned: there is no such
//! implementation, so no log, trace, error or document can have one by accident. Code that needs the bytes calls
//! `expose`, which is easy to search for.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::{Zeroize, Zeroizing};

/// The value of one key, as JSON text.
pub struct SecretValue(Zeroizing<String>);

/// The keys and values of one version of one path.
#[derive(Default)]
pub struct SecretData(BTreeMap<String, SecretValue>);

impl SecretValue {
    /// Takes a text as a JSON string. The text is wiped with the value.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        // Reserved at once: growing would leave copies behind that nobody wipes.
        let mut json = Zeroizing::new(String::with_capacity(text.len() * 6 + 2));
        json.push('"');
        for c in text.chars() {
            match c {
                '"' => json.push_str("\\\""),
                '\\' => json.push_str("\\\\"),
                c if u32::from(c) < 0x20 => json.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => json.push(c),
            }
        }
        json.push('"');
        Self(json)
    }

    fn from_json(json: &str) -> Self {
        Self(Zeroizing::new(json.to_owned()))
    }

    /// The JSON text. Never log it.
    #[must_use]
    pub fn expose_json(&self) -> &str {
        &self.0
    }

    /// The value in one form, whatever spelling its JSON had: two platforms may escape and space it differently.
    #[must_use]
    pub fn canonical(&self) -> Zeroizing<Vec<u8>> {
        if let Ok(text) = serde_json::from_str::<String>(&self.0) {
            let text = Zeroizing::new(text);
            let mut bytes = Zeroizing::new(Vec::with_capacity(text.len() + 1));
            bytes.push(b's');
            bytes.extend_from_slice(text.as_bytes());
            return bytes;
        }
        let mut value: serde_json::Value = serde_json::from_str(&self.0).unwrap_or_default();
        let mut bytes = Zeroizing::new(Vec::with_capacity(self.0.len() * 2 + 1));
        bytes.push(b'j');
        // Objects of `serde_json` are sorted, so the order of keys does not matter.
        let _ = serde_json::to_writer(&mut *bytes, &value);
        wipe_json(&mut value);
        bytes
    }
}

/// Wipes the texts of a parsed value.
pub(crate) fn wipe_json(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => text.zeroize(),
        serde_json::Value::Array(values) => values.iter_mut().for_each(wipe_json),
        serde_json::Value::Object(values) => values.values_mut().for_each(wipe_json),
        _ => {}
    }
}

impl SecretData {
    /// No keys.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a key.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: SecretValue) -> Self {
        self.0.insert(key.into(), value);
        self
    }

    /// Reads a JSON object.
    ///
    /// # Errors
    /// Where the text is not an object. The message holds nothing of the text.
    pub fn parse(json: &[u8]) -> Result<Self, String> {
        // The error of serde would quote what it found, which may be a value.
        let parsed = serde_json::from_slice::<BorrowedData<'_>>(json);
        let parsed = parsed
            .map_err(|error| format!("no object of keys and values (column {})", error.column()))?;
        let value = |(key, raw): (String, &RawValue)| (key, SecretValue::from_json(raw.get()));
        Ok(Self(parsed.0.into_iter().map(value).collect()))
    }

    /// The keys.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&SecretValue> {
        self.0.get(key)
    }

    /// The keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SecretValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A JSON object around the values, between two fixed texts. Wiped when dropped.
    #[must_use]
    pub fn to_json_within(&self, before: &str, after: &str) -> Zeroizing<Vec<u8>> {
        let inside: usize =
            self.0.iter().map(|(key, value)| key.len() * 6 + value.0.len() + 4).sum();
        let length = before.len() + after.len() + inside + 2;
        let mut json = Zeroizing::new(Vec::with_capacity(length));
        json.extend_from_slice(before.as_bytes());
        json.push(b'{');
        for (index, (key, value)) in self.0.iter().enumerate() {
            if index > 0 {
                json.push(b',');
            }
            json.extend_from_slice(SecretValue::from_text(key).0.as_bytes());
            json.push(b':');
            json.extend_from_slice(value.0.as_bytes());
        }
        json.push(b'}');
        json.extend_from_slice(after.as_bytes());
        json
    }
}

/// Keys and values that still are in the text they were read from.
struct BorrowedData<'a>(BTreeMap<String, &'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for BorrowedData<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Self)
    }
}

/// The keys only.
impl fmt::Debug for SecretData {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretData({} keys)", self.0.len())
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretValue(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_survives_the_way_through_json() {
        let data = SecretData::parse(br#"{"b": "x\ny", "a": {"z":1,"c":[true]}}"#).unwrap();
        assert_eq!(data.keys(), ["a", "b"]);
        let written = data.to_json_within("<", ">");
        assert_eq!(&**written, br#"<{"a":{"z":1,"c":[true]},"b":"x\ny"}>"#);
        let text = SecretData::new().with("q\"", SecretValue::from_text("a\"\\\n\u{1}é"));
        let json = text.to_json_within("", "");
        let parsed: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(parsed["q\""], "a\"\\\n\u{1}é");
    }

    #[test]
    fn spelling_does_not_change_the_canonical_form() {
        let same = [r#"{"k":"\u0041"}"#, r#"{"k": "A"}"#].map(|json| {
            SecretData::parse(json.as_bytes()).unwrap().0.remove("k").unwrap().canonical()
        });
        assert_eq!(same[0], same[1]);
        let objects = [r#"{"k":{"a":1,"b":2}}"#, r#"{"k":{"b":2, "a":1}}"#].map(|json| {
            SecretData::parse(json.as_bytes()).unwrap().0.remove("k").unwrap().canonical()
        });
        assert_eq!(objects[0], objects[1]);
        assert_ne!(
            SecretValue::from_text("1").canonical(),
            SecretValue::from_json("1").canonical()
        );
    }

    #[test]
    fn neither_debug_nor_an_error_shows_a_value() {
        let data = SecretData::parse(br#"{"k":"hush"}"#).unwrap();
        assert!(!format!("{data:?}").contains("hush"));
        for wrong in [r#""hush""#, r#"["hush"]"#, r#"{"k":"hush"#, "hush"] {
            let why = SecretData::parse(wrong.as_bytes()).unwrap_err();
            assert!(!why.contains("hush"), "{why}");
        }
    }
}
