//! Deletes all items of one partition key.
//!
//! Owns the request and the response.

use engine::operation::DeleteByPartitionKey;
use engine::{ContainerAddress, Engine};
use hyper::{Method, StatusCode};

use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};

pub(crate) async fn delete_by_partition_key(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    let operation = DeleteByPartitionKey {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
    };
    let result = engine.delete_by_partition_key(operation).await?;
    Ok(ApiResponse::empty(StatusCode::OK)
        .charge(result.charge)
        .session_token(result.session_token.as_ref())
        .container_headers(address))
}
