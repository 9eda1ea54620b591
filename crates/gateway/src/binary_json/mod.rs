//! The binary form of JSON: some clients send items in it, and some read nothing else.
//!
//! Owns both directions: all markers but those of compressed strings, dictionaries and uniform arrays, which are
//! refused by name. Does not own when it is used.

mod cursor;
mod decode;
mod encode;
mod system_string;

pub(crate) use decode::{MARK, decode};
pub(crate) use encode::encode;
