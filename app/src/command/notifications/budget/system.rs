//! A system to measure: in memory, with a clock of its own and a provider that accepts everything.

use std::sync::Arc;

use async_trait::async_trait;
use client::TravellingClock;
use model::ChargeProfile;
use notifications::delivery::{Delivery, DeliveryResult, Push};
use notifications::{
    Device, DeviceId, DeviceRegistration, EventPayload, EventType, Indexing, NewEvent,
    NotificationSettings, Notifications, Platform, PushToken, TargetType, UserId,
};

use super::super::open::system_error;
use crate::command::system::measured_account;
use crate::error::CommandError;

pub(super) const ACTION: &str = "measuring the operations";

struct AcceptingProvider;

#[async_trait]
impl Delivery for AcceptingProvider {
    async fn push(&self, _: &Device, _: &Push) -> DeliveryResult {
        DeliveryResult::Delivered { provider_id: "measured".to_owned() }
    }
}

/// Creates a system with an indexing mode and a charge profile; returns also its clock.
pub(super) async fn system(
    profile: ChargeProfile,
    indexing: Indexing,
) -> Result<(Notifications, Arc<TravellingClock>), CommandError> {
    let (account, clock) = measured_account(ACTION, profile).await?;
    let environment = account.environment().clone();
    let chosen = NotificationSettings { indexing, ..NotificationSettings::default() };
    let opened =
        Notifications::open(account, chosen, environment, Arc::new(AcceptingProvider)).await;
    Ok((opened.map_err(|error| system_error(ACTION, &error))?, clock))
}

pub(super) fn user(name: &str) -> Result<UserId, CommandError> {
    UserId::parse(name).map_err(|why| CommandError::new(ACTION, why))
}

pub(super) fn registration(device: &str, token: &str) -> Result<DeviceRegistration, CommandError> {
    let invalid = |why: String| CommandError::new(ACTION, why);
    Ok(DeviceRegistration {
        device_id: DeviceId::parse(device).map_err(invalid)?,
        push_token: PushToken::parse(token).map_err(invalid)?,
        platform: Platform::Fcm,
        label: Some("Phone".to_owned()),
    })
}

/// A like of a post of the user.
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
