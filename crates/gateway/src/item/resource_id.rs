//! Items addressed by resource id, as clients do that follow `_self`.
//!
//! Owns the search for the id. Such an address is rare, so the logical partition is walked.

use engine::operation::{ListItems, PageOptions};
use engine::{ContainerAddress, Engine};
use model::{FeedRange, ItemId, Json, ResourceId, ResourceIdKind};

use crate::exchange::{Failure, Outcome, Request};

/// The resource id a segment stands for: only below a container that is addressed by its own.
pub(crate) fn of_item(address: &ContainerAddress, named: &str) -> Option<ResourceId> {
    let rid = address.by_resource_id.then(|| ResourceId::parse(named).ok()).flatten()?;
    let is_item = rid.kind() == ResourceIdKind::Item && rid.container_id() == Some(address.rid);
    is_item.then_some(rid)
}

/// The id of the item with a resource id.
pub(crate) async fn resolve(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    rid: ResourceId,
) -> Outcome<ItemId> {
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
        let found = engine.list_items(list).await?.value;
        for item in &found.items {
            let json = item.to_json();
            if json.get("_rid") == Some(&rid) {
                let id = json.get("id").and_then(Json::as_str).unwrap_or_default();
                return Ok(ItemId::new(id)?);
            }
        }
        if found.continuation.is_none() {
            return Err(Failure::not_found(format!(
                "Entity with the specified id does not exist in the system. The resource id is {rid}."
            )));
        }
        page = PageOptions { items_max: None, continuation: found.continuation };
    }
}
