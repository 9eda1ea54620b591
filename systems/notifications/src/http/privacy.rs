//! The routes of a person's rights: taking one's data along, and being forgotten.

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::{Value, json};
use service::erasure::{Certificate, Export};
use service::http::{Json, Outcome, Path, Problem, ProblemDocument};
use service::identity::Principal;

use crate::domain::UserId;

use super::router::{ADMIN_ROLE, ApiState, require_user};

const EXPORT_PATH: &str = "/api/privacy/export";

/// Asks for an export of everything about the caller. It is ready at once, where the answer says.
#[utoipa::path(post, path = "/api/privacy/export", responses(
    (status = 202, body = Value),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn begin_export(caller: Principal) -> Outcome<(StatusCode, Json<Value>)> {
    require_user(&caller)?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "status": "ready", "location": EXPORT_PATH }))))
}

/// Everything about the caller, one line of JSON for each item.
#[utoipa::path(get, path = "/api/privacy/export", responses(
    (status = 200, content_type = "application/x-ndjson", body = String),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn export(State(api): State<ApiState>, caller: Principal) -> Outcome<Response> {
    let export = api.system.export(&require_user(&caller)?);
    let pages = stream::unfold(Some(export), next);
    let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"))];
    Ok((kind, Body::from_stream(pages)).into_response())
}

/// The next page. An error cuts the answer off, so that nobody takes a part for the whole.
async fn next(export: Option<Export>) -> Option<(Result<String, client::Error>, Option<Export>)> {
    let mut export = export?;
    match export.next().await {
        Ok(Some(lines)) => Some((Ok(lines), Some(export))),
        Ok(None) => None,
        Err(error) => Some((Err(error), None)),
    }
}

/// Erases everything about a user: the caller, or anybody for an admin.
#[utoipa::path(delete, path = "/api/privacy/users/{id}", params(("id" = String, Path)), responses(
    (status = 202, body = Value),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn erase(
    State(api): State<ApiState>,
    caller: Principal,
    Path(id): Path<String>,
) -> Outcome<(StatusCode, Json<Value>)> {
    let user = allowed(&caller, id)?;
    let certificate = api.system.erase(&user).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "status": "erased", "certificate": certificate }))))
}

/// The proof of an erasure.
#[utoipa::path(get, path = "/api/privacy/users/{id}", params(("id" = String, Path)), responses(
    (status = 200, body = Value),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn certificate(
    State(api): State<ApiState>,
    caller: Principal,
    Path(id): Path<String>,
) -> Outcome<Json<Certificate>> {
    let user = allowed(&caller, id)?;
    let certificate = api.system.erasure_certificate(&user).await?;
    let missing = || Problem::not_found("There is no proof of an erasure of this user.");
    certificate.map(Json).ok_or_else(missing)
}

/// Oneself, or anybody for an admin.
fn allowed(caller: &Principal, id: String) -> Outcome<UserId> {
    if caller.subject() != id {
        caller.require_role(ADMIN_ROLE)?;
    }
    UserId::parse(id).map_err(|why| Problem::bad_request("invalid_request", why))
}
