//! The change feed: the changes of a container, read by feed range from a position.
//!
//! Owns reading in both modes and the positions. The processor beside it uses only the engine's public operations.
//! Does not own writing: the turn of an item writes the change log and the versions.

mod change;
mod position;
pub mod processor;
mod read;
mod scan;
mod start;

pub use change::{Change, ChangeFeedMode, ChangeFeedPage, ChangeFeedStart, ChangeOperation};
pub use position::{ChangeFeedPosition, RangePosition};
