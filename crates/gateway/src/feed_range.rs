//! The part of a container that a request reads.
//!
//! Owns the headers that name it: a partition key, a partition key range, or bounds of effective partition keys.

use engine::response::PartitionsResource;
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use hyper::header::HeaderName;
use model::{EffectivePartitionKey, EpkRange, FeedRange};

use crate::http::{ApiError, ApiRequest, ApiResult, header};

/// Parses the feed range of a request: by partition key, by range id, by bounds, or the whole container.
pub(crate) async fn parse_feed_range(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<FeedRange> {
    if let Some(key) = request.partition_key()? {
        return Ok(FeedRange::PartitionKey(key));
    }
    let outer = match request.header(&header::PARTITION_KEY_RANGE_ID) {
        Some(id) => {
            let partitions = engine.list_partitions(&address.link).await?.value;
            find_by_id(&partitions, id)?
        }
        None => EpkRange::full(),
    };
    let bound = |name: HeaderName, default: &EffectivePartitionKey| match request.header(&name) {
        None => Ok(default.clone()),
        Some(text) => EffectivePartitionKey::from_hex(text).map_err(|invalid| {
            ApiError::bad_request(format!("One of the input values is invalid. {invalid}"))
        }),
    };
    let min = bound(header::START_EPK, &outer.min)?;
    let max = bound(header::END_EPK, &outer.max)?;
    let requested = EpkRange { min, max };
    // Bounds may be wider than the named partition; only the common part is read.
    let range = requested.intersect(&outer).ok_or_else(|| {
        ApiError::bad_request(format!(
            "One of the input values is invalid. The range {requested} lies outside of {outer}."
        ))
    })?;
    Ok(if range == EpkRange::full() { FeedRange::Container } else { FeedRange::Epk(range) })
}

/// Finds the range with an id. Some clients put the resource id of the container before it.
fn find_by_id(partitions: &PartitionsResource, id: &str) -> ApiResult<EpkRange> {
    let number = id.rsplit(',').next().unwrap_or(id).trim();
    let mut current = partitions.partitions.iter();
    let found = current.find(|partition| partition.number.to_string() == number);
    found.map(|partition| partition.range.clone()).ok_or_else(|| {
        // After a split or merge: this status pair makes clients read the ranges again.
        let message = format!(
            "The requested resource is no longer available at the server: there is no partition key range '{number}' \
             now. Read the partition key ranges again."
        );
        ApiError::new(StatusCode::GONE, message).with_sub_status(1002)
    })
}
