//! Patches an item.
//!
//! Owns the request and the response. The condition is query text, which the engine parses.

use engine::operation::PatchItem;
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use model::{ItemId, Json, Object, Patch};

use super::write::item_response;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, parse_on_thread};

pub(super) async fn patch_item(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    id: ItemId,
) -> ApiResult<ApiResponse> {
    let operation = PatchItem {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
        id,
        patch: parse_on_thread(engine, &request.body, |body| {
            parse_patch(&Json::parse(body).map_err(ApiError::invalid_payload)?)
        })
        .await?,
        options: {
            request.refuse_triggers("a patch")?;
            request.write_options()?
        },
    };
    let patched = engine
        .patch_item(operation)
        .await
        .map_err(|error| ApiError::from(error).in_words_of_replica())?;
    item_response(engine, StatusCode::OK, request, address, patched).await
}

/// Parses the body of a patch: an object, or the bare list of operations that one client sends.
pub(super) fn parse_patch(body: &Json) -> ApiResult<Patch> {
    if body.as_array().is_some() {
        let mut whole = Object::new();
        whole.insert("operations", body.clone());
        return Ok(Patch::from_json(&Json::Object(whole))?);
    }
    Ok(Patch::from_json(body)?)
}
