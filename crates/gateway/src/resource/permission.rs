//! Permissions and their resource tokens.
//!
//! Owns which permissions are valid and the lifetime of a token. Does not own what a permission grants or checking a
//! token: see `authorization`.

use engine::{AttachedKind, AttachedResource, Engine};
use hyper::StatusCode;
use model::{Json, Object};

use super::attached::AttachedParent;
use crate::authorization::{PermissionAddress, ResourceGrant};
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResult, header};

/// The lifetime of a token in seconds: default, minimum, maximum.
const LIFETIME_DEFAULT: u64 = 3600;
const LIFETIME_MIN: u64 = 10;
const LIFETIME_MAX: u64 = 18_000;

/// Refuses a permission with an unknown resource or mode, or the second permission of a user on the same resource.
pub(super) async fn check_permission(
    engine: &Engine,
    parent: &AttachedParent,
    content: &Object,
) -> ApiResult<()> {
    if parent.kind != AttachedKind::Permission {
        return Ok(());
    }
    let new = ResourceGrant::from_permission(engine, content).await?;
    let id = content.get("id").and_then(Json::as_str).unwrap_or_default();
    for existing in engine.list_attached(parent.owner, parent.kind).await?.value {
        // A replace is compared with all others, not with itself.
        let is_another = existing.id != id;
        let old = ResourceGrant::from_permission(engine, &existing.content).await;
        if is_another && old.is_ok_and(|old| old.has_same_target(&new)) {
            let message = format!(
                "Resource with specified id, name, or unique index already exists. The permission '{}' of this user is \
                 on the same resource; replace it.",
                existing.id
            );
            return Err(ApiError::new(StatusCode::CONFLICT, message));
        }
    }
    Ok(())
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
