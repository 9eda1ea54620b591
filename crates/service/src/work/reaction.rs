//! The queue as a reaction to the change feed of its container: fresh work is done as it is written.

use async_trait::async_trait;
use client::processor::{Context, Reaction, ReactionError};
use client::{Change, Item};

use super::{Queue, Work};

/// Works on every change that is work and due; see [`Queue::reaction`]. Changes of one logical partition come in their
/// order, partitions are worked on side by side. Failed work is not an error here: it waits for its next attempt.
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
        self.queue.work_on_all(due.collect()).await?;
        Ok(())
    }
}
