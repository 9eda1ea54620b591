//! What a binary body may stand for beyond its own bytes.
//!
//! A few bytes can repeat a long string or announce many empty arrays. Owns the sum of that, so that a small body never
//! becomes a large value.

use model::limits::ITEM_BYTES_MAX;

use crate::exchange::{Failure, Outcome};

/// What is left.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes_left: usize,
}

impl Default for Budget {
    fn default() -> Self {
        // No item is larger, so neither is what it repeats.
        Self { bytes_left: 2 * ITEM_BYTES_MAX }
    }
}

impl Budget {
    /// Takes what is not in the body itself.
    pub(crate) fn take(&mut self, bytes: usize) -> Outcome<()> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(|| {
            Failure::invalid_payload(
                "The binary JSON repeats strings or empty arrays beyond the size of any item.",
            )
        })?;
        Ok(())
    }
}
