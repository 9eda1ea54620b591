//! The meaning of FCM responses.
//!
//! Owns the table from status and error code to a result. Does not own the second try after a refused access token.

use std::time::Duration;

use serde::Deserialize;

use crate::delivery::push::DeliveryResult;

/// The shortest wait after an exceeded quota, which is counted per minute.
const QUOTA_WAIT_MIN: Duration = Duration::from_secs(60);

/// A response, interpreted.
pub(super) enum FcmResponse {
    /// The result of the push.
    Result(DeliveryResult),
    /// The access token was refused; a new one may be accepted.
    AccessTokenRefused,
}

#[derive(Deserialize)]
struct FcmSendResponse {
    name: String,
}

#[derive(Default, Deserialize)]
struct FcmErrorResponse {
    #[serde(default)]
    error: FcmError,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FcmError {
    message: String,
    details: Vec<FcmErrorDetail>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct FcmErrorDetail {
    error_code: String,
    field_violations: Vec<FieldViolation>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FieldViolation {
    field: String,
}

/// Interprets a response by its status, its body and its `Retry-After`.
pub(super) fn interpret(status: u16, body: &[u8], retry_after: Option<Duration>) -> FcmResponse {
    if (200..300).contains(&status) {
        return FcmResponse::Result(interpret_accepted(body));
    }
    let error = serde_json::from_slice::<FcmErrorResponse>(body).unwrap_or_default().error;
    let code = error.code();
    let reason = |code: &str| format!("fcm: {code} (status {status})");
    FcmResponse::Result(match code {
        "UNREGISTERED" => DeliveryResult::InvalidToken,
        "INVALID_ARGUMENT" if error.is_about_the_token() => DeliveryResult::InvalidToken,
        "INVALID_ARGUMENT" => DeliveryResult::Permanent { reason: reason(code) },
        "SENDER_ID_MISMATCH" => {
            // The token belongs to another project: useless here, and a sign that an app was built with other settings.
            tracing::error!(
                alarm = true,
                "fcm: SENDER_ID_MISMATCH: a device registered with another sender; \
                 compare Fcm:ProjectId with the app's project"
            );
            DeliveryResult::InvalidToken
        }
        "QUOTA_EXCEEDED" => {
            let after = retry_after.unwrap_or(QUOTA_WAIT_MIN).max(QUOTA_WAIT_MIN);
            DeliveryResult::Retry { after: Some(after), reason: reason(code) }
        }
        "INTERNAL" | "UNAVAILABLE" => {
            DeliveryResult::Retry { after: retry_after, reason: reason(code) }
        }
        "THIRD_PARTY_AUTH_ERROR" => DeliveryResult::Alarm {
            reason: format!(
                "{}; renew the APNs or web push credentials in the project",
                reason(code)
            ),
        },
        _ => return interpret_status(status, retry_after),
    })
}

/// A response without an error code of FCM comes from a server in front of it.
fn interpret_status(status: u16, retry_after: Option<Duration>) -> FcmResponse {
    let reason = format!("fcm: status {status}");
    FcmResponse::Result(match status {
        401 => return FcmResponse::AccessTokenRefused,
        429 => {
            let after = retry_after.unwrap_or(QUOTA_WAIT_MIN).max(QUOTA_WAIT_MIN);
            DeliveryResult::Retry { after: Some(after), reason }
        }
        408 | 500.. => DeliveryResult::Retry { after: retry_after, reason },
        403 | 404 => DeliveryResult::Alarm {
            reason: format!(
                "{reason}; check Fcm:ProjectId, that the messaging API is enabled and that the account may send"
            ),
        },
        _ => DeliveryResult::Permanent { reason },
    })
}

fn interpret_accepted(body: &[u8]) -> DeliveryResult {
    match serde_json::from_slice::<FcmSendResponse>(body) {
        Ok(accepted) => DeliveryResult::Delivered { provider_id: accepted.name },
        // The status says that it was accepted. Sending it again only because its name is missing would be worse.
        Err(_) => DeliveryResult::Delivered { provider_id: String::new() },
    }
}

impl FcmError {
    fn code(&self) -> &str {
        let codes = self.details.iter().map(|detail| detail.error_code.as_str());
        codes.into_iter().find(|code| !code.is_empty()).unwrap_or_default()
    }

    fn is_about_the_token(&self) -> bool {
        let mut fields = self.details.iter().flat_map(|detail| &detail.field_violations).peekable();
        // A violation of another field says nothing about the token, even if the message mentions it.
        if fields.peek().is_some() {
            return fields.any(|violation| violation.field == "message.token");
        }
        // Without the name of the field there is only the message.
        self.message.to_ascii_lowercase().contains("registration token")
    }
}
