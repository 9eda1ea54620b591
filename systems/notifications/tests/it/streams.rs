//! The stream: which events are sent to whom, whichever process made the change.

use client::{ChangeFeed, ChangeStart};
use notifications::delivery::DeliveryResult;
use notifications::{EventType, NotificationSettings, Notifications};
use reqwest::Response;
use serde_json::{Value, json};

use crate::site::Site;
use crate::world::{World, event, event_for, keyed, user};

/// An open stream.
struct Stream {
    response: Response,
    text: String,
}

impl Stream {
    async fn open(site: &Site, name: &str) -> Self {
        Self::after(site, name, None).await
    }

    /// Continues after the last event of an earlier one.
    async fn after(site: &Site, name: &str, last: Option<&str>) -> Self {
        let response = site.stream(name, last).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut stream = Self { response, text: String::new() };
        stream.until("unread", 1).await;
        stream
    }

    /// Waits until an event was received so often; returns the names of all events so far.
    async fn until(&mut self, name: &str, times: usize) -> Vec<String> {
        loop {
            let names = self.names();
            let is_whole = self.text.ends_with("\n\n");
            let counted = names.last().is_some_and(|last| last == "unread");
            if is_whole && counted && names.iter().filter(|one| *one == name).count() >= times {
                return names;
            }
            let chunk = self.response.chunk().await.unwrap().expect("the stream goes on");
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    fn names(&self) -> Vec<String> {
        self.fields("event: ").collect()
    }

    fn fields<'a>(&'a self, field: &'a str) -> impl Iterator<Item = String> + 'a {
        self.text.lines().filter_map(move |line| line.strip_prefix(field)).map(str::to_owned)
    }

    fn data(&self) -> Vec<Value> {
        self.fields("data: ").map(|data| serde_json::from_str(&data).unwrap()).collect()
    }

    fn last_id(&self) -> String {
        self.fields("id: ").last().unwrap()
    }
}

/// A service, and the same system in another process.
async fn two_processes() -> (Site, Notifications) {
    let settings =
        NotificationSettings { stream_poll_milliseconds: 10, ..NotificationSettings::default() };
    let world = World::waiting(settings).await;
    let other = world.reopened().await;
    (Site::on(world).await, other)
}

async fn dispatch(system: &Notifications) {
    system.dispatcher("other").await.unwrap().run_once().await.unwrap();
}

#[tokio::test]
async fn a_stream_has_only_events_of_the_callers_list() {
    let site = Site::on(World::waiting(NotificationSettings::default()).await).await;
    let mut bob = Stream::open(&site, "bob").await;
    for (name, target) in [("eve", "p1"), ("bob", "p2")] {
        site.world.send(event_for(name, EventType::PostLike, "alice", target)).await;
    }
    site.world.dispatch().await;
    bob.until("new", 1).await;
    let id = site.world.list("bob").await[0].id.clone();
    site.post("bob", &format!("/api/notifications/{id}/read"), json!({})).await;
    let names = bob.until("updated", 1).await;
    assert_eq!(names, ["unread", "new", "unread", "updated", "unread"], "{}", bob.text);
    assert!(bob.text.contains("asora://post/p2") && !bob.text.contains("asora://post/p1"));
    assert!(!bob.text.contains("mergedEventIds") && !bob.text.contains("\"ttl\""), "{}", bob.text);
    let data = bob.data();
    let counts: Vec<_> = [0, 2, 4].iter().map(|at| data[*at]["unreadCount"].as_u64()).collect();
    assert_eq!(counts, [Some(0), Some(1), Some(0)], "{}", bob.text);
}

#[tokio::test]
async fn a_stream_has_events_of_another_process() {
    let (site, other) = two_processes().await;
    let mut bob = Stream::open(&site, "bob").await;
    other.enqueue(keyed("k", event(EventType::PostLike, "alice"))).await.unwrap();
    dispatch(&other).await;
    bob.until("new", 1).await;
    other.enqueue(keyed("k", event(EventType::PostLike, "carol"))).await.unwrap();
    dispatch(&other).await;
    bob.until("updated", 1).await;
    let id = site.world.list("bob").await[0].id.clone();
    other.mark_read(&user("bob"), &id).await.unwrap();
    bob.until("updated", 2).await;
    other.dismiss(&user("bob"), &id).await.unwrap();
    bob.until("updated", 3).await;
    let sent: Vec<_> = bob.data().into_iter().filter(|data| data.get("id").is_some()).collect();
    let seen = |one: &Value| json!([one["count"], one["read"], one["dismissed"]]);
    let seen: Vec<_> = sent.iter().map(seen).collect();
    let expected = [
        json!([1, false, false]),
        json!([2, false, false]),
        json!([2, true, false]),
        json!([2, true, true]),
    ];
    assert_eq!(seen, expected, "{}", bob.text);
    assert_eq!(bob.data().last().unwrap()["unreadCount"], 0);
}

#[tokio::test]
async fn no_event_is_sent_twice_in_the_process_that_made_the_change() {
    let (site, other) = two_processes().await;
    // No push goes through, so each notification is written a second time: it was not pushed after all.
    site.world.register("bob", "d1").await;
    site.world.provider.always(Some(DeliveryResult::Permanent { reason: "no".to_owned() }));
    let mut bob = Stream::open(&site, "bob").await;
    for number in 0..5 {
        let system = if number % 2 == 0 { &site.world.system } else { &other };
        let target = format!("p{number}");
        system.enqueue(event_for("bob", EventType::PostLike, "alice", &target)).await.unwrap();
        dispatch(system).await;
        bob.until("new", number + 1).await;
    }
    assert!(site.world.list("bob").await.iter().all(|one| one.pushed == Some(false)));
    // The feed is in order: everything before this one has come by then.
    let last = site.world.list("bob").await[0].id.clone();
    other.mark_read(&user("bob"), &last).await.unwrap();
    let names = bob.until("updated", 1).await;
    let sent: Vec<_> = names.iter().filter(|name| *name != "unread").collect();
    assert_eq!(sent, ["new", "new", "new", "new", "new", "updated"], "{}", bob.text);
}

#[tokio::test]
async fn many_changes_in_another_process_are_sent_as_one_event() {
    let (site, other) = two_processes().await;
    for number in 0..30 {
        let target = format!("p{number}");
        other.enqueue(event_for("bob", EventType::PostLike, "alice", &target)).await.unwrap();
    }
    dispatch(&other).await;
    let mut bob = Stream::open(&site, "bob").await;
    assert_eq!(bob.data()[0]["unreadCount"], 30);
    assert_eq!(other.mark_all_read(&user("bob"), None).await.unwrap().value, 30);
    while bob.data().last().unwrap()["unreadCount"] != 0 {
        let count = bob.names().len();
        bob.until("unread", bob.names().iter().filter(|name| *name == "unread").count() + 1).await;
        assert!(bob.names().len() > count);
    }
    let mut eve = Stream::open(&site, "eve").await;
    other.erase(&user("bob")).await.unwrap();
    let before = bob.names().iter().filter(|name| *name == "changed").count();
    bob.until("changed", before + 1).await;
    assert!(site.world.list("bob").await.is_empty());
    // The erasure marker names nobody, and other users get no event for it.
    other.enqueue(event_for("eve", EventType::PostLike, "alice", "p1")).await.unwrap();
    dispatch(&other).await;
    assert_eq!(eve.until("new", 1).await, ["unread", "new", "unread"]);
}

#[tokio::test]
async fn a_listener_continues_where_it_was_or_reads_the_list_again() {
    let (site, other) = two_processes().await;
    let keeps_the_reader = Stream::open(&site, "eve").await;
    let bob = Stream::open(&site, "bob").await;
    let last = bob.last_id();
    drop(bob);
    other.enqueue(event_for("bob", EventType::PostLike, "alice", "p1")).await.unwrap();
    dispatch(&other).await;
    let mut again = Stream::after(&site, "bob", Some(&last)).await;
    assert_eq!(again.until("new", 1).await, ["unread", "new", "unread"]);
    drop((again, keeps_the_reader));
    // Another process does not know the position.
    let elsewhere = Site::of(&site.world, other).await;
    let mut moved = Stream::after(&elsewhere, "bob", Some(&last)).await;
    assert_eq!(moved.until("changed", 1).await, ["unread", "changed", "unread"]);
}

#[tokio::test]
async fn a_poll_that_finds_nothing_costs_one_request_unit() {
    let world = World::new().await;
    let notifications = &world.system.containers().notifications;
    let now = notifications.changes::<Value>(ChangeFeed::latest(ChangeStart::Now)).await.unwrap();
    let place = ChangeStart::Continuation(now.value.continuation);
    let look = notifications.changes::<Value>(ChangeFeed::latest(place)).await.unwrap();
    assert!(look.value.changes.is_empty() && (look.charge - 1.0).abs() < 0.01, "{}", look.charge);
}
