//! Offers: throughput as a resource of its own, the way clients find and replace it.
//!
//! Owns their shape and their ids; clients look them up by a query. The throughput itself belongs to its
//! database or container.

use engine::Engine;
use engine::operation::ThroughputOwner;
use engine::response::ThroughputResource;
use hyper::{Method, StatusCode};
use model::{ContainerProperties, Json, Object, RequestCharge, ResourceId, Throughput};
use model::{TimestampSeconds, structural_hash};

use super::listing;
use crate::exchange::{Failure, Outcome, Reply, Request, header};

/// Throughput with what it belongs to.
#[derive(Debug)]
struct Offer {
    owner: ThroughputOwner,
    throughput: ThroughputResource,
    timestamp: TimestampSeconds,
}

/// `/offers`
pub(crate) async fn list(engine: &Engine, request: &Request) -> Outcome<Reply> {
    let mut offers: Vec<Json> = all(engine).await?.iter().map(Offer::document).collect();
    offers.sort_by_key(|offer| offer.get("id").and_then(Json::as_str).map(str::to_owned));
    match request.method {
        Method::GET => {
            let charge = RequestCharge::from_request_units(1);
            listing::feed(request, None, "Offers", offers, charge)
        }
        Method::POST if request.is_query() => {
            listing::query(engine, request, None, "Offers", &offers)
        }
        _ => Err(Failure::method_not_allowed()),
    }
}

/// `/offers/{id}`
pub(crate) async fn answer(engine: &Engine, request: &Request, id: &str) -> Outcome<Reply> {
    let mut offers = all(engine).await?;
    offers.retain(|offer| offer.id() == id);
    match request.method {
        Method::GET => {
            let offer = offers.first().ok_or_else(|| missing(id))?;
            Ok(single(offer))
        }
        Method::PUT => {
            let body = request.json()?;
            // Ids are short; the owner in the body says which offer is meant should two share one.
            let owner = body.get("offerResourceId").and_then(Json::as_str);
            let offer = offers
                .iter()
                .find(|offer| owner.is_none_or(|owner| owner == offer.throughput.owner.to_string()))
                .ok_or_else(|| missing(id))?;
            let throughput = replacement(request, &body, offer)?;
            let replaced = engine.replace_throughput(&offer.owner, throughput).await?;
            let offer = Offer {
                owner: offer.owner.clone(),
                throughput: replaced.value,
                timestamp: offer.timestamp,
            };
            Ok(single(&offer))
        }
        _ => Err(Failure::method_not_allowed()),
    }
}

/// The throughput a replace asks for: by its content, or by a migration that keeps the amount.
fn replacement(request: &Request, body: &Json, offer: &Offer) -> Outcome<Throughput> {
    let highest = i64::from(offer.throughput.throughput.highest());
    if request.flag(&header::MIGRATE_TO_AUTOSCALE) {
        let step = i64::from(model::limits::AUTOSCALE_THROUGHPUT_MIN);
        let rounded = (highest + step - 1) / step * step;
        return Ok(Throughput::autoscale(rounded.max(step))?);
    }
    if request.flag(&header::MIGRATE_TO_MANUAL) {
        return Ok(Throughput::manual(highest)?);
    }
    let content = body
        .get("content")
        .ok_or_else(|| Failure::bad_request("The offer has no 'content'; send the whole offer."))?;
    Ok(Throughput::from_json(content)?)
}

fn single(offer: &Offer) -> Reply {
    let document = offer.document();
    let etag = document.get("_etag").and_then(Json::as_str).unwrap_or_default().to_owned();
    Reply::json(StatusCode::OK, document.to_bytes())
        .etag(etag)
        .with_static(header::OFFER_PENDING, "false")
        .with(header::MIN_THROUGHPUT, offer.throughput.least)
        .charge(RequestCharge::from_request_units(1))
}

fn missing(id: &str) -> Failure {
    Failure::not_found(format!("Resource Not Found. There is no offer '{id}'."))
}

/// Every offer of the account, in the order of databases and containers.
async fn all(engine: &Engine) -> Outcome<Vec<Offer>> {
    let mut offers = Vec::new();
    for database in engine.list_databases().await?.value {
        let id = database.properties.id;
        let owner = ThroughputOwner::Database(id.clone());
        push(engine, &mut offers, owner, database.timestamp).await?;
        for container in engine.list_containers(&id).await?.value {
            let ContainerProperties { id: container_id, .. } = container.properties;
            let link = engine::ContainerLink { database: id.clone(), container: container_id };
            let owner = ThroughputOwner::Container(link);
            push(engine, &mut offers, owner, container.timestamp).await?;
        }
    }
    Ok(offers)
}

async fn push(
    engine: &Engine,
    offers: &mut Vec<Offer>,
    owner: ThroughputOwner,
    timestamp: TimestampSeconds,
) -> Outcome<()> {
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
        }
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
        object.insert("_ts", i64::try_from(self.timestamp.0).unwrap_or_default());
        Json::Object(object)
    }
}
