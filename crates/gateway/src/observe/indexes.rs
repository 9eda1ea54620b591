//! What each indexed path of a container costs, and what it would cost under another policy.
//!
//! Owns `/_planisphere/indexes/{database}/{container}`. Does not own the sample: that belongs to the engine.

use engine::ContainerLink;
use engine::usage::{IndexPathCost, IndexSample};
use hyper::Method;
use model::{IndexingPolicy, Json, Number, Object};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};

/// GET: under the policy of the container. POST with a policy: under that one, which is not applied.
pub(crate) async fn measure_indexes(
    gateway: &Gateway,
    request: &ApiRequest,
    database: &str,
    container: &str,
) -> ApiResult<ApiResponse> {
    let link = ContainerLink::new(database, container)
        .map_err(|invalid| ApiError::bad_request(invalid.message()))?;
    let policy = match request.method {
        Method::GET => None,
        Method::POST => Some(IndexingPolicy::from_json(&request.json()?)?),
        _ => return Err(ApiError::method_not_allowed()),
    };
    let sample = gateway.engine().sample_index(&link, policy.as_ref()).await?;
    Ok(ApiResponse::ok(to_json(&sample).to_bytes()))
}

#[expect(clippy::cast_precision_loss, reason = "estimates need no more digits")]
fn to_json(sample: &IndexSample) -> Json {
    let sampled = sample.sampled.max(1) as f64;
    let factor = sample.items as f64 / sampled;
    let number = |value: f64| Number::from_f64(value).map_or(Json::Null, Json::Number);
    let rounded = |value: f64| number(value.round());
    let hundredths = |value: f64| number((value * 100.0).round() / 100.0);
    let path = |cost: &IndexPathCost| {
        let mut object = Object::new();
        object.insert("path", cost.path.as_str());
        object.insert("entries", rounded(cost.entries as f64 * factor));
        object.insert("bytes", rounded(cost.bytes as f64 * factor));
        object.insert("requestUnitsPerWrite", hundredths(cost.charge.as_f64() / sampled));
        Json::Object(object)
    };
    let sum = |read: fn(&IndexPathCost) -> f64| sample.paths.iter().map(read).sum::<f64>();
    let mut object = Object::new();
    object.insert("items", i64::try_from(sample.items).unwrap_or(i64::MAX));
    object.insert("sampledItems", i64::try_from(sample.sampled).unwrap_or(i64::MAX));
    object.insert("bytes", rounded(sum(|cost| cost.bytes as f64) * factor));
    let units = sum(|cost| cost.charge.as_f64());
    object.insert("requestUnitsPerWrite", hundredths(units / sampled));
    object.insert("requestUnitsForAllItems", hundredths(units * factor));
    object.insert("paths", sample.paths.iter().map(path).collect::<Vec<_>>());
    Json::Object(object)
}
