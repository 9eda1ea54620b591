//! The last requests and the traffic of the last seconds.
//!
//! Owns three routes under `/_planisphere`, which need a signature or a session.

use hyper::Method;

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// Requests of one answer unless the request asks for fewer.
const COUNT_MAX: usize = 4000;

/// `/_planisphere/requests`: GET lists, newest first; POST starts recording.
pub(crate) fn list_requests(gateway: &Gateway, request: &ApiRequest) -> ApiResult<ApiResponse> {
    match request.method {
        Method::GET => {
            let after = request.header(&header::AFTER_NUMBER).and_then(|text| text.parse().ok());
            let count = request.items_max()?.unwrap_or(COUNT_MAX);
            let list = gateway.request_log().list(after.unwrap_or_default(), count);
            Ok(ApiResponse::ok(list.to_bytes()))
        }
        Method::POST => {
            gateway.request_log().start(gateway.engine().environment().now().0);
            Ok(ApiResponse::ok(gateway.request_log().list(u64::MAX, 0).to_bytes()))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// `/_planisphere/requests/{number}`: one of them with headers and the shape of its body.
pub(crate) fn read_request(
    gateway: &Gateway,
    request: &ApiRequest,
    number: &str,
) -> ApiResult<ApiResponse> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    let shows_values = request.flag(&header::SHOW_VALUES);
    let number = number.parse().ok();
    let found = number.and_then(|number| gateway.request_log().detail(number, shows_values));
    let found = found.ok_or_else(|| {
        ApiError::not_found("There is no such request. The log keeps the last 4,000.")
    })?;
    Ok(ApiResponse::ok(found.to_bytes()))
}

/// `/_planisphere/traffic`: what was used in each of the last 600 seconds, without the explorer's own requests.
pub(crate) fn traffic(gateway: &Gateway, request: &ApiRequest) -> ApiResult<ApiResponse> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    let now_ms = gateway.engine().environment().now().0;
    Ok(ApiResponse::ok(gateway.request_log().traffic(now_ms).to_bytes()))
}
