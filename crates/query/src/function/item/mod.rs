//! Functions on whole items and on values of any type.
//!
//! Does not own resource ids: see `model`.

mod document_id;
mod hash;

pub(super) use {document_id::FUNCTIONS as DOCUMENT_ID, hash::FUNCTIONS as HASH};
