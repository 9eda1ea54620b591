//! The body of an item.
//!
//! Owns telling text from the binary form by its first byte. Does not own the rules of items.

use bytes::Bytes;
use engine::Item;
use model::MeasuredJson;

use crate::binary_json;
use crate::exchange::{Failure, Outcome, Request, header};

pub(crate) fn item(body: &Bytes) -> Outcome<MeasuredJson> {
    if body.first() == Some(&binary_json::MARK) {
        return binary_json::decode(body).map(MeasuredJson::from);
    }
    MeasuredJson::parse(body).map_err(Failure::invalid_payload)
}

/// The text of an item as the client reads it: as stored, unless it reads nothing but the binary form.
pub(crate) fn text(request: &Request, item: Item) -> Bytes {
    let formats = request.header(&header::SUPPORTED_FORMATS).unwrap_or_default();
    let reads =
        |format: &str| formats.split(',').any(|known| known.trim().eq_ignore_ascii_case(format));
    if reads("CosmosBinary") && !reads("JsonText") {
        return Bytes::from(binary_json::encode(&item.to_json()));
    }
    item.into_text()
}
