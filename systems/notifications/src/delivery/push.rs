//! What the dispatcher hands to a provider, and what comes back.
//!
//! Owns the contract between the two. The dispatcher decides whether and to whom; a provider only carries, and says in
//! a closed list what became of it, by what the dispatcher has to do next.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;

use crate::domain::{Category, Device, Platform};

/// Carries pushes to devices.
///
/// At least once: the same push may come again after a crash, with the same `collapse_id`, by which the device shows it
/// once.
#[async_trait]
pub trait Delivery: Send + Sync {
    /// Sends one push to one device. It never panics and never fails otherwise than by its result; its waits are
    /// bounded well below the lease of an event.
    async fn push(&self, device: &Device, push: &Push) -> PushResult;

    /// Whether there are settings for this platform. When not, nothing is sent and nothing counts against a limit.
    fn is_configured(&self, platform: Platform) -> bool {
        let _ = platform;
        true
    }
}

/// One push, for all devices of a user the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// Id of the item in the in-app list.
    pub notification_id: String,
    /// At most 64 bytes; pushes with the same one replace each other on the device.
    pub collapse_id: String,
    /// RenderedText; plain text.
    pub title: String,
    /// RenderedText; plain text.
    pub body: String,
    /// What a tap opens.
    pub deeplink: String,
    /// Decides priority and channel.
    pub category: Category,
    /// The unread count after this notification, if it is known.
    pub badge: Option<u32>,
    /// Further values for the app.
    pub data: BTreeMap<String, String>,
}

/// What became of a push to one device. The list is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushResult {
    /// The provider took it.
    Delivered {
        /// The provider's name for it.
        provider_id: String,
    },
    /// There are no settings for this platform.
    NotConfigured,
    /// The provider does not know the token (any more): the device is revoked.
    InvalidToken,
    /// It may work later.
    Retry {
        /// Not before this, if the provider said so.
        after: Option<Duration>,
        /// What the provider said; without secrets.
        reason: String,
    },
    /// It will never work, and it is the push's own fault.
    Permanent {
        /// What the provider said; without secrets.
        reason: String,
    },
    /// It will not work until an operator acts: settings, credentials.
    Alarm {
        /// What the provider said; without secrets.
        reason: String,
    },
}
