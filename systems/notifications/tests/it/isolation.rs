//! Nobody sees or changes what is another's: every route, with every id of somebody else, and without a token.

use client::Query;
use notifications::EventType;
use serde_json::{Value, json};

use crate::site::Site;
use crate::world::{event_for, user};

/// Everything alice has, as one text.
async fn everything_of_alice(site: &Site) -> String {
    let containers = site.world.system.containers();
    let mut all = String::new();
    for container in [
        &containers.events,
        &containers.notifications,
        &containers.preferences,
        &containers.devices,
    ] {
        let query = Query::text("SELECT * FROM c").within("alice".into());
        let mut rows = container.query::<Value>(&query).await.unwrap().value;
        rows.sort_by_key(|row| row["id"].as_str().unwrap_or_default().to_owned());
        all.push_str(&Value::from(rows).to_string());
    }
    all
}

/// A site on which alice has one of each thing; her ids.
async fn site_with_alice() -> (Site, Vec<String>) {
    let site = Site::new().await;
    site.world.register("alice", "alices-device").await;
    let change = notifications::PreferencesChange { social: Some(true), ..Default::default() };
    site.world.system.change_preferences(&user("alice"), &change).await.unwrap();
    let sent =
        site.world.send(event_for("alice", EventType::PostLike, "carol", "secret-post")).await;
    site.world.dispatch().await;
    let notification = site.world.list("alice").await[0].id.clone();
    let device = site.world.system.devices(&user("alice")).await.unwrap().value[0].clone();
    let ids = vec![
        "alice".to_owned(),
        sent.id,
        notification,
        device.id,
        device.device_id.as_str().to_owned(),
    ];
    (site, ids)
}

/// Every documented route, with each of these in the place of its parameter.
async fn routes(site: &Site, ids: &[String]) -> Vec<(String, String)> {
    let (_, document) = site.get("bob", "/openapi.json").await;
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let Some(open) = path.find('{') else {
                routes.push((method.to_uppercase(), path.clone()));
                continue;
            };
            let close = path.find('}').unwrap();
            for id in ids {
                let path = format!("{}{id}{}", &path[..open], &path[close + 1..]);
                routes.push((method.to_uppercase(), path));
            }
        }
    }
    routes
}

fn body_of(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("PUT", _) => Some(json!({ "timezone": "Europe/Berlin" })),
        ("POST", "/api/notifications/devices") => {
            Some(json!({ "deviceId": "bobs-device", "pushToken": "bobs-own", "platform": "fcm" }))
        }
        ("POST", "/api/notifications/send") => {
            Some(json!({ "userId": "alice", "eventType": "POST_LIKE",
            "payload": { "targetId": "x", "targetType": "post" } }))
        }
        ("POST", _) => Some(json!({})),
        _ => None,
    }
}

#[tokio::test]
async fn nt_a15_no_route_shows_or_changes_what_is_another_users() {
    let (site, ids) = site_with_alice().await;
    let before = everything_of_alice(&site).await;
    let routes = routes(&site, &ids).await;
    assert!(routes.len() > 40, "{}", routes.len());
    for (method, path) in routes {
        if path.ends_with("/stream") {
            continue;
        }
        let body = body_of(&method, &path);
        let (status, answer) = site.call("bob", &method, &path, body).await;
        let has_id = ids.iter().any(|id| path.contains(id.as_str()));
        if has_id {
            assert!([403, 404].contains(&status), "{method} {path}: {status} {answer}");
        }
        if path.starts_with("/admin") || path.ends_with("/send") {
            assert_eq!(status, 403, "{method} {path}");
        }
        let told = answer.to_string();
        for secret in ["secret-post", "carol", "token-of-alice"] {
            assert!(!told.contains(secret), "{method} {path} tells '{secret}': {told}");
        }
    }
    assert_eq!(everything_of_alice(&site).await, before);
}

#[tokio::test]
async fn nt_a15_without_a_token_no_route_answers() {
    let (site, ids) = site_with_alice().await;
    let before = everything_of_alice(&site).await;
    for (method, path) in routes(&site, &ids).await {
        let body = body_of(&method, &path);
        let response = site.respond(None, &method, &path, body.as_ref()).await;
        assert_eq!(response.status().as_u16(), 401, "{method} {path}");
        assert!(response.headers().contains_key("www-authenticate"), "{method} {path}");
    }
    assert_eq!(everything_of_alice(&site).await, before);
}
