//! The processor: consumes the changes of a whole container with several instances that share the work.
//!
//! ```text
//! round:  initialise ─► list leases ─► balance ─► take (replace if the etag still matches)
//! page:   renew if due ─► read changes ─► reaction ─► checkpoint, or retry, or isolate and park
//! ```
//!
//! Owns leases, delivery, retries and parking. Uses only what any embedder has: the engine's public operations on the
//! monitored and the lease container, its environment, and public types. What it guarantees: every change is handled
//! at least once, changes of one epk range in their order, and the position is written only after the reaction is done.

mod balance;
mod builder;
mod checkpoint;
mod cover;
mod estimate;
mod keyed;
mod lease;
mod page;
mod parked;
mod reaction;
mod round;
mod run;
mod store;
mod task;

pub use builder::{ProcessorBuilder, ProcessorStart};
pub use estimate::{Estimate, LeaseEstimate};
pub use lease::{Instance, LeasePosition};
pub use reaction::{Context, Reaction, ReactionError};
pub use round::Round;
pub use run::Processor;
