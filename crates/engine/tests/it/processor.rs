//! The processor: instances that share a container, on a travelling clock.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use engine::change_feed::processor::{
    Context, LeasePosition, Processor, ProcessorBuilder, ProcessorStart, Reaction, ReactionError,
};
use engine::change_feed::{Change, ChangeFeedMode, ChangeOperation};
use engine::operation::{DeleteItem, ListItems, MergePartitions, SplitPartition, UpsertItem};
use engine::{ContainerLink, ErrorKind};
use model::{
    ContainerId, ContainerProperties, EpkRange, FeedRange, ItemId, Json, PartitionKey,
    PartitionKeyDefinition, Throughput, TimeToLive, TimestampSeconds,
};
use tokio::sync::Semaphore;

use crate::account::{Account, START, json, plain};

/// What the reactions of one test have seen, and how they are to behave.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Item id and its `n`, in the order of delivery.
    delivered: Vec<(String, i64)>,
    /// Changes handled well, by instance.
    by_instance: BTreeMap<String, usize>,
    /// Ids the reaction fails on.
    poison: Vec<String>,
    /// How it fails on them.
    failing: Failing,
    calls: usize,
}

#[derive(Clone, Copy, Default)]
enum Failing {
    #[default]
    Silently,
    ByIndex,
    ByPanic,
    Transiently,
}

impl Seen {
    fn state<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.0.lock().unwrap())
    }

    fn poison(&self, id: &str, failing: Failing) {
        self.state(|state| {
            state.poison = vec![id.to_owned()];
            state.failing = failing;
        });
    }

    /// How often each item was delivered well.
    fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for (id, _) in self.state(|state| state.delivered.clone()) {
            *counts.entry(id).or_default() += 1;
        }
        counts
    }

    fn ids(&self) -> Vec<String> {
        self.state(|state| state.delivered.iter().map(|(id, _)| id.clone()).collect())
    }
}

#[async_trait]
impl Reaction for Seen {
    async fn react(&self, changes: &[Change], context: &Context) -> Result<(), ReactionError> {
        let panics = self.state(|state| {
            state.calls += 1;
            let poisoned =
                changes.iter().position(|change| state.poison.iter().any(|id| id == change.id()));
            match (poisoned, state.failing) {
                (None, _) => {}
                (Some(_), Failing::Silently) => return Err(ReactionError::new("bad change")),
                (Some(_), Failing::Transiently) => return Err(ReactionError::transient("away")),
                (Some(index), Failing::ByIndex) => {
                    return Err(ReactionError::poison(index, "bad change"));
                }
                (Some(_), Failing::ByPanic) => return Ok(true),
            }
            for change in changes {
                let current = change.current().map(|item| item.to_json());
                let n = current.and_then(|json| json.get("n")?.as_i64()).unwrap_or_default();
                state.delivered.push((change.id().to_owned(), n));
            }
            *state.by_instance.entry(context.instance.to_string()).or_default() += changes.len();
            Ok(false)
        })?;
        assert!(!panics, "bad change");
        Ok(())
    }
}

struct Scene {
    account: Account,
    monitored: ContainerLink,
    leases: ContainerLink,
    seen: Seen,
}

fn keyed(id: &str, path: &str) -> ContainerProperties {
    ContainerProperties::new(
        ContainerId::new(id).unwrap(),
        PartitionKeyDefinition::single(path).unwrap(),
    )
}

impl Scene {
    async fn new(partitions: i64) -> Self {
        Self::with_leases(partitions, keyed("leases", "/id")).await
    }

    async fn with_leases(partitions: i64, leases: ContainerProperties) -> Self {
        let account = Account::new().await;
        let throughput = Some(Throughput::manual(partitions * 6000).unwrap());
        let monitored = account.container_with(plain("c"), throughput).await;
        let leases = account.container(leases).await;
        let scene = Self { account, monitored, leases, seen: Seen::default() };
        assert_eq!(scene.partitions().await.len(), usize::try_from(partitions).unwrap());
        scene
    }

