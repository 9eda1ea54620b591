//! The handshake and its errors.

use axum::http::StatusCode;
use planisphere_signalr::{HubError, HubOptions, OriginPolicy, ProtocolSet, TransportSet};
use serde_json::json;

use crate::client::{Client, builder, negotiate, request};

async fn check(sent: &str, expected: &str) {
    let routes = builder((), HubOptions::default()).build().routes("/hub");
    let mut client = Client::open(&routes, "/hub", &[]).await.unwrap();
    client.send(sent).await;
    assert_eq!(client.next().await.as_deref(), Some(expected), "{sent}");
    let is_refused = expected != "{}";
    if is_refused {
        assert_eq!(client.next().await, None, "the connection ends");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handshake_is_answered_or_refused_with_the_texts_of_the_official_server() {
    check(r#"{"protocol":"json","version":1}"#, "{}").await;
    check(r#"{"protocol":"JSON","version":2}"#, "{}").await;
    check(
        r#"{"protocol":"xml","version":1}"#,
        r#"{"error":"The protocol 'xml' is not supported."}"#,
    )
    .await;
    check(
        r#"{"protocol":"json","version":9}"#,
        r#"{"error":"The server does not support version 9 of the 'json' protocol."}"#,
    )
    .await;
    let broken = r#"{"error":"An unexpected error occurred during connection handshake."}"#;
    check(r#"{"version":1}"#, broken).await;
    check("nonsense", broken).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_shake_hands_in_time_is_answered_so() {
    let routes = builder((), HubOptions::default()).build().routes("/hub");
    let mut client = Client::open(&routes, "/hub", &[]).await.unwrap();
    client.send_raw(r#"{"protocol":"js"#).await;
    assert_eq!(client.next().await.as_deref(), Some(r#"{"error":"Handshake was canceled."}"#));
    assert_eq!(client.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_handshake_larger_than_a_message_may_be_is_refused() {
    let options = HubOptions { receive_message_bytes_max: 100, ..HubOptions::default() };
    let routes = builder((), options).build().routes("/hub");
    let mut client = Client::open(&routes, "/hub", &[]).await.unwrap();
    client.send(&format!("{{\"protocol\":\"{}\"", "j".repeat(200))).await;
    assert_eq!(client.next().await.as_deref(), Some(r#"{"error":"Handshake was canceled."}"#));
}

#[tokio::test(start_paused = true)]
async fn messages_behind_the_handshake_in_the_same_frame_are_read() {
    let routes = builder((), HubOptions::default())
        .method("Add", |_, left: i64, right: i64| async move { Ok(left + right) })
        .build()
        .routes("/hub");
    let mut client = Client::open(&routes, "/hub", &[]).await.unwrap();
    let call = r#"{"type":1,"invocationId":"1","target":"add","arguments":[1,2]}"#;
    client.send(&format!("{{\"protocol\":\"json\",\"version\":1}}\u{1e}{call}")).await;
    assert_eq!(client.next().await.as_deref(), Some("{}"));
    let expected = r#"{"type":3,"invocationId":"1","result":3}"#;
    assert_eq!(client.next().await.as_deref(), Some(expected));
}

#[tokio::test(start_paused = true)]
async fn a_protocol_that_is_off_is_not_supported() {
    let protocols = ProtocolSet { json: true, message_pack: false };
    let options = HubOptions { protocols, ..HubOptions::default() };
    let routes = builder((), options).build().routes("/hub");
    let mut client = Client::open(&routes, "/hub", &[]).await.unwrap();
    client.send(r#"{"protocol":"messagepack","version":1}"#).await;
    let expected = r#"{"error":"The protocol 'messagepack' is not supported."}"#;
    assert_eq!(client.next().await.as_deref(), Some(expected));
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_hears_the_reason_and_does_not_reconnect() {
    let routes = builder((), HubOptions::default())
        .on_connected(|_| async { Err(HubError::refused("the house is full")) })
        .build()
        .routes("/hub");
    let mut client = Client::connect(&routes).await;
    let expected =
        r#"{"type":7,"error":"Connection closed with an error. HubException: the house is full"}"#;
    assert_eq!(client.next().await.as_deref(), Some(expected));
    assert_eq!(client.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn negotiation_gives_a_secret_token_from_version_1_on() {
    let options = HubOptions { stateful_reconnect: true, ..HubOptions::default() };
    let routes = builder((), options).build().routes("/hub");
    let transports = json!([
        { "transport": "WebSockets", "transferFormats": ["Text", "Binary"] },
        { "transport": "ServerSentEvents", "transferFormats": ["Text"] },
        { "transport": "LongPolling", "transferFormats": ["Text", "Binary"] },
    ]);
    let old = negotiate(&routes, "").await;
    assert_eq!(
        old,
        json!({
            "negotiateVersion": 0,
            "connectionId": "AAAAAAAAAAAAAAAAAAAAAQ",
            "availableTransports": transports,
        })
    );
    let new = negotiate(&routes, "?negotiateVersion=1&useStatefulReconnect=true").await;
    assert_eq!(
        new,
        json!({
            "negotiateVersion": 1,
            "connectionId": "AAAAAAAAAAAAAAAAAAAAAg",
            "connectionToken": "AAAAAAAAAAAAAAAAAAAAAw",
            "availableTransports": transports,
            "useStatefulReconnect": true,
        })
    );
    let id_is_no_token = Client::open(&routes, "/hub?id=AAAAAAAAAAAAAAAAAAAAAg", &[]).await;
    assert_eq!(id_is_no_token.err(), Some(StatusCode::NOT_FOUND));
    assert!(Client::open(&routes, "/hub?id=AAAAAAAAAAAAAAAAAAAAAw", &[]).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn transports_that_are_off_are_neither_offered_nor_taken() {
    let transports = TransportSet { web_sockets: false, ..TransportSet::default() };
    let options = HubOptions { transports, ..HubOptions::default() };
    let routes = builder((), options).build().routes("/hub");
    let answer = negotiate(&routes, "?negotiateVersion=1").await;
    assert!(!answer.to_string().contains("WebSockets"), "{answer}");
    assert_eq!(Client::open(&routes, "/hub", &[]).await.err(), Some(StatusCode::NOT_FOUND));
}

#[tokio::test(start_paused = true)]
async fn a_second_socket_on_a_connection_is_a_conflict() {
    let routes = builder((), HubOptions::default()).build().routes("/hub");
    let answer = negotiate(&routes, "?negotiateVersion=1").await;
    let path = format!("/hub?id={}", answer["connectionToken"].as_str().unwrap());
    let _first = Client::open(&routes, &path, &[]).await.unwrap();
    assert_eq!(Client::open(&routes, &path, &[]).await.err(), Some(StatusCode::CONFLICT));
    let (status, text) = request(&routes, "POST", &path, &[], "x").await;
    assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(text, "POST requests are not allowed for WebSocket connections.");
}

#[tokio::test(start_paused = true)]
async fn pages_of_other_origins_are_refused_everywhere_or_allowed_by_name() {
    let routes = builder((), HubOptions::default()).build().routes("/hub");
    let evil = [("origin", "https://evil.example")];
    let host = [("origin", "https://hub"), ("host", "hub")];
    let refused = request(&routes, "POST", "/hub/negotiate", &evil, "").await;
    assert_eq!(refused.0, StatusCode::FORBIDDEN);
    assert_eq!(request(&routes, "POST", "/hub/negotiate", &host, "").await.0, StatusCode::OK);
    assert_eq!(Client::open(&routes, "/hub", &evil).await.err(), Some(StatusCode::FORBIDDEN));
    for method in ["GET", "POST", "DELETE", "OPTIONS"] {
        let (status, _) = request(&routes, method, "/hub?id=1", &evil, "").await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method}");
    }
    let origins = OriginPolicy::Listed(vec!["https://evil.example".to_owned()]);
    let routes =
        builder((), HubOptions { origins, ..HubOptions::default() }).build().routes("/hub");
    assert!(Client::open(&routes, "/hub", &evil).await.is_ok());
    let (status, _) = request(&routes, "OPTIONS", "/hub/negotiate", &evil, "").await;
    assert_eq!(status, StatusCode::NO_CONTENT);
}
