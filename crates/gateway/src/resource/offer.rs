//! Offers: throughput as a resource of its own, which is how clients find and replace it.
//!
//! Owns their document and their ids; clients look them up by a query. The throughput itself belongs to its database or
//! container.

use engine::Engine;
use engine::operation::ThroughputOwner;
use engine::response::ThroughputResource;
use hyper::{Method, StatusCode};
use model::{ContainerProperties, Json, Object, RequestCharge, ResourceId, Throughput};
use model::{TimestampSeconds, structural_hash};

use super::feed;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// Throughput together with its database or container.
#[derive(Debug)]
struct Offer {
    owner: ThroughputOwner,
    throughput: ThroughputResource,
    timestamp: TimestampSeconds,
}

/// `/offers`
pub(crate) async fn handle_feed(engine: &Engine, request: &ApiRequest) -> ApiResult<ApiResponse> {
    let mut offers: Vec<Json> = list_all(engine).await?.iter().map(Offer::document).collect();
    offers.sort_by_key(|offer| offer.get("id").and_then(Json::as_str).map(str::to_owned));
    match request.method {
        Method::GET => {
            let charge = RequestCharge::from_request_units(1);
            feed::list_feed(request, None, "Offers", offers, charge)
        }
        Method::POST if request.is_query() => {
            feed::query_feed(engine, request, None, "Offers", offers).await
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// `/offers/{id}`
pub(crate) async fn handle(
    engine: &Engine,
    request: &ApiRequest,
    id: &str,
) -> ApiResult<ApiResponse> {
    let mut offers = list_all(engine).await?;
    offers.retain(|offer| offer.id() == id);
    match request.method {
        Method::GET => {
            let offer = offers.first().ok_or_else(|| not_found(id))?;
            Ok(single(engine, request, offer).await?.unless_unmodified(request))
        }
        Method::PUT => {
            let body = request.json()?;
            // An offer id is a hash of 24 bits. Should two offers share one, the owner in the body decides.
            let owner = body.get("offerResourceId").and_then(Json::as_str);
            let offer = offers
                .iter()
                .find(|offer| owner.is_none_or(|owner| owner == offer.throughput.owner.to_string()))
                .ok_or_else(|| not_found(id))?;
            let throughput = parse_replacement(request, &body, offer)?;
            let replaced = engine.replace_throughput(&offer.owner, throughput).await?;
            let offer = Offer {
                owner: offer.owner.clone(),
                throughput: replaced.value,
                timestamp: offer.timestamp,
            };
            single(engine, request, &offer).await
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// Parses the new throughput: from the content, or by a migration that keeps the amount.
fn parse_replacement(request: &ApiRequest, body: &Json, offer: &Offer) -> ApiResult<Throughput> {
    let highest = i64::from(offer.throughput.throughput.highest());
    if request.flag(&header::MIGRATE_TO_AUTOSCALE) {
        let step = i64::from(model::limits::AUTOSCALE_THROUGHPUT_MIN);
        // Up to the next step: a migration must not take throughput away.
        let rounded = (highest + step - 1) / step * step;
        return Ok(Throughput::autoscale(rounded.max(step))?);
    }
    if request.flag(&header::MIGRATE_TO_MANUAL) {
        return Ok(Throughput::manual(highest)?);
    }
    let content = body.get("content").ok_or_else(|| {
        ApiError::bad_request("The offer has no 'content'; send the whole offer.")
    })?;
    Ok(Throughput::from_json(content)?)
}

async fn single(engine: &Engine, request: &ApiRequest, offer: &Offer) -> ApiResult<ApiResponse> {
    let mut document = offer.document();
    let etag = document.get("_etag").and_then(Json::as_str).unwrap_or_default().to_owned();
    if request.flag(&header::POPULATE_THROUGHPUT_INFO)
        && let ThroughputOwner::Container(link) = &offer.owner
    {
        let partitions = engine.list_partitions(link).await?.value.partitions.len();
        add_throughput_info(&mut document, offer, partitions);
    }
    Ok(ApiResponse::json(StatusCode::OK, document.to_bytes())
        .etag(etag)
        .with_static(header::OFFER_PENDING, if offer.throughput.pending { "true" } else { "false" })
        .with(header::MIN_THROUGHPUT, offer.throughput.least)
        .charge(RequestCharge::from_request_units(1)))
}

/// Adds what a client asks for beside the throughput itself. It is not part of the etag.
fn add_throughput_info(document: &mut Json, offer: &Offer, partitions: usize) {
    let mut info = Object::new();
    info.insert("minimumRUForCollection", i64::from(offer.throughput.least));
    info.insert("numPhysicalPartitions", i64::try_from(partitions).unwrap_or(i64::MAX));
    let Json::Object(object) = document else { return };
    if let Some(Json::Object(content)) = object.get_mut("content") {
        content.insert("collectionThroughputInfo", info);
    }
}

fn not_found(id: &str) -> ApiError {
    ApiError::not_found(format!("Resource Not Found. There is no offer '{id}'."))
}

/// All offers of the account, in the order of databases and containers.
async fn list_all(engine: &Engine) -> ApiResult<Vec<Offer>> {
    let mut offers = Vec::new();
    for database in engine.list_databases().await?.value {
        let id = database.properties.id;
        let owner = ThroughputOwner::Database(id.clone());
        push_offer(engine, &mut offers, owner, database.timestamp).await?;
        for container in engine.list_containers(&id).await?.value {
            let ContainerProperties { id: container_id, .. } = container.properties;
            let link = engine::ContainerLink { database: id.clone(), container: container_id };
            let owner = ThroughputOwner::Container(link);
            push_offer(engine, &mut offers, owner, container.timestamp).await?;
        }
    }
    Ok(offers)
}

async fn push_offer(
    engine: &Engine,
    offers: &mut Vec<Offer>,
    owner: ThroughputOwner,
    timestamp: TimestampSeconds,
) -> ApiResult<()> {
    if let Some(throughput) = engine.read_throughput(&owner).await?.value {
        offers.push(Offer { owner, throughput, timestamp });
    }
    Ok(())
}

impl Offer {
    fn id(&self) -> String {
        let hash = structural_hash(&Json::from(self.throughput.owner.to_string()));
        ResourceId::offer(u32::try_from(hash & 0xFF_FFFF).unwrap_or_default()).to_string()
    }

    fn document(&self) -> Json {
        let rid = self.throughput.owner;
        let resource = match (rid.container_id(), rid.database_id()) {
            (Some(container), Some(database)) => format!("dbs/{database}/colls/{container}/"),
            _ => format!("dbs/{rid}/"),
        };
        let id = self.id();
        let mut content = self.throughput.throughput.to_json();
        if let Json::Object(object) = &mut content {
            object.insert("offerIsRUPerMinuteThroughputEnabled", false);
            let mut minimum = Object::new();
            minimum.insert("maxThroughputEverProvisioned", i64::from(self.throughput.highest_ever));
            let kilobytes = self.throughput.item_bytes / 1024;
            let kilobytes = i64::try_from(kilobytes).unwrap_or(i64::MAX);
            minimum.insert("maxConsumedStorageEverInKB", kilobytes);
            object.insert("offerMinimumThroughputParameters", minimum);
            if let Some(replaced_at) = self.throughput.replaced_at {
                let seconds = i64::try_from(replaced_at.0).unwrap_or_default();
                object.insert("offerLastReplaceTimestamp", seconds);
            }
        }
        // The lower half of 128 bits: equal contents have equal etags, which is all that clients compare.
        let etag = structural_hash(&content) as u64;
        let mut object = Object::new();
        object.insert("resource", resource);
        object.insert("offerType", "Invalid");
        object.insert("offerResourceId", rid.to_string());
        object.insert("offerVersion", "V2");
        object.insert("content", content);
        object.insert("id", id.as_str());
        object.insert("_rid", id.as_str());
        object.insert("_self", format!("offers/{id}/"));
        object.insert("_etag", format!("\"{etag:016x}\""));
        let changed = self.throughput.replaced_at.unwrap_or(self.timestamp);
        object.insert("_ts", i64::try_from(changed.0).unwrap_or_default());
        Json::Object(object)
    }
}
