//! The bounds of a key range as bytes, so that ranges can be compared.
//!
//! Does not own ranges, which belong to the storage. The iterator of terms clips its ranges by them.

use std::ops::Bound;

use bytes::Bytes;
use storage::KeyRange;

/// The key at the lower bound, included or not; without a bound, the key before all others.
pub(super) fn lower(range: &KeyRange) -> Bytes {
    match &range.lower {
        Bound::Included(key) | Bound::Excluded(key) => key.clone(),
        Bound::Unbounded => Bytes::new(),
    }
}

/// The key at the upper bound, included or not.
pub(super) fn upper(range: &KeyRange) -> Option<Bytes> {
    match &range.upper {
        Bound::Included(key) | Bound::Excluded(key) => Some(key.clone()),
        Bound::Unbounded => None,
    }
}
