//! The interface between the dispatcher and the push providers.
//!
//! The dispatcher decides whether to push and to which devices. A provider only sends, and returns one of a closed list
//! of results, by what the dispatcher has to do next.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;

use crate::domain::{Category, Device, Platform, PushToken, VerificationCode};

/// Sends pushes to devices.
///
/// Delivery is at least once: after a crash the same push may be sent again, with the same `collapse_id`, by which the
/// device shows it once.
#[async_trait]
pub trait Delivery: Send + Sync {
    /// Sends one push to one device. Every failure is a result. It takes much less time than the lease of an event
    /// lasts.
    async fn push(&self, device: &Device, push: &Push) -> DeliveryResult;

    /// Validates an address before it is stored: the URL of a webhook, a mail address. The reason is for the user.
    async fn check_address(&self, platform: Platform, address: &PushToken) -> Result<(), String> {
        let _ = (platform, address);
        Ok(())
    }

    /// Sends a code to the address of a device, whose receiver proves by it that the address is theirs.
    async fn verify(&self, device: &Device, code: &VerificationCode) -> VerificationResult {
        let _ = (device, code);
        VerificationResult::NotConfigured
    }

    /// Whether the provider of this platform is configured. If not, nothing is sent and nothing counts against the rate
    /// limit.
    fn is_configured(&self, platform: Platform) -> bool {
        let _ = platform;
        true
    }
}

/// One push, the same for all devices of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// Id of the notification in the in-app list.
    pub notification_id: String,
    /// Pushes with the same id replace each other on the device. At most 64 bytes.
    pub collapse_id: String,
    /// Plain text.
    pub title: String,
    /// Plain text.
    pub body: String,
    /// What a tap opens.
    pub deeplink: String,
    /// Decides priority and channel.
    pub category: Category,
    /// The unread count with this notification, if it was read.
    pub badge: Option<u32>,
    /// Further values for the app.
    pub data: BTreeMap<String, String>,
}

/// The result of sending a code to an address. The list is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerificationResult {
    /// The receiver repeated the code at once.
    Proved,
    /// A person will receive the code and give it to us.
    Sent,
    /// The provider is not configured, or has no codes.
    NotConfigured,
    /// The code did not reach the receiver, or the receiver did not repeat it.
    Failed {
        /// Why, without secrets.
        reason: String,
    },
}

/// The result of a push to one device. The list is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryResult {
    /// The provider accepted it.
    Delivered {
        /// The provider's id of the push.
        provider_id: String,
    },
    /// The provider is not configured.
    NotConfigured,
    /// The provider does not accept the token; the device is revoked.
    InvalidToken,
    /// It may succeed later.
    Retry {
        /// The shortest wait, if the provider asked for one.
        after: Option<Duration>,
        /// Why, without secrets.
        reason: String,
    },
    /// It will never succeed, because of the push itself.
    Permanent {
        /// Why, without secrets.
        reason: String,
    },
    /// It will not succeed until an operator fixes settings or credentials.
    Alarm {
        /// Why, without secrets.
        reason: String,
    },
}
