//! Routes for tests: advance the clock, split a partition, enforce throughput, inject faults.
//!
//! Owns the paths under `/_planisphere/test`. They exist only when the settings contain a [`TestControl`], and they
//! need no signature.

use std::time::Duration;

use engine::ContainerLink;
use engine::operation::SplitPartition;
use hyper::{Method, StatusCode};
use model::{Json, Object};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiResponse, ApiResult};
use crate::route::RequestPath;
use crate::test_control::TestControl;

const PREFIX: &str = "_planisphere/test/";

/// Returns the control of the server if the request is for a test route and the server has them.
pub(crate) fn match_test_route<'a>(
    gateway: &'a Gateway,
    method: &Method,
    path: &RequestPath<'_>,
) -> Option<&'a TestControl> {
    let is_test_route = path.raw.starts_with(PREFIX) && method == Method::POST;
    // Without the control the path is like any other unknown path.
    gateway.settings().test_control.as_deref().filter(|_| is_test_route)
}

/// Handles a request to a test route.
pub(crate) async fn handle_test_route(
    gateway: &Gateway,
    control: &TestControl,
    path: &RequestPath<'_>,
    body: &[u8],
) -> ApiResult<ApiResponse> {
    let body = Json::parse(body).map_err(ApiError::invalid_payload)?;
    let engine = gateway.engine();
    match path.raw.strip_prefix(PREFIX).unwrap_or_default() {
        "advance-clock" => {
            let seconds = body.get("seconds").and_then(Json::as_i64);
            let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
            let seconds = seconds.ok_or_else(|| missing("seconds"))?;
            control.advance(Duration::from_secs(seconds));
            // What has expired by the new time must be gone when the test continues.
            engine.maintain_fully().await.map_err(ApiError::from)?;
            // Likewise what the throughput of a container needs: clients cannot see when the background is done.
            engine.split_due_partitions().await.map_err(ApiError::from)?;
            Ok(empty_object())
        }
        "split-partition" => split(gateway, &body).await,
        "enforce-throughput" => {
            let link = parse_container(&body)?;
            engine.enforce_throughput(&link, Some(true)).await.map_err(ApiError::from)?;
            Ok(empty_object())
        }
        "was-throttled" => was_throttled(gateway, &body),
        "faults" => {
            let rules = gateway.settings().faults.as_ref();
            let rules =
                rules.ok_or_else(|| ApiError::not_found("This server injects no faults."))?;
            rules.replace(&body).map_err(|invalid| ApiError::bad_request(invalid.message()))?;
            Ok(empty_object())
        }
        _ => Err(ApiError::not_found(
            "The test routes are advance-clock, split-partition, enforce-throughput, was-throttled and faults.",
        )),
    }
}

fn parse_container(body: &Json) -> ApiResult<ContainerLink> {
    let text = |name| body.get(name).and_then(Json::as_str).ok_or_else(|| missing(name));
    ContainerLink::new(text("database")?, text("container")?)
        .map_err(|invalid| ApiError::bad_request(invalid.message()))
}

/// Succeeds only if a request to the container was throttled. A test cannot see that itself, because clients retry.
fn was_throttled(gateway: &Gateway, body: &Json) -> ApiResult<ApiResponse> {
    let throttled = gateway.engine().throttled_requests(&parse_container(body)?)?;
    if throttled == 0 {
        let message = "No request to the container was throttled.";
        return Err(ApiError::new(StatusCode::CONFLICT, message));
    }
    let mut object = Object::new();
    object.insert("throttled", i64::try_from(throttled).unwrap_or(i64::MAX));
    Ok(ApiResponse::ok(Json::Object(object).to_bytes()))
}

async fn split(gateway: &Gateway, body: &Json) -> ApiResult<ApiResponse> {
    let container = parse_container(body)?;
    let partition = match body.get("partition").and_then(Json::as_i64) {
        Some(number) => u32::try_from(number).map_err(|_| missing("partition"))?,
        None => {
            let listed = gateway.engine().list_partitions(&container).await;
            let listed = listed.map_err(ApiError::from)?.value.partitions;
            listed.first().ok_or_else(|| missing("partition"))?.number
        }
    };
    let operation = SplitPartition { container, partition, at: None };
    gateway.engine().split_partition(operation).await.map_err(ApiError::from)?;
    Ok(empty_object())
}

fn empty_object() -> ApiResponse {
    ApiResponse::ok(Json::Object(Object::new()).to_bytes())
}

fn missing(property: &str) -> ApiError {
    ApiError::bad_request(format!("The body of a test route needs the property '{property}'."))
}
