//! The acceptance scenarios, by their ids, on the embedded account. `http` has them over HTTP where a route is meant.

use std::time::Duration;

use notifications::delivery::PushResult;
use notifications::{
    Containers, EventType, Moment, PreferencesChange, QuietMode, Reason, RevokedReason, Settings,
    Status,
};
use serde_json::json;

use crate::world::{NOON, World, counted, event, event_for, keyed, user};

const RETRY: PushResult = PushResult::Retry { after: None, reason: String::new() };

async fn prefer(world: &World, change: serde_json::Value) {
    let change = PreferencesChange::parse(&change).unwrap();
    world.system.change_preferences(&user("bob"), &change).await.unwrap();
}

#[tokio::test]
async fn nt_a01_a_fresh_store_has_the_containers_as_stated() {
    let world = World::new().await;
    let Containers { events, notifications, preferences, devices, .. } = world.system.containers();
    for (container, seconds) in [
        (events, Some(2_592_000)),
        (notifications, Some(2_592_000)),
        (preferences, None),
        (devices, None),
    ] {
        let properties = container.read_properties().await.unwrap().value;
        let paths: Vec<_> =
            properties.partition_key.paths().iter().map(ToString::to_string).collect();
        assert_eq!(paths, ["/userId"], "{}", container.path());
        let expected = seconds.map_or(client::TimeToLive::Off, client::TimeToLive::Seconds);
        assert_eq!(properties.default_time_to_live, expected, "{}", container.path());
    }
    let events = events.read_properties().await.unwrap().value;
    assert!(events.indexing_policy.to_json().to_string().contains("/nextRetryAt"));
}

#[tokio::test]
async fn nt_a01_the_time_to_live_follows_the_setting_on_containers_that_exist() {
    let world = World::new().await;
    let settings = Settings { retention_days: 7, ..Settings::default() };
    let delivery = std::sync::Arc::new(world.provider.clone());
    let environment = world.environment.clone();
    let again =
        notifications::Notifications::open(world.account.clone(), settings, environment, delivery);
    let events = again.await.unwrap().containers().events.read_properties().await.unwrap().value;
    assert_eq!(events.default_time_to_live, client::TimeToLive::Seconds(7 * 86_400));
}

#[tokio::test]
async fn nt_a02_a_like_comes_into_the_list_and_is_read_and_put_away() {
    let world = World::new().await;
    let done = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!(done.status, Status::Completed);
    assert!(done.processed_at.is_some());
    assert_eq!((done.lease_owner, done.lease_until), (None, None));
    let list = world.list("bob").await;
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].title, "alice liked your post");
    assert_eq!(list[0].deeplink, "asora://post/p1");
    assert_eq!(world.unread("bob").await, 1);
    let read = world.system.mark_read(&user("bob"), &list[0].id).await.unwrap().value;
    let first = read.read_at.unwrap();
    world.travel(10);
    let again = world.system.mark_read(&user("bob"), &list[0].id).await.unwrap().value;
    assert_eq!(again.read_at, Some(first));
    assert_eq!(world.unread("bob").await, 0);
    assert_eq!(world.list("bob").await.len(), 1);
    for _ in 0..2 {
        world.system.dismiss(&user("bob"), &list[0].id).await.unwrap();
    }
    assert_eq!(world.list("bob").await, []);
}

/// Pushes that a `POST_LIKE` and then a `SECURITY_NEW_DEVICE` lead to at this time in Los Angeles.
async fn pushes_at(time: &str) -> (usize, usize) {
    let world = World::at(time, Settings::default()).await;
    prefer(&world, json!({ "timezone": "America/Los_Angeles" })).await;
    world.register("bob", "d1").await;
    let like = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    let social = world.provider.count();
    assert_eq!(like.status, Status::Completed);
    assert_eq!(like.reason, (social == 0).then_some(Reason::QuietHours));
    world.send_and_dispatch(event(EventType::SecurityNewDevice, "bob")).await;
    assert_eq!(world.list("bob").await.len(), 2, "the list has both, whatever is pushed");
    (social, world.provider.count() - social)
}

