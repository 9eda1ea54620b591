//! Connections that are closed: with GOAWAY before or after a push, or without.

use std::sync::Arc;

use notifications::Platform;
use notifications::delivery::fake::{FakeApns, FakeFcm, ScriptedFault};
use notifications::delivery::{ProviderSettings, Providers};

use super::ground::{Ground, TOKEN, device, push, sent};

async fn stage() -> (FakeApns, Providers) {
    let ground = Ground::new();
    let fake = FakeApns::start(Arc::clone(&ground.clock)).await.unwrap();
    let settings = ProviderSettings { apns: fake.settings(), ..ProviderSettings::default() };
    (fake, ground.providers(&settings))
}

async fn send(providers: &Providers) -> String {
    sent(providers, &device(Platform::Apns, TOKEN), &push()).await
}

#[tokio::test]
async fn nt_a10_after_goaway_the_next_push_opens_a_new_connection() {
    let (fake, providers) = stage().await;
    fake.pushes().next(ScriptedFault::GoAwayAfter);
    assert_eq!(send(&providers).await, "delivered");
    fake.until_connections_closed(1).await;
    assert_eq!(send(&providers).await, "delivered");
    assert_eq!(fake.connections(), 2);
    assert_eq!(fake.pushes().accepted().len(), 2);
}

#[tokio::test]
async fn a_push_that_goaway_left_unprocessed_is_sent_again_at_once() {
    let (fake, providers) = stage().await;
    fake.goaway_next_connections(1);
    assert_eq!(send(&providers).await, "delivered");
    assert_eq!(fake.connections(), 2);
    assert_eq!(fake.pushes().accepted().len(), 1);
}

#[tokio::test]
async fn goaway_after_goaway_works_too() {
    let (fake, providers) = stage().await;
    for connection in 1..=5 {
        fake.pushes().next(ScriptedFault::GoAwayAfter);
        assert_eq!(send(&providers).await, "delivered");
        fake.until_connections_closed(connection).await;
    }
    assert_eq!(fake.pushes().accepted().len(), 5);
    assert_eq!(fake.connections(), 5);
}

/// Without waiting in between: some pushes use a connection that is just being shut down.
#[tokio::test]
async fn no_push_is_lost_or_sent_twice_while_connections_are_shut_down() {
    let (fake, providers) = stage().await;
    for count in 1..=50 {
        fake.pushes().next(ScriptedFault::GoAwayAfter);
        assert_eq!(send(&providers).await, "delivered");
        assert_eq!(fake.pushes().accepted().len(), count);
    }
}

#[tokio::test]
async fn a_push_whose_connection_drops_is_sent_again_once_with_the_same_ids() {
    let (fake, providers) = stage().await;
    fake.pushes().next(ScriptedFault::DropConnection);
    assert_eq!(send(&providers).await, "delivered");
    let received = fake.pushes().received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].headers.get("apns-id"), received[1].headers.get("apns-id"));
    assert_ne!(received[0].connection, received[1].connection);

    fake.pushes().next(ScriptedFault::DropConnection);
    fake.pushes().next(ScriptedFault::DropConnection);
    assert_eq!(
        send(&providers).await,
        "retry: apns: the connection was closed before the response"
    );
    assert_eq!(fake.pushes().received().len(), 4);
    assert_eq!(send(&providers).await, "delivered");
}

#[tokio::test]
async fn a_server_that_only_sends_goaway_is_tried_again_later() {
    let (fake, providers) = stage().await;
    fake.goaway_next_connections(100);
    assert_eq!(
        send(&providers).await,
        "retry: apns: the connection was closed before the response"
    );
    assert!(fake.connections() <= 10, "{} connections", fake.connections());
    fake.goaway_next_connections(0);
    assert_eq!(send(&providers).await, "delivered");
}

#[tokio::test]
async fn fcm_survives_a_closed_connection_too() {
    let ground = Ground::new();
    let fake = FakeFcm::start(Arc::clone(&ground.clock)).await.unwrap();
    let settings = ProviderSettings { fcm: fake.settings(), ..ProviderSettings::default() };
    let providers = ground.providers(&settings);
    for _ in 0..3 {
        fake.messages().next(ScriptedFault::GoAwayAfter);
        let result = sent(&providers, &device(Platform::Fcm, TOKEN), &push()).await;
        assert_eq!(result, "delivered");
    }
    assert_eq!(fake.messages().accepted().len(), 3);
}
