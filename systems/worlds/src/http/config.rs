//! What a page needs to know before anything else.

use axum::extract::State;
use serde::Serialize;
use service::charge::ChargedValue;
use service::http::{HttpResult, JsonBody, ProblemDocument};

use super::reply::{DataEnvelope, WorldReply};
use super::request::WorldRequest;
use super::router::WorldsApi;
use crate::domain::EntityTypeDefinition;
use crate::settings::AccessMode;

/// How callers get in.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccessStatusBody {
    /// Whether people sign in.
    sign_in_required: bool,
    /// Whether the header `X-Access-Code` is needed.
    access_code_required: bool,
}

/// Whether callers have to sign in or need an access code.
#[utoipa::path(get, path = "/api/config/access-status", responses(
    (status = 200, body = AccessStatusBody),
))]
pub(super) async fn access_status(State(api): State<WorldsApi>) -> JsonBody<AccessStatusBody> {
    let access = &api.system.settings().access_control;
    let is_anonymous = access.mode == AccessMode::Anonymous;
    JsonBody(AccessStatusBody {
        sign_in_required: !is_anonymous,
        access_code_required: is_anonymous && access.access_code.is_set(),
    })
}

/// All types of entities, with what they may be nested in.
#[utoipa::path(get, path = "/api/v1/entity-types", responses(
    (status = 200, body = DataEnvelope<Vec<EntityTypeDefinition>>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn entity_types(
    State(api): State<WorldsApi>,
    request: WorldRequest,
) -> HttpResult<WorldReply<Vec<EntityTypeDefinition>>> {
    let types: Vec<_> = api.system.entity_types().iter().cloned().collect();
    Ok(request.reply(ChargedValue::new(types, 0.0)))
}
