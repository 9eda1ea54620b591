//! Whether a resource token allows a request.
//!
//! Owns the question. It is asked of the token and of its permission as it is now: what was taken back is gone at once,
//! and what was added needs a new token.

use engine::{AttachedKind, ContainerAddress, Engine};
use hyper::{Method, StatusCode};
use model::PartitionKey;

use super::grant::{Granted, PermissionAddress, ResourceGrant, Signed};
use crate::exchange::{Failure, Outcome, Request, header};
use crate::gateway::Gateway;
use crate::resource::permission;
use crate::route::{ContainerRoute, Path, Route};

/// Refuses a request that its token does not allow.
pub(crate) async fn authorize(
    gateway: &Gateway,
    request: &Request,
    path: &Path<'_>,
    token: &str,
) -> Outcome<()> {
    let engine = gateway.engine();
    let signed = Signed::parse(token, &gateway.settings().key).ok_or_else(|| {
        let message = "The resource token is not one of this account: it was not signed here.";
        Failure::new(StatusCode::UNAUTHORIZED, message)
    })?;
    if signed.expires_seconds <= engine.environment().now().seconds().0 {
        return Err(forbidden("has expired; read the permission again"));
    }
    let now = current(engine, &signed.permission).await?;
    let (database, container, inner) = match path.route() {
        Some(Route::Account) => return Ok(()),
        Some(Route::Container(database, container, inner)) => (database, container, inner),
        _ => return Err(forbidden("allows only what is in its container")),
    };
    let address = engine.resolve_container(database, container)?;
    for grant in [&signed.grant, &now] {
        allow(engine, request, &address, inner, grant).await?;
    }
    Ok(())
}

/// What the permission of a token allows now.
async fn current(engine: &Engine, permission: &PermissionAddress) -> Outcome<ResourceGrant> {
    let kind = AttachedKind::Permission;
    let found = engine.read_attached(permission.user, kind, &permission.id).await;
    let found = found.ok().filter(|found| found.value.rid == permission.rid);
    let found = found.ok_or_else(|| forbidden("is of a permission that was deleted"))?;
    let grant = permission::grant(engine, &found.value.content).await;
    grant.map_err(|_| forbidden("is of a permission whose resource is gone"))
}

async fn allow(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    inner: ContainerRoute<'_>,
    grant: &ResourceGrant,
) -> Outcome<()> {
    if address.rid.to_string() != grant.container {
        return Err(forbidden("is for another container"));
    }
    match (&grant.granted, inner) {
        (_, ContainerRoute::Itself | ContainerRoute::PartitionKeyRanges)
            if request.method == Method::GET =>
        {
            return Ok(());
        }
        (_, ContainerRoute::Itself | ContainerRoute::PartitionKeyRanges) => {
            return Err(forbidden("does not allow this resource"));
        }
        (Granted::Everything, _) => {}
        (Granted::Item(item), ContainerRoute::Item(id)) if item == id => {}
        (Granted::Script(script), ContainerRoute::Script(kind, named)) => {
            let found = engine.read_attached(address.rid, kind.attached(), named).await;
            if found.map(|found| found.value.rid.to_string()).ok().as_ref() != Some(script) {
                return Err(forbidden("is for another script"));
            }
        }
        _ => return Err(forbidden("does not allow this resource")),
    }
    if !grant.may_write && !is_read(request) {
        return Err(forbidden("allows reading only"));
    }
    check_partition_key(request, inner, grant)
}

fn is_read(request: &Request) -> bool {
    let is_question = request.is_query() || request.flag(&header::IS_QUERY_PLAN);
    // A batch may write, whatever else its headers say.
    let is_question = is_question && !request.flag(&header::IS_BATCH);
    request.method == Method::GET || (request.method == Method::POST && is_question)
}

fn check_partition_key(
    request: &Request,
    inner: ContainerRoute<'_>,
    grant: &ResourceGrant,
) -> Outcome<()> {
    let Some(text) = &grant.partition_key else { return Ok(()) };
    let is_execution = request.method == Method::POST && !request.is_query();
    match inner {
        // A script itself belongs to no logical partition, but it runs in one.
        ContainerRoute::Scripts(_) => return Ok(()),
        ContainerRoute::Script(..) if !is_execution => return Ok(()),
        _ => {}
    }
    // The operations of a bulk request name their own partition keys.
    if request.flag(&header::IS_BATCH) && !request.flag(&header::BATCH_ATOMIC) {
        return Err(forbidden("is for one partition key, and so allows no bulk request"));
    }
    let allowed = PartitionKey::parse(text)?;
    // A plan says nothing about data.
    if request.flag(&header::IS_QUERY_PLAN) || request.partition_key()? == Some(allowed) {
        return Ok(());
    }
    Err(forbidden("is for another partition key"))
}

fn forbidden(why: &str) -> Failure {
    Failure::forbidden(format!("The resource token {why}."))
}
