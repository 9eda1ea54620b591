//! One realm: a heap, its global objects and its limits.
//!
//! Owns the creation of realms, the compilation of scripts in them and the errors that come out of them.

mod compile;
mod failure;
mod gate;
mod limited;
mod spare;

pub(crate) use compile::{compile_all, instantiate_all, script};
pub(crate) use failure::describe;
pub(crate) use gate::InterruptGate;
pub(crate) use limited::Realm;
pub(crate) use spare::{SpareRealm, SpareRealms};
