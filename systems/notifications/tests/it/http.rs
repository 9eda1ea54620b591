//! The scenarios over HTTP: status codes, bodies, problems, the stream, the document.

use serde_json::{Value, json};

use crate::site::{Site, fields};
use crate::world::World;

fn like(user: &str, actor: &str, target: &str) -> Value {
    let payload =
        json!({ "actorId": actor, "actorName": actor, "targetId": target, "targetType": "post" });
    json!({ "userId": user, "eventType": "POST_LIKE", "payload": payload })
}

#[tokio::test]
async fn the_document_and_the_routes_agree() {
    let world = World::new().await;
    let site = Site::on(world).await;
    let router = site.world.system.router(&site.server, &[]);
    assert_eq!(service::http::openapi_mismatches(&router, &[]).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_notification_is_shown_without_what_only_the_system_needs() {
    let site = Site::new().await;
    site.post("service", "/api/notifications/send", like("bob", "alice", "p1")).await;
    site.world.dispatch().await;
    let (_, page) = site.get("bob", "/api/notifications").await;
    let one = &page["notifications"][0];
    assert_eq!(one["title"], "alice liked your post");
    assert_eq!(one.get("mergedEventIds").or(one.get("ttl")), None);
    let (status, marked) = site.post("bob", "/api/notifications/read-all", json!({})).await;
    assert_eq!((status, marked), (200, json!({ "marked": 1 })));
}

#[tokio::test]
async fn a_dismissal_can_be_taken_back() {
    let site = Site::new().await;
    site.post("service", "/api/notifications/send", like("bob", "alice", "p1")).await;
    site.world.dispatch().await;
    let (_, page) = site.get("bob", "/api/notifications").await;
    let path = format!("/api/notifications/{}", page["notifications"][0]["id"].as_str().unwrap());
    let (_, gone) = site.post("bob", &format!("{path}/dismiss"), json!({})).await;
    assert_eq!(gone["dismissed"], true);
    let (_, page) = site.get("bob", "/api/notifications").await;
    assert_eq!(page["notifications"], json!([]));
    let (status, back) = site.post("bob", &format!("{path}/restore"), json!({})).await;
    assert_eq!((status, &back["dismissed"]), (200, &json!(false)));
    assert_eq!(back.get("dismissedAt"), None);
    let (_, page) = site.get("bob", "/api/notifications").await;
    assert_eq!(page["notifications"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn only_one_category_is_marked_as_read_if_it_is_named() {
    let site = Site::new().await;
    site.post("service", "/api/notifications/send", like("bob", "alice", "p1")).await;
    site.world.dispatch().await;
    let path = "/api/notifications/read-all?category=";
    let (_, marked) = site.post("bob", &format!("{path}NEWS"), json!({})).await;
    assert_eq!(marked, json!({ "marked": 0 }));
    let (_, marked) = site.post("bob", &format!("{path}SOCIAL"), json!({})).await;
    assert_eq!(marked, json!({ "marked": 1 }));
    let (status, _) = site.post("bob", &format!("{path}WEATHER"), json!({})).await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn nt_a05_over_http_wrong_preferences_are_named_and_not_stored() {
    let site = Site::new().await;
    let path = "/api/notifications/preferences";
    let wrong = json!({ "timezone": "Mars/Base", "quietHours": vec![true; 23], "volume": 11 });
    let (status, problem) = site.call("bob", "PUT", path, Some(wrong)).await;
    assert_eq!(
        (status, fields(&problem)),
        (400, vec!["quietHours".into(), "timezone".into(), "volume".into()])
    );
    let (_, before) = site.get("bob", path).await;
    assert_eq!(before["timezone"], "UTC");
    let right =
        json!({ "timezone": "Europe/Berlin", "categories": { "news": false }, "locale": "de" });
    let (status, after) = site.call("bob", "PUT", path, Some(right)).await;
    assert_eq!((status, after["timezone"].as_str()), (200, Some("Europe/Berlin")));
    assert_eq!(after["categories"], json!({ "social": true, "news": false, "marketing": false }));
    let (status, problem) = site.call("bob", "PUT", path, Some(json!({ "locale": "xx" }))).await;
    assert_eq!((status, fields(&problem)), (400, vec!["locale".to_owned()]));
}

#[tokio::test]
async fn nt_a08_over_http_registering_says_what_it_did_and_shows_no_token() {
    let site = Site::new().await;
    let path = "/api/notifications/devices";
    let device = |id: &str| {
        let token = format!("secret-token-of-{id}");
        json!({ "deviceId": id, "pushToken": token, "platform": "apns", "label": "X" })
    };
    for id in ["d1", "d2", "d3"] {
        assert_eq!(site.post("bob", path, device(id)).await.0, 201);
        site.world.travel(1);
    }
    let (status, fourth) = site.post("bob", path, device("d4")).await;
    assert_eq!((status, fourth["evictedDevice"]["deviceId"].as_str()), (201, Some("d1")));
    assert_eq!(site.post("bob", path, device("d4")).await.0, 200);
    let (_, all) = site.get("bob", path).await;
    let (_, active) = site.get("bob", &format!("{path}?activeOnly=true")).await;
    assert_eq!(
        (all["devices"].as_array().unwrap().len(), active["devices"].as_array().unwrap().len()),
        (4, 3)
    );
    assert!(!all.to_string().contains("secret-token"), "{all}");
    assert_eq!(all["devices"][0]["pushToken"], "…f-d4");
    let wrong = json!({ "deviceId": "", "platform": "sms", "label": 7, "color": "red" });
    let (status, problem) = site.post("bob", path, wrong).await;
    let expected = ["color", "deviceId", "label", "platform", "pushToken"].map(str::to_owned);
    assert_eq!((status, fields(&problem)), (400, expected.to_vec()));
    assert_eq!(site.post("bob", &format!("{path}/d4/revoke"), json!({})).await.0, 200);
    assert_eq!(site.post("bob", &format!("{path}/d9/revoke"), json!({})).await.0, 404);
}

#[tokio::test]
async fn nt_a15_only_services_send_and_wrong_events_are_named_and_not_stored() {
    let site = Site::new().await;
    let path = "/api/notifications/send";
    assert_eq!(site.post("bob", path, like("alice", "bob", "p1")).await.0, 403);
    let users: Vec<_> = (0..51).map(|number| format!("u{number}")).collect();
    let mut many = like("x", "alice", "p1");
    many.as_object_mut().unwrap().remove("userId");
    many["userIds"] = json!(users);
    let (status, problem) = site.post("service", path, many.clone()).await;
    assert_eq!((status, fields(&problem)), (400, vec!["userIds".to_owned()]));
    many["userIds"] = json!(users[..50]);
    assert_eq!(site.post("service", path, many).await.1["queued"], 50);
    let wrong = json!({ "userId": "a/b", "eventType": "POST_EATEN", "payload": { "targetType": "planet" },
        "scheduledAt": "soon", "dedupeKey": 7, "volume": 11 });
    let (status, problem) = site.post("service", path, wrong).await;
    let expected = [
        "dedupeKey",
        "eventType",
        "payload.targetId",
        "payload.targetType",
        "scheduledAt",
        "userId",
        "volume",
    ];
    assert_eq!((status, fields(&problem)), (400, expected.map(str::to_owned).to_vec()));
    let mut late = like("bob", "alice", "p1");
    late["scheduledAt"] = json!("2099-01-01T00:00:00Z");
    assert_eq!(fields(&site.post("service", path, late).await.1), ["scheduledAt"]);
    let stats = site.world.system.stats().await.unwrap().value;
    assert_eq!(stats.events["PENDING"], 50, "only what was right is stored");
}

#[tokio::test]
async fn a_list_continues_with_a_cursor_of_the_same_caller() {
    let site = Site::new().await;
    for number in 0..5 {
        site.post(
            "service",
            "/api/notifications/send",
            like("bob", "alice", &format!("p{number}")),
        )
        .await;
        site.post(
            "service",
            "/api/notifications/send",
            like("eve", "alice", &format!("p{number}")),
        )
        .await;
    }
    site.world.dispatch().await;
    let (_, first) = site.get("bob", "/api/notifications?limit=3").await;
    let cursor = first["continuationToken"].as_str().unwrap();
    let next = format!("/api/notifications?limit=3&continuationToken={cursor}");
    let (status, second) = site.get("bob", &next).await;
    assert_eq!((status, second["notifications"].as_array().unwrap().len()), (200, 2));
    assert_eq!(second.get("continuationToken"), None);
    assert_eq!(site.get("eve", &next).await.0, 400, "a cursor of somebody else");
    assert_eq!(
        site.get("bob", "/api/notifications?limit=3&continuationToken=made-up").await.0,
        400
    );
    for (query, field) in
        [("limit=0", "limit"), ("limit=many", "limit"), ("category=FOOD", "category")]
    {
        let (status, problem) = site.get("bob", &format!("/api/notifications?{query}")).await;
        assert_eq!((status, fields(&problem)), (400, vec![field.to_owned()]), "{query}");
    }
}

#[tokio::test]
async fn operators_list_and_retry_dead_events() {
    let site = Site::new().await;
    let retry =
        notifications::delivery::DeliveryResult::Retry { after: None, reason: "503".to_owned() };
    site.world.provider.always(Some(retry));
    site.world.register("bob", "d1").await;
    site.post("service", "/api/notifications/send", like("bob", "alice", "p1")).await;
    for _ in 0..8 {
        site.world.dispatch().await;
        site.world.travel(3_600);
    }
    let (status, dead) = site.get("admin", "/admin/events?status=DEAD").await;
    assert_eq!((status, dead["events"].as_array().unwrap().len()), (200, 1));
    assert_eq!(site.get("admin", "/admin/stats").await.1["dead"], 1);
    site.world.provider.always(None);
    let id = dead["events"][0]["id"].as_str().unwrap();
    assert_eq!(site.post("admin", &format!("/admin/events/{id}/retry"), json!({})).await.0, 200);
    assert_eq!(site.post("admin", &format!("/admin/events/{id}/retry"), json!({})).await.0, 409);
    assert_eq!(site.post("admin", "/admin/events/none/retry", json!({})).await.0, 404);
    assert_eq!(site.get("admin", "/admin/events?status=EATEN").await.0, 400);
    site.world.dispatch().await;
    let (_, done) = site.get("admin", "/admin/events?status=COMPLETED").await;
    assert_eq!(done["events"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn nt_a14_over_http_a_user_is_exported_and_erased() {
    let site = Site::new().await;
    site.world.register("bob", "d1").await;
    site.post("service", "/api/notifications/send", like("bob", "alice", "p1")).await;
    site.world.dispatch().await;
    let (status, begun) = site.post("bob", "/api/privacy/export", json!({})).await;
    assert_eq!((status, begun["status"].as_str()), (202, Some("ready")));
    let (status, lines) = site.get("bob", begun["location"].as_str().unwrap()).await;
    let lines = lines.as_str().unwrap().to_owned();
    assert_eq!((status, lines.lines().count()), (200, 5), "{lines}");
    assert_eq!(site.call("eve", "DELETE", "/api/privacy/users/bob", None).await.0, 403);
    assert_eq!(site.get("bob", "/api/privacy/users/bob").await.0, 404);
    let (status, erased) = site.call("bob", "DELETE", "/api/privacy/users/bob", None).await;
    assert_eq!((status, erased["status"].as_str()), (202, Some("erased")));
    assert_eq!(site.get("admin", "/api/privacy/users/bob").await.0, 200);
    assert_eq!(site.get("bob", "/api/notifications").await.1, json!({ "notifications": [] }));
}

#[tokio::test]
async fn health_is_degraded_after_five_errors() {
    let site = Site::new().await;
    let (status, ready) = site.get("bob", "/readyz").await;
    assert_eq!((status, ready["status"].as_str()), (200, Some("ready")));
    site.world.register("bob", "d1").await;
    let retry =
        notifications::delivery::DeliveryResult::Retry { after: None, reason: "503".to_owned() };
    site.world.provider.always(Some(retry));
    for number in 0..5 {
        let event = json!({ "userId": "bob", "eventType": "SECURITY_NEW_DEVICE",
            "payload": { "targetId": format!("t{number}"), "targetType": "user" } });
        site.post("service", "/api/notifications/send", event).await;
    }
    site.world.dispatch().await;
    let (status, ready) = site.get("bob", "/readyz").await;
    assert_eq!((status, ready["status"].as_str()), (200, Some("degraded")));
}
