//! What the engine does when the store fails at the worst moment.

use std::sync::Arc;

use engine::operation::{BatchOperation, CreateContainer};
use engine::{ContainerLink, Engine, EngineSettings, ErrorKind};
use model::FeedRange;
use storage::{Shard, Store};

use crate::account::{Account, json, plain, settings_without_maintenance};
use crate::scripted_store::{COMMITS, Fault, SNAPSHOTS, ScriptedStore};
use crate::verbs::{ids, refused};

const CATALOG: Shard = Shard(0);
const FIRST: Shard = Shard(1);

async fn scripted(items: usize) -> (Account, Arc<ScriptedStore>, ContainerLink) {
    let store = ScriptedStore::new();
    let account = Account::on(Arc::clone(&store) as Arc<dyn Store>).await;
    let link = account.container(plain("c")).await;
    for number in 0..items {
        let text = format!(r#"{{"id":"i{number}","pk":"p{number}"}}"#);
        account.create(&link, &text).await.unwrap();
    }
    (account, store, link)
}

#[tokio::test]
async fn a_failed_commit_writes_nothing_and_the_next_one_works() {
    let (account, store, link) = scripted(2).await;
    store.next_commit(Some(FIRST), Fault::Fails);
    let text = r#"{"id":"x","pk":"x"}"#;
    refused(account.create(&link, text).await, ErrorKind::Unavailable);
    refused(account.read(&link, "x", "x").await, ErrorKind::NotFound);
    account.create(&link, text).await.unwrap();
    assert_eq!(account.resource(&link).await.usage.items, 3);
    account.verify().await;
}

#[tokio::test]
async fn a_lost_acknowledgement_leaves_the_whole_write_and_right_counters() {
    let (account, store, link) = scripted(2).await;
    store.next_commit(Some(FIRST), Fault::LosesAcknowledgement);
    let text = r#"{"id":"x","pk":"x"}"#;
    refused(account.create(&link, text).await, ErrorKind::Unavailable);
    account.read(&link, "x", "x").await.unwrap();
    refused(account.create(&link, text).await, ErrorKind::Conflict);
    account.create(&link, r#"{"id":"y","pk":"x"}"#).await.unwrap();
    assert_eq!(account.resource(&link).await.usage.items, 4);
    account.verify().await;
}

/// What is prepared while a commit is on its way must neither see it too early nor survive its failure.
#[tokio::test]
async fn writes_that_arrive_during_a_commit_come_out_right_however_it_ends() {
    let conflict = Some(ErrorKind::Conflict);
    let lost = Some(ErrorKind::Unavailable);
    for (fault, first, again, items) in [
        (Fault::Passes, None, conflict, 5),
        (Fault::Fails, lost, None, 5),
        (Fault::LosesAcknowledgement, lost, conflict, 5),
    ] {
        let (account, store, link) = scripted(2).await;
        store.next_commit(Some(FIRST), fault);
        let gate = store.gate(FIRST, COMMITS);
        let account = Arc::new(account);
        let create = |name: &'static str| {
            let (account, link) = (Arc::clone(&account), link.clone());
            tokio::spawn(async move {
                let text = format!(r#"{{"id":"{name}","pk":"x"}}"#);
                account.create(&link, &text).await.err().map(|error| error.kind())
            })
        };
        let on_its_way = create("a");
        settle().await;
        let meanwhile = create("b");
        settle().await;
        let (same, behind) = (create("a"), create("c"));
        settle().await;
        gate.add_permits(1000);
        assert_eq!(on_its_way.await.unwrap(), first, "{fault:?}");
        assert_eq!(meanwhile.await.unwrap(), None, "{fault:?}");
        assert_eq!(same.await.unwrap(), again, "{fault:?}");
        assert_eq!(behind.await.unwrap(), None, "{fault:?}");
        assert_eq!(account.resource(&link).await.usage.items, items, "{fault:?}");
        account.verify().await;
    }
}

/// After a failed commit the state is read again. If that fails too, nothing may be written on what is left of it.
#[tokio::test]
async fn counters_stay_right_when_the_store_cannot_even_be_asked() {
    for fault in [Fault::Fails, Fault::LosesAcknowledgement] {
        let (account, store, link) = scripted(2).await;
        // The write reads before it commits, so reads begin to fail in the middle of it.
        store.next_commit(Some(FIRST), fault);
        store.fail_reads_after_commits(FIRST, 1);
        let refusal = account.create(&link, r#"{"id":"x","pk":"x"}"#).await;
        refused(refusal, ErrorKind::Unavailable);
        refused(account.create(&link, r#"{"id":"y","pk":"x"}"#).await, ErrorKind::Unavailable);
        refused(account.split(&link, 0).await, ErrorKind::Unavailable);
        store.reads_fail(false);
        account.create(&link, r#"{"id":"z","pk":"x"}"#).await.unwrap();
        account.verify().await;
        let account = account.reopened().await;
        account.verify().await;
    }
}

/// A batch of which nobody knows whether it arrived must not be torn by a split that copies at the same time.
#[tokio::test]
async fn a_split_takes_over_writes_whose_acknowledgement_was_lost() {
    let (account, store, link) = scripted(0).await;
    for number in 0..600 {
        let text = format!(r#"{{"id":"i{number:03}","pk":"x","n":0}}"#);
        account.create(&link, &text).await.unwrap();
    }
    // The copy stands between its first and its second page.
    let gate = store.gate(FIRST, "items");
    gate.add_permits(1);
    let split = start_split(&account, &link);
    settle().await;
    store.next_commit(Some(FIRST), Fault::LosesAcknowledgement);
    let set = |name: &str| BatchOperation::Upsert {
        item: json(&format!(r#"{{"id":"{name}","pk":"x","n":1,"new":true}}"#)).into(),
        options: Default::default(),
    };
    let batch = vec![set("i000"), set("i599"), set("zzz")];
    refused(account.batch(&link, "x", batch).await, ErrorKind::Unavailable);
    gate.add_permits(1000);
    split.await.unwrap().unwrap();
    for name in ["i000", "i599", "zzz"] {
        let item = account.read(&link, "x", name).await.unwrap().to_json();
        assert_eq!(item.get("n"), Some(&json("1")), "{name} was lost by the split");
    }
    account.verify().await;
}

fn start_split(
    account: &Account,
    link: &ContainerLink,
) -> tokio::task::JoinHandle<engine::Result<Vec<u32>>> {
    let (engine, container) = (account.engine.clone(), link.clone());
    tokio::spawn(async move {
        let partition = engine.list_partitions(&container).await?.value.partitions[0].number;
        let split = engine::operation::SplitPartition { container, partition, at: None };
        Ok(engine.split_partition(split).await?.value)
    })
}

/// Lets every other task run until it waits for something.
async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_lost_acknowledgement_of_the_catalog_does_not_split_the_brain() {
    let (account, store, link) = scripted(20).await;
    // The first commit of the catalog reserves, the second one switches.
    store.next_commit(Some(CATALOG), Fault::Passes);
    store.next_commit(Some(CATALOG), Fault::LosesAcknowledgement);
    let numbers = account.split(&link, 0).await.unwrap();
    assert_eq!(numbers, [1, 2]);
    account.create(&link, r#"{"id":"later","pk":"later"}"#).await.unwrap();
    account.engine.maintain_fully().await.unwrap();
    account.verify().await;
    let account = account.reopened().await;
    account.read(&link, "later", "later").await.unwrap();
    assert_eq!(account.list(&link, &FeedRange::Container, 100).await.len(), 21);
    account.verify().await;
}

#[tokio::test]
async fn a_failed_switch_leaves_the_old_partition_in_use() {
    for failing in 0..2 {
        let (account, store, link) = scripted(20).await;
        for _ in 0..failing {
            store.next_commit(Some(CATALOG), Fault::Passes);
        }
        store.next_commit(Some(CATALOG), Fault::Fails);
        refused(account.split(&link, 0).await, ErrorKind::Unavailable);
        account.create(&link, r#"{"id":"later","pk":"later"}"#).await.unwrap();
        account.engine.maintain_fully().await.unwrap();
        account.verify().await;
        let account = account.reopened().await;
        assert_eq!(account.list(&link, &FeedRange::Container, 100).await.len(), 21);
        account.split(&link, 0).await.unwrap();
        account.engine.maintain_fully().await.unwrap();
        account.verify().await;
    }
}

/// Neither map is known to be the stored one: writes are refused rather than lost.
#[tokio::test]
async fn an_unknown_switch_stops_the_container_until_it_is_opened_again() {
    let (account, store, link) = scripted(20).await;
    store.next_commit(Some(CATALOG), Fault::Passes);
    store.next_commit(Some(CATALOG), Fault::LosesAcknowledgement);
    store.fail_reads_after_commits(CATALOG, 2);
    refused(account.split(&link, 0).await, ErrorKind::Unavailable);
    store.reads_fail(false);
    let write = account.create(&link, r#"{"id":"later","pk":"later"}"#).await;
    refused(write, ErrorKind::Unavailable);
    refused(account.read(&link, "p1", "i1").await, ErrorKind::Unavailable);
    refused(account.engine.maintain().await, ErrorKind::Unavailable);
    let create = CreateContainer {
        database: link.database.clone(),
        properties: plain("n"),
        throughput: None,
    };
    refused(account.engine.create_container(create).await, ErrorKind::Unavailable);
    let account = account.reopened().await;
    assert_eq!(account.list(&link, &FeedRange::Container, 100).await.len(), 20);
    assert_eq!(account.engine.list_partitions(&link).await.unwrap().value.partitions.len(), 2);
    account.engine.maintain_fully().await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn a_container_whose_deletion_failed_lives_on() {
    let (account, store, link) = scripted(3).await;
    store.next_commit(Some(CATALOG), Fault::Fails);
    refused(account.engine.delete_container(&link).await, ErrorKind::Unavailable);
    account.create(&link, r#"{"id":"later","pk":"later"}"#).await.unwrap();
    account.read(&link, "p1", "i1").await.unwrap();
    store.next_commit(Some(CATALOG), Fault::Fails);
    refused(account.engine.delete_database(&link.database).await, ErrorKind::Unavailable);
    account.create(&link, r#"{"id":"again","pk":"later"}"#).await.unwrap();
    account.verify().await;
    store.next_commit(Some(CATALOG), Fault::LosesAcknowledgement);
    account.engine.delete_container(&link).await.unwrap();
    refused(account.read(&link, "p1", "i1").await, ErrorKind::OwnerNotFound);
}

/// A split that waits while its container is deleted must not write the container back.
#[tokio::test]
async fn a_split_does_not_bring_a_deleted_container_back() {
    let (account, store, link) = scripted(5).await;
    let gate = store.gate(FIRST, "items");
    let first = start_split(&account, &link);
    let second = start_split(&account, &link);
    settle().await;
    let (engine, container) = (account.engine.clone(), link.clone());
    let delete = tokio::spawn(async move { engine.delete_container(&container).await });
    settle().await;
    gate.add_permits(1000);
    delete.await.unwrap().unwrap();
    // Whichever came first: in the end the container is gone, from memory and from the store.
    let _ = (first.await.unwrap(), second.await.unwrap());
    refused(account.engine.read_container(&link).await, ErrorKind::OwnerNotFound);
    let account = account.reopened().await;
    refused(account.engine.read_container(&link).await, ErrorKind::OwnerNotFound);
}

/// A read that has found its container before it was deleted ends with an error, it does not spin.
#[tokio::test]
async fn reads_of_a_container_deleted_under_them_end() {
    let (account, store, link) = scripted(5).await;
    let gate = store.gate(Shard(0), SNAPSHOTS);
    let (engine, container) = (account.engine.clone(), link.clone());
    let list = tokio::spawn(async move {
        let list = engine::operation::ListItems {
            container,
            feed_range: FeedRange::Container,
            page: Default::default(),
            options: Default::default(),
        };
        engine.list_items(list).await
    });
    settle().await;
    account.engine.delete_container(&link).await.unwrap();
    gate.add_permits(1000);
    refused(list.await.unwrap(), ErrorKind::OwnerNotFound);
}

/// The list of shards to reclaim is read before they are reclaimed: one of them may be in use by then.
#[tokio::test]
async fn the_reclaimer_leaves_a_shard_alone_that_was_taken_into_use_meanwhile() {
    let (account, store, link) = scripted(30).await;
    let other = account.container(plain("other")).await;
    for number in 0..5 {
        account.create(&other, &format!(r#"{{"id":"o{number}","pk":"x"}}"#)).await.unwrap();
    }
    account.engine.delete_container(&other).await.unwrap();
    // The split has reserved its shards and waits; the reclaimer has read its list, in which they are.
    let copy = store.gate(FIRST, "items");
    let reclaim = store.gate(Shard(2), "items");
    let split = start_split(&account, &link);
    settle().await;
    let engine: Engine = account.engine.clone();
    let maintain = tokio::spawn(async move { engine.maintain().await });
    settle().await;
    copy.add_permits(10_000);
    settle().await;
    reclaim.add_permits(10_000);
    split.await.unwrap().unwrap();
    maintain.await.unwrap().unwrap();
    account.engine.maintain_fully().await.unwrap();
    assert_eq!(account.list(&link, &FeedRange::Container, 100).await.len(), 30);
    account.verify().await;
}

/// A caller that goes away in the middle of a split leaves no half of it behind.
#[tokio::test]
async fn a_split_is_finished_although_its_caller_is_gone() {
    let (account, store, link) = scripted(30).await;
    let gate = store.gate(FIRST, "items");
    let caller = start_split(&account, &link);
    settle().await;
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    gate.add_permits(10_000);
    settle().await;
    let partitions = account.engine.list_partitions(&link).await.unwrap().value.partitions;
    assert_eq!(partitions.len(), 2);
    assert_eq!(ids(&account.list(&link, &FeedRange::Container, 7).await).len(), 30);
    account.engine.maintain_fully().await.unwrap();
    account.verify().await;
}

/// The same for a deletion that has reached the store: nobody may write to what is gone.
#[tokio::test]
async fn a_deletion_is_finished_although_its_caller_is_gone() {
    let (account, store, link) = scripted(3).await;
    let gate = store.gate(CATALOG, COMMITS);
    let (engine, container) = (account.engine.clone(), link.clone());
    let caller = tokio::spawn(async move { engine.delete_container(&container).await });
    settle().await;
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    gate.add_permits(1000);
    settle().await;
    let write = account.create(&link, r#"{"id":"late","pk":"x"}"#).await;
    refused(write, ErrorKind::OwnerNotFound);
    let account = account.reopened().await;
    refused(account.engine.read_container(&link).await, ErrorKind::OwnerNotFound);
}

#[tokio::test]
async fn two_engines_on_one_store_do_not_overwrite_each_other() {
    let store = ScriptedStore::new();
    let one = Account::on(Arc::clone(&store) as Arc<dyn Store>).await;
    let link = one.container(plain("c")).await;
    let clock = Arc::clone(&one.clock);
    let settings =
        EngineSettings { account_id: "two".to_owned(), ..settings_without_maintenance() };
    let two = Account::with(Arc::clone(&store) as Arc<dyn Store>, clock, settings).await;
    for number in 0..20 {
        let account = if number % 2 == 0 { &one } else { &two };
        account.create(&link, &format!(r#"{{"id":"i{number}","pk":"x"}}"#)).await.unwrap();
    }
    let conflict = two.create(&link, r#"{"id":"i0","pk":"x"}"#).await;
    refused(conflict, ErrorKind::Conflict);
    one.create(&link, r#"{"id":"last","pk":"x"}"#).await.unwrap();
    assert_eq!(one.resource(&link).await.usage.items, 21);
    one.verify().await;
}
