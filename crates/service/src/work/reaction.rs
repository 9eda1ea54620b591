//! The queue as a reaction to the change feed of its container, so that new items are processed as they are written.

use async_trait::async_trait;
use client::processor::{DeliveryContext, Reaction, ReactionError};
use client::{Change, Item};

use super::queue::is_transient;
use super::{WorkItem, WorkQueue};

/// Works on every changed item that is due; see [`WorkQueue::reaction`]. Items of one logical partition are processed
/// in order, partitions concurrently. A failed attempt is not an error here: the item waits for its next one. An
/// unreachable database is an error, so that the feed does not move on.
#[derive(Debug)]
pub struct QueueReaction<T> {
    queue: WorkQueue<T>,
}

impl<T> QueueReaction<T> {
    pub(super) fn new(queue: WorkQueue<T>) -> Self {
        Self { queue }
    }
}

#[async_trait]
impl<T: WorkItem> Reaction<T> for QueueReaction<T> {
    async fn react(&self, changes: &[Change<T>], _: &DeliveryContext) -> Result<(), ReactionError> {
        let now = self.queue.now();
        let items = changes.iter().filter_map(|change| change.current.as_ref());
        // Most changes are the queue's own writes; they are not due.
        let due = items.filter(|item| item.value.state().stage.is_due(now)).map(Item::clone);
        match self.queue.work_on_all(due.collect()).await {
            // The processor then keeps its position and delivers the page again.
            Err(error) if is_transient(&error) => Err(error.into()),
            // A write that can never succeed was logged. It must not block the feed.
            _ => Ok(()),
        }
    }
}
