//! Runs the steps on the engine and on the naive database, and compares them.

use std::collections::BTreeMap;

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart};
use engine::operation::{BatchOperation, WriteOptions};
use engine::response::{BatchEffect, BatchResult, ReadResult};
use engine::{ContainerLink, EngineSettings, ItemResource, Result};
use model::{FeedRange, IndexPath, TimeToLive};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::follower::{Follower, normal, normal_json};
use super::naive::{Answer, Naive, text};
use super::step::{Bound, IDS, PARTITION_KEYS, Step, Write, step};
use crate::account::{Account, container, json, settings_without_maintenance};
use crate::verbs::{id, if_match, patch_of};

const STEPS: usize = 1200;
const CASES_DEFAULT: u32 = 12;

struct Run {
    account: Option<Account>,
    link: ContainerLink,
    naive: Naive,
    newest_feed: Follower,
    versions_feed: Follower,
}

fn expected(answer: Answer) -> Answer {
    answer.map(|text| text.map(|text| normal_json(json(&text))))
}

fn pk_text(pk: usize) -> String {
    format!("p{pk}")
}

fn id_text(id: usize) -> String {
    format!("i{id}")
}

fn increment() -> model::Patch {
    patch_of(r#"[{"op":"incr","path":"/n","value":1}]"#, None)
}

fn set_unique(unique: i64) -> model::Patch {
    patch_of(&format!(r#"[{{"op":"set","path":"/u","value":{unique}}}]"#), None)
}

fn remove_unique() -> model::Patch {
    patch_of(r#"[{"op":"remove","path":"/u"}]"#, None)
}

impl Run {
    /// Every other run prepares all items outside of the writer, as if they were large.
    async fn new(is_large: bool) -> Self {
        let settings = EngineSettings {
            large_item_bytes: if is_large { 0 } else { usize::MAX },
            maintenance_items_max: 3,
            version_retention_seconds: 1_000_000_000,
            ..settings_without_maintenance()
        };
        let account = Account::with_settings(settings).await;
        let properties = container(
            r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
                "uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}}"#,
        );
        let link = account.container(properties).await;
        let all = ChangeFeedMode::AllVersionsAndDeletes;
        let now = account.changes(&link, all, ChangeFeedStart::Now, 10).await.unwrap();
        let follower = Follower::new;
        let latest = ChangeFeedMode::LatestVersion;
        Self {
            account: Some(account),
            link,
            naive: Naive::default(),
            newest_feed: follower(latest, ChangeFeedStart::Beginning),
            versions_feed: follower(all, ChangeFeedStart::Continuation(now.continuation)),
        }
    }

    fn account(&self) -> &Account {
        self.account.as_ref().unwrap()
    }

    async fn step(&mut self, step: &Step) {
        match step {
            Step::Write(pk, id, write) => self.write(*pk, *id, write).await,
            Step::Batch(pk, writes) => self.batch(*pk, writes).await,
            Step::DeletePartition(pk) => {
                let deleted = self.account().delete_partition(&self.link, &pk_text(*pk)).await;
                assert_eq!(deleted.unwrap(), self.naive.delete_partition(*pk));
            }
            Step::List(items_max) => self.list(*items_max).await,
            Step::ReadMany => self.read_many().await,
            Step::Poll => self.poll().await,
            Step::Travel(seconds) => {
                self.account().travel(*seconds);
                self.naive.now += seconds;
            }
            Step::Maintain => {
                self.account().engine.maintain().await.unwrap();
                self.account().verify().await;
            }
            Step::Split(at) => self.restructure(*at, true).await,
            Step::Merge(at) => self.restructure(*at, false).await,
            Step::Reopen => {
                let account = self.account.take().unwrap();
                self.account = Some(account.reopened().await);
                self.account().verify().await;
            }
            Step::DefaultTimeToLive(seconds) => {
                self.bury_expired().await;
                self.naive.default_time_to_live = *seconds;
                let default = match *seconds {
                    0 => TimeToLive::Off,
                    -1 => TimeToLive::NoDefault,
                    seconds => TimeToLive::Seconds(seconds.try_into().unwrap()),
                };
                let alter =
                    |own: &mut model::ContainerProperties| own.default_time_to_live = default;
                self.account().alter(&self.link, alter).await.unwrap();
            }
            Step::ExcludeFromIndex(exclude) => {
                let path = IndexPath::parse("/extra/*").unwrap();
                let alter = |own: &mut model::ContainerProperties| {
                    own.indexing_policy.excluded.retain(|excluded| *excluded != path);
                    own.indexing_policy.excluded.extend(exclude.then(|| path.clone()));
                };
                self.account().alter(&self.link, alter).await.unwrap();
            }
        }
    }

    /// With a longer default an expired item that was not swept becomes visible again. It is overwritten and deleted so
    /// that both databases agree.
    async fn bury_expired(&mut self) {
        self.account().engine.maintain_fully().await.unwrap();
        for (pk, id) in self.naive.sweep() {
            let (pk, id) = (pk_text(pk), id_text(id));
            let text = format!(r#"{{"id":"{id}","pk":"{pk}","n":0,"u":"buried"}}"#);
            self.account().create(&self.link, &text).await.unwrap();
            self.account().delete(&self.link, &pk, &id).await.unwrap();
        }
    }

    fn options(&self, pk: usize, id: usize, bound: Bound) -> WriteOptions {
        match bound {
            Bound::None => WriteOptions::default(),
            Bound::Stale => if_match("\"stale\""),
            Bound::Current => {
                let stored = self.naive.items.get(&(pk, id));
                if_match(stored.map_or("\"none\"", |stored| stored.etag.as_str()))
            }
        }
    }

    async fn write(&mut self, pk: usize, id: usize, write: &Write) {
        let written = self.run_write(pk, id, write).await;
        let etag = written.as_ref().ok().and_then(|item| item.as_ref().map(ItemResource::etag));
        let answer = written.map(|item| item.as_ref().map(normal)).map_err(|error| error.kind());
        assert_eq!(answer, expected(self.naive.write(pk, id, write)));
        if let (Some(etag), Some(stored)) = (etag, self.naive.items.get_mut(&(pk, id))) {
            stored.etag = etag.to_string();
        }
    }

    async fn run_write(&self, pk: usize, id: usize, write: &Write) -> Result<Option<ItemResource>> {
        let (account, link) = (self.account(), &self.link);
        let (key, name) = (pk_text(pk), id_text(id));
        let place = (key.as_str(), name.as_str());
        let none = WriteOptions::default;
        Ok(match write {
            Write::Create(content) => Some(account.create(link, &text(pk, id, content)).await?),
            Write::Upsert(content, bound) => {
                let options = self.options(pk, id, *bound);
                let upserted = account.upsert_with(link, &text(pk, id, content), options).await?;
                Some(upserted.item().clone())
            }
            Write::Replace(content, bound) => {
                let options = self.options(pk, id, *bound);
                Some(account.replace_with(link, &name, &text(pk, id, content), options).await?)
            }
            Write::Increment(bound) => {
                let options = self.options(pk, id, *bound);
                Some(account.patch_with(link, place, increment(), options).await?)
            }
            Write::SetUnique(unique) => {
                Some(account.patch_with(link, place, set_unique(*unique), none()).await?)
            }
            Write::RemoveUnique => {
                Some(account.patch_with(link, place, remove_unique(), none()).await?)
            }
            Write::Delete(bound) => {
                let options = self.options(pk, id, *bound);
                account.delete_with(link, &key, &name, options).await?;
                None
            }
            Write::Read => Some(account.read(link, &key, &name).await?),
        })
    }

    fn operation(&self, pk: usize, place: usize, write: &Write) -> BatchOperation {
        let item = |content| json(&text(pk, place, content));
        let options = |bound: &Bound| self.options(pk, place, *bound);
        let id = id(&id_text(place));
        let none = WriteOptions::default();
        match write {
            Write::Create(content) => {
                BatchOperation::Create { item: item(content).into(), options: none }
            }
            Write::Upsert(content, bound) => {
                BatchOperation::Upsert { item: item(content).into(), options: options(bound) }
            }
            Write::Replace(content, bound) => {
                BatchOperation::Replace { id, item: item(content).into(), options: options(bound) }
            }
            Write::Increment(bound) => {
                BatchOperation::Patch { id, patch: increment(), options: options(bound) }
            }
            Write::SetUnique(unique) => {
                BatchOperation::Patch { id, patch: set_unique(*unique), options: none }
            }
            Write::RemoveUnique => {
                BatchOperation::Patch { id, patch: remove_unique(), options: none }
            }
            Write::Delete(bound) => BatchOperation::Delete { id, options: options(bound) },
            Write::Read => BatchOperation::Read { id, precondition: None },
        }
    }

    async fn batch(&mut self, pk: usize, writes: &[(usize, Write)]) {
        // An etag of before the batch is stale once the batch itself has written the item.
        let mut touched = Vec::new();
        let mut writes = writes.to_vec();
        for (id, write) in &mut writes {
            if let Write::Upsert(_, bound)
            | Write::Replace(_, bound)
            | Write::Increment(bound)
            | Write::Delete(bound) = write
                && *bound == Bound::Current
                && (touched.contains(id) || self.naive.get(pk, *id).is_none())
            {
                *bound = Bound::Stale;
            }
            touched.push(*id);
        }
        let operations = writes.iter().map(|(id, write)| self.operation(pk, *id, write)).collect();
        let outcome = self.account().batch(&self.link, &pk_text(pk), operations).await.unwrap();
        let mut after = self.naive.clone();
        let mut answers = Vec::new();
        let mut failure = None;
        for (index, (id, write)) in writes.iter().enumerate() {
            match expected(after.write(pk, *id, write)) {
                Ok(answer) => answers.push(answer),
                Err(kind) => {
                    failure = Some((index, kind));
                    break;
                }
            }
        }
        let effects = match outcome {
            BatchResult::RolledBack { failed, error, .. } => {
                assert_eq!(Some((failed, error.kind())), failure, "{error}");
                return;
            }
            BatchResult::Committed(effects) => effects,
        };
        assert_eq!(failure, None);
        self.naive = after;
        assert_eq!(effects.len(), answers.len());
        for ((effect, answer), (id, _)) in effects.iter().zip(answers).zip(&writes) {
            let item = match &effect.effect {
                BatchEffect::Created(item) | BatchEffect::Replaced(item) => Some(item),
                BatchEffect::Read(ReadResult::Found(item)) => Some(item),
                _ => None,
            };
            assert_eq!(item.map(normal), answer);
            if let (Some(item), Some(stored)) = (item, self.naive.items.get_mut(&(pk, *id))) {
                stored.etag = item.etag().to_string();
            }
        }
    }

    fn alive(&self) -> BTreeMap<String, String> {
        let name = |(pk, id): (usize, usize)| format!("{}/{}", pk_text(pk), id_text(id));
        let normal = |(pk, id), content| normal_json(json(&text(pk, id, content)));
        self.naive
            .alive()
            .map(|(place, stored)| (name(place), normal(place, &stored.content)))
            .collect()
    }

    async fn list(&self, items_max: usize) {
        let items = self.account().list(&self.link, &FeedRange::Container, items_max).await;
        let found: BTreeMap<_, _> = items
            .iter()
            .map(|item| {
                let json = item.to_json();
                let part = |name| json.get(name).unwrap().as_str().unwrap().to_owned();
                (format!("{}/{}", part("pk"), part("id")), normal(item))
            })
            .collect();
        assert_eq!(found.len(), items.len(), "an item is listed twice");
        assert_eq!(found, self.alive());
    }

    async fn read_many(&self) {
        let places: Vec<_> = (0..PARTITION_KEYS)
            .flat_map(|pk| (0..IDS).map(move |id| (pk_text(pk), id_text(id))))
            .collect();
        let asked: Vec<_> = places.iter().map(|(pk, id)| (pk.as_str(), id.as_str())).collect();
        let found = self.account().read_many(&self.link, &asked).await;
        let found: Vec<_> = found.iter().map(normal).collect();
        assert_eq!(found, self.alive().into_values().collect::<Vec<_>>());
    }

    async fn restructure(&self, at: usize, is_split: bool) {
        let account = self.account();
        let listed = account.engine.list_partitions(&self.link).await.unwrap().value.partitions;
        if is_split && listed.len() < 4 {
            account.split(&self.link, listed[at % listed.len()].number).await.unwrap();
        } else if listed.len() > 1 {
            let left = at % (listed.len() - 1);
            let pair = (listed[left].number, listed[left + 1].number);
            account.merge(&self.link, pair.0, pair.1).await.unwrap();
        }
        account.verify().await;
    }

    async fn poll(&mut self) {
        let account = self.account.as_ref().unwrap();
        for follower in [&mut self.newest_feed, &mut self.versions_feed] {
            follower.poll(account, &self.link, 3).await;
        }
    }

    /// At the end all expired items are deleted, and every follower of a feed has the same items as the engine.
    async fn finish(&mut self) {
        self.account().engine.maintain_fully().await.unwrap();
        self.account().verify().await;
        for items_max in [1, 100] {
            self.list(items_max).await;
        }
        self.read_many().await;
        let account = self.account.as_ref().unwrap();
        for follower in [&mut self.newest_feed, &mut self.versions_feed] {
            while follower.poll(account, &self.link, 4).await {}
        }
        // After a merge a sweep may have to wait for younger items, so the expired ones are not in the feed yet.
        let expired = self.naive.clone().sweep();
        let alive = self.alive();
        for (pk, id) in &expired {
            self.versions_feed.believed.remove(&format!("{}/{}", pk_text(*pk), id_text(*id)));
        }
        assert_eq!(self.versions_feed.believed, alive, "the feed of all versions");
        for (name, text) in &alive {
            assert_eq!(self.newest_feed.believed.get(name), Some(text), "the feed: {name}");
        }
        let usage = self.account().resource(&self.link).await.usage;
        let stored = alive.len() as u64..=(alive.len() + expired.len()) as u64;
        assert!(stored.contains(&usage.items), "{usage:?}");
    }
}

fn run(steps: &[Step]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut run = Run::new(steps.len().is_multiple_of(2)).await;
        for step in steps {
            run.step(step).await;
        }
        run.finish().await;
    });
}

#[test]
fn the_engine_answers_as_a_naive_database_does() {
    let cases = std::env::var("MODEL_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config {
        cases: cases.unwrap_or(CASES_DEFAULT),
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let steps = proptest::collection::vec(step(), 1..STEPS);
    let result = runner.run(&steps, |steps| {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&steps)));
        outcome.map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            TestCaseError::fail(text)
        })
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
