//! Sends changes of a user's in-app list to open streams, whichever process wrote them.
//!
//! ```text
//! notifications (change feed) ─► feed_reader: one per process, while somebody listens
//!                                  └─► list_change (what a change means) ─► event ring of `service` ─► http/stream
//! ```
//!
//! Owns which events there are and where they come from. They come only from the change feed: a process that writes
//! merely wakes its own reader, so no event is sent twice and all processes send the same. Does not own the ring
//! (`service`), nor the route (`http`).

mod feed_reader;
mod hub;
mod list_change;

pub(crate) use hub::{StreamHub, StreamListener};
