//! The demonstration: a few people with devices, events for them, and push providers inside this program.
//!
//! Owns who they are and what happened to them. Seeding again, on a folder, adds nothing.

use std::sync::Arc;

use client::{Clock, SystemClock};
use notifications::delivery::fake::{FakeApns, FakeFcm};
use notifications::{
    ADMIN_ROLE, DeviceId, DeviceRegistration, EventPayload, EventType, NewEvent, Notifications,
    Platform, PreferencesChange, PushToken, SERVICE_ROLE, TargetType, UserId,
};
use service::identity::Identity;

use super::configuration::Everything;
use super::opening::told;
use crate::failure::Failure;

const WHAT: &str = "making the demonstration";

/// Who can be signed in as: the first may send, and see the queue.
const PEOPLE: [(&str, &[&str]); 2] = [("bob", &[SERVICE_ROLE, ADMIN_ROLE]), ("alice", &[])];

/// What happened, who did it, to what, a few words, and what makes several one.
type Happening =
    (EventType, &'static str, &'static str, Option<&'static str>, Option<&'static str>);

/// Events of bob.
const STORY: [Happening; 9] = [
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

/// So many more likes that the list has several pages.
const FURTHER_LIKES: usize = 30;

/// The providers inside this program.
pub(super) struct Demo {
    fcm: FakeFcm,
    apns: FakeApns,
}

impl Demo {
    pub(super) async fn start() -> Result<Self, Failure> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let failed = |error: std::io::Error| Failure::new(WHAT, error.to_string());
        let fcm = FakeFcm::start(Arc::clone(&clock)).await.map_err(failed)?;
        let apns = FakeApns::start(clock).await.map_err(failed)?;
        Ok(Self { fcm, apns })
    }

    /// The settings with these providers in the place of real ones.
    pub(super) fn settings(&self, settings: &Everything) -> Everything {
        Everything { fcm: self.fcm.settings(), apns: self.apns.settings(), ..settings.clone() }
    }
}

/// Names and paths of links that sign in; none outside of demo mode.
pub(super) fn links(identity: &Identity) -> Vec<(String, String)> {
    let link = |(name, roles): (&str, &[&str])| {
        Some((name.to_owned(), identity.sign_in_link(name, roles)?))
    };
    PEOPLE.into_iter().filter_map(link).collect()
}

/// Makes the people and what happened to them.
pub(super) async fn seed(system: &Notifications) -> Result<(), Failure> {
    let failed = |error: notifications::Error| told(WHAT, &error);
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
    for number in 0..FURTHER_LIKES {
        let target = format!("photo-{number}");
        let event = event(&bob, EventType::PostLike, "Erin", &target, None, None);
        system.enqueue(event).await.map_err(failed)?;
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

fn user(name: &str) -> Result<UserId, Failure> {
    UserId::parse(name).map_err(|why| Failure::new(WHAT, why))
}

fn registration(
    device: &str,
    label: &str,
    platform: Platform,
) -> Result<DeviceRegistration, Failure> {
    let wrong = |why: String| Failure::new(WHAT, why);
    // APNs knows hexadecimal tokens only.
    let token = match platform {
        Platform::Apns => "0123456789abcdef".repeat(4),
        _ => format!("demonstration-token-of-the-{device}"),
    };
    Ok(DeviceRegistration {
        device_id: DeviceId::parse(device).map_err(wrong)?,
        push_token: PushToken::parse(token).map_err(wrong)?,
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
