//! A registered device and its push token.
//!
//! Owns the stored form of `device_tokens` and the rule that a push token is a secret. Does not own registering.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Moment, UserId};

/// A device that may be pushed to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// Made by us; not the device id.
    pub id: String,
    /// Whose it is.
    pub user_id: UserId,
    /// Made by the client, the same for one installation.
    pub device_id: DeviceId,
    /// Where pushes go.
    pub push_token: PushToken,
    /// Which provider takes the token.
    pub platform: Platform,
    /// What the user calls it; may be empty.
    pub label: String,
    /// First registration.
    pub created_at: Moment,
    /// Last registration or refresh.
    pub last_seen_at: Moment,
    /// Since when it is no longer pushed to; written as null while it is active, so that a query can find it.
    #[serde(default)]
    pub revoked_at: Option<Moment>,
    /// Why it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_reason: Option<RevokedReason>,
}

impl Device {
    /// Whether pushes go to it.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.revoked_at.is_none()
    }
}

/// Which provider a token belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// Firebase Cloud Messaging.
    Fcm,
    /// Apple Push Notification service.
    Apns,
    /// A signed request; the push token is the URL.
    Webhook,
    /// Mail; the push token is the address.
    Mail,
}

impl Platform {
    /// All platforms.
    pub const ALL: [Self; 4] = [Self::Fcm, Self::Apns, Self::Webhook, Self::Mail];

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

    /// The platform of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.name() == name)
    }
}

/// Why a device was revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RevokedReason {
    /// The user said so.
    User,
    /// Another device took its place.
    Cap,
    /// The provider does not know the token any more.
    InvalidToken,
    /// It was not seen for long.
    Inactive,
    /// Another user registered the same token.
    Moved,
}

/// Id of an installation, made by the client.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceId(String);

impl DeviceId {
    /// Checks and takes an id: 1 to 128 printable characters without spaces; clients send a UUID.
    ///
    /// # Errors
    /// A sentence about what is wrong with it.
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

/// A provider's token. It is a secret: it prints masked.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PushToken(String);

impl PushToken {
    /// Checks and takes a token.
    ///
    /// # Errors
    /// A sentence about what is wrong with it; it does not repeat the token.
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

    /// Its last four characters: what people and exports see.
    #[must_use]
    pub fn masked(&self) -> String {
        let hidden = self.0.len().saturating_sub(4).max(self.0.len().min(4));
        let shown = self.0.get(hidden..).unwrap_or_default();
        format!("…{shown}")
    }

    /// Names the token without telling it: SHA-256 in hexadecimal.
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
