//! Partition key ranges: the physical partitions as clients see them.
//!
//! Owns their shape, the etag of the whole set, and which range ids there are. A client asks with the last etag until
//! it is answered "not modified", so the etag must stay the same until a split or merge. A client that asks for what is
//! new since an etag gets only the ranges made after it; their parents tell which of its own are gone.

use engine::response::{PartitionResource, PartitionsResource};
use engine::{ContainerAddress, Engine};
use hyper::header::{HeaderName, IF_NONE_MATCH};
use hyper::{Method, StatusCode};
use model::{EffectivePartitionKey, EpkRange, FeedRange, Json, Number, Object, ResourceId};

use crate::exchange::{Envelope, Failure, Outcome, Reply, Request, header};

/// `/dbs/{id}/colls/{id}/pkranges`
pub(crate) async fn feed(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    if request.method != Method::GET {
        return Err(Failure::method_not_allowed());
    }
    let outcome = engine.list_partitions(&address.link).await?;
    let timestamp = engine.read_container(&address.link).await?.value.timestamp.0;
    let etag = etag(address, &outcome.value);
    let known = request.header(&IF_NONE_MATCH);
    let reply = if known == Some(etag.as_str()) {
        Reply::empty(StatusCode::NOT_MODIFIED)
    } else {
        let is_incremental = request.header(&header::A_IM).is_some();
        let newest = known.filter(|_| is_incremental).and_then(|etag| newest(address, etag));
        let mut envelope = Envelope::new(Some(&address.rid), "PartitionKeyRanges", 1024);
        for partition in &outcome.value.partitions {
            // Numbers only grow: a range with a smaller one was there when the etag was given.
            if newest.is_none_or(|newest| partition.number > newest) {
                envelope.push(&document(address, partition, &etag, timestamp).to_bytes());
            }
        }
        let count = envelope.count();
        Reply::ok(envelope.into_text()).with(header::ITEM_COUNT, count)
    };
    Ok(reply.etag(etag).charge(outcome.charge).owner(address))
}

/// The etag of a set of ranges: which set it is, its newest range, and whose it is.
fn etag(address: &ContainerAddress, partitions: &PartitionsResource) -> String {
    let newest = partitions.partitions.iter().map(|partition| partition.number).max();
    let newest = newest.unwrap_or_default();
    format!("\"{}.{newest}.{}\"", partitions.generation, address.rid)
}

/// The newest range of the set that an etag stands for; none when the etag is not one of this container.
fn newest(address: &ContainerAddress, etag: &str) -> Option<u32> {
    let mut parts = etag.trim_matches('"').splitn(3, '.');
    let (generation, newest, rid) = (parts.next()?, parts.next()?, parts.next()?);
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

/// Which part of a container a request asks for: by partition key, by range id, by bounds, or all of it.
pub(crate) async fn feed_range(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<FeedRange> {
    if let Some(key) = request.partition_key()? {
        return Ok(FeedRange::PartitionKey(key));
    }
    let whole = match request.header(&header::PARTITION_KEY_RANGE_ID) {
        Some(id) => {
            let partitions = engine.list_partitions(&address.link).await?.value;
            by_id(&partitions, id)?
        }
        None => EpkRange::full(),
    };
    let bound = |name: HeaderName, default: &EffectivePartitionKey| match request.header(&name) {
        None => Ok(default.clone()),
        Some(text) => EffectivePartitionKey::from_hex(text).map_err(|invalid| {
            Failure::bad_request(format!("One of the input values is invalid. {invalid}"))
        }),
    };
    let min = bound(header::START_EPK, &whole.min)?;
    let max = bound(header::END_EPK, &whole.max)?;
    let asked = EpkRange { min, max };
    let range = asked.intersect(&whole).ok_or_else(|| {
        Failure::bad_request(format!(
            "One of the input values is invalid. The range {asked} lies outside of {whole}."
        ))
    })?;
    Ok(if range == EpkRange::full() { FeedRange::Container } else { FeedRange::Epk(range) })
}

/// The range of a range id; some clients put the resource id of the container before it.
fn by_id(partitions: &PartitionsResource, id: &str) -> Outcome<EpkRange> {
    let number = id.rsplit(',').next().unwrap_or(id).trim();
    let mut known = partitions.partitions.iter();
    let found = known.find(|partition| partition.number.to_string() == number);
    found.map(|partition| partition.range.clone()).ok_or_else(|| {
        let message = format!(
            "The requested resource is no longer available at the server: there is no partition key range '{number}' \
             now. Read the partition key ranges again."
        );
        Failure::new(StatusCode::GONE, message).sub_status(1002)
    })
}
