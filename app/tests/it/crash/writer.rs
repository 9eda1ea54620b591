//! The process that is killed: sixteen writers, splits, merges, changes of policy and throughput. Writes and policies
//! are logged before and after.
//!
//! It is this test binary again, started by `rounds` with the folder in the environment.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::operation::{
    BatchOperation, CreateItem, DeleteItem, MergePartitions, ReplaceContainer, ReplaceItem,
    SplitPartition, ThroughputOwner, TransactionalBatch, UpsertItem,
};
use engine::response::BatchResult;
use engine::{Engine, EngineSettings, Environment, ErrorKind, Randomness, SeededRandomness};
use model::{ItemId, Throughput};
use storage_lsm::Durability;

use super::effect::{EXPIRING_SLOT, Effect, Kind, POLICIES, Place, SLOTS};
use crate::account::{all_items, create_container, create_database, small_store};

pub(crate) const FOLDER: &str = "CRASH_FOLDER";
pub(crate) const SEED: &str = "CRASH_CHILD_SEED";
/// First serial number of the round.
pub(crate) const SERIAL: &str = "CRASH_CHILD_SERIAL";
/// Set in rounds in which writers pause, so that splits and merges catch up with them and are carried out.
pub(crate) const CALM: &str = "CRASH_CHILD_CALM";
/// Set in rounds in which nobody waits for the disk; that a process is killed must make no difference.
pub(crate) const RELAXED: &str = "CRASH_CHILD_RELAXED";
/// The writer number under which partitions and policies are changed.
pub(crate) const RESTRUCTURER: u32 = 1000;

const WRITERS: u32 = 16;
const PARTITIONS_MAX: usize = 6;

/// Does nothing in an ordinary run.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let number = |name| std::env::var(name).unwrap().parse().unwrap();
    let (seed, serial) = (number(SEED), number(SERIAL));
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(write_for_ever(PathBuf::from(folder), seed, serial));
}

async fn write_for_ever(folder: PathBuf, seed: u64, serial: u64) {
    // The test harness has begun a line of its own.
    say("");
    let settings = EngineSettings {
        maintenance_every_ms: 15,
        maintenance_items_max: 64,
        version_retention_seconds: 1,
        ..EngineSettings::default()
    };
    let durability = match std::env::var_os(RELAXED) {
        Some(_) => Durability::Relaxed { sync_every_ms: 50 },
        None => Durability::Synced,
    };
    let store = small_store(&folder, durability).unwrap();
    let engine = Engine::open(store, Environment::system(), settings).await.unwrap();
    let serials = Arc::new(AtomicU64::new(serial));
    let mut slots: HashMap<u32, HashMap<Place, u64>> = HashMap::new();
    for kind in Kind::ALL {
        create_database(&engine, &kind.link()).await;
        if engine.read_container(&kind.link()).await.is_err() {
            create_container(&engine, &kind.link(), kind.properties(0)).await;
        }
        for item in all_items(&engine, &kind.link()).await {
            let json = item.to_json();
            let place = Place::of_item(kind, &json).unwrap();
            let serial = json.get("serial").and_then(|serial| serial.as_i64()).unwrap();
            slots.entry(place.writer).or_default().insert(place, serial.unsigned_abs());
        }
    }
    say("open");
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..WRITERS {
        let mut writer = Writer {
            engine: engine.clone(),
            number,
            slots: slots.remove(&number).unwrap_or_default(),
            randomness: SeededRandomness::new(seed ^ u64::from(number + 1).wrapping_mul(0xABCD)),
            serials: Arc::clone(&serials),
        };
        let pauses = std::env::var_os(CALM).is_some();
        tasks.spawn(async move {
            loop {
                writer.step().await;
                if pauses {
                    tokio::time::sleep(Duration::from_millis(writer.below(150).into())).await;
                }
            }
        });
    }
    let randomness = SeededRandomness::new(seed);
    tasks.spawn(async move { restructure_for_ever(&engine, &randomness, &serials).await });
    while let Some(ended) = tasks.join_next().await {
        say(&format!("violation a task ended: {ended:?}"));
    }
}

struct Writer {
    engine: Engine,
    number: u32,
    /// Serial number of the item in each slot that has one.
    slots: HashMap<Place, u64>,
    randomness: SeededRandomness,
    serials: Arc<AtomicU64>,
}

