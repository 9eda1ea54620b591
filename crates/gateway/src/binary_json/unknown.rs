//! The refusal of a marker that means nothing.

use crate::exchange::Failure;

pub(crate) fn unknown(marker: u8) -> Failure {
    Failure::invalid_payload(format!(
        "The binary JSON holds the marker {marker:#04X} where it means nothing. Send the item as JSON text."
    ))
}
