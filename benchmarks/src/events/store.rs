//! What the load asks of a store that is measured.

use std::time::Duration;

use async_trait::async_trait;

use crate::Result;

/// The payload of every event.
pub(super) const PAYLOAD: &str = r#"{"studentId":"s1","name":"Ann Example","maxClassCount":5}"#;

/// A store under load. Clones of the handle share it.
#[async_trait]
pub(super) trait LoadedStore: Send + Sync + 'static {
    /// Appends so many events with these tags, durably.
    async fn append(&self, events: usize, tags: &[String]) -> Result<()>;

    /// Reads the newest event of a tag and appends one if there is no newer one. Whether it did.
    async fn append_if_unchanged(&self, tag: &str) -> Result<bool>;

    /// Appends events, each with its own tag.
    async fn append_tagged(&self, tags: &[String]) -> Result<()>;

    /// The number of events of a tag, all of which are read.
    async fn read_tag(&self, tag: &str) -> Result<usize>;

    /// The number of all events, all of which are read.
    async fn read_all(&self) -> Result<usize>;

    /// Projects all events; `None` if this side has no projections.
    async fn project(&self) -> Result<Option<usize>>;

    /// The time from the call of an append to its arrival at a reader that waits; `None` without live readers.
    async fn live(&self, times: usize) -> Result<Option<Vec<Duration>>>;
}
