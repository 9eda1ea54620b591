//! Restoring a container to a second of the past.

use engine::operation::CreateContainer;
use engine::{ContainerLink, ErrorKind};
use hyper::Method;
use model::{Json, Object, TimestampSeconds};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};

/// `POST /_planisphere/restore-point` with `{"database", "container", "at", "to"}`: gives the container the items of
/// that second, or another container of the database, which is created with the same properties if it is missing.
pub(crate) async fn restore_point(
    gateway: &Gateway,
    request: &ApiRequest,
) -> ApiResult<ApiResponse> {
    if request.method != Method::POST {
        return Err(ApiError::method_not_allowed());
    }
    let body = request.json()?;
    let text = |name: &str| body.get(name).and_then(Json::as_str);
    let required = |name: &str| {
        text(name).ok_or_else(|| ApiError::bad_request(format!("The body needs '{name}'.")))
    };
    let source = ContainerLink::new(required("database")?, required("container")?)?;
    let at = body.get("at").and_then(Json::as_i64).and_then(|at| u64::try_from(at).ok());
    let at = at.ok_or_else(|| ApiError::bad_request("The body needs 'at', a second."))?;
    let engine = gateway.engine();
    let target = match text("to") {
        None => source.clone(),
        Some(to) => {
            let target = ContainerLink::new(source.database.as_str(), to)?;
            let mut properties = engine.read_container(&source).await?.value.properties;
            properties.id = target.container.clone();
            let database = source.database.clone();
            let create = CreateContainer { database, properties, throughput: None };
            match engine.create_container(create).await {
                Err(error) if error.kind() != ErrorKind::Conflict => return Err(error.into()),
                _ => target,
            }
        }
    };
    let restored = engine.restore_at(&source, TimestampSeconds(at), &target).await?;
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut object = Object::new();
    object.insert("restored", integer(restored.value.restored));
    object.insert("deleted", integer(restored.value.deleted));
    object.insert("unchanged", integer(restored.value.unchanged));
    Ok(ApiResponse::ok(Json::Object(object).to_bytes()).charge(restored.charge))
}
