//! Logical sequence numbers.
//!
//! Owns the position of a committed write in its physical partition. Does not assign lsns: the store does.

use std::fmt;

/// Position of a committed write in its physical partition; strictly increasing, never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lsn(pub u64);

impl Lsn {
    /// Before the first write.
    pub const ZERO: Self = Self(0);

    /// The position of the next write.
    #[must_use]
    pub fn next(self) -> Self {
        // A wrapped lsn would silently make new writes older than all others; a panic is the lesser evil.
        Self(self.0.checked_add(1).expect("no physical partition lives through 2^64 writes"))
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
