//! Processors beyond the contract: expiry of leases, faults, a started one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use client::processor::{DeliveryContext, Processor, ProcessorStart, Reaction, ReactionError};
use client::{Account, Change, Container, ErrorKind, Fault, Faults, PartitionKeyDefinition};
use serde::{Deserialize, Serialize};

use crate::simulated::{orders, through};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Order {
    id: String,
    customer: String,
    total: i64,
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<i64>>>);

#[async_trait]
impl Reaction<Order> for Seen {
    async fn react(
        &self,
        changes: &[Change<Order>],
        _: &DeliveryContext,
    ) -> Result<(), ReactionError> {
        let totals = changes.iter().filter_map(|one| Some(one.current.as_ref()?.value.total));
        self.0.lock().unwrap().extend(totals);
        Ok(())
    }
}

impl Seen {
    fn totals(&self) -> Vec<i64> {
        self.0.lock().unwrap().clone()
    }
}

async fn leases(account: &Account, path: &str) -> Container {
    let leases = account.database("shop").unwrap().container("leases").unwrap();
    let key = PartitionKeyDefinition::single(path).unwrap();
    leases.create_if_missing(leases.properties(key), None).await.unwrap();
    leases
}

async fn create(orders: &Container, total: i64) {
    let order = Order { id: total.to_string(), customer: "ann".to_owned(), total };
    orders.create(&"ann".into(), &order).await.unwrap();
}

async fn instance(account: &Account, name: &str, seen: &Seen) -> Processor<Order> {
    let leases = account.database("shop").unwrap().container("leases").unwrap();
    Processor::<Order>::builder(&through(account), &leases, "mail")
        .instance(name)
        .start_at(ProcessorStart::Beginning)
        .lease_expiry(Duration::from_secs(60))
        .build(seen.clone())
        .await
        .unwrap()
}

#[tokio::test]
async fn the_leases_of_a_dead_instance_are_taken_when_they_expire() {
    let (account, orders, _) = orders(7).await;
    leases(&account, "/id").await;
    let seen = Seen::default();
    create(&orders, 1).await;
    let dead = instance(&account, "dead", &seen).await;
    dead.run_once().await.unwrap();
    drop(dead);
    create(&orders, 2).await;
    let next = instance(&account, "next", &seen).await;
    assert_eq!(next.run_once().await.unwrap().leases, 0);
    account.environment().sleep(Duration::from_secs(59)).await;
    assert_eq!(next.run_once().await.unwrap().leases, 0);
    account.environment().sleep(Duration::from_secs(1)).await;
    assert_eq!(next.run_once().await.unwrap().leases, 1);
    assert_eq!(seen.totals(), [1, 2]);
}

#[tokio::test]
async fn an_instance_that_lost_its_lease_writes_no_position() {
    let (account, orders, _) = orders(7).await;
    leases(&account, "/id").await;
    let (old_seen, new_seen) = (Seen::default(), Seen::default());
    create(&orders, 1).await;
    let old = instance(&account, "old", &old_seen).await;
    old.run_once().await.unwrap();
    let new = instance(&account, "new", &new_seen).await;
    new.run_once().await.unwrap();
    account.environment().sleep(Duration::from_secs(60)).await;
    assert_eq!(new.run_once().await.unwrap().leases, 1);
    create(&orders, 2).await;
    // The old one comes back from a long pause: the lease is not its own any more.
    assert_eq!(old.run_once().await.unwrap().leases, 0);
    new.run_once().await.unwrap();
    assert_eq!(old_seen.totals(), [1]);
    assert_eq!(new_seen.totals(), [2]);
}

#[tokio::test]
async fn a_lost_answer_of_a_checkpoint_repeats_nothing() {
    let (account, orders, _) = orders(7).await;
    leases(&account, "/id").await;
    let faults = Faults::new();
    let seen = Seen::default();
    let one = instance(&account.with_faults(faults.clone()), "one", &seen).await;
    create(&orders, 1).await;
    // The first replace takes the lease, the second is the checkpoint.
    faults.next_of("replace", Fault::None);
    faults.next_of("replace", Fault::LostResponse);
    one.run_once().await.unwrap();
    create(&orders, 2).await;
    faults.next_of("read changes", Fault::Unavailable);
    one.run_once().await.unwrap();
    assert_eq!(seen.totals(), [1, 2]);
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn an_item_of_another_shape_is_parked_and_does_not_stop_the_feed() {
    let (account, orders, _) = orders(7).await;
    leases(&account, "/id").await;
    let seen = Seen::default();
    let odd = serde_json::json!({ "id": "odd", "customer": "ann", "total": "much" });
    orders.create(&"ann".into(), &odd).await.unwrap();
    create(&orders, 2).await;
    let one = instance(&account, "one", &seen).await;
    let round = one.run_once().await.unwrap();
    assert_eq!((round.handled, round.parked), (1, 1));
    assert_eq!(seen.totals(), [2]);
}

#[tokio::test]
async fn another_partition_key_for_leases_is_refused() {
    let (account, orders, _) = orders(7).await;
    let leases = leases(&account, "/partitionKey").await;
    let builder = Processor::<Order>::builder(&orders, &leases, "mail");
    let refused = builder.build(Seen::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::BadRequest);
    assert!(refused.to_string().contains("/id"), "{refused}");
}

#[derive(Clone, Default)]
struct Failing(Arc<AtomicU64>);

#[async_trait]
impl Reaction<Order> for Failing {
    async fn react(
        &self,
        _: &[Change<Order>],
        context: &DeliveryContext,
    ) -> Result<(), ReactionError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        if context.attempt < 3 { Err("not yet".into()) } else { Ok(()) }
    }
}

#[tokio::test]
async fn a_reaction_that_fails_for_a_while_is_tried_again() {
    let (account, orders, waits) = orders(7).await;
    let leases = leases(&account, "/id").await;
    create(&orders, 1).await;
    let tries = Failing::default();
    let builder = Processor::<Order>::builder(&orders, &leases, "mail");
    let builder = builder.start_at(ProcessorStart::Beginning).attempts_max(3);
    let round = builder.build(tries.clone()).await.unwrap().run_once().await.unwrap();
    assert_eq!((round.handled, round.parked), (1, 0));
    assert_eq!(tries.0.load(Ordering::SeqCst), 3);
    assert_eq!(waits.all().len(), 2);
}

#[tokio::test]
async fn a_started_processor_handles_what_comes_until_it_is_stopped() {
    let (account, orders, _) = orders(7).await;
    leases(&account, "/id").await;
    let seen = Seen::default();
    let one = instance(&account, "one", &seen).await;
    one.start().unwrap();
    assert_eq!(one.start().unwrap_err().kind(), ErrorKind::BadRequest);
    create(&orders, 1).await;
    while seen.totals().is_empty() {
        tokio::task::yield_now().await;
    }
    one.stop().await.unwrap();
    create(&orders, 2).await;
    // Its leases are free, so another takes them at once.
    let other = instance(&account, "other", &seen).await;
    assert_eq!(other.run_once().await.unwrap().leases, 1);
    assert_eq!(seen.totals(), [1, 2]);
    assert_eq!(one.last_error(), None);
}
