//! Telling open streams what changed in a user's list, whichever process changed it.
//!
//! ```text
//! notifications (change feed) ─► follow: one reader per process, while somebody listens
//!                                  └─► news (what a change means) ─► ring of `service` ─► http/stream
//! ```
//!
//! Owns where signals come from and which there are. A process that writes only wakes its reader, so no signal is told
//! twice and all processes tell the same. Does not own the ring (`service`), nor the route (`http`).

mod feed_reader;
mod hub;
mod list_change;

pub(crate) use hub::{StreamHub, StreamListener};
pub(crate) use list_change::shown;
