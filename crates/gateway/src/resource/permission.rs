//! Permissions and the resource tokens they give out.
//!
//! Owns what a permission may name and how its token is made. Does not own checking a token.

use engine::{AttachedKind, AttachedResource, Engine};
use hyper::StatusCode;
use model::{Json, Object, PartitionKey};

use super::attached::Place;
use crate::authorization::{Granted, PermissionAddress, ResourceGrant};
use crate::exchange::{Failure, Outcome, Request, header};
use crate::gateway::Gateway;
use crate::route::{ContainerRoute, Path, Route};

/// How long a token lives, in seconds: by default, at least, at most.
const LIFE_DEFAULT: u64 = 3600;
const LIFE_MIN: u64 = 10;
const LIFE_MAX: u64 = 18_000;

/// Refuses a permission that names nothing, allows nothing we know, or is the second of its user on the same thing.
pub(crate) async fn check(engine: &Engine, place: &Place, content: &Object) -> Outcome<()> {
    if place.kind != AttachedKind::Permission {
        return Ok(());
    }
    let new = grant(engine, content).await?;
    let id = content.get("id").and_then(Json::as_str).unwrap_or_default();
    for known in engine.list_attached(place.owner, place.kind).await?.value {
        let is_another = known.id != id;
        let old = grant(engine, &known.content).await;
        if is_another && old.is_ok_and(|old| old.is_on_the_same_as(&new)) {
            let message = format!(
                "Resource with specified id, name, or unique index already exists. The permission '{}' of this user is \
                 on the same resource; replace it.",
                known.id
            );
            return Err(Failure::new(StatusCode::CONFLICT, message));
        }
    }
    Ok(())
}

/// The token of a permission, valid from now on.
pub(crate) async fn token(
    gateway: &Gateway,
    request: &Request,
    permission: &AttachedResource,
) -> Outcome<String> {
    let seconds = life_seconds(request)?;
    let expires = gateway.engine().environment().now().seconds().0 + seconds;
    // What it names may be gone; the permission is still listed, with a token that opens nothing.
    let grant = grant(gateway.engine(), &permission.content).await;
    let grant = grant.unwrap_or_else(|_| ResourceGrant::nothing());
    let (user, id, rid) = (permission.owner, permission.id.clone(), permission.rid);
    let address = PermissionAddress { user, id, rid };
    Ok(grant.to_token(&gateway.settings().key, &address, expires))
}

fn life_seconds(request: &Request) -> Outcome<u64> {
    let Some(text) = request.header(&header::EXPIRY_SECONDS) else { return Ok(LIFE_DEFAULT) };
    let seconds = text.parse().ok().filter(|seconds| (LIFE_MIN..=LIFE_MAX).contains(seconds));
    seconds.ok_or_else(|| {
        Failure::bad_request(format!(
            "The life of a resource token is '{text}'; give {LIFE_MIN} to {LIFE_MAX} seconds."
        ))
    })
}

/// What a permission allows.
pub(crate) async fn grant(engine: &Engine, content: &Object) -> Outcome<ResourceGrant> {
    let mode = content.get("permissionMode").and_then(Json::as_str).unwrap_or_default();
    let may_write = match mode.to_ascii_lowercase().as_str() {
        "all" => true,
        "read" => false,
        _ => {
            return Err(Failure::bad_request(format!(
                "The permissionMode is '{mode}'; use 'All' or 'Read'."
            )));
        }
    };
    let link = content.get("resource").and_then(Json::as_str).unwrap_or_default();
    let path = Path::parse(link);
    let Some(Route::Container(database, container, inner)) = path.route() else {
        return Err(unnamed(link));
    };
    let container = engine.resolve_container(database, container)?.rid;
    let granted = match inner {
        ContainerRoute::Itself => Granted::Everything,
        ContainerRoute::Item(id) => Granted::Item(id.to_owned()),
        ContainerRoute::Script(kind, named) => {
            let script = engine.read_attached(container, kind.attached(), named).await?;
            Granted::Script(script.value.rid.to_string())
        }
        _ => return Err(unnamed(link)),
    };
    let partition_key = match content.get("resourcePartitionKey") {
        None | Some(Json::Null) => None,
        Some(key) => {
            PartitionKey::from_json(key)?;
            Some(key.to_string())
        }
    };
    Ok(ResourceGrant { container: container.to_string(), granted, may_write, partition_key })
}

fn unnamed(link: &str) -> Failure {
    Failure::bad_request(format!(
        "The permission names '{link}'; name a container, or an item, stored procedure, trigger or user-defined \
         function of one."
    ))
}
