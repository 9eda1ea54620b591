//! Rules in more detail than the acceptance scenarios (`acceptance`), on an embedded account.

use std::time::Duration;

use notifications::delivery::DeliveryResult;
use notifications::{
    Containers, EventStatus, EventType, NoPushReason, NotificationSettings, QuietMode, UtcTimestamp,
};

use crate::world::{World, counted, event, event_for, keyed, user};

const RETRY: DeliveryResult = DeliveryResult::Retry { after: None, reason: String::new() };

#[tokio::test]
async fn nt_a01_the_time_to_live_follows_the_setting_on_containers_that_exist() {
    let world = World::new().await;
    let settings = NotificationSettings { retention_days: 7, ..NotificationSettings::default() };
    let delivery = std::sync::Arc::new(world.provider.clone());
    let environment = world.environment.clone();
    let again =
        notifications::Notifications::open(world.account.clone(), settings, environment, delivery);
    let events = again.await.unwrap().containers().events.read_properties().await.unwrap().value;
    assert_eq!(events.default_time_to_live, client::TimeToLive::Seconds(7 * 86_400));
}

#[tokio::test]
async fn nt_a03_in_mode_defer_the_push_comes_when_the_quiet_hours_end() {
    let settings =
        NotificationSettings { quiet_mode: QuietMode::Defer, ..NotificationSettings::default() };
    let world = World::at("2025-06-10T23:00:00.000Z", settings).await;
    world.register("bob", "d1").await;
    let waiting = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!(
        (waiting.status, waiting.reason),
        (EventStatus::Pending, Some(NoPushReason::QuietHours))
    );
    assert_eq!(waiting.scheduled_at.unwrap().to_string(), "2025-06-11T07:00:00.000Z");
    assert_eq!((world.list("bob").await.len(), world.provider.count()), (1, 0));
    world.travel_to("2025-06-11T06:59:00.000Z");
    world.dispatch().await;
    assert_eq!(world.provider.count(), 0);
    world.travel_to("2025-06-11T07:00:00.000Z");
    world.dispatch().await;
    assert_eq!((world.list("bob").await.len(), world.provider.count()), (1, 1));
    assert_eq!(world.event(&waiting).await.status, EventStatus::Completed);
}

#[tokio::test]
async fn nt_a04_offers_are_off_until_somebody_switches_them_on() {
    let world = World::new().await;
    let offer = world.send_and_dispatch(event(EventType::MarketingPromotion, "us")).await;
    assert_eq!(
        (offer.status, offer.reason),
        (EventStatus::Completed, Some(NoPushReason::CategoryOff))
    );
    let change = notifications::PreferencesChange { marketing: Some(true), ..Default::default() };
    world.system.change_preferences(&user("bob"), &change).await.unwrap();
    let offer = event_for("bob", EventType::MarketingPromotion, "us", "p2");
    assert_eq!(world.send_and_dispatch(offer).await.reason, Some(NoPushReason::NoDevice));
    assert_eq!(world.list("bob").await.len(), 1);
}

#[tokio::test]
async fn nt_a06_the_same_actor_again_is_no_other_and_a_new_one_makes_it_unread() {
    let world = World::new().await;
    world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    let list = world.list("bob").await;
    world.system.mark_read(&user("bob"), &list[0].id).await.unwrap();
    let again = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!(again.status, EventStatus::Deduplicated);
    assert_eq!(world.list("bob").await[0].title, "alice liked your post");
    assert_eq!(world.unread("bob").await, 0);
    let key = list[0].dedupe_key.clone().unwrap();
    world.send_and_dispatch(keyed(&key, event(EventType::PostLike, "carol"))).await;
    assert_eq!(world.list("bob").await[0].title, "alice and 1 other liked your post");
    assert_eq!(world.unread("bob").await, 1);
}

#[tokio::test]
async fn nt_a07_the_limit_of_a_day_and_of_other_categories_are_their_own() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.send_and_dispatch(event(EventType::NewsSystemUpdate, "us")).await;
    let second = event_for("bob", EventType::NewsSystemUpdate, "us", "p2");
    assert_eq!(world.send_and_dispatch(second).await.status, EventStatus::RateLimited);
    let social = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!(social.status, EventStatus::Completed);
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

#[tokio::test]
async fn nt_a09_a_device_that_got_its_push_is_left_alone_when_another_is_tried_again() {
    let world = World::new().await;
    world.register("bob", "d1").await;
    world.travel(1);
    world.register("bob", "d2").await;
    // The device seen last comes first.
    world.provider.next(DeliveryResult::Delivered { provider_id: "x".to_owned() });
    world.provider.next(RETRY);
    world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    world.travel(180);
    world.dispatch().await;
    let counts = counted(world.provider.pushes().into_iter().map(|(device, _)| device));
    assert_eq!((counts["d2"], counts["d1"]), (1, 2));
}

#[tokio::test]
async fn a_scheduled_event_waits_for_its_time() {
    let world = World::new().await;
    let mut later = event(EventType::PostLike, "alice");
    later.scheduled_at =
        Some(UtcTimestamp::now(&world.environment).after(Duration::from_secs(3_600)));
    let sent = world.send_and_dispatch(later).await;
    assert_eq!(sent.status, EventStatus::Pending);
    world.travel(3_599);
    world.dispatch().await;
    assert_eq!(world.list("bob").await, []);
    world.travel(1);
    world.dispatch().await;
    assert_eq!(world.event(&sent).await.status, EventStatus::Completed);
    assert_eq!(world.list("bob").await.len(), 1);
}

#[tokio::test]
async fn a_repeated_send_creates_one_event() {
    let world = World::new().await;
    let mut like = event(EventType::PostLike, "alice");
    like.idempotency_key = Some("order 7".to_owned());
    let first = world.send(like.clone()).await;
    world.travel(3_600);
    let second = world.send(like).await;
    assert_eq!(first, second);
}

#[tokio::test]
async fn without_a_provider_the_list_works_and_the_push_is_not_configured() {
    let world = World::new().await;
    world.provider.not_configured();
    world.register("bob", "d1").await;
    let done = world.send_and_dispatch(event(EventType::PostLike, "alice")).await;
    assert_eq!(
        (done.status, done.reason),
        (EventStatus::Completed, Some(NoPushReason::NotConfigured))
    );
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
    assert_eq!(
        world.system.list(&bob, &wrong).await.unwrap_err().invalid_fields()[0].field,
        "limit"
    );
    let only = Some(notifications::Category::Safety);
    assert_eq!(world.system.mark_all_read(&bob, only).await.unwrap().value, 1);
    assert_eq!(world.unread("bob").await, 25);
    assert_eq!(world.system.mark_all_read(&bob, None).await.unwrap().value, 25);
    assert_eq!(world.unread("bob").await, 0);
    assert_eq!(world.system.mark_all_read(&bob, None).await.unwrap().value, 0);
}

#[test]
fn nt_a01_the_schema_can_be_exported_in_the_providers_current_form() {
    let schema = Containers::schema(&NotificationSettings::default()).unwrap();
    let terraform = schema.export(service::schema::SchemaFormat::Terraform).text;
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
