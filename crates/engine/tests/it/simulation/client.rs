//! A client that remembers what each of its items may hold.
//!
//! After an acknowledged write there is one possibility; a write that failed with "unavailable" adds one. Whatever is
//! read must be possible, and what was read once stays until somebody writes or the power is cut. Two items are only
//! ever written together: they must never differ.

use std::collections::{BTreeMap, BTreeSet};

use engine::operation::{
    BatchOperation, DeleteItem, PatchItem, ReadItem, TransactionalBatch, UpsertItem,
};
use engine::response::{BatchEffect, BatchResult, ReadResult};
use engine::{ContainerLink, Engine, Error, ErrorKind, ItemResource};
use model::{Json, Lsn, PartitionKey};

use super::trace::Trace;
use crate::account::json;
use crate::random::SeededRandom;
use crate::verbs::{id, patch_of};

/// Items written alone.
const SINGLES: u64 = 3;
/// Items written together.
const PAIR: [&str; 2] = ["left", "right"];

type Possible = BTreeSet<Option<i64>>;

/// The possible states of one item; `None` means that it does not exist.
#[derive(Debug)]
struct Known {
    /// What a crash may leave.
    possible: Possible,
    /// What was written or read last, as long as nothing has made it uncertain.
    seen: Option<Option<i64>>,
}

impl Known {
    fn absent() -> Self {
        Self { possible: Possible::from([None]), seen: Some(None) }
    }

    /// What a read may find now.
    fn candidates(&self) -> Possible {
        self.seen.map_or_else(|| self.possible.clone(), |seen| Possible::from([seen]))
    }

    fn written(&mut self, value: Option<i64>) {
        self.possible = Possible::from([value]);
        self.seen = Some(value);
    }

    fn unsure(&mut self, values: Possible) {
        self.possible.extend(values);
        self.seen = None;
    }
}

pub(super) struct Client {
    name: String,
    link: ContainerLink,
    random: SeededRandom,
    trace: Trace,
    counter: i64,
    singles: BTreeMap<String, Known>,
    pair: Possible,
    newest: Lsn,
    pub(super) acknowledged: u64,
}

fn value(item: &ItemResource) -> i64 {
    item.to_json().get("n").and_then(Json::as_i64).unwrap()
}

impl Client {
    pub(super) fn new(
        number: u64,
        link: ContainerLink,
        mut random: SeededRandom,
        trace: Trace,
    ) -> Self {
        let singles = (0..SINGLES).map(|single| (format!("s{single}"), Known::absent())).collect();
        Self {
            name: format!("client{number}"),
            link,
            random: SeededRandom::new(random.number()),
            trace,
            counter: 0,
            singles,
            pair: Possible::from([None]),
            newest: Lsn::ZERO,
            acknowledged: 0,
        }
    }

    /// Works until the power is cut.
    pub(super) async fn run(&mut self, engine: &Engine, is_over: impl Fn() -> bool) {
        while !is_over() {
            self.counter += 1;
            let single = format!("s{}", self.random.below(SINGLES));
            match self.random.below(10) {
                0..3 => self.upsert(engine, &single).await,
                3..5 => self.increment(engine, &single).await,
                5 => self.delete(engine, &single).await,
                6 | 7 => self.read(engine, &single).await,
                _ => self.write_pair(engine).await,
            }
            tokio::task::yield_now().await;
        }
    }

    fn key(&self) -> PartitionKey {
        PartitionKey::from(self.name.as_str())
    }

    fn known(&mut self, single: &str) -> &mut Known {
        self.singles.get_mut(single).unwrap()
    }

    /// An acknowledged write of this partition comes after every earlier one.
    fn acknowledge(&mut self, lsn: Lsn) {
        assert!(lsn > self.newest, "{}: lsn {} after {}", self.name, lsn.0, self.newest.0);
        self.newest = lsn;
        self.acknowledged += 1;
    }

    fn note(&self, what: &str, result: Result<i64, &Error>) {
        match result {
            Ok(number) => self.trace.operation(format_args!("{} {what} {number}", self.name)),
            Err(error) => {
                self.trace.operation(format_args!("{} {what} {:?}", self.name, error.kind()));
            }
        }
    }

