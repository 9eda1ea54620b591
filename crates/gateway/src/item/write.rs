//! Creates, upserts, replaces and deletes items.
//!
//! Owns the requests and responses. Does not own patch, which has another body.

use engine::operation::{CreateItem, DeleteItem, ReplaceItem, UpsertItem};
use engine::response::UpsertResult;
use engine::{ContainerAddress, Engine, ItemResource, Response as EngineResponse};
use hyper::StatusCode;
use model::ItemId;

use super::body::{encode_item, parse_item};
use crate::http::{ApiRequest, ApiResponse, ApiResult, header};

pub(super) async fn create(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let operation = CreateItem {
        container: address.link.clone(),
        partition_key: Some(request.required_partition_key()?),
        item: parse_item(engine, &request.body).await?,
        options: request.write_options()?,
    };
    let created = engine.create_item(operation).await?;
    item_response(engine, StatusCode::CREATED, request, address, created).await
}

pub(super) async fn upsert(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let operation = UpsertItem {
        container: address.link.clone(),
        partition_key: Some(request.required_partition_key()?),
        item: parse_item(engine, &request.body).await?,
        options: request.upsert_options()?,
    };
    let result = engine.upsert_item(operation).await?;
    let status = match result.value {
        UpsertResult::Created(_) => StatusCode::CREATED,
        UpsertResult::Replaced(_) => StatusCode::OK,
    };
    let result = result.map(|upserted| match upserted {
        UpsertResult::Created(item) | UpsertResult::Replaced(item) => item,
    });
    item_response(engine, status, request, address, result).await
}

pub(super) async fn replace(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    id: ItemId,
) -> ApiResult<ApiResponse> {
    let operation = ReplaceItem {
        container: address.link.clone(),
        partition_key: Some(request.required_partition_key()?),
        id,
        item: parse_item(engine, &request.body).await?,
        options: request.write_options()?,
    };
    let replaced = engine.replace_item(operation).await?;
    item_response(engine, StatusCode::OK, request, address, replaced).await
}

pub(super) async fn delete(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    id: ItemId,
) -> ApiResult<ApiResponse> {
    let operation = DeleteItem {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
        id,
        options: request.write_options()?,
    };
    let deleted = engine.delete_item(operation).await?;
    Ok(ApiResponse::empty(StatusCode::NO_CONTENT)
        .charge(deleted.charge)
        .charge_explanation(deleted.explanation)
        .session_token(deleted.session_token.as_ref())
        .container_headers(address))
}

/// The response of a write that leaves an item.
pub(super) async fn item_response(
    engine: &Engine,
    status: StatusCode,
    request: &ApiRequest,
    address: &ContainerAddress,
    result: EngineResponse<ItemResource>,
) -> ApiResult<ApiResponse> {
    // Before the item is consumed by the encoding; also a response without a body has them as headers.
    let (etag, lsn) = (result.value.etag(), result.value.lsn());
    let response = match request.wants_minimal() {
        true => ApiResponse::empty(status),
        false => ApiResponse::json(status, encode_item(engine, request, result.value).await?),
    };
    Ok(response
        .item_etag(etag)
        .charge(result.charge)
        .charge_explanation(result.explanation)
        .session_token(result.session_token.as_ref())
        .with_number(header::ITEM_LSN, lsn.0)
        .copy_header(&header::ITEM_LSN, header::ITEM_LOCAL_LSN)
        .container_headers(address))
}
