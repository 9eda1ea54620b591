//! Checks whether a resource token allows a request.
//!
//! Owns the check. Both the token and the current state of its permission must allow the request: what was revoked
//! takes effect at once, and what was added needs a new token.

use engine::operation::{ReadItem, ReadOptions};
use engine::{AttachedKind, ContainerAddress, Engine};
use hyper::{Method, StatusCode};
use model::{ItemId, Json, PartitionKey, PropertyPath};

use super::grant::{GrantScope, ResourceGrant};
use super::token::{PermissionAddress, ResourceToken};
use crate::authorization::context::AuthorizationContext;
use crate::http::{ApiError, ApiRequest, ApiResult, header};
use crate::route::{ContainerRoute, RequestPath, Route, parse_item_rid};

/// Refuses a request that its token does not allow.
pub(crate) async fn authorize(
    context: &AuthorizationContext<'_>,
    request: &ApiRequest,
    path: &RequestPath<'_>,
    token: &str,
) -> ApiResult<()> {
    let engine = context.engine;
    let token = ResourceToken::parse(token, context.key).ok_or_else(|| {
        let message =
            "The resource token does not belong to this account: its signature is not valid.";
        ApiError::new(StatusCode::UNAUTHORIZED, message)
    })?;
    if token.expires_seconds <= context.now_seconds() {
        return Err(forbidden("has expired; read the permission again"));
    }
    let current_grant = read_current_grant(engine, &token.permission).await?;
    let (database, container, inner) = match path.route() {
        // Every client reads the account document first, whatever its token is for.
        Some(Route::Account) => return Ok(()),
        Some(Route::Container(database, container, inner)) => (database, container, inner),
        _ => return Err(forbidden("allows only what is in its container")),
    };
    let address = engine.resolve_container(database, container)?;
    // Both must allow it. The token alone would ignore a revocation, the permission alone would extend an old token.
    check_grant(engine, request, &address, inner, &token.grant).await?;
    if current_grant == token.grant {
        return Ok(());
    }
    check_grant(engine, request, &address, inner, &current_grant).await
}

/// Reads what the permission of a token grants now.
async fn read_current_grant(
    engine: &Engine,
    permission: &PermissionAddress,
) -> ApiResult<ResourceGrant> {
    let kind = AttachedKind::Permission;
    let found = engine.read_attached(permission.user, kind, &permission.id).await;
    // A permission that was deleted and created again has the same id but another resource id. One that was renamed
    // has another id but the same resource id.
    let found = match found.ok().filter(|found| found.value.rid == permission.rid) {
        Some(found) => Some(found),
        None => {
            let rid = permission.rid.to_string();
            let renamed = engine.read_attached(permission.user, kind, &rid).await.ok();
            renamed.filter(|found| found.value.rid == permission.rid)
        }
    };
    let found = found.ok_or_else(|| forbidden("belongs to a permission that was deleted"))?;
    let grant = ResourceGrant::from_permission(engine, &found.value.content).await;
    grant.map_err(|error| match error.status() {
        StatusCode::NOT_FOUND => forbidden("belongs to a permission whose resource was deleted"),
        _ => forbidden("belongs to a permission that is not valid any more; create it again"),
    })
}

async fn check_grant(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    inner: ContainerRoute<'_>,
    grant: &ResourceGrant,
) -> ApiResult<()> {
    // By resource id: a container that was deleted and created again under its name is another one.
    if address.rid.to_string() != grant.container {
        return Err(forbidden("is for another container"));
    }
    match (&grant.scope, inner) {
        (_, ContainerRoute::Itself | ContainerRoute::PartitionKeyRanges)
            if request.method == Method::GET =>
        {
            return Ok(());
        }
        (_, ContainerRoute::Itself | ContainerRoute::PartitionKeyRanges) => {
            return Err(forbidden("does not allow this resource"));
        }
        (GrantScope::Container, _) => {}
        (GrantScope::Item(item), ContainerRoute::Item(id)) if item == id => {}
        (GrantScope::ItemRid(item), ContainerRoute::Item(id)) => {
            check_item(engine, request, address, id, item).await?;
        }
        (GrantScope::Script(script), ContainerRoute::Script(kind, segment)) => {
            let found = engine.read_attached(address.rid, kind.attached_kind(), segment).await;
            // By resource id as well, for the same reason.
            if found.map(|found| found.value.rid.to_string()).ok().as_ref() != Some(script) {
                return Err(forbidden("is for another script"));
            }
        }
        _ => return Err(forbidden("does not allow this resource")),
    }
    if !grant.may_write && !is_read(request, inner) {
        return Err(forbidden("allows reading only"));
    }
    let is_keyed_by_id = || {
        let definition = engine.partition_key_definition(&address.link);
        let is_id = |path: &PropertyPath| path.to_string() == "/id";
        definition.is_ok_and(|definition| definition.paths().iter().all(is_id))
    };
    match (&grant.scope, &grant.partition_key) {
        // The id is the partition key, so that it names one item.
        (GrantScope::Item(id), None) if is_keyed_by_id() => {
            let key = PartitionKey::from(id.as_str());
            match request.partition_key()? {
                Some(requested) if requested == key => Ok(()),
                _ => Err(forbidden("is for another partition key")),
            }
        }
        _ => check_partition_key(request, inner, grant),
    }
}

