//! A container as it was at a second of the past.
//!
//! Owns `/_planisphere/history/{database}/{container}/{second}`, which needs a signature or a session.

use engine::ContainerLink;
use hyper::Method;
use model::{Json, Object, TimestampSeconds};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// Items of an answer unless the request asks for fewer: this is for looking, not for restoring.
const ITEMS_MAX: usize = 200;

/// GET: the items that existed at the end of the second. The header `x-planisphere-item-id` keeps those with this id.
pub(crate) async fn read_history(
    gateway: &Gateway,
    request: &ApiRequest,
    database: &str,
    container: &str,
    second: &str,
) -> ApiResult<ApiResponse> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    let link = ContainerLink::new(database, container)
        .map_err(|invalid| ApiError::bad_request(invalid.message()))?;
    let second = second.parse().map_err(|_| {
        ApiError::bad_request(format!("'{second}' is not a second since 1970-01-01T00:00:00Z."))
    })?;
    let items_max = request.items_max()?.unwrap_or(ITEMS_MAX).min(ITEMS_MAX);
    let wanted = request.header(&header::ITEM_ID);
    let mut snapshot = gateway.engine().snapshot_at(&link, TimestampSeconds(second)).await?;
    let mut items = Vec::new();
    let mut is_cut = false;
    while let Some(page) = snapshot.next().await? {
        for item in page {
            let json = item.to_json();
            let id = json.get("id").and_then(Json::as_str);
            if wanted.is_none_or(|wanted| id == Some(wanted)) {
                is_cut |= items.len() >= items_max;
                if !is_cut {
                    items.push(json);
                }
            }
        }
        if is_cut {
            break;
        }
    }
    let mut object = Object::new();
    object.insert("items", items);
    object.insert("more", is_cut);
    Ok(ApiResponse::ok(Json::Object(object).to_bytes()))
}
