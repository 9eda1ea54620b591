//! What an answer of APNs means.
//!
//! Owns the table from status and reason to a result. Does not own the second attempt after an expired provider token.

use std::time::Duration;

use serde::Deserialize;

use crate::delivery::push::PushResult;
use crate::domain::Moment;

/// A new provider token is taken again after so long.
const PROVIDER_TOKEN_WAIT: Duration = Duration::from_secs(20 * 60);

/// An answer, as far as it decides something.
pub(super) enum ApnsResponse {
    /// This became of the push.
    Result(PushResult),
    /// The provider token is too old in the eyes of APNs; a new one may do.
    ProviderTokenExpired,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ApnsErrorBody {
    reason: String,
    /// Milliseconds: when APNs last knew that the token was not valid.
    timestamp: Option<u64>,
}

/// Judges an answer by its status, its body, the wait it asks for and the device's last registration.
pub(super) fn interpret(
    status: u16,
    body: &[u8],
    asked: Option<Duration>,
    registered_at: Moment,
) -> ApnsResponse {
    let refusal = serde_json::from_slice::<ApnsErrorBody>(body).unwrap_or_default();
    let known = known(&refusal.reason);
    let said = match known {
        Some(known) => format!("apns: {known} (status {status})"),
        None => format!("apns: status {status}"),
    };
    let alarm = |way_out: &str| PushResult::Alarm { reason: format!("{said}; {way_out}") };
    ApnsResponse::Result(match (status, known.unwrap_or_default()) {
        (400, "BadDeviceToken" | "DeviceTokenNotForTopic") => PushResult::InvalidToken,
        (400, "MissingTopic" | "BadTopic" | "TopicDisallowed") => {
            alarm("compare ApnsProvider:Topic with the app's bundle id and the key's rights")
        }
        (400, "IdleTimeout") => PushResult::Retry { after: asked, reason: said },
        (403, "ExpiredProviderToken") => return ApnsResponse::ProviderTokenExpired,
        (403, _) => alarm(
            "check ApnsProvider:TeamId, ApnsProvider:KeyId, ApnsProvider:PrivateKey and ApnsProvider:Endpoint",
        ),
        (410, _) => gone(&said, refusal.timestamp, registered_at),
        (429, "TooManyProviderTokenUpdates") => {
            let after = asked.unwrap_or(PROVIDER_TOKEN_WAIT);
            PushResult::Retry { after: Some(after), reason: said }
        }
        (408 | 429 | 500.., _) => PushResult::Retry { after: asked, reason: said },
        _ => PushResult::Permanent { reason: said },
    })
}

/// A device that registered after APNs gave its token up keeps it: the answer speaks of the time before.
fn gone(said: &str, gone_at_ms: Option<u64>, registered_at: Moment) -> PushResult {
    match gone_at_ms {
        Some(gone_at_ms) if registered_at.ms() > gone_at_ms => PushResult::Permanent {
            reason: format!("{said}, but the device has registered since; it stays"),
        },
        _ => PushResult::InvalidToken,
    }
}

/// The reason in our own letters: nothing that comes from outside is repeated.
fn known(reason: &str) -> Option<&'static str> {
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
