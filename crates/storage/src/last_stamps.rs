//! The newest stamp of every shard, and those who wait for a newer one.
//!
//! Owns the numbers a backend publishes after a commit became visible. Does not own their durability: a backend loads
//! them when it opens and stores them with each commit. No timer is involved; a publication wakes the waiters.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokio::sync::watch;

use crate::{Error, ErrorKind, Result, Shard, Stamp};

/// Newest stamps by shard.
#[derive(Debug, Default)]
pub struct LastStamps {
    board: RwLock<Board>,
}

#[derive(Debug, Default)]
struct Board {
    closed: bool,
    by_shard: HashMap<Shard, watch::Sender<Stamp>>,
}

impl LastStamps {
    /// No shard has been written.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The newest published stamp; zero for a shard that has none.
    #[must_use]
    pub fn last(&self, shard: Shard) -> Stamp {
        let board = self.board.read().unwrap_or_else(PoisonError::into_inner);
        board.by_shard.get(&shard).map_or(Stamp::ZERO, |sender| *sender.borrow())
    }

    /// Publishes the newest stamp of a shard and wakes those who wait for it.
    pub fn publish(&self, shard: Shard, stamp: Stamp) {
        {
            let board = self.board.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(sender) = board.by_shard.get(&shard) {
                sender.send_replace(stamp);
                return;
            }
        }
        let mut board = self.board.write().unwrap_or_else(PoisonError::into_inner);
        board.sender(shard).send_replace(stamp);
    }

    /// Returns once the newest stamp is greater than `after`.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] when the board is closed before that.
    pub async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        let closed = || Error::new(ErrorKind::Closed, "the store is closed");
        let mut receiver = {
            let mut board = self.board.write().unwrap_or_else(PoisonError::into_inner);
            if board.closed {
                return Err(closed());
            }
            board.sender(shard).subscribe()
        };
        let stamp = receiver.wait_for(|stamp| *stamp > after).await.map_err(|_| closed())?;
        Ok(*stamp)
    }

    /// Ends every wait with [`ErrorKind::Closed`]; the stamps stay readable.
    pub fn close(&self) {
        let mut board = self.board.write().unwrap_or_else(PoisonError::into_inner);
        board.closed = true;
        for sender in board.by_shard.values_mut() {
            // Waiters learn of the end by the loss of their sender.
            let stamp = *sender.borrow();
            *sender = watch::Sender::new(stamp);
        }
    }
}

impl Board {
    fn sender(&mut self, shard: Shard) -> &watch::Sender<Stamp> {
        self.by_shard.entry(shard).or_insert_with(|| watch::Sender::new(Stamp::ZERO))
    }
}
