//! Epks as numbers, to divide ranges evenly.
//!
//! Owns the arithmetic: a version 2 epk has one 126-bit number per level, a version 1 epk has one 32-bit number. Does
//! not own the ranges.

use super::component::{append_ordered_number, read_ordered_number};
use super::{
    EffectivePartitionKey, EpkRange, PartitionKeyDefinition, PartitionKeyKind, PartitionKeyVersion,
};

/// Bytes of a version 2 hash.
const V2_BYTES: usize = 16;
/// The highest version 2 hash: 126 bits.
const V2_MAX: u128 = (1 << 126) - 1;
/// The highest version 1 hash: 32 bits.
const V1_MAX: u128 = (1 << 32) - 1;

/// The upper bound of one of several equal parts of the space, rounded as the service rounds it: version 1 after the
/// multiplication with the number of the part, version 2 before it.
pub(super) fn part_bound(
    part: usize,
    parts: usize,
    definition: &PartitionKeyDefinition,
) -> EffectivePartitionKey {
    match (definition.kind(), definition.version()) {
        (PartitionKeyKind::Hash, PartitionKeyVersion::V1) => {
            v1_epk(V1_MAX * part as u128 / parts as u128)
        }
        _ => {
            let bound = V2_MAX / parts as u128 * part as u128;
            EffectivePartitionKey::from_bytes(bound.to_be_bytes())
        }
    }
}

/// The midpoint of a range; its minimum when no epk is between its bounds.
pub(super) fn midpoint(
    range: &EpkRange,
    definition: &PartitionKeyDefinition,
) -> EffectivePartitionKey {
    let middle = match (definition.kind(), definition.version()) {
        (PartitionKeyKind::Hash, PartitionKeyVersion::V1) => v1_midpoint(range),
        _ => v2_midpoint(range, definition.levels()),
    };
    middle.filter(|middle| range.contains(middle)).unwrap_or_else(|| range.min.clone())
}

/// The number of a bound at the outermost level.
pub(super) fn bound_number(
    bound: &EffectivePartitionKey,
    definition: &PartitionKeyDefinition,
) -> u128 {
    match (definition.kind(), definition.version()) {
        (PartitionKeyKind::Hash, PartitionKeyVersion::V1) => {
            let end = if bound.as_bytes().is_empty() { 0.0 } else { V1_MAX as f64 };
            // The bounds `""` and `FF` are not ordered numbers; they mean the ends of the space.
            read_ordered_number(bound.as_bytes()).unwrap_or(end).max(0.0) as u128
        }
        _ => level_number(bound, 0),
    }
}

fn v1_epk(hash: u128) -> EffectivePartitionKey {
    let mut bytes = Vec::new();
    // Exact: a version 1 hash has 32 bits, a double holds 53.
    append_ordered_number(hash as f64, &mut bytes);
    EffectivePartitionKey::from_bytes(bytes)
}

fn v1_midpoint(range: &EpkRange) -> Option<EffectivePartitionKey> {
    let max = f64::from(u32::MAX);
    let low = read_ordered_number(range.min.as_bytes()).unwrap_or(0.0).clamp(0.0, max);
    // The bounds `""` and `FF` are not ordered numbers; they mean the ends of the space.
    let high = read_ordered_number(range.max.as_bytes()).unwrap_or(max).clamp(0.0, max);
    let (low, high) = (low as u64, high as u64);
    // When the bounds are neighbours, the midpoint equals the lower hash. `midpoint` then checks that it is in the
    // range.
    (low < high).then(|| v1_epk(u128::from(low.midpoint(high))))
}

/// Halves the outermost level at which the bounds differ by more than one. Deeper levels are omitted.
fn v2_midpoint(range: &EpkRange, levels: usize) -> Option<EffectivePartitionKey> {
    let mut bytes = Vec::new();
    // If the bounds differ by one at a level, the range contains everything up to the highest number at the levels
    // below the minimum.
    let mut is_below_maximum = false;
    for level in 0..levels {
        let low = level_number(&range.min, level);
        let high = if is_below_maximum { V2_MAX } else { level_number(&range.max, level) };
        let middle = low.midpoint(high);
        if low < middle && middle < high {
            bytes.extend_from_slice(&middle.to_be_bytes());
            return Some(EffectivePartitionKey::from_bytes(bytes));
        }
        is_below_maximum |= low < high;
        bytes.extend_from_slice(&low.to_be_bytes());
    }
    None
}

/// The number of an epk at a level: zero where the epk ends, the highest number for `FF`.
fn level_number(epk: &EffectivePartitionKey, level: usize) -> u128 {
    let mut bytes = [0; V2_BYTES];
    for (slot, byte) in bytes.iter_mut().zip(epk.as_bytes().iter().skip(level * V2_BYTES)) {
        *slot = *byte;
    }
    // `FF` and bounds of prefixes set the top bits, which no hash has.
    u128::from_be_bytes(bytes).min(V2_MAX)
}
