//! The list, and how long notifications stay in it: NT-A1, A2, A4, A5, A6, A12.

use client::TimeToLive;
use notifications::Containers;
use serde_json::{Value, json};

use super::ask::{Ask, Way};
use super::stage::{Stage, event, keyed, like};

pub(crate) async fn nt_a01_a_fresh_store_has_the_containers_as_stated<W: Way>() {
    let stage = Stage::<W>::new().await;
    let Containers { events, notifications, preferences, devices, .. } = stage.system.containers();
    for (container, name, time_to_live) in [
        (events, "notification_events", TimeToLive::Seconds(2_592_000)),
        (notifications, "notifications", TimeToLive::Seconds(2_592_000)),
        (preferences, "notification_preferences", TimeToLive::Off),
        (devices, "device_tokens", TimeToLive::Off),
    ] {
        let properties = container.read_properties().await.unwrap().value;
        assert_eq!(properties.id.as_str(), name);
        let paths = properties.partition_key.paths().iter().map(ToString::to_string);
        assert_eq!(paths.collect::<Vec<_>>(), ["/userId"], "{name}");
        assert_eq!(properties.default_time_to_live, time_to_live, "{name}");
        let policy = properties.indexing_policy.to_json().to_string();
        assert!(policy.contains("\"/*\"") && policy.contains("_etag"), "{name}: {policy}");
    }
}

pub(crate) async fn nt_a02_a_like_is_listed_read_and_put_away<W: Way>() {
    let stage = Stage::<W>::new().await;
    let sent_at = stage.now();
    let done = stage.processed(&like("alice")).await;
    assert_eq!(done["status"], "COMPLETED");
    let processed_at =
        notifications::UtcTimestamp::parse(done["processedAt"].as_str().unwrap()).unwrap();
    assert!(processed_at.since(sent_at).as_secs() < 2, "{done}");
    assert_eq!((done.get("leaseOwner"), done.get("leaseUntil")), (None, None));
    let list = stage.list("bob").await;
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!(list[0]["title"], "alice liked your post");
    assert_eq!(list[0]["deeplink"], "asora://post/p1");
    assert_eq!((&list[0]["read"], &list[0]["dismissed"]), (&json!(false), &json!(false)));
    assert_eq!(stage.unread("bob").await, 1);
    let id = list[0]["id"].as_str().unwrap();
    let read = stage.answer(Ask::Read("bob", id)).await;
    assert_eq!(read["read"], true);
    stage.travel_minutes(1);
    let again = stage.answer(Ask::Read("bob", id)).await;
    assert_eq!(again["readAt"], read["readAt"], "the time is set once");
    assert_eq!(stage.unread("bob").await, 0);
    assert_eq!(stage.list("bob").await.len(), 1, "what is read stays");
    let dismissed = stage.answer(Ask::Dismiss("bob", id)).await;
    assert_eq!(dismissed["dismissed"], true);
    let again = stage.answer(Ask::Dismiss("bob", id)).await;
    assert_eq!(again["dismissedAt"], dismissed["dismissedAt"]);
    assert_eq!(stage.list("bob").await, Vec::<Value>::new());
}

pub(crate) async fn nt_a04_what_is_switched_off_leads_to_nothing_but_warnings_come<W: Way>() {
    let stage = Stage::<W>::new().await;
    stage.register("bob", "d1").await;
    stage.prefer("bob", json!({ "categories": { "social": false } })).await;
    let comment = stage.processed(&event("bob", "POST_COMMENT", "alice", "p1")).await;
    assert_eq!(
        (&comment["status"], &comment["reason"]),
        (&json!("COMPLETED"), &json!("category_off"))
    );
    assert_eq!(stage.list("bob").await, Vec::<Value>::new());
    assert_eq!((stage.unread("bob").await, stage.pushed()), (0, 0));
    let warning = stage.processed(&event("bob", "SAFETY_ACCOUNT_WARNING", "us", "p1")).await;
    assert_eq!((&warning["status"], warning.get("reason")), (&json!("COMPLETED"), None));
    let list = stage.list("bob").await;
    assert_eq!((list.len(), &list[0]["category"]), (1, &json!("SAFETY")));
    assert_eq!((stage.unread("bob").await, stage.pushed()), (1, 1));
}

