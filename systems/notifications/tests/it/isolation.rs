//! No user can read or change the data of another: every route, with every id of another user, and without a token.

use client::Query;
use notifications::EventType;
use serde_json::{Value, json};

use crate::site::Site;
use crate::world::{event_for, user};

/// All data of alice, as one text.
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

/// A site on which alice has one item of each kind, and their ids.
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

/// What a route does for a caller who names data of alice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// It concerns only the caller, and responds with one of these; 400 for an unexpected id.
    Own(&'static [u16]),
    /// It names an item, and finds only those of the caller.
    Finds,
    /// It is for callers with this role, or about the caller.
    Role(&'static str),
    /// It is for everybody, says nothing of anybody, and responds with one of these.
    Open(&'static [u16]),
    /// It is a stream, which has its own test.
    Streams,
}

/// Every route by its method and path in the document: a route that is not here fails the tests.
const ROUTES: [(&str, Does); 28] = [
    ("DELETE /api/privacy/users/{id}", Does::Role("admin")),
    ("GET /admin/events", Does::Role("admin")),
    ("GET /admin/stats", Does::Role("admin")),
    ("GET /api/notifications", Does::Own(&[200, 400])),
    ("GET /api/notifications/devices", Does::Own(&[200, 400])),
    ("GET /api/notifications/preferences", Does::Own(&[200])),
    ("GET /api/notifications/stream", Does::Streams),
    ("GET /api/notifications/unread-count", Does::Own(&[200])),
    ("GET /api/privacy/export", Does::Own(&[200])),
    ("GET /api/privacy/users/{id}", Does::Role("admin")),
    ("GET /session", Does::Own(&[200])),
    ("GET /session/callback", Does::Open(&[404])),
    ("GET /session/methods", Does::Open(&[200])),
    ("GET /session/oidc", Does::Open(&[404])),
    ("GET /session/sign-in", Does::Own(&[401])),
    ("POST /admin/events/{id}/retry", Does::Role("admin")),
    ("POST /api/notifications/devices", Does::Own(&[200, 201, 400])),
    ("POST /api/notifications/devices/{deviceId}/revoke", Does::Finds),
    ("POST /api/notifications/devices/{deviceId}/verify", Does::Finds),
    ("POST /api/notifications/read-all", Does::Own(&[200, 400])),
    ("POST /api/notifications/send", Does::Role("service")),
    ("POST /api/notifications/{id}/dismiss", Does::Finds),
    ("POST /api/notifications/{id}/read", Does::Finds),
    ("POST /api/notifications/{id}/restore", Does::Finds),
    ("POST /api/privacy/export", Does::Own(&[202])),
    ("POST /session", Does::Own(&[200])),
    ("POST /session/sign-out", Does::Own(&[204])),
    ("PUT /api/notifications/preferences", Does::Own(&[200, 400])),
];

/// One call of a documented route.
#[derive(Clone, Debug)]
struct Call {
    does: Does,
    method: String,
    path: String,
    body: Option<Value>,
}

/// Every documented route, with each of these ids as each path variable and each parameter.
async fn calls(site: &Site, ids: &[String]) -> Vec<Call> {
    let (_, document) = site.get("bob", "/openapi.json").await;
    let mut calls = Vec::new();
    let mut documented = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method = method.to_uppercase();
            let route = format!("{method} {path}");
            documented.push(route.clone());
            let found = ROUTES.iter().find(|(known, _)| *known == route);
            let does =
                found.unwrap_or_else(|| panic!("'{route}' is a route without a case here")).1;
            let call = |path: String, body| Call { does, method: method.clone(), path, body };
            for path in spelled(path, ids) {
                let bodies = bodies(&route, ids);
                calls.extend(bodies.into_iter().map(|body| call(path.clone(), body)));
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                if parameter["in"] == "query" {
                    let name = parameter["name"].as_str().unwrap();
                    let asking = |id| call(format!("{path}?{name}={id}"), None);
                    calls.extend(ids.iter().map(asking));
                }
            }
        }
    }
    documented.sort();
    let known: Vec<_> = ROUTES.iter().map(|(route, _)| *route).collect();
    assert_eq!(documented, known, "the cases are those of the document, sorted");
    // What names a thing comes first: later a caller has registered devices of these ids, which is allowed.
    calls.sort_by_key(|call| call.does != Does::Finds);
    calls
}

