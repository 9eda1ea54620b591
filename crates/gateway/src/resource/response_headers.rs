//! Response headers of item requests: position, physical partition, replicas, quota and usage.
//!
//! Owns the headers that every response about items shares, including errors of the engine. Does not own the session
//! token of a success, which comes from the operation.

use engine::{ContainerAddress, Engine};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use model::{FeedRange, SessionToken};

use super::quota::add_container_quota;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, ContainerHeaders, header};

/// The replicas of each physical partition. The service has four and acknowledges a write after three.
const REPLICA_HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::WRITE_QUORUM, HeaderValue::from_static("3")),
    (header::REPLICA_SET_SIZE, HeaderValue::from_static("4")),
];

/// Adds the headers that all responses about items have.
pub(super) async fn add_item_headers(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    result: ApiResult<ApiResponse>,
) -> ApiResult<ApiResponse> {
    match result {
        // A query plan does not come from a physical partition.
        Ok(response) if request.flag(&header::IS_QUERY_PLAN) => Ok(response),
        Ok(response) => Ok(add_success_headers(engine, request, address, response)),
        Err(error) if comes_from_partition(error.status()) => {
            // Boxed, because the future is large and errors are rare.
            Err(Box::pin(add_error_headers(engine, request, address, error)).await)
        }
        Err(error) => Err(error),
    }
}

fn add_success_headers(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    response: ApiResponse,
) -> ApiResponse {
    let response = add_position_headers(address, response);
    let response = match is_write(request) {
        // There is a single copy, so the quorum is at the position of the write.
        true => response
            .copy_header(&header::LSN, header::QUORUM_ACKED_LSN)
            .copy_header(&header::LSN, header::QUORUM_ACKED_LOCAL_LSN)
            .with_all(REPLICA_HEADERS),
        false => response,
    };
    match engine.container_usage(&address.link) {
        Ok((usage, partitions)) => add_container_quota(response, usage, partitions),
        // The container was deleted meanwhile.
        Err(_) => response,
    }
}

/// Adds the headers that follow from the physical partition and its lsn.
fn add_position_headers(address: &ContainerAddress, response: ApiResponse) -> ApiResponse {
    let response = response.copy_header(&header::LSN, header::GLOBAL_COMMITTED_LSN);
    // Several partitions: there is no one id to name.
    let Some(number) = response.partition() else { return response };
    let derived = address.extension.get_or_init(|| ContainerHeaders::new(address));
    let Some(ids) = derived.map(|headers| headers.partition_ids(address, number)) else {
        return response;
    };
    response
        .with_value(header::INTERNAL_PARTITION_ID, ids.internal)
        .with_value(header::PHYSICAL_PARTITION_ID, ids.physical)
}

fn is_write(request: &ApiRequest) -> bool {
    match request.method {
        // A batch first, as everywhere: a client may set the header of queries on it as well.
        Method::POST => request.flag(&header::IS_BATCH) || !request.is_query(),
        Method::PUT | Method::PATCH | Method::DELETE => true,
        _ => false,
    }
}

/// Whether an error with this status comes from a physical partition, and not from checks before it is reached.
fn comes_from_partition(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::NOT_FOUND
            | StatusCode::CONFLICT
            | StatusCode::PRECONDITION_FAILED
            | StatusCode::TOO_MANY_REQUESTS
    )
}

async fn add_error_headers(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    error: ApiError,
) -> ApiError {
    let token = session_token(engine, request, address).await;
    let response = ApiResponse::empty(error.status())
        .charge(error.charge())
        .session_token(token.as_ref())
        .container_headers(address);
    error.with_headers(add_position_headers(address, response).into_headers())
}

/// The session token of an error: the current position of the physical partition that refused the request. The client
/// has observed that state, for example the absence of an item, and must not observe an older one in the same session.
async fn session_token(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> Option<SessionToken> {
    let key = request.partition_key().ok().flatten()?;
    let definition = engine.partition_key_definition(&address.link).ok()?;
    let range = FeedRange::PartitionKey(key).epk_range(&definition);
    let listed = engine.list_partitions(&address.link).await.ok()?.value.partitions;
    // A full partition key has one epk, the lower bound of its range.
    let partition = listed.iter().find(|partition| partition.range.contains(&range.min))?;
    Some(SessionToken::new(partition.number, partition.lsn))
}
