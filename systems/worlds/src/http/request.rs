//! Who calls, and the right to the world of the path.
//!
//! Owns the modes of access: people who have signed in, or everybody as one user, with or without an access code.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use service::charge::ChargeMeter;
use service::http::{HttpResult, Problem, RequestId};
use service::identity::Caller;

use super::router::WorldsApi;
use crate::access::WorldAccess;
use crate::domain::{EntityId, UtcTimestamp, WorldId, WorldUser};
use crate::settings::AccessMode;

/// The header with the access code.
const X_ACCESS_CODE: &str = "x-access-code";

/// One request: its user, and what the answer says about it.
pub(super) struct WorldRequest {
    pub(super) user: WorldUser,
    pub(super) id: String,
    pub(super) at: UtcTimestamp,
    pub(super) meter: ChargeMeter,
}

impl FromRequestParts<WorldsApi> for WorldRequest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &WorldsApi) -> Result<Self, Problem> {
        let id = parts.extensions.get::<RequestId>();
        let id = id.and_then(|id| id.header_value().to_str().ok()).unwrap_or_default().to_owned();
        let user = match api.system.settings().access_control.mode {
            AccessMode::Anonymous => anonymous(parts, api)?,
            AccessMode::Users => {
                let caller =
                    <Caller as FromRequestParts<WorldsApi>>::from_request_parts(parts, api).await?;
                WorldUser::parse(caller.subject())
                    .map_err(|why| Problem::forbidden("no_user", why))?
            }
        };
        let at = UtcTimestamp::now(api.server.environment());
        Ok(Self { user, id, at, meter: ChargeMeter::default() })
    }
}

fn anonymous(parts: &Parts, api: &WorldsApi) -> Result<WorldUser, Problem> {
    let code = &api.system.settings().access_control.access_code;
    if code.is_set() {
        let sent = parts.headers.get(X_ACCESS_CODE).and_then(|value| value.to_str().ok());
        // Compared in constant time.
        if !code.matches(sent.unwrap_or_default()) {
            let detail = "Send the access code in the header x-access-code.";
            return Err(Problem::unauthorized("access_code_needed", detail)
                .header(axum::http::header::WWW_AUTHENTICATE, "AccessCode"));
        }
    } else if !parts.method.is_safe() {
        // Without a code nothing else tells a page of this service from any other page.
        api.server.identity().check_origin(&parts.headers)?;
    }
    Ok(WorldUser::anonymous())
}

impl WorldRequest {
    /// The caller's right to a world that is not deleted.
    pub(super) async fn access(&mut self, api: &WorldsApi, world: &str) -> HttpResult<WorldAccess> {
        let world = parse_world(world)?;
        Ok(api.system.access(&self.user, &world, &mut self.meter).await?)
    }

    /// The caller's right to a world, also to a deleted one.
    pub(super) async fn access_trash(
        &mut self,
        api: &WorldsApi,
        world: &str,
    ) -> HttpResult<WorldAccess> {
        let world = parse_world(world)?;
        Ok(api.system.access_trash(&self.user, &world, &mut self.meter).await?)
    }
}

/// A text that is no id names nothing.
fn parse_world(text: &str) -> HttpResult<WorldId> {
    WorldId::parse(text).map_err(|_| Problem::not_found("There is no such world."))
}

pub(super) fn parse_entity(text: &str) -> HttpResult<EntityId> {
    EntityId::parse(text).map_err(|_| Problem::not_found("There is no such entity."))
}