/// A path with each id as its variables.
fn spelled(path: &str, ids: &[String]) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let after = rest.split_once('}').unwrap().1;
    let with = |id: &String| spelled(&format!("{before}{id}{after}"), ids);
    ids.iter().flat_map(with).collect()
}

/// The bodies for a route: a valid one of the caller, and the same with ids of another user.
fn bodies(route: &str, ids: &[String]) -> Vec<Option<Value>> {
    let right = match route.split_once(' ').unwrap() {
        ("PUT", _) => json!({ "timezone": "Europe/Berlin" }),
        (_, "/api/notifications/devices") => {
            json!({ "deviceId": "own-device", "pushToken": "own-token", "platform": "fcm" })
        }
        (_, "/api/notifications/send") => json!({ "userId": "alice", "eventType": "POST_LIKE",
            "payload": { "targetId": "x", "targetType": "post" } }),
        // The body takes no other field.
        (_, path) if path.ends_with("/verify") => return vec![Some(json!({ "code": "000000" }))],
        ("POST", _) => json!({}),
        _ => return vec![None],
    };
    let mut bodies = vec![Some(right.clone())];
    for id in ids {
        for name in ["id", "userId", "deviceId"] {
            let mut body = right.clone();
            body[name] = json!(id);
            bodies.push(Some(body));
        }
    }
    bodies
}

/// Whether a status is right for a caller who is not alice and does not have the role.
fn is_right(call: &Call, status: u16) -> bool {
    match call.does {
        Does::Role(_) => status == 403,
        Does::Finds => status == 404,
        Does::Own(statuses) | Does::Open(statuses) => statuses.contains(&status),
        Does::Streams => false,
    }
}

#[tokio::test]
async fn nt_a15_no_route_shows_or_changes_what_is_another_users() {
    let (site, ids) = site_with_alice().await;
    let before = everything_of_alice(&site).await;
    let calls = calls(&site, &ids).await;
    assert!(calls.len() > 100, "{}", calls.len());
    for caller in ["bob", "service", "admin"] {
        let others = |call: &&Call| call.does != Does::Role(role_of(caller));
        for call in calls.iter().filter(others).filter(|call| call.does != Does::Streams) {
            let Call { method, path, body, .. } = call;
            let (status, answer) = site.call(caller, method, path, body.clone()).await;
            assert!(is_right(call, status), "{caller}: {call:?}: {status} {answer}");
            let subject = answer["subject"].as_str().unwrap_or(caller);
            assert_eq!(subject, caller, "{call:?}: nobody becomes somebody else");
            let answer = answer.to_string();
            for secret in ["secret-post", "carol", "token-of-alice"] {
                assert!(
                    !answer.contains(secret),
                    "{caller}: {call:?} reveals '{secret}': {answer}"
                );
            }
        }
        assert_eq!(everything_of_alice(&site).await, before, "{caller}");
    }
}

fn role_of(caller: &str) -> &'static str {
    match caller {
        "service" => "service",
        "admin" => "admin",
        _ => "",
    }
}

#[tokio::test]
async fn nt_a15_the_stream_tells_nobody_what_is_another_users() {
    let (site, _) = site_with_alice().await;
    for caller in ["bob", "service", "admin"] {
        let path = "/api/notifications/stream";
        let mut response = site.respond(Some(caller), "GET", path, None).await;
        for (user, post) in [("alice", "secret-post"), (caller, "own-post")] {
            site.world.send(event_for(user, EventType::PostShare, "dan", post)).await;
        }
        site.world.dispatch().await;
        let mut text = String::new();
        while !text.contains("own-post") {
            let chunk = response.chunk().await.unwrap().unwrap();
            text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
        assert!(!text.contains("secret-post"), "{caller}: {text}");
    }
}

#[tokio::test]
async fn nt_a15_without_a_token_only_open_routes_answer() {
    let (site, ids) = site_with_alice().await;
    let before = everything_of_alice(&site).await;
    for call in calls(&site, &ids).await {
        let Call { method, path, body, .. } = &call;
        let response = site.respond(None, method, path, body.as_ref()).await;
        if let Does::Open(statuses) = call.does {
            assert!(statuses.contains(&response.status().as_u16()), "{call:?}");
            continue;
        }
        assert_eq!(response.status().as_u16(), 401, "{call:?}");
        assert!(response.headers().contains_key("www-authenticate"), "{call:?}");
    }
    assert_eq!(everything_of_alice(&site).await, before);
}
