//! The newest stamp of every shard, and waiting for a newer one.
//!
//! Owns the stamps that a backend publishes after a commit has become visible. Does not own their durability: a backend
//! reads them when it opens and stores them with each commit. There is no polling; a publication wakes the waiters.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

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
