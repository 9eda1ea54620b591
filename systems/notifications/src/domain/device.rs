//! A registered device and its push token.
//!
//! Owns the stored form of `device_tokens` and the rule that a push token is a secret. Does not own registering
//! (`action/device`).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{PendingVerification, UserId, UtcTimestamp};

/// A device that pushes can be sent to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// Item id, made by us; not the device id.
    pub id: String,
    /// The user it belongs to.
    pub user_id: UserId,
    /// Made by the client, the same for one installation.
    pub device_id: DeviceId,
    /// The address of the device at its provider.
    pub push_token: PushToken,
    /// The provider that the token is for.
    pub platform: Platform,
    /// A name for users; may be empty.
    pub label: String,
    /// First registration.
    pub created_at: UtcTimestamp,
    /// Last registration or refresh.
    pub last_seen_at: UtcTimestamp,
    /// When it was revoked. Stored as null while the device is active.
    #[serde(default)]
    pub revoked_at: Option<UtcTimestamp>,
    /// Why it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_reason: Option<RevokedReason>,
    /// The code that its address waits for. Absent once it is verified, and for platforms that need no proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<PendingVerification>,
}

impl Device {
    /// Whether pushes are sent to it.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.revoked_at.is_none()
    }

    /// Whether its address is known to belong to its user. Nothing is pushed before.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.verification.is_none()
    }
}

/// The provider that a push token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// Firebase Cloud Messaging.
    Fcm,
    /// Apple Push Notification service.
    Apns,
    /// A signed HTTP request; the push token is the URL.
    Webhook,
    /// Mail; the push token is the address.
    Mail,
}

impl Platform {
    /// All platforms.
    pub const ALL: [Self; 4] = [Self::Fcm, Self::Apns, Self::Webhook, Self::Mail];

    /// Whether its tokens are addresses that anybody can type, so that they must be proved to belong to the user.
    #[must_use]
    pub fn needs_verification(self) -> bool {
        matches!(self, Self::Webhook | Self::Mail)
    }

    /// The stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fcm => "fcm",
            Self::Apns => "apns",
            Self::Webhook => "webhook",
            Self::Mail => "mail",
        }
    }

    /// The platform with this stored name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.name() == name)
    }
}

/// Why a device was revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RevokedReason {
    /// The user revoked it.
    User,
    /// The user registered another device and had as many as allowed.
    Cap,
    /// The provider no longer accepts the token.
    InvalidToken,
    /// It was not seen for a long time.
    Inactive,
    /// Another user registered the same token.
    Moved,
}

/// Id of an installation, made by the client.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceId(String);

impl DeviceId {
    /// Validates an id: 1 to 128 printable characters without spaces. Clients send a UUID.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let fits = (1..=128).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
        if !fits {
            return Err(
                "a device id has 1 to 128 printable ASCII characters and no spaces; use a UUID"
                    .to_owned(),
            );
        }
        Ok(Self(text))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The address of a device at its provider. It is a secret; its `Debug` form is masked.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PushToken(String);

impl PushToken {
    /// Validates a token.
    ///
    /// # Errors
    /// What is wrong with it, without repeating the token.
    pub fn parse(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        let fits = (1..=4096).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
        if !fits {
            return Err(
                "a push token has 1 to 4,096 printable ASCII characters and no spaces".to_owned()
            );
        }
        Ok(Self(text))
    }

    /// The token itself, for the provider only.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Its last four characters, for responses and exports. A token of fewer than eight characters shows
    /// fewer.
    #[must_use]
    pub fn masked(&self) -> String {
        // At least four characters are hidden. Tokens are ASCII, so bytes are characters.
        let hidden = self.0.len().saturating_sub(4).max(self.0.len().min(4));
        let shown = self.0.get(hidden..).unwrap_or_default();
        format!("…{shown}")
    }

    /// SHA-256 in hexadecimal: identifies the token without revealing it.
    #[must_use]
    pub fn hash_hex(&self) -> String {
        let digest = ring::digest::digest(&ring::digest::SHA256, self.0.as_bytes());
        digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for PushToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PushToken({})", self.masked())
    }
}
