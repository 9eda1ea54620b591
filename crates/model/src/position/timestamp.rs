//! Timestamps relative to the Unix epoch.
//!
//! Owns the two units in use and their conversion. Does not own a clock.

use std::fmt;

/// Seconds since the Unix epoch: when a resource was last written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimestampSeconds(pub u64);

/// Milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimestampMs(pub u64);

impl TimestampMs {
    /// The timestamp in seconds, rounded down.
    #[must_use]
    pub fn seconds(self) -> TimestampSeconds {
        TimestampSeconds(self.0 / 1000)
    }
}

impl TimestampSeconds {
    /// The first millisecond of this second.
    #[must_use]
    pub fn start(self) -> TimestampMs {
        TimestampMs(self.0.saturating_mul(1000))
    }
}

impl fmt::Display for TimestampSeconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Display for TimestampMs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_cut_not_rounded() {
        assert_eq!(TimestampMs(1_791_622_915_999).seconds(), TimestampSeconds(1_791_622_915));
    }
}
