//! The text of an item whose etag and timestamp are not known yet.
//!
//! Owns the places of both in the text, so that the partition writer fills them in without printing the item again.
//! Does not own which properties the service adds: see `system_properties`.

use std::ops::Range;

use model::{Json, Object, TimestampSeconds};

use super::item_record::ItemHeader;
use crate::error::{Error, Result};

/// The text of an item with places for its etag and its timestamp.
#[derive(Debug)]
pub(crate) struct VersionedText {
    /// The text with values in both places that are never stored.
    text: Vec<u8>,
    /// In the order of the text.
    places: Vec<(Range<usize>, VersionProperty)>,
}

#[derive(Clone, Copy, Debug)]
enum VersionProperty {
    Etag,
    Timestamp,
}

impl VersionedText {
    /// Prints an item that has its system properties.
    pub(crate) fn new(item: &Object, text_bytes: usize) -> Self {
        let mut text = Vec::with_capacity(text_bytes);
        let mut places = Vec::new();
        text.push(b'{');
        for (name, value) in item.iter() {
            if text.len() > 1 {
                text.push(b',');
            }
            Json::from(name).print_to(&mut text);
            text.push(b':');
            let start = text.len();
            value.print_to(&mut text);
            let property = match name {
                "_etag" => VersionProperty::Etag,
                "_ts" => VersionProperty::Timestamp,
                _ => continue,
            };
            places.push((start..text.len(), property));
        }
        text.push(b'}');
        Self { text, places }
    }

    /// Bytes of the text.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Appends the text of one version.
    pub(super) fn print_to(&self, bytes: &mut Vec<u8>, header: &ItemHeader) {
        let mut end = 0;
        let piece = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        for (place, property) in &self.places {
            bytes.extend_from_slice(piece(end..place.start));
            match property {
                VersionProperty::Etag => Json::from(header.etag.to_string()).print_to(bytes),
                VersionProperty::Timestamp => {
                    let TimestampSeconds(seconds) = header.timestamp;
                    bytes.extend_from_slice(seconds.to_string().as_bytes());
                }
            }
            end = place.end;
        }
        bytes.extend_from_slice(piece(end..self.text.len()));
    }

    /// The item, with the values that are never stored.
    pub(crate) fn parse(&self) -> Result<Json> {
        Json::parse(&self.text)
            .map_err(|error| Error::corrupt(format!("a printed item is not JSON: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use model::Etag;

    use super::*;
    use crate::key_layout::ChangePosition;
    use crate::record::{ItemRecord, Placement, set_system_properties};

    fn header(writes: u64, seconds: u64) -> ItemHeader {
        ItemHeader {
            position: ChangePosition::default(),
            previous: ChangePosition::default(),
            timestamp: TimestampSeconds(seconds),
            time_to_live: None,
            indexed: true,
            etag: Etag::new(writes, 1, TimestampSeconds(seconds)),
        }
    }

    #[test]
    fn a_text_that_was_printed_before_is_that_of_the_version() {
        let rid = model::ResourceId::container(&model::ResourceId::database(1), 1);
        for (text, placement) in [
            (r#"{"id":"1","_ts":5,"a \" b":[1,{"_etag":"own"}]}"#, Placement::AtEnd),
            (r#"{"id":"1","_etag":"x","later":{},"_ts":5}"#, Placement::InPlace),
        ] {
            let mut item = Json::parse(text.as_bytes()).unwrap();
            let Json::Object(object) = &mut item else { panic!("an object") };
            set_system_properties(object, placement, "self", &rid, &header(1, 7));
            let before = VersionedText::new(object, 0);
            let header = header(9_000_000_000, 1_700_000_000);
            set_system_properties(object, placement, "self", &rid, &header);
            let printed = ItemRecord::new(header, &item, 0);
            let filled = ItemRecord::with_text(header, &before);
            assert_eq!(filled.as_bytes(), printed.as_bytes());
        }
    }
}
