//! The privacy routes: export and erasure of a user.

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde::Serialize;
use service::erasure::{ErasureCertificate, SubjectExport};
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument};
use service::identity::Caller;

use crate::domain::UserId;

use super::router::{ADMIN_ROLE, ApiState, require_user};

const EXPORT_PATH: &str = "/api/privacy/export";

/// Where an export can be read.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ExportBody {
    /// Always `ready`.
    status: &'static str,
    /// The path of the export.
    location: &'static str,
}

/// The result of an erasure.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ErasureBody {
    /// Always `erased`.
    status: &'static str,
    #[schema(value_type = Object)]
    certificate: ErasureCertificate,
}

/// Requests an export of everything about the caller. It is ready at once, at the location in the response.
#[utoipa::path(post, path = "/api/privacy/export", responses(
    (status = 202, body = ExportBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn begin_export(caller: Caller) -> HttpResult<(StatusCode, JsonBody<ExportBody>)> {
    require_user(&caller)?;
    let body = ExportBody { status: "ready", location: EXPORT_PATH };
    Ok((StatusCode::ACCEPTED, JsonBody(body)))
}

/// Everything about the caller, one line of JSON for each item.
#[utoipa::path(get, path = "/api/privacy/export", responses(
    (status = 200, content_type = "application/x-ndjson", body = String),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn export(State(api): State<ApiState>, caller: Caller) -> HttpResult<Response> {
    let export = api.system.export(&require_user(&caller)?);
    let pages = stream::unfold(Some(export), next_page);
    let content_type = [(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"))];
    Ok((content_type, Body::from_stream(pages)).into_response())
}

/// The next page. The status is already sent, so an error ends the response without its last chunk: the client sees
/// that the export is incomplete.
async fn next_page(
    export: Option<SubjectExport>,
) -> Option<(Result<String, client::Error>, Option<SubjectExport>)> {
    let mut export = export?;
    match export.next().await {
        Ok(Some(lines)) => Some((Ok(lines), Some(export))),
        Ok(None) => None,
        Err(error) => Some((Err(error), None)),
    }
}

/// Erases everything about a user: the caller, or anybody for an admin.
#[utoipa::path(delete, path = "/api/privacy/users/{id}", params(("id" = String, Path)), responses(
    (status = 202, body = ErasureBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn erase(
    State(api): State<ApiState>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<(StatusCode, JsonBody<ErasureBody>)> {
    let user = require_self_or_admin(&caller, id)?;
    let certificate = api.system.erase(&user).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(ErasureBody { status: "erased", certificate })))
}

/// The certificate of an erasure.
#[utoipa::path(get, path = "/api/privacy/users/{id}", params(("id" = String, Path)), responses(
    (status = 200, body = Value),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn certificate(
    State(api): State<ApiState>,
    caller: Caller,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<ErasureCertificate>> {
    let user = require_self_or_admin(&caller, id)?;
    let certificate = api.system.erasure_certificate(&user).await?;
    let missing = || Problem::not_found("There is no certificate of an erasure of this user.");
    certificate.map(JsonBody).ok_or_else(missing)
}

/// The user with this id, if that is the caller or the caller is an admin.
fn require_self_or_admin(caller: &Caller, id: String) -> HttpResult<UserId> {
    if caller.subject() != id {
        caller.require_role(ADMIN_ROLE)?;
    }
    UserId::parse(id).map_err(|why| Problem::bad_request("invalid_request", why))
}
