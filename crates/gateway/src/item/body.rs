//! Items in bodies: JSON text or binary JSON.
//!
//! Owns the choice of the format: by the first byte of a request, by a header for a response. Does not own the rules of
//! items.

use bytes::Bytes;
use engine::{Engine, ItemResource};
use model::{Json, MeasuredJson};

use crate::binary_json;
use crate::http::{ApiError, ApiRequest, ApiResult, header, parse_on_thread};

/// The system properties that a client can ask to leave out; the others identify the item and its version.
const EXCLUDED_PROPERTIES: [&str; 2] = ["_self", "_attachments"];

/// Parses the item of a request.
pub(super) async fn parse_item(engine: &Engine, body: &Bytes) -> ApiResult<MeasuredJson> {
    parse_on_thread(engine, body, parse).await
}

fn parse(body: &Bytes) -> ApiResult<MeasuredJson> {
    if body.first() == Some(&binary_json::FORMAT_MARKER) {
        return binary_json::decode(body).map(MeasuredJson::from);
    }
    MeasuredJson::parse(body).map_err(ApiError::invalid_payload)
}

/// Encodes an item for a client: the stored text, or binary JSON if the client reads nothing else.
pub(super) async fn encode_item(
    engine: &Engine,
    request: &ApiRequest,
    item: ItemResource,
) -> ApiResult<Bytes> {
    let formats = request.header(&header::SUPPORTED_FORMATS).unwrap_or_default();
    let supports =
        |format: &str| formats.split(',').any(|listed| listed.trim().eq_ignore_ascii_case(format));
    // Text is stored, so text is cheaper. Binary is for clients that can read nothing else.
    let is_binary = supports("CosmosBinary") && !supports("JsonText");
    let excludes = request.flag(&header::EXCLUDE_SYSTEM_PROPERTIES);
    if !is_binary && !excludes {
        return Ok(item.into_text());
    }
    if !engine.is_large(item.text().len()) {
        return Ok(encode(&item, is_binary, excludes));
    }
    Ok(engine.run_long(move || encode(&item, is_binary, excludes)).await?)
}

fn encode(item: &ItemResource, is_binary: bool, excludes: bool) -> Bytes {
    let mut json = item.to_json();
    if let (Json::Object(object), true) = (&mut json, excludes) {
        EXCLUDED_PROPERTIES.iter().for_each(|name| drop(object.remove(name)));
    }
    Bytes::from(if is_binary { binary_json::encode(&json) } else { json.to_bytes() })
}
