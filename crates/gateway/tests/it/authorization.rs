//! Signatures by the account key.

use crate::client::{DATE, Server, sign, sign_link};
use gateway::EMULATOR_KEY;

#[tokio::test]
async fn a_request_without_a_signature_is_refused() {
    let server = Server::start().await;
    let message = "Required Header authorization is missing.";
    server.get("/").unsigned().send().await.refused(401, None, message);
}

#[tokio::test]
async fn a_wrong_key_is_refused_with_the_payload_that_was_expected() {
    let server = Server::start().await;
    let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let call = server.get("/dbs").unsigned().with("x-ms-date", DATE);
    let answer = call.with("authorization", &sign("GET", "/dbs", DATE, other)).send().await;
    answer.refused(401, None, "The wrong key is being used");
    assert!(answer.text().contains("get\\\\ndbs\\\\n\\\\nsat, 10 oct 2026"), "{}", answer.text());
}

#[tokio::test]
async fn a_date_too_far_from_ours_is_refused() {
    let server = Server::start().await;
    server.get("/dbs").send().await.expect(200);
    server.travel(14 * 60);
    server.get("/dbs").send().await.expect(200);
    server.travel(2 * 60);
    server.get("/dbs").send().await.refused(403, None, "not valid at the current time");
}

#[tokio::test]
async fn the_check_of_dates_can_be_turned_off() {
    let server = Server::with(|settings| settings.clock_skew_max_seconds = None).await;
    server.travel(24 * 60 * 60);
    server.get("/dbs").send().await.expect(200);
}

#[tokio::test]
async fn names_are_signed_decoded_and_resource_ids_in_lower_case() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"My db"}"#).send().await.expect(201);
    let read = server.get("/dbs/My%20db/").send().await.expect(200);
    let rid = read.string("_rid");
    let signature = sign_link("GET", "dbs", &rid.to_lowercase(), DATE, EMULATOR_KEY);
    let call = server.get(&format!("/dbs/{rid}/")).unsigned().with("x-ms-date", DATE);
    call.with("authorization", &signature).send().await.expect(200);
}

#[tokio::test]
async fn a_signature_is_valid_only_for_its_method_and_path() {
    let server = Server::with_container().await;
    for (verb, path) in [("DELETE", "/dbs/d"), ("GET", "/dbs/d/colls/c")] {
        let call = server.get("/dbs/d").unsigned().with("x-ms-date", DATE);
        call.with("authorization", &sign(verb, path, DATE, EMULATOR_KEY)).send().await.expect(401);
    }
}

#[tokio::test]
async fn the_plain_date_header_may_be_signed() {
    let server = Server::start().await;
    let key = ring::hmac::Key::new(
        ring::hmac::HMAC_SHA256,
        &base64::Engine::decode(&base64::engine::general_purpose::STANDARD, EMULATOR_KEY).unwrap(),
    );
    let payload = format!("get\ndbs\n\n\n{}\n", DATE.to_lowercase());
    let tag = ring::hmac::sign(&key, payload.as_bytes());
    let signature = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, tag);
    let call = server.get("/dbs").unsigned().with("date", DATE);
    call.with("authorization", &format!("type=master&ver=1.0&sig={signature}"))
        .send()
        .await
        .expect(200);
}

#[tokio::test]
async fn cross_origin_requests_are_refused() {
    let server = Server::start().await;
    server.call("OPTIONS", "/", "").send().await.refused(403, None, "Cross-origin");
}

#[tokio::test]
async fn a_signature_over_the_last_name_alone_is_refused() {
    let server = Server::with_container().await;
    for (path, kind, link) in [
        ("/dbs/d", "dbs", "d"),
        ("/dbs/d/colls/c", "colls", "c"),
        ("/dbs/d/colls/c/docs", "docs", "c"),
    ] {
        let signature = sign_link("GET", kind, link, DATE, EMULATOR_KEY);
        let call = server.get(path).unsigned().with("x-ms-date", DATE);
        call.with("authorization", &signature).send().await.refused(401, None, "wrong key");
    }
}

#[tokio::test]
async fn names_are_signed_in_their_case_and_resource_ids_may_be_signed_alone() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"Upper"}"#).send().await.expect(201);
    let ask = |path: String, kind: &str, link: &str| {
        let signature = sign_link("GET", kind, link, DATE, EMULATOR_KEY);
        let call = server.get(&path).unsigned().with("x-ms-date", DATE);
        call.with("authorization", &signature).send()
    };
    let read = ask("/dbs/Upper".to_owned(), "dbs", "dbs/Upper").await.expect(200);
    ask("/dbs/Upper".to_owned(), "dbs", "dbs/upper").await.expect(401);
    let rid = read.string("_rid");
    ask(format!("/dbs/{rid}"), "dbs", &rid.to_lowercase()).await.expect(200);
    ask(format!("/dbs/{rid}/colls"), "colls", &rid.to_lowercase()).await.expect(200);
    // The resource id of another database.
    ask("/dbs/Upper".to_owned(), "dbs", &rid.to_lowercase()).await.expect(401);
}
