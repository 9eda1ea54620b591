//! What the dispatcher reports about itself: its steps, to an observer, and its errors, to the health check.
//!
//! It is a module of its own because the system's shared state holds both, and the dispatcher is built on that state.

mod health;
mod step;

pub(crate) use health::DispatcherHealth;
pub use step::{DispatchObserver, DispatchStep};
