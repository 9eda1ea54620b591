//! Items addressed by resource id, as by clients that follow `_self`.
//!
//! Owns finding the item. Such requests are rare, so the logical partition is scanned instead of keeping an index.

use engine::operation::{ListItems, PageOptions};
use engine::{ContainerAddress, Engine};
use model::{FeedRange, ItemId, Json, ResourceId};

use crate::http::{ApiError, ApiRequest, ApiResult};

/// Finds the id of the item with a resource id.
pub(super) async fn resolve_item(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    rid: ResourceId,
) -> ApiResult<ItemId> {
    // One logical partition only: the scan is bounded by its size and not by that of the container.
    let feed_range = FeedRange::PartitionKey(request.required_partition_key()?);
    let rid = Json::from(rid.to_string());
    let mut page = PageOptions::default();
    loop {
        let list = ListItems {
            container: address.link.clone(),
            feed_range: feed_range.clone(),
            page,
            options: request.read_options(engine)?,
        };
        let listed = engine.list_items(list).await?.value;
        for item in &listed.items {
            let json = item.to_json();
            if json.get("_rid") == Some(&rid) {
                let id = json.get("id").and_then(Json::as_str).unwrap_or_default();
                return Ok(ItemId::new(id)?);
            }
        }
        if listed.continuation.is_none() {
            return Err(ApiError::not_found(format!(
                "Entity with the specified id does not exist in the system. The resource id is {rid}."
            )));
        }
        page = PageOptions { items_max: None, continuation: listed.continuation };
    }
}
