//! The routes of devices. Push tokens are shown by their last four characters.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use service::http::{Json, Outcome, Path, Problem, ProblemDocument, Query};
use service::identity::Principal;

use crate::action::DeviceRegistration;
use crate::domain::{Device, DeviceId, Moment, Platform, PushToken, RevokedReason};

use super::router::{ApiState, require_user};

/// A device as its user sees it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeviceBody {
    id: String,
    device_id: String,
    /// The last four characters.
    push_token: String,
    platform: Platform,
    label: String,
    #[schema(value_type = String)]
    created_at: Moment,
    #[schema(value_type = String)]
    last_seen_at: Moment,
    #[schema(value_type = Option<String>)]
    revoked_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_reason: Option<RevokedReason>,
}

/// What registering did.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RegisteredBody {
    device: DeviceBody,
    /// The device that made room.
    #[serde(skip_serializing_if = "Option::is_none")]
    evicted_device: Option<DeviceBody>,
}

/// The caller's devices.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct DevicesBody {
    devices: Vec<DeviceBody>,
}

/// A device that wants pushes.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes a body")]
pub(super) struct RegistrationBody {
    /// Made by the client, the same for one installation.
    device_id: String,
    /// Of the provider.
    push_token: String,
    platform: Platform,
    label: Option<String>,
}

/// Which devices.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DevicesQuery {
    /// Without the revoked ones.
    active_only: Option<bool>,
}

impl From<Device> for DeviceBody {
    fn from(device: Device) -> Self {
        Self {
            push_token: device.push_token.masked(),
            id: device.id,
            device_id: device.device_id.as_str().to_owned(),
            platform: device.platform,
            label: device.label,
            created_at: device.created_at,
            last_seen_at: device.last_seen_at,
            revoked_at: device.revoked_at,
            revoked_reason: device.revoked_reason,
        }
    }
}

/// The caller's devices, last seen first.
#[utoipa::path(get, path = "/api/notifications/devices", params(DevicesQuery), responses(
    (status = 200, body = DevicesBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    State(api): State<ApiState>,
    caller: Principal,
    Query(asked): Query<DevicesQuery>,
) -> Outcome<Json<DevicesBody>> {
    let user = require_user(&caller)?;
    let devices = match asked.active_only {
        Some(true) => api.system.active_devices(&user).await?.value,
        _ => api.system.devices(&user).await?.value,
    };
    Ok(Json(DevicesBody { devices: devices.into_iter().map(Into::into).collect() }))
}

/// Registers a device of the caller, or refreshes it.
#[utoipa::path(post, path = "/api/notifications/devices", request_body = RegistrationBody,
    responses(
    (status = 200, body = RegisteredBody),
    (status = 201, body = RegisteredBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn register(
    State(api): State<ApiState>,
    caller: Principal,
    Json(body): Json<Value>,
) -> Outcome<(StatusCode, Json<RegisteredBody>)> {
    let user = require_user(&caller)?;
    let registration = registration(&body)?;
    let registered = api.system.register_device(&user, &registration).await?.value;
    let status = if registered.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let body = RegisteredBody {
        device: registered.device.into(),
        evicted_device: registered.evicted.map(Into::into),
    };
    Ok((status, Json(body)))
}

/// Revokes a device of the caller. Again, it changes nothing.
#[utoipa::path(post, path = "/api/notifications/devices/{deviceId}/revoke",
    params(("deviceId" = String, Path)), responses(
    (status = 200, body = DeviceBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn revoke(
    State(api): State<ApiState>,
    caller: Principal,
    Path(device_id): Path<String>,
) -> Outcome<Json<DeviceBody>> {
    let user = require_user(&caller)?;
    let unknown = |_| Problem::not_found("There is no such device.");
    let device_id = DeviceId::parse(device_id).map_err(unknown)?;
    Ok(Json(api.system.revoke_device(&user, &device_id).await?.value.into()))
}

/// Reads a registration, with a problem for each part that is wrong.
fn registration(body: &Value) -> Outcome<DeviceRegistration> {
    let mut wrong: Vec<(String, String)> = Vec::new();
    let Some(properties) = body.as_object() else {
        return Err(Problem::bad_request("invalid_request", "The body is no object."));
    };
    for name in properties.keys() {
        if !["deviceId", "pushToken", "platform", "label"].contains(&name.as_str()) {
            wrong.push((name.clone(), "is no property of a device".to_owned()));
        }
    }
    let text = |name: &str| properties.get(name).and_then(Value::as_str);
    let mut take = |name: &str, outcome: Result<(), String>| {
        if let Err(message) = outcome {
            wrong.push((name.to_owned(), message));
        }
    };
    let missing = || "is missing; it is a text".to_owned();
    let device_id = text("deviceId").ok_or_else(missing).and_then(DeviceId::parse);
    let push_token = text("pushToken").ok_or_else(missing).and_then(PushToken::parse);
    let platform = text("platform").and_then(Platform::from_name);
    let platform = platform.ok_or_else(|| "is none of fcm, apns, webhook and mail".to_owned());
    let label = match properties.get("label") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(label)) if label.chars().count() <= 100 => Ok(Some(label.clone())),
        Some(_) => Err("is no text of at most 100 characters".to_owned()),
    };
    take("deviceId", device_id.clone().map(drop));
    take("pushToken", push_token.clone().map(drop));
    take("platform", platform.clone().map(drop));
    take("label", label.clone().map(drop));
    match (device_id, push_token, platform, label) {
        (Ok(device_id), Ok(push_token), Ok(platform), Ok(label)) if wrong.is_empty() => {
            Ok(DeviceRegistration { device_id, push_token, platform, label })
        }
        _ => {
            let problem = Problem::bad_request("invalid_fields", "The device is not valid.");
            Err(wrong.iter().fold(problem, |problem, (field, message)| {
                problem.field(field, "invalid", message.clone())
            }))
        }
    }
}
