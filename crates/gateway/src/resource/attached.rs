//! Attached resources: users, permissions, scripts and client encryption keys.
//!
//! Owns their documents and methods, which all kinds share. Running a script is in `script`.

use engine::{AttachedKind, AttachedResource, Engine, Response as EngineResponse};
use hyper::{Method, StatusCode};
use model::{Json, Object, ResourceId};

use super::{feed, permission, quota};
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// System properties. Clients send them back in a replace, where they are dropped.
const SYSTEM_PROPERTIES: [&str; 6] = ["_rid", "_self", "_etag", "_ts", "_token", "_permissions"];

/// The parent of attached resources of one kind.
#[derive(Clone, Debug)]
pub(crate) struct AttachedParent {
    pub(super) kind: AttachedKind,
    pub(super) owner: ResourceId,
    /// The link of the owner, by resource ids.
    pub(super) owner_link: String,
}

impl AttachedParent {
    fn segment(&self) -> &'static str {
        match self.kind {
            AttachedKind::User => "users",
            AttachedKind::Permission => "permissions",
            AttachedKind::StoredProcedure => "sprocs",
            AttachedKind::Trigger => "triggers",
            AttachedKind::UserDefinedFunction => "udfs",
            AttachedKind::ClientEncryptionKey => "clientencryptionkeys",
        }
    }

    fn feed_name(&self) -> &'static str {
        match self.kind {
            AttachedKind::User => "Users",
            AttachedKind::Permission => "Permissions",
            AttachedKind::StoredProcedure => "StoredProcedures",
            AttachedKind::Trigger => "Triggers",
            AttachedKind::UserDefinedFunction => "UserDefinedFunctions",
            AttachedKind::ClientEncryptionKey => "ClientEncryptionKeys",
        }
    }

    /// Required properties, all of them strings.
    fn required_properties(&self) -> &'static [&'static str] {
        match self.kind {
            AttachedKind::User | AttachedKind::ClientEncryptionKey => &["id"],
            AttachedKind::Permission => &["id", "permissionMode", "resource"],
            AttachedKind::StoredProcedure | AttachedKind::UserDefinedFunction => &["id", "body"],
            AttachedKind::Trigger => &["id", "body", "triggerType", "triggerOperation"],
        }
    }
}

