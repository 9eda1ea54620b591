//! Etags: opaque versions of one resource.
//!
//! Owns their text and their bytes. Does not own preconditions: `request` compares a client's text with an etag.

use std::fmt;

use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::TimestampSeconds;

/// Version of one resource, new on each write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Etag {
    sequence: u64,
    partition: u32,
    /// The low 32 bits of the timestamp. Informative only: sequence and partition make an etag unique.
    timestamp: u32,
}

impl Etag {
    /// Bytes of a stored etag.
    pub const BYTES: usize = 16;

    /// Bytes of a printed etag.
    pub const TEXT_BYTES: usize = Hyphenated::LENGTH + 2;

    /// The etag of a write: its sequence number in a physical partition, the partition, and the time of the write.
    #[must_use]
    pub fn new(sequence: u64, partition: u32, timestamp: TimestampSeconds) -> Self {
        // Drops the upper bits on purpose; the field is informative.
        Self { sequence, partition, timestamp: timestamp.0 as u32 }
    }

    /// The bytes to store.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let number = u128::from(self.sequence) << 64
            | u128::from(self.partition) << 32
            | u128::from(self.timestamp);
        number.to_be_bytes()
    }

    /// The quoted UUID form of the service. The sequence fills the first, second and fourth group; the physical
    /// partition fills the third group and the end of the last. All fields are printed, so two etags have the same text
    /// only if they are equal.
    #[must_use]
    pub fn to_ascii(self) -> [u8; Self::TEXT_BYTES] {
        let (sequence, partition) = (u128::from(self.sequence), u128::from(self.partition));
        // From the left: 32 bits of the sequence, the next 16, 16 of the partition, the upper 16 of the sequence; then
        // in the last group 32 bits of time and the upper 16 of the partition.
        let number = (sequence & 0xFFFF_FFFF) << 96
            | (sequence >> 32 & 0xFFFF) << 80
            | (partition & 0xFFFF) << 64
            | (sequence >> 48) << 48
            | u128::from(self.timestamp) << 16
            | partition >> 16;
        let mut text = [b'"'; Self::TEXT_BYTES];
        let [_, inner @ .., _] = &mut text;
        Uuid::from_u128(number).hyphenated().encode_lower(inner);
        text
    }

    /// Reads stored bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let number = u128::from_be_bytes(bytes);
        Self {
            sequence: (number >> 64) as u64,
            partition: (number >> 32) as u32,
            timestamp: number as u32,
        }
    }
}

impl fmt::Display for Etag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(std::str::from_utf8(&self.to_ascii()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recorded() -> Etag {
        Etag::new(0x6201_E654, 0x0100, TimestampSeconds(1_791_622_915))
    }

    #[test]
    fn the_text_is_the_services() {
        assert_eq!(recorded().to_string(), "\"6201e654-0000-0100-0000-6ac9ff030000\"");
    }

    fn etag() -> impl Strategy<Value = Etag> {
        (any::<u64>(), any::<u32>(), any::<u64>()).prop_map(|(sequence, partition, seconds)| {
            Etag::new(sequence, partition, TimestampSeconds(seconds))
        })
    }

    proptest! {
        #[test]
        fn an_etag_survives_its_bytes(etag in etag()) {
            prop_assert_eq!(Etag::from_bytes(etag.to_bytes()), etag);
        }

        #[test]
        fn different_etags_print_differently(left in etag(), right in etag(), bit in 0u32..64) {
            prop_assert_eq!(left.to_string() == right.to_string(), left == right);
            let near = Etag { sequence: left.sequence ^ (1 << bit), ..left };
            prop_assert_ne!(near.to_string(), left.to_string());
        }
    }
}
