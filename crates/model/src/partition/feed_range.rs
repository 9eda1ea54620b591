//! Feed ranges: the part of a container that a caller wants to read.
//!
//! Owns the choice and its text, which clients store and pass on. Does not own reading.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{EffectivePartitionKey, EpkRange, PartitionKey, PartitionKeyDefinition};
use crate::{Json, Object, Result, ValidationError};

/// A part of a container.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FeedRange {
    /// The whole container.
    Container,
    /// The items whose epk is in a range.
    Epk(EpkRange),
    /// One logical partition, or all with a prefix of a hierarchical key.
    PartitionKey(PartitionKey),
}

impl FeedRange {
    /// The range of epks that the feed range covers.
    #[must_use]
    pub fn epk_range(&self, definition: &PartitionKeyDefinition) -> EpkRange {
        match self {
            Self::Container => EpkRange::full(),
            Self::Epk(range) => range.clone(),
            Self::PartitionKey(key) => definition.effective_range(key),
        }
    }

    /// The text form: base64 of JSON.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut object = Object::new();
        match self {
            // The full range represents the whole container; `from_json` turns it back.
            Self::Container => object.insert("Range", range_json(&EpkRange::full())),
            Self::Epk(range) => object.insert("Range", range_json(range)),
            Self::PartitionKey(key) => object.insert("PK", key.to_json()),
        }
        STANDARD.encode(Json::Object(object).to_bytes())
    }

    /// Parses the text form, or its JSON without base64. A range that covers every epk becomes
    /// [`FeedRange::Container`].
    ///
    /// # Errors
    /// When the text contains neither a range nor a partition key.
    pub fn parse(text: &str) -> Result<Self> {
        let json = if text.trim_start().starts_with('{') {
            Json::parse(text.as_bytes()).ok()
        } else {
            STANDARD.decode(text).ok().and_then(|bytes| Json::parse(&bytes).ok())
        };
        json.as_ref().and_then(Self::from_json).ok_or_else(|| {
            ValidationError::new(format!(
                "The feed range '{text}' is invalid: use one the service returned."
            ))
        })
    }

    fn from_json(json: &Json) -> Option<Self> {
        if let Some(key) = json.get("PK") {
            let key = match key {
                Json::String(text) => PartitionKey::parse(text),
                other => PartitionKey::from_json(other),
            };
            return key.ok().map(Self::PartitionKey);
        }
        let range = range_from_json(json.get("Range")?)?;
        Some(if range == EpkRange::full() { Self::Container } else { Self::Epk(range) })
    }
}

fn range_json(range: &EpkRange) -> Object {
    let mut object = Object::new();
    object.insert("min", range.min.to_string());
    object.insert("max", range.max.to_string());
    object.insert("isMinInclusive", true);
    object.insert("isMaxInclusive", false);
    object
}

/// Converts bounds that may be inclusive or exclusive to a half-open range.
fn range_from_json(json: &Json) -> Option<EpkRange> {
    let bound = |name: &str| EffectivePartitionKey::from_hex(json.get(name)?.as_str()?).ok();
    let flag = |name: &str, default: bool| match json.get(name) {
        Some(value) => value.as_bool(),
        None => Some(default),
    };
    let (min, max) = (bound("min")?, bound("max")?);
    // The successor is the next possible epk, so that no bound is lost by the conversion.
    let min = if flag("isMinInclusive", true)? { min } else { min.successor() };
    let max = if flag("isMaxInclusive", false)? { max.successor() } else { max };
    Some(EpkRange { min, max })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::partition::arbitrary::{definition, epk, partition_key};

    fn decoded(range: &FeedRange) -> String {
        String::from_utf8(STANDARD.decode(range.to_text()).unwrap()).unwrap()
    }

    #[test]
    fn the_text_is_base64_of_json() {
        let full =
            r#"{"Range":{"min":"","max":"FF","isMinInclusive":true,"isMaxInclusive":false}}"#;
        assert_eq!(decoded(&FeedRange::Container), full);
        assert_eq!(FeedRange::parse(&STANDARD.encode(full)).unwrap(), FeedRange::Container);
        assert_eq!(FeedRange::parse(full).unwrap(), FeedRange::Container);
        let key = FeedRange::PartitionKey(PartitionKey::from("x"));
        assert_eq!(decoded(&key), r#"{"PK":["x"]}"#);
        assert_eq!(FeedRange::parse(r#"{"PK":"[\"x\"]"}"#).unwrap(), key);
    }

    #[test]
    fn inclusive_bounds_become_half_open() {
        let text =
            r#"{"Range":{"min":"AA","max":"AA","isMinInclusive":true,"isMaxInclusive":true}}"#;
        let range = FeedRange::parse(text).unwrap();
        let FeedRange::Epk(range) = range else { panic!("{range:?}") };
        assert_eq!(range.to_string(), "[AA, AA00)");
    }

    #[test]
    fn what_names_no_part_is_refused() {
        for text in [
            "",
            "x",
            "{}",
            "AAAA",
            r#"{"Range":{"min":""}}"#,
            r#"{"Range":{"min":"g","max":"FF"}}"#,
            r#"{"PK":1}"#,
        ] {
            let message = FeedRange::parse(text).unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("The feed range '{text}' is invalid")),
                "{message}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_feed_range_survives_its_text(
            key in partition_key(),
            min in epk(),
            max in epk(),
            definition in definition(),
        ) {
            let epk = FeedRange::Epk(EpkRange { min, max });
            for range in [FeedRange::PartitionKey(key), epk, FeedRange::Container] {
                let parsed = FeedRange::parse(&range.to_text()).unwrap();
                prop_assert_eq!(parsed.epk_range(&definition), range.epk_range(&definition));
            }
        }
    }
}
