//! Large items are checked and prepared on threads: the partition writer and other requests go on meanwhile.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::{
    BoxedTask, BoxedWork, ContainerLink, Engine, Environment, ErrorKind, SeededRandomness, Spawner,
    TravellingClock,
};
use storage::memory::MemoryStore;

use crate::account::{Account, START, container, settings_without_maintenance};
use crate::query::ask::rows;
use crate::verbs::own;

/// Holds all work until it is released.
#[derive(Default)]
struct HeldWork {
    held: Mutex<VecDeque<BoxedWork>>,
    begun: AtomicUsize,
}

struct HoldingSpawner(Arc<HeldWork>);

impl Spawner for HoldingSpawner {
    fn spawn(&self, task: BoxedTask) {
        tokio::spawn(task);
    }

    fn sleep(&self, duration: Duration) -> BoxedTask {
        Box::pin(tokio::time::sleep(duration))
    }

    fn compute(&self, work: BoxedWork) {
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        self.0.held.lock().unwrap().push_back(work);
    }
}

impl HeldWork {
    /// Waits for the next work and keeps it.
    async fn next(&self) -> BoxedWork {
        loop {
            if let Some(work) = self.held.lock().unwrap().pop_front() {
                return work;
            }
            tokio::task::yield_now().await;
        }
    }

    async fn run_next(&self) {
        let work = self.next().await;
        work();
    }
}

async fn held_account() -> (Account, ContainerLink, Arc<HeldWork>) {
    let (store, clock) = (Arc::new(MemoryStore::new()), TravellingClock::starting_at(START));
    let work = Arc::new(HeldWork::default());
    let spawner = Arc::new(HoldingSpawner(Arc::clone(&work)));
    let randomness = Arc::new(SeededRandomness::new(7));
    let environment = Environment::new(Arc::clone(&clock) as _, randomness, spawner);
    let settings = settings_without_maintenance();
    let engine = Engine::open(Arc::clone(&store) as _, environment, settings).await.unwrap();
    let account = Account { engine, clock, store };
    let properties = container(
        r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
            "uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}}"#,
    );
    let link = account.container(properties).await;
    (account, link, work)
}

/// Twenty thousand elements.
fn large(id: &str, first: u32) -> String {
    let numbers: Vec<String> = (first..first + 20_000).map(|number| number.to_string()).collect();
    format!(r#"{{"id":"{id}","pk":"x","u":"{id}","arr":[{}]}}"#, numbers.join(","))
}

fn small(id: &str) -> String {
    format!(r#"{{"id":"{id}","pk":"x","u":"{id}"}}"#)
}

/// The items with an element, by the index.
async fn holders(
    account: &Account,
    link: &ContainerLink,
    work: &HeldWork,
    element: u32,
) -> Vec<String> {
    let text = format!("SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.arr, {element})");
    let mut found = Box::pin(rows(&account.engine, link, &text));
    loop {
        tokio::select! {
            biased;
            found = &mut found => return found,
            // A long query goes to a thread as well.
            () = work.run_next() => {}
        }
    }
}

#[tokio::test]
async fn a_small_write_is_done_while_a_large_one_is_prepared() {
    let (account, link, work) = held_account().await;
    let text = large("big", 0);
    let mut writing = Box::pin(account.create(&link, &text));
    let prepared = tokio::select! {
        biased;
        _ = &mut writing => panic!("the large item waits for its thread"),
        prepared = async {
            // Validation, then the preparation; between them it had its first turn in the writer.
            work.run_next().await;
            work.next().await
        } => prepared,
    };
    // The same physical partition, and the same logical one.
    for id in ["a", "b"] {
        account.create(&link, &small(id)).await.unwrap();
    }
    prepared();
    let created = writing.await.unwrap();
    assert_eq!(own(&created), text);
    // What the item adds to the report of usage.
    work.run_next().await;
    // A small item never goes to a thread.
    assert_eq!(work.begun.load(Ordering::SeqCst), 3);
    account.verify().await;
    assert_eq!(holders(&account, &link, &work, 19_999).await, [r#""big""#]);
}

#[tokio::test]
async fn an_item_that_changes_meanwhile_is_prepared_again() {
    let (account, link, work) = held_account().await;
    account.create(&link, &small("big")).await.unwrap();
    for (round, expected) in [(0_u32, 4), (1, 4)] {
        let before = work.begun.load(Ordering::SeqCst);
        let text = large("big", round * 100_000);
        let mut writing = Box::pin(account.upsert(&link, &text));
        let prepared = tokio::select! {
            biased;
            _ = &mut writing => panic!("the large item waits for its thread"),
            prepared = async {
                work.run_next().await;
                work.next().await
            } => prepared,
        };
        account.upsert(&link, &small("big")).await.unwrap();
        prepared();
        let again = work.run_next();
        let (written, ()) = tokio::join!(writing, again);
        assert_eq!(own(written.unwrap().item()), text);
        work.run_next().await;
        assert_eq!(work.begun.load(Ordering::SeqCst) - before, expected);
        account.verify().await;
        assert_eq!(holders(&account, &link, &work, round * 100_000 + 5).await, [r#""big""#]);
    }
    // The terms of the version before are gone.
    assert!(holders(&account, &link, &work, 5).await.is_empty());
}

#[tokio::test]
async fn conflicts_are_found_by_the_writer() {
    let (account, link, work) = held_account().await;
    let text = large("big", 0);
    let mut writing = Box::pin(account.create(&link, &text));
    let prepared = tokio::select! {
        biased;
        _ = &mut writing => panic!("the large item waits for its thread"),
        prepared = async {
            work.run_next().await;
            work.next().await
        } => prepared,
    };
    // Another item takes the unique key.
    account.create(&link, &small("big").replacen("big", "other", 1)).await.unwrap();
    prepared();
    let error = writing.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    assert!(error.to_string().contains("'other'"), "{error}");
    account.verify().await;
}
