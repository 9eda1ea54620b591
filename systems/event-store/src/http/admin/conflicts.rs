//! The last appends that were refused because others were faster.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use service::http::{HttpResult, JsonBody, ProblemDocument, QueryParams};
use service::identity::Caller;

use crate::http::router::{EventStoreApi, require_operator};
use crate::storage::AppendConflict;

/// Whose conflicts.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct ConflictsParams {
    /// Only those of this tenant.
    service: Option<String>,
}

/// The last conflicts of this process, the newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct ConflictsBody {
    items: Vec<AppendConflict>,
    /// Items of other tenants that reads found and hid; anything but 0 is a defect or an attack.
    foreign_items: u64,
}

/// The last conflicts of this process.
#[utoipa::path(get, path = "/admin/v1/conflicts", params(ConflictsParams), responses(
    (status = 200, body = ConflictsBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(in crate::http) async fn conflicts(
    State(api): State<EventStoreApi>,
    caller: Caller,
    QueryParams(params): QueryParams<ConflictsParams>,
) -> HttpResult<JsonBody<ConflictsBody>> {
    require_operator(&caller)?;
    let storage = api.system.storage();
    let mut items = storage.activity.conflicts();
    if let Some(service) = params.service.filter(|text| !text.is_empty()) {
        items.retain(|one| one.service_id.as_str() == service);
    }
    Ok(JsonBody(ConflictsBody { items, foreign_items: storage.admin.foreign_items() }))
}