#[tokio::test]
async fn nt_a03_quiet_hours_keep_pushes_back_but_not_those_about_security() {
    assert_eq!(pushes_at("2025-07-02T05:30:00.000Z").await, (0, 1));
    assert_eq!(pushes_at("2025-07-02T15:00:00.000Z").await, (1, 1));
    assert_eq!(pushes_at("2025-12-02T05:30:00.000Z").await, (1, 1));
    // Clocks go forward on 9 March: 07:00 there is 14:00 UTC already.
    assert_eq!(pushes_at("2025-03-09T13:30:00.000Z").await, (0, 1));
    assert_eq!(pushes_at("2025-03-09T14:30:00.000Z").await, (1, 1));
    // And back on 2 November: 07:00 there is 15:00 UTC again.
    assert_eq!(pushes_at("2025-11-02T14:30:00.000Z").await, (0, 1));
    assert_eq!(pushes_at("2025-11-02T15:30:00.000Z").await, (1, 1));
}

#[tokio::test]
async fn nt_a03_in_mode_defer_the_push_comes_when_the_quiet_hours_end() {
    let settings = Settings { quiet_mode: QuietMode::Defer, ..Settings::default() };
    let world = World::at("2025-06-10T23:00:00.000Z", settings).await;
    world.register("bob", "d1").await;
    let waiting = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!((waiting.status, waiting.reason), (Status::Pending, Some(Reason::QuietHours)));
    assert_eq!(waiting.scheduled_at.unwrap().to_string(), "2025-06-11T07:00:00.000Z");
    assert_eq!((world.list("bob").await.len(), world.provider.count()), (1, 0));
    world.travel_to("2025-06-11T06:59:00.000Z");
    world.dispatch().await;
    assert_eq!(world.provider.count(), 0);
    world.travel_to("2025-06-11T07:00:00.000Z");
    world.dispatch().await;
    assert_eq!((world.list("bob").await.len(), world.provider.count()), (1, 1));
    assert_eq!(world.event(&waiting).await.status, Status::Completed);
}

#[tokio::test]
async fn nt_a04_what_is_switched_off_leads_to_nothing_but_warnings_come() {
    let world = World::new().await;
    prefer(&world, json!({ "categories": { "social": false } })).await;
    let done = world.send_and_dispatch(event(EventType::PostComment, "alice")).await;
    assert_eq!((done.status, done.reason), (Status::Completed, Some(Reason::CategoryOff)));
    assert_eq!(world.list("bob").await, []);
    world.send_and_dispatch(event(EventType::SafetyAccountWarning, "us")).await;
    assert_eq!(world.list("bob").await.len(), 1);
    // Offers are off until somebody switches them on.
    let offer = world.send_and_dispatch(event(EventType::MarketingPromotion, "us")).await;
    assert_eq!(offer.reason, Some(Reason::CategoryOff));
}

#[test]
fn nt_a05_wrong_preferences_are_refused_by_name() {
    let body = json!({ "timezone": "Mars/Base", "quietHours": vec![true; 23], "volume": 11,
        "categories": { "security": false, "social": "yes" } });
    let error = PreferencesChange::parse(&body).unwrap_err();
    let mut fields: Vec<_> =
        error.problems().iter().map(|problem| problem.field.as_str()).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        ["categories.security", "categories.social", "quietHours", "timezone", "volume"]
    );
    assert!(error.to_string().contains("'Mars/Base'"), "{error}");
    assert!(error.to_string().contains("23"), "{error}");
}

#[tokio::test]
async fn nt_a06_events_of_one_dedupe_key_become_one_notification_for_a_while() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.send_and_dispatch(keyed("k", event(EventType::PostLike, "alice"))).await;
    world.travel(60);
    let second = world.send_and_dispatch(keyed("k", event(EventType::PostLike, "carol"))).await;
    assert_eq!(second.status, Status::Deduplicated);
    let list = world.list("bob").await;
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].title, "alice and 1 other liked your post");
    assert_eq!(second.notification_id.as_ref(), Some(&list[0].id));
    world.send_and_dispatch(keyed("k", event(EventType::PostLike, "dave"))).await;
    assert_eq!(world.list("bob").await[0].title, "alice and 2 others liked your post");
    assert_eq!(world.list("bob").await[0].count, Some(3));
    assert_eq!(world.provider.count(), 1, "what is added is not pushed again");
    world.travel(15 * 60);
    let later = world.send_and_dispatch(keyed("k", event(EventType::PostLike, "erin"))).await;
    assert_eq!(later.status, Status::Completed);
    assert_eq!(world.list("bob").await.len(), 2);
}

