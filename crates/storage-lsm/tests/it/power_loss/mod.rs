//! Power cuts and failed syncs under the real store, on a file system of our own.
//!
//! `kill -9` leaves everything that the operating system has in its page cache. A power cut does not: `disk` keeps what
//! was written and what was synced apart, `mount` offers it to the system through FUSE, `writer` and `cuts` write, cut
//! and compare, `failed_sync` follows one failed sync step by step, and `upgrade` cuts the power while an old format is
//! opened.

mod content;
mod cuts;
mod disk;
mod failed_sync;
mod mount;
mod names;
mod upgrade;
mod writer;

use mount::can_mount;
