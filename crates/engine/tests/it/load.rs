//! Splits and merges while many write and read at once, on several threads.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart};
use engine::operation::WriteOptions;
use engine::{ContainerLink, ItemResource};
use model::{FeedRange, Lsn, SessionToken};

use crate::account::{Account, plain};
use crate::verbs::{ids, read_of};

const WRITERS: u64 = 6;
const ITEMS_PER_WRITER: u64 = 5;
const ROUNDS: usize = 12;
/// Writes and reads between two rounds.
const STEPS_PER_ROUND: u64 = 200;

struct Load {
    account: Account,
    link: ContainerLink,
    done: AtomicBool,
    /// No writer is left.
    written: AtomicBool,
    /// Writes and reads so far.
    steps: AtomicU64,
}

fn number(item: &ItemResource) -> i64 {
    item.to_json().get("n").unwrap().as_i64().unwrap()
}

impl Load {
    fn new(account: Account, link: ContainerLink) -> Self {
        Self {
            account,
            link,
            done: AtomicBool::new(false),
            written: AtomicBool::new(false),
            steps: AtomicU64::new(0),
        }
    }

    fn is_done(&self) -> bool {
        self.done.load(Ordering::SeqCst)
    }

    /// Counts its own items up; every answer must be a success, and no lsn may go back.
    async fn write(&self, writer: u64) -> BTreeMap<String, i64> {
        let pk = format!("w{writer}");
        let mut acknowledged = BTreeMap::new();
        let mut newest = Lsn::ZERO;
        for step in 0.. {
            if self.is_done() {
                break;
            }
            let id = format!("{pk}-{}", step % ITEMS_PER_WRITER);
            let text = format!(r#"{{"id":"{id}","pk":"{pk}","n":{step},"s":"s{}"}}"#, step % 3);
            let written = if step < ITEMS_PER_WRITER {
                let create =
                    self.account.create_with(&self.link, None, &text, WriteOptions::default());
                create.await.unwrap().value
            } else if step % 7 == 0 {
                self.account.delete(&self.link, &pk, &id).await.unwrap();
                self.account.create(&self.link, &text).await.unwrap()
            } else {
                self.account.replace(&self.link, &id, &text).await.unwrap()
            };
            assert!(written.lsn() > newest, "the lsn of {id} went back");
            newest = written.lsn();
            acknowledged.insert(id, i64::try_from(step).unwrap());
            self.steps.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
        acknowledged
    }

    /// Reads one writer's items; a session never sees less than before.
    async fn read(&self, writer: u64) -> usize {
        let pk = format!("w{writer}");
        let (mut token, mut seen, mut reads) = (SessionToken::default(), -1, 0);
        while !self.is_done() {
            let mut read = read_of(&self.link, &pk, &format!("{pk}-1"));
            read.options.session_token = Some(token.clone());
            match self.account.engine.read_item(read).await {
                Ok(outcome) => {
                    token = token.merge(&outcome.session_token.unwrap());
                    let found = number(&outcome.value.item().unwrap());
                    assert!(found >= seen, "{found} after {seen}");
                    seen = found;
                    reads += 1;
                    self.steps.fetch_add(1, Ordering::SeqCst);
                }
                Err(error) => assert_eq!(error.kind(), engine::ErrorKind::NotFound, "{error}"),
            }
            tokio::task::yield_now().await;
        }
        reads
    }

    /// Items nobody changes are in every listing exactly once.
    async fn list(&self, still: usize) -> usize {
        let mut listings = 0;
        while !self.is_done() {
            let items = self.account.list(&self.link, &FeedRange::Container, 5).await;
            let mut found = ids(&items);
            found.retain(|id| id.starts_with("still"));
            assert_eq!(found.len(), still, "an item is missing or doubled");
            found.sort();
            found.dedup();
            assert_eq!(found.len(), still, "an item is doubled");
            listings += 1;
            // A store in memory never waits: without this the task would keep its thread for itself.
            tokio::task::yield_now().await;
        }
        listings
    }

    /// Follows the feed; per logical partition the changes come in order.
    async fn follow(&self) -> BTreeMap<String, i64> {
        let mode = ChangeFeedMode::LatestVersion;
        let mut start = ChangeFeedStart::Beginning;
        let mut newest: BTreeMap<String, i64> = BTreeMap::new();
        let mut last = false;
        loop {
            let page = self.account.changes(&self.link, mode, start, 3).await.unwrap();
            for change in &page.changes {
                let found = number(&change.current().unwrap());
                let before = newest.insert(change.id().to_owned(), found);
                assert!(before.is_none_or(|before| before <= found), "{} went back", change.id());
            }
            start = ChangeFeedStart::Continuation(page.continuation);
            if last && page.changes.is_empty() && !page.more {
                return newest;
            }
            last = self.written.load(Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    }

    async fn restructure(&self) {
        for round in 0..ROUNDS {
            let until = self.steps.load(Ordering::SeqCst) + STEPS_PER_ROUND;
            while self.steps.load(Ordering::SeqCst) < until {
                tokio::task::yield_now().await;
            }
            let listed = self.account.engine.list_partitions(&self.link).await.unwrap().value;
            let numbers: Vec<_> = listed.partitions.iter().map(|each| each.number).collect();
            if numbers.len() > 2 && round % 2 == 1 {
                self.account.merge(&self.link, numbers[0], numbers[1]).await.unwrap();
            } else {
                self.account.split(&self.link, numbers[round % numbers.len()]).await.unwrap();
            }
            self.account.engine.maintain().await.unwrap();
        }
        self.done.store(true, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_lost_or_doubled_while_partitions_split_and_merge() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let still = 40;
    for number in 0..still {
        let text = format!(r#"{{"id":"still{number}","pk":"s{number}","n":0}}"#);
        account.create(&link, &text).await.unwrap();
    }
    let load = Arc::new(Load::new(account, link));
    let spawn = |writer| {
        let load = Arc::clone(&load);
        tokio::spawn(async move { load.write(writer).await })
    };
    let writers: Vec<_> = (0..WRITERS).map(spawn).collect();
    let readers: Vec<_> = (0..2)
        .map(|writer| {
            let load = Arc::clone(&load);
            tokio::spawn(async move { load.read(writer).await })
        })
        .collect();
    let lister = tokio::spawn({
        let load = Arc::clone(&load);
        async move { load.list(still).await }
    });
    let follower = tokio::spawn({
        let load = Arc::clone(&load);
        async move { load.follow().await }
    });
    load.restructure().await;
    let mut expected = BTreeMap::new();
    for writer in writers {
        expected.extend(writer.await.unwrap());
    }
    load.written.store(true, Ordering::SeqCst);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
    assert!(lister.await.unwrap() > 0);
    let mut followed = follower.await.unwrap();
    followed.retain(|id, _| !id.starts_with("still"));
    assert_eq!(followed, expected, "the feed has missed a change");
    for (id, n) in &expected {
        let pk = id.split('-').next().unwrap();
        assert_eq!(number(&load.account.read(&load.link, pk, id).await.unwrap()), *n, "{id}");
    }
    let items = load.account.resource(&load.link).await.usage.items;
    assert_eq!(items, (expected.len() + still) as u64);
    load.account.engine.maintain_fully().await.unwrap();
    load.account.verify().await;
}
