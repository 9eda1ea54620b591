//! Stored procedures, triggers and user-defined functions, on QuickJS.
//!
//! Owns the realm of a run: its objects, its limits, its errors. Does not own transactions, queries or permissions: a
//! script asks for operations, and the engine performs them (`engine::script_runtime`). See
//! `docs/decisions/0021-scripts.md`.

#![doc = include_str!("../README.md")]

mod convert;
mod function;
mod operation;
mod realm;
mod run;
mod runtime;

#[cfg(any(test, fuzzing))]
pub mod fuzzing;

pub use runtime::JavaScript;
