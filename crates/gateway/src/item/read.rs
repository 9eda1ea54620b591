//! Reads one item, or returns "not modified".
//!
//! Owns the request and the response. The stored text of the item is sent without parsing it.

use engine::operation::{ReadItem, ReadOptions};
use engine::response::ReadResult;
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use model::ItemId;

use super::body::encode_item;
use crate::http::{ApiRequest, ApiResponse, ApiResult, header};

pub(super) async fn read_item(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    id: ItemId,
) -> ApiResult<ApiResponse> {
    let options =
        ReadOptions { precondition: request.if_none_match(), ..request.read_options(engine)? };
    let operation = ReadItem {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
        id,
        options,
    };
    let result = engine.read_item(operation).await?;
    let response = match result.value {
        ReadResult::Found(item) => {
            let (etag, lsn) = (item.etag(), item.lsn().0);
            ApiResponse::ok(encode_item(engine, request, item).await?)
                .item_etag(etag)
                .with_number(header::ITEM_LSN, lsn)
                .copy_header(&header::ITEM_LSN, header::ITEM_LOCAL_LSN)
        }
        ReadResult::NotModified(etag) => {
            ApiResponse::empty(StatusCode::NOT_MODIFIED).item_etag(etag)
        }
    };
    Ok(response
        .charge(result.charge)
        .charge_explanation(result.explanation)
        .session_token(result.session_token.as_ref())
        .container_headers(address))
}
