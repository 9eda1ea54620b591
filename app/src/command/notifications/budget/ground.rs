//! A system to measure on: in memory, on a clock of its own, with a provider that takes everything.

use std::sync::Arc;

use async_trait::async_trait;
use client::{Account, StorageLocation, TimestampMs, TravellingClock};
use engine::{Engine, Environment};
use model::ChargeProfile;
use notifications::delivery::{Delivery, DeliveryResult, Push};
use notifications::{
    Device, DeviceId, DeviceRegistration, EventPayload, EventType, Indexing, NewEvent,
    NotificationSettings, Notifications, Platform, PushToken, TargetType, UserId,
};

use super::super::opening::told;
use crate::failure::Failure;

pub(super) const WHAT: &str = "measuring the operations";
/// 2025-06-10T12:00:00Z: nobody's default quiet hours.
const NOON_MS: u64 = 1_749_556_800_000;
const SEED: u64 = 7;

struct Taking;

#[async_trait]
impl Delivery for Taking {
    async fn push(&self, _: &Device, _: &Push) -> DeliveryResult {
        DeliveryResult::Delivered { provider_id: "measured".to_owned() }
    }
}

/// A new system with this indexing, whose charges are those of a profile, and its clock.
pub(super) async fn system(
    profile: ChargeProfile,
    indexing: Indexing,
) -> Result<(Notifications, Arc<TravellingClock>), Failure> {
    let clock = TravellingClock::starting_at(TimestampMs(NOON_MS));
    let environment = Environment::travelling(Arc::clone(&clock), SEED);
    let settings = engine::EngineSettings {
        charge_profile: profile,
        maintenance: false,
        ..engine::EngineSettings::default()
    };
    let chosen = NotificationSettings { indexing, ..NotificationSettings::default() };
    let store = Arc::new(storage::memory::MemoryStore::new());
    let engine = Engine::open(store, environment.clone(), settings).await;
    let engine = engine.map_err(|error| Failure::of(WHAT, &error))?;
    let account = Account::embedded(StorageLocation::Engine(engine)).await;
    let account = account.map_err(|error| Failure::of(WHAT, &error))?;
    let opened = Notifications::open(account, chosen, environment, Arc::new(Taking)).await;
    Ok((opened.map_err(|error| told(WHAT, &error))?, clock))
}

pub(super) fn user(name: &str) -> Result<UserId, Failure> {
    UserId::parse(name).map_err(|why| Failure::new(WHAT, why))
}

pub(super) fn registration(device: &str, token: &str) -> Result<DeviceRegistration, Failure> {
    let wrong = |why: String| Failure::new(WHAT, why);
    Ok(DeviceRegistration {
        device_id: DeviceId::parse(device).map_err(wrong)?,
        push_token: PushToken::parse(token).map_err(wrong)?,
        platform: Platform::Fcm,
        label: Some("Phone".to_owned()),
    })
}

/// Somebody likes a post of the user.
pub(super) fn like(user: &UserId, target: &str) -> NewEvent {
    NewEvent {
        user_id: user.clone(),
        event_type: EventType::PostLike,
        payload: EventPayload {
            actor_id: Some("alice".to_owned()),
            actor_name: Some("Alice".to_owned()),
            target_id: target.to_owned(),
            target_type: TargetType::Post,
            snippet: Some("By the lake, in the last light of the day.".to_owned()),
            extra: serde_json::Map::new(),
        },
        dedupe_key: None,
        scheduled_at: None,
        idempotency_key: None,
    }
}
