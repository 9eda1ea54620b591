//! The demonstration: a few users with devices, events for them, and push providers inside this program.
//!
//! Seeding the same folder again adds nothing.

use std::sync::Arc;

use client::{Clock, SystemClock};
use notifications::delivery::fake::{FakeApns, FakeFcm};
use notifications::{
    ADMIN_ROLE, DeviceId, DeviceRegistration, EventPayload, EventType, NewEvent, Notifications,
    Platform, PreferencesChange, PushToken, SERVICE_ROLE, TargetType, UserId,
};
use service::identity::Identity;

use super::configuration::AllSettings;
use super::open::system_error;
use crate::error::CommandError;

const ACTION: &str = "preparing the demonstration";

/// The users to sign in as. The first may send events and see the queue.
const PEOPLE: [(&str, &[&str]); 2] = [("bob", &[SERVICE_ROLE, ADMIN_ROLE]), ("alice", &[])];

/// Event type, actor, target, snippet and dedupe key.
type DemoEvent =
    (EventType, &'static str, &'static str, Option<&'static str>, Option<&'static str>);

/// Events of bob.
const STORY: [DemoEvent; 9] = [
    (EventType::NewsSystemUpdate, "", "release-2", None, None),
    (EventType::PostLike, "Alice", "sunset", None, Some("likes of sunset")),
    (EventType::PostLike, "Carol", "sunset", None, Some("likes of sunset")),
    (EventType::PostLike, "Dave", "sunset", None, Some("likes of sunset")),
    (EventType::PostComment, "Carol", "sunset", Some("Where was this taken?"), None),
    (EventType::CommentReply, "Alice", "comment-7", Some("By the lake, of course."), None),
    (EventType::FollowerNew, "Erin", "erin", None, None),
    (EventType::PostShare, "Dave", "harbour", None, None),
    (EventType::SecurityNewDevice, "", "tablet", None, None),
];

/// Enough further events for a list of several pages, of different people and kinds.
const FURTHER_EVENTS: usize = 30;
const FURTHER_PEOPLE: [&str; 5] = ["Erin", "Frank Moss", "Grace", "Heidi Lund", "Ivan"];
const FURTHER_WORDS: [&str; 3] = ["Lovely light.", "Which lens was it?", "I was there last year."];

/// The providers inside this program.
pub(super) struct DemoProviders {
    fcm: FakeFcm,
    apns: FakeApns,
}

impl DemoProviders {
    pub(super) async fn start() -> Result<Self, CommandError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let failed = |error: std::io::Error| CommandError::new(ACTION, error.to_string());
        let fcm = FakeFcm::start(Arc::clone(&clock)).await.map_err(failed)?;
        let apns = FakeApns::start(clock).await.map_err(failed)?;
        Ok(Self { fcm, apns })
    }

    /// The settings with these providers instead of real ones.
    pub(super) fn settings(&self, settings: &AllSettings) -> AllSettings {
        AllSettings { fcm: self.fcm.settings(), apns: self.apns.settings(), ..settings.clone() }
    }
}

/// Names and paths of sign-in links; none outside demo mode.
pub(super) fn links(identity: &Identity) -> Vec<(String, String)> {
    let link = |(name, roles): (&str, &[&str])| {
        Some((name.to_owned(), identity.sign_in_link(name, roles)?))
    };
    PEOPLE.into_iter().filter_map(link).collect()
}

/// Creates the users and their events.
pub(super) async fn seed(system: &Notifications) -> Result<(), CommandError> {
    let failed = |error: notifications::Error| system_error(ACTION, &error);
    let bob = user("bob")?;
    for (device, label, platform) in
        [("phone", "Bob's phone", Platform::Fcm), ("tablet", "Bob's tablet", Platform::Apns)]
    {
        let registration = registration(device, label, platform)?;
        system.register_device(&bob, &registration).await.map_err(failed)?;
    }
    let change = PreferencesChange {
        timezone: Some("Europe/Berlin".to_owned()),
        ..PreferencesChange::default()
    };
    system.change_preferences(&bob, &change).await.map_err(failed)?;
    for number in 0..FURTHER_EVENTS {
        system.enqueue(further_event(&bob, number)).await.map_err(failed)?;
    }
    for (event_type, actor, target, snippet, dedupe_key) in STORY {
        let event = event(&bob, event_type, actor, target, snippet, dedupe_key);
        system.enqueue(event).await.map_err(failed)?;
    }
    let alice = user("alice")?;
    let event = event(&alice, EventType::PostLike, "Bob", "bridge", None, None);
    system.enqueue(event).await.map_err(failed)?;
    Ok(())
}

/// One of the further events; each has another target, so that none is merged.
fn further_event(user: &UserId, number: usize) -> NewEvent {
    let pick =
        |words: &[&'static str]| words.get(number % words.len()).copied().unwrap_or_default();
    let (event_type, snippet) = match number % 3 {
        0 => (EventType::PostLike, None),
        1 => (EventType::PostComment, Some(pick(&FURTHER_WORDS))),
        _ => (EventType::PostShare, None),
    };
    let target = format!("photo-{number}");
    event(user, event_type, pick(&FURTHER_PEOPLE), &target, snippet, None)
}

fn user(name: &str) -> Result<UserId, CommandError> {
    UserId::parse(name).map_err(|why| CommandError::new(ACTION, why))
}

fn registration(
    device: &str,
    label: &str,
    platform: Platform,
) -> Result<DeviceRegistration, CommandError> {
    let invalid = |why: String| CommandError::new(ACTION, why);
    // APNs tokens are hexadecimal.
    let token = match platform {
        Platform::Apns => "0123456789abcdef".repeat(4),
        _ => format!("demonstration-token-of-the-{device}"),
    };
    Ok(DeviceRegistration {
        device_id: DeviceId::parse(device).map_err(invalid)?,
        push_token: PushToken::parse(token).map_err(invalid)?,
        platform,
        label: Some(label.to_owned()),
    })
}

fn event(
    user: &UserId,
    event_type: EventType,
    actor: &str,
    target: &str,
    snippet: Option<&str>,
    dedupe_key: Option<&str>,
) -> NewEvent {
    let actor = Some(actor).filter(|actor| !actor.is_empty());
    // The idempotency key: seeding again finds the same events instead of adding them.
    let key = format!("demo {} {actor:?} {target}", event_type.name());
    let target_type = match event_type {
        EventType::CommentReply => TargetType::Comment,
        EventType::FollowerNew | EventType::SecurityNewDevice => TargetType::User,
        _ => TargetType::Post,
    };
    NewEvent {
        user_id: user.clone(),
        event_type,
        payload: EventPayload {
            actor_id: actor.map(str::to_lowercase),
            actor_name: actor.map(str::to_owned),
            target_id: target.to_owned(),
            target_type,
            snippet: snippet.map(str::to_owned),
            extra: serde_json::Map::new(),
        },
        dedupe_key: dedupe_key.map(str::to_owned),
        scheduled_at: None,
        idempotency_key: Some(key),
    }
}
