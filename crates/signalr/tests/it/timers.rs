//! Pings and timeouts, on a clock that stands still.

use planisphere_signalr::{DisconnectReason, HubOptions};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::client::{Client, builder};

#[tokio::test(start_paused = true)]
async fn a_silent_server_pings_and_a_silent_client_is_given_up() {
    let (ended, mut ends) = mpsc::unbounded_channel();
    let routes = builder((), HubOptions::default())
        .on_disconnected(move |_, reason| {
            let ended = ended.clone();
            async move { ended.send(reason).unwrap() }
        })
        .build()
        .routes("/hub");
    let mut client = Client::connect(&routes).await;
    let started = Instant::now();
    assert_eq!(client.next().await.as_deref(), Some(r#"{"type":6}"#));
    assert_eq!(started.elapsed().as_secs(), 15);
    client.send(r#"{"type":6}"#).await;
    assert_eq!(client.next().await.as_deref(), Some(r#"{"type":6}"#));
    assert_eq!(started.elapsed().as_secs(), 30);
    let expected = r#"{"type":7,"error":"Connection closed with an error.","allowReconnect":true}"#;
    assert_eq!(client.next_message().await.as_deref(), Some(expected));
    assert_eq!(started.elapsed().as_secs(), 45, "30 seconds after the client's ping");
    assert_eq!(ends.recv().await, Some(DisconnectReason::TimedOut));
}
