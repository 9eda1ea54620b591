//! Partition key ranges: the physical partitions as clients see them.
//!
//! Owns their document and the etag of the whole set. A client asks again with the last etag until the response is "not
//! modified", so the etag must not change until a split or merge. A client that asks for the changes since an etag gets
//! only the ranges created after it; their parents say which of its own ranges are gone.

use engine::response::{PartitionResource, PartitionsResource};
use engine::{ContainerAddress, Engine};
use hyper::header::IF_NONE_MATCH;
use hyper::{Method, StatusCode};
use model::{Json, Number, Object, ResourceId};

use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, Envelope, header};

/// `/dbs/{id}/colls/{id}/pkranges`
pub(super) async fn handle_feed(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    let listed = engine.list_partitions(&address.link).await?;
    let timestamp = engine.read_container(&address.link).await?.value.timestamp.0;
    let etag = set_etag(address, &listed.value);
    let cached = request.header(&IF_NONE_MATCH);
    let response = if cached == Some(etag.as_str()) {
        ApiResponse::empty(StatusCode::NOT_MODIFIED)
    } else {
        let is_incremental = request.header(&header::A_IM).is_some();
        let newest =
            cached.filter(|_| is_incremental).and_then(|etag| newest_number(address, etag));
        let mut envelope = Envelope::new(Some(&address.rid), "PartitionKeyRanges", 1024);
        for partition in &listed.value.partitions {
            // Numbers only grow: a range with a smaller number existed when the etag was created.
            if newest.is_none_or(|newest| partition.number > newest) {
                envelope.push(&document(address, partition, &etag, timestamp).to_bytes());
            }
        }
        let count = envelope.count();
        ApiResponse::ok(envelope.into_text()).with(header::ITEM_COUNT, count)
    };
    Ok(response.etag(etag).charge(listed.charge).container_headers(address))
}

/// The etag of the set of ranges: `generation.newest number.container`.
fn set_etag(address: &ContainerAddress, partitions: &PartitionsResource) -> String {
    let newest = partitions.partitions.iter().map(|partition| partition.number).max();
    let newest = newest.unwrap_or_default();
    format!("\"{}.{newest}.{}\"", partitions.generation, address.rid)
}

/// Parses the newest number from an etag. Returns `None` if the etag belongs to another container.
fn newest_number(address: &ContainerAddress, etag: &str) -> Option<u32> {
    let mut parts = etag.trim_matches('"').splitn(3, '.');
    let (generation, newest, rid) = (parts.next()?, parts.next()?, parts.next()?);
    // Only to recognize our own form.
    generation.parse::<u64>().ok()?;
    newest.parse().ok().filter(|_| rid == address.rid.to_string())
}

fn document(
    address: &ContainerAddress,
    partition: &PartitionResource,
    etag: &str,
    timestamp: u64,
) -> Json {
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let rid = ResourceId::partition_key_range(&address.rid, u64::from(partition.number) + 2);
    let self_link = format!("dbs/{}/colls/{}/pkranges/{rid}/", address.database_rid, address.rid);
    let parents = partition.parents.iter().map(|number| Json::from(number.to_string()));
    let fraction = Number::from_f64(partition.throughput_fraction).map_or(Json::Null, Json::Number);
    let mut object = Object::new();
    object.insert("_rid", rid.to_string());
    object.insert("id", partition.number.to_string());
    object.insert("_etag", etag);
    object.insert("minInclusive", partition.range.min.to_string());
    object.insert("maxExclusive", partition.range.max.to_string());
    object.insert("ridPrefix", i64::from(partition.number));
    object.insert("_self", self_link);
    object.insert("throughputFraction", fraction);
    object.insert("status", "online");
    object.insert("parents", parents.collect::<Vec<_>>());
    object.insert("ownedArchivalPKRangeIds", Vec::new());
    object.insert("_ts", integer(timestamp));
    object.insert("lsn", integer(partition.lsn.0));
    Json::Object(object)
}
