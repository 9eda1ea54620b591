//! The newest stamp of every shard, and waiting for a newer one.
//!
//! Owns the stamps that a backend publishes after a commit has become visible. Does not own their durability: a backend
//! reads them when it opens and stores them with each commit. There is no polling; a publication wakes the waiters.

use std::collections::HashMap;
use std::sync::PoisonError;
#[cfg(not(test))]
use std::sync::RwLock;

#[cfg(test)]
use interleaving::RwLock;
use tokio::sync::watch;

use crate::{Error, ErrorKind, Result, Shard, Stamp};

/// Newest stamps by shard.
#[derive(Debug, Default)]
pub struct LastStamps {
    state: RwLock<LastStampsState>,
}

#[derive(Debug, Default)]
struct LastStampsState {
    closed: bool,
    by_shard: HashMap<Shard, watch::Sender<Stamp>>,
}

impl LastStamps {
    /// No shard has a stamp yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The newest published stamp; zero for a shard without commits.
    #[must_use]
    pub fn last(&self, shard: Shard) -> Stamp {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.by_shard.get(&shard).map_or(Stamp::ZERO, |sender| *sender.borrow())
    }

    /// The shards that have a stamp or are waited for.
    #[must_use]
    pub fn shards(&self) -> Vec<Shard> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.by_shard.keys().copied().collect()
    }

    /// Publishes the newest stamp of a shard and wakes the tasks that wait for it.
    pub fn publish(&self, shard: Shard, stamp: Stamp) {
        // A known shard needs only the read lock, so commits to different shards do not wait for each other here.
        {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(sender) = state.by_shard.get(&shard) {
                // `send_replace` and not `send`: it stores the stamp even if nobody is waiting.
                sender.send_replace(stamp);
                return;
            }
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.sender(shard).send_replace(stamp);
    }

    /// Returns once the newest stamp is greater than `after`.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] when it is closed first.
    pub async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        let closed = || Error::new(ErrorKind::Closed, "the store is closed");
        let mut receiver = {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            if state.closed {
                return Err(closed());
            }
            // Subscribed under the lock, before the value is looked at: a stamp published in between is seen by
            // `wait_for`.
            state.sender(shard).subscribe()
        };
        let stamp = receiver.wait_for(|stamp| *stamp > after).await.map_err(|_| closed())?;
        Ok(*stamp)
    }

    /// Ends every wait with [`ErrorKind::Closed`]; the stamps stay readable.
    pub fn close(&self) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        for sender in state.by_shard.values_mut() {
            // Replacing the sender drops the old one, which ends every wait on it with an error.
            let stamp = *sender.borrow();
            *sender = watch::Sender::new(stamp);
        }
    }
}

impl LastStampsState {
    fn sender(&mut self, shard: Shard) -> &watch::Sender<Stamp> {
        self.by_shard.entry(shard).or_insert_with(|| watch::Sender::new(Stamp::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use interleaving::{explore, spawn, wait_for};

    use super::*;

    const SHARD: Shard = Shard(3);
    const ORDERS: usize = 1_000;

    #[test]
    fn no_order_of_publishing_and_waiting_loses_a_stamp() {
        explore(ORDERS, || {
            let stamps = Arc::new(LastStamps::new());
            let waiters = [0, 1].map(|after| {
                let stamps = Arc::clone(&stamps);
                spawn(move || wait_for(stamps.wait(SHARD, Stamp(after))))
            });
            let other = {
                let stamps = Arc::clone(&stamps);
                spawn(move || stamps.publish(Shard(4), Stamp(9)))
            };
            for stamp in 1..=2 {
                stamps.publish(SHARD, Stamp(stamp));
                assert_eq!(stamps.last(SHARD), Stamp(stamp), "whoever has published reads it");
            }
            for (after, waiter) in (0..).zip(waiters) {
                assert!(waiter().is_ok_and(|stamp| stamp > Stamp(after)));
            }
            other();
            assert_eq!(stamps.last(Shard(4)), Stamp(9));
        });
    }

    #[test]
    fn no_order_of_closing_and_waiting_leaves_anybody_waiting() {
        explore(ORDERS, || {
            let stamps = Arc::new(LastStamps::new());
            let waiter = {
                let stamps = Arc::clone(&stamps);
                spawn(move || wait_for(stamps.wait(SHARD, Stamp(1))))
            };
            let closer = {
                let stamps = Arc::clone(&stamps);
                spawn(move || stamps.close())
            };
            stamps.publish(SHARD, Stamp(1));
            closer();
            assert!(waiter().is_err_and(|error| *error.kind() == ErrorKind::Closed));
            assert_eq!(stamps.last(SHARD), Stamp(1));
        });
    }
}
