//! The routes of the sample domain.

use std::collections::BTreeMap;

use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;
use service::http::{HttpResult, JsonBody, ProblemDocument, QueryParams};
use service::identity::Caller;

use super::router::EventStoreApi;
use crate::domain::AppendReceipt;
use crate::sample::{self, NewClassRoom, NewEnrollment, NewStudent};

/// When a list is read.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(super) struct SchoolParams {
    /// The list has this event or a later one.
    wait_for_sortable_unique_id: Option<String>,
}

/// Creates a student.
#[utoipa::path(post, path = "/api/students", request_body = NewStudent, responses(
    (status = 200, body = AppendReceipt),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create_student(
    State(api): State<EventStoreApi>,
    caller: Caller,
    JsonBody(new): JsonBody<NewStudent>,
) -> HttpResult<JsonBody<AppendReceipt>> {
    let (scope, _) = api.scope(&caller)?;
    Ok(JsonBody(sample::create_student(&scope.events, new).await?))
}

/// All students.
#[utoipa::path(get, path = "/api/students", params(SchoolParams), responses(
    (status = 200, body = Value),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 408, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn students(
    State(api): State<EventStoreApi>,
    caller: Caller,
    QueryParams(params): QueryParams<SchoolParams>,
) -> HttpResult<JsonBody<Value>> {
    list(&api, &caller, "students", &params).await
}

/// Creates a classroom.
#[utoipa::path(post, path = "/api/classrooms", request_body = NewClassRoom, responses(
    (status = 200, body = AppendReceipt),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn create_class_room(
    State(api): State<EventStoreApi>,
    caller: Caller,
    JsonBody(new): JsonBody<NewClassRoom>,
) -> HttpResult<JsonBody<AppendReceipt>> {
    let (scope, _) = api.scope(&caller)?;
    Ok(JsonBody(sample::create_class_room(&scope.events, new).await?))
}

/// All classrooms.
#[utoipa::path(get, path = "/api/classrooms", params(SchoolParams), responses(
    (status = 200, body = Value),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 408, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn class_rooms(
    State(api): State<EventStoreApi>,
    caller: Caller,
    QueryParams(params): QueryParams<SchoolParams>,
) -> HttpResult<JsonBody<Value>> {
    list(&api, &caller, "classrooms", &params).await
}

/// Puts a student into a classroom.
#[utoipa::path(post, path = "/api/enrollments", request_body = NewEnrollment, responses(
    (status = 200, body = AppendReceipt),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn enroll(
    State(api): State<EventStoreApi>,
    caller: Caller,
    JsonBody(new): JsonBody<NewEnrollment>,
) -> HttpResult<JsonBody<AppendReceipt>> {
    let (scope, _) = api.scope(&caller)?;
    Ok(JsonBody(sample::enroll_student(&scope.events, new).await?))
}

/// Takes a student out of a classroom.
#[utoipa::path(delete, path = "/api/enrollments", request_body = NewEnrollment, responses(
    (status = 200, body = AppendReceipt),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn unenroll(
    State(api): State<EventStoreApi>,
    caller: Caller,
    JsonBody(old): JsonBody<NewEnrollment>,
) -> HttpResult<JsonBody<AppendReceipt>> {
    let (scope, _) = api.scope(&caller)?;
    Ok(JsonBody(sample::drop_student(&scope.events, old).await?))
}

async fn list(
    api: &EventStoreApi,
    caller: &Caller,
    query: &str,
    params: &SchoolParams,
) -> HttpResult<JsonBody<Value>> {
    let (_, service) = api.scope(caller)?;
    let wait = params.wait_for_sortable_unique_id.as_deref();
    api.ask(&service, ("School", query), &BTreeMap::new(), (wait, None)).await
}
