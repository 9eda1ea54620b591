//! Containers on the wire, and the way into them.
//!
//! Owns their shape and verbs, and the dispatch of everything below a container. Does not own items.

use engine::operation::{CreateContainer, ReplaceContainer, ThroughputOwner};
use engine::response::{ContainerResource, PartitionsResource};
use engine::{ContainerAddress, ContainerLink, Engine, Response as EngineResponse};
use hyper::header::HeaderName;
use hyper::{Method, StatusCode};
use model::{ContainerProperties, Json, Object, SessionToken};

use super::attached::{self, Place};
use super::{database, listing, partition_key_range, standing, usage};
use crate::exchange::{Failure, Outcome, Reply, Request, header};
use crate::gateway::Gateway;
use crate::item;
use crate::route::{ContainerRoute, ScriptKind};

/// `/dbs/{id}/colls`
pub(crate) async fn feed(engine: &Engine, request: &Request, named: &str) -> Outcome<Reply> {
    let parent = engine.resolve_database(named)?;
    match request.method {
        Method::GET => {
            let containers = engine.list_containers(&parent.id).await?;
            let values = containers.value.iter().map(document).collect();
            let name = "DocumentCollections";
            listing::feed(request, Some(&parent.rid), name, values, containers.charge)
        }
        Method::POST if request.is_query() => {
            let containers = engine.list_containers(&parent.id).await?.value;
            let values: Vec<Json> = containers.iter().map(document).collect();
            listing::query(engine, request, Some(&parent.rid), "DocumentCollections", &values)
        }
        Method::POST => {
            let properties = ContainerProperties::from_json(&request.json()?)?;
            let throughput = database::throughput(request)?;
            let enforcement = enforcement(request)?;
            let create = CreateContainer { database: parent.id.clone(), properties, throughput };
            let created = engine.create_container(create).await?;
            if let Some(enforced) = enforcement {
                let database = parent.id.clone();
                let container = created.value.properties.id.clone();
                let link = ContainerLink { database, container };
                engine.enforce_throughput(&link, enforced).await?;
            }
            let reply = single(StatusCode::CREATED, &created, &document(&created.value));
            Ok(reply.with(header::CONTENT_PATH, parent.rid))
        }
        _ => Err(Failure::method_not_allowed()),
    }
}

/// Everything at and below `/dbs/{id}/colls/{id}`
pub(crate) async fn dispatch(
    gateway: &Gateway,
    request: &Request,
    (database, container): (&str, &str),
    inner: ContainerRoute<'_>,
) -> Outcome<Reply> {
    let engine = gateway.engine();
    let address = engine.resolve_container(database, container)?;
    check_intended(request, &address)?;
    match inner {
        ContainerRoute::Itself => Box::pin(answer(engine, request, &address)).await,
        ContainerRoute::PartitionKeyRanges => {
            Box::pin(partition_key_range::feed(engine, request, &address)).await
        }
        ContainerRoute::Items => {
            let answer = Box::pin(item::feed(gateway, request, &address)).await;
            standing::standing(engine, request, &address, answer).await
        }
        ContainerRoute::Item(id) => {
            let answer = item::single(engine, request, &address, id).await;
            standing::standing(engine, request, &address, answer).await
        }
        ContainerRoute::PartitionKeyDelete => {
            let answer = Box::pin(item::delete_by_partition_key(engine, request, &address)).await;
            Box::pin(standing::standing(engine, request, &address, answer)).await
        }
        ContainerRoute::Conflicts => conflicts(request, &address),
        ContainerRoute::Conflict(id) => {
            Err(Failure::not_found(format!("Resource Not Found. There is no conflict '{id}'.")))
        }
        ContainerRoute::Scripts(kind) => {
            Box::pin(attached::feed(gateway, request, &scripts(&address, kind))).await
        }
        ContainerRoute::Script(kind, named) => {
            Box::pin(attached::single(gateway, request, &scripts(&address, kind), named)).await
        }
    }
}

/// Whether the request wants throughput enforced: yes, no, as the server does; none when it does not say.
fn enforcement(request: &Request) -> Outcome<Option<Option<bool>>> {
    match request.header(&header::ENFORCE_THROUGHPUT) {
        None => Ok(None),
        Some("true") => Ok(Some(Some(true))),
        Some("false") => Ok(Some(Some(false))),
        Some("default") => Ok(Some(None)),
        Some(other) => Err(Failure::bad_request(format!(
            "The header {} is '{other}'. Send true, false or default.",
            header::ENFORCE_THROUGHPUT
        ))),
    }
}

/// A client that remembers a container that was deleted must look again.
fn check_intended(request: &Request, address: &ContainerAddress) -> Outcome<()> {
    let Some(intended) = request.header(&header::INTENDED_CONTAINER) else { return Ok(()) };
    if intended == address.rid.to_string() {
        return Ok(());
    }
    let message = format!(
        "Collection rid mismatch: the request is meant for '{intended}', the container '{}' is '{}'. Read the \
         container again.",
        address.link, address.rid
    );
    Err(Failure::bad_request(message).sub_status(1024))
}

