//! What a change of a container would do, before it is made.
//!
//! Owns `POST /_planisphere/plan/{database}/{container}`. Does not own the plan: the binary passes in the same planner
//! that `planisphere schema plan` uses.

use engine::ContainerLink;
use hyper::Method;
use model::{ContainerProperties, Json, Throughput};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};
use crate::settings::ContainerChange;

/// POST `{"container": {...}, "throughput": {"manual": 400}}`: the plan; nothing is changed.
pub(crate) async fn plan_change(
    gateway: &Gateway,
    request: &ApiRequest,
    database: &str,
    container: &str,
) -> ApiResult<ApiResponse> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    let Some(explorer) = &gateway.settings().explorer else {
        return Err(ApiError::unsupported("This server plans no changes: it has no explorer."));
    };
    let link = ContainerLink::new(database, container)
        .map_err(|invalid| ApiError::bad_request(invalid.message()))?;
    let body = request.json()?;
    let wanted = body.get("container").ok_or_else(|| {
        ApiError::bad_request(
            "The body is {\"container\": {...}, \"throughput\": {\"manual\": 400}}; it has no \
            'container'.",
        )
    })?;
    let properties = ContainerProperties::from_json(wanted)?;
    if properties.id != link.container {
        return Err(ApiError::bad_request(format!(
            "The body names the container '{}', the path names '{}'.",
            properties.id, link.container
        )));
    }
    let throughput = throughput_of(&body)?;
    let engine = gateway.engine().clone();
    let change = ContainerChange { engine, database: link.database, properties, throughput };
    let plan = explorer.planner.plan(change).ok_or_else(|| {
        ApiError::unsupported("This server plans no changes: it was started without a planner.")
    })?;
    let plan = plan.await.map_err(ApiError::bad_request)?;
    Ok(ApiResponse::ok(plan.to_bytes()))
}

/// `{"manual": 400}` or `{"autoscale": 1000}`.
fn throughput_of(body: &Json) -> ApiResult<Option<Throughput>> {
    let Some(wanted) = body.get("throughput").filter(|wanted| **wanted != Json::Null) else {
        return Ok(None);
    };
    let number = |name| wanted.get(name).and_then(Json::as_i64).and_then(|n| u32::try_from(n).ok());
    match (number("manual"), number("autoscale")) {
        (Some(manual), None) => Ok(Some(Throughput::Manual(manual))),
        (None, Some(maximum)) => {
            Ok(Some(Throughput::Autoscale { maximum, increment_percent: None }))
        }
        _ => Err(ApiError::bad_request(
            "The throughput is {\"manual\": 400} or {\"autoscale\": 1000} in request units per second.",
        )),
    }
}
