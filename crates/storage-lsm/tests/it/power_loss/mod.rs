//! Power cuts under the real store, on a file system of our own.
//!
//! `kill -9` leaves everything that the operating system has in its page cache. A power cut does not: `disk` keeps what
//! was written and what was synced apart, `mount` offers it to the system through FUSE, and `cuts` writes, cuts and
//! compares.

mod cuts;
mod disk;
mod mount;
