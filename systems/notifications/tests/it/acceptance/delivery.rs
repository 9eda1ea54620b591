//! Pushes to providers: NT-A7, A9, A10, A13, A16.

use notifications::delivery::fake::{ApnsRefusal, FcmRefusal, ReceivedRequest, ScriptedFault};
use notifications::{NotificationSettings, UtcTimestamp};
use serde_json::{Value, json};

use super::ask::{Ask, Way};
use super::stage::{Stage, event, like};
use crate::world::NOON;

pub(crate) async fn nt_a07_the_fourth_push_in_an_hour_stays_in_the_list<W: Way>() {
    let stage = Stage::<W>::new().await;
    stage.register("bob", "d1").await;
    for actor in ["a", "b", "c"] {
        assert_eq!(stage.processed(&like(actor)).await["status"], "COMPLETED");
        stage.travel_minutes(15);
    }
    let fourth = stage.processed(&like("d")).await;
    assert_eq!(fourth["status"], "RATE_LIMITED");
    assert_eq!((stage.pushed(), stage.list("bob").await.len()), (3, 4));
    // What was not pushed does not prolong the limit: an hour after the first there is room for one.
    stage.travel_minutes(16);
    assert_eq!(stage.processed(&like("e")).await["status"], "COMPLETED");
    assert_eq!(stage.processed(&like("f")).await["status"], "RATE_LIMITED");
    assert_eq!((stage.pushed(), stage.list("bob").await.len()), (4, 6));
}

/// Minutes until an event is due again.
fn wait_minutes<W: Way>(stage: &Stage<W>, event: &Value) -> f64 {
    let due = UtcTimestamp::parse(event["nextRetryAt"].as_str().unwrap()).unwrap();
    due.since(stage.now()).as_secs_f64() / 60.0
}

pub(crate) async fn nt_a09_a_provider_that_fails_twice_is_tried_again<W: Way>() {
    let stage = Stage::<W>::new().await;
    stage.register("bob", "d1").await;
    stage.fcm.messages().next(FcmRefusal::Unavailable(None));
    stage.fcm.messages().next(FcmRefusal::Unavailable(None));
    let id = stage.send(&like("alice")).await;
    stage.dispatch().await;
    for (retries, least) in [(1, 2.0), (2, 4.0)] {
        let failed = stage.event(&id).await;
        assert_eq!((&failed["status"], &failed["retryCount"]), (&json!("FAILED"), &json!(retries)));
        let said = failed["lastError"].as_str().unwrap();
        assert!(said.contains("fcm: UNAVAILABLE (status 503)"), "{said}");
        // A tenth more at most, so that retries do not come all at once.
        let wait = wait_minutes(&stage, &failed);
        assert!((least..=least * 1.1).contains(&wait), "{wait} minutes");
        stage.travel_minutes(1);
        stage.dispatch().await;
        assert_eq!(stage.event(&id).await, failed, "it is not due yet");
        stage.travel_minutes(4);
        stage.dispatch().await;
    }
    let done = stage.event(&id).await;
    assert_eq!((&done["status"], &done["retryCount"]), (&json!("COMPLETED"), &json!(2)));
    assert_eq!((stage.list("bob").await.len(), stage.pushed()), (1, 1));
    assert_eq!(stage.fcm.messages().received().len(), 3);
}

pub(crate) async fn nt_a09_an_unregistered_token_revokes_its_device<W: Way>() {
    let stage = Stage::<W>::new().await;
    stage.register("bob", "d1").await;
    stage.fcm.messages().next(FcmRefusal::Unregistered);
    let done = stage.processed(&like("alice")).await;
    assert_eq!((&done["status"], &done["reason"]), (&json!("COMPLETED"), &json!("refused")));
    assert_eq!(stage.active("bob").await, Vec::<String>::new());
    assert_eq!(stage.devices("bob").await[0]["revokedReason"], "invalid_token");
    let list = stage.list("bob").await;
    assert_eq!((list.len(), stage.pushed()), (1, 0));
    assert_eq!(list[0]["pushed"], false, "nobody got it, so it does not count");
}

pub(crate) async fn nt_a09_after_five_failures_an_event_is_dead_until_an_operator_retries<
    W: Way,
>() {
    let stage = Stage::<W>::new().await;
    stage.register("bob", "d1").await;
    stage.fcm.messages().always(FcmRefusal::Internal);
    let id = stage.send(&like("alice")).await;
    for _ in 0..8 {
        stage.dispatch().await;
        stage.travel_minutes(60);
    }
    let dead = stage.event(&id).await;
    assert_eq!((&dead["status"], &dead["retryCount"]), (&json!("FAILED"), &json!(5)));
    assert_eq!(dead.get("nextRetryAt"), None);
    assert_eq!(stage.fcm.messages().received().len(), 5);
    assert_eq!(stage.find("DEAD", &id).await, Some(dead));
    assert_eq!(stage.answer(Ask::Stats).await["dead"], 1);
    stage.fcm.messages().clear();
    stage.answer(Ask::Retry(&id)).await;
    stage.dispatch().await;
    assert_eq!(stage.event(&id).await["status"], "COMPLETED");
    assert_eq!((stage.list("bob").await.len(), stage.pushed()), (1, 1));
    assert_eq!(stage.find("DEAD", &id).await, None);
    assert_eq!(stage.ask(Ask::Retry(&id)).await.unwrap_err().status, 409);
}

