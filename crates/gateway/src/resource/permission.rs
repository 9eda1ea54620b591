//! Permissions and the resource tokens they give out.
//!
//! Owns what a permission may name and how its token is made. Does not own checking a token.

use engine::{AttachedKind, Engine};
use model::{Json, Object};

use crate::authorization::ResourceGrant;
use crate::exchange::{Failure, Outcome, Request, header};
use crate::gateway::Gateway;
use crate::route::{ContainerRoute, Path, Route};

/// How long a token lives, in seconds: by default, at least, at most.
const LIFE_DEFAULT: u64 = 3600;
const LIFE_MIN: u64 = 10;
const LIFE_MAX: u64 = 18_000;

/// Refuses a permission that names nothing or allows nothing we know.
pub(crate) fn check(engine: &Engine, kind: AttachedKind, content: &Object) -> Outcome<()> {
    if kind != AttachedKind::Permission {
        return Ok(());
    }
    grant(engine, content, 0).map(drop)
}

/// The token of a permission, valid from now on.
pub(crate) fn token(gateway: &Gateway, request: &Request, content: &Object) -> Outcome<String> {
    let seconds = match request.header(&header::EXPIRY_SECONDS) {
        None => LIFE_DEFAULT,
        Some(text) => text
            .parse()
            .ok()
            .filter(|seconds| (LIFE_MIN..=LIFE_MAX).contains(seconds))
            .ok_or_else(|| {
            Failure::bad_request(format!(
                "The life of a resource token is '{text}'; give {LIFE_MIN} to {LIFE_MAX} seconds."
            ))
        })?,
    };
    let expires = gateway.engine().environment().now().seconds().0 + seconds;
    match grant(gateway.engine(), content, expires) {
        Ok(grant) => Ok(grant.to_token(&gateway.settings().key)),
        // What it names is gone; the permission is still listed, with a token that opens nothing.
        Err(_) => Ok(ResourceGrant::nothing().to_token(&gateway.settings().key)),
    }
}

fn grant(engine: &Engine, content: &Object, expires_seconds: u64) -> Outcome<ResourceGrant> {
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
        return Err(Failure::bad_request(format!(
            "The permission names '{link}'; name a container or an item of one."
        )));
    };
    let item = match inner {
        ContainerRoute::Itself => None,
        ContainerRoute::Item(id) => Some(id.to_owned()),
        _ => {
            return Err(Failure::unsupported(format!(
                "Permissions on '{link}' are not supported yet; name a container or an item of one."
            )));
        }
    };
    let container = engine.resolve_container(database, container)?.rid.to_string();
    let partition_key = content.get("resourcePartitionKey").map(ToString::to_string);
    Ok(ResourceGrant { container, item, may_write, partition_key, expires_seconds })
}
