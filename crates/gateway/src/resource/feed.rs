//! Feeds of resources other than items: pages of a list in memory.
//!
//! Owns paging by id and the response. Does not own items, which the engine pages.

use std::time::Duration;

use engine::Engine;
use engine::query::QueryLimits;
use hyper::StatusCode;
use model::{ContinuationToken, Json, RequestCharge, ResourceId};

use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, Envelope, header};
use crate::query::QueryRequestBody;

const TOKEN_KIND: &str = "resources";
const ROWS_TOKEN_KIND: &str = "resource rows";
const TOKEN_VERSION: u8 = 1;

/// How long a query over resources may take.
const QUERY_TIME_MAX: Duration = Duration::from_secs(5);

/// Runs a query over resources and returns a page of its rows. The next page runs the query again: the lists are short,
/// and rows have no identity by which they could be continued.
pub(super) async fn query_feed(
    engine: &Engine,
    request: &ApiRequest,
    parent: Option<&ResourceId>,
    name: &str,
    resources: Vec<Json>,
) -> ApiResult<ApiResponse> {
    let query = QueryRequestBody::parse(request)?;
    let page = request.page_options()?;
    let owner = token_owner(parent);
    let begun = match &page.continuation {
        Some(token) => decode_rows_token(token, &owner)?,
        None => 0,
    };
    let limits = QueryLimits { time_max: Some(QUERY_TIME_MAX), ..QueryLimits::default() };
    let rows = engine.query_values(&query.text, &query.parameters, resources, &limits).await?;
    let end = begun.saturating_add(page.items_max.unwrap_or(usize::MAX)).min(rows.len());
    let mut envelope = Envelope::new(parent, name, 1024);
    rows.get(begun..end).unwrap_or_default().iter().for_each(|row| envelope.push(row));
    let count = envelope.count();
    let continuation = (end < rows.len()).then(|| {
        let payload = end.to_string();
        ContinuationToken::encode(ROWS_TOKEN_KIND, TOKEN_VERSION, &owner, payload.as_bytes())
    });
    Ok(ApiResponse::ok(envelope.into_text())
        .with(header::ITEM_COUNT, count)
        .with_some(header::CONTINUATION, continuation)
        .charge(RequestCharge::from_request_units(1)))
}

/// Returns a page of resources, which must be sorted by id.
pub(super) fn list_feed(
    request: &ApiRequest,
    parent: Option<&ResourceId>,
    name: &str,
    resources: Vec<Json>,
    charge: RequestCharge,
) -> ApiResult<ApiResponse> {
    let page = request.page_options()?;
    let owner = token_owner(parent);
    let after = match &page.continuation {
        Some(token) => Some(decode_token(token, &owner)?),
        None => None,
    };
    let id =
        |resource: &Json| resource.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut rest = resources
        .into_iter()
        // By id and not by number, so that resources created or deleted between two pages shift nothing.
        .filter(|resource| after.as_ref().is_none_or(|after| id(resource) > *after));
    let items_max = page.items_max.unwrap_or(usize::MAX);
    let values: Vec<Json> = rest.by_ref().take(items_max).collect();
    // Looks for one more: a page that ends exactly at the end has no token.
    let continuation = match (rest.next(), values.last()) {
        (Some(_), Some(last)) => {
            let payload = id(last);
            Some(ContinuationToken::encode(TOKEN_KIND, TOKEN_VERSION, &owner, payload.as_bytes()))
        }
        _ => None,
    };
    let envelope = Envelope::from_values(parent, name, &values);
    let count = envelope.count();
    Ok(ApiResponse::json(StatusCode::OK, envelope.into_text())
        .with(header::ITEM_COUNT, count)
        .with_some(header::CONTINUATION, continuation)
        .charge(charge))
}

/// The resource that a continuation token is tied to. Feeds of the account, which has no resource id, use a constant.
fn token_owner(parent: Option<&ResourceId>) -> ResourceId {
    parent.copied().unwrap_or_else(|| ResourceId::database(0))
}

fn decode_rows_token(token: &str, owner: &ResourceId) -> ApiResult<usize> {
    let (_, payload) = ContinuationToken::decode(token, ROWS_TOKEN_KIND, owner)?;
    let rows = std::str::from_utf8(&payload).ok().and_then(|text| text.parse().ok());
    rows.ok_or_else(|| ApiError::bad_request("Invalid Continuation Token"))
}

fn decode_token(token: &str, owner: &ResourceId) -> ApiResult<String> {
    let (_, payload) = ContinuationToken::decode(token, TOKEN_KIND, owner)?;
    String::from_utf8(payload).map_err(|_| ApiError::bad_request("Invalid Continuation Token"))
}
