//! Leases after a split of the monitored container: the parent's lease is replaced by those of its parts.
//!
//! Owns the order: the parts' leases exist before the parent's goes, so that no moment leaves a range without a lease.
//! A second instance that does the same finds them there and goes on. After a merge nothing is done: a lease is an epk
//! range, and two leases may read one physical partition.

use std::sync::Arc;

use super::checkpoint::{Halt, Held};
use super::lease::Lease;
use super::run::Inner;
use crate::change_feed::RangePosition;

impl Inner {
    /// Replaces a lease by leases of `parts`, at the position of the lease.
    pub(crate) async fn split(
        &self,
        held: &Arc<Held>,
        parts: &[RangePosition],
    ) -> Result<(), Halt> {
        // A late instance must not bring back leases that were split further since.
        held.renew(&self.store, self.environment(), std::time::Duration::ZERO).await?;
        let parent = held.lease().await;
        let mut parked = parent.parked;
        let mut children = Vec::new();
        for part in parts {
            let child = Lease {
                range: part.range.clone(),
                renewed: self.now(),
                parked: std::mem::take(&mut parked),
                etag: None,
                ..parent.clone()
            };
            children.extend(self.store.create(&child).await?);
        }
        self.store.delete(&parent).await?;
        self.forget(held);
        for child in children {
            self.hold(child);
        }
        self.woken.notify_one();
        Ok(())
    }
}
