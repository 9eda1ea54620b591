//! Functions on whole items and on values as such.
//!
//! Owns what is asked of a value regardless of its type. Does not own resource ids: see `model`.

pub(super) mod document_id;
pub(super) mod hash;
