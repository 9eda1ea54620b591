//! Session tokens: a client never reads a state older than one it has seen.
//!
//! Owns the comparison of a client's token with a partition. Does not own the token's text (`model`).

use model::SessionToken;

use crate::error::{Error, ErrorKind, Result};
use crate::partition::PhysicalPartition;

/// Refuses a token with an lsn above that of the partition.
///
/// A token without this partition's number is accepted. After a split or merge that is safe, because the new partition
/// contains everything its sources had acknowledged and its lsns continue above theirs. After a container was created
/// again, the token is about another container and cannot be compared at all.
pub(crate) fn check(token: Option<&SessionToken>, partition: &PhysicalPartition) -> Result<()> {
    let number = partition.identity.number;
    let Some(seen) = token.and_then(|token| token.lsn_of(number)) else { return Ok(()) };
    let lsn = partition.published.lsn();
    // Equal is enough: the partition publishes an lsn only when everything up to it can be read.
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
