//! The body of an item.
//!
//! Owns telling text from the binary form by its first byte. Does not own the rules of items.

use bytes::Bytes;
use model::Json;

use crate::exchange::{Failure, Outcome};

/// The first byte of the binary form.
const BINARY: u8 = 0x80;

pub(crate) fn item(body: &Bytes) -> Outcome<Json> {
    if body.first() == Some(&BINARY) {
        return Err(Failure::unsupported(
            "Binary JSON is not supported yet. Send the item as JSON text.",
        ));
    }
    Json::parse(body).map_err(Failure::invalid_payload)
}
