//! The routes of waves.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, PathParams, ProblemDocument};
use service::identity::Caller;

use crate::action::{NewWave, RollbackReport, WaveReport};
use crate::domain::Wave;

use super::router::{OPERATOR_ROLE, TrackerApi, VIEWER_ROLE, require};

/// All waves.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct WavesBody {
    waves: Vec<Wave>,
}

/// Why a wave is rolled back.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WaveRollbackBody {
    /// Why.
    reason: String,
}

/// All waves.
#[utoipa::path(get, path = "/v1/waves", responses(
    (status = 200, body = WavesBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<TrackerApi>,
    caller: Caller,
) -> HttpResult<JsonBody<WavesBody>> {
    require(&caller, VIEWER_ROLE)?;
    Ok(JsonBody(WavesBody { waves: api.system.waves().await? }))
}

/// Plans a wave.
#[utoipa::path(post, path = "/v1/waves", request_body = NewWave, responses(
    (status = 202, body = Wave),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create(
    State(api): State<TrackerApi>,
    caller: Caller,
    JsonBody(new): JsonBody<NewWave>,
) -> HttpResult<(StatusCode, JsonBody<Wave>)> {
    require(&caller, OPERATOR_ROLE)?;
    let wave = api.system.create_wave(new, caller.subject()).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(wave)))
}

/// A wave with its counts and failures.
#[utoipa::path(get, path = "/v1/waves/{wave}", params(("wave" = String, Path)), responses(
    (status = 200, body = WaveReport),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(wave): PathParams<String>,
) -> HttpResult<JsonBody<WaveReport>> {
    require(&caller, VIEWER_ROLE)?;
    Ok(JsonBody(api.system.wave_report(&wave).await?))
}

/// Approves a wave; its creator cannot.
#[utoipa::path(post, path = "/v1/waves/{wave}/approve", params(("wave" = String, Path)), responses(
    (status = 202, body = Wave),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn approve(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(wave): PathParams<String>,
) -> HttpResult<(StatusCode, JsonBody<Wave>)> {
    require(&caller, OPERATOR_ROLE)?;
    let wave = api.system.approve_wave(&wave, caller.subject()).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(wave)))
}

/// Starts a wave, or goes on with a paused or stopped one.
#[utoipa::path(post, path = "/v1/waves/{wave}/start", params(("wave" = String, Path)), responses(
    (status = 202, body = Wave),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 424, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn start(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(wave): PathParams<String>,
) -> HttpResult<(StatusCode, JsonBody<Wave>)> {
    require(&caller, OPERATOR_ROLE)?;
    let wave = api.system.start_wave(&wave, caller.subject()).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(wave)))
}

/// Pauses a running wave.
#[utoipa::path(post, path = "/v1/waves/{wave}/pause", params(("wave" = String, Path)), responses(
    (status = 202, body = Wave),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn pause(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(wave): PathParams<String>,
) -> HttpResult<(StatusCode, JsonBody<Wave>)> {
    require(&caller, OPERATOR_ROLE)?;
    let wave = api.system.pause_wave(&wave, caller.subject()).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(wave)))
}

/// Ends a wave and switches its workloads back.
#[utoipa::path(post, path = "/v1/waves/{wave}/rollback", params(("wave" = String, Path)),
    request_body = WaveRollbackBody, responses(
    (status = 202, body = RollbackReport),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn roll_back(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(wave): PathParams<String>,
    JsonBody(body): JsonBody<WaveRollbackBody>,
) -> HttpResult<(StatusCode, JsonBody<RollbackReport>)> {
    require(&caller, OPERATOR_ROLE)?;
    let done = api.system.roll_back_wave(&wave, &body.reason, caller.subject()).await?;
    Ok((StatusCode::ACCEPTED, JsonBody(done)))
}
