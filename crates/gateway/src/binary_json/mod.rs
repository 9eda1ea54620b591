//! The binary form of JSON: some clients send items in it, and some read nothing else.
//!
//! Owns both directions: every marker is read, the few that say everything are written. Does not own when it is used.

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
mod unknown;

pub(crate) use decode::{MARK, decode};
pub(crate) use encode::encode;
use unknown::unknown;
