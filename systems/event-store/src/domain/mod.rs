//! Events, tags, sortable ids, queries and conditions. Nothing here knows of a tenant.

mod append;
mod event;
mod query;
mod sortable_id;
mod tag;

pub(crate) use append::PreparedEvent;
pub use append::{
    AppendCondition, AppendReceipt, AppendRequest, AppendedEvent, FeedPosition, PreparedAppend,
    ReadPosition, TagWrite,
};
pub use event::{DomainEvent, DomainEventId, EventDraft};
pub use query::{EventQuery, EventQueryItem, EventRead};
pub use sortable_id::{SortableIdGenerator, SortableUniqueId};
pub use tag::{EventTag, TagRow, TagSummary};
