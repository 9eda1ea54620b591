//! Applying the lines of a backup.

use engine::operation::{CreateContainer, CreateDatabase, UpsertItem, WriteOptions};
use engine::{ContainerLink, Engine, ErrorKind};
use hyper::Method;
use model::{
    ContainerProperties, DatabaseId, DatabaseProperties, Json, MeasuredJson, Object, Throughput,
};

use super::attached;
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};

/// `POST /_planisphere/restore` with lines: creates what is missing and upserts the items, in their order. Lines of
/// items follow the line that names their container.
pub(crate) async fn apply(gateway: &Gateway, request: &ApiRequest) -> ApiResult<ApiResponse> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    let engine = gateway.engine();
    let mut container: Option<ContainerLink> = None;
    let mut items = 0;
    for text in request.body.split(|byte| *byte == b'\n').filter(|text| !text.is_empty()) {
        let line = Json::parse(text).map_err(ApiError::invalid_payload)?;
        if let Some(item) = line.get("item") {
            let container = container.clone().ok_or_else(|| {
                ApiError::bad_request("An item comes before the line that names its container.")
            })?;
            // Parsed again from its own text, which keeps its digits and measures it.
            let item = MeasuredJson::parse(&item.to_bytes()).map_err(ApiError::invalid_payload)?;
            let options = WriteOptions::default();
            engine
                .upsert_item(UpsertItem { container, partition_key: None, item, options })
                .await?;
            items += 1;
        } else if let Some(line) = line.get("items") {
            container = Some(link(line)?);
        } else if let Some(line) = line.get("database") {
            create_database(engine, line).await?;
        } else if let Some(line) = line.get("container") {
            create_container(engine, line).await?;
        } else if let Some(line) = line.get("attached") {
            attached::create(engine, line).await?;
        } else if line.get("planisphereBackup").is_none() {
            return Err(ApiError::bad_request("A line is none of a backup."));
        }
    }
    let mut object = Object::new();
    object.insert("items", items);
    Ok(ApiResponse::ok(Json::Object(object).to_bytes()))
}

fn text<'a>(line: &'a Json, name: &str) -> ApiResult<&'a str> {
    let found = line.get(name).and_then(Json::as_str);
    found.ok_or_else(|| ApiError::bad_request(format!("A line has no '{name}'.")))
}

fn link(line: &Json) -> ApiResult<ContainerLink> {
    Ok(ContainerLink::new(text(line, "database")?, text(line, "container")?)?)
}

fn throughput(line: &Json) -> ApiResult<Option<Throughput>> {
    let given = line.get("throughput").filter(|given| **given != Json::Null);
    Ok(given.map(Throughput::from_json).transpose()?)
}

async fn create_database(engine: &Engine, line: &Json) -> ApiResult<()> {
    let properties = DatabaseProperties { id: DatabaseId::new(text(line, "id")?)? };
    let create = CreateDatabase { properties, throughput: throughput(line)? };
    match engine.create_database(create).await {
        Err(error) if error.kind() != ErrorKind::Conflict => Err(error.into()),
        _ => Ok(()),
    }
}

async fn create_container(engine: &Engine, line: &Json) -> ApiResult<()> {
    let properties = line.get("properties").unwrap_or(&Json::Null);
    let create = CreateContainer {
        database: DatabaseId::new(text(line, "database")?)?,
        properties: ContainerProperties::from_json(properties)?,
        throughput: throughput(line)?,
    };
    match engine.create_container(create).await {
        Err(error) if error.kind() != ErrorKind::Conflict => Err(error.into()),
        _ => Ok(()),
    }
}
