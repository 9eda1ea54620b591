//! Large items are checked and prepared on threads: the partition writer and other requests go on meanwhile.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::operation::{BatchOperation, TransactionalBatch, WriteOptions};
use engine::query::QueryItems;
use engine::response::BatchResult;
use engine::{
    BoxedTask, BoxedWork, ContainerLink, Engine, Environment, ErrorKind, SeededRandomness, Spawner,
    TravellingClock,
};
use model::{IndexPath, IndexingDirective, PartitionKey};
use storage::memory::MemoryStore;

use crate::account::{Account, START, container, settings_without_maintenance};
use crate::query::ask::rows;
use crate::verbs::{id, indexing, own, patch_of};

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

    /// Runs what is left for later, such as samples.
    fn run_rest(&self) {
        while let Some(work) = { self.held.lock().unwrap().pop_front() } {
            work();
        }
    }
}

/// Runs a long write up to its preparation, which is held while a small write of the same logical partition is done;
/// the preparation comes after so much other work.
async fn beside_small_write<T>(
    (account, link, work): (&Account, &ContainerLink, &HeldWork),
    other: &str,
    work_before: usize,
    writing: impl Future<Output = T>,
) -> T {
    let mut writing = Box::pin(writing);
    let prepare = tokio::select! {
        biased;
        _ = &mut writing => panic!("the write of {other} was done inside the partition writer"),
        prepare = async {
            for _ in 0..work_before {
                work.run_next().await;
            }
            work.next().await
        } => prepare,
    };
    account.create(link, &small(other)).await.unwrap();
    prepare();
    let written = writing.await;
    tokio::task::yield_now().await;
    work.run_rest();
    written
}

/// Creates a large item.
async fn create_large(account: &Account, link: &ContainerLink, work: &HeldWork, text: &str) {
    let creating = account.create(link, text);
    let preparing = async {
        work.run_next().await;
        work.run_next().await;
    };
    let (created, ()) = tokio::join!(creating, preparing);
    created.unwrap();
    tokio::task::yield_now().await;
    work.run_rest();
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
    holders_of(account, link, work, &element.to_string()).await
}

