//! The queue as a reaction to the change feed of its container, so that new items are processed as they are written.

use async_trait::async_trait;
use client::Change;
use client::processor::{DeliveryContext, Reaction, ReactionError};

use super::claim::DueItem;
use super::queue::is_transient;
use super::{UtcTimestamp, WorkItem, WorkQueue};

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
    async fn react(
        &self,
        changes: &[Change<T>],
        context: &DeliveryContext,
    ) -> Result<(), ReactionError> {
        let exclusive_until = UtcTimestamp::from_ms(context.exclusive_until.0);
        let due = self.due(changes).filter_map(|change| {
            let exclusive_until = context.is_first_delivery(change).then_some(exclusive_until);
            Some(DueItem { item: change.current.clone()?, exclusive_until })
        });
        match self.queue.work_on_all(due.collect()).await {
            // The processor then keeps its position and delivers the page again.
            Err(error) if is_transient(&error) => Err(error.into()),
            // A write that can never succeed was logged. It must not block the feed.
            _ => Ok(()),
        }
    }

    /// Changes that are not due are the queue's own writes, or wait for a timer.
    fn needs_checkpoint(&self, changes: &[Change<T>]) -> bool {
        self.due(changes).next().is_some()
    }
}

impl<T: WorkItem> QueueReaction<T> {
    fn due<'page>(
        &self,
        changes: &'page [Change<T>],
    ) -> impl Iterator<Item = &'page Change<T>> + use<'page, T> {
        let now = self.queue.now();
        changes.iter().filter(move |change| {
            let item = change.current.as_ref();
            item.is_some_and(|item| item.value.state().stage.is_due(now))
        })
    }
}
