//! Atomics and locks with the interface of the standard library, for the unit tests of crates that use them.
//!
//! Outside of [`explore`] they are those of the standard library. Inside they belong to `shuttle`: a test runs many
//! times, each time with another order of the steps of its threads, and a thread that can never go on is reported. So
//! the same code is tested in both ways, and ordinary builds contain none of this:
//!
//! ```text
//! #[cfg(not(test))]
//! use std::sync::atomic::{AtomicU64, Ordering};
//! #[cfg(test)]
//! use interleaving::{AtomicU64, Ordering};
//! ```
//!
//! Every atomic operation counts as sequentially consistent, so an order of steps is tested, and not whether a weaker
//! memory ordering suffices for it. A wait with a timeout never times out: what relies on the timeout is reported as a
//! thread that can never go on.

mod atomic;
mod exploration;
mod lock;

pub use atomic::{AtomicBool, AtomicU64, AtomicUsize};
pub use exploration::{explore, spawn, wait_for};
pub use lock::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::atomic::Ordering;
