//! Items found by a lookup, in the order of values.
//!
//! `source` reads slice after slice, `branch_reader` the terms of one branch, and `emission` decides which of them lead
//! to a row. Lookups whose terms can be merged in the order of creation are read by `creation` instead.

mod branch_reader;
mod emission;
mod source;

pub(super) use emission::{filter_by_test, should_emit};
pub(in crate::query) use source::LookupSource;
pub(super) use source::LookupStart;