async fn answer(engine: &Engine, request: &Request, address: &ContainerAddress) -> Outcome<Reply> {
    let link = &address.link;
    let reply = match request.method {
        Method::GET => read(engine, request, address).await?,
        Method::PUT => {
            let properties = ContainerProperties::from_json(&request.json()?)?;
            let (link, precondition) = (link.clone(), request.if_match());
            let replace = ReplaceContainer { link, properties, precondition };
            let enforcement = enforcement(request)?;
            let replaced = engine.replace_container(replace).await?;
            if let Some(enforced) = enforcement {
                engine.enforce_throughput(&address.link, enforced).await?;
            }
            single(StatusCode::OK, &replaced, &document(&replaced.value))
        }
        Method::DELETE => {
            let deleted = engine.delete_container(link).await?;
            Reply::empty(StatusCode::NO_CONTENT).charge(deleted.charge)
        }
        _ => return Err(Failure::method_not_allowed()),
    };
    Ok(reply
        .with(header::CONTENT_PATH, address.database_rid)
        .with(header::OWNER_FULL_NAME, format_args!("dbs/{}", link.database)))
}

async fn read(engine: &Engine, request: &Request, address: &ContainerAddress) -> Outcome<Reply> {
    let link = &address.link;
    let outcome = engine.read_container(link).await?;
    let partitions = engine.list_partitions(link).await?.value;
    let mut document = document(&outcome.value);
    if request.flag(&header::POPULATE_PARTITION_STATISTICS)
        && let Json::Object(object) = &mut document
    {
        object.insert("statistics", statistics(&partitions));
    }
    let owner = ThroughputOwner::Container(link.clone());
    let is_shared = engine.read_throughput(&owner).await?.value.is_none();
    let mut reply = single(StatusCode::OK, &outcome, &document)
        .with_static(HeaderName::from_static("collection-service-index"), "0")
        .with_static(HeaderName::from_static("collection-partition-index"), "0")
        .with_static(header::MAX_CONTENT_LENGTH, "2097152")
        .with_static(header::LAZY_INDEX_PROGRESS, "-1")
        .with(header::INDEX_PROGRESS, outcome.value.index_progress_percent);
    if engine.throughput_enforced(link)? {
        reply = reply.with_static(header::ENFORCE_THROUGHPUT, "true");
    }
    if is_shared {
        reply = reply.with_static(header::SHARE_THROUGHPUT, "true");
    }
    let mut token = SessionToken::default();
    partitions.partitions.iter().for_each(|one| token.advance(one.number, one.lsn));
    reply = reply.session(Some(&token)).copied(&header::LSN, header::GLOBAL_COMMITTED_LSN);
    if request.flag(&header::POPULATE_QUOTA) {
        reply = usage::of_container(reply, outcome.value.usage, partitions.partitions.len());
    }
    Ok(reply)
}

fn single(status: StatusCode, outcome: &EngineResponse<ContainerResource>, body: &Json) -> Reply {
    Reply::json(status, body.to_bytes()).etag(outcome.value.etag).charge(outcome.charge)
}

fn document(container: &ContainerResource) -> Json {
    let mut json = container.properties.to_json();
    let database = container.rid.database_id().unwrap_or(container.rid);
    if let Json::Object(object) = &mut json {
        object.insert("_rid", container.rid.to_string());
        object.insert("_ts", i64::try_from(container.timestamp.0).unwrap_or_default());
        object.insert("_self", format!("dbs/{database}/colls/{}/", container.rid));
        object.insert("_etag", container.etag.to_string());
        for part in ["docs", "sprocs", "triggers", "udfs", "conflicts"] {
            object.insert(format!("_{part}"), format!("{part}/"));
        }
    }
    json
}

fn statistics(partitions: &PartitionsResource) -> Json {
    let entries = partitions.partitions.iter().map(|partition| {
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let mut entry = Object::new();
        entry.insert("id", partition.number.to_string());
        entry.insert("sizeInKB", count(partition.usage.item_bytes.div_ceil(1024)));
        entry.insert("documentCount", count(partition.usage.items));
        entry.insert("partitionKeys", Vec::new());
        Json::Object(entry)
    });
    Json::Array(entries.collect())
}

fn scripts(address: &ContainerAddress, kind: ScriptKind) -> Place {
    let owner_link = format!("dbs/{}/colls/{}/", address.database_rid, address.rid);
    Place { kind: kind.attached(), owner: address.rid, owner_link }
}

/// One write region has no conflicts.
fn conflicts(request: &Request, address: &ContainerAddress) -> Outcome<Reply> {
    match request.method {
        Method::GET => {}
        Method::POST if request.is_query() => {}
        _ => return Err(Failure::method_not_allowed()),
    }
    let charge = model::RequestCharge::from_request_units(1);
    let reply = listing::feed(request, Some(&address.rid), "Conflicts", Vec::new(), charge)?;
    Ok(reply.owner(address))
}