impl Writer {
    async fn step(&mut self) {
        let kind = if self.below(2) == 0 { Kind::Plain } else { Kind::Rich };
        let place = Place { kind, writer: self.number, slot: self.below(SLOTS) };
        match self.below(10) {
            0 if kind == Kind::Rich => self.try_taken_unique_key().await,
            0..=3 => self.batch(place).await,
            _ if place.expires() => self.upsert(place).await,
            4..=5 if self.slots.contains_key(&place) => self.delete(place).await,
            _ if self.slots.contains_key(&place) => self.replace(place).await,
            _ => self.create(place).await,
        }
    }

    async fn create(&mut self, place: Place) {
        let (serial, effects) = self.begin(vec![Effect::Put(place)]);
        let create = CreateItem {
            container: place.kind.link(),
            partition_key: None,
            item: place.item(serial).into(),
            options: Default::default(),
        };
        let created = self.engine.create_item(create).await;
        self.end(serial, &effects, created);
    }

    async fn upsert(&mut self, place: Place) {
        let (serial, effects) = self.begin(vec![Effect::Put(place)]);
        let upsert = UpsertItem {
            container: place.kind.link(),
            partition_key: Some(place.partition_key()),
            item: place.item(serial).into(),
            options: Default::default(),
        };
        let upserted = self.engine.upsert_item(upsert).await;
        self.end(serial, &effects, upserted);
    }

    async fn replace(&mut self, place: Place) {
        let (serial, effects) = self.begin(vec![Effect::Put(place)]);
        let replace = ReplaceItem {
            container: place.kind.link(),
            partition_key: Some(place.partition_key()),
            id: ItemId::new(place.id()).unwrap(),
            item: place.item(serial).into(),
            options: Default::default(),
        };
        let replaced = self.engine.replace_item(replace).await;
        self.end(serial, &effects, replaced);
    }

    async fn delete(&mut self, place: Place) {
        let (serial, effects) = self.begin(vec![Effect::Delete(place)]);
        let delete = DeleteItem {
            container: place.kind.link(),
            partition_key: place.partition_key(),
            id: ItemId::new(place.id()).unwrap(),
            options: Default::default(),
        };
        let deleted = self.engine.delete_item(delete).await;
        self.end(serial, &effects, deleted);
    }

    /// Three or four slots of one logical partition, all with the same serial number.
    async fn batch(&mut self, place: Place) {
        let slots = (0..SLOTS).filter(|slot| slot % 4 == place.slot % 4 && *slot != EXPIRING_SLOT);
        let places = slots.map(|slot| Place { slot, ..place });
        let effects = places.map(|place| match self.slots.contains_key(&place) {
            true if self.randomness.next().is_multiple_of(3) => Effect::Delete(place),
            _ => Effect::Put(place),
        });
        let (serial, effects) = self.begin(effects.collect());
        let operations = effects.iter().map(|effect| self.batch_operation(*effect, serial));
        let batch = TransactionalBatch {
            container: place.kind.link(),
            partition_key: place.partition_key(),
            operations: operations.collect(),
        };
        match self.engine.transactional_batch(batch).await.map(|outcome| outcome.value) {
            Ok(BatchResult::RolledBack { failed, error, .. }) => {
                say(&format!("violation batch {serial} rolled back at {failed}: {error}"));
            }
            committed => self.end(serial, &effects, committed),
        }
    }

    fn batch_operation(&self, effect: Effect, serial: u64) -> BatchOperation {
        let options = Default::default();
        match effect {
            Effect::Put(place) if self.slots.contains_key(&place) => BatchOperation::Replace {
                id: ItemId::new(place.id()).unwrap(),
                item: place.item(serial).into(),
                options,
            },
            Effect::Put(place) => {
                BatchOperation::Create { item: place.item(serial).into(), options }
            }
            Effect::Delete(place) => {
                BatchOperation::Delete { id: ItemId::new(place.id()).unwrap(), options }
            }
            Effect::Policy(..) => unreachable!("a batch changes no policy"),
        }
    }

