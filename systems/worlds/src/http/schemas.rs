//! The routes of property schemas.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use service::charge::ChargedValue;
use service::http::{HttpResult, JsonBody, PathParams, ProblemDocument};

use super::reply::{DataEnvelope, WorldReply};
use super::request::WorldRequest;
use super::router::WorldsApi;
use crate::domain::PropertySchema;

/// The schemas of the program and of the caller.
#[utoipa::path(get, path = "/api/v1/schemas", responses(
    (status = 200, body = DataEnvelope<Vec<PropertySchema>>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<WorldsApi>,
    request: WorldRequest,
) -> HttpResult<WorldReply<Vec<PropertySchema>>> {
    let schemas = api.system.schemas(&request.user).await?;
    Ok(request.reply(schemas))
}

/// Creates a schema of the caller.
#[utoipa::path(post, path = "/api/v1/schemas", request_body = PropertySchema, responses(
    (status = 201, body = DataEnvelope<PropertySchema>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    JsonBody(schema): JsonBody<PropertySchema>,
) -> HttpResult<WorldReply<PropertySchema>> {
    let schema = api.system.create_schema(&request.user, schema).await?;
    Ok(request.reply(schema).status(StatusCode::CREATED))
}

/// A schema.
#[utoipa::path(get, path = "/api/v1/schemas/{schema}", params(("schema" = String, Path)), responses(
    (status = 200, body = DataEnvelope<PropertySchema>),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn read(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    PathParams(id): PathParams<String>,
) -> HttpResult<WorldReply<PropertySchema>> {
    let schema = api.system.schema(&request.user, &id).await?;
    Ok(request.reply(schema))
}

/// Replaces a schema of the caller.
#[utoipa::path(put, path = "/api/v1/schemas/{schema}", params(("schema" = String, Path)),
    request_body = PropertySchema, responses(
    (status = 200, body = DataEnvelope<PropertySchema>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn replace(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    PathParams(id): PathParams<String>,
    JsonBody(schema): JsonBody<PropertySchema>,
) -> HttpResult<WorldReply<PropertySchema>> {
    let schema = PropertySchema { id, ..schema };
    let schema = api.system.replace_schema(&request.user, schema).await?;
    Ok(request.reply(schema))
}

/// Deletes a schema of the caller.
#[utoipa::path(delete, path = "/api/v1/schemas/{schema}",
    params(("schema" = String, Path)), responses(
    (status = 204),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn delete(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    PathParams(id): PathParams<String>,
) -> HttpResult<StatusCode> {
    api.system.delete_schema(&request.user, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Properties to validate.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PropertiesBody {
    /// Properties of any rules system.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    properties: Option<Map<String, Value>>,
    /// Properties of one rules system.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    system_properties: Option<Map<String, Value>>,
}

/// What is wrong with one property.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct PropertyMistakeBody {
    field: String,
    message: String,
}

/// The result of a validation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ValidationBody {
    is_valid: bool,
    mistakes: Vec<PropertyMistakeBody>,
    /// With the defaults of the schema.
    #[schema(value_type = Option<Object>)]
    properties: Option<Map<String, Value>>,
    /// With the defaults of the schema.
    #[schema(value_type = Option<Object>)]
    system_properties: Option<Map<String, Value>>,
}

/// Validates properties without storing them, and fills in defaults.
#[utoipa::path(post, path = "/api/v1/schemas/{schema}/validate", params(("schema" = String, Path)),
    request_body = PropertiesBody, responses(
    (status = 200, body = DataEnvelope<ValidationBody>),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn validate(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    PathParams(id): PathParams<String>,
    JsonBody(body): JsonBody<PropertiesBody>,
) -> HttpResult<WorldReply<ValidationBody>> {
    let schema = api.system.schema(&request.user, &id).await?;
    let PropertiesBody { mut properties, mut system_properties } = body;
    let mistakes = schema.value.apply(&mut properties, &mut system_properties);
    let mistakes: Vec<_> = mistakes
        .into_iter()
        .map(|one| PropertyMistakeBody { field: one.field, message: one.message })
        .collect();
    let is_valid = mistakes.is_empty();
    let body = ValidationBody { is_valid, mistakes, properties, system_properties };
    Ok(request.reply(ChargedValue::new(body, schema.charge)))
}

/// A schema in the language of JSON Schema.
#[utoipa::path(get, path = "/api/v1/schemas/{schema}/json-schema",
    params(("schema" = String, Path)), responses(
    (status = 200, body = Object),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn json_schema(
    State(api): State<WorldsApi>,
    request: WorldRequest,
    PathParams(id): PathParams<String>,
) -> HttpResult<JsonBody<Value>> {
    let schema = api.system.schema(&request.user, &id).await?;
    Ok(JsonBody(schema.value.to_json_schema()))
}
