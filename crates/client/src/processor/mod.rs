//! The processor: consumes the changes of a whole container with several instances that share the work.
//!
//! ```text
//! round:  plan (once) ─► read leases ─► balance ─► take (if the etag still matches)
//! lease:  read changes ─► reaction ─► checkpoint, or again, or one by one and park what fails
//! ```
//!
//! Owns leases, delivery and parking. Uses only calls any program has, so it is the same in every place. What it
//! guarantees: every change is handled at least once, changes of one logical partition in their order, and the place in
//! the feed is written only after the reaction is done.

mod builder;
mod deliver;
mod lease;
mod reaction;
mod round;
mod run;

pub use builder::{ProcessorBuilder, ProcessorStart};
pub use reaction::{Context, Reaction, ReactionError};
pub use round::Round;
pub use run::Processor;