#[tokio::test]
async fn nt_a06_the_same_actor_again_is_no_other_and_a_new_one_makes_it_unread() {
    let world = World::new().await;
    world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    let list = world.list("bob").await;
    world.system.mark_read(&user("bob"), &list[0].id).await.unwrap();
    let again = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!(again.status, Status::Deduplicated);
    assert_eq!(world.list("bob").await[0].title, "alice liked your post");
    assert_eq!(world.unread("bob").await, 0);
    let key = list[0].dedupe_key.clone().unwrap();
    world.send_and_dispatch(keyed(&key, event(EventType::PostLike, "carol"))).await;
    assert_eq!(world.list("bob").await[0].title, "alice and 1 other liked your post");
    assert_eq!(world.unread("bob").await, 1);
}

#[tokio::test]
async fn nt_a07_the_fourth_push_in_an_hour_stays_in_the_list() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    for actor in ["a", "b", "c"] {
        world.send_and_dispatch(event(EventType::PostLike, actor)).await;
    }
    let fourth = world.send_and_dispatch(event(EventType::PostLike, "d")).await;
    assert_eq!(fourth.status, Status::RateLimited);
    assert_eq!((world.provider.count(), world.list("bob").await.len()), (3, 4));
    // What was not pushed does not prolong the limit.
    world.travel(3_601);
    let later = world.send_and_dispatch(event(EventType::PostLike, "e")).await;
    assert_eq!(later.status, Status::Completed);
    assert_eq!(world.provider.count(), 4);
}

#[tokio::test]
async fn nt_a07_the_limit_of_a_day_and_of_other_categories_are_their_own() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.send_and_dispatch(event(EventType::NewsSystemUpdate, "us")).await;
    let second = event_for("bob", EventType::NewsSystemUpdate, "us", "p2");
    assert_eq!(world.send_and_dispatch(second).await.status, Status::RateLimited);
    let social = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!(social.status, Status::Completed);
}

#[tokio::test]
async fn nt_a08_a_fourth_device_takes_the_place_of_the_oldest() {
    let world = World::new().await;
    for device in ["d1", "d2", "d3"] {
        assert!(world.register("bob", device).await.is_new);
        world.travel(1);
    }
    let fourth = world.register("bob", "d4").await;
    let evicted = fourth.evicted.unwrap();
    assert_eq!(evicted.device_id.as_str(), "d1");
    assert_eq!(evicted.revoked_reason, Some(RevokedReason::Cap));
    assert_eq!(world.active("bob").await, ["d2", "d3", "d4"]);
    world.travel(1);
    let back = world.register("bob", "d1").await;
    assert!(!back.is_new);
    assert_eq!(back.evicted.unwrap().device_id.as_str(), "d2");
    assert_eq!(world.active("bob").await, ["d1", "d3", "d4"]);
}

#[tokio::test]
async fn nt_a08_phones_that_register_at_the_same_time_are_never_more_than_three() {
    let world = World::new().await;
    let at_once = (0..8).map(|number| {
        let (system, device) = (world.system.clone(), format!("d{number}"));
        tokio::spawn(async move {
            let registration = crate::world::registration(&device, &format!("token-{device}"));
            system.register_device(&user("bob"), &registration).await.unwrap();
        })
    });
    for task in at_once.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(world.active("bob").await.len(), 3);
    assert_eq!(world.system.devices(&user("bob")).await.unwrap().value.len(), 8);
}

fn minutes_between(from: Moment, to: Moment) -> f64 {
    to.since(from).as_secs_f64() / 60.0
}

#[tokio::test]
async fn nt_a09_a_provider_that_fails_is_tried_again_later() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.provider.next(RETRY);
    world.provider.next(RETRY);
    let first = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    let now = Moment::now(&world.environment);
    assert_eq!((first.status, first.retry_count), (Status::Failed, 1));
    let wait = minutes_between(now, first.next_retry_at.unwrap());
    assert!((2.0..=2.2).contains(&wait), "{wait}");
    world.travel(60);
    world.dispatch().await;
    assert_eq!(world.event(&first).await.retry_count, 1, "it is not due yet");
    world.travel(80);
    world.dispatch().await;
    let second = world.event(&first).await;
    let wait = minutes_between(Moment::now(&world.environment), second.next_retry_at.unwrap());
    assert_eq!((second.status, second.retry_count), (Status::Failed, 2));
    assert!((4.0..=4.4).contains(&wait), "{wait}");
    world.travel(300);
    world.dispatch().await;
    let third = world.event(&first).await;
    assert_eq!((third.status, third.retry_count), (Status::Completed, 2));
    assert_eq!((world.list("bob").await.len(), world.provider.count()), (1, 3));
}

