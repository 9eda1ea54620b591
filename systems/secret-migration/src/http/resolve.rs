//! The route of workloads: where to get the secrets from, and a wait for the next change.

use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use client::EntityTag;
use serde::Deserialize;
use service::http::{
    EtagHeader, HttpResult, IfNoneMatch, JsonBody, PathParams, Problem, ProblemDocument,
    QueryParams, not_modified,
};
use service::identity::Caller;

use crate::question::ResolvedSecrets;

use super::router::{TrackerApi, VIEWER_ROLE, require, workload_key};

/// Proxies cut longer requests.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// How long to wait for a change.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ResolveQuery {
    /// Such as `30s`: wait so long for another etag than that of `If-None-Match`.
    wait: Option<String>,
}

/// Where a workload gets its secrets from.
#[utoipa::path(get, path = "/v1/resolve/{cluster}/{namespace}/{name}",
    params(("cluster" = String, Path), ("namespace" = String, Path),
        ("name" = String, Path), ResolveQuery),
    responses(
    (status = 200, body = ResolvedSecrets),
    (status = 304, description = "Nothing has changed."),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn resolve(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(names): PathParams<(String, String, String)>,
    QueryParams(query): QueryParams<ResolveQuery>,
    known: IfNoneMatch,
) -> HttpResult<Response> {
    require(&caller, VIEWER_ROLE)?;
    let key = workload_key(&names)?;
    let wait = wait(query.wait.as_deref())?;
    let resolved = api.system.resolve(&key).await?;
    let etag = EntityTag::from_text(resolved.etag.as_str());
    if !known.has(&etag) {
        return Ok((EtagHeader::new(Some(&etag)), JsonBody(resolved)).into_response());
    }
    let changed = tokio::select! {
        changed = api.system.resolve_change(&key, &resolved.etag, wait) => changed?,
        // The server stops: the client asks again, elsewhere.
        () = api.server.shutdown().triggered() => None,
    };
    Ok(match changed {
        Some(changed) => {
            let etag = EntityTag::from_text(changed.etag.as_str());
            (EtagHeader::new(Some(&etag)), JsonBody(changed)).into_response()
        }
        None => not_modified(&etag),
    })
}

fn wait(text: Option<&str>) -> HttpResult<Duration> {
    let Some(text) = text else { return Ok(Duration::ZERO) };
    let seconds = text.strip_suffix('s').unwrap_or(text).parse().ok().map(Duration::from_secs);
    seconds.filter(|wait| *wait <= WAIT_MAX).ok_or_else(|| {
        let message = format!("'{text}' is no time such as 30s, up to {}s", WAIT_MAX.as_secs());
        Problem::invalid_field("wait", "invalid", message)
    })
}
