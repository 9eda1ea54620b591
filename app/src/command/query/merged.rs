//! Pages of a query over all partitions that the server itself merges: aggregates, groups and distinct values, which
//! the client library refuses.
//!
//! Owns the request and its answer. Only a server of ours does so; another account refuses such a query.

use client::QueryPageOptions;
use engine::ContainerLink;
use gateway::AccountKey;
use model::{Json, Object};
use reqwest::Method;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::arguments::Parameter;
use crate::account_location::AccountLocation;
use crate::error::CommandError;
use crate::server_call::ServerCall;

/// A server that is asked to merge.
pub(super) struct MergingServer {
    url: String,
    key: AccountKey,
    path: String,
}

/// One page of rows.
pub(super) struct MergedPage {
    pub(super) rows: Vec<Box<RawValue>>,
    pub(super) charge: f64,
    pub(super) continuation: Option<String>,
}

/// The body of an answer.
#[derive(Deserialize)]
struct MergedRows {
    #[serde(rename = "Documents")]
    documents: Vec<Box<RawValue>>,
}

impl MergingServer {
    /// The server at an endpoint; `None` for a folder.
    pub(super) fn new(location: &AccountLocation, container: &ContainerLink) -> Option<Self> {
        let AccountLocation::Endpoint { url, key } = location else { return None };
        let path = format!("/dbs/{}/colls/{}/docs", container.database, container.container);
        // The rest is encoded by the library; a percent sign would be taken for a code.
        let path = path.replace('%', "%25");
        Some(Self { url: url.clone(), key: AccountKey::parse(key).ok()?, path })
    }

    pub(super) async fn page(
        &self,
        text: &str,
        parameters: &[Parameter],
        page: &QueryPageOptions,
    ) -> Result<MergedPage, CommandError> {
        let mut headers = vec![
            ("content-type", "application/query+json".to_owned()),
            ("x-ms-documentdb-isquery", "True".to_owned()),
            ("x-ms-documentdb-query-enablecrosspartition", "True".to_owned()),
            ("x-planisphere-merge-partitions", "True".to_owned()),
        ];
        headers.extend(page.rows_max.map(|rows| ("x-ms-max-item-count", rows.to_string())));
        headers.extend(page.continuation.clone().map(|token| ("x-ms-continuation", token)));
        let call = ServerCall { endpoint: &self.url, key: &self.key };
        let body = request_body(text, parameters);
        let action = "running the query on";
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let (answered, body) =
            call.send_with(action, Method::POST, &self.path, &headers, body).await?;
        let rows: MergedRows = serde_json::from_slice(&body)
            .map_err(|error| CommandError::new("reading the rows", error.to_string()))?;
        let header = |name: &str| answered.get(name).and_then(|value| value.to_str().ok());
        Ok(MergedPage {
            rows: rows.documents,
            charge: header("x-ms-request-charge").and_then(|text| text.parse().ok()).unwrap_or(0.0),
            continuation: header("x-ms-continuation").map(str::to_owned),
        })
    }
}

fn request_body(text: &str, parameters: &[Parameter]) -> Vec<u8> {
    let parameters = parameters.iter().map(Parameter::parts).map(|(name, value)| {
        let mut parameter = Object::new();
        parameter.insert("name", name);
        parameter.insert("value", value.clone());
        Json::Object(parameter)
    });
    let mut body = Object::new();
    body.insert("query", text);
    body.insert("parameters", parameters.collect::<Vec<Json>>());
    Json::Object(body).to_bytes()
}
