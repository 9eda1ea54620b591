//! Runs stored procedures.
//!
//! Owns the request and its response. Does not own the scripts themselves (`attached`) or their execution (the engine).

use engine::operation::ExecuteProcedure;
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use model::Json;

use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// `POST /dbs/{id}/colls/{id}/sprocs/{id}`
pub(super) async fn execute(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    segment: &str,
) -> ApiResult<ApiResponse> {
    let operation = ExecuteProcedure {
        container: address.link.clone(),
        procedure: segment.to_owned(),
        partition_key: request.required_partition_key()?,
        arguments: arguments(request)?,
        wants_log: request.flag(&header::SCRIPT_LOGGING),
    };
    let executed = engine.execute_procedure(operation).await?;
    // A procedure that sets no body returns an empty text.
    let body = executed.value.body.unwrap_or_else(|| "\"\"".to_owned());
    let response = ApiResponse::json(StatusCode::OK, body)
        .charge(executed.charge)
        .session_token(executed.session_token.as_ref())
        .container_headers(address);
    Ok(match executed.value.log {
        Some(log) => response.script_log(&log),
        None => response,
    })
}

/// The arguments: a JSON array. An empty body is no arguments.
fn arguments(request: &ApiRequest) -> ApiResult<String> {
    if request.body.is_empty() {
        return Ok("[]".to_owned());
    }
    let json = request.json()?;
    if !matches!(json, Json::Array(_)) {
        return Err(ApiError::bad_request(
            "The arguments of a stored procedure must be a JSON array.",
        ));
    }
    Ok(json.to_string())
}
