//! Streams: changes of workloads and waves for pages, and the resolver's answer for workloads.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::stream::unfold;
use serde::Deserialize;
use service::http::{EventStreamRequest, HttpResult, PathParams, ProblemDocument, QueryParams};
use service::identity::Caller;

use crate::domain::WorkloadKey;
use crate::watch::{ALL, cluster_topic};

use super::router::{TrackerApi, VIEWER_ROLE, cluster_name, require, workload_key};

/// A comment line so often keeps proxies from closing the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Which changes.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TrackerEventsQuery {
    /// Only those of this cluster.
    cluster: Option<String>,
}

/// Changes as they happen: `workload` and `wave`; `reset` if some were lost.
#[utoipa::path(get, path = "/v1/events", params(TrackerEventsQuery), responses(
    (status = 200, content_type = "text/event-stream", body = String),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn events(
    State(api): State<TrackerApi>,
    caller: Caller,
    QueryParams(query): QueryParams<TrackerEventsQuery>,
    stream: EventStreamRequest,
) -> HttpResult<Response> {
    require(&caller, VIEWER_ROLE)?;
    let topic = match &query.cluster {
        Some(cluster) => cluster_topic(cluster_name(cluster)?.as_str()),
        None => ALL.to_owned(),
    };
    Ok(api.system.core.events.respond(&topic, stream, api.server.shutdown()))
}

/// A stream of one workload.
struct OpenResolveStream {
    api: TrackerApi,
    key: WorkloadKey,
    known: String,
    /// Counts against the limits of open streams until it is dropped.
    stream: EventStreamRequest,
}

/// Where a workload gets its secrets from: at once, and again after every change.
#[utoipa::path(get, path = "/v1/resolve/{cluster}/{namespace}/{name}/stream",
    params(("cluster" = String, Path), ("namespace" = String, Path), ("name" = String, Path)),
    responses(
    (status = 200, content_type = "text/event-stream", body = String),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn resolve_stream(
    State(api): State<TrackerApi>,
    caller: Caller,
    PathParams(names): PathParams<(String, String, String)>,
    stream: EventStreamRequest,
) -> HttpResult<Response> {
    require(&caller, VIEWER_ROLE)?;
    let key = workload_key(&names)?;
    // A workload that is not there is 404, not a stream without end.
    api.system.resolve(&key).await?;
    // The id of an event is the etag: who reconnects gets only what is new.
    let known = stream.last_event_id().unwrap_or_default().to_owned();
    let events = unfold(OpenResolveStream { api, key, known, stream }, next);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}

async fn next(
    mut open: OpenResolveStream,
) -> Option<(Result<Event, Infallible>, OpenResolveStream)> {
    loop {
        let system = &open.api.system;
        let changed = tokio::select! {
            changed = system.resolve_change(&open.key, &open.known, HEARTBEAT) => changed,
            () = open.stream.caller_ended() => return None,
            () = open.api.server.shutdown().triggered() => return None,
        };
        match changed {
            Ok(Some(resolved)) => {
                let text = serde_json::to_string(&resolved).unwrap_or_default();
                let event = Event::default().event("resolved").id(&resolved.etag).data(text);
                open.known = resolved.etag;
                return Some((Ok(event), open));
            }
            Ok(None) => {}
            // The client reconnects and receives the error.
            Err(_) => return None,
        }
    }
}
