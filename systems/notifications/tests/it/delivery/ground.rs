//! Helpers of the delivery tests: a test clock, a device, a push, and results as short texts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use client::{Clock, TravellingClock};
use notifications::delivery::{Delivery, DeliveryResult, ProviderSettings, Providers, Push};
use notifications::{Category, Device, DeviceId, Platform, PushToken, UserId, UtcTimestamp};

/// 2025-07-02T15:00:00Z.
pub(super) const NOW_MS: u64 = 1_751_468_400_000;
pub(super) const TOKEN: &str = "a-token-nobody-may-see-0123456789";

pub(super) struct Ground {
    pub(super) time: Arc<TravellingClock>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Ground {
    pub(super) fn new() -> Self {
        let time = TravellingClock::starting_at(client::TimestampMs(NOW_MS));
        Self { clock: Arc::clone(&time) as Arc<dyn Clock>, time }
    }

    pub(super) fn providers(&self, settings: &ProviderSettings) -> Providers {
        Providers::open(settings, &self.clock).unwrap()
    }

    pub(super) fn travel_minutes(&self, minutes: u64) {
        self.time.travel(Duration::from_secs(minutes * 60));
    }
}

pub(super) fn device(platform: Platform, token: &str) -> Device {
    let hour_ago = UtcTimestamp::from_ms(NOW_MS - 3_600_000);
    Device {
        id: "2b0e2d0e-3a0f-4a6c-9d5e-0d7f2f4c1a11".to_owned(),
        user_id: UserId::parse("bob").unwrap(),
        device_id: DeviceId::parse("phone-1").unwrap(),
        push_token: PushToken::parse(token).unwrap(),
        platform,
        label: "Phone".to_owned(),
        created_at: hour_ago,
        last_seen_at: hour_ago,
        revoked_at: None,
        revoked_reason: None,
        verification: None,
    }
}

pub(super) fn push() -> Push {
    Push {
        notification_id: "7f1f2c52-8b1a-4a53-9f0e-5f6f3c8f4b10".to_owned(),
        collapse_id: "7f1f2c52-8b1a-4a53-9f0e-5f6f3c8f4b10".to_owned(),
        title: "alice liked your post".to_owned(),
        body: "A walk in the hills".to_owned(),
        deeplink: "asora://post/p1".to_owned(),
        category: Category::Social,
        badge: Some(3),
        data: BTreeMap::from([("actorId".to_owned(), "alice".to_owned())]),
    }
}

/// A result as a short text, which tests compare.
pub(super) fn short(result: &DeliveryResult) -> String {
    match result {
        DeliveryResult::Delivered { .. } => "delivered".to_owned(),
        DeliveryResult::NotConfigured => "not configured".to_owned(),
        DeliveryResult::InvalidToken => "invalid token".to_owned(),
        DeliveryResult::Retry { after: None, reason } => format!("retry: {reason}"),
        DeliveryResult::Retry { after: Some(after), reason } => {
            format!("retry after {} s: {reason}", after.as_secs())
        }
        DeliveryResult::Permanent { reason } => format!("permanent: {reason}"),
        DeliveryResult::Alarm { reason } => format!("alarm: {reason}"),
    }
}

pub(super) async fn sent(providers: &Providers, device: &Device, push: &Push) -> String {
    short(&providers.push(device, push).await)
}
