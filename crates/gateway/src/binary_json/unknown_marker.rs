//! The error for a marker that is unknown or not allowed at its position.

use crate::http::ApiError;

pub(super) fn unknown_marker(marker: u8) -> ApiError {
    ApiError::invalid_payload(format!(
        "The binary JSON holds the marker {marker:#04X} where it is not allowed. Send the item as JSON text."
    ))
}
