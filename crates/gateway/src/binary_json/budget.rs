//! A limit on how far a binary body may expand.
//!
//! A few bytes can refer to a long string again and again, or declare many empty arrays. Owns the sum of these
//! expansions, so that a small body cannot become a huge value.

use model::limits::ITEM_BYTES_MAX;

use crate::http::{ApiError, ApiResult};

/// The remaining budget, in bytes.
#[derive(Debug)]
pub(super) struct ExpansionBudget {
    bytes_left: usize,
}

impl Default for ExpansionBudget {
    fn default() -> Self {
        // Generous: a valid item cannot expand beyond its own maximum size.
        Self { bytes_left: 2 * ITEM_BYTES_MAX }
    }
}

impl ExpansionBudget {
    /// Spends the budget for bytes that are not in the body itself.
    pub(super) fn take(&mut self, bytes: usize) -> ApiResult<()> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(|| {
            ApiError::invalid_payload(
                "The binary JSON repeats strings or empty arrays beyond the maximum size of an item.",
            )
        })?;
        Ok(())
    }
}