    fn item(&self, id: &str) -> Json {
        let (pk, number) = (&self.name, self.counter);
        json(&format!(r#"{{"id":"{id}","pk":"{pk}","n":{number},"m":"{}"}}"#, number % 3))
    }

    async fn upsert(&mut self, engine: &Engine, single: &str) {
        let upsert = UpsertItem {
            container: self.link.clone(),
            partition_key: Some(self.key()),
            item: self.item(single).into(),
            options: Default::default(),
        };
        let new = Some(self.counter);
        let result = engine.upsert_item(upsert).await;
        self.note("upsert", result.as_ref().map(|_| self.counter));
        match result {
            Ok(outcome) => {
                self.acknowledge(outcome.value.item().lsn());
                self.known(single).written(new);
            }
            Err(error) => self.failed(engine, single, &error, Possible::from([new])).await,
        }
    }

    async fn increment(&mut self, engine: &Engine, single: &str) {
        let patch = PatchItem {
            container: self.link.clone(),
            partition_key: self.key(),
            id: id(single),
            patch: patch_of(r#"[{"op":"incr","path":"/n","value":1000000}]"#, None),
            options: Default::default(),
        };
        let result = engine.patch_item(patch).await;
        self.note("increment", result.as_ref().map(|outcome| value(&outcome.value)));
        let increment = |numbers: Possible| -> Possible {
            numbers.into_iter().flatten().map(|number| Some(number + 1_000_000)).collect()
        };
        match result {
            Ok(outcome) => {
                let new = Some(value(&outcome.value));
                let candidates = increment(self.known(single).candidates());
                assert!(candidates.contains(&new), "{single}: {new:?} not in {candidates:?}");
                self.acknowledge(outcome.value.lsn());
                self.known(single).written(new);
            }
            Err(error) => {
                let possible = increment(self.known(single).possible.clone());
                self.failed(engine, single, &error, possible).await;
            }
        }
    }

    async fn delete(&mut self, engine: &Engine, single: &str) {
        let delete = DeleteItem {
            container: self.link.clone(),
            partition_key: self.key(),
            id: id(single),
            options: Default::default(),
        };
        let result = engine.delete_item(delete).await;
        self.note("delete", result.as_ref().map(|_| 0));
        match result {
            Ok(_) => {
                self.acknowledged += 1;
                assert_ne!(self.known(single).candidates(), Possible::from([None]));
                self.known(single).written(None);
            }
            Err(error) => self.failed(engine, single, &error, Possible::from([None])).await,
        }
    }

    /// A write that was not acknowledged may have happened; "not found" must have been possible.
    async fn failed(&mut self, engine: &Engine, single: &str, error: &Error, new: Possible) {
        match error.kind() {
            ErrorKind::NotFound => {
                let candidates = self.known(single).candidates();
                assert!(candidates.contains(&None), "{}/{single} is lost", self.name);
            }
            ErrorKind::Unavailable => {
                self.known(single).unsure(new);
                self.read(engine, single).await;
            }
            _ => panic!("{error}"),
        }
    }

    async fn read(&mut self, engine: &Engine, single: &str) {
        let found = self.look(engine, single).await;
        self.note("read", found.as_ref().map(|found| found.unwrap_or(-1)));
        if let Ok(found) = found {
            let name = self.name.clone();
            let known = self.known(single);
            let candidates = known.candidates();
            assert!(candidates.contains(&found), "{name}/{single}: {found:?}, not {known:?}");
            known.seen = Some(found);
        }
    }

    async fn look(&self, engine: &Engine, name: &str) -> Result<Option<i64>, Error> {
        let read = ReadItem {
            container: self.link.clone(),
            partition_key: self.key(),
            id: id(name),
            options: Default::default(),
        };
        match engine.read_item(read).await {
            Ok(outcome) => Ok(outcome.value.item().as_ref().map(value)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn write_pair(&mut self, engine: &Engine) {
        let operations = PAIR
            .iter()
            .map(|name| BatchOperation::Upsert {
                item: self.item(name).into(),
                options: Default::default(),
            })
            .chain(
                PAIR.iter().map(|name| BatchOperation::Read { id: id(name), precondition: None }),
            )
            .collect();
        let batch = TransactionalBatch {
            container: self.link.clone(),
            partition_key: self.key(),
            operations,
        };
        let new = Some(self.counter);
        let result = engine.transactional_batch(batch).await;
        self.note("pair", result.as_ref().map(|_| self.counter));
        match result.map(|outcome| outcome.value) {
            Ok(BatchResult::Committed(answers)) => {
                for answer in &answers {
                    if let BatchEffect::Read(ReadResult::Found(item)) = &answer.effect {
                        assert_eq!(value(item), self.counter);
                    }
                }
                let (BatchEffect::Created(item) | BatchEffect::Replaced(item)) = &answers[0].effect
                else {
                    panic!("{answers:?}")
                };
                self.acknowledge(item.lsn());
                self.pair = Possible::from([new]);
            }
            Ok(BatchResult::RolledBack { error, .. }) => panic!("{error}"),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
                self.pair.insert(new);
            }
        }
    }

    /// After a crash, on a store that works: everything is possible, nothing is halved, and now it is known.
    pub(super) async fn check(&mut self, engine: &Engine) {
        for single in self.singles.keys().cloned().collect::<Vec<_>>() {
            let found = self.look(engine, &single).await.unwrap();
            let name = &self.name;
            let known = self.singles.get_mut(&single).unwrap();
            assert!(known.possible.contains(&found), "{name}/{single}: {found:?}, not {known:?}");
            known.written(found);
        }
        let left = self.look(engine, PAIR[0]).await.unwrap();
        let right = self.look(engine, PAIR[1]).await.unwrap();
        assert_eq!(left, right, "{}: half a batch", self.name);
        assert!(self.pair.contains(&left), "{}: {left:?} not in {:?}", self.name, self.pair);
        self.pair = Possible::from([left]);
        self.trace.event(format_args!("{} {:?} {left:?}", self.name, self.singles));
    }

    /// How many items there are, once that is known.
    pub(super) fn items(&self) -> usize {
        let singles = self.singles.values().filter(|known| known.seen != Some(None)).count();
        singles + if self.pair.contains(&None) { 0 } else { PAIR.len() }
    }
}
