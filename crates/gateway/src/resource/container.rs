//! Containers.
//!
//! Owns their document and methods, and the dispatch of all routes below a container. Does not own items.

use engine::operation::{CreateContainer, ReplaceContainer, ThroughputOwner};
use engine::response::{ContainerResource, PartitionsResource};
use engine::{ContainerAddress, ContainerLink, Engine, Response as EngineResponse};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use model::{ContainerProperties, Json, Object, PartitionKeyDefinition, SessionToken};

use super::attached::{self, AttachedParent};
use super::response_headers::add_item_headers;
use super::{database, feed, partition_key_range, quota, script};
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};
use crate::item;
use crate::route::{ContainerRoute, ScriptKind};

/// `/dbs/{id}/colls`
pub(crate) async fn handle_feed(
    engine: &Engine,
    request: &ApiRequest,
    segment: &str,
) -> ApiResult<ApiResponse> {
    let parent = engine.resolve_database(segment)?;
    match request.method {
        Method::GET => {
            let containers = engine.list_containers(&parent.id).await?;
            let values = containers.value.iter().map(document).collect();
            let name = "DocumentCollections";
            feed::list_feed(request, Some(&parent.rid), name, values, containers.charge)
        }
        Method::POST if request.is_query() => {
            let containers = engine.list_containers(&parent.id).await?.value;
            let values: Vec<Json> = containers.iter().map(document).collect();
            feed::query_feed(engine, request, Some(&parent.rid), "DocumentCollections", values)
                .await
        }
        Method::POST => {
            let properties = ContainerProperties::from_json(&with_partition_key(request)?)?;
            let throughput = database::parse_throughput(request)?;
            let enforcement = parse_enforcement(request)?;
            let create = CreateContainer { database: parent.id.clone(), properties, throughput };
            let created = engine.create_container(create).await?;
            if let Some(enforced) = enforcement {
                let database = parent.id.clone();
                let container = created.value.properties.id.clone();
                let link = ContainerLink { database, container };
                // A second commit. If it fails, the container exists with the setting of the account, which a replace
                // can change.
                engine.enforce_throughput(&link, enforced).await?;
            }
            let response = single(StatusCode::CREATED, &created, &document(&created.value));
            Ok(response.with(header::CONTENT_PATH, parent.rid))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// Handles `/dbs/{id}/colls/{id}` and everything below it.
pub(crate) async fn dispatch(
    gateway: &Gateway,
    request: &ApiRequest,
    (database, container): (&str, &str),
    inner: ContainerRoute<'_>,
) -> ApiResult<ApiResponse> {
    let engine = gateway.engine();
    let address = engine.resolve_container(database, container)?;
    // Before anything else: the cached container of this client is another one, so its partition keys may be, too.
    check_intended_container(request, &address)?;
    let keyed = name_undefined_key(request, &address, inner);
    let request = keyed.as_ref().unwrap_or(request);
    match inner {
        // Rare routes are boxed, so that their futures do not make the future of every point read larger.
        ContainerRoute::Itself => Box::pin(handle(engine, request, &address)).await,
        ContainerRoute::PartitionKeyRanges => {
            Box::pin(partition_key_range::handle_feed(engine, request, &address)).await
        }
        ContainerRoute::Items => {
            let result = Box::pin(item::handle_feed(gateway, request, &address)).await;
            add_item_headers(engine, request, &address, result).await
        }
        ContainerRoute::Item(id) => {
            let result = item::handle(engine, request, &address, id).await;
            add_item_headers(engine, request, &address, result).await
        }
        ContainerRoute::PartitionKeyDelete => {
            let result = Box::pin(item::delete_by_partition_key(engine, request, &address)).await;
            Box::pin(add_item_headers(engine, request, &address, result)).await
        }
        ContainerRoute::Conflicts => conflicts(request, &address),
        ContainerRoute::Conflict(id) => {
            Err(ApiError::not_found(format!("Resource Not Found. There is no conflict '{id}'.")))
        }
        ContainerRoute::Scripts(kind) => {
            Box::pin(attached::handle_feed(gateway, request, &script_parent(&address, kind))).await
        }
        ContainerRoute::Script(ScriptKind::StoredProcedure, procedure)
            if request.method == Method::POST =>
        {
            Box::pin(script::execute(engine, request, &address, procedure)).await
        }
        ContainerRoute::Script(kind, script) => {
            let parent = script_parent(&address, kind);
            Box::pin(attached::handle(gateway, request, &parent, script)).await
        }
    }
}

/// The properties of a new container. Old clients create containers without a partition key.
fn with_partition_key(request: &ApiRequest) -> ApiResult<Json> {
    /// The first version in which every container has a partition key.
    const KEYED_SINCE: &str = "2018-12-31";
    let mut body = request.json()?;
    // Versions are dates, which sort as texts.
    let is_old = request.header(&header::VERSION).is_some_and(|version| version < KEYED_SINCE);
    if let Json::Object(object) = &mut body
        && is_old
        && object.get("partitionKey").is_none_or(|key| *key == Json::Null)
    {
        let definition = PartitionKeyDefinition::of_container_without_key()?;
        object.insert("partitionKey", definition.to_json());
    }
    Ok(body)
}

/// The request with the undefined partition key, if it is about items of a container without one, or runs a procedure
/// there, and names none: all its items have this key, and old clients do not know the header. `[]` is how one client
/// writes that there is none.
fn name_undefined_key(
    request: &ApiRequest,
    address: &ContainerAddress,
    inner: ContainerRoute<'_>,
) -> Option<ApiRequest> {
    // First of all: hardly any container has no key, and the header is then not looked for.
    if !address.has_system_key {
        return None;
    }
    let is_about_items = match inner {
        ContainerRoute::Items | ContainerRoute::Item(_) | ContainerRoute::PartitionKeyDelete => {
            true
        }
        ContainerRoute::Script(ScriptKind::StoredProcedure, _) => request.method == Method::POST,
        _ => false,
    };
    let names_none = matches!(request.header(&header::PARTITION_KEY), None | Some("[]"));
    (is_about_items && names_none)
        .then(|| request.with_header(header::PARTITION_KEY, HeaderValue::from_static("[{}]")))
}

/// Parses whether throughput is enforced: the outer option is `None` if the request does not set it, the inner one if
/// it resets it to the default of the server.
fn parse_enforcement(request: &ApiRequest) -> ApiResult<Option<Option<bool>>> {
    match request.header(&header::ENFORCE_THROUGHPUT) {
        None => Ok(None),
        Some("true") => Ok(Some(Some(true))),
        Some("false") => Ok(Some(Some(false))),
        Some("default") => Ok(Some(None)),
        Some(other) => Err(ApiError::bad_request(format!(
            "The header {} is '{other}'. Send true, false or default.",
            header::ENFORCE_THROUGHPUT
        ))),
    }
}

/// Refuses a request of a client that has cached another container of the same name, which was deleted meanwhile. The
/// status pair makes the client read the container again.
fn check_intended_container(request: &ApiRequest, address: &ContainerAddress) -> ApiResult<()> {
    let Some(intended) = request.header(&header::INTENDED_CONTAINER) else { return Ok(()) };
    if intended == address.rid.to_string() {
        return Ok(());
    }
    let message = format!(
        "Collection rid mismatch: the request is meant for '{intended}', the container '{}' is '{}'. Read the \
         container again.",
        address.link, address.rid
    );
    Err(ApiError::bad_request(message).with_sub_status(1024))
}

async fn handle(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let link = &address.link;
    let response = match request.method {
        Method::GET => read(engine, request, address).await?,
        Method::PUT => {
            let properties = ContainerProperties::from_json(&request.json()?)?;
            let (link, precondition) = (link.clone(), request.if_match());
            let replace = ReplaceContainer { link, properties, precondition };
            let enforcement = parse_enforcement(request)?;
            let replaced = engine.replace_container(replace).await?;
            if let Some(enforced) = enforcement {
                engine.enforce_throughput(&address.link, enforced).await?;
            }
            single(StatusCode::OK, &replaced, &document(&replaced.value))
        }
        Method::DELETE => {
            let deleted = engine.delete_container_if(link, request.if_match()).await?;
            ApiResponse::empty(StatusCode::NO_CONTENT).charge(deleted.charge)
        }
        _ => return Err(ApiError::method_not_allowed()),
    };
    Ok(response
        .unless_unmodified(request)
        .with(header::CONTENT_PATH, address.database_rid)
        .with(header::OWNER_FULL_NAME, format_args!("dbs/{}", link.database)))
}

async fn read(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let link = &address.link;
    let container = engine.read_container(link).await?;
    let partitions = engine.list_partitions(link).await?.value;
    let mut document = document(&container.value);
    if request.flag(&header::POPULATE_PARTITION_STATISTICS)
        && let Json::Object(object) = &mut document
    {
        object.insert("statistics", statistics(&partitions));
    }
    let owner = ThroughputOwner::Container(link.clone());
    let is_shared = engine.read_throughput(&owner).await?.value.is_none();
    let mut response = single(StatusCode::OK, &container, &document)
        .with_static(HeaderName::from_static("collection-service-index"), "0")
        .with_static(HeaderName::from_static("collection-partition-index"), "0")
        .with_static(header::MAX_CONTENT_LENGTH, "2097152")
        .with(header::INDEX_PROGRESS, container.value.index_progress_percent);
    if engine.throughput_enforced(link)? {
        response = response.with_static(header::ENFORCE_THROUGHPUT, "true");
    }
    if is_shared {
        response = response.with_static(header::SHARE_THROUGHPUT, "true");
    }
    // One partition only, as in the service: one client parses the header as a single token and fails otherwise.
    let token =
        partitions.partitions.first().map(|first| SessionToken::new(first.number, first.lsn));
    response = response
        .session_token(token.as_ref())
        // There is one replica, so what is committed is committed everywhere. With several partitions there is no such
        // header.
        .copy_header(&header::LSN, header::GLOBAL_COMMITTED_LSN);
    if request.flag(&header::POPULATE_QUOTA) {
        let partitions = partitions.partitions.len();
        response = quota::add_container_quota(response, container.value.usage, partitions);
    }
    Ok(response)
}

fn single(
    status: StatusCode,
    result: &EngineResponse<ContainerResource>,
    body: &Json,
) -> ApiResponse {
    ApiResponse::json(status, body.to_bytes()).etag(result.value.etag).charge(result.charge)
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

fn script_parent(address: &ContainerAddress, kind: ScriptKind) -> AttachedParent {
    let owner_link = format!("dbs/{}/colls/{}/", address.database_rid, address.rid);
    AttachedParent { kind: kind.attached_kind(), owner: address.rid, owner_link }
}

/// The feed of conflicts, which is always empty: with one write region there are none.
fn conflicts(request: &ApiRequest, address: &ContainerAddress) -> ApiResult<ApiResponse> {
    match request.method {
        Method::GET => {}
        Method::POST
            if request.is_query()
                && request.partition_key()?.is_none()
                && !request.flag(&header::CROSS_PARTITION) =>
        {
            return Err(ApiError::bad_request(
                "Cross partition query is required but disabled. Please set x-ms-documentdb-query-enablecrosspartition \
                 to true, specify x-ms-documentdb-partitionkey, or revise your query to avoid this exception.",
            ));
        }
        Method::POST if request.is_query() => {}
        _ => return Err(ApiError::method_not_allowed()),
    }
    let charge = model::RequestCharge::from_request_units(1);
    let response = feed::list_feed(request, Some(&address.rid), "Conflicts", Vec::new(), charge)?;
    Ok(response.container_headers(address))
}