pub(crate) async fn nt_a05_wrong_preferences_are_refused_by_name<W: Way>() {
    let stage = Stage::<W>::new().await;
    let before = stage.answer(Ask::Preferences("bob")).await;
    let wrong = json!({ "timezone": "Mars/Base", "quietHours": vec![true; 23], "volume": 11 });
    let refused = stage.ask(Ask::Prefer("bob", &wrong)).await.unwrap_err();
    assert_eq!(refused.status, 400);
    assert_eq!(refused.fields, ["quietHours", "timezone", "volume"]);
    assert!(refused.text.contains("Mars/Base") && refused.text.contains("23"), "{}", refused.text);
    for (change, field) in [
        (json!({ "timezone": "Mars/Base" }), "timezone"),
        (json!({ "quietHours": vec![true; 23] }), "quietHours"),
        (json!({ "volume": 11 }), "volume"),
        (json!({ "categories": { "security": false } }), "categories.security"),
    ] {
        let refused = stage.ask(Ask::Prefer("bob", &change)).await.unwrap_err();
        assert_eq!((refused.status, refused.fields), (400, vec![field.to_owned()]));
    }
    assert_eq!(stage.answer(Ask::Preferences("bob")).await, before, "nothing of it is stored");
    let right = json!({ "timezone": "Europe/Berlin" });
    assert_eq!(stage.answer(Ask::Prefer("bob", &right)).await["timezone"], "Europe/Berlin");
}

pub(crate) async fn nt_a06_events_of_one_dedupe_key_are_one_notification_for_a_while<W: Way>() {
    let stage = Stage::<W>::new().await;
    stage.register("bob", "d1").await;
    let first = stage.processed(&keyed("k", like("alice"))).await;
    assert_eq!(first["status"], "COMPLETED");
    stage.travel_minutes(14);
    let second = stage.processed(&keyed("k", like("carol"))).await;
    assert_eq!(second["status"], "DEDUPLICATED");
    let list = stage.list("bob").await;
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!(list[0]["title"], "alice and 1 other liked your post");
    assert_eq!((&list[0]["count"], &second["notificationId"]), (&json!(2), &list[0]["id"]));
    assert_eq!(stage.pushed(), 1, "what is added is not pushed again");
    // Sixteen minutes after the first.
    stage.travel_minutes(2);
    let later = stage.processed(&keyed("k", like("dave"))).await;
    assert_eq!(later["status"], "COMPLETED");
    let list = stage.list("bob").await;
    assert_eq!(list.len(), 2);
    assert_eq!(list[0]["title"], "dave liked your post");
    assert_eq!(stage.pushed(), 2);
}

pub(crate) async fn nt_a12_reading_does_not_prolong_a_life<W: Way>() {
    const DAY_MINUTES: u64 = 24 * 60;
    let stage = Stage::<W>::new().await;
    let sent = stage.send(&like("alice")).await;
    stage.dispatch().await;
    let list = stage.list("bob").await;
    stage.travel_minutes(29 * DAY_MINUTES);
    stage.answer(Ask::Read("bob", list[0]["id"].as_str().unwrap())).await;
    stage.travel_minutes(DAY_MINUTES - 1);
    assert_eq!(stage.list("bob").await.len(), 1, "its last minute");
    stage.travel_minutes(DAY_MINUTES + 1);
    assert_eq!(stage.list("bob").await, Vec::<Value>::new());
    assert_eq!(stage.unread("bob").await, 0);
    let refused = stage.ask(Ask::Read("bob", list[0]["id"].as_str().unwrap())).await.unwrap_err();
    assert_eq!(refused.status, 404);
    assert_eq!(stage.find("COMPLETED", &sent).await, None, "its event is gone too");
}