    /// A second item with the unique key of one that is there must be refused.
    async fn try_taken_unique_key(&mut self) {
        let taken =
            self.slots.iter().find(|(place, _)| place.kind == Kind::Rich && !place.expires());
        let Some((place, serial)) = taken else { return };
        let mut item = place.item(*serial);
        if let model::Json::Object(object) = &mut item {
            object.insert("id", "second");
        }
        let create = CreateItem {
            container: place.kind.link(),
            partition_key: None,
            item: item.into(),
            options: Default::default(),
        };
        match self.engine.create_item(create).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            other => say(&format!("violation unique key of {place:?} is not kept: {other:?}")),
        }
    }

    fn begin(&self, effects: Vec<Effect>) -> (u64, Vec<Effect>) {
        let serial = begin(&self.serials, self.number, &effects);
        (serial, effects)
    }

    fn end<T>(&mut self, serial: u64, effects: &[Effect], result: engine::Result<T>) {
        match result {
            Ok(_) => {
                say(&format!("done {} {serial}", self.number));
                for effect in effects {
                    match effect {
                        Effect::Put(place) => self.slots.insert(*place, serial),
                        Effect::Delete(place) => self.slots.remove(place),
                        Effect::Policy(..) => None,
                    };
                }
            }
            Err(error) => {
                say(&format!("violation {effects:?} {serial} failed: {:?} {error}", error.kind()));
            }
        }
    }

    fn below(&self, bound: u32) -> u32 {
        u32::try_from(self.randomness.next() % u64::from(bound)).unwrap()
    }
}

async fn restructure_for_ever(engine: &Engine, randomness: &SeededRandomness, serials: &AtomicU64) {
    loop {
        tokio::time::sleep(Duration::from_millis(5 + randomness.next() % 30)).await;
        let kind = Kind::ALL[usize::try_from(randomness.next() % 2).unwrap()];
        match randomness.next() % 6 {
            0 | 1 => replace_policy(engine, kind, randomness, serials).await,
            2 => replace_throughput(engine, kind, randomness).await,
            _ => restructure(engine, kind, randomness).await,
        }
    }
}

async fn replace_policy(
    engine: &Engine,
    kind: Kind,
    randomness: &SeededRandomness,
    serials: &AtomicU64,
) {
    let number = u32::try_from(randomness.next() % u64::from(POLICIES)).unwrap();
    let serial = begin(serials, RESTRUCTURER, &[Effect::Policy(kind, number)]);
    let properties = kind.properties(number);
    let replace = ReplaceContainer { link: kind.link(), properties, precondition: None };
    match engine.replace_container(replace).await {
        Ok(_) => say(&format!("done {RESTRUCTURER} {serial}")),
        Err(error) => say(&format!("violation policy: {:?} {error}", error.kind())),
    }
}

/// More throughput is split for in the background, and the process may be killed in the middle of it.
async fn replace_throughput(engine: &Engine, kind: Kind, randomness: &SeededRandomness) {
    let wanted = [400, 11_000, 25_000][usize::try_from(randomness.next() % 3).unwrap()];
    let owner = ThroughputOwner::Container(kind.link());
    match engine.replace_throughput(&owner, Throughput::Manual(wanted)).await {
        Ok(_) => {}
        Err(error) => say(&format!("violation throughput: {:?} {error}", error.kind())),
    }
}

async fn restructure(engine: &Engine, kind: Kind, randomness: &SeededRandomness) {
    let partitions = engine.list_partitions(&kind.link()).await.unwrap().value.partitions;
    let picked = usize::try_from(randomness.next()).unwrap() % partitions.len();
    let is_split = partitions.len() < 2
        || (partitions.len() < PARTITIONS_MAX && randomness.next().is_multiple_of(2));
    let result = if is_split {
        let split = SplitPartition {
            container: kind.link(),
            partition: partitions[picked].number,
            at: None,
        };
        engine.split_partition(split).await.map(|_| ())
    } else {
        let left = picked.min(partitions.len() - 2);
        let numbers = (partitions[left].number, partitions[left + 1].number);
        let merge = MergePartitions { container: kind.link(), partitions: numbers };
        engine.merge_partitions(merge).await.map(|_| ())
    };
    match result {
        Ok(()) => say("restructured"),
        // The background was faster, or the throughput needs what was to be merged.
        Err(error) if error.kind() == ErrorKind::PartitionGone => {}
        Err(error) if !is_split && error.kind() == ErrorKind::Invalid => {}
        Err(error) => say(&format!("violation split {is_split}: {:?} {error}", error.kind())),
    }
}

/// Announces a write; what was not announced never happened.
fn begin(serials: &AtomicU64, writer: u32, effects: &[Effect]) -> u64 {
    let serial = serials.fetch_add(1, Ordering::Relaxed);
    let words: Vec<String> = effects.iter().map(ToString::to_string).collect();
    say(&format!("begin {writer} {serial} {}", words.join(" ")));
    serial
}

/// One line, through the pipe before anything else happens.
fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}").and_then(|()| stdout.flush()).unwrap();
}
