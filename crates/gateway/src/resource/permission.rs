//! Permissions and their resource tokens.
//!
//! Owns which permissions are valid and the lifetime of a token. Does not own what a permission grants or checking a
//! token: see `authorization`.

use engine::{AttachedKind, AttachedResource, Engine};
use hyper::StatusCode;
use model::Object;

use super::attached::AttachedParent;
use crate::authorization::{PermissionAddress, ResourceGrant};
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResult, header};

/// The lifetime of a token in seconds: default, minimum, maximum.
const LIFETIME_DEFAULT: u64 = 3600;
const LIFETIME_MIN: u64 = 10;
const LIFETIME_MAX: u64 = 18_000;

/// Refuses a permission with an unknown mode or a resource that no permission can name. The resource itself may be
/// missing: the token then grants nothing until it is created.
pub(super) async fn check_permission(
    engine: &Engine,
    parent: &AttachedParent,
    content: &Object,
) -> ApiResult<()> {
    if parent.kind != AttachedKind::Permission {
        return Ok(());
    }
    match ResourceGrant::from_permission(engine, content).await {
        Err(error) if error.status() != StatusCode::NOT_FOUND => Err(error),
        _ => Ok(()),
    }
}

/// Creates a token of a permission, which is valid from now on.
pub(super) async fn create_token(
    gateway: &Gateway,
    request: &ApiRequest,
    permission: &AttachedResource,
) -> ApiResult<String> {
    let seconds = lifetime_seconds(request)?;
    let expires = gateway.engine().environment().now().seconds().0 + seconds;
    // The resource may have been deleted. The permission can still be read, with a token that grants nothing.
    let grant = ResourceGrant::from_permission(gateway.engine(), &permission.content).await;
    let grant = grant.unwrap_or_else(|_| ResourceGrant::nothing());
    let (user, id, rid) = (permission.owner, permission.id.clone(), permission.rid);
    let address = PermissionAddress { user, id, rid };
    Ok(grant.to_token(&gateway.settings().key, &address, expires))
}

fn lifetime_seconds(request: &ApiRequest) -> ApiResult<u64> {
    let Some(text) = request.header(&header::EXPIRY_SECONDS) else { return Ok(LIFETIME_DEFAULT) };
    let seconds =
        text.parse().ok().filter(|seconds| (LIFETIME_MIN..=LIFETIME_MAX).contains(seconds));
    seconds.ok_or_else(|| {
        ApiError::bad_request(format!(
            "The lifetime of a resource token is '{text}'; use {LIFETIME_MIN} to {LIFETIME_MAX} seconds."
        ))
    })
}
