//! The meaning of APNs responses.
//!
//! Owns the table from status and reason to a result. Does not own the second try after an expired provider token.

use std::time::Duration;

use serde::Deserialize;

use crate::delivery::push::DeliveryResult;
use crate::domain::UtcTimestamp;

/// APNs accepts a new provider token again after so long.
const PROVIDER_TOKEN_WAIT: Duration = Duration::from_secs(20 * 60);

/// A response, interpreted.
pub(super) enum ApnsResponse {
    /// The result of the push.
    Result(DeliveryResult),
    /// APNs considers the provider token expired; a new one may be accepted.
    ProviderTokenExpired,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ApnsErrorBody {
    reason: String,
    /// When APNs last found that the token was not valid, in milliseconds.
    timestamp: Option<u64>,
}

/// Interprets a response by its status, its body, its `Retry-After` and the device's last registration.
pub(super) fn interpret(
    status: u16,
    body: &[u8],
    retry_after: Option<Duration>,
    registered_at: UtcTimestamp,
) -> ApnsResponse {
    let error = serde_json::from_slice::<ApnsErrorBody>(body).unwrap_or_default();
    let reason = known_reason(&error.reason);
    let message = match reason {
        Some(reason) => format!("apns: {reason} (status {status})"),
        None => format!("apns: status {status}"),
    };
    let alarm = |advice: &str| DeliveryResult::Alarm { reason: format!("{message}; {advice}") };
    ApnsResponse::Result(match (status, reason.unwrap_or_default()) {
        (400, "BadDeviceToken" | "DeviceTokenNotForTopic") => DeliveryResult::InvalidToken,
        (400, "MissingTopic" | "BadTopic" | "TopicDisallowed") => {
            alarm("compare Apns:Topic with the app's bundle id and the key's rights")
        }
        (400, "IdleTimeout") => DeliveryResult::Retry { after: retry_after, reason: message },
        (403, "ExpiredProviderToken") => return ApnsResponse::ProviderTokenExpired,
        (403, _) => alarm("check Apns:TeamId, Apns:KeyId, Apns:PrivateKey and Apns:Endpoint"),
        (410, _) => interpret_gone(&message, error.timestamp, registered_at),
        (429, "TooManyProviderTokenUpdates") => {
            let after = retry_after.unwrap_or(PROVIDER_TOKEN_WAIT);
            DeliveryResult::Retry { after: Some(after), reason: message }
        }
        // Everything that says nothing about the push itself.
        (408 | 429 | 500.., _) => DeliveryResult::Retry { after: retry_after, reason: message },
        _ => DeliveryResult::Permanent { reason: message },
    })
}

/// A device that registered after APNs gave up its token stays: the response is about the time before.
fn interpret_gone(
    message: &str,
    gone_at_ms: Option<u64>,
    registered_at: UtcTimestamp,
) -> DeliveryResult {
    match gone_at_ms {
        Some(gone_at_ms) if registered_at.ms() > gone_at_ms => DeliveryResult::Permanent {
            reason: format!("{message}, but the device has registered since; it stays"),
        },
        _ => DeliveryResult::InvalidToken,
    }
}

/// The reason if it is a documented one: no other text from outside is repeated.
fn known_reason(reason: &str) -> Option<&'static str> {
    REASONS.iter().copied().find(|known| *known == reason)
}

const REASONS: &[&str] = &[
    "BadCertificate",
    "BadCertificateEnvironment",
    "BadCollapseId",
    "BadDeviceToken",
    "BadEnvironmentKeyIdInToken",
    "BadExpirationDate",
    "BadMessageId",
    "BadPath",
    "BadPriority",
    "BadTopic",
    "DeviceTokenNotForTopic",
    "DuplicateHeaders",
    "ExpiredProviderToken",
    "ExpiredToken",
    "Forbidden",
    "IdleTimeout",
    "InternalServerError",
    "InvalidProviderToken",
    "InvalidPushType",
    "MethodNotAllowed",
    "MissingDeviceToken",
    "MissingProviderToken",
    "MissingTopic",
    "PayloadEmpty",
    "PayloadTooLarge",
    "ServiceUnavailable",
    "Shutdown",
    "TooManyProviderTokenUpdates",
    "TooManyRequests",
    "TopicDisallowed",
    "Unregistered",
    "UnrelatedKeyIdInToken",
];
