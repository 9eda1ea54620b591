//! How items are stored: the record, the transaction that writes it, and everything a write touches.
//!
//! Owns the byte layout of values and the derivation of effects. Does not own the verbs, which call it.

mod effects;
mod logged;
mod record;
mod system_properties;
mod turn;
mod uniqueness;
mod unseen;
mod written;

pub(crate) use effects::{Entries, effects_of};
pub(crate) use logged::LoggedItem;
pub(crate) use record::{ItemHeader, ItemRecord, LogEntry, Removal, Version, resolve};
pub(crate) use system_properties::{Placement, SYSTEM_PROPERTIES};
pub(crate) use turn::{Change, Halt, Prepared, Turn, TurnContext};
pub(crate) use unseen::Unseen;
pub(crate) use written::Written;
