//! The acceptance scenarios, each run on an embedded account and on one behind our gateway.

mod migrating;
mod planning;
mod scenarios;