#[tokio::test]
async fn nt_a09_an_unknown_token_revokes_the_device() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.provider.next(PushResult::InvalidToken);
    let done = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!((done.status, done.reason), (Status::Completed, Some(Reason::Refused)));
    let devices = world.system.devices(&user("bob")).await.unwrap().value;
    assert_eq!(devices[0].revoked_reason, Some(RevokedReason::InvalidToken));
    assert_eq!(
        world.list("bob").await[0].pushed,
        Some(false),
        "nobody got it, so it does not count"
    );
}

#[tokio::test]
async fn nt_a09_after_five_failures_an_event_is_dead_until_an_operator_sends_it_again() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.provider.always(Some(RETRY));
    let sent = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    for _ in 0..10 {
        world.travel(3_600);
        world.dispatch().await;
    }
    let dead = world.event(&sent).await;
    assert_eq!((dead.status, dead.retry_count, dead.next_retry_at), (Status::Failed, 5, None));
    assert_eq!(world.provider.count(), 5);
    let listed = world.system.dead_events(None).await.unwrap().value.events;
    assert_eq!(listed.len(), 1);
    assert_eq!(world.system.stats().await.unwrap().value.dead, 1);
    world.provider.always(None);
    world.system.retry_event(&user("bob"), &dead.id).await.unwrap();
    world.dispatch().await;
    assert_eq!(world.event(&sent).await.status, Status::Completed);
    assert_eq!(world.list("bob").await.len(), 1);
    let again = world.system.retry_event(&user("bob"), &dead.id).await.unwrap_err();
    assert_eq!(again.kind(), notifications::ErrorKind::Conflict);
}

#[tokio::test]
async fn nt_a09_a_device_that_got_its_push_is_left_alone_when_another_is_tried_again() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.travel(1);
    world.register("bob", "d2").await;
    // The device seen last comes first.
    world.provider.next(PushResult::Delivered { provider_id: "x".to_owned() });
    world.provider.next(RETRY);
    world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    world.travel(180);
    world.dispatch().await;
    let counts = counted(world.provider.pushes().into_iter().map(|(device, _)| device));
    assert_eq!((counts["d2"], counts["d1"]), (1, 2));
}

#[tokio::test]
async fn nt_a12_reading_does_not_prolong_a_life() {
    let world = World::new().await;
    let sent = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    let id = world.list("bob").await[0].id.clone();
    world.travel(29 * 86_400);
    world.system.mark_read(&user("bob"), &id).await.unwrap();
    world.travel(86_400 - 60);
    assert_eq!(world.list("bob").await.len(), 1);
    world.travel(2 * 60);
    assert_eq!(world.list("bob").await, []);
    let events = &world.system.containers().events;
    assert!(events.read::<serde_json::Value>(&"bob".into(), &sent.id).await.is_err());
}

#[tokio::test]
async fn nt_a13_two_workers_process_each_event_once_and_keep_the_order_of_a_user() {
    let settings = Settings { rate_limits: Default::default(), ..Settings::default() };
    let world = World::at(NOON, settings).await;
    const USERS: usize = 20;
    for number in 0..USERS {
        world.register(&format!("u{number}"), &format!("d{number}")).await;
    }
    for number in 0..1_000 {
        let name = format!("u{}", number % USERS);
        world.send(event_for(&name, EventType::PostLike, "alice", &format!("p{number:04}"))).await;
    }
    let (one, two) = (world.system.clone(), world.reopened().await);
    let (one, two) = (one.dispatcher("one").await.unwrap(), two.dispatcher("two").await.unwrap());
    let (first, second) = tokio::join!(one.run_once(), two.run_once());
    let processed = first.unwrap().processed + second.unwrap().processed;
    assert_eq!(processed, 1_000);
    assert_eq!(world.provider.count(), 1_000);
    let pushes = world.provider.pushes();
    for number in 0..USERS {
        let device = format!("d{number}");
        let links: Vec<_> = pushes
            .iter()
            .filter(|(to, _)| *to == device)
            .map(|(_, push)| push.deeplink.clone())
            .collect();
        assert_eq!(links.len(), 50);
        assert!(links.is_sorted(), "{device}: {links:?}");
    }
    let list = world.list("u0").await;
    assert!(list.is_sorted_by(|newer, older| newer.created_at >= older.created_at), "newest first");
}

