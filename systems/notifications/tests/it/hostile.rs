//! Malicious inputs: each gets a problem as response, nothing is stored, and the service continues.

use client::Query;
use serde_json::{Value, json};

use crate::site::{Site, fields};

const SEND: &str = "/api/notifications/send";
const DEVICES: &str = "/api/notifications/devices";

fn like(user: &str) -> Value {
    json!({ "userId": user, "eventType": "POST_LIKE",
        "payload": { "actorName": "alice", "targetId": "p1", "targetType": "post" } })
}

/// Sends a raw body and checks that the response is a problem; returns its status and its fields.
async fn refused(
    site: &Site,
    caller: &str,
    method: &str,
    path: &str,
    body: &[u8],
) -> (u16, Vec<String>) {
    let response = site.raw(caller, method, path, "application/json", body.to_vec()).await;
    problem(response, &format!("{method} {path}")).await
}

async fn problem(response: reqwest::Response, what: &str) -> (u16, Vec<String>) {
    let status = response.status().as_u16();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let text = response.text().await.unwrap();
    assert!((400..500).contains(&status), "{what}: {status} {text}");
    assert_eq!(kind.as_deref(), Some("application/problem+json"), "{what}: {text}");
    let problem: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(problem["status"], status, "{what}: {text}");
    assert!(problem["detail"].is_string() && problem["code"].is_string(), "{what}: {text}");
    assert!(text.len() < 16 * 1024, "{what}: a problem of {} bytes", text.len());
    (status, fields(&problem))
}

async fn refused_json(site: &Site, caller: &str, path: &str, body: &Value) -> (u16, Vec<String>) {
    refused(site, caller, "POST", path, body.to_string().as_bytes()).await
}

/// Checks that nothing was stored and that a valid request still works.
async fn nothing_happened(site: &Site) {
    let containers = site.world.system.containers();
    for container in [
        &containers.events,
        &containers.notifications,
        &containers.preferences,
        &containers.devices,
        &containers.token_owners,
    ] {
        let query = Query::text("SELECT VALUE COUNT(1) FROM c").fan_out("a test counts");
        let count = container.query::<u64>(&query).await.unwrap().value;
        assert_eq!(count, [0], "{}", container.path());
    }
    assert_eq!(site.post("service", SEND, like("bob")).await.0, 202);
    site.world.dispatch().await;
    assert_eq!(site.world.list("bob").await.len(), 1);
}

#[tokio::test]
async fn a_body_that_is_too_large_or_not_json_is_refused() {
    let site = Site::new().await;
    let mut large = like("bob");
    large["payload"]["snippet"] = json!("x".repeat(3 * 1024 * 1024));
    assert_eq!(refused_json(&site, "service", SEND, &large).await.0, 413);
    for body in [
        &b""[..],
        b"{",
        b"null",
        b"[]",
        b"\"text\"",
        b"{\"userId\":\"bob\"} and more",
        b"{\"userId\":\"\\ud800\"}",
        b"{\"userId\":\"\xff\xfe\"}",
        b"\xef\xbb\xbf{}",
    ] {
        for (caller, method, path) in [
            ("service", "POST", SEND),
            ("bob", "POST", DEVICES),
            ("bob", "PUT", "/api/notifications/preferences"),
        ] {
            assert_eq!(refused(&site, caller, method, path, body).await.0, 400, "{body:?}");
        }
    }
    let text = like("bob").to_string().into_bytes();
    let response = site.raw("service", "POST", SEND, "text/plain", text).await;
    assert_eq!(problem(response, "text/plain").await.0, 415);
    nothing_happened(&site).await;
}

#[tokio::test]
async fn user_ids_that_are_not_item_ids_are_refused() {
    let site = Site::new().await;
    let long = "u".repeat(300);
    for id in [&long, "a/b", "a\\b", "a?b", "a#b", "", " bob", "bob ", "a\u{0}b", "a\nb"] {
        assert_eq!(
            refused_json(&site, "service", SEND, &like(id)).await,
            (400, vec!["userId".to_owned()])
        );
        let mut many = like("x");
        many.as_object_mut().unwrap().remove("userId");
        many["userIds"] = json!(["carol", id]);
        let named = (400, vec!["userIds".to_owned()]);
        assert_eq!(refused_json(&site, "service", SEND, &many).await, named, "{id:?}");
        // Whoever vouches for such a user: it is none of ours.
        if !id.is_empty() {
            let response = site.raw(id, "GET", "/api/notifications", "", Vec::new()).await;
            assert!([401, 403].contains(&problem(response, id).await.0), "{id:?}");
        }
    }
    for id in [long.as_str(), "a%2Fb", "a%00b", "%20bob", "%FF"] {
        for method in ["GET", "DELETE"] {
            let path = format!("/api/privacy/users/{id}");
            let response = site.raw("admin", method, &path, "", Vec::new()).await;
            assert_eq!(problem(response, &path).await.0, 400, "{method} {path}");
        }
    }
    let mut twice = like("x");
    twice.as_object_mut().unwrap().remove("userId");
    twice["userIds"] = json!(["bob", "carol", "bob"]);
    assert_eq!(
        refused_json(&site, "service", SEND, &twice).await,
        (400, vec!["userIds".to_owned()])
    );
    twice["userIds"] = json!(vec!["bob"; 50]);
    assert_eq!(
        refused_json(&site, "service", SEND, &twice).await,
        (400, vec!["userIds".to_owned()])
    );
    nothing_happened(&site).await;
}

