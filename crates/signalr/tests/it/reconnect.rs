//! Stateful reconnect: numbers, acknowledgements, and what a new transport repeats.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use planisphere_signalr::{Caller, DisconnectReason, Hub, HubOptions};
use tokio::sync::mpsc;

use crate::client::{Client, builder, negotiate, settle};

type Ends = mpsc::UnboundedReceiver<DisconnectReason>;

fn hub(options: HubOptions) -> (Hub<()>, Ends) {
    let (ended, ends) = mpsc::unbounded_channel();
    let hub = builder((), HubOptions { stateful_reconnect: true, ..options })
        .on_disconnected(move |_, reason| {
            let ended = ended.clone();
            async move { ended.send(reason).unwrap() }
        })
        .method("Count", |caller: Caller| async move {
            let count = caller.item::<u32>().unwrap_or_default() + 1;
            caller.set_item(count);
            Ok(count)
        })
        .build();
    (hub, ends)
}

async fn open(routes: &Router) -> (String, Client) {
    let answer = negotiate(routes, "?negotiateVersion=1&useStatefulReconnect=true").await;
    let path = format!("/hub?id={}", answer["connectionToken"].as_str().unwrap());
    let mut client = Client::open(routes, &path, &[]).await.unwrap();
    client.send(r#"{"protocol":"json","version":2}"#).await;
    assert_eq!(client.next().await.as_deref(), Some("{}"));
    (path, client)
}

const PING: &str = r#"{"type":6}"#;
const COUNT: &str = r#"{"type":1,"invocationId":"1","target":"Count","arguments":[]}"#;

#[tokio::test(start_paused = true)]
async fn a_new_transport_repeats_what_was_not_acknowledged_and_drops_repeated_calls() {
    let (hub, _ends) = hub(HubOptions::default());
    let (routes, context) = (hub.routes("/hub"), hub.context());
    let (path, mut client) = open(&routes).await;
    client.check(COUNT, r#"{"type":3,"invocationId":"1","result":1}"#).await;
    let ack = client.next().await;
    assert_eq!(ack.as_deref(), Some(r#"{"type":8,"sequenceId":1}"#), "once a second");
    context.all().send("m", (2,)).await.unwrap();
    let message = |number| format!("{{\"type\":1,\"target\":\"m\",\"arguments\":[{number}]}}");
    assert_eq!(client.next().await, Some(message(2)));
    client.send(r#"{"type":8,"sequenceId":1}"#).await;
    client.send_raw(r#"{"type":1,"invocationId":"half a mess"#).await;
    settle().await;
    client.cut();
    settle().await;
    context.all().send("m", (3,)).await.unwrap();

    let mut client = Client::open(&routes, &path, &[]).await.unwrap();
    assert_eq!(client.next().await.as_deref(), Some(r#"{"type":9,"sequenceId":2}"#));
    assert_eq!(client.next().await, Some(message(2)));
    assert_eq!(client.next().await, Some(message(3)));
    client.send(r#"{"type":9,"sequenceId":1}"#).await;
    client.send(COUNT).await;
    client
        .check(
            r#"{"type":1,"invocationId":"2","target":"Count","arguments":[]}"#,
            r#"{"type":3,"invocationId":"2","result":2}"#,
        )
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_nobody_continues_ends_after_a_while_and_a_closed_one_at_once() {
    let (hub, mut ends) = hub(HubOptions::default());
    let routes = hub.routes("/hub");
    let (path, client) = open(&routes).await;
    let started = tokio::time::Instant::now();
    client.cut();
    assert_eq!(ends.recv().await, Some(DisconnectReason::Lost));
    assert_eq!(started.elapsed().as_secs(), 15);
    settle().await;
    assert_eq!(Client::open(&routes, &path, &[]).await.err(), Some(StatusCode::NOT_FOUND));
    let (_, client) = open(&routes).await;
    let started = tokio::time::Instant::now();
    client.close().await;
    assert_eq!(ends.recv().await, Some(DisconnectReason::Closed));
    assert_eq!(started.elapsed().as_secs(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_replay_buffer_has_a_limit_in_bytes_and_sending_goes_on_after_an_acknowledgement() {
    let (hub, _ends) = hub(HubOptions { replay_bytes_max: 100, ..HubOptions::default() });
    let context = hub.context();
    let (_, mut client) = open(&hub.routes("/hub")).await;
    // The first word of the official clients; the hub begins to send after it.
    client.send(PING).await;
    settle().await;
    for number in 1..=3 {
        context.all().send("m", (number, "x".repeat(100))).await.unwrap();
    }
    assert!(client.next().await.unwrap().contains("[1,"));
    let early = tokio::time::timeout(Duration::from_millis(1), client.next()).await;
    assert!(early.is_err(), "the second waits for the acknowledgement of the first");
    client.send(r#"{"type":8,"sequenceId":1}"#).await;
    assert!(client.next_message().await.unwrap().contains("[2,"));
    client.send(r#"{"type":8,"sequenceId":2}"#).await;
    assert!(client.next_message().await.unwrap().contains("[3,"));
}

#[tokio::test(start_paused = true)]
async fn a_second_transport_takes_over_and_version_1_of_the_protocol_cannot_reconnect() {
    let (hub, mut ends) = hub(HubOptions::default());
    let routes = hub.routes("/hub");
    let (path, mut old) = open(&routes).await;
    let mut new = Client::open(&routes, &path, &[]).await.unwrap();
    assert_eq!(new.next().await.as_deref(), Some(r#"{"type":9,"sequenceId":1}"#));
    assert_eq!(old.next().await, None);
    new.check(COUNT, r#"{"type":3,"invocationId":"1","result":1}"#).await;

    let answer = negotiate(&routes, "?negotiateVersion=1&useStatefulReconnect=true").await;
    let path = format!("/hub?id={}", answer["connectionToken"].as_str().unwrap());
    let mut plain = Client::open(&routes, &path, &[]).await.unwrap();
    plain.send(r#"{"protocol":"json","version":1}"#).await;
    assert_eq!(plain.next().await.as_deref(), Some("{}"));
    plain.cut();
    assert_eq!(ends.recv().await, Some(DisconnectReason::Lost));
}

#[tokio::test(start_paused = true)]
async fn a_gap_in_the_numbers_of_a_client_ends_the_connection() {
    let (hub, mut ends) = hub(HubOptions::default());
    let (_, mut client) = open(&hub.routes("/hub")).await;
    client.send(r#"{"type":9,"sequenceId":5}"#).await;
    let reason = "Sequence ID greater than amount of messages we've received.".to_owned();
    assert_eq!(ends.recv().await, Some(DisconnectReason::ProtocolViolated(reason)));
}
