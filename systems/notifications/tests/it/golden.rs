//! One golden document for each stored type: exact names, and unknown properties that are kept.

use notifications::{Device, Notification, NotificationEvent, Preferences};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::world::{World, user};

const EVENT: &str = include_str!("golden/event.json");
const NOTIFICATION: &str = include_str!("golden/notification.json");
const PREFERENCES: &str = include_str!("golden/preferences.json");
const DEVICE: &str = include_str!("golden/device.json");

/// Checks that the document, parsed and serialized, is the same text.
fn check<T: Serialize + DeserializeOwned>(text: &str) {
    let value: T = serde_json::from_str(text).unwrap();
    let expected =
        serde_json::to_string_pretty(&serde_json::from_str::<Value>(text).unwrap()).unwrap();
    let printed = serde_json::to_string_pretty(&serde_json::to_value(&value).unwrap()).unwrap();
    assert_eq!(printed, expected);
}

#[test]
fn documents_are_stored_under_their_exact_names() {
    check::<NotificationEvent>(EVENT);
    check::<Notification>(NOTIFICATION);
    check::<Preferences>(PREFERENCES);
    check::<Device>(DEVICE);
}

#[tokio::test]
async fn properties_of_other_writers_are_kept() {
    let world = World::new().await;
    let mut stored: Value = serde_json::from_str(NOTIFICATION).unwrap();
    stored["fromANewerWriter"] = Value::from("kept");
    let notifications = &world.system.containers().notifications;
    notifications.create(&"bob".into(), &stored).await.unwrap();
    let id = stored["id"].as_str().unwrap();
    world.system.mark_read(&user("bob"), id).await.unwrap();
    let read = notifications.read::<Value>(&"bob".into(), id).await.unwrap().value.into_value();
    assert_eq!(read["fromANewerWriter"], "kept");
    assert_eq!(read["read"], true);
}

#[tokio::test]
async fn times_in_other_forms_are_normalized_when_they_are_written_again() {
    let world = World::new().await;
    let mut stored: Value = serde_json::from_str(PREFERENCES).unwrap();
    stored["updatedAt"] = Value::from("2025-06-01T10:00:00+02:00");
    world.system.containers().preferences.create(&"bob".into(), &stored).await.unwrap();
    let read = world.system.preferences(&user("bob")).await.unwrap().value;
    assert_eq!(read.updated_at.to_string(), "2025-06-01T08:00:00.000Z");
}
