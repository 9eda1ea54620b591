//! Lists items page by page.
//!
//! Owns the request and the response. Does not own the change feed, which has the same path.

use engine::operation::ListItems;
use engine::{ContainerAddress, Engine};

use crate::feed_range::parse_feed_range;
use crate::http::{ApiRequest, ApiResponse, ApiResult, Envelope, header};

pub(super) async fn list_items(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let operation = ListItems {
        container: address.link.clone(),
        feed_range: parse_feed_range(engine, request, address).await?,
        page: request.page_options()?,
        options: request.read_options(engine)?,
    };
    let page = engine.list_items(operation).await?;
    let bytes = page.value.items.iter().map(|item| item.text().len() + 1).sum();
    let mut envelope = Envelope::new(Some(&address.rid), "Documents", bytes);
    page.value.items.iter().for_each(|item| envelope.push(item.text()));
    let count = envelope.count();
    Ok(ApiResponse::ok(envelope.into_text())
        .with(header::ITEM_COUNT, count)
        .with_some(header::CONTINUATION, page.value.continuation)
        .charge(page.charge)
        .charge_explanation(page.explanation)
        .session_token(page.session_token.as_ref())
        .container_headers(address))
}
