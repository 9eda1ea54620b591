//! The routes of devices. Responses show only the last four characters of a push token.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use service::http::{HttpResult, JsonBody, PathParams, Problem, ProblemDocument, QueryParams};
use service::identity::Caller;

use crate::action::DeviceRegistration;
use crate::body_field::{BodyField, collect};
use crate::domain::{Device, DeviceId, Platform, PushToken, RevokedReason, UtcTimestamp};
use crate::error::InvalidField;

use super::problem::with_fields;
use super::router::{ApiState, require_user};

/// A device as its user sees it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeviceBody {
    id: String,
    device_id: String,
    /// Its last four characters.
    push_token: String,
    platform: Platform,
    label: String,
    #[schema(value_type = String)]
    created_at: UtcTimestamp,
    #[schema(value_type = String)]
    last_seen_at: UtcTimestamp,
    #[schema(value_type = Option<String>)]
    revoked_at: Option<UtcTimestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_reason: Option<RevokedReason>,
    /// Whether its address is known to be the user's. Nothing is pushed before; see `verify`.
    verified: bool,
}

/// The registered device.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RegisteredBody {
    device: DeviceBody,
    /// The device that was revoked because the user had as many as allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    evicted_device: Option<DeviceBody>,
}

/// The caller's devices.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct DevicesBody {
    devices: Vec<DeviceBody>,
}

/// A device to register.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RegistrationBody {
    /// Made by the client, the same for one installation.
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    device_id: BodyField<String>,
    /// Where the provider delivers pushes for this device.
    #[serde(default)]
    #[schema(value_type = String, required = true)]
    push_token: BodyField<String>,
    #[serde(default)]
    #[schema(value_type = Platform, required = true)]
    platform: BodyField<Platform>,
    /// At most 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    label: BodyField<String>,
    /// Properties that a device does not have.
    #[serde(flatten)]
    #[schema(ignore)]
    unknown: Map<String, Value>,
}

/// Which devices to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DevicesQuery {
    /// Without the revoked ones.
    active_only: Option<bool>,
}

impl From<Device> for DeviceBody {
    fn from(device: Device) -> Self {
        Self {
            verified: device.is_verified(),
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
    caller: Caller,
    QueryParams(query): QueryParams<DevicesQuery>,
) -> HttpResult<JsonBody<DevicesBody>> {
    let user = require_user(&caller)?;
    let devices = match query.active_only {
        Some(true) => api.system.active_devices(&user).await?.value,
        _ => api.system.devices(&user).await?.value,
    };
    Ok(JsonBody(DevicesBody { devices: devices.into_iter().map(Into::into).collect() }))
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
    caller: Caller,
    JsonBody(body): JsonBody<Value>,
) -> HttpResult<(StatusCode, JsonBody<RegisteredBody>)> {
    let user = require_user(&caller)?;
    let registration = parse_registration(body)?;
    let registered = api.system.register_device(&user, &registration).await?.value;
    let status = if registered.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let body = RegisteredBody {
        device: registered.device.into(),
        evicted_device: registered.evicted.map(Into::into),
    };
    Ok((status, JsonBody(body)))
}

/// The code that was sent to the address of a device.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct VerificationBody {
    /// The digits in the mail.
    code: String,
}

/// Verifies the mail address of a device by the code that was sent to it. Repeating it changes nothing.
#[utoipa::path(post, path = "/api/notifications/devices/{deviceId}/verify",
    params(("deviceId" = String, Path)), request_body = VerificationBody, responses(
    (status = 200, body = DeviceBody),
    (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 409, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn verify(
    State(api): State<ApiState>,
    caller: Caller,
    PathParams(device_id): PathParams<String>,
    JsonBody(body): JsonBody<VerificationBody>,
) -> HttpResult<JsonBody<DeviceBody>> {
    let user = require_user(&caller)?;
    let unknown = |_| Problem::not_found("There is no such device.");
    let device_id = DeviceId::parse(device_id).map_err(unknown)?;
    Ok(JsonBody(api.system.verify_device(&user, &device_id, &body.code).await?.value.into()))
}

/// Revokes a device of the caller. Repeating it changes nothing.
#[utoipa::path(post, path = "/api/notifications/devices/{deviceId}/revoke",
    params(("deviceId" = String, Path)), responses(
    (status = 200, body = DeviceBody),
    (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
    (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
))]
pub(super) async fn revoke(
    State(api): State<ApiState>,
    caller: Caller,
    PathParams(device_id): PathParams<String>,
) -> HttpResult<JsonBody<DeviceBody>> {
    let user = require_user(&caller)?;
    // An id that cannot be one is treated like one that does not exist.
    let unknown = |_| Problem::not_found("There is no such device.");
    let device_id = DeviceId::parse(device_id).map_err(unknown)?;
    Ok(JsonBody(api.system.revoke_device(&user, &device_id).await?.value.into()))
}

/// The registration in a request, or a problem that names every wrong field.
fn parse_registration(body: Value) -> HttpResult<DeviceRegistration> {
    let body = RegistrationBody::deserialize(body)
        .map_err(|_| Problem::bad_request("invalid_request", "The body is not an object."))?;
    let mut errors: Vec<InvalidField> = body
        .unknown
        .keys()
        .map(|name| InvalidField::new(name, "is not a property of a device"))
        .collect();
    let missing = || "is missing or not a text".to_owned();
    let device_id = body.device_id.valid().ok_or_else(missing).and_then(DeviceId::parse);
    let device_id = collect(&mut errors, "deviceId", device_id);
    let push_token = body.push_token.valid().ok_or_else(missing).and_then(PushToken::parse);
    let push_token = collect(&mut errors, "pushToken", push_token);
    let platform = body.platform.valid();
    let platform = platform.ok_or_else(|| "is not one of fcm, apns, webhook and mail".to_owned());
    let platform = collect(&mut errors, "platform", platform);
    let label = collect(&mut errors, "label", parse_label(body.label));
    match (device_id, push_token, platform, label) {
        (Some(device_id), Some(push_token), Some(platform), Some(label)) if errors.is_empty() => {
            Ok(DeviceRegistration { device_id, push_token, platform, label })
        }
        _ => {
            let problem = Problem::bad_request("invalid_fields", "The device is not valid.");
            Err(with_fields(problem, &errors))
        }
    }
}

fn parse_label(label: BodyField<String>) -> Result<Option<String>, String> {
    const WRONG: &str = "is not a text of at most 100 characters";
    match label.optional(WRONG)? {
        Some(label) if label.chars().count() > 100 => Err(WRONG.to_owned()),
        label => Ok(label),
    }
}
