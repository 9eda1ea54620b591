//! The processor: several instances share the changes of a whole container.
//!
//! ```text
//! round:  plan (once) ─► read leases ─► balance ─► take (if the etag still matches)
//! lease:  read changes ─► reaction ─► checkpoint, or again, or one by one and park what fails
//! ```
//!
//! Owns leases, delivery and parking. Uses only public calls, so it works on every backend. It guarantees that every
//! change is handled at least once, that changes of one logical partition are handled in order, and that the position
//! in the feed is written only after the reaction has finished.

mod builder;
mod deliver;
mod lease;
mod reaction;
mod round;
mod run;

pub use builder::{ProcessorBuilder, ProcessorStart};
pub use reaction::{DeliveryContext, Reaction, ReactionError};
pub use round::Round;
pub use run::Processor;
