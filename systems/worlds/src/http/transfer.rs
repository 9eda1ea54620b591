//! The routes of import and export.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use service::charge::ChargedValue;
use service::http::{HttpResult, PathParams, Problem, ProblemDocument, QueryParams};

use super::bodies::EntityBody;
use super::reply::DataEnvelope;
use super::request::WorldRequest;
use super::router::WorldsApi;
use crate::transfer::{ImportMistake, ImportPlan, WorldArchive};

/// How to import.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ImportQuery {
    /// Only look for mistakes.
    #[serde(default)]
    validate_only: bool,
}

/// Creates a world from a zip of `world.json` and `entities/*.json`. Every mistake is found before anything is created.
#[utoipa::path(post, path = "/api/v1/worlds/import", params(ImportQuery),
    request_body(content = Vec<u8>, content_type = "application/zip"), responses(
    (status = 201, body = DataEnvelope<EntityBody>),
    (status = 204, description = "The archive has no mistakes; nothing was created."),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 413, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn import(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    QueryParams(query): QueryParams<ImportQuery>,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> HttpResult<Response> {
    let body = body.map_err(|_| {
        let detail = "An archive can have 25 MB.";
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
    })?;
    // Unpacking is work for the processor, so it must not block other requests.
    let plan = tokio::task::spawn_blocking(move || {
        WorldArchive::from_zip(&body).and_then(|archive| ImportPlan::of(&archive))
    });
    let plan = plan.await.map_err(Problem::internal)?.map_err(|all| refused(&all))?;
    let mistakes = api.system.check_import(&request.user, &plan).await?;
    if !mistakes.is_empty() {
        return Err(refused(&mistakes));
    }
    if query.validate_only {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let imported = api.system.import(&request.user, plan).await?;
    let etag = imported.world.etag.clone();
    let value = ChargedValue::new(EntityBody::from(imported.world.entity), imported.charge);
    Ok(request.reply(value).etag(etag).status(StatusCode::CREATED).into_response())
}

fn refused(mistakes: &[ImportMistake]) -> Problem {
    let detail = format!("The archive has {} mistakes; nothing was created.", mistakes.len());
    mistakes.iter().fold(Problem::bad_request("INVALID_ARCHIVE", detail), |problem, one| {
        problem.field(&one.file, &one.code.to_string(), one.message.clone())
    })
}

/// A world as a zip, which `import` takes.
#[utoipa::path(get, path = "/api/v1/worlds/{world}/export",
    params(("world" = String, Path)), responses(
    (status = 200, content_type = "application/zip", body = Vec<u8>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn export(
    State(api): State<WorldsApi>,
    mut request: WorldRequest,
    PathParams(world): PathParams<String>,
) -> HttpResult<Response> {
    let access = request.access(&api, &world).await?;
    let archive = api.system.export(&access).await?.value;
    let zip = tokio::task::spawn_blocking(move || archive.to_zip());
    let zip = zip.await.map_err(Problem::internal)?.map_err(Problem::internal)?;
    let name = format!("attachment; filename=\"{}.zip\"", access.world());
    let headers = [(CONTENT_TYPE, "application/zip".to_owned()), (CONTENT_DISPOSITION, name)];
    Ok((headers, zip).into_response())
}
