//! The change feed: the changes of a container, read by feed range from a position.
//!
//! Owns reading in both modes and the positions. Does not own writing: the transaction of an item writes the change
//! log and the versions. Does not own the change feed processor: `client` has it.

mod change;
mod position;
mod read;
mod request;
mod scan;
mod start;

pub use change::{ChangeFeedPage, ChangeOperation, ChangeRecord};
#[cfg(any(test, fuzzing))]
pub(crate) use position::check_position;
pub use position::{ChangeFeedPosition, RangePosition};
pub use request::{ChangeFeedMode, ChangeFeedStart, ReadChangeFeed};
