//! Erasure: NT-A14.

use serde_json::{Value, json};

use super::ask::{Ask, Way};
use super::stage::{Stage, event};
use super::store::{counts_of, rows_of};

/// With one item of preferences, four of devices (three and the guard item) and a notification for each event.
const EVENTS: usize = 247;

pub(crate) async fn nt_a14_a_user_is_erased_everywhere_and_nobody_else_is<W: Way>() {
    let stage = Stage::<W>::new().await;
    for user in ["alice", "bob"] {
        stage.prefer(user, json!({ "timezone": "Europe/Berlin" })).await;
        for device in ["d1", "d2", "d3"] {
            stage.register(user, device).await;
        }
    }
    stage.send(&event("alice", "POST_LIKE", "bob", "p1")).await;
    for number in 0..EVENTS {
        stage.send(&event("bob", "POST_LIKE", "carol", &format!("p{number}"))).await;
    }
    stage.dispatch().await;
    let queued = stage.send(&event("bob", "POST_LIKE", "carol", "queued")).await;
    assert_eq!(counts_of(&stage.store, "bob").await, [EVENTS + 1, EVENTS, 1, 4, 3]);
    let of_alice = rows_of(&stage.store, "alice").await;
    let pushed = stage.pushed();

    let erased = stage.answer(Ask::Erase("bob")).await;
    assert_eq!(erased["status"], "erased");
    assert_eq!(counts_of(&stage.store, "bob").await, [0; 5]);
    let certificate = &erased["certificate"];
    let containers = certificate["containers"].as_array().unwrap();
    assert!(containers.iter().all(|one| one["remaining"] == 0), "{certificate}");
    let found: u64 = containers.iter().map(|one| one["found"].as_u64().unwrap()).sum();
    assert!(found >= 500, "{certificate}");
    assert!(!certificate.to_string().contains("bob"), "{certificate}");
    assert_eq!(rows_of(&stage.store, "alice").await, of_alice);

    assert_eq!(stage.answer(Ask::Erase("bob")).await, erased, "again, nothing is done");
    stage.dispatch().await;
    assert_eq!(stage.find("PENDING", &queued).await, None);
    assert_eq!(stage.list("bob").await, Vec::<Value>::new());
    assert_eq!((counts_of(&stage.store, "bob").await, stage.pushed()), ([0; 5], pushed));
    assert_eq!(rows_of(&stage.store, "alice").await, of_alice);
}
