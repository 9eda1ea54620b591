//! Server-Sent Events.

use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{Request, StatusCode};
use futures::StreamExt as _;
use planisphere_signalr::{DisconnectReason, HubOptions};
use tokio::sync::mpsc;
use tower::ServiceExt as _;

use crate::client::{builder, negotiate, request};

async fn open(routes: &Router, shake: &str) -> (String, BodyDataStream) {
    let answer = negotiate(routes, "?negotiateVersion=1").await;
    let uri = format!("/hub?id={}", answer["connectionToken"].as_str().unwrap());
    let get = Request::get(&uri).header("accept", "text/event-stream");
    let response = routes.clone().oneshot(get.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let events = response.into_body().into_data_stream();
    assert_eq!(request(routes, "POST", &uri, &[], shake).await.0, StatusCode::OK);
    (uri, events)
}

async fn next(events: &mut BodyDataStream) -> Option<String> {
    let bytes = events.next().await?.unwrap();
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test(start_paused = true)]
async fn messages_come_as_events_and_the_end_of_the_response_ends_the_connection() {
    let (ended, mut ends) = mpsc::unbounded_channel();
    let routes = builder((), HubOptions::default())
        .method("Echo", |_, text: String| async move { Ok(text) })
        .on_disconnected(move |_, reason| {
            let ended = ended.clone();
            async move { ended.send(reason).unwrap() }
        })
        .build()
        .routes("/hub");
    let (uri, mut events) = open(&routes, "{\"protocol\":\"json\",\"version\":1}\u{1e}").await;
    assert_eq!(next(&mut events).await.as_deref(), Some("data: {}\u{1e}\r\n\r\n"));
    let call =
        "{\"type\":1,\"invocationId\":\"1\",\"target\":\"Echo\",\"arguments\":[\"a\\nb\"]}\u{1e}";
    request(&routes, "POST", &uri, &[], call).await;
    let expected = "data: {\"type\":3,\"invocationId\":\"1\",\"result\":\"a\\nb\"}\u{1e}\r\n\r\n";
    assert_eq!(next(&mut events).await.as_deref(), Some(expected));
    drop(events);
    assert_eq!(ends.recv().await, Some(DisconnectReason::Closed));
    assert_eq!(request(&routes, "POST", &uri, &[], call).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(start_paused = true)]
async fn message_pack_cannot_use_events() {
    let routes = builder((), HubOptions::default()).build().routes("/hub");
    let shake = "{\"protocol\":\"messagepack\",\"version\":1}\u{1e}";
    let (_, mut events) = open(&routes, shake).await;
    let expected = "data: {\"error\":\"Cannot use the 'messagepack' protocol on the current transport. \
                    The transport does not support 'Binary' transfer format.\"}\u{1e}\r\n\r\n";
    assert_eq!(next(&mut events).await.as_deref(), Some(expected));
    assert_eq!(next(&mut events).await, None);
}
