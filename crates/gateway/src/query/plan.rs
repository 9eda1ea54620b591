//! Query plan requests: how a client would distribute a query over physical partitions.
//!
//! Owns the request and the response. The document comes from the planner.

use engine::query::{FeatureSet, PlanQuery};
use engine::{ContainerAddress, Engine};

use super::body::QueryRequestBody;
use crate::http::{ApiRequest, ApiResponse, ApiResult, header};

pub(crate) async fn plan_query(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let body = QueryRequestBody::parse(request)?.resumed(engine, &address.link)?;
    let QueryRequestBody { text, parameters, .. } = body;
    let features = match request.header(&header::QUERY_FEATURES) {
        Some(list) => FeatureSet::parse(list),
        None => FeatureSet::default(),
    };
    let operation = PlanQuery { container: address.link.clone(), text, parameters, features };
    let plan = engine.query_plan(operation).await?;
    Ok(ApiResponse::ok(plan.value.to_bytes()).charge(plan.charge).container_headers(address))
}