#[tokio::test]
async fn a_payload_that_is_too_deep_or_too_large_is_refused() {
    let site = Site::new().await;
    // By hand: a value so deep cannot be built by the library that refuses to read it.
    for levels in [17, 100, 126, 200, 100_000] {
        let deep = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let body = like("bob").to_string().replace("\"p1\"", &format!("\"p1\",\"more\":{deep}"));
        let (status, _) = refused(&site, "service", "POST", SEND, body.as_bytes()).await;
        assert_eq!(status, 400, "{levels} levels");
    }
    for (change, field) in [
        (json!({ "more": "x".repeat(5_000) }), "payload"),
        (json!({ "targetId": "t".repeat(256) }), "payload.targetId"),
        (json!({ "targetId": "" }), "payload.targetId"),
        (json!({ "targetId": "p\u{0}1" }), "payload.targetId"),
        (json!({ "actorId": "a\u{7}b" }), "payload.actorId"),
        (json!({ "actorName": { "first": "alice" } }), "payload.actorName"),
        (json!({ "snippet": 7 }), "payload.snippet"),
    ] {
        let mut body = like("bob");
        for (name, value) in change.as_object().unwrap() {
            body["payload"][name] = value.clone();
        }
        assert_eq!(
            refused_json(&site, "service", SEND, &body).await,
            (400, vec![field.to_owned()])
        );
    }
    for (name, value) in [
        ("dedupeKey", json!("k\u{0}")),
        ("dedupeKey", json!("")),
        ("idempotencyKey", json!("k".repeat(256))),
        ("idempotencyKey", json!("\r\n")),
        ("payload", json!([])),
        ("eventType", json!("post_like")),
    ] {
        let mut body = like("bob");
        body[name] = value;
        assert_eq!(refused_json(&site, "service", SEND, &body).await, (400, vec![name.to_owned()]));
    }
    nothing_happened(&site).await;
}

#[tokio::test]
async fn impossible_times_are_refused() {
    let site = Site::new().await;
    for time in [
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59-23:59",
        "+10000-01-01T00:00:00Z",
        "-0001-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "2025-02-30T00:00:00Z",
        "2025-06-11T00:00:00",
        "tomorrow",
        "",
    ] {
        let mut body = like("bob");
        body["scheduledAt"] = json!(time);
        let named = (400, vec!["scheduledAt".to_owned()]);
        assert_eq!(refused_json(&site, "service", SEND, &body).await, named, "{time}");
    }
    nothing_happened(&site).await;
}

#[tokio::test]
async fn devices_with_invalid_ids_are_refused() {
    let site = Site::new().await;
    let right = json!({ "deviceId": "d1", "pushToken": "t1", "platform": "fcm" });
    for (name, value) in [
        ("deviceId", json!("d\u{0}1")),
        ("deviceId", json!("d".repeat(129))),
        ("deviceId", json!("d 1")),
        ("pushToken", json!("t\u{0}1")),
        ("pushToken", json!("t".repeat(4_097))),
        ("pushToken", json!("")),
        ("platform", json!("FCM")),
        ("platform", json!("fcm\u{0}")),
        ("label", json!("l".repeat(101))),
    ] {
        let mut body = right.clone();
        body[name] = value;
        assert_eq!(refused_json(&site, "bob", DEVICES, &body).await, (400, vec![name.to_owned()]));
    }
    for id in ["d%001", "%FF", "d%201"] {
        let path = format!("{DEVICES}/{id}/revoke");
        let response = site.raw("bob", "POST", &path, "application/json", b"{}".to_vec()).await;
        assert!([400, 404].contains(&problem(response, &path).await.0));
    }
    nothing_happened(&site).await;
}

#[tokio::test]
async fn a_cursor_of_another_user_route_or_query_is_refused() {
    let site = Site::new().await;
    for number in 0..101 {
        let mut body = like("bob");
        body["payload"]["targetId"] = json!(format!("p{number}"));
        site.post("service", SEND, body).await;
    }
    let (_, events) = site.get("admin", "/admin/events?status=PENDING").await;
    let of_events = events["continuationToken"].as_str().unwrap().to_owned();
    site.world.dispatch().await;
    let (_, list) = site.get("bob", "/api/notifications?limit=2").await;
    let of_bob = list["continuationToken"].as_str().unwrap().to_owned();
    for (caller, question, cursor) in [
        ("carol", "/api/notifications?limit=2", &of_bob),
        ("bob", "/api/notifications?limit=2&category=SOCIAL", &of_bob),
        ("bob", "/api/notifications?limit=2", &of_events),
        ("admin", "/admin/events?status=PENDING", &of_bob),
        ("admin", "/admin/events?status=COMPLETED", &of_events),
        ("bob", "/api/notifications?limit=2", &format!("{of_bob}A")),
        ("bob", "/api/notifications?limit=2", &of_bob[1..].to_owned()),
        ("bob", "/api/notifications?limit=2", &"A".repeat(5_000)),
        ("bob", "/api/notifications?limit=2", &String::new()),
    ] {
        let path = format!("{question}&continuationToken={cursor}");
        let response = site.raw(caller, "GET", &path, "", Vec::new()).await;
        assert_eq!(problem(response, &path).await.0, 400, "{caller} {path}");
    }
    let path = format!("/api/notifications?limit=2&continuationToken={of_bob}");
    assert_eq!(site.get("bob", &path).await.0, 200);
}