/// Refuses a request for another item than the one with this resource id.
async fn check_item(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    segment: &str,
    rid: &str,
) -> ApiResult<()> {
    if parse_item_rid(address, segment).is_some_and(|requested| requested.to_string() == rid) {
        return Ok(());
    }
    // Clients name the item by its id even if the permission does not. The id and the partition key lead to one item.
    let other = || forbidden("is for another item");
    let read = ReadItem {
        container: address.link.clone(),
        partition_key: request.partition_key()?.ok_or_else(other)?,
        id: ItemId::new(segment).map_err(|_| other())?,
        options: ReadOptions::default(),
    };
    let found = engine.read_item(read).await.map_err(|_| other())?.value.item();
    let found = found.map(|item| item.to_json());
    match found.as_ref().and_then(|item| item.get("_rid")).and_then(Json::as_str) {
        Some(found) if found == rid => Ok(()),
        _ => Err(other()),
    }
}

/// Whether a request only reads. The order must be that of the handlers: the headers of a query mean something on feeds
/// only, and those of a plan on items only. Elsewhere a POST executes, deletes or creates, whatever its headers say.
fn is_read(request: &ApiRequest, inner: ContainerRoute<'_>) -> bool {
    if request.method != Method::POST {
        return request.method == Method::GET;
    }
    match inner {
        ContainerRoute::Items => {
            let is_query = request.is_query() || request.flag(&header::IS_QUERY_PLAN);
            // A batch may write, whatever its other headers say.
            is_query && !request.flag(&header::IS_BATCH)
        }
        ContainerRoute::Scripts(_) | ContainerRoute::Conflicts => request.is_query(),
        _ => false,
    }
}

fn check_partition_key(
    request: &ApiRequest,
    inner: ContainerRoute<'_>,
    grant: &ResourceGrant,
) -> ApiResult<()> {
    let Some(text) = &grant.partition_key else {
        // Such a permission can be stored, as in the service, but grants nothing: the id alone would open the items of
        // this id in every logical partition.
        if matches!(grant.scope, GrantScope::Item(_)) {
            return Err(forbidden(
                "is for an item without its partition key; create the permission again with resourcePartitionKey",
            ));
        }
        return Ok(());
    };
    let is_post = request.method == Method::POST;
    match inner {
        // A script itself belongs to no logical partition, but its execution does.
        ContainerRoute::Scripts(_) => return Ok(()),
        ContainerRoute::Script(..) if !is_post => return Ok(()),
        // A query plan reveals nothing about data. Only items have plans: elsewhere the header means nothing.
        ContainerRoute::Items if is_post && request.flag(&header::IS_QUERY_PLAN) => return Ok(()),
        _ => {}
    }
    // Each operation of a bulk request has its own partition key, which is in the body and not checked here.
    if request.flag(&header::IS_BATCH) && !request.flag(&header::BATCH_ATOMIC) {
        return Err(forbidden("is for one partition key and does not allow bulk requests"));
    }
    let allowed = PartitionKey::parse(text)?;
    if request.partition_key()? == Some(allowed) {
        return Ok(());
    }
    Err(forbidden("is for another partition key"))
}

fn forbidden(why: &str) -> ApiError {
    ApiError::forbidden(format!("The resource token {why}."))
}
