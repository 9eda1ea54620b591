//! Binary JSON: some clients send items in this format, and some read nothing else.
//!
//! A body is the byte 0x80 followed by one value. A value begins with a marker byte that determines its type and, for
//! short values, the value itself. Numbers and lengths are little-endian. Arrays and objects have their length in
//! bytes, so that a reader can skip them. Owns both directions: every marker is decoded, but only a few are written.
//! Does not own when the format is used.

mod budget;
mod cursor;
mod decode;
mod encode;
mod number;
mod string;
mod system_string;
#[cfg(test)]
mod tests;
mod uniform;
mod unknown_marker;

pub(crate) use decode::{FORMAT_MARKER, decode};
pub(crate) use encode::encode;
use unknown_marker::unknown_marker;
