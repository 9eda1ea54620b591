//! Tests of what is private to the crate: bytes and their order.

mod index_layout;
mod key_layout;
mod ordered_bytes;
mod stored;
mod term_ranges;
