//! Readiness and counters, at the paths of seed 000.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use service::http::JsonBody;

use super::router::ChatApi;
use crate::monitor::ChatTotals;

/// Whether the chat is ready, and what is not.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ReadyBody {
    status: &'static str,
    /// `ready`, or why not, for each of `cosmos` and `redis`.
    checks: BTreeMap<&'static str, String>,
}

/// The counters of this process.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TotalsBody {
    #[serde(flatten)]
    totals: ChatTotals,
    /// Request units of each room since the start: a room that stands out is a hot partition.
    room_request_units: BTreeMap<String, f64>,
}

/// Whether documents and ephemeral state can be reached.
#[utoipa::path(get, path = "/healthz/ready", security(()), responses(
    (status = 200, body = ReadyBody),
    (status = 503, body = ReadyBody),
))]
pub(super) async fn ready(State(api): State<ChatApi>) -> (StatusCode, JsonBody<ReadyBody>) {
    let core = &api.chat.core;
    let (cosmos, redis) =
        tokio::join!(core.containers.rooms.read_properties(), core.ephemeral.ping());
    let status = |failed: Option<String>| failed.unwrap_or_else(|| "ready".to_owned());
    let (cosmos, redis) =
        (cosmos.err().map(|error| error.to_string()), redis.err().map(|error| error.to_string()));
    let is_ready = cosmos.is_none() && redis.is_none();
    let checks = BTreeMap::from([("cosmos", status(cosmos)), ("redis", status(redis))]);
    let (code, status) = match is_ready {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "failing"),
    };
    (code, JsonBody(ReadyBody { status, checks }))
}

/// The counters of this process.
#[utoipa::path(get, path = "/healthz/metrics", security(()),
    responses((status = 200, body = TotalsBody)))]
pub(super) async fn totals(State(api): State<ChatApi>) -> JsonBody<TotalsBody> {
    let rooms = api.chat.room_charges().totals();
    let rooms = rooms.into_iter().map(|(room, charge)| (room.as_str().to_owned(), charge));
    JsonBody(TotalsBody { totals: api.chat.totals(), room_request_units: rooms.collect() })
}
