//! Patch on the wire.
//!
//! Owns the request and the reply. The condition is query text, which the engine reads.

use engine::operation::PatchItem;
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use model::{ItemId, Json, Object, Patch};

use super::write::written;
use crate::exchange::{Outcome, Reply, Request};

pub(crate) async fn patch(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    id: ItemId,
) -> Outcome<Reply> {
    let operation = PatchItem {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
        id,
        patch: parse(&request.json()?)?,
        options: request.write_options()?,
    };
    let patched = engine.patch_item(operation).await?;
    Ok(written(StatusCode::OK, request, address, patched))
}

/// Reads the body of a patch: an object, or the bare list of operations that one client sends.
pub(crate) fn parse(body: &Json) -> Outcome<Patch> {
    if body.as_array().is_some() {
        let mut whole = Object::new();
        whole.insert("operations", body.clone());
        return Ok(Patch::from_json(&Json::Object(whole))?);
    }
    Ok(Patch::from_json(body)?)
}
