//! Size classes: the charge of reading and writing an item by its size, without its index.
//!
//! Owns the published table and the definition of the size of an item. The table has steps, without interpolation: an
//! item of 100 KB costs as much as one of 128 KB.

use crate::resource::is_system_property;
use crate::{Json, Object};

/// One step of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeStep {
    /// Upper bound in kilobytes.
    pub kilobytes: u64,
    /// Charge of a read, in 1/21 request units.
    pub read_units: u64,
    /// Charge of a write, in 1/21 request units.
    pub write_units: u64,
}

const fn step(kilobytes: u64, read_units: u64, write_units: u64) -> SizeStep {
    SizeStep { kilobytes, read_units, write_units }
}

const LARGEST: SizeStep = step(2048, 6128, 26250);

/// The table, from small to large.
pub const SIZE_STEPS: [SizeStep; 12] = [
    // The published figures times 21: a read of 1 KB costs 1 RU, a write 4.95 RU without its index.
    step(1, 21, 104),
    step(2, 22, 132),
    step(4, 24, 140),
    step(8, 28, 148),
    step(16, 35, 200),
    step(32, 46, 236),
    step(64, 100, 476),
    step(128, 209, 1012),
    step(256, 426, 2064),
    step(512, 860, 3876),
    step(1024, 3064, 13125),
    LARGEST,
];

/// The step of an item, by the bytes of its JSON text without system properties.
#[must_use]
pub fn size_step(bytes: usize) -> SizeStep {
    let bytes = bytes as u64;
    let found = SIZE_STEPS.into_iter().find(|step| bytes <= step.kilobytes * 1024);
    // Larger items are refused elsewhere; the charge of a stored one must not fail.
    found.unwrap_or(LARGEST)
}

/// The size that charges are based on: bytes of the compact JSON text without system properties.
#[must_use]
pub fn item_bytes(item: &Object) -> usize {
    let own: Vec<(&str, &Json)> =
        item.iter().filter(|(name, _)| !is_system_property(name)).collect();
    // Each property has a colon, and each but the last a comma; then the braces.
    let properties: usize = own
        .iter()
        .map(|(name, value)| Json::from(*name).to_bytes().len() + value.to_bytes().len() + 2)
        .sum();
    properties + 2 - usize::from(!own.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_on_the_first_step_it_fits_on() {
        for (bytes, kilobytes) in
            [(0, 1), (1024, 1), (1025, 2), (100 * 1024, 128), (2 << 20, 2048), (3 << 20, 2048)]
        {
            assert_eq!(size_step(bytes).kilobytes, kilobytes, "{bytes}");
        }
        assert!(SIZE_STEPS.is_sorted_by_key(|step| step.kilobytes));
    }

    #[test]
    fn system_properties_do_not_count() {
        for (text, bytes) in [
            ("{}", 2),
            (r#"{"id":"1"}"#, 10),
            (r#"{"id":"1","a":[1,{"b":"\n"}]}"#, 29),
            (r#"{"id":"1","_rid":"x","_ts":5,"_etag":"e","_self":"s","_attachments":"a"}"#, 10),
        ] {
            let Ok(Json::Object(item)) = Json::parse(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(item_bytes(&item), bytes, "{text}");
        }
    }
}
