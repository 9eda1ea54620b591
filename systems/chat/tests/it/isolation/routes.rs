//! CH-086, CH-A8: no user reads or changes what is in a room of others: every route of the document, with every id of
//! that room, and without a token.

use client::Query;
use serde_json::{Value, json};

use crate::site::Site;
use crate::world::{ALICE, CHARLIE, Embedded, OverGateway, Way, settings_with_features};

const SECRET: &str = "secret-of-ops";

/// What a route does for a caller who names the room of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// It concerns only the caller, or everybody, and responds with one of these.
    Own(&'static [u16]),
    /// It needs no caller, and responds with one of these.
    Open(&'static [u16]),
    /// It names something, and refuses what is of others.
    Refuses,
    /// It is for administrators.
    Administers,
}

/// Every route by its method and path in the document: a route that is not here fails the tests.
const ROUTES: [(&str, Does); 43] = [
    ("DELETE /api/messages/{id}", Does::Refuses),
    ("GET /api/admin/rooms", Does::Administers),
    ("GET /api/admin/rooms/{name}/export", Does::Administers),
    ("GET /api/admin/users", Does::Administers),
    ("GET /api/auth/me", Does::Own(&[200])),
    ("GET /api/auth/signin/entra", Does::Open(&[404])),
    ("GET /api/auth/ways", Does::Open(&[200])),
    ("GET /api/features", Does::Own(&[200])),
    ("GET /api/health/chat/presence", Does::Own(&[200])),
    ("GET /api/localization/strings", Does::Open(&[200])),
    ("GET /api/messages/room/{room}", Does::Refuses),
    ("GET /api/messages/search", Does::Own(&[200, 400, 403])),
    ("GET /api/messages/{id}", Does::Refuses),
    ("GET /api/presence", Does::Own(&[200])),
    ("GET /api/rooms", Does::Own(&[200])),
    ("GET /api/rooms/unread", Does::Own(&[200])),
    ("GET /api/rooms/{name}", Does::Refuses),
    ("GET /culture/current", Does::Open(&[200])),
    ("GET /healthz/metrics", Does::Open(&[200])),
    ("GET /healthz/ready", Does::Open(&[200])),
    ("GET /session", Does::Own(&[200])),
    ("GET /session/callback", Does::Open(&[404])),
    ("GET /session/methods", Does::Open(&[200])),
    ("GET /session/oidc", Does::Open(&[404])),
    ("GET /session/sign-in", Does::Open(&[401])),
    ("PATCH /api/admin/users/{userName}", Does::Administers),
    ("PATCH /api/messages/{id}", Does::Refuses),
    ("POST /api/admin/rooms", Does::Administers),
    ("POST /api/admin/rooms/{name}/hooks", Does::Administers),
    ("POST /api/admin/users", Does::Administers),
    ("POST /api/auth/logout", Does::Own(&[200])),
    ("POST /api/auth/start", Does::Open(&[202, 400])),
    ("POST /api/auth/verify", Does::Open(&[401])),
    ("POST /api/hooks", Does::Open(&[401])),
    ("POST /api/messages", Does::Refuses),
    ("POST /api/messages/{id}/read", Does::Refuses),
    ("POST /api/rooms/{name}/seen", Does::Refuses),
    ("POST /api/telemetry/reconnect", Does::Own(&[202])),
    ("POST /culture/set", Does::Open(&[204])),
    ("POST /session", Does::Own(&[200])),
    ("POST /session/sign-out", Does::Own(&[204])),
    ("PUT /api/admin/rooms/{name}/retention", Does::Administers),
    ("PUT /api/admin/users/{userName}/rooms", Does::Administers),
];

/// One call of a documented route.
#[derive(Clone, Debug)]
struct Call {
    does: Does,
    method: String,
    path: String,
    body: Option<Value>,
}

/// A site on which alice has written in a room that charlie may not enter, and the ids of it.
async fn site_with_secret<W: Way>() -> (Site, Vec<String>) {
    let mut settings = settings_with_features();
    settings.rate_limiting.messages.permit_limit = 10_000;
    settings.rate_limiting.mark_read.mark_read_permit_limit = 10_000;
    let site = Site::new::<W>(settings).await;
    let id = site.world.send(ALICE, "ops", SECRET).await.id;
    (site, vec![id, "ops".to_owned(), ALICE.to_owned()])
}

/// Everything that is stored, as one text.
async fn everything(site: &Site) -> String {
    let containers = site.world.chat.containers();
    let mut all = Vec::new();
    for container in [&containers.messages, &containers.users, &containers.rooms] {
        let query = Query::text("SELECT * FROM c").fan_out("a test reads everything");
        let rows = container.query::<Value>(&query).await.unwrap().value;
        all.extend(rows.iter().map(Value::to_string));
    }
    all.sort();
    all.join("\n")
}

/// Every documented route, with each of these ids as each path variable and each parameter.
async fn calls(site: &Site, ids: &[String]) -> Vec<Call> {
    let (_, document) = site.interface.get(CHARLIE, "/openapi.json").await;
    let mut calls = Vec::new();
    let mut documented = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let route = format!("{} {path}", method.to_uppercase());
            let found = ROUTES.iter().find(|(known, _)| *known == route);
            let does =
                found.unwrap_or_else(|| panic!("'{route}' is a route without a case here")).1;
            documented.push(route.clone());
            let call = |path: String| {
                let (method, body) = (method.to_uppercase(), body(&route));
                Call { does, method, path, body }
            };
            let paths = spelled(path, ids);
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                if parameter["in"] == "query" {
                    let name = parameter["name"].as_str().unwrap();
                    for id in ids {
                        let asked = paths.iter().map(|path| format!("{path}?{name}={id}"));
                        calls.extend(asked.map(call));
                    }
                }
            }
            calls.extend(paths.into_iter().map(call));
        }
    }
    documented.sort();
    let mut known: Vec<_> = ROUTES.iter().map(|(route, _)| (*route).to_owned()).collect();
    known.sort();
    assert_eq!(documented, known, "the cases are those of the document");
    calls
}

