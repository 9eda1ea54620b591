//! Items in bodies: JSON text or binary JSON.
//!
//! Owns the choice of the format: by the first byte of a request, by a header for a response. Does not own the rules of
//! items.

use bytes::Bytes;
use engine::{Engine, ItemResource};
use model::{Json, MeasuredJson};

use crate::binary_json;
use crate::http::{ApiError, ApiRequest, ApiResult, header};

/// The system properties that a client can ask to leave out; the others identify the item and its version.
const EXCLUDED_PROPERTIES: [&str; 2] = ["_self", "_attachments"];

/// Parses the item of a request; a large one on a thread, so that other requests are answered meanwhile.
pub(super) async fn parse_item(engine: &Engine, body: &Bytes) -> ApiResult<MeasuredJson> {
    if !engine.is_large(body.len()) {
        return parse(body);
    }
    let body = body.clone();
    engine.run_long(move || parse(&body)).await?
}

fn parse(body: &Bytes) -> ApiResult<MeasuredJson> {
    if body.first() == Some(&binary_json::FORMAT_MARKER) {
        return binary_json::decode(body).map(MeasuredJson::from);
    }
    MeasuredJson::parse(body).map_err(ApiError::invalid_payload)
}

/// Encodes an item for a client: the stored text, or binary JSON if the client reads nothing else.
pub(super) fn encode_item(request: &ApiRequest, item: ItemResource) -> Bytes {
    let formats = request.header(&header::SUPPORTED_FORMATS).unwrap_or_default();
    let supports =
        |format: &str| formats.split(',').any(|listed| listed.trim().eq_ignore_ascii_case(format));
    // Text is stored, so text is cheaper. Binary is for clients that can read nothing else.
    let is_binary = supports("CosmosBinary") && !supports("JsonText");
    if request.flag(&header::EXCLUDE_SYSTEM_PROPERTIES) {
        let mut json = item.to_json();
        if let Json::Object(object) = &mut json {
            EXCLUDED_PROPERTIES.iter().for_each(|name| drop(object.remove(name)));
        }
        return Bytes::from(if is_binary { binary_json::encode(&json) } else { json.to_bytes() });
    }
    if is_binary {
        return Bytes::from(binary_json::encode(&item.to_json()));
    }
    item.into_text()
}
