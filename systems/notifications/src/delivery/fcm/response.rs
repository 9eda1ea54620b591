//! What an answer of FCM means.
//!
//! Owns the table from status and error code to a result. Does not own the second attempt after a refused access token.

use std::time::Duration;

use serde::Deserialize;

use crate::delivery::push::PushResult;

/// With less than this between attempts, a quota only shrinks further.
const QUOTA_WAIT_MIN: Duration = Duration::from_secs(60);

/// An answer, as far as it decides something.
pub(super) enum FcmResponse {
    /// This became of the push.
    Result(PushResult),
    /// The access token is not taken any more; a new one may be.
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

/// Judges an answer by its status, its body and the wait it asks for.
pub(super) fn interpret(status: u16, body: &[u8], asked: Option<Duration>) -> FcmResponse {
    if (200..300).contains(&status) {
        return FcmResponse::Result(accepted(body));
    }
    let refusal = serde_json::from_slice::<FcmErrorResponse>(body).unwrap_or_default().error;
    let code = refusal.code();
    let said = |code: &str| format!("fcm: {code} (status {status})");
    FcmResponse::Result(match code {
        "UNREGISTERED" => PushResult::InvalidToken,
        "INVALID_ARGUMENT" if refusal.is_about_the_token() => PushResult::InvalidToken,
        "INVALID_ARGUMENT" => PushResult::Permanent { reason: said(code) },
        "SENDER_ID_MISMATCH" => {
            // The token is of another sender: of no use here, and a sign that an app is built with other settings.
            tracing::error!(
                alarm = true,
                "fcm: SENDER_ID_MISMATCH: a device registered with another sender; \
                 compare FcmProvider:ProjectId with the app's project"
            );
            PushResult::InvalidToken
        }
        "QUOTA_EXCEEDED" => {
            let after = asked.unwrap_or(QUOTA_WAIT_MIN).max(QUOTA_WAIT_MIN);
            PushResult::Retry { after: Some(after), reason: said(code) }
        }
        "INTERNAL" | "UNAVAILABLE" => PushResult::Retry { after: asked, reason: said(code) },
        "THIRD_PARTY_AUTH_ERROR" => PushResult::Alarm {
            reason: format!(
                "{}; renew the APNs or web push credentials in the project",
                said(code)
            ),
        },
        _ => return interpret_status(status, asked),
    })
}

/// An answer without an error code of FCM comes from what stands before it.
fn interpret_status(status: u16, asked: Option<Duration>) -> FcmResponse {
    let said = format!("fcm: status {status}");
    FcmResponse::Result(match status {
        401 => return FcmResponse::AccessTokenRefused,
        429 => {
            let after = asked.unwrap_or(QUOTA_WAIT_MIN).max(QUOTA_WAIT_MIN);
            PushResult::Retry { after: Some(after), reason: said }
        }
        408 | 500.. => PushResult::Retry { after: asked, reason: said },
        403 | 404 => PushResult::Alarm {
            reason: format!(
                "{said}; check FcmProvider:ProjectId, that the messaging API is enabled and that the account may send"
            ),
        },
        _ => PushResult::Permanent { reason: said },
    })
}

fn accepted(body: &[u8]) -> PushResult {
    match serde_json::from_slice::<FcmSendResponse>(body) {
        Ok(accepted) => PushResult::Delivered { provider_id: accepted.name },
        // It was taken; sending it again for want of a name would be worse.
        Err(_) => PushResult::Delivered { provider_id: String::new() },
    }
}

impl FcmError {
    fn code(&self) -> &str {
        let codes = self.details.iter().map(|detail| detail.error_code.as_str());
        codes.into_iter().find(|code| !code.is_empty()).unwrap_or_default()
    }

    fn is_about_the_token(&self) -> bool {
        let mut fields = self.details.iter().flat_map(|detail| &detail.field_violations).peekable();
        if fields.peek().is_some() {
            return fields.any(|violation| violation.field == "message.token");
        }
        // Without details of the field there is only the sentence.
        self.message.to_ascii_lowercase().contains("registration token")
    }
}
