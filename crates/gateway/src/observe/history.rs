//! A container as it was at a second of the past, and the versions of one item.
//!
//! Owns `/_planisphere/history/{database}/{container}/{second}` and `/_planisphere/versions/...`, which need a
//! signature or a session.

use engine::ContainerLink;
use hyper::Method;
use model::{ItemId, Json, Object, TimestampSeconds};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// Items of an answer unless the request asks for fewer: this is for looking, not for restoring.
const ITEMS_MAX: usize = 200;
/// Versions of an answer unless the request asks for fewer.
const VERSIONS_MAX: usize = 100;

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

/// GET `/_planisphere/versions/{database}/{container}/{item}` with the partition key header: the versions of an item
/// that are kept, newest first.
pub(crate) async fn list_versions(
    gateway: &Gateway,
    request: &ApiRequest,
    database: &str,
    container: &str,
    item: &str,
) -> ApiResult<ApiResponse> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    let link = ContainerLink::new(database, container)
        .map_err(|invalid| ApiError::bad_request(invalid.message()))?;
    let id = ItemId::new(item).map_err(|invalid| ApiError::bad_request(invalid.message()))?;
    let key = request.required_partition_key()?;
    let versions_max = request.items_max()?.unwrap_or(VERSIONS_MAX).min(VERSIONS_MAX);
    let kept = gateway.engine().item_versions(&link, &key, &id, versions_max).await?;
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let versions = kept.versions.iter().map(|version| {
        let mut object = Object::new();
        object.insert("lsn", integer(version.lsn.0));
        object.insert("began", integer(version.began.0));
        object.insert("ended", version.ended.map_or(Json::Null, |ended| integer(ended.0).into()));
        let end = if version.is_expiry { "expired" } else { "deleted" };
        object.insert("kind", if version.item.is_some() { "version" } else { end });
        object.insert("item", version.item.as_ref().map_or(Json::Null, |item| item.to_json()));
        Json::Object(object)
    });
    let mut object = Object::new();
    object.insert("versions", versions.collect::<Vec<_>>());
    object.insert("more", kept.has_more);
    Ok(ApiResponse::ok(Json::Object(object).to_bytes()))
}
