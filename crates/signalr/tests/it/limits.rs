//! Slow and greedy clients: each holds a bounded amount and delays nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use planisphere_signalr::{Caller, DisconnectReason, HubOptions};
use tokio::sync::mpsc;

use crate::client::{Client, builder, settle};

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_disconnected_and_the_others_get_everything() {
    let (ended, mut ends) = mpsc::unbounded_channel();
    let options = HubOptions { send_queue_messages_max: 50, ..HubOptions::default() };
    let hub = builder((), options)
        .on_disconnected(move |caller, reason| {
            let ended = ended.clone();
            async move { ended.send((caller.connection_id().to_string(), reason)).unwrap() }
        })
        .method("Join", |caller: Caller| async move { caller.join("g").await })
        .build();
    let routes = hub.routes("/hub");
    let join = r#"{"type":1,"invocationId":"1","target":"Join","arguments":[]}"#;
    let joined = r#"{"type":3,"invocationId":"1"}"#;
    let mut slow = Client::open_with_buffer(&routes, "/hub", &[], 512).await.unwrap();
    slow.send(r#"{"protocol":"json","version":1}"#).await;
    assert_eq!(slow.next().await.as_deref(), Some("{}"));
    slow.check(join, joined).await;
    let mut quick = Client::connect(&routes).await;
    quick.check(join, joined).await;
    let context = hub.context();
    for number in 0..200 {
        context.group("g").send("number", (number,)).await.unwrap();
        let expected = format!("{{\"type\":1,\"target\":\"number\",\"arguments\":[{number}]}}");
        assert_eq!(quick.next_message().await, Some(expected));
    }
    let (_, reason) = ends.recv().await.unwrap();
    assert_eq!(reason, DisconnectReason::TooSlow);
    assert_eq!(context.group_members("g"), 1);
    // What the network had taken, then why nothing more came.
    let mut last = None;
    while let Some(message) = slow.next().await {
        last = Some(message);
    }
    let expected = r#"{"type":7,"error":"Connection closed with an error.","allowReconnect":true}"#;
    assert_eq!(last.as_deref(), Some(expected));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_loses_its_socket_when_a_write_takes_too_long() {
    let (ended, mut ends) = mpsc::unbounded_channel();
    let hub = builder((), HubOptions::default())
        .on_disconnected(move |_, reason| {
            let ended = ended.clone();
            async move { ended.send(reason).unwrap() }
        })
        .build();
    let mut slow = Client::open_with_buffer(&hub.routes("/hub"), "/hub", &[], 512).await.unwrap();
    slow.send(r#"{"protocol":"json","version":1}"#).await;
    assert_eq!(slow.next().await.as_deref(), Some("{}"));
    for _ in 0..10 {
        hub.context().all().send("m", ("x".repeat(200),)).await.unwrap();
    }
    assert_eq!(ends.recv().await, Some(DisconnectReason::Lost));
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_limit_wait_and_reading_stops_behind_them() {
    let started = Arc::new(AtomicUsize::new(0));
    let options = HubOptions {
        parallel_invocations_max: 2,
        waiting_invocations_max: 3,
        ..HubOptions::default()
    };
    let routes = builder(Arc::clone(&started), options)
        .method("Slow", |caller: Caller<Arc<AtomicUsize>>| async move {
            caller.state().fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(())
        })
        .build()
        .routes("/hub");
    let mut client = Client::connect(&routes).await;
    for number in 0..12 {
        client
            .send(&format!(
                "{{\"type\":1,\"invocationId\":\"{number}\",\"target\":\"Slow\",\"arguments\":[]}}"
            ))
            .await;
    }
    settle().await;
    assert_eq!(started.load(Ordering::SeqCst), 2);
    // The client pings and is not given up, although its pings are not read while calls run for a minute.
    let mut answers = 0;
    while answers < 12 {
        match tokio::time::timeout(Duration::from_secs(10), client.next_message()).await {
            Err(_) => client.send(r#"{"type":6}"#).await,
            Ok(answer) => {
                let expected = format!("{{\"type\":3,\"invocationId\":\"{answers}\"}}");
                assert_eq!(answer, Some(expected));
                answers += 1;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_hub_has_only_so_many_connections() {
    let options = HubOptions { connections_max: 1, ..HubOptions::default() };
    let routes = builder((), options).build().routes("/hub");
    let first = Client::connect(&routes).await;
    let refused = Client::open(&routes, "/hub", &[]).await;
    assert_eq!(refused.err(), Some(StatusCode::SERVICE_UNAVAILABLE));
    first.close().await;
    settle().await;
    Client::connect(&routes).await;
}