pub(crate) async fn nt_a10_apns_is_http2_with_410_and_goaway<W: Way>() {
    let stage = Stage::<W>::new().await;
    let pushes = stage.apns.pushes();
    stage.register_at("apns", "bob", "iphone").await;
    // The fake checks the protocol, topic, kind, ids, payload and the signed provider token.
    pushes.next(ScriptedFault::GoAwayAfter);
    assert_eq!(stage.processed(&like("a")).await["status"], "COMPLETED");
    let received = pushes.received().remove(0);
    assert!(received.is_http2);
    assert_eq!(received.path, "/3/device/token-of-bob-iphone");
    assert_eq!(received.header("apns-topic"), "org.example.demo");
    assert_eq!(received.header("apns-push-type"), "alert");
    assert!(received.header("authorization").starts_with("bearer ey"));
    assert_eq!(received.json()["aps"]["alert"]["title"], "a liked your post");
    stage.apns.until_connections_closed(1).await;
    assert_eq!(stage.processed(&like("b")).await["status"], "COMPLETED");
    assert_eq!((pushes.accepted().len(), stage.apns.connections()), (2, 2));
    stage.travel_minutes(1);
    let timestamp_ms = Some(stage.now().ms());
    pushes.next(ApnsRefusal { status: 410, reason: "Unregistered", timestamp_ms });
    assert_eq!(stage.processed(&like("c")).await["status"], "COMPLETED");
    assert_eq!(stage.active("bob").await, Vec::<String>::new());
    assert_eq!(stage.devices("bob").await[0]["revokedReason"], "invalid_token");
    assert_eq!((pushes.violations(), pushes.accepted().len()), (Vec::new(), 2));
}

pub(crate) async fn nt_a13_two_workers_process_each_event_once_and_in_order<W: Way>() {
    const USERS: usize = 20;
    const EVENTS: usize = 1_000;
    // Without limits every event is a push.
    let settings =
        NotificationSettings { rate_limits: Default::default(), ..NotificationSettings::default() };
    let stage = Stage::<W>::at(NOON, settings).await;
    let users: Vec<String> = (0..USERS).map(|number| format!("u{number:02}")).collect();
    for user in &users {
        stage.register(user, "phone").await;
    }
    for number in 0..EVENTS / USERS {
        let mut event = event("all", "POST_LIKE", "alice", &format!("p{number:04}"));
        event.as_object_mut().unwrap().remove("userId");
        event["userIds"] = json!(users);
        assert_eq!(stage.answer(Ask::Send(&event)).await["queued"], USERS);
    }
    let another = stage.another_process().await;
    let one = stage.system.dispatcher("one").await.unwrap();
    let two = another.dispatcher("two").await.unwrap();
    let (first, second) = tokio::join!(one.run_once(), two.run_once());
    let processed = first.unwrap().processed + second.unwrap().processed;
    assert_eq!(processed, EVENTS as u64);
    assert_eq!(stage.pushed(), EVENTS);
    let pushes = stage.fcm.messages().accepted_by_collapse_id();
    assert_eq!(pushes.len(), EVENTS, "each once");
    let stats = stage.answer(Ask::Stats).await;
    assert_eq!(stats["events"]["COMPLETED"], EVENTS, "{stats}");
    let received = stage.fcm.messages().received();
    for user in &users {
        let token = format!("token-of-{user}-phone");
        let of_user = |one: &&ReceivedRequest| one.json()["message"]["token"] == token;
        let links: Vec<String> =
            received.iter().filter(of_user).map(|one| link(&one.json())).collect();
        let sent = (0..EVENTS / USERS).map(|number| format!("asora://post/p{number:04}"));
        assert_eq!(links, sent.collect::<Vec<_>>(), "pushed in the order of events");
        let list = stage.list(user).await;
        let mut listed: Vec<_> =
            list.iter().map(|one| one["deeplink"].as_str().unwrap().to_owned()).collect();
        listed.reverse();
        assert_eq!(listed, links, "and listed in it");
    }
}

fn link(body: &Value) -> String {
    body["message"]["data"]["deeplink"].as_str().unwrap_or_else(|| panic!("{body}")).to_owned()
}

pub(crate) async fn nt_a16_foreign_text_is_made_safe_and_short<W: Way>() {
    let stage = Stage::<W>::new().await;
    stage.register("bob", "android").await;
    stage.register_at("apns", "bob", "iphone").await;
    let plain = format!("<script>alert(1)</script>{}", "x".repeat(5_000));
    let wide = format!("<script>{}", "\u{1F600}\"".repeat(2_500));
    for (post, snippet) in [("p1", plain), ("p2", wide)] {
        let mut comment = event("bob", "POST_COMMENT", "<b>al</b>ice", post);
        comment["payload"]["snippet"] = json!(snippet);
        let done = stage.processed(&comment).await;
        assert_eq!(done["status"], "COMPLETED", "{done}");
        let stored = done["payload"]["snippet"].as_str().unwrap();
        assert!(stored.chars().count() <= 140, "no more of it is stored");
        let listed = stage.list("bob").await.remove(0);
        assert_eq!(listed["title"], "alice commented on your post");
        let body = listed["body"].as_str().unwrap();
        assert!(!body.contains('<') && !body.contains('>'), "{body}");
        assert!(body.chars().count() <= 140, "{body}");
        stage.travel_minutes(1);
    }
    let newest_first = stage.list("bob").await;
    let plain = newest_first[1]["body"].as_str().unwrap();
    assert!(plain.starts_with("alert(1)xxx") && plain.chars().count() == 140, "{plain}");
    let bodies = [stage.fcm.messages().received(), stage.apns.pushes().received()].concat();
    assert_eq!((stage.pushed(), stage.apns.pushes().accepted().len(), bodies.len()), (2, 2, 4));
    for received in bodies {
        let text = String::from_utf8(received.body.to_vec()).unwrap();
        assert!(text.len() < 4_096 && !text.contains("<script>"), "{} bytes: {text}", text.len());
    }
}
