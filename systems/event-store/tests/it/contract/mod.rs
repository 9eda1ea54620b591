//! One suite for every provider.

pub(crate) mod appends;
pub(crate) mod conditions;
pub(crate) mod equal_names;
pub(crate) mod feeds;
pub(crate) mod input;
pub(crate) mod isolation;
pub(crate) mod states;
mod suite;
pub(crate) mod waiting;
pub(crate) mod wirings;
