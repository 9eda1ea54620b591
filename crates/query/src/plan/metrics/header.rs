//! The two header formats of index metrics.
//!
//! Owns the members of both formats and their encoding in a header: base64 for the first, percent encoding for the
//! second.

use model::{Json, Object};

use super::report::{IndexMetrics, MetricIndex};

/// The longest header. The recorded headers end between 40 and 70 thousand bytes; common HTTP libraries refuse a line
/// of more than 64 KiB.
const HEADER_BYTES_MAX: usize = 48 * 1024;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl IndexMetrics {
    /// The first format.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let single = |indexes: &[MetricIndex]| -> Json {
            Json::Array(indexes.iter().map(MetricIndex::single_json).collect())
        };
        let composite = |indexes: &[MetricIndex]| -> Json {
            Json::Array(indexes.iter().map(MetricIndex::composite_json).collect())
        };
        let mut members = Object::new();
        members.insert("UtilizedSingleIndexes", single(&self.utilized_single));
        members.insert("PotentialSingleIndexes", single(&self.potential_single));
        members.insert("UtilizedCompositeIndexes", composite(&self.utilized_composite));
        members.insert("PotentialCompositeIndexes", composite(&self.potential_composite));
        Json::Object(members)
    }

    /// The second format.
    #[must_use]
    pub fn to_json_v2(&self) -> Json {
        let mut members = Object::new();
        members.insert(
            "UtilizedIndexes",
            kinds(&self.utilized_single, &self.utilized_composite, false),
        );
        members.insert(
            "PotentialIndexes",
            kinds(&self.potential_single, &self.potential_composite, true),
        );
        Json::Object(members)
    }

    /// The header value in the first format, without the last indexes if it would be too long.
    #[must_use]
    pub fn to_header(&self) -> String {
        self.bounded(|metrics| base64(metrics.to_json().to_string().as_bytes()))
    }

    /// The header value in the second format, without the last indexes if it would be too long.
    #[must_use]
    pub fn to_header_v2(&self) -> String {
        self.bounded(|metrics| percent_encoded(&metrics.to_json_v2().to_string()))
    }

    /// Leaves out indexes until the text fits: proposals first, because a cut text would be of no use to any client.
    fn bounded(&self, encode: impl Fn(&Self) -> String) -> String {
        let mut text = encode(self);
        let mut rest = None;
        while text.len() > HEADER_BYTES_MAX {
            let rest = rest.get_or_insert_with(|| self.clone());
            let dropped = rest
                .potential_composite
                .pop()
                .or_else(|| rest.potential_single.pop())
                .or_else(|| rest.utilized_composite.pop())
                .or_else(|| rest.utilized_single.pop());
            if dropped.is_none() {
                break;
            }
            text = encode(rest);
        }
        text
    }
}

impl MetricIndex {
    fn single_json(&self) -> Json {
        let mut members = Object::new();
        members.insert("FilterExpression", "");
        members.insert("IndexSpec", self.specs.first().map_or("", String::as_str));
        members.insert("FilterPreciseSet", self.is_precise);
        members.insert("IndexPreciseSet", self.is_precise);
        members.insert("IndexImpactScore", "High");
        Json::Object(members)
    }

    fn composite_json(&self) -> Json {
        let mut members = Object::new();
        members.insert("IndexSpecs", self.specs_json());
        members.insert("IndexPreciseSet", self.is_precise);
        members.insert("IndexImpactScore", "High");
        Json::Object(members)
    }

    fn specs_json(&self) -> Json {
        Json::Array(self.specs.iter().map(|spec| Json::from(spec.as_str())).collect())
    }
}

/// The second format of one kind of indexes. Only potential indexes have an impact score.
fn kinds(single: &[MetricIndex], composite: &[MetricIndex], has_score: bool) -> Json {
    let scored = |mut members: Object| {
        if has_score {
            members.insert("IndexImpactScore", "High");
        }
        Json::Object(members)
    };
    let single = single.iter().map(|index| {
        let mut members = Object::new();
        members.insert("IndexSpec", index.specs.first().map_or("", String::as_str));
        scored(members)
    });
    let composite = composite.iter().map(|index| {
        let mut members = Object::new();
        members.insert("IndexSpecs", index.specs_json());
        scored(members)
    });
    let mut members = Object::new();
    members.insert("SingleIndexes", single.collect::<Vec<_>>());
    members.insert("CompositeIndexes", composite.collect::<Vec<_>>());
    Json::Object(members)
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut bits = 0_u32;
        for index in 0..3 {
            bits = bits << 8 | u32::from(group.get(index).copied().unwrap_or(0));
        }
        for index in 0..4_usize {
            let digit = (bits >> (18 - 6 * index)) & 0x3F;
            let letter = BASE64.get(digit as usize).copied().unwrap_or(b'A');
            // A group of n bytes has n + 1 digits; the rest is padding.
            text.push(if index <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// Everything but letters, digits and `-_.~` as `%XX`.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_encoded_as_clients_decode_them() {
        for (text, encoded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
        assert_eq!(percent_encoded(r#"{"a b":"é"}"#), "%7B%22a%20b%22%3A%22%C3%A9%22%7D");
    }
}
