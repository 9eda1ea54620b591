//! The in-app list as the dispatcher writes it: a new notification, or an event merged into an earlier one.
//!
//! Owns that each event appears in the list exactly once, however often it is tried. Does not own finding the
//! notification it belongs to (`dedupe`).

use client::ErrorKind;

use crate::domain::{Notification, NotificationEvent, Preferences, UtcTimestamp, notification_id};
use crate::error::{Error, Result};
use crate::notifications::NotificationsCore;
use crate::text::{RenderedText, TemplateInput, deeplink};
use service::charge::ChargeMeter;

use super::push_plan::PushPlan;

/// Events that can be merged into one notification. It stores the id of each, so the item must not grow without bounds.
const MERGED_EVENTS_MAX: usize = 100;

impl NotificationsCore {
    /// Merges an event into an earlier notification. Returns `false` if that is full or gone.
    pub(super) async fn merge(
        &self,
        event: &NotificationEvent,
        id: &str,
        locale: Option<&str>,
        meter: &mut ChargeMeter,
    ) -> Result<bool> {
        let now = self.now();
        let mut is_full = false;
        // The closure runs again when somebody else wrote the notification meanwhile, so it decides anew each time.
        let merged = self
            .containers
            .notifications
            .modify(&event.partition_key(), id, |notification: &mut Notification| {
                is_full = notification.merged_event_ids.len() >= MERGED_EVENTS_MAX;
                // The id is written together with the effect: another attempt, or a repeated request whose response was
                // lost, does not count the event twice.
                if is_full || notification.merged_event_ids.contains(&event.id) {
                    return Ok(());
                }
                self.merge_event(notification, event, locale)?;
                notification.ttl = self.ttl(notification.created_at, now);
                Ok(())
            })
            .await;
        match merged {
            Ok(response) => {
                meter.record(response);
                self.streams.wake();
                Ok(!is_full)
            }
            Err(error) if is_not_found(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn merge_event(
        &self,
        notification: &mut Notification,
        event: &NotificationEvent,
        locale: Option<&str>,
    ) -> Result<()> {
        let actor = event.payload.actor().map(str::to_owned);
        let is_new_actor = actor.as_ref().is_some_and(|actor| !notification.actors.contains(actor));
        if is_new_actor {
            notification.actors.extend(actor);
            // Another actor makes a read notification unread again. A dismissed one stays dismissed.
            notification.read = false;
            notification.read_at = None;
        }
        notification.count = Some(notification.count.unwrap_or(1) + 1);
        notification.merged_event_ids.push(event.id.clone());
        let others = notification.actors.len().saturating_sub(1);
        let actor_name = notification.actor_name.as_deref();
        let RenderedText { title, body } = self.render(event, locale, actor_name, others)?;
        notification.title = title;
        notification.body = body;
        Ok(())
    }

    /// Writes the notification of an event, or reads it if an earlier attempt already wrote it.
    pub(super) async fn write_in_app(
        &self,
        event: &NotificationEvent,
        preferences: &Preferences,
        plan: &PushPlan,
        created_at: UtcTimestamp,
        meter: &mut ChargeMeter,
    ) -> Result<Notification> {
        let notification = self.new_notification(event, preferences, plan, created_at)?;
        let key = event.partition_key();
        match self.containers.notifications.create(&key, &notification.to_stored()?).await {
            Ok(response) => {
                meter.record(response);
                self.streams.wake();
                Ok(notification)
            }
            // The id is derived from the event's id. The lookup did not find this one, for example because the dedupe
            // window was changed since.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let own = self.containers.notifications.read(&key, &notification.id).await?;
                let own = meter.record(own).into_value();
                self.mark_pushed(own, plan, meter).await
            }
            Err(error) => Err(error.into()),
        }
    }

    fn new_notification(
        &self,
        event: &NotificationEvent,
        preferences: &Preferences,
        plan: &PushPlan,
        created_at: UtcTimestamp,
    ) -> Result<Notification> {
        let payload = &event.payload;
        let actor_name = payload.actor_name.as_deref().or(payload.actor_id.as_deref());
        let RenderedText { title, body } =
            self.render(event, preferences.locale.as_deref(), actor_name, 0)?;
        let now = self.now();
        // Rendering may have taken longer than a millisecond; the time must not lie before other notifications written
        // meanwhile.
        let created_at = created_at.max(now);
        Ok(Notification {
            id: notification_id(&event.id),
            user_id: event.user_id.clone(),
            category: event.category,
            event_type: event.event_type,
            title,
            body,
            deeplink: deeplink(&self.settings.deeplink_scheme, event.event_type, payload),
            target_id: Some(payload.target_id.clone()),
            target_type: Some(payload.target_type),
            read: false,
            read_at: None,
            dismissed: false,
            dismissed_at: None,
            created_at,
            count: Some(1),
            actors: payload.actor().map(str::to_owned).into_iter().collect(),
            actor_name: actor_name.map(str::to_owned),
            dedupe_key: Some(event.dedupe_key()),
            merged_event_ids: Vec::new(),
            pushed: Some(matches!(plan, PushPlan::Push(_))),
            seen_at: None,
            ttl: self.ttl(created_at, now),
        })
    }

    fn render(
        &self,
        event: &NotificationEvent,
        locale: Option<&str>,
        actor_name: Option<&str>,
        others: usize,
    ) -> Result<RenderedText> {
        self.templates.render(&TemplateInput {
            locale,
            event_type: event.event_type,
            payload: &event.payload,
            actor_name,
            others: u64::try_from(others).unwrap_or(u64::MAX),
        })
    }

    /// Marks a notification as pushed if the plan is to push it now.
    pub(super) async fn mark_pushed(
        &self,
        own: Notification,
        plan: &PushPlan,
        meter: &mut ChargeMeter,
    ) -> Result<Notification> {
        // Nothing to change saves a write, and its charge.
        if own.pushed == Some(true) || !matches!(plan, PushPlan::Push(_)) {
            return Ok(own);
        }
        self.set_pushed(&own, true, meter).await
    }

    /// Marks a notification that no device got as not pushed, so that it does not count against the rate limit.
    pub(super) async fn mark_unpushed(
        &self,
        notification: &Notification,
        meter: &mut ChargeMeter,
    ) -> Result<()> {
        match self.set_pushed(notification, false, meter).await {
            Err(error) if is_not_found(&error) => Ok(()),
            other => other.map(|_| ()),
        }
    }

    async fn set_pushed(
        &self,
        notification: &Notification,
        pushed: bool,
        meter: &mut ChargeMeter,
    ) -> Result<Notification> {
        let now = self.now();
        let key = notification.user_id.partition_key();
        let written = self
            .containers
            .notifications
            .modify(&key, &notification.id, |notification: &mut Notification| {
                notification.pushed = Some(pushed);
                notification.ttl = self.ttl(notification.created_at, now);
                Ok::<(), Error>(())
            })
            .await?;
        Ok(meter.record(written).into_value())
    }
}

fn is_not_found(error: &Error) -> bool {
    error.kind() == crate::ErrorKind::NotFound
}
