//! The queue as a reaction to the change feed of its container: fresh work is done as it is written.

use async_trait::async_trait;
use client::processor::{Context, Reaction, ReactionError};
use client::{Change, Item};

use super::queue::may_pass;
use super::{Queue, Work};

/// Works on every change that is work and due; see [`Queue::reaction`]. Changes of one logical partition come in their
/// order, partitions are worked on side by side. Failed work is not an error here: it waits for its next attempt. Data
/// that cannot be reached is, so that the feed waits for it.
#[derive(Debug)]
pub struct QueueReaction<T> {
    queue: Queue<T>,
}

impl<T> QueueReaction<T> {
    pub(super) fn new(queue: Queue<T>) -> Self {
        Self { queue }
    }
}

#[async_trait]
impl<T: Work> Reaction<T> for QueueReaction<T> {
    async fn react(&self, changes: &[Change<T>], _: &Context) -> Result<(), ReactionError> {
        let now = self.queue.now();
        let items = changes.iter().filter_map(|change| change.current.as_ref());
        // Most changes are the queue's own writes coming back.
        let due = items.filter(|item| item.value.state().stage.is_due(now)).map(Item::clone);
        match self.queue.work_on_all(due.collect()).await {
            Err(error) if may_pass(&error) => Err(error.into()),
            // What cannot be written, now or later, was told of; it must not hold up the feed.
            _ => Ok(()),
        }
    }
}
