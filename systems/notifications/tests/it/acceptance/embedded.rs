//! The library's interface on an account inside the program; and every scenario run that way.

use std::path::Path;

use async_trait::async_trait;
use client::{Account, Environment};
use engine::Engine;
use notifications::{
    DeviceId, DeviceRegistration, Error, ErrorKind, EventStatus, EventType, ListOptions, NewEvent,
    NotificationEvent, Notifications, Platform, PreferencesChange, PushToken, UserId, UtcTimestamp,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::ask::{Ask, AskResult, Refused, Way};
use super::scenarios::both_ways;

pub(crate) struct Embedded {
    system: Notifications,
}

both_ways!(Embedded);

#[async_trait]
impl Way for Embedded {
    type Server = ();

    async fn account(engine: &Engine) -> (Account, ()) {
        (Account::embedded(engine.clone()).await.unwrap(), ())
    }

    async fn place(folder: &Path) -> (String, ()) {
        (folder.join("data").to_str().unwrap().to_owned(), ())
    }

    async fn drive(system: &Notifications, _: &Environment) -> Self {
        Self { system: system.clone() }
    }

    async fn ask(&self, ask: Ask<'_>) -> AskResult {
        self.answer(ask).await.map_err(|error| refused(&error))
    }
}

impl Embedded {
    async fn answer(&self, ask: Ask<'_>) -> Result<Value, Error> {
        let system = &self.system;
        Ok(match ask {
            Ask::Send(body) => self.send(body).await?,
            Ask::List(name) => {
                let options = ListOptions { limit: Some(100), ..ListOptions::default() };
                let page = system.list(&user(name), &options).await?.value;
                json!({ "notifications": page.notifications })
            }
            Ask::Unread(name) => {
                json!({ "unreadCount": system.unread_count(&user(name)).await?.value })
            }
            Ask::Read(name, id) => value(&system.mark_read(&user(name), id).await?.value),
            Ask::Dismiss(name, id) => value(&system.dismiss(&user(name), id).await?.value),
            Ask::Preferences(name) => value(&system.preferences(&user(name)).await?.value),
            Ask::Prefer(name, change) => {
                let change = PreferencesChange::parse(change.clone())?;
                value(&system.change_preferences(&user(name), &change).await?.value)
            }
            Ask::Register(name, body) => {
                let done = system.register_device(&user(name), &registration(body)).await?.value;
                let evicted = done.evicted.as_ref().map(value);
                json!({ "device": done.device, "evictedDevice": evicted, "new": done.is_new })
            }
            Ask::Devices(name) => json!({ "devices": system.devices(&user(name)).await?.value }),
            Ask::Revoke(name, device) => {
                let device = DeviceId::parse(device).unwrap();
                value(&system.revoke_device(&user(name), &device).await?.value)
            }
            Ask::Events(status, continuation) => self.events(status, continuation).await?,
            Ask::Retry(id) => {
                let event = system.find_event(id).await?.value;
                value(&system.retry_event(&event.user_id, id).await?.value)
            }
            Ask::Stats => value(&system.stats().await?.value),
            Ask::Erase(name) => {
                json!({ "status": "erased", "certificate": system.erase(&user(name)).await? })
            }
        })
    }

    async fn send(&self, body: &Value) -> Result<Value, Error> {
        let names = match body["userIds"].as_array() {
            Some(names) => names.clone(),
            None => vec![body["userId"].clone()],
        };
        let mut events = Vec::new();
        for name in names {
            let scheduled_at =
                body["scheduledAt"].as_str().map(|at| UtcTimestamp::parse(at).unwrap());
            let event = NewEvent {
                user_id: user(name.as_str().unwrap()),
                event_type: EventType::from_name(body["eventType"].as_str().unwrap()).unwrap(),
                payload: serde_json::from_value(body["payload"].clone()).unwrap(),
                dedupe_key: body["dedupeKey"].as_str().map(str::to_owned),
                scheduled_at,
                idempotency_key: None,
            };
            events.push(value(&self.system.enqueue(event).await?.value));
        }
        Ok(json!({ "queued": events.len(), "events": events }))
    }

    async fn events(&self, status: &str, continuation: &str) -> Result<Value, Error> {
        let continuation = Some(continuation.to_owned()).filter(|text| !text.is_empty());
        let page = match EventStatus::from_name(status) {
            Some(status) => self.system.events(status, continuation).await?.value,
            None => self.system.dead_events(continuation).await?.value,
        };
        let events: Vec<NotificationEvent> =
            page.events.into_iter().map(NotificationEvent::with_derived_fields).collect();
        Ok(json!({ "events": events, "continuationToken": page.continuation,
            "unreadable": page.unreadable }))
    }
}

fn user(name: &str) -> UserId {
    UserId::parse(name).unwrap()
}

fn registration(body: &Value) -> DeviceRegistration {
    let text = |name: &str| body[name].as_str().unwrap().to_owned();
    DeviceRegistration {
        device_id: DeviceId::parse(text("deviceId")).unwrap(),
        push_token: PushToken::parse(text("pushToken")).unwrap(),
        platform: Platform::from_name(&text("platform")).unwrap(),
        label: None,
    }
}

fn value(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).unwrap()
}

fn refused(error: &Error) -> Refused {
    let status = match error.kind() {
        ErrorKind::Invalid => 400,
        ErrorKind::NotFound => 404,
        ErrorKind::Conflict => 409,
        ErrorKind::Unavailable => 503,
        ErrorKind::Internal => 500,
    };
    let mut fields: Vec<_> =
        error.invalid_fields().iter().map(|problem| problem.field.clone()).collect();
    fields.sort();
    Refused { status, fields, text: error.to_string() }
}
