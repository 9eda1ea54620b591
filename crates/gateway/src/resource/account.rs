//! The account document, which every client reads first.
//!
//! Owns its shape. By default the endpoints in it repeat the address that the client used, so that mapped ports,
//! container names and proxies work without a setting.

use hyper::Method;
use model::{Json, Object};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};

/// The configuration of the query engine that clients read: a JSON text inside the JSON.
const QUERY_ENGINE: &str = concat!(
    r#"{"allowNewKeywords":true,"maxJoinsPerSqlQuery":10,"maxQueryRequestTimeoutFraction":0.9,"#,
    r#""maxSqlQueryInputLength":524288,"maxUdfRefPerSqlQuery":10,"queryMaxInMemorySortDocumentCount":-1000,"#,
    r#""spatialMaxGeometryPointCount":256,"sqlAllowNonFiniteNumbers":false,"sqlDisableOptimizationFlags":0,"#,
    r#""sqlQueryILDisableOptimizationFlags":0,"clientDisableOptimisticDirectExecution":false,"#,
    r#""queryEnableFullText":true,"queryEnableFullTextPreviewFeatures":false,"queryMaxFullTextScoreSearchTerms":30,"#,
    r#""queryMaxRrfArgumentCount":100,"enableSpatialIndexing":true,"maxInExpressionItemsCount":2147483647,"#,
    r#""maxLogicalAndPerSqlQuery":2147483647,"maxLogicalOrPerSqlQuery":2147483647,"maxSpatialQueryCells":2147483647,"#,
    r#""sqlAllowAggregateFunctions":true,"sqlAllowGroupByClause":true,"sqlAllowLike":true,"sqlAllowSubQuery":true,"#,
    r#""sqlAllowScalarSubQuery":true,"sqlAllowTop":true}"#
);

pub(crate) fn handle(gateway: &Gateway, request: &ApiRequest) -> ApiResult<ApiResponse> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    let response = ApiResponse::ok(document(gateway, request).to_bytes());
    let response = ["x-ms-max-media-storage-usage-mb", "x-ms-media-storage-usage-mb"]
        .into_iter()
        .chain([
            "x-ms-databaseaccount-consumed-mb",
            "x-ms-databaseaccount-reserved-mb",
            "x-ms-databaseaccount-provisioned-mb",
        ])
        .fold(response, |response, name| {
            response.with_static(hyper::header::HeaderName::from_static(name), "0")
        });
    Ok(response.with_static(header::REQUEST_CHARGE, "0"))
}

/// An origin whose host is `localhost`, with the address in its place.
fn with_address(origin: &str) -> String {
    match origin.split_once("://localhost") {
        Some((scheme, port)) if port.is_empty() || port.starts_with(':') => {
            format!("{scheme}://127.0.0.1{port}")
        }
        _ => origin.to_owned(),
    }
}

fn document(gateway: &Gateway, request: &ApiRequest) -> Json {
    let settings = gateway.settings();
    let id = gateway.engine().settings().account_id.as_str();
    // Clients connect to the addresses in this document from then on, so they must be reachable from where the client
    // is.
    let endpoint = settings.public_endpoint.clone().unwrap_or_else(|| {
        let origin = request.origin();
        if settings.localhost_as_address { with_address(&origin) } else { origin }
    });
    let endpoint = format!("{}/", endpoint.trim_end_matches('/'));
    let host = endpoint.split("//").nth(1).unwrap_or_default().trim_end_matches('/').to_owned();
    let location = || {
        let mut location = Object::new();
        location.insert("name", settings.region.as_str());
        location.insert("databaseAccountEndpoint", endpoint.as_str());
        vec![Json::Object(location)]
    };
    let mut account = Object::new();
    account.insert("_self", "");
    account.insert("id", id);
    account.insert("_rid", host);
    account.insert("media", "//media/");
    account.insert("addresses", "//addresses/");
    account.insert("_dbs", "//dbs/");
    account.insert("writableLocations", location());
    account.insert("readableLocations", location());
    for name in [
        "enableMultipleWriteLocations",
        "continuousBackupEnabled",
        "enableNRegionSynchronousCommit",
        "enablePerPartitionFailoverBehavior",
        "disableCrossRegionalHedging",
    ] {
        account.insert(name, false);
    }
    let mut replication = Object::new();
    replication.insert("asyncReplication", false);
    replication.insert("minReplicaSetSize", 3);
    replication.insert("maxReplicasetSize", 4);
    account.insert("userReplicationPolicy", replication.clone());
    let mut consistency = Object::new();
    let level = gateway.engine().settings().consistency;
    consistency.insert("defaultConsistencyLevel", level.as_str());
    account.insert("userConsistencyPolicy", consistency);
    replication.remove("asyncReplication");
    account.insert("systemReplicationPolicy", replication);
    let mut policy = Object::new();
    policy.insert("primaryReadCoefficient", 1);
    policy.insert("secondaryReadCoefficient", 1);
    account.insert("readPolicy", policy);
    account.insert("queryEngineConfiguration", QUERY_ENGINE);
    Json::Object(account)
}
