//! Functions on whole items and on values of any type.
//!
//! Does not own resource ids: see `model`.

pub(super) mod document_id;
pub(super) mod hash;