/// A path with each id as its variables.
fn spelled(path: &str, ids: &[String]) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let after = rest.split_once('}').unwrap().1;
    ids.iter().flat_map(|id| spelled(&format!("{before}{id}{after}"), ids)).collect()
}

/// A valid body that names the room of others.
fn body(route: &str) -> Option<Value> {
    match route {
        "POST /api/messages" => Some(json!({ "room": "ops", "content": "foreign" })),
        "PATCH /api/messages/{id}" => Some(json!({ "content": "changed" })),
        "POST /api/auth/start" => Some(json!({ "userName": "mallory" })),
        "POST /api/auth/verify" => Some(json!({ "userName": ALICE, "code": "000000" })),
        "POST /api/hooks" => Some(json!({ "content": "foreign" })),
        "POST /api/telemetry/reconnect" => Some(json!({ "attempt": 1, "delayMs": 1 })),
        "POST /culture/set" => Some(json!({ "culture": "en" })),
        "POST /api/admin/users" => Some(json!({ "userName": "eve", "fixedRooms": ["ops"] })),
        "PATCH /api/admin/users/{userName}" => Some(json!({ "enabled": false })),
        "PUT /api/admin/users/{userName}/rooms" => Some(json!({ "fixedRooms": ["ops"] })),
        "POST /api/admin/rooms" => Some(json!({ "name": "new" })),
        "PUT /api/admin/rooms/{name}/retention" => Some(json!({ "retentionSeconds": 1 })),
        "POST /api/admin/rooms/{name}/hooks" => Some(json!({ "name": "ci" })),
        route if route.starts_with("POST") => Some(json!({})),
        _ => None,
    }
}

