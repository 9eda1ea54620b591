//! States made of events: of one tag, or of all events of a tenant.
//!
//! ```text
//! events ─► upcasters ─► projector ─► safe state ─► snapshot
//!                                └──► latest state ─► queries
//! ```

mod host;
mod projector;
mod runner;
mod upcast;

pub use host::{ProjectionHost, ProjectionSettings};
pub(crate) use projector::ErasedState;
pub use projector::{EventProjector, ProjectorSet};
pub use runner::{ProjectionRunner, ProjectionStatus, TagStateReader};
pub use upcast::Upcasters;