    fn builder(&self, instance: &str) -> ProcessorBuilder {
        let engine = &self.account.engine;
        Processor::builder(engine, self.monitored.clone(), self.leases.clone(), "p")
            .instance(instance)
            .start_at(ProcessorStart::Beginning)
            .page_items_max(5)
    }

    async fn instance(&self, name: &str) -> Processor {
        self.builder(name).build(self.seen.clone()).await.unwrap()
    }

    async fn write(&self, id: &str, key: &str, n: i64) {
        let upsert = UpsertItem {
            container: self.monitored.clone(),
            partition_key: None,
            item: json(&format!(r#"{{"id":"{id}","pk":"{key}","n":{n}}}"#)),
            options: Default::default(),
        };
        self.account.engine.upsert_item(upsert).await.unwrap();
    }

    async fn write_many(&self, numbers: std::ops::Range<usize>) {
        for number in numbers {
            self.write(&format!("i{number}"), &format!("k{number}"), 0).await;
        }
    }

    async fn partitions(&self) -> Vec<(u32, EpkRange)> {
        let partitions = self.account.engine.list_partitions(&self.monitored).await.unwrap();
        let partitions = partitions.value.partitions.into_iter();
        partitions.map(|partition| (partition.number, partition.range)).collect()
    }

    async fn split(&self, partition: u32) {
        let split = SplitPartition { container: self.monitored.clone(), partition, at: None };
        self.account.engine.split_partition(split).await.unwrap();
    }

    /// Every item of the lease container whose id starts like that.
    async fn kept(&self, link: &ContainerLink, start: &str) -> Vec<Json> {
        let list = ListItems {
            container: link.clone(),
            feed_range: FeedRange::Container,
            page: Default::default(),
            options: Default::default(),
        };
        let items = self.account.engine.list_items(list).await.unwrap().value.items;
        let items = items.iter().map(engine::Item::to_json);
        items.filter(|item| item.get("id").unwrap().as_str().unwrap().starts_with(start)).collect()
    }

    async fn owners(&self) -> BTreeMap<String, usize> {
        let mut owners = BTreeMap::new();
        for lease in self.kept(&self.leases, "p..").await {
            let owner = lease.get("Owner").unwrap().as_str().unwrap_or("nobody").to_owned();
            *owners.entry(owner).or_default() += 1;
        }
        owners
    }
}

/// Rounds of all instances until none finds anything to do.
async fn drain(instances: &[&Processor]) {
    for _ in 0..100 {
        let mut busy = false;
        for instance in instances {
            let round = instance.run_once().await.unwrap();
            assert!(round.errors.is_empty(), "{:?}", round.errors);
            busy |= round.more || round.taken > 0;
        }
        if !busy {
            return;
        }
    }
    panic!("no end after 100 rounds");
}

fn once_each(numbers: std::ops::Range<usize>) -> BTreeMap<String, usize> {
    numbers.map(|number| (format!("i{number}"), 1)).collect()
}

#[tokio::test]
async fn a_lone_instance_covers_the_whole_container_once() {
    let scene = Scene::new(4).await;
    scene.write_many(0..40).await;
    let processor = scene.instance("one").await;
    drain(&[&processor]).await;
    assert_eq!(scene.seen.counts(), once_each(0..40));
    assert_eq!(scene.owners().await, BTreeMap::from([("one".to_owned(), 4)]));
    assert_eq!(scene.kept(&scene.leases, "p.info").await.len(), 1);
    assert_eq!(scene.kept(&scene.leases, "p.lock").await.len(), 0);
    scene.write_many(40..50).await;
    drain(&[&processor]).await;
    assert_eq!(scene.seen.counts(), once_each(0..50));
}

#[tokio::test]
async fn leases_may_be_keyed_by_partition_key_in_a_container_that_expires_items() {
    let properties = ContainerProperties {
        default_time_to_live: TimeToLive::Seconds(30),
        ..keyed("leases", "/partitionKey")
    };
    let scene = Scene::with_leases(2, properties).await;
    scene.write_many(0..10).await;
    let processor = scene.instance("one").await;
    drain(&[&processor]).await;
    scene.account.travel(3600);
    scene.account.engine.maintain_fully().await.unwrap();
    scene.write_many(10..20).await;
    drain(&[&processor]).await;
    assert_eq!(scene.seen.counts(), once_each(0..20));
}

#[tokio::test]
async fn a_lease_container_with_another_partition_key_is_refused() {
    let scene = Scene::with_leases(1, keyed("leases", "/pk")).await;
    let refused = scene.builder("one").build(scene.seen.clone()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn two_instances_share_the_container() {
    let scene = Scene::new(4).await;
    let (one, two) = (scene.instance("one").await, scene.instance("two").await);
    assert_eq!(one.run_once().await.unwrap().held, 4);
    drain(&[&one, &two]).await;
    let even = BTreeMap::from([("one".to_owned(), 2), ("two".to_owned(), 2)]);
    assert_eq!(scene.owners().await, even);
    scene.write_many(0..60).await;
    drain(&[&one, &two]).await;
    assert_eq!(scene.seen.counts(), once_each(0..60));
    assert!(scene.seen.state(|state| state.by_instance.values().all(|count| *count > 0)));
    assert_eq!(scene.owners().await, even);
}

#[tokio::test]
async fn the_leases_of_a_crashed_instance_are_taken_over_after_their_expiry() {
    let scene = Scene::new(4).await;
    let (one, two) = (scene.instance("one").await, scene.instance("two").await);
    drain(&[&one, &two]).await;
    drop(two);
    scene.write_many(0..40).await;
    scene.account.travel(40);
    drain(&[&one]).await;
    assert!(scene.seen.counts().len() < 40, "no lease has expired yet");
    scene.account.travel(21);
    drain(&[&one]).await;
    assert_eq!(scene.seen.counts(), once_each(0..40));
    assert_eq!(scene.owners().await, BTreeMap::from([("one".to_owned(), 4)]));
}

#[tokio::test]
async fn an_instance_that_slept_through_its_lease_stops_at_once() {
    let scene = Scene::new(1).await;
    let (one, two) = (scene.instance("one").await, scene.instance("two").await);
    drain(&[&one]).await;
    scene.account.travel(61);
    assert_eq!(two.run_once().await.unwrap().taken, 1);
    scene.write_many(0..3).await;
    let round = one.run_once().await.unwrap();
    assert_eq!((round.lost, round.held, round.pages), (1, 0, 0));
    drain(&[&two]).await;
    assert_eq!(scene.seen.counts(), once_each(0..3));
}

#[tokio::test]
async fn an_instance_started_again_under_its_name_goes_on_from_its_checkpoint_at_once() {
    let scene = Scene::new(1).await;
    scene.write_many(0..12).await;
    let first = scene.instance("one").await;
    first.run_once().await.unwrap();
    assert_eq!(scene.seen.counts(), once_each(0..5));
    drop(first);
    drain(&[&scene.instance("one").await]).await;
    assert_eq!(scene.seen.counts(), once_each(0..12));
}

/// Handles a page and then never returns, as an instance that dies between the reaction and the checkpoint.
struct Dying(Seen);

#[async_trait]
impl Reaction for Dying {
    async fn react(&self, changes: &[Change], context: &Context) -> Result<(), ReactionError> {
        self.0.react(changes, context).await?;
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_page_handled_but_not_checkpointed_comes_again() {
    let scene = Scene::new(1).await;
    scene.write_many(0..8).await;
    let dying = scene.builder("one").build(Dying(scene.seen.clone())).await.unwrap();
    {
        let mut round = Box::pin(dying.run_once());
        let waker = std::task::Waker::noop();
        for _ in 0..1000 {
            let polled = round.as_mut().poll(&mut std::task::Context::from_waker(waker));
            assert!(polled.is_pending());
            tokio::task::yield_now().await;
            if scene.seen.counts().len() == 5 {
                break;
            }
        }
    }
    drop(dying);
    assert_eq!(scene.seen.counts(), once_each(0..5));
    scene.account.travel(61);
    drain(&[&scene.instance("two").await]).await;
    let mut twice_then_once = once_each(0..8);
    (0..5).for_each(|number| *twice_then_once.get_mut(&format!("i{number}")).unwrap() = 2);
    assert_eq!(scene.seen.counts(), twice_then_once);
}

#[tokio::test]
async fn changes_of_a_logical_partition_keep_their_order_across_takeovers() {
    let scene = Scene::new(4).await;
    let (one, two) = (scene.instance("one").await, scene.instance("two").await);
    for n in 1..=30 {
        for key in ["x", "y", "z"] {
            scene.write(&format!("{key}{n}"), key, n).await;
        }
        let instance = if n % 3 == 0 { &two } else { &one };
        instance.run_once().await.unwrap();
    }
    drain(&[&one, &two]).await;
    for key in ["x", "y", "z"] {
        let delivered = scene.seen.state(|state| state.delivered.clone());
        let mut first_seen = Vec::new();
        for (id, n) in delivered.into_iter().filter(|(id, _)| id.starts_with(key)) {
            if !first_seen.contains(&(id.clone(), n)) {
                first_seen.push((id, n));
            }
        }
        let expected: Vec<_> = (1..=30).map(|n| (format!("{key}{n}"), n)).collect();
        assert_eq!(first_seen, expected);
    }
}

#[tokio::test]
async fn a_split_in_the_middle_loses_nothing() {
    let scene = Scene::new(1).await;
    scene.write_many(0..20).await;
    let (one, two) = (scene.instance("one").await, scene.instance("two").await);
    one.run_once().await.unwrap();
    let number = scene.partitions().await[0].0;
    scene.split(number).await;
    scene.write_many(20..40).await;
    drain(&[&one, &two]).await;
    let number = scene.partitions().await[1].0;
    scene.split(number).await;
    scene.write_many(40..60).await;
    drain(&[&one, &two]).await;
    assert_eq!(scene.seen.counts(), once_each(0..60));
    assert_eq!(scene.kept(&scene.leases, "p..").await.len(), 3);
    let estimate = one.estimate(100).await.unwrap();
    let ranges: Vec<_> = estimate.leases.iter().map(|lease| lease.range.clone()).collect();
    let partitions: Vec<_> = scene.partitions().await.into_iter().map(|(_, range)| range).collect();
    assert_eq!(ranges, partitions);
}

#[tokio::test]
async fn a_split_that_another_instance_began_is_finished() {
    let scene = Scene::new(1).await;
    scene.write_many(0..4).await;
    let one = scene.instance("one").await;
    drain(&[&one]).await;
    let parent = scene.kept(&scene.leases, "p..").await.remove(0);
    let number = scene.partitions().await[0].0;
    scene.split(number).await;
    drain(&[&one]).await;
    assert_eq!(scene.kept(&scene.leases, "p..").await.len(), 2);
    // The parent's lease is there again, as if the instance had died before it deleted it.
    let mut object = parent.as_object().unwrap().clone();
    object.insert("Owner", Json::Null);
    scene.account.create(&scene.leases, &Json::Object(object).to_string()).await.unwrap();
    scene.write_many(4..10).await;
    drain(&[&one]).await;
    assert_eq!(scene.kept(&scene.leases, "p..").await.len(), 2);
    assert_eq!(scene.seen.counts(), once_each(0..10));
}

#[tokio::test]
async fn after_a_merge_the_leases_of_both_parents_go_on() {
    let scene = Scene::new(2).await;
    scene.write_many(0..20).await;
    let one = scene.instance("one").await;
    one.run_once().await.unwrap();
    let partitions = scene.partitions().await;
    let merge = MergePartitions {
        container: scene.monitored.clone(),
        partitions: (partitions[0].0, partitions[1].0),
    };
    scene.account.engine.merge_partitions(merge).await.unwrap();
    scene.write_many(20..40).await;
    drain(&[&one]).await;
    assert_eq!(scene.seen.counts(), once_each(0..40));
    assert_eq!(scene.kept(&scene.leases, "p..").await.len(), 2);
}

async fn check_that_poison_is_parked(failing: Failing, parked_apart: bool) {
    let scene = Scene::new(1).await;
    scene.write_many(0..12).await;
    scene.seen.poison("i3", failing);
    let mut builder = scene.builder("one").attempts_max(3);
    let mut parked = scene.leases.clone();
    if parked_apart {
        parked = scene.account.container(keyed("parked", "/partitionKey")).await;
        builder = builder.parked(parked.clone());
    }
    let processor = builder.build(scene.seen.clone()).await.unwrap();
    assert_eq!(processor.run_once().await.unwrap().waiting, 1);
    let calls = scene.seen.state(|state| state.calls);
    assert_eq!(processor.run_once().await.unwrap().waiting, 1);
    assert_eq!(scene.seen.state(|state| state.calls), calls, "the delay has not passed");
    scene.account.travel(1);
    assert_eq!(processor.run_once().await.unwrap().waiting, 1);
    scene.account.travel(2);
    let round = processor.run_once().await.unwrap();
    assert_eq!((round.pages, round.parked), (1, 1));
    drain(&[&processor]).await;
    let mut expected = once_each(0..12);
    expected.remove("i3");
    assert_eq!(scene.seen.counts(), expected);
    let items = scene.kept(&parked, "p.parked..-FF.").await;
    assert_eq!(items.len(), 1);
    assert!(items[0].get("id").unwrap().as_str().unwrap().ends_with(".i3"));
    assert!(items[0].get("error").unwrap().as_str().unwrap().contains("bad change"));
    assert_eq!(items[0].get("attempts").unwrap().as_i64(), Some(3));
    let change = items[0].get("change").unwrap();
    assert_eq!(change.get("current").unwrap().get("pk").unwrap().as_str(), Some("k3"));
    assert_eq!(processor.estimate(10).await.unwrap().parked(), 1);
}

#[tokio::test]
async fn a_poison_change_is_found_by_bisection_and_parked() {
    check_that_poison_is_parked(Failing::Silently, false).await;
}

#[tokio::test]
async fn a_poison_change_the_handler_names_is_parked_elsewhere() {
    check_that_poison_is_parked(Failing::ByIndex, true).await;
}

#[tokio::test]
async fn a_change_on_which_the_handler_panics_is_parked() {
    check_that_poison_is_parked(Failing::ByPanic, false).await;
}

#[tokio::test]
async fn a_transient_error_parks_nothing_however_long_it_lasts() {
    let scene = Scene::new(1).await;
    scene.write_many(0..3).await;
    scene.seen.poison("i1", Failing::Transiently);
    let processor = scene.builder("one").attempts_max(1).build(scene.seen.clone()).await.unwrap();
    for _ in 0..20 {
        assert_eq!(processor.run_once().await.unwrap().waiting, 1);
        scene.account.travel(61);
    }
    assert_eq!(processor.last_error().as_deref(), Some("away"));
    scene.seen.state(|state| state.poison.clear());
    drain(&[&processor]).await;
    assert_eq!(scene.seen.ids(), ["i0", "i1", "i2"]);
    assert_eq!(processor.estimate(10).await.unwrap().parked(), 0);
}

/// Lets one page through per permit.
struct Gated(Seen, Arc<Semaphore>);

#[async_trait]
impl Reaction for Gated {
    async fn react(&self, changes: &[Change], context: &Context) -> Result<(), ReactionError> {
        self.0.state(|state| state.calls += 1);
        self.1.acquire().await.unwrap().forget();
        self.0.react(changes, context).await
    }
}

async fn eventually(mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..1000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("it did not happen");
}

#[tokio::test(start_paused = true)]
async fn a_started_processor_handles_changes_and_stop_waits_for_the_page_and_releases() {
    let scene = Scene::new(1).await;
    scene.write_many(0..12).await;
    let gate = Arc::new(Semaphore::new(1));
    let gated = Gated(scene.seen.clone(), Arc::clone(&gate));
    let processor = scene.builder("one").build(gated).await.unwrap();
    processor.start().unwrap();
    assert_eq!(processor.start().unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(processor.run_once().await.unwrap_err().kind(), ErrorKind::Invalid);
    eventually(async || scene.seen.state(|state| state.calls) == 3).await;
    assert_eq!(scene.seen.counts().len(), 5, "the second page waits at the gate");
    let (stopped, ()) = tokio::join!(processor.stop(), async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(scene.owners().await, BTreeMap::from([("one".to_owned(), 1)]));
        gate.add_permits(1);
    });
    stopped.unwrap();
    assert_eq!(scene.seen.counts(), once_each(0..10));
    assert_eq!(scene.owners().await, BTreeMap::from([("nobody".to_owned(), 1)]));
    gate.add_permits(10);
    drain(&[&scene.instance("two").await]).await;
    assert_eq!(scene.seen.counts(), once_each(0..12));
}

#[tokio::test(start_paused = true)]
async fn a_handler_is_dropped_when_its_lease_is_lost() {
    let scene = Scene::new(1).await;
    scene.write_many(0..3).await;
    let gate = Arc::new(Semaphore::new(0));
    let gated = Gated(scene.seen.clone(), Arc::clone(&gate));
    let one = scene.builder("one").build(gated).await.unwrap();
    one.start().unwrap();
    eventually(async || scene.seen.state(|state| state.calls) == 1).await;
    scene.account.travel(61);
    let two = scene.instance("two").await;
    drain(&[&two]).await;
    assert_eq!(scene.seen.counts(), once_each(0..3));
    tokio::time::sleep(Duration::from_secs(18)).await;
    gate.add_permits(10);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(scene.seen.counts(), once_each(0..3));
    assert_eq!(gate.available_permits(), 10);
    one.stop().await.unwrap();
    assert_eq!(scene.owners().await, BTreeMap::from([("two".to_owned(), 1)]));
}

#[tokio::test(start_paused = true)]
async fn started_instances_share_follow_a_split_and_outlive_a_dropped_one() {
    let scene = Scene::new(2).await;
    let (one, two) = (scene.instance("one").await, scene.instance("two").await);
    one.start().unwrap();
    two.start().unwrap();
    let even = BTreeMap::from([("one".to_owned(), 1), ("two".to_owned(), 1)]);
    eventually(async || scene.owners().await == even).await;
    scene.write_many(0..20).await;
    eventually(async || scene.seen.counts().len() == 20).await;
    let number = scene.partitions().await[0].0;
    scene.split(number).await;
    scene.write_many(20..40).await;
    eventually(async || scene.seen.counts().len() == 40).await;
    drop(two);
    scene.write_many(40..60).await;
    eventually(async || {
        scene.account.travel(1);
        scene.seen.counts().len() == 60
    })
    .await;
    one.stop().await.unwrap();
    one.start().unwrap();
    scene.write_many(60..70).await;
    eventually(async || scene.seen.counts().len() == 70).await;
    one.stop().await.unwrap();
    assert_eq!(scene.owners().await, BTreeMap::from([("nobody".to_owned(), 3)]));
}

#[tokio::test]
async fn the_estimate_counts_down_to_zero() {
    let scene = Scene::new(1).await;
    let processor = scene.instance("one").await;
    assert!(processor.estimate(100).await.unwrap().leases.is_empty());
    processor.run_once().await.unwrap();
    scene.write_many(0..12).await;
    let mut changes = Vec::new();
    for _ in 0..4 {
        let estimate = processor.estimate(100).await.unwrap();
        changes.push((estimate.changes(), estimate.leases[0].lsn_distance));
        processor.run_once().await.unwrap();
    }
    assert_eq!(changes, [(12, 12), (7, 7), (2, 2), (0, 0)]);
    scene.write_many(0..12).await;
    let estimate = processor.estimate(3).await.unwrap();
    assert_eq!(estimate.changes(), 3, "counting stops at the bound");
    let lease = &estimate.leases[0];
    assert_eq!(lease.owner.as_ref().unwrap().as_str(), "one");
    assert!(matches!(lease.position, LeasePosition::After(lsn) if lsn.0 > 0));
}

#[tokio::test]
async fn processors_of_different_names_do_not_disturb_each_other() {
    let scene = Scene::new(2).await;
    scene.write_many(0..20).await;
    let (mine, others) = (scene.instance("one").await, Seen::default());
    let named = |name: &str| {
        let (monitored, leases) = (scene.monitored.clone(), scene.leases.clone());
        Processor::builder(&scene.account.engine, monitored, leases, name)
            .instance("one")
            .start_at(ProcessorStart::Beginning)
    };
    let other = named("p.").build(others.clone()).await.unwrap();
    let third = named("p.parked").build(Seen::default()).await.unwrap();
    drain(&[&mine, &other, &third]).await;
    assert_eq!(scene.seen.counts(), once_each(0..20));
    assert_eq!(others.counts(), once_each(0..20));
    mine.stop().await.unwrap();
    scene.write_many(20..30).await;
    drain(&[&other, &third]).await;
    assert_eq!(others.counts(), once_each(0..30));
    assert_eq!(scene.seen.counts(), once_each(0..20));
}

#[tokio::test]
async fn a_start_now_or_at_a_time_leaves_out_what_was_before() {
    let scene = Scene::new(2).await;
    scene.write_many(0..10).await;
    scene.account.travel(100);
    scene.write_many(10..20).await;
    let time = ProcessorStart::Time(TimestampSeconds(START.seconds().0 + 50));
    let timed = scene.builder("one").start_at(time).build(scene.seen.clone()).await.unwrap();
    drain(&[&timed]).await;
    assert_eq!(scene.seen.counts(), once_each(10..20));
    let later = Seen::default();
    let (monitored, leases) = (scene.monitored.clone(), scene.leases.clone());
    let now = Processor::builder(&scene.account.engine, monitored, leases, "q")
        .build(later.clone())
        .await
        .unwrap();
    drain(&[&now]).await;
    scene.write_many(20..30).await;
    drain(&[&now]).await;
    assert_eq!(later.counts(), once_each(20..30));
}

/// Notes what happened to which item.
#[derive(Clone, Default)]
struct Operations(Arc<Mutex<Vec<(String, ChangeOperation)>>>);

#[async_trait]
impl Reaction for Operations {
    async fn react(&self, changes: &[Change], _: &Context) -> Result<(), ReactionError> {
        let operations = changes.iter().map(|change| (change.id().to_owned(), change.operation()));
        self.0.lock().unwrap().extend(operations);
        Ok(())
    }
}

#[tokio::test]
async fn all_versions_and_deletes_are_handled_in_that_mode() {
    let scene = Scene::new(1).await;
    let all = scene.builder("one").mode(ChangeFeedMode::AllVersionsAndDeletes);
    let refused = all.clone().build(scene.seen.clone()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    let operations = Operations::default();
    let all = all.start_at(ProcessorStart::Now).build(operations.clone()).await.unwrap();
    drain(&[&all]).await;
    scene.write("a", "x", 1).await;
    scene.write("a", "x", 2).await;
    let delete = DeleteItem {
        container: scene.monitored.clone(),
        partition_key: PartitionKey::from("x"),
        id: ItemId::new("a").unwrap(),
        options: Default::default(),
    };
    scene.account.engine.delete_item(delete).await.unwrap();
    drain(&[&all]).await;
    use ChangeOperation::{Create, Delete, Replace};
    let expected = [Create, Replace, Delete].map(|operation| ("a".to_owned(), operation));
    assert_eq!(*operations.0.lock().unwrap(), expected);
    // The leases of one mode mean nothing in the other.
    let latest = scene.instance("two").await;
    assert_eq!(latest.run_once().await.unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn leases_of_a_container_that_was_created_anew_are_refused() {
    let scene = Scene::new(1).await;
    drain(&[&scene.instance("one").await]).await;
    scene.account.engine.delete_container(&scene.monitored).await.unwrap();
    scene.account.container(plain("c")).await;
    let processor = scene.instance("one").await;
    assert_eq!(processor.run_once().await.unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn a_lock_left_by_a_crashed_instance_is_waited_for_and_then_removed() {
    let scene = Scene::new(1).await;
    scene.write_many(0..3).await;
    let lock = format!(r#"{{"id":"p.lock","timestamp":{}}}"#, START.0);
    scene.account.create(&scene.leases, &lock).await.unwrap();
    let processor = scene.instance("one").await;
    for _ in 0..3 {
        assert_eq!(processor.run_once().await.unwrap().held, 0);
    }
    scene.account.travel(60);
    assert_eq!(processor.run_once().await.unwrap().held, 0);
    drain(&[&processor]).await;
    assert_eq!(scene.seen.counts(), once_each(0..3));
}