#[tokio::test]
async fn nt_a16_foreign_text_is_made_safe_and_short() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    let mut like = event(EventType::PostComment, "<b>al</b>ice");
    like.payload.snippet = Some(format!("<script>alert(1)</script>{}", "x".repeat(5_000)));
    let done = world.send_and_dispatch(like).await;
    assert!(done.payload.snippet.unwrap().chars().count() <= 140, "no more of it is stored");
    let notification = &world.list("bob").await[0];
    assert_eq!(notification.title, "alice commented on your post");
    assert!(!notification.body.contains('<') && notification.body.starts_with("alert(1)xx"));
    assert_eq!(notification.body.chars().count(), 140);
    let (_, push) = &world.provider.pushes()[0];
    let bytes = push.title.len() + push.body.len() + push.deeplink.len() + push.collapse_id.len();
    assert!(bytes < 2_048, "{bytes}");
    assert!(push.collapse_id.len() <= 64);
}

#[tokio::test]
async fn an_event_that_is_scheduled_waits_for_its_time() {
    let world = World::new().await;
    let mut later = event(EventType::PostLike, "alice");
    later.scheduled_at = Some(Moment::now(&world.environment).after(Duration::from_secs(3_600)));
    let sent = world.send_and_dispatch(later).await;
    assert_eq!(sent.status, Status::Pending);
    world.travel(3_599);
    world.dispatch().await;
    assert_eq!(world.list("bob").await, []);
    world.travel(1);
    world.dispatch().await;
    assert_eq!(world.event(&sent).await.status, Status::Completed);
    assert_eq!(world.list("bob").await.len(), 1);
}

#[tokio::test]
async fn a_sender_that_repeats_itself_sends_one_event() {
    let world = World::new().await;
    let mut like = event(EventType::PostLike, "alice");
    like.idempotency_key = Some("order 7".to_owned());
    let first = world.send(like.clone()).await;
    world.travel(3_600);
    let second = world.send(like).await;
    assert_eq!(first, second);
}

#[tokio::test]
async fn without_a_provider_the_list_works_and_the_push_says_so() {
    let world = World::new().await;
    world.provider.not_configured();
    world.register("bob", "d1").await;
    let done = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!((done.status, done.reason), (Status::Completed, Some(Reason::NotConfigured)));
    assert_eq!(serde_json::to_value(&done.deliveries).unwrap()[0]["result"], "not_configured");
    assert_eq!((world.list("bob").await.len(), world.provider.count()), (1, 0));
}

#[tokio::test]
async fn the_list_comes_in_pages_and_by_category() {
    let world = World::new().await;
    for number in 0..25 {
        world.send(event(EventType::PostLike, &format!("a{number}"))).await;
    }
    world.send(event(EventType::SafetyAccountWarning, "us")).await;
    world.dispatch().await;
    let bob = user("bob");
    let mut options = notifications::ListOptions::default();
    let first = world.system.list(&bob, &options).await.unwrap().value;
    assert_eq!(first.notifications.len(), 20);
    options.continuation = first.continuation;
    let second = world.system.list(&bob, &options).await.unwrap().value;
    assert_eq!((second.notifications.len(), second.continuation), (6, None));
    let safety = notifications::ListOptions {
        category: Some(notifications::Category::Safety),
        ..notifications::ListOptions::default()
    };
    assert_eq!(world.system.list(&bob, &safety).await.unwrap().value.notifications.len(), 1);
    let wrong = notifications::ListOptions { limit: Some(101), ..Default::default() };
    assert_eq!(world.system.list(&bob, &wrong).await.unwrap_err().problems()[0].field, "limit");
    assert_eq!(world.system.mark_all_read(&bob).await.unwrap().value, 26);
    assert_eq!(world.unread("bob").await, 0);
    assert_eq!(world.system.mark_all_read(&bob).await.unwrap().value, 0);
}

#[test]
fn nt_a01_the_schema_can_be_exported_in_the_providers_current_form() {
    let schema = Containers::schema(&Settings::default()).unwrap();
    let terraform = schema.export(service::schema::Form::Terraform).text;
    for expected in [
        "partition_key_paths",
        "name                = \"notification_events\"",
        "2592000",
        "/\\\"_etag\\\"/?",
    ] {
        assert!(terraform.contains(expected), "{expected} is missing in {terraform}");
    }
    assert!(!terraform.contains("partition_key_path "), "the argument the provider removed");
}
