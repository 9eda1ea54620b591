//! Recorded usage, and the report about it.
//!
//! Owns two routes under `/_planisphere`, which need a signature: the usage document, and the report with its price
//! table and a candidate partition key. Does not own the counters or the conclusions: those belong to the engine.

use engine::usage;
use hyper::Method;
use model::Json;

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// `/_planisphere/usage`
pub(crate) fn usage(gateway: &Gateway, request: &ApiRequest) -> ApiResult<ApiResponse> {
    require_get(request)?;
    Ok(json_response(&gateway.engine().usage()))
}

/// `/_planisphere/report`
pub(crate) fn report(gateway: &Gateway, request: &ApiRequest) -> ApiResult<ApiResponse> {
    require_get(request)?;
    let candidate = request.header(&header::TRY_PARTITION_KEY);
    let candidate = candidate.map(usage::candidate_partition_key).transpose()?;
    let document = gateway.engine().usage();
    let report = usage::report(&document, &gateway.settings().prices, candidate.as_ref())?;
    Ok(json_response(&report))
}

fn require_get(request: &ApiRequest) -> ApiResult<()> {
    if request.method == Method::GET { Ok(()) } else { Err(ApiError::method_not_allowed()) }
}

fn json_response(json: &Json) -> ApiResponse {
    ApiResponse::ok(json.to_bytes())
}
