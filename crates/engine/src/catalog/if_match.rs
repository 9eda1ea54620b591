//! The check of If-Match before a resource of the catalog is replaced or deleted.
//!
//! Owns the comparison and its error. Does not own items, whose check runs inside their transaction.

use model::{Etag, Precondition, PreconditionResult};

use crate::error::{Error, ErrorKind, Result};

/// Refuses a write whose If-Match names another etag. If-None-Match concerns reads and upserts of items only.
pub(super) fn check_if_match(precondition: Option<&Precondition>, current: Etag) -> Result<()> {
    let Some(precondition @ Precondition::IfMatch(expected)) = precondition else { return Ok(()) };
    let etag = current.to_string();
    if precondition.check(Some(&etag)) == PreconditionResult::Proceed {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::PreconditionFailed,
        format!(
            "One of the specified pre-condition is not met. \
             The etag of the resource is {etag}, the request expects {expected}."
        ),
    ))
}
