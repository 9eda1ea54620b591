//! The running system and its streams, on the machine's clock.

use std::time::Duration;

use client::{Account, Environment, StorageLocation};
use serde_json::{Value, json};
use service::http::ShutdownSignal;
use worlds::{Worlds, WorldsSettings};

use crate::site::Site;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_system_keeps_the_tree_and_sends_what_changes() {
    let account = Account::embedded(StorageLocation::Memory).await.unwrap();
    let environment = Environment::system();
    let mut settings = WorldsSettings::default();
    settings.change_feed.poll_interval_ms = 20;
    let system = Worlds::open(account, settings, environment.clone()).await.unwrap();
    let site = Site::of(&system, &environment).await;
    let shutdown = ShutdownSignal::new();
    let running = tokio::spawn({
        let (system, shutdown) = (system.clone(), shutdown.clone());
        async move { system.run(&shutdown).await }
    });
    let call = async |method: &str, path: &str, body: Option<Value>| {
        site.call(Some("ann"), method, path, body, &[]).await
    };
    let created = call("POST", "/api/v1/worlds", Some(json!({ "name": "Live" }))).await;
    let world = format!("/api/v1/worlds/{}", created.data()["id"].as_str().unwrap());
    let mut stream = site.respond(Some("ann"), "GET", &format!("{world}/events"), None, &[]).await;
    assert_eq!(stream.status().as_u16(), 200);
    let mut text = String::new();
    let mut number = 0;
    // The stream begins with the next change, and the reader of the feed a moment after the start: some change is seen.
    while !(text.contains("event: entity") && text.contains("event: hierarchy")) {
        number += 1;
        let body = json!({ "entityType": "Note", "name": format!("Note {number}") });
        assert_eq!(call("POST", &format!("{world}/entities"), Some(body)).await.status, 201);
        let chunk = tokio::time::timeout(Duration::from_millis(200), stream.chunk()).await;
        if let Ok(chunk) = chunk {
            text.push_str(std::str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
        }
    }
    assert!(!text.contains("Note"), "only ids are sent: {text}");
    loop {
        let tree = call("GET", &format!("{world}/hierarchy"), None).await;
        if tree.data()["totalEntities"] == number {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    shutdown.trigger();
    running.await.unwrap().unwrap();
    // Its leases are free: another worker has them at once.
    let next = system.tree_worker("next").await.unwrap();
    assert!(next.run_once().await.unwrap().leases > 0);
}
