//! What a read returns: events, and how far it got.

use crate::domain::{DomainEvent, DomainEventId, FeedPosition, ReadPosition};

/// Events of a query, in the order of their ids.
#[derive(Clone, Debug)]
pub struct DomainEventPage {
    /// The events.
    pub events: Vec<DomainEvent>,
    /// What the reader has now seen, for the condition of an append.
    pub position: ReadPosition,
    /// Whether there are more events behind the last one.
    pub has_more: bool,
}

/// Events of a feed.
#[derive(Clone, Debug)]
pub struct DomainFeedPage {
    /// The events.
    pub events: Vec<DomainEvent>,
    /// Where the next page starts. Some of these events may come again after it; none is left out.
    pub position: Option<FeedPosition>,
    /// Those that come again.
    pub returned_again: Vec<DomainEventId>,
}