async fn check_foreign_caller<W: Way>() {
    let (site, ids) = site_with_secret::<W>().await;
    let before = everything(&site).await;
    let calls = calls(&site, &ids).await;
    assert!(calls.len() > 60, "{}", calls.len());
    for call in &calls {
        let Call { method, path, body, does } = call;
        let (status, answer) = site.interface.call(Some(CHARLIE), method, path, body.clone()).await;
        let is_right = match does {
            Does::Own(statuses) | Does::Open(statuses) => statuses.contains(&status),
            Does::Refuses => matches!(status, 400 | 403 | 404),
            Does::Administers => status == 403,
        };
        assert!(is_right, "{call:?}: {status} {answer}");
        assert!(!answer.to_string().contains(SECRET), "{call:?} reveals the secret: {answer}");
    }
    assert_eq!(everything(&site).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_route_shows_or_changes_a_room_of_others() {
    check_foreign_caller::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_route_shows_or_changes_a_room_of_others_over_the_gateway() {
    check_foreign_caller::<OverGateway>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_token_only_open_routes_respond() {
    let (site, ids) = site_with_secret::<Embedded>().await;
    let before = everything(&site).await;
    for call in calls(&site, &ids).await {
        let Call { method, path, body, does } = &call;
        let (status, answer) = site.interface.call(None, method, path, body.clone()).await;
        match does {
            Does::Open(statuses) => {
                assert!(statuses.contains(&status), "{call:?}: {status} {answer}");
            }
            _ => assert_eq!(status, 401, "{call:?}: {answer}"),
        }
    }
    assert_eq!(everything(&site).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a8_a_room_of_others_is_403_over_http() {
    check_statuses_of_others::<Embedded>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a8_a_room_of_others_is_403_over_http_and_the_gateway() {
    check_statuses_of_others::<OverGateway>().await;
}

async fn check_statuses_of_others<W: Way>() {
    let (site, ids) = site_with_secret::<W>().await;
    let api = &site.interface;
    let id = &ids[0];
    assert_eq!(api.get(CHARLIE, "/api/messages/room/ops").await.0, 403);
    assert_eq!(api.get(CHARLIE, &format!("/api/messages/{id}")).await.0, 403);
    assert_eq!(api.get(CHARLIE, &format!("/api/messages/{id}?room=ops")).await.0, 403);
    let body = json!({ "room": "ops", "content": "hello" });
    assert_eq!(api.post(CHARLIE, "/api/messages", body).await.0, 403);
    assert_eq!(api.get(CHARLIE, "/api/rooms/ops").await.0, 404);
    let (_, rooms) = api.get(CHARLIE, "/api/rooms").await;
    assert_eq!(rooms, json!([{ "id": "general", "name": "general" }]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_has_expired_is_none() {
    let (site, ids) = site_with_secret::<Embedded>().await;
    let cookies = site.sign_in(CHARLIE).await;
    assert_eq!(site.interface.call_with(&cookies, "GET", "/api/auth/me", None).await.0, 200);
    let (before, calls) = (everything(&site).await, calls(&site, &ids).await);
    // Twelve hours after its last use.
    site.world.travel(13 * 60 * 60);
    for call in calls {
        let Call { method, path, body, does } = &call;
        let (status, answer) = site.interface.call_with(&cookies, method, path, body.clone()).await;
        match does {
            // Asking for a code is refused with an expired session, too: its cookie is wrong.
            Does::Open(statuses) => {
                assert!(statuses.contains(&status) || status == 401, "{call:?}: {status} {answer}");
            }
            _ => assert_eq!(status, 401, "{call:?}: {answer}"),
        }
    }
    assert_eq!(everything(&site).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_another_origin_changes_nothing_and_reads_nothing() {
    let (site, ids) = site_with_secret::<Embedded>().await;
    // Alice may read the secret; a page that she visits may not.
    let cookies = site.sign_in(ALICE).await;
    let before = everything(&site).await;
    for call in calls(&site, &ids).await {
        let Call { method, path, body, does } = &call;
        let request = (method.as_str(), path.as_str(), body.as_ref());
        let origin = "https://evil.example";
        let response = site.interface.respond_from(origin, &cookies, request).await;
        let status = response.status().as_u16();
        let allowed = response.headers().get("access-control-allow-origin");
        assert!(allowed.is_none(), "{call:?} may be read: {allowed:?}");
        if method != "GET" && !matches!(does, Does::Open(_)) {
            assert_eq!(status, 403, "{call:?}");
        }
    }
    assert_eq!(everything(&site).await, before);
    let (status, _) = site.interface.call_with(&cookies, "GET", "/api/auth/me", None).await;
    assert_eq!(status, 200, "the session goes on");
}
