//! The request charge of each operation, with both indexing policies. The bounds are the measured charges, rounded up,
//! so a change that makes an operation more expensive fails here. Users come back after a minute: timestamps and the
//! remaining time to live then differ.

use notifications::{EventType, Indexing, ListOptions, NotificationSettings, PreferencesChange};

use crate::world::{NOON, World, event, event_for, registration, user};

/// Costs by operation.
async fn costs(indexing: Indexing) -> Vec<(&'static str, f64)> {
    let world =
        World::at(NOON, NotificationSettings { indexing, ..NotificationSettings::default() }).await;
    let (system, bob) = (&world.system, user("bob"));
    let mut costs = Vec::new();
    let news = |news| PreferencesChange { news: Some(news), ..Default::default() };
    let first = system.change_preferences(&bob, &news(false)).await.unwrap();
    costs.push(("first preferences", first.charge));
    world.travel(60);
    let change = system.change_preferences(&bob, &news(true)).await.unwrap();
    costs.push(("change preferences", change.charge));
    costs.push(("read preferences", system.preferences(&bob).await.unwrap().charge));
    for name in ["register first", "register second", "register third", "register with eviction"] {
        let device = registration(&name.replace(' ', "-"), &name.replace(' ', "-"));
        costs.push((name, system.register_device(&bob, &device).await.unwrap().charge));
    }
    costs.push(("active devices", system.active_devices(&bob).await.unwrap().charge));
    let like = event(EventType::PostLike, "alice");
    costs.push(("enqueue", system.enqueue(like).await.unwrap().charge));
    let worker = system.dispatcher("worker").await.unwrap();
    costs.push(("process, three devices", worker.run_once().await.unwrap().charge));
    system.enqueue(event_for("eve", EventType::PostLike, "alice", "p1")).await.unwrap();
    costs.push(("process, no device", worker.run_once().await.unwrap().charge));
    for number in 0..40 {
        world.send(event_for("bob", EventType::PostLike, "alice", &format!("q{number}"))).await;
    }
    worker.run_once().await.unwrap();
    world.send(event_for("bob", EventType::PostLike, "alice", "r")).await;
    costs.push(("process, long list", worker.run_once().await.unwrap().charge));
    let page = system.list(&bob, &ListOptions::default()).await.unwrap();
    costs.push(("page of 20", page.charge));
    costs.push(("unread count", system.unread_count(&bob).await.unwrap().charge));
    world.travel(60);
    let [first, second] = [0, 1].map(|place| &page.value.notifications[place].id);
    costs.push(("mark read", system.mark_read(&bob, first).await.unwrap().charge));
    costs.push(("dismiss", system.dismiss(&bob, second).await.unwrap().charge));
    costs
}

/// The charges measured with full indexing, rounded up.
const BOUNDS: [(&str, f64); 16] = [
    ("first preferences", 9.1),
    ("change preferences", 12.5),
    ("read preferences", 1.1),
    ("register first", 28.0),
    ("register second", 32.5),
    ("register third", 32.5),
    ("register with eviction", 43.0),
    ("active devices", 3.3),
    ("enqueue", 10.0),
    ("process, three devices", 34.5),
    ("process, no device", 31.0),
    ("process, long list", 31.3),
    ("page of 20", 3.7),
    ("unread count", 3.2),
    ("mark read", 13.2),
    ("dismiss", 12.5),
];

#[tokio::test]
async fn operations_cost_what_was_measured_and_no_more_with_lean_indexing() {
    let (full, lean) = (costs(Indexing::Full).await, costs(Indexing::Lean).await);
    assert_eq!((full.len(), lean.len()), (BOUNDS.len(), BOUNDS.len()));
    for (((name, full), (_, lean)), (bounded, most)) in full.iter().zip(&lean).zip(&BOUNDS) {
        println!("{name}: full {full:.2}, lean {lean:.2}");
        assert_eq!(name, bounded);
        assert!(full <= most, "{name} costs {full:.2}, more than {most}");
        assert!(*lean > 0.0 && lean <= &(full + 0.01), "{name}: full {full:.2}, lean {lean:.2}");
    }
}
