//! What each operation costs, against the figures of the seed: none may cost more than twice its budget, except where
//! the list of the seed's mistakes gives another number.

use notifications::{EventType, ListOptions, PreferencesChange};

use crate::world::{World, event, event_for, registration, user};

/// The cost of an operation and what it may be.
fn check(what: &str, charge: f64, most: f64) {
    println!("{what}: {charge:.2} of {most}");
    assert!(charge > 0.0 && charge <= most, "{what} costs {charge:.2} RU, more than {most}");
}

#[tokio::test]
async fn operations_stay_within_their_budgets() {
    let world = World::new().await;
    let (system, bob) = (&world.system, user("bob"));
    let change = PreferencesChange { news: Some(false), ..Default::default() };
    check(
        "preferences, first write",
        system.change_preferences(&bob, &change).await.unwrap().charge,
        10.0,
    );
    let change = PreferencesChange { news: Some(true), ..Default::default() };
    check(
        "preferences, change",
        system.change_preferences(&bob, &change).await.unwrap().charge,
        12.0,
    );
    check("preferences, read", system.preferences(&bob).await.unwrap().charge, 2.0);
    for (device, most) in [("d1", 30.0), ("d2", 36.0), ("d3", 36.0), ("d4", 48.0)] {
        let registered = system.register_device(&bob, &registration(device, device)).await.unwrap();
        check(&format!("register {device}"), registered.charge, most);
    }
    check("active devices", system.active_devices(&bob).await.unwrap().charge, 6.0);
    check(
        "enqueue",
        system.enqueue(event(EventType::PostLike, "alice")).await.unwrap().charge,
        10.0,
    );
    let worker = system.dispatcher("worker").await.unwrap();
    check("process one, pushed to three", worker.run_once().await.unwrap().charge, 45.0);
    system.enqueue(event_for("eve", EventType::PostLike, "alice", "p1")).await.unwrap();
    check("process one, no device", worker.run_once().await.unwrap().charge, 36.0);
    for number in 0..40 {
        world.send(event_for("bob", EventType::PostLike, "alice", &format!("q{number}"))).await;
    }
    worker.run_once().await.unwrap();
    let page = system.list(&bob, &ListOptions::default()).await.unwrap();
    check("page of 20", page.charge, 6.0);
    check("unread count", system.unread_count(&bob).await.unwrap().charge, 6.0);
    let id = &page.value.notifications[0].id;
    check("mark read", system.mark_read(&bob, id).await.unwrap().charge, 12.0);
    check("dismiss", system.dismiss(&bob, id).await.unwrap().charge, 12.0);
}
