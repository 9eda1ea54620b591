//! Users, permissions, scripts and client encryption keys on the wire: stored, listed and found.
//!
//! Owns their shapes and verbs, which they share. Running a script is refused by name.

use engine::{AttachedKind, AttachedResource, Engine, Response as EngineResponse};
use hyper::{Method, StatusCode};
use model::{Json, Object, ResourceId};

use super::{listing, permission, usage};
use crate::exchange::{Failure, Outcome, Reply, Request, header};
use crate::gateway::Gateway;

/// Members that we add; those a client sends back are dropped.
const SYSTEM: [&str; 6] = ["_rid", "_self", "_etag", "_ts", "_token", "_permissions"];

/// Where attached resources of one kind hang.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) kind: AttachedKind,
    pub(crate) owner: ResourceId,
    /// The link of the owner by resource ids.
    pub(crate) owner_link: String,
}

impl Place {
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

    /// Members without which such a resource says nothing.
    fn required(&self) -> &'static [&'static str] {
        match self.kind {
            AttachedKind::User | AttachedKind::ClientEncryptionKey => &["id"],
            AttachedKind::Permission => &["id", "permissionMode", "resource"],
            AttachedKind::StoredProcedure | AttachedKind::UserDefinedFunction => &["id", "body"],
            AttachedKind::Trigger => &["id", "body", "triggerType", "triggerOperation"],
        }
    }
}

/// All resources of one kind: list, query, create, upsert.
pub(crate) async fn feed(gateway: &Gateway, request: &Request, place: &Place) -> Outcome<Reply> {
    let engine = gateway.engine();
    match request.method {
        Method::GET => {
            let listed = engine.list_attached(place.owner, place.kind).await?;
            let values = documents(gateway, request, place, &listed.value).await?;
            let (owner, name) = (Some(&place.owner), place.feed_name());
            let reply = listing::feed(request, owner, name, values, listed.charge)?;
            Ok(usage::of_attached(reply, place.kind, listed.value.len()))
        }
        Method::POST if request.is_query() => {
            let listed = engine.list_attached(place.owner, place.kind).await?;
            let values = documents(gateway, request, place, &listed.value).await?;
            listing::query(engine, request, Some(&place.owner), place.feed_name(), &values)
        }
        Method::POST => {
            let content = content(request, place)?;
            let id = content.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
            if request.flag(&header::IS_UPSERT)
                && let Ok(known) = engine.read_attached(place.owner, place.kind, &id).await
            {
                return replace(gateway, request, place, &known.value, content).await;
            }
            permission::check(engine, place, &content).await?;
            let created = engine.create_attached(place.owner, place.kind, content).await?;
            let reply = reply(gateway, request, place, StatusCode::CREATED, &created).await?;
            let count = engine.list_attached(place.owner, place.kind).await?.value.len();
            Ok(usage::of_attached(reply, place.kind, count))
        }
        _ => Err(Failure::method_not_allowed()),
    }
}

/// One resource: read, replace, delete; running a script.
pub(crate) async fn single(
    gateway: &Gateway,
    request: &Request,
    place: &Place,
    named: &str,
) -> Outcome<Reply> {
    let engine = gateway.engine();
    let found = engine.read_attached(place.owner, place.kind, named).await?;
    match request.method {
        Method::GET => reply(gateway, request, place, StatusCode::OK, &found).await,
        Method::PUT => {
            let content = content(request, place)?;
            replace(gateway, request, place, &found.value, content).await
        }
        Method::DELETE => {
            let deleted = engine.delete_attached(place.kind, &found.value).await?;
            Ok(Reply::empty(StatusCode::NO_CONTENT).charge(deleted.charge))
        }
        Method::POST if place.kind == AttachedKind::StoredProcedure => {
            Err(Failure::unsupported(format!(
                "Executing stored procedures is not supported yet: '{named}' is stored but cannot be run."
            )))
        }
        _ => Err(Failure::method_not_allowed()),
    }
}

async fn replace(
    gateway: &Gateway,
    request: &Request,
    place: &Place,
    old: &AttachedResource,
    content: Object,
) -> Outcome<Reply> {
    let engine = gateway.engine();
    permission::check(engine, place, &content).await?;
    let precondition = request.if_match();
    let replaced = engine.replace_attached(place.kind, old, content, precondition.as_ref()).await?;
    reply(gateway, request, place, StatusCode::OK, &replaced).await
}

fn content(request: &Request, place: &Place) -> Outcome<Object> {
    let Json::Object(mut content) = request.json()? else {
        return Err(Failure::invalid_payload("The resource must be a JSON object."));
    };
    for name in SYSTEM {
        content.remove(name);
    }
    let missing: String = place
        .required()
        .iter()
        .filter(|name| content.get(name).and_then(Json::as_str).is_none())
        .map(|name| format!("{name}; "))
        .collect();
    if missing.is_empty() {
        return Ok(content);
    }
    Err(Failure::bad_request(format!(
        "The input content is invalid because the required properties - '{missing}' - are missing."
    )))
}

async fn reply(
    gateway: &Gateway,
    request: &Request,
    place: &Place,
    status: StatusCode,
    outcome: &EngineResponse<AttachedResource>,
) -> Outcome<Reply> {
    let body = document(gateway, request, place, &outcome.value).await?;
    Ok(Reply::json(status, body.to_bytes()).etag(outcome.value.etag).charge(outcome.charge))
}

async fn documents(
    gateway: &Gateway,
    request: &Request,
    place: &Place,
    resources: &[AttachedResource],
) -> Outcome<Vec<Json>> {
    let mut documents = Vec::with_capacity(resources.len());
    for resource in resources {
        documents.push(document(gateway, request, place, resource).await?);
    }
    Ok(documents)
}

async fn document(
    gateway: &Gateway,
    request: &Request,
    place: &Place,
    resource: &AttachedResource,
) -> Outcome<Json> {
    let mut object = resource.content.clone();
    let rid = resource.rid;
    object.insert("_rid", rid.to_string());
    object.insert("_self", format!("{}{}/{rid}/", place.owner_link, place.segment()));
    object.insert("_etag", resource.etag.to_string());
    object.insert("_ts", i64::try_from(resource.timestamp.0).unwrap_or_default());
    match place.kind {
        AttachedKind::User => object.insert("_permissions", "permissions/"),
        AttachedKind::Permission => {
            object.insert("_token", permission::token(gateway, request, resource).await?);
        }
        _ => {}
    }
    Ok(Json::Object(object))
}

/// The place of attached resources below a database.
pub(crate) fn below_database(engine: &Engine, named: &str, kind: AttachedKind) -> Outcome<Place> {
    let database = engine.resolve_database(named)?;
    let owner_link = format!("dbs/{}/", database.rid);
    Ok(Place { kind, owner: database.rid, owner_link })
}

/// The place of the permissions of a user.
pub(crate) async fn below_user(engine: &Engine, database: &str, user: &str) -> Outcome<Place> {
    let place = below_database(engine, database, AttachedKind::User)?;
    let user = engine.read_attached(place.owner, AttachedKind::User, user).await?.value;
    let owner_link = format!("{}users/{}/", place.owner_link, user.rid);
    Ok(Place { kind: AttachedKind::Permission, owner: user.rid, owner_link })
}
