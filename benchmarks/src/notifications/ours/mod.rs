//! Our side: the system on the embedded engine, in a folder whose every write is durable.

mod drain;
mod open;
mod steady;

pub(super) use open::Ours;
