//! The system at work by itself: on the machine's clock, until it is stopped.

use std::sync::Arc;

use client::{Account, Environment, Location};
use notifications::{EventType, ListOptions, Notifications, Settings};
use service::http::Stop;

use crate::world::{Provider, event, user};

#[tokio::test]
async fn nt_a02_a_running_system_brings_an_event_into_the_list_by_itself() {
    let account = Account::embedded(Location::Memory).await.unwrap();
    let delivery = Arc::new(Provider::default());
    let system = Notifications::open(account, Settings::default(), Environment::system(), delivery)
        .await
        .unwrap();
    let stop = Stop::new();
    let running = tokio::spawn({
        let (system, stop) = (system.clone(), stop.clone());
        async move { system.run(&stop).await }
    });
    system.enqueue(event(EventType::PostLike, "alice")).await.unwrap();
    while system
        .list(&user("bob"), &ListOptions::default())
        .await
        .unwrap()
        .value
        .notifications
        .is_empty()
    {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    stop.stop();
    running.await.unwrap().unwrap();
    // Its leases are free: another worker has them at once.
    let next = system.dispatcher("next").await.unwrap();
    assert!(next.run_once().await.unwrap().leases > 0);
}
