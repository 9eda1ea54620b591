//! Reading a backup: it begins with the catalog, and pages of items follow.

use std::sync::Arc;

use engine::operation::ThroughputOwner;
use engine::{ContainerLink, Engine};
use hyper::{Method, StatusCode};
use model::{Json, Object, TimestampSeconds};
use tokio::sync::Mutex;

use super::attached;
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};

const LINES: &str = "application/x-ndjson";
/// Bytes of a page beyond which it ends.
const PAGE_BYTES: usize = 1024 * 1024;

/// `POST /_planisphere/backups` with `{"at": second}` or `{}`: takes a snapshot of every container and answers with its
/// number and the lines about the catalog.
pub(crate) async fn begin(gateway: &Gateway, request: &ApiRequest) -> ApiResult<ApiResponse> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    let body = request.json()?;
    let engine = gateway.engine();
    let now = engine.environment().now();
    let at = match body.get("at").and_then(Json::as_i64) {
        Some(second) => TimestampSeconds(u64::try_from(second).unwrap_or_default()),
        None => now.seconds(),
    };
    let mut lines = vec![head(engine, at)];
    let mut remaining = Vec::new();
    for database in engine.list_databases().await?.value {
        let owner = ThroughputOwner::Database(database.properties.id.clone());
        let mut line = Object::new();
        line.insert("id", database.properties.id.as_str());
        line.insert("throughput", throughput(engine, &owner).await?);
        lines.push(named("database", line));
        for container in engine.list_containers(&database.properties.id).await?.value {
            let id = container.properties.id.clone();
            let link = ContainerLink { database: database.properties.id.clone(), container: id };
            let mut line = Object::new();
            line.insert("database", link.database.as_str());
            line.insert("properties", container.properties.to_json());
            let owner = ThroughputOwner::Container(link.clone());
            line.insert("throughput", throughput(engine, &owner).await?);
            lines.push(named("container", line));
            attached::add_of_container(engine, &link, container.rid, &mut lines).await?;
            let snapshot = engine.snapshot_at(&link, at).await?;
            remaining.push((link, snapshot));
        }
        attached::add_of_database(engine, &database, &mut lines).await?;
    }
    // Taken from the end.
    remaining.reverse();
    let opened = gateway.backups().open(Arc::new(Mutex::new(remaining)), now.0);
    let number = opened.ok_or_else(|| {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, "Too many backups are open; wait for one.")
    })?;
    let mut object = Object::new();
    object.insert("backup", i64::try_from(number).unwrap_or(i64::MAX));
    object.insert("at", i64::try_from(at.0).unwrap_or(i64::MAX));
    object.insert("lines", lines.into_iter().map(Json::Object).collect::<Vec<_>>());
    Ok(ApiResponse::json(StatusCode::CREATED, Json::Object(object).to_bytes()))
}

/// `GET /_planisphere/backups/{number}`: the next lines; 204 at the end, which closes the backup.
pub(crate) async fn read_next(gateway: &Gateway, number: &str) -> ApiResult<ApiResponse> {
    let now_ms = gateway.engine().environment().now().0;
    let number = parse_number(number)?;
    let backup = gateway.backups().find(number, now_ms).ok_or_else(gone)?;
    let mut remaining = backup.lock().await;
    let mut text = Vec::new();
    while text.len() < PAGE_BYTES {
        let Some((link, snapshot)) = remaining.last_mut() else { break };
        match snapshot.next().await? {
            None => {
                remaining.pop();
            }
            Some(items) if items.is_empty() => {}
            Some(items) => {
                let mut line = Object::new();
                line.insert("database", link.database.as_str());
                line.insert("container", link.container.as_str());
                text.extend(Json::Object(named("items", line)).to_bytes());
                text.push(b'\n');
                for item in items {
                    // The stored text as it is: no number changes its digits on the way.
                    text.extend(b"{\"item\":");
                    text.extend(item.text());
                    text.extend(b"}\n");
                }
            }
        }
    }
    if text.is_empty() {
        gateway.backups().close(number);
        return Ok(ApiResponse::empty(StatusCode::NO_CONTENT));
    }
    Ok(ApiResponse::text(StatusCode::OK, LINES, text))
}

/// `DELETE /_planisphere/backups/{number}`: gives up a backup.
pub(crate) fn end(gateway: &Gateway, number: &str) -> ApiResult<ApiResponse> {
    gateway.backups().close(parse_number(number)?);
    Ok(ApiResponse::empty(StatusCode::NO_CONTENT))
}

fn parse_number(text: &str) -> ApiResult<u64> {
    text.parse().map_err(|_| gone())
}

fn gone() -> ApiError {
    ApiError::not_found(
        "There is no such backup. It was read to its end, or nobody read it for ten minutes.",
    )
}

fn head(engine: &Engine, at: TimestampSeconds) -> Object {
    let mut line = Object::new();
    line.insert("planisphereBackup", 1);
    line.insert("account", engine.settings().account_id.as_str());
    line.insert("at", i64::try_from(at.0).unwrap_or(i64::MAX));
    line
}

pub(super) fn named(name: &str, line: Object) -> Object {
    let mut outer = Object::new();
    outer.insert(name, line);
    outer
}

async fn throughput(engine: &Engine, owner: &ThroughputOwner) -> ApiResult<Json> {
    let found = engine.read_throughput(owner).await?.value;
    Ok(found.map_or(Json::Null, |found| found.throughput.to_json()))
}