async fn holders_of(
    account: &Account,
    link: &ContainerLink,
    work: &HeldWork,
    element: &str,
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
    // The second time, what is replaced meanwhile is large, too.
    for (round, expected) in [(0_u32, 4), (1, 5)] {
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
        let replaced = small("big");
        let replacing = account.upsert(&link, &replaced);
        let (replaced, ()) = tokio::join!(replacing, async {
            if round > 0 {
                work.run_next().await;
            }
        });
        replaced.unwrap();
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

const SET: &str = r#"[{"op":"set","path":"/n","value":1},{"op":"add","path":"/arr/0","value":-7}]"#;

#[tokio::test]
async fn a_patch_of_a_large_item_holds_up_no_other_write() {
    let (account, link, work) = held_account().await;
    create_large(&account, &link, &work, &large("big", 0)).await;
    let all = (&account, &link, work.as_ref());
    let patching = account.patch(&link, ("x", "big"), SET);
    let patched = beside_small_write(all, "a", 0, patching).await.unwrap();
    assert!(own(&patched).contains(r#""arr":[-7,0,1,2,"#));
    assert!(own(&patched).ends_with(r#","n":1}"#));
    account.verify().await;
    assert_eq!(holders_of(&account, &link, &work, "-7").await, [r#""big""#]);
    // A large value for a small item, which is not known to be large before.
    let value: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
    let add = format!(r#"[{{"op":"add","path":"/arr","value":[{}]}}]"#, value.join(","));
    let patching = account.patch(&link, ("x", "a"), &add);
    // Its numbers are brought into the form of the service before.
    beside_small_write(all, "b", 1, patching).await.unwrap();
    account.verify().await;
    assert_eq!(holders(&account, &link, &work, 19_999).await, [r#""big""#, r#""a""#]);
}

#[tokio::test]
async fn a_patch_of_a_large_item_that_changes_meanwhile_applies_to_the_new_version() {
    let (account, link, work) = held_account().await;
    create_large(&account, &link, &work, &large("big", 0)).await;
    let mut patching = Box::pin(account.patch(&link, ("x", "big"), SET));
    let prepare = tokio::select! {
        biased;
        _ = &mut patching => panic!("the patch waits for its thread"),
        prepare = work.next() => prepare,
    };
    // Another request replaces the item, which is small then.
    let replacing = account.upsert(&link, r#"{"id":"big","pk":"x","u":"big","arr":[5]}"#);
    let (replaced, ()) = tokio::join!(replacing, work.run_next());
    replaced.unwrap();
    prepare();
    let (patched, ()) = tokio::join!(patching, async { work.run_next().await });
    assert_eq!(own(&patched.unwrap()), r#"{"id":"big","pk":"x","u":"big","arr":[-7,5],"n":1}"#);
    account.verify().await;
}

#[tokio::test]
async fn a_large_item_is_renamed_and_deleted_beside_other_writes() {
    let (account, link, work) = held_account().await;
    create_large(&account, &link, &work, &large("big", 0)).await;
    let all = (&account, &link, work.as_ref());
    let text = large("other", 5);
    // Validated first, because the request has a large item.
    let renaming = account.replace(&link, "big", &text);
    let renamed = beside_small_write(all, "a", 1, renaming).await.unwrap();
    assert_eq!(own(&renamed), text);
    account.verify().await;
    assert_eq!(holders(&account, &link, &work, 20_004).await, [r#""other""#]);
    let deleting = account.delete(&link, "x", "other");
    beside_small_write(all, "b", 0, deleting).await.unwrap();
    account.verify().await;
    assert!(holders(&account, &link, &work, 20_004).await.is_empty());
}

#[tokio::test]
async fn a_batch_with_large_items_holds_up_no_other_write() {
    let (account, link, work) = held_account().await;
    create_large(&account, &link, &work, &large("big", 0)).await;
    let (patch, other) = (patch_of(SET, None), large("new", 50_000));
    let item = model::MeasuredJson::parse(other.as_bytes()).unwrap();
    let options = WriteOptions::default;
    let operations = vec![
        BatchOperation::Patch { id: id("big"), patch: patch.clone(), options: options() },
        BatchOperation::Create { item, options: options() },
        // They see what the operations before have left.
        BatchOperation::Patch { id: id("new"), patch, options: options() },
        BatchOperation::Delete { id: id("big"), options: options() },
    ];
    let batch = TransactionalBatch {
        container: link.clone(),
        partition_key: PartitionKey::from("x"),
        operations,
    };
    let all = (&account, &link, work.as_ref());
    let running = account.engine.transactional_batch(batch);
    let result = beside_small_write(all, "a", 1, running).await.unwrap().value;
    let BatchResult::Committed(results) = result else { panic!("{result:?}") };
    assert_eq!(results.len(), 4);
    account.verify().await;
    assert_eq!(holders(&account, &link, &work, 50_000).await, [r#""new""#]);
    assert_eq!(holders_of(&account, &link, &work, "-7").await, [r#""new""#]);
    assert!(holders(&account, &link, &work, 1).await.is_empty());
}

#[tokio::test]
async fn a_failed_operation_of_a_large_batch_rolls_everything_back() {
    let (account, link, work) = held_account().await;
    create_large(&account, &link, &work, &large("big", 0)).await;
    let wrong = patch_of(r#"[{"op":"replace","path":"/missing/deep","value":1}]"#, None);
    let operations = [patch_of(SET, None), wrong].map(|patch| BatchOperation::Patch {
        id: id("big"),
        patch,
        options: WriteOptions::default(),
    });
    let batch = TransactionalBatch {
        container: link.clone(),
        partition_key: PartitionKey::from("x"),
        operations: operations.into(),
    };
    let all = (&account, &link, work.as_ref());
    let running = account.engine.transactional_batch(batch);
    match beside_small_write(all, "a", 0, running).await.unwrap().value {
        BatchResult::RolledBack { failed: 1, error, charges } => {
            assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
            assert_eq!(charges.len(), 1);
        }
        other => panic!("{other:?}"),
    }
    account.verify().await;
    assert!(holders_of(&account, &link, &work, "-7").await.is_empty());
}

#[tokio::test]
async fn a_query_with_a_long_text_or_large_parameters_is_prepared_on_a_thread() {
    let (account, link, work) = held_account().await;
    account.create(&link, &small("a")).await.unwrap();
    let names: Vec<String> = (0..3000).map(|number| format!("'n{number}'")).collect();
    let long = format!("SELECT VALUE c.id FROM c WHERE c.id NOT IN ({})", names.join(","));
    let short = "SELECT VALUE c.id FROM c WHERE NOT ARRAY_CONTAINS(@names, c.id)";
    let mut query = QueryItems::new(link.clone(), short);
    let names = names.join(",").replace('\'', "\"");
    let names = model::Json::parse(format!("[{names}]").as_bytes()).unwrap();
    query.parameters.push("@names", Some(names));
    for query in [QueryItems::new(link.clone(), &long), query] {
        let begun = work.begun.load(Ordering::SeqCst);
        let mut asking = Box::pin(account.engine.query_items(query));
        let prepare = tokio::select! {
            biased;
            _ = &mut asking => panic!("the query was prepared by a worker of the runtime"),
            prepare = work.next() => prepare,
        };
        // Others go on meanwhile.
        assert_eq!(rows(&account.engine, &link, "SELECT VALUE c.u FROM c").await, [r#""a""#]);
        prepare();
        let page = loop {
            tokio::select! {
                biased;
                page = &mut asking => break page.unwrap(),
                () = work.run_next() => {}
            }
        };
        assert_eq!(page.value.rows.len(), 1);
        // Prepared, then planned.
        assert!(work.begun.load(Ordering::SeqCst) >= begun + 2);
    }
}

/// A policy that leaves the elements out of the index.
async fn exclude_elements(account: &Account, link: &ContainerLink) {
    let excluded = IndexPath::parse("/arr/*").unwrap();
    account.alter(link, move |own| own.indexing_policy.excluded.push(excluded)).await.unwrap();
}

#[tokio::test]
async fn an_index_rebuild_parses_items_outside_of_the_writer() {
    let (account, link, work) = held_account().await;
    create_large(&account, &link, &work, &large("big", 0)).await;
    account.create(&link, &small("tiny")).await.unwrap();
    assert_eq!(holders(&account, &link, &work, 7).await, [r#""big""#]);
    exclude_elements(&account, &link).await;
    let all = (&account, &link, work.as_ref());
    let report = beside_small_write(all, "a", 0, account.engine.maintain()).await.unwrap();
    // Those that were read, and the one that was written meanwhile.
    assert_eq!((report.rebuilt, report.more), (3, false));
    assert_eq!(account.resource(&link).await.index_progress_percent, 100);
    account.verify().await;
}

#[tokio::test]
async fn a_rebuild_takes_the_version_that_was_written_meanwhile() {
    let (account, link, work) = held_account().await;
    create_large(&account, &link, &work, &large("big", 0)).await;
    create_large(&account, &link, &work, &large("huge", 0)).await;
    exclude_elements(&account, &link).await;
    let mut maintaining = Box::pin(account.engine.maintain());
    let prepare = tokio::select! {
        biased;
        _ = &mut maintaining => panic!("the terms are made inside the partition writer"),
        prepare = work.next() => prepare,
    };
    // One becomes small: the writer indexes it by itself. One stays large: the next step prepares it again.
    let shrinking = account.upsert(&link, r#"{"id":"big","pk":"x","u":"big","arr":[5]}"#);
    let (shrunk, ()) = tokio::join!(shrinking, work.run_next());
    shrunk.unwrap();
    let text = large("huge", 9);
    let replacing = async { account.upsert(&link, &text).await.unwrap() };
    let mut replacing = Box::pin(replacing);
    loop {
        tokio::select! {
            biased;
            _ = &mut replacing => break,
            () = work.run_next() => {}
        }
    }
    prepare();
    let report = maintaining.await.unwrap();
    assert_eq!((report.rebuilt, report.more), (1, true));
    account.verify().await;
    let mut maintaining = Box::pin(account.engine.maintain_fully());
    let report = loop {
        tokio::select! {
            biased;
            report = &mut maintaining => break report.unwrap(),
            () = work.run_next() => {}
        }
    };
    assert_eq!(report.rebuilt, 1);
    assert_eq!(account.resource(&link).await.index_progress_percent, 100);
    account.verify().await;
}

/// Two megabytes, a million elements: as large as an item may be.
#[tokio::test]
async fn a_million_elements_are_patched_beside_other_writes() {
    let (account, link, work) = held_account().await;
    // Without an index of the elements: what is shown is where the work is done, not how long it takes.
    let text =
        format!(r#"{{"id":"big","pk":"x","u":"big","n":0,"arr":[1{}]}}"#, ",1".repeat(999_999));
    let options = indexing(IndexingDirective::Exclude);
    let mut creating = Box::pin(account.create_with(&link, None, &text, options));
    loop {
        tokio::select! {
            biased;
            created = &mut creating => break drop(created.unwrap()),
            () = work.run_next() => {}
        }
    }
    tokio::task::yield_now().await;
    work.run_rest();
    let increment = r#"[{"op":"incr","path":"/n","value":1}]"#;
    let all = (&account, &link, work.as_ref());
    let patching = account.patch(&link, ("x", "big"), increment);
    let patched = beside_small_write(all, "a", 0, patching).await.unwrap();
    assert!(patched.text().len() > 2_000_000);
}
