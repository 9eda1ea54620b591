//! Effective partition keys: the bytes a partition key hashes to.
//!
//! Owns the coordinate by which containers are partitioned, and how each version and kind computes it. Clients compute
//! the same bytes, so nothing here may change. Does not own ranges: see `epk_range`.

use std::borrow::Cow;
use std::fmt;

use super::component::{
    append_ordered_number, append_v1_hashed, append_v1_ordered, append_v2_hashed,
};
use super::{
    EpkRange, PartitionKey, PartitionKeyDefinition, PartitionKeyKind, PartitionKeyValue,
    PartitionKeyVersion,
};
use crate::murmur::{murmur3_x64_128, murmur3_x86_32};
use crate::{Result, ValidationError};

/// The hash of a partition key. Ordered by its bytes, printed as upper-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectivePartitionKey(Cow<'static, [u8]>);

impl EffectivePartitionKey {
    /// The lowest epk: no bytes.
    pub const MIN: Self = Self(Cow::Borrowed(&[]));
    /// Higher than the epk of any partition key.
    // A version 2 epk starts with two clear bits, a version 1 epk with the marker of a number.
    pub const MAX: Self = Self(Cow::Borrowed(&[0xFF]));

    /// The epk of these bytes.
    #[must_use]
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Cow::Owned(bytes.into()))
    }

    /// Parses hexadecimal digits of either case.
    ///
    /// # Errors
    /// When a character is not a hexadecimal digit or the number of digits is odd.
    pub fn from_hex(text: &str) -> Result<Self> {
        let invalid = || {
            ValidationError::new(format!(
                "The effective partition key '{text}' is invalid: it must be pairs of hexadecimal digits."
            ))
        };
        let (pairs, odd) = text.as_bytes().as_chunks::<2>();
        if !odd.is_empty() {
            return Err(invalid());
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        pairs
            .iter()
            .map(|[high, low]| Some((digit(*high)? << 4 | digit(*low)?) as u8))
            .collect::<Option<Vec<u8>>>()
            .map(Self::from_bytes)
            .ok_or_else(invalid)
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The lowest epk above this one.
    #[must_use]
    pub fn successor(&self) -> Self {
        // Nothing sorts between some bytes and the same bytes followed by zero.
        self.followed_by(0x00)
    }

    fn followed_by(&self, byte: u8) -> Self {
        let mut bytes = self.0.to_vec();
        bytes.push(byte);
        Self::from_bytes(bytes)
    }
}

impl PartitionKeyDefinition {
    /// Hashes a partition key. The empty key has the lowest epk.
    #[must_use]
    pub fn effective(&self, key: &PartitionKey) -> EffectivePartitionKey {
        let components = key.components();
        if components.is_empty() {
            return EffectivePartitionKey::MIN;
        }
        let bytes = match (self.kind(), self.version()) {
            (PartitionKeyKind::Hash, PartitionKeyVersion::V1) => effective_v1(components),
            (PartitionKeyKind::Hash, PartitionKeyVersion::V2) => effective_v2(components).to_vec(),
            (PartitionKeyKind::MultiHash, _) => {
                // Each level is hashed alone: the epk of a prefix is then a prefix of the epk, and one range covers
                // all keys below it.
                components.chunks(1).flat_map(effective_v2).collect()
            }
        };
        EffectivePartitionKey::from_bytes(bytes)
    }

    /// The range of a full key (exactly one epk), of all keys with a prefix, or of all keys for the empty key.
    #[must_use]
    pub fn effective_range(&self, key: &PartitionKey) -> EpkRange {
        if key.components().is_empty() {
            return EpkRange::full();
        }
        let min = self.effective(key);
        // The two top bits of each hash are cleared, so every longer key with this prefix sorts below the prefix and
        // FF.
        let max = if key.components().len() < self.levels() {
            min.followed_by(0xFF)
        } else {
            min.successor()
        };
        EpkRange { min, max }
    }
}

/// A 32-bit hash as an ordered number, followed by the ordered encoding of each component.
fn effective_v1(components: &[PartitionKeyValue]) -> Vec<u8> {
    let mut hashed = Vec::new();
    for component in components {
        append_v1_hashed(component, &mut hashed);
    }
    let mut bytes = Vec::new();
    append_ordered_number(f64::from(murmur3_x86_32(&hashed, 0)), &mut bytes);
    for component in components {
        append_v1_ordered(component, &mut bytes);
    }
    bytes
}

/// A 128-bit hash, most significant byte first, with its two top bits cleared.
fn effective_v2(components: &[PartitionKeyValue]) -> [u8; 16] {
    let mut hashed = Vec::new();
    for component in components {
        append_v2_hashed(component, &mut hashed);
    }
    // The clear bits leave room above every hash for `FF`, the upper bound of ranges.
    (murmur3_x64_128(&hashed, 0) & (u128::MAX >> 2)).to_be_bytes()
}

impl fmt::Display for EffectivePartitionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02X}"))
    }
}

impl fmt::Debug for EffectivePartitionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "epk {self}")
    }
}
