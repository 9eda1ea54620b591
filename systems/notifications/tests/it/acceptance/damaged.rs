//! Items that were damaged by hand, in every container: all others still work.

use serde_json::{Value, json};

use super::ask::{Ask, Way};
use super::stage::{Stage, event, like};
use super::store::containers;

/// A stored event of bob with some properties changed; null removes a property.
fn stored(id: &str, change: &Value) -> Value {
    let mut event = json!({
        "id": id, "userId": "bob", "eventType": "POST_LIKE", "category": "SOCIAL",
        "payload": { "targetId": id, "targetType": "post" },
        "status": "PENDING", "retryCount": 0, "createdAt": "2025-06-10T11:00:00.000Z",
    });
    for (name, value) in change.as_object().unwrap() {
        event[name] = value.clone();
    }
    event.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    event
}

pub(crate) async fn what_was_damaged_by_hand_stops_nobody<W: Way>() {
    let stage = Stage::<W>::new().await;
    let past = "2025-06-10T11:30:00.000Z";
    let damaged = [
        stored("type-unknown", &json!({ "eventType": "POST_EATEN" })),
        stored("no-payload", &json!({ "payload": null })),
        stored("no-time", &json!({ "createdAt": "yesterday" })),
        stored(
            "retry",
            &json!({ "status": "FAILED", "retryCount": 1, "nextRetryAt": past, "eventType": 7 }),
        ),
        stored("lost", &json!({ "status": "PROCESSING", "leaseUntil": past, "payload": [] })),
        stored("scheduled", &json!({ "scheduledAt": past, "category": "FOOD" })),
        stored("count", &json!({ "status": "FAILED", "retryCount": -1, "nextRetryAt": past })),
        stored("dead", &json!({ "status": "FAILED", "retryCount": 5, "payload": "gone" })),
    ];
    let inside = containers(&stage.store);
    for event in &damaged {
        inside.events.create(&"bob".into(), event).await.unwrap();
    }
    let preferences = json!({ "id": "carol", "userId": "carol", "timezone": 7 });
    inside.preferences.create(&"carol".into(), &preferences).await.unwrap();
    let device = json!({ "id": "d", "userId": "dave", "deviceId": "d", "lastSeenAt": past,
        "revokedAt": null, "pushToken": "secret-token" });
    inside.devices.create(&"dave".into(), &device).await.unwrap();
    let listed =
        json!({ "id": "n", "userId": "erin", "dismissed": false, "createdAt": past, "title": 7 });
    inside.notifications.create(&"erin".into(), &listed).await.unwrap();
    let mut sent = Vec::new();
    for user in ["bob", "carol", "dave", "erin"] {
        sent.push(stage.send(&event(user, "POST_LIKE", "alice", "p1")).await);
    }
    for _ in 0..8 {
        stage.dispatch().await;
        stage.travel_minutes(60);
    }
    for (user, id) in [("bob", &sent[0]), ("erin", &sent[3])] {
        assert_eq!(stage.event(id).await["status"], "COMPLETED", "{user}");
        assert_eq!(stage.list(user).await.len(), 1, "{user}");
    }
    for (user, id) in [("carol", &sent[1]), ("dave", &sent[2])] {
        let dead = stage.find("DEAD", id).await.unwrap_or_else(|| panic!("{user}"));
        let why = dead["lastError"].as_str().unwrap();
        assert!(!why.is_empty() && why.len() <= 1_000, "{dead}");
        assert!(!why.contains("secret-token"), "{dead}");
    }
    // Operators can still look at all there is, and what cannot be read is counted.
    for status in ["PENDING", "PROCESSING", "COMPLETED", "FAILED"] {
        stage.answer(Ask::Events(status, "")).await;
    }
    let dead = stage.answer(Ask::Events("DEAD", "")).await;
    // A wrong count is mended by giving up; then this event can be read, and be tried again.
    assert_eq!(dead["events"].as_array().unwrap().len(), 3, "{dead}");
    assert_eq!(dead["unreadable"].as_array().unwrap().len(), damaged.len() - 1, "{dead}");
    stage.answer(Ask::Retry("count")).await;
    stage.dispatch().await;
    assert_eq!(stage.event("count").await["status"], "COMPLETED");
    assert_eq!(stage.ask(Ask::Retry("type-unknown")).await.unwrap_err().status, 409);
    let stats = stage.answer(Ask::Stats).await;
    assert_eq!((&stats["events"]["COMPLETED"], &stats["dead"]), (&json!(3), &json!(9)), "{stats}");
    assert_eq!(stage.processed(&like("frank")).await["status"], "COMPLETED");
}