/// Handles requests for all resources of one kind: list, query, create, upsert.
pub(crate) async fn handle_feed(
    gateway: &Gateway,
    request: &ApiRequest,
    parent: &AttachedParent,
) -> ApiResult<ApiResponse> {
    let engine = gateway.engine();
    match request.method {
        Method::GET => {
            let listed = engine.list_attached(parent.owner, parent.kind).await?;
            let values = documents(gateway, request, parent, &listed.value).await?;
            let (owner, name) = (Some(&parent.owner), parent.feed_name());
            let response = feed::list_feed(request, owner, name, values, listed.charge)?;
            Ok(quota::add_attached_quota(response, parent.kind, listed.value.len()))
        }
        Method::POST if request.is_query() => {
            let listed = engine.list_attached(parent.owner, parent.kind).await?;
            let values = documents(gateway, request, parent, &listed.value).await?;
            feed::query_feed(engine, request, Some(&parent.owner), parent.feed_name(), values).await
        }
        Method::POST => {
            let content = parse_content(request, parent)?;
            let id = content.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
            // Two requests: between them the resource may appear or vanish. Then the create or replace fails, and the
            // client repeats it.
            if request.flag(&header::IS_UPSERT)
                && let Ok(existing) = engine.read_attached(parent.owner, parent.kind, &id).await
            {
                return replace(gateway, request, parent, &existing.value, content).await;
            }
            permission::check_permission(engine, parent, &content).await?;
            let created = engine.create_attached(parent.owner, parent.kind, content).await?;
            let response =
                single_response(gateway, request, parent, StatusCode::CREATED, &created).await?;
            let count = engine.list_attached(parent.owner, parent.kind).await?.value.len();
            Ok(quota::add_attached_quota(response, parent.kind, count))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// Handles requests for one resource: read, replace, delete.
pub(crate) async fn handle(
    gateway: &Gateway,
    request: &ApiRequest,
    parent: &AttachedParent,
    segment: &str,
) -> ApiResult<ApiResponse> {
    let engine = gateway.engine();
    let found = engine.read_attached(parent.owner, parent.kind, segment).await?;
    match request.method {
        Method::GET => {
            let read = single_response(gateway, request, parent, StatusCode::OK, &found).await?;
            Ok(read.unless_unmodified(request))
        }
        Method::PUT => {
            let content = parse_content(request, parent)?;
            replace(gateway, request, parent, &found.value, content).await
        }
        Method::DELETE => {
            let precondition = request.if_match();
            let deleted =
                engine.delete_attached(parent.kind, &found.value, precondition.as_ref()).await?;
            Ok(ApiResponse::empty(StatusCode::NO_CONTENT).charge(deleted.charge))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

async fn replace(
    gateway: &Gateway,
    request: &ApiRequest,
    parent: &AttachedParent,
    old: &AttachedResource,
    content: Object,
) -> ApiResult<ApiResponse> {
    let engine = gateway.engine();
    permission::check_permission(engine, parent, &content).await?;
    let precondition = request.if_match();
    let replaced =
        engine.replace_attached(parent.kind, old, content, precondition.as_ref()).await?;
    single_response(gateway, request, parent, StatusCode::OK, &replaced).await
}

fn parse_content(request: &ApiRequest, parent: &AttachedParent) -> ApiResult<Object> {
    let Json::Object(mut content) = request.json()? else {
        return Err(ApiError::invalid_payload("The resource must be a JSON object."));
    };
    for name in SYSTEM_PROPERTIES {
        content.remove(name);
    }
    let missing: String = parent
        .required_properties()
        .iter()
        .filter(|name| content.get(name).and_then(Json::as_str).is_none())
        .map(|name| format!("{name}; "))
        .collect();
    if missing.is_empty() {
        return Ok(content);
    }
    Err(ApiError::bad_request(format!(
        "The input content is invalid because the required properties - '{missing}' - are missing."
    )))
}

async fn single_response(
    gateway: &Gateway,
    request: &ApiRequest,
    parent: &AttachedParent,
    status: StatusCode,
    result: &EngineResponse<AttachedResource>,
) -> ApiResult<ApiResponse> {
    let body = document(gateway, request, parent, &result.value).await?;
    Ok(ApiResponse::json(status, body.to_bytes()).etag(result.value.etag).charge(result.charge))
}

async fn documents(
    gateway: &Gateway,
    request: &ApiRequest,
    parent: &AttachedParent,
    resources: &[AttachedResource],
) -> ApiResult<Vec<Json>> {
    let mut documents = Vec::with_capacity(resources.len());
    for resource in resources {
        documents.push(document(gateway, request, parent, resource).await?);
    }
    Ok(documents)
}

async fn document(
    gateway: &Gateway,
    request: &ApiRequest,
    parent: &AttachedParent,
    resource: &AttachedResource,
) -> ApiResult<Json> {
    let mut object = resource.content.clone();
    let rid = resource.rid;
    object.insert("_rid", rid.to_string());
    object.insert("_self", format!("{}{}/{rid}/", parent.owner_link, parent.segment()));
    object.insert("_etag", resource.etag.to_string());
    object.insert("_ts", i64::try_from(resource.timestamp.0).unwrap_or_default());
    match parent.kind {
        AttachedKind::User => object.insert("_permissions", "permissions/"),
        AttachedKind::Permission => {
            object.insert("_token", permission::create_token(gateway, request, resource).await?);
        }
        _ => {}
    }
    Ok(Json::Object(object))
}

/// The parent of attached resources in a database.
pub(crate) fn parent_in_database(
    engine: &Engine,
    segment: &str,
    kind: AttachedKind,
) -> ApiResult<AttachedParent> {
    let database = engine.resolve_database(segment)?;
    let owner_link = format!("dbs/{}/", database.rid);
    Ok(AttachedParent { kind, owner: database.rid, owner_link })
}

/// The parent of the permissions of a user.
pub(crate) async fn parent_in_user(
    engine: &Engine,
    database: &str,
    user: &str,
) -> ApiResult<AttachedParent> {
    let users = parent_in_database(engine, database, AttachedKind::User)?;
    let user = engine.read_attached(users.owner, AttachedKind::User, user).await?.value;
    let owner_link = format!("{}users/{}/", users.owner_link, user.rid);
    Ok(AttachedParent { kind: AttachedKind::Permission, owner: user.rid, owner_link })
}
