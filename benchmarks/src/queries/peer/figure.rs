//! What a full scan is over and how fast it went.
//!
//! Owns the figure all sides are compared by: bytes of stored JSON per second of processor time. Bytes are those of
//! the text the engine stores, on every side, whatever form a peer keeps it in.

use std::time::Duration;

/// The items of a scan, and what it looks for.
pub(in crate::queries) struct Scanning<'items> {
    /// The stored text of every item.
    pub(in crate::queries) texts: &'items [String],
    /// The remark to look for.
    pub(in crate::queries) remark: String,
    /// How many items have it.
    pub(in crate::queries) rows: u64,
    /// How often the scan is repeated, so that small sizes can be measured at all.
    pub(in crate::queries) repeats: u32,
}

impl Scanning<'_> {
    /// Bytes of JSON in all repeats.
    pub(in crate::queries) fn bytes(&self) -> u64 {
        let bytes: usize = self.texts.iter().map(String::len).sum();
        bytes as u64 * u64::from(self.repeats)
    }
}

/// How fast, or why there is no number.
#[derive(Clone, Debug, PartialEq)]
pub enum PeerFigure {
    /// Megabytes of JSON per second of processor time.
    MegabytesPerSecond(f64),
    /// What to do to get one.
    Absent(String),
}

impl PeerFigure {
    /// The rate of so many bytes in so much processor time.
    #[expect(clippy::cast_precision_loss, reason = "bytes stay far below what a double holds")]
    pub(in crate::queries) fn of(bytes: u64, cpu: Duration) -> Self {
        Self::MegabytesPerSecond(bytes as f64 / 1e6 / cpu.as_secs_f64().max(1e-9))
    }
}

impl std::fmt::Display for PeerFigure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MegabytesPerSecond(rate) => write!(formatter, "{rate:.0} MB/s"),
            Self::Absent(why) => formatter.write_str(why),
        }
    }
}
