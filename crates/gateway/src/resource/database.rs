//! Databases.
//!
//! Owns their document and methods. Does not own containers.

use engine::operation::CreateDatabase;
use engine::response::DatabaseResource;
use engine::{Engine, Response as EngineResponse};
use hyper::{Method, StatusCode};
use model::{DatabaseProperties, Json, Throughput};

use super::{feed, quota};
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// `/dbs`
pub(crate) async fn handle_feed(engine: &Engine, request: &ApiRequest) -> ApiResult<ApiResponse> {
    match request.method {
        Method::GET => {
            let databases = engine.list_databases().await?;
            let values = databases.value.iter().map(document).collect();
            let response = feed::list_feed(request, None, "Databases", values, databases.charge)?;
            Ok(quota::add_database_quota(response, databases.value.len()))
        }
        Method::POST if request.is_query() => {
            let databases = engine.list_databases().await?.value;
            let values: Vec<Json> = databases.iter().map(document).collect();
            feed::query_feed(engine, request, None, "Databases", values).await
        }
        Method::POST => {
            let properties = DatabaseProperties::from_json(&request.json()?)?;
            let throughput = parse_throughput(request)?;
            let created = engine.create_database(CreateDatabase { properties, throughput }).await?;
            let count = engine.list_databases().await?.value.len();
            Ok(quota::add_database_quota(single(StatusCode::CREATED, &created), count))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// `/dbs/{id}`
pub(crate) async fn handle(
    engine: &Engine,
    request: &ApiRequest,
    segment: &str,
) -> ApiResult<ApiResponse> {
    let address = engine.resolve_database(segment)?;
    match request.method {
        Method::GET => {
            let read = engine.read_database(&address.id).await?;
            Ok(single(StatusCode::OK, &read).unless_unmodified(request))
        }
        Method::DELETE => {
            let deleted = engine.delete_database_if(&address.id, request.if_match()).await?;
            Ok(ApiResponse::empty(StatusCode::NO_CONTENT).charge(deleted.charge))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// Parses the throughput that a request sets at creation.
pub(super) fn parse_throughput(request: &ApiRequest) -> ApiResult<Option<Throughput>> {
    // Takes precedence if a client sends both.
    if let Some(text) = request.header(&header::OFFER_AUTOSCALE) {
        let settings = Json::parse(text.as_bytes()).map_err(ApiError::invalid_payload)?;
        return Ok(Some(Throughput::from_autoscale_settings(&settings)?));
    }
    let Some(text) = request.header(&header::OFFER_THROUGHPUT) else { return Ok(None) };
    let per_second = text.parse().map_err(|_| {
        ApiError::bad_request(format!("The throughput '{text}' is not a whole number."))
    })?;
    Ok(Some(Throughput::manual(per_second)?))
}

fn single(status: StatusCode, outcome: &EngineResponse<DatabaseResource>) -> ApiResponse {
    ApiResponse::json(status, document(&outcome.value).to_bytes())
        .etag(outcome.value.etag)
        .charge(outcome.charge)
}

fn document(database: &DatabaseResource) -> Json {
    let mut json = database.properties.to_json();
    if let Json::Object(object) = &mut json {
        object.insert("_rid", database.rid.to_string());
        object.insert("_self", format!("dbs/{}/", database.rid));
        object.insert("_etag", database.etag.to_string());
        object.insert("_colls", "colls/");
        object.insert("_users", "users/");
        object.insert("_ts", i64::try_from(database.timestamp.0).unwrap_or_default());
    }
    json
}
