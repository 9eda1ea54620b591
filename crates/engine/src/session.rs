//! Session tokens: a read never goes back in time.
//!
//! Owns the comparison of a caller's token with a partition. Does not own the token's text (`model`).

use model::SessionToken;

use crate::error::{Error, ErrorKind, Result};
use crate::partition::Partition;

/// Refuses a token that has seen more than the partition holds. A number the token does not know (after a split or a
/// re-created container) says nothing: children continue their parents' sequence.
pub(crate) fn check(token: Option<&SessionToken>, partition: &Partition) -> Result<()> {
    let number = partition.identity.number;
    let Some(seen) = token.and_then(|token| token.lsn_of(number)) else { return Ok(()) };
    let lsn = partition.published.lsn();
    if seen <= lsn {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::SessionNotAvailable,
        format!(
            "The read session is not available for the input session token: it has seen lsn {} of physical \
             partition {number}, which is at {}.",
            seen.0, lsn.0
        ),
    ))
}
