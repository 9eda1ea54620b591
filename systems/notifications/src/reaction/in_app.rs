//! The in-app list as the dispatcher writes it: a new notification, or more of an earlier one.
//!
//! Owns that each event leaves exactly one trace in the list, however often it is tried. Does not own finding what it
//! belongs to (`earlier`).

use client::ErrorKind;

use crate::charged::Bill;
use crate::error::{Error, Result};
use crate::notifications::Core;
use crate::text::{Rendered, Wording, deeplink};
use crate::words::{Event, Moment, Notification, Preferences, notification_id};

use super::plan::Plan;

/// Events one notification stands for at most: it remembers each of them, so it must not grow without end.
const MERGED_EVENTS_MAX: usize = 100;

impl Core {
    /// Adds an event to an earlier notification; false when that is full or gone.
    pub(super) async fn merge(
        &self,
        event: &Event,
        id: &str,
        locale: Option<&str>,
        bill: &mut Bill,
    ) -> Result<bool> {
        let now = self.now();
        let mut is_full = false;
        let merged = self
            .containers
            .notifications
            .modify(&event.partition_key(), id, |notification: &mut Notification| {
                is_full = notification.merged_event_ids.len() >= MERGED_EVENTS_MAX;
                if is_full || notification.merged_event_ids.contains(&event.id) {
                    return Ok(());
                }
                self.add(notification, event, locale)?;
                notification.ttl = self.ttl(notification.created_at, now);
                Ok(())
            })
            .await;
        match merged {
            Ok(answer) => {
                bill.take(answer);
                self.signals.wake();
                Ok(!is_full)
            }
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn add(
        &self,
        notification: &mut Notification,
        event: &Event,
        locale: Option<&str>,
    ) -> Result<()> {
        let actor = event.payload.actor().map(str::to_owned);
        let is_new_actor = actor.as_ref().is_some_and(|actor| !notification.actors.contains(actor));
        if is_new_actor {
            notification.actors.extend(actor);
            // Somebody else did it too: that is news for who has read it, but not for who has put it away.
            notification.read = false;
            notification.read_at = None;
        }
        notification.count = Some(notification.count.unwrap_or(1) + 1);
        notification.merged_event_ids.push(event.id.clone());
        let others = notification.actors.len().saturating_sub(1);
        let actor_name = notification.actor_name.as_deref();
        let Rendered { title, body } = self.render(event, locale, actor_name, others)?;
        notification.title = title;
        notification.body = body;
        Ok(())
    }

    /// Writes the notification of an event. When an earlier attempt did so unseen, that one counts.
    pub(super) async fn write_in_app(
        &self,
        event: &Event,
        preferences: &Preferences,
        plan: &Plan,
        at: Moment,
        bill: &mut Bill,
    ) -> Result<Notification> {
        let notification = self.new_notification(event, preferences, plan, at)?;
        let key = event.partition_key();
        match self.containers.notifications.create(&key, &notification.first_stored()?).await {
            Ok(answer) => {
                bill.take(answer);
                self.signals.wake();
                Ok(notification)
            }
            Err(error) if error.kind() == ErrorKind::Conflict => {
                let own = self.containers.notifications.read(&key, &notification.id).await?;
                let own = bill.take(own).into_value();
                self.mark_pushed(own, plan, bill).await
            }
            Err(error) => Err(error.into()),
        }
    }

    fn new_notification(
        &self,
        event: &Event,
        preferences: &Preferences,
        plan: &Plan,
        at: Moment,
    ) -> Result<Notification> {
        let payload = &event.payload;
        let actor_name = payload.actor_name.as_deref().or(payload.actor_id.as_deref());
        let Rendered { title, body } =
            self.render(event, preferences.locale.as_deref(), actor_name, 0)?;
        let now = self.now();
        let created_at = at.max(now);
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
            pushed: Some(matches!(plan, Plan::Push(_))),
            seen_at: None,
            ttl: self.ttl(created_at, now),
        })
    }

    fn render(
        &self,
        event: &Event,
        locale: Option<&str>,
        actor_name: Option<&str>,
        others: usize,
    ) -> Result<Rendered> {
        self.templates.render(&Wording {
            locale,
            event_type: event.event_type,
            payload: &event.payload,
            actor_name,
            others: u64::try_from(others).unwrap_or(u64::MAX),
        })
    }

    /// Notes that a notification is pushed now which was not before.
    pub(super) async fn mark_pushed(
        &self,
        own: Notification,
        plan: &Plan,
        bill: &mut Bill,
    ) -> Result<Notification> {
        if own.pushed == Some(true) || !matches!(plan, Plan::Push(_)) {
            return Ok(own);
        }
        self.set_pushed(&own, true, bill).await
    }

    /// Notes that no device got it, so that it does not count against the limit.
    pub(super) async fn mark_unpushed(
        &self,
        notification: &Notification,
        bill: &mut Bill,
    ) -> Result<()> {
        match self.set_pushed(notification, false, bill).await {
            Err(error) if is_gone(&error) => Ok(()),
            other => other.map(|_| ()),
        }
    }

    async fn set_pushed(
        &self,
        notification: &Notification,
        pushed: bool,
        bill: &mut Bill,
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
        Ok(bill.take(written).into_value())
    }
}

fn is_gone(error: &Error) -> bool {
    error.kind() == crate::ErrorKind::NotFound
}
