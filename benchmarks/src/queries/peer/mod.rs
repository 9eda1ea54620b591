//! The same full scan over other databases, in the same run.
//!
//! Owns what a peer is asked to do and what it answers. The peers are heavy to build, so they sit behind the feature
//! `peers`; without it their cells say so.

mod figure;
#[cfg(feature = "peers")]
mod postgresql;
#[cfg(feature = "peers")]
mod sqlite;

#[cfg(not(feature = "peers"))]
mod absent;

#[cfg(not(feature = "peers"))]
pub(super) use absent::{postgresql, sqlite};
pub use figure::PeerFigure;
pub(super) use figure::Scanning;
#[cfg(feature = "peers")]
pub(super) use postgresql::postgresql;
#[cfg(feature = "peers")]
pub(super) use sqlite::sqlite;
