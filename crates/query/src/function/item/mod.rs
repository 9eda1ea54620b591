//! Functions on whole items and on values as such.

pub(super) mod document_id;
pub(super) mod hash;
