//! Long polling.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use planisphere_signalr::{Caller, DisconnectReason, HubOptions};
use tokio::sync::mpsc;

use crate::client::{builder, negotiate, request, settle};

const SHAKE: &str = "{\"protocol\":\"json\",\"version\":1}\u{1e}";

fn routes() -> (Router, mpsc::UnboundedReceiver<DisconnectReason>) {
    let (ended, ends) = mpsc::unbounded_channel();
    let routes = builder((), HubOptions::default())
        .method("Add", |_, left: i64, right: i64| async move { Ok(left + right) })
        .method("Leave", |caller: Caller| async move {
            caller.abort();
            Ok(())
        })
        .on_disconnected(move |_, reason| {
            let ended = ended.clone();
            async move { ended.send(reason).unwrap() }
        })
        .build()
        .routes("/hub");
    (routes, ends)
}

async fn open(routes: &Router) -> String {
    let answer = negotiate(routes, "?negotiateVersion=1").await;
    let uri = format!("/hub?id={}", answer["connectionToken"].as_str().unwrap());
    check(routes, "GET", &uri, "", (StatusCode::OK, "")).await;
    check(routes, "POST", &uri, SHAKE, (StatusCode::OK, "")).await;
    check(routes, "GET", &uri, "", (StatusCode::OK, "{}\u{1e}")).await;
    uri
}

async fn check(routes: &Router, method: &str, uri: &str, body: &str, expected: (StatusCode, &str)) {
    let (status, text) = request(routes, method, uri, &[], body).await;
    assert_eq!((status, text.as_str()), expected, "{method} {uri}");
}

#[tokio::test(start_paused = true)]
async fn a_poll_waits_for_data_and_a_delete_ends_the_connection() {
    let (routes, mut ends) = routes();
    let uri = open(&routes).await;
    let call = "{\"type\":1,\"invocationId\":\"1\",\"target\":\"Add\",\"arguments\":[1,2]}\u{1e}";
    check(&routes, "POST", &uri, &format!("{call}{call}"), (StatusCode::OK, "")).await;
    settle().await;
    let answer = "{\"type\":3,\"invocationId\":\"1\",\"result\":3}\u{1e}";
    check(&routes, "GET", &uri, "", (StatusCode::OK, &format!("{answer}{answer}"))).await;
    check(&routes, "DELETE", &uri, "", (StatusCode::ACCEPTED, "")).await;
    assert_eq!(ends.recv().await, Some(DisconnectReason::Closed));
    check(&routes, "GET", &uri, "", (StatusCode::OK, "{\"type\":7}\u{1e}")).await;
    check(&routes, "GET", &uri, "", (StatusCode::NO_CONTENT, "")).await;
    let gone = (StatusCode::NOT_FOUND, "No Connection with that ID");
    check(&routes, "GET", &uri, "", gone).await;
    check(&routes, "POST", &uri, "", gone).await;
    check(&routes, "POST", "/hub", "", (StatusCode::BAD_REQUEST, "Connection ID required")).await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_poll_ends_empty_and_a_second_poll_replaces_the_first() {
    let (routes, _ends) = routes();
    let uri = open(&routes).await;
    // The client of this connection sends pings, or it would be given up before the poll ends.
    let pinging = tokio::spawn({
        let (routes, uri) = (routes.clone(), uri.clone());
        async move {
            loop {
                tokio::time::sleep(Duration::from_secs(10)).await;
                request(&routes, "POST", &uri, &[], "{\"type\":6}\u{1e}").await;
            }
        }
    });
    let started = tokio::time::Instant::now();
    check(&routes, "GET", &uri, "", (StatusCode::OK, "")).await;
    assert_eq!(started.elapsed().as_secs(), 90);
    let first = tokio::spawn({
        let (routes, uri) = (routes.clone(), uri.clone());
        async move { request(&routes, "GET", &uri, &[], "").await.0 }
    });
    settle().await;
    let second = tokio::spawn({
        let (routes, uri) = (routes.clone(), uri.clone());
        async move { request(&routes, "GET", &uri, &[], "").await.0 }
    });
    assert_eq!(first.await.unwrap(), StatusCode::NO_CONTENT);
    assert_eq!(second.await.unwrap(), StatusCode::OK);
    pinging.abort();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_stops_polling_is_gone_after_a_while() {
    let (routes, mut ends) = routes();
    let uri = open(&routes).await;
    let started = tokio::time::Instant::now();
    assert_eq!(ends.recv().await, Some(DisconnectReason::Lost));
    assert_eq!(started.elapsed().as_secs(), 15);
    tokio::time::sleep(Duration::from_secs(16)).await;
    let gone = (StatusCode::NOT_FOUND, "No Connection with that ID");
    check(&routes, "GET", &uri, "", gone).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_cannot_change_its_transport() {
    let (routes, _ends) = routes();
    let uri = open(&routes).await;
    let headers = [("accept", "text/event-stream")];
    let (status, text) = request(&routes, "GET", &uri, &headers, "").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(text, "Cannot change transports mid-connection");
}

#[tokio::test(start_paused = true)]
async fn negotiated_connections_that_are_never_opened_are_forgotten() {
    let options = HubOptions { negotiations_max: 2, ..HubOptions::default() };
    let routes = builder((), options).build().routes("/hub");
    let first = negotiate(&routes, "?negotiateVersion=1").await;
    negotiate(&routes, "?negotiateVersion=1").await;
    let (status, _) = request(&routes, "POST", "/hub/negotiate", &[], "").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "a flood of negotiations is bounded");
    tokio::time::sleep(Duration::from_secs(16)).await;
    negotiate(&routes, "?negotiateVersion=1").await;
    let uri = format!("/hub?id={}", first["connectionToken"].as_str().unwrap());
    assert_eq!(request(&routes, "GET", &uri, &[], "").await.0, StatusCode::NOT_FOUND);
}
