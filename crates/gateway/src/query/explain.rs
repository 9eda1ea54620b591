//! How a query would run, without running it.
//!
//! Owns `POST /_planisphere/explain/{database}/{container}` with the body of a query. Does not own the words: those
//! belong to the engine.

use engine::ContainerLink;
use engine::query::QueryItems;
use hyper::Method;
use model::{FeedRange, Json, Object};

use super::body::QueryRequestBody;
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};

/// POST: the partitions and indexes that a query would use, and the plan in words.
pub(crate) async fn explain_query(
    gateway: &Gateway,
    request: &ApiRequest,
    database: &str,
    container: &str,
) -> ApiResult<ApiResponse> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    let link = ContainerLink::new(database, container)
        .map_err(|invalid| ApiError::bad_request(invalid.message()))?;
    let body = QueryRequestBody::parse(request)?.resumed(gateway.engine(), &link)?;
    let feed_range = match request.partition_key()? {
        Some(key) => FeedRange::PartitionKey(key),
        None => FeedRange::Container,
    };
    let query = QueryItems::new(link.clone(), body.text);
    let query = QueryItems { parameters: body.parameters, feed_range, ..query };
    let explained = gateway.engine().explain_query(query).await?.value;
    let all = gateway.engine().list_partitions(&link).await?.value.partitions.len();
    let numbers = explained.partitions.iter().map(|(number, _)| Json::from(i64::from(*number)));
    let mut object = Object::new();
    object.insert("partitionKeys", explained.partition_filter.to_string());
    object.insert("partitions", numbers.collect::<Vec<_>>());
    object.insert("partitionsOfContainer", i64::try_from(all).unwrap_or(i64::MAX));
    let words = explained.words.into_iter().map(Json::from);
    object.insert("words", words.collect::<Vec<_>>());
    Ok(ApiResponse::ok(Json::Object(object).to_bytes()))
}
