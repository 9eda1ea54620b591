//! Reading index terms.
//!
//! `branch` derives term scans from a plan, `iterator` and `absent` run them, `condition` checks items against them,
//! `fingerprint` identifies them in tokens, `value_bytes` encodes values and bounds, and `shape_cache` knows which sets
//! of paths occur in a partition.

mod absent;
mod branch;
mod condition;
mod fingerprint;
mod iterator;
mod key_bound;
mod shape_cache;
mod value_bytes;

pub(super) use branch::{
    LookupBranch, branches, composite_paths, composite_terms, ordered_path_terms,
};
pub(super) use condition::{parse_paths, values_at};
pub(super) use fingerprint::{SCAN_FINGERPRINT, lookup_fingerprint, order_fingerprint};
pub(super) use iterator::{TermIndex, TermIterator, TermScan};
pub(in crate::query) use shape_cache::Shape;
pub(crate) use shape_cache::ShapeCache;
pub(super) use value_bytes::{
    TermValue, decode_value, has_exact_bounds, is_truncated_bound, sort_key, successor,
    truncated_prefix,
};
