//! The routes: the OpenAPI document, sign-in over HTTP, limits, health, localisation, administration.

use chat::ChatSettings;
use serde_json::json;
use service::http::openapi_mismatches;

use crate::site::Site;
use crate::world::{ALICE, BOB, Embedded, message, settings, settings_with_features};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_document_and_the_routes_agree() {
    let site = Site::new::<Embedded>(settings_with_features()).await;
    let differences = openapi_mismatches(&site.interface.router, &[]).await;
    assert_eq!(differences, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a3_a_session_begins_with_a_code_and_ends_everywhere() {
    let site = Site::new::<Embedded>(settings()).await;
    let cookies = site.sign_in(ALICE).await;
    let api = &site.interface;
    let me = api.call_with(&cookies, "GET", "/api/auth/me", None).await;
    let expected = json!({ "userName": ALICE, "fullName": "Alice Johnson", "avatar": null });
    assert_eq!(me, (200, expected));
    // A page of another site has the cookie and not the token.
    let without = crate::site::Cookies { csrf: String::new(), ..cookies.clone() };
    assert_eq!(api.call_with(&without, "POST", "/api/auth/logout", None).await.0, 403);
    assert_eq!(api.call_with(&cookies, "POST", "/api/auth/logout", None).await.0, 200);
    assert_eq!(
        api.call_with(&cookies, "GET", "/api/auth/me", None).await.0,
        401,
        "a copy is ended too"
    );
    assert_eq!(api.call(None, "GET", "/api/auth/me", None).await.0, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ch_a5_every_name_gets_the_same_answers() {
    let site = Site::new::<Embedded>(settings()).await;
    let api = &site.interface;
    for name in [ALICE, "mallory@x"] {
        let start =
            api.call(None, "POST", "/api/auth/start", Some(json!({ "userName": name }))).await;
        assert_eq!(start.0, 202);
        let body = json!({ "userName": name, "code": "no digits" });
        let (status, problem) = api.call(None, "POST", "/api/auth/verify", Some(body)).await;
        assert_eq!((status, &problem["code"]), (401, &json!("sign_in_refused")));
    }
    let wrong = api.call(None, "POST", "/api/auth/start", Some(json!({ "userName": "a/b" }))).await;
    assert_eq!(wrong.0, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_ins_of_one_address_are_limited() {
    let settings = ChatSettings { rate_limiting: Default::default(), ..settings() };
    let site = Site::new::<Embedded>(settings).await;
    let start = async || {
        let body = json!({ "userName": "mallory@x" });
        site.interface.call(None, "POST", "/api/auth/start", Some(body)).await.0
    };
    for _ in 0..5 {
        assert_eq!(start().await, 202);
    }
    assert_eq!(start().await, 429);
    site.world.travel(60);
    assert_eq!(start().await, 202);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_over_http() {
    let site = Site::new::<Embedded>(settings_with_features()).await;
    let api = &site.interface;
    let body = json!({ "room": "general", "content": "hello", "correlationId": "c1" });
    let response = api.respond(Some(ALICE), "POST", "/api/messages", Some(&body)).await;
    assert_eq!(response.status().as_u16(), 201);
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    let sent: serde_json::Value = response.json().await.unwrap();
    assert_eq!(api.get(BOB, &location).await, (200, sent.clone()));
    let history = api.get(BOB, "/api/messages/room/general?take=5").await;
    assert_eq!(history, (200, json!([sent])));
    let id = sent["id"].as_str().unwrap();
    let marked = api.post(BOB, &format!("/api/messages/{id}/read?room=general"), json!({})).await;
    assert_eq!(marked.0, 204);
    assert_eq!(api.get(BOB, &location).await.1["readBy"], json!([BOB]));
    for wrong in ["take=0", "take=101", "before=yesterday"] {
        let path = format!("/api/messages/room/general?{wrong}");
        assert_eq!(api.get(BOB, &path).await.0, 400, "{wrong}");
    }
    let deleted = api.call(Some(BOB), "DELETE", &location, None).await;
    assert_eq!(deleted.0, 403);
    assert_eq!(api.call(Some(ALICE), "DELETE", &location, None).await.0, 204);
    for content in ["", &"a".repeat(1_001)] {
        let body = json!({ "room": "general", "content": content });
        assert_eq!(api.post(ALICE, "/api/messages", body).await.0, 400);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posting_by_http_is_off_by_default() {
    let site = Site::new::<Embedded>(settings()).await;
    let body = json!({ "room": "general", "content": "hello" });
    assert_eq!(site.interface.post(ALICE, "/api/messages", body).await.0, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_counters_and_rooms_with_their_charge() {
    let site = Site::new::<Embedded>(settings()).await;
    let api = &site.interface;
    let (status, ready) = api.call(None, "GET", "/healthz/ready", None).await;
    assert_eq!((status, &ready["checks"]["redis"]), (200, &json!("ready")));
    let alice = site.world.member(ALICE).await;
    site.world.chat.send(&alice, message("general", "hello")).await.unwrap();
    let (_, counters) = api.call(None, "GET", "/healthz/metrics", None).await;
    assert_eq!(counters["messagesSent"], 1);
    assert!(counters["roomRequestUnits"]["general"].as_f64().unwrap() > 1.0);
    let body = json!({ "attempt": 2, "delayMs": 1000, "errorMessage": "a\nb" });
    assert_eq!(api.post(ALICE, "/api/telemetry/reconnect", body).await.0, 202);
    let (_, counters) = api.call(None, "GET", "/healthz/metrics", None).await;
    assert_eq!(counters["reconnectAttempts"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_language_is_that_of_the_cookie_then_of_the_browser() {
    let site = Site::new::<Embedded>(settings()).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let strings = async |name: &str, value: &str| -> serde_json::Value {
        let url = site.interface.url("/api/localization/strings");
        client.get(url).header(name, value).send().await.unwrap().json().await.unwrap()
    };
    assert_eq!(strings("accept-language", "pl-PL, en;q=0.5").await["strings"]["send"], "Wyślij");
    assert_eq!(strings("cookie", "culture=de").await["culture"], "de");
    let body = json!({ "culture": "xx" });
    assert_eq!(site.interface.call(None, "POST", "/culture/set", Some(body)).await.0, 400);
    let body = json!({ "culture": "uk" });
    let set = site.interface.respond(None, "POST", "/culture/set", Some(&body)).await;
    assert!(set.headers()["set-cookie"].to_str().unwrap().starts_with("culture=uk;"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_hosts_are_refused_and_listed_origins_are_allowed() {
    let mut strict = settings();
    strict.allowed_hosts = "chat.example".to_owned();
    strict.cors.allowed_origins = vec!["https://app.example".to_owned()];
    let site = Site::new::<Embedded>(strict).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ask = async |host: &str, origin: &str| {
        let request = client.get(site.interface.url("/culture/current"));
        request.header("host", host).header("origin", origin).send().await.unwrap()
    };
    assert_eq!(ask("evil.example", "https://app.example").await.status().as_u16(), 400);
    let allowed = ask("chat.example", "https://app.example").await;
    assert_eq!(allowed.headers()["access-control-allow-origin"], "https://app.example");
    let other = ask("chat.example", "https://evil.example").await;
    assert!(other.headers().get("access-control-allow-origin").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn administrators_manage_users_and_rooms() {
    let site = Site::new::<Embedded>(settings_with_features()).await;
    let api = &site.interface;
    assert_eq!(api.get(ALICE, "/api/admin/users").await.0, 403);
    let dora = json!({ "userName": "dora", "email": "dora@example.com", "fixedRooms": ["ops"] });
    assert_eq!(api.post("admin", "/api/admin/users", dora.clone()).await.0, 201);
    assert_eq!(api.post("admin", "/api/admin/users", dora).await.0, 409);
    let put = async |path: &str, body| api.call(Some("admin"), "PUT", path, Some(body)).await;
    let (status, changed) =
        put("/api/admin/users/dora/rooms", json!({ "fixedRooms": ["general"] })).await;
    assert_eq!((status, &changed["fixedRooms"]), (200, &json!(["general"])));
    assert_eq!(put("/api/admin/users/dora/rooms", json!({ "fixedRooms": ["x"] })).await.0, 400);
    assert_eq!(put("/api/admin/users/nobody/rooms", json!({ "fixedRooms": [] })).await.0, 404);
    let patched = api
        .call(Some("admin"), "PATCH", "/api/admin/users/dora", Some(json!({ "enabled": false })))
        .await;
    assert_eq!((patched.0, &patched.1["enabled"]), (200, &json!(false)));
    assert_eq!(api.get("dora", "/api/rooms").await.0, 403);
    assert_eq!(api.post("admin", "/api/admin/rooms", json!({ "name": "news" })).await.0, 201);
    assert_eq!(api.post("admin", "/api/admin/rooms", json!({ "name": "news" })).await.0, 409);
    let (_, rooms) = api.get("admin", "/api/admin/rooms").await;
    assert_eq!(rooms.as_array().unwrap().len(), 4);
    assert_eq!(
        put("/api/admin/rooms/ops/retention", json!({ "retentionSeconds": 60 })).await.0,
        200
    );
    let (status, hook) =
        api.post("admin", "/api/admin/rooms/ops/hooks", json!({ "name": "ci" })).await;
    assert_eq!(status, 201);
    let post = reqwest::Client::builder().no_proxy().build().unwrap().post(api.url("/api/hooks"));
    let token = format!("Hook {}", hook["token"].as_str().unwrap());
    let posted =
        post.header("authorization", token).json(&json!({ "content": "green" })).send().await;
    assert_eq!(posted.unwrap().status().as_u16(), 201);
    let exported = api.respond(Some("admin"), "GET", "/api/admin/rooms/ops/export", None).await;
    assert!(exported.text().await.unwrap().contains("\"green\""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_are_found_whatever_the_case_of_their_letters() {
    let site = Site::new::<Embedded>(settings()).await;
    site.world.send(ALICE, "general", "hello").await;
    let (status, history) = site.interface.get(ALICE, "/API/Messages/Room/general?take=1").await;
    assert_eq!((status, &history[0]["content"]), (200, &"hello".into()));
    // Names are compared exactly.
    assert_eq!(site.interface.get(ALICE, "/api/messages/room/General").await.0, 403);
    assert_eq!(site.interface.get(ALICE, "/Api/Nothing").await.0, 404);
}
