//! The group `RateLimiting`.

use serde::{Deserialize, Serialize};
use service::settings::{SettingsSection, SettingsValidator};

/// The group `RateLimiting`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct RateLimitSettings {
    /// Sign-in, for each client address.
    pub auth: AuthLimitSettings,
    /// Read receipts, for each user.
    pub mark_read: MarkReadLimitSettings,
    /// Sent messages and typing events, for each user.
    pub messages: MessageLimitSettings,
}

/// The group `RateLimiting:Auth`: a fixed window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct AuthLimitSettings {
    /// Requests in a window.
    pub permit_limit: u32,
    /// Seconds of a window.
    pub window_seconds: u64,
    /// Requests that wait for the next window instead of being refused. Only 0 is supported.
    pub queue_limit: u32,
}

/// The group `RateLimiting:MarkRead`: a sliding window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct MarkReadLimitSettings {
    /// Receipts in a window.
    pub mark_read_permit_limit: u32,
    /// Seconds of the window.
    pub mark_read_window_seconds: u64,
    /// Where the window is kept.
    pub store: LimiterStore,
}

/// Where the window of read receipts is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LimiterStore {
    /// In this process.
    #[default]
    Memory,
    /// In Redis, for all processes together.
    Redis,
}

/// The group `RateLimiting:Messages`: a sliding window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct MessageLimitSettings {
    /// Messages in a window.
    pub permit_limit: u32,
    /// Seconds of the window.
    pub window_seconds: u64,
}

impl Default for AuthLimitSettings {
    fn default() -> Self {
        Self { permit_limit: 5, window_seconds: 60, queue_limit: 0 }
    }
}

impl Default for MarkReadLimitSettings {
    fn default() -> Self {
        let store = LimiterStore::default();
        Self { mark_read_permit_limit: 100, mark_read_window_seconds: 10, store }
    }
}

impl Default for MessageLimitSettings {
    fn default() -> Self {
        Self { permit_limit: 60, window_seconds: 10 }
    }
}

impl SettingsSection for RateLimitSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let Self { auth, mark_read, messages } = self;
        let counts = [
            ("Auth:PermitLimit", auth.permit_limit),
            ("MarkRead:MarkReadPermitLimit", mark_read.mark_read_permit_limit),
            ("Messages:PermitLimit", messages.permit_limit),
        ];
        for (name, count) in counts {
            validator.require_range(name, count, 1..=1_000_000);
        }
        let windows = [
            ("Auth:WindowSeconds", auth.window_seconds),
            ("MarkRead:MarkReadWindowSeconds", mark_read.mark_read_window_seconds),
            ("Messages:WindowSeconds", messages.window_seconds),
        ];
        for (name, seconds) in windows {
            validator.require_range(name, seconds, 1..=86_400);
        }
        validator.require("Auth:QueueLimit", auth.queue_limit == 0, "0: requests do not wait");
    }
}
