//! One writer: what it commits, and what must be found of it after a power cut.
//!
//! Every commit writes the same to all spaces: a key of its own, the writer's head, and, once the writer has enough
//! keys, the removal of its oldest one. So half a commit shows as a difference between two spaces.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use storage::contract::SPACES;
use storage::{KeyRange, Read, Scan, ScanLimit, Shard, Space, Store, WriteSet};
use storage_lsm::LsmStore;

use super::disk::Disk;

const KEYS_MAX: usize = 24;
/// Commits between two syncs when the store does not sync each of them.
const COMMITS_PER_SYNC: usize = 6;
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// A store that has not resumed writing after so many attempts hangs: it tries again after a quarter of a second.
const RETRIES_MAX: usize = 3000;

/// What a writer knows of its keys. Each is named by the number of the commit that wrote it.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    pub(super) number: u32,
    next: u64,
    /// Acknowledged and durable: they must be found.
    kept: BTreeSet<u64>,
    /// Acknowledged and not synced, in order, each with the key it removes. What is lost of them is the end.
    unsynced: Vec<(u64, Option<u64>)>,
    /// Asked for and not acknowledged, or to be removed by such a commit: they may be found.
    unsure: BTreeSet<u64>,
}

/// What a round has done.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) acknowledged: u64,
    pub(super) failed: u64,
    pub(super) resumed: u64,
}

impl Writer {
    pub(super) fn new(number: u32) -> Self {
        Self { number, ..Self::default() }
    }

    fn shard(&self) -> Shard {
        Shard(self.number % 2)
    }

    fn head(&self) -> Vec<u8> {
        self.number.to_be_bytes().to_vec()
    }

    fn key(&self, commit: u64) -> Vec<u8> {
        [self.number.to_be_bytes().as_slice(), &commit.to_be_bytes()].concat()
    }

    /// Commits until the power is cut. After a failed sync the store opens its tree again by itself, and the writer
    /// repeats until that has happened.
    pub(super) async fn write(
        &mut self,
        store: &LsmStore,
        disk: &Mutex<Disk>,
        syncs_each: bool,
    ) -> Result<Figures, String> {
        let mut figures = Figures::default();
        let mut retries = 0;
        while !disk.lock().unwrap().is_cut() {
            match self.commit(store, syncs_each).await {
                Ok(()) => {
                    figures.acknowledged += 1;
                    if std::mem::take(&mut retries) > 0 {
                        figures.resumed += 1;
                        self.settle(store).await;
                    }
                }
                Err(error) => {
                    figures.failed += 1;
                    retries += 1;
                    if retries > RETRIES_MAX {
                        return Err(format!("writing does not resume: {error}"));
                    }
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            }
        }
        self.unsure.extend(self.unsynced.iter().filter_map(|(_, removed)| *removed));
        Ok(figures)
    }

    async fn commit(&mut self, store: &LsmStore, syncs_each: bool) -> storage::Result<()> {
        self.next += 1;
        let commit = self.next;
        let full = self.kept.len() + self.unsynced.len() >= KEYS_MAX;
        // Not known as kept from here on: if this fails, nobody knows.
        let removed = if full { self.kept.pop_first() } else { None };
        let mut set = WriteSet::new();
        for space in SPACES {
            set.put(*space, self.head(), value(commit));
            set.put(*space, self.key(commit), value(commit));
            if let Some(removed) = removed {
                set.remove(*space, self.key(removed));
            }
        }
        let mut done = store.commit(self.shard(), vec![set]).await.map(|_| ());
        if done.is_ok() {
            self.unsynced.push((commit, removed));
            if !syncs_each && self.unsynced.len() < COMMITS_PER_SYNC {
                return Ok(());
            }
            if !syncs_each {
                done = store.sync().await;
            }
        } else {
            self.unsure.extend([Some(commit), removed].into_iter().flatten());
        }
        let unsynced = std::mem::take(&mut self.unsynced);
        match done {
            Ok(()) => self.kept.extend(unsynced.iter().map(|(commit, _)| *commit)),
            Err(_) => {
                let both = |(commit, removed)| [Some(commit), removed];
                self.unsure.extend(unsynced.into_iter().flat_map(both).flatten());
            }
        }
        done
    }

    /// The store writes again: what it shows of the failed commits is what it must show from now on.
    async fn settle(&mut self, store: &LsmStore) {
        for commit in std::mem::take(&mut self.unsure) {
            match store.get(self.shard(), SPACES[0], &self.key(commit)).await {
                Ok(Some(_)) => drop(self.kept.insert(commit)),
                Ok(None) => {}
                Err(_) => drop(self.unsure.insert(commit)),
            }
        }
    }

    /// Compares what is left, and takes it as the state to go on from.
    pub(super) async fn check(&mut self, store: &LsmStore) -> Result<(), String> {
        let found = self.list(store, SPACES[0]).await?;
        for space in &SPACES[1..] {
            let other = self.list(store, *space).await?;
            if other != found {
                return Err(format!("half a commit: {found:?} in one space, {other:?} in another"));
            }
        }
        let (head, commits) = found;
        if commits.last().copied().unwrap_or_default() != head {
            return Err(format!("the head is {head} of {commits:?}"));
        }
        if let Some(lost) = self.kept.difference(&commits).next() {
            return Err(format!("commit {lost} is lost: {commits:?} of {self:?}"));
        }
        let unsynced: BTreeMap<_, _> = self.unsynced.iter().copied().collect();
        if let Some(foreign) = commits.iter().find(|commit| {
            !self.kept.contains(commit)
                && !self.unsure.contains(commit)
                && !unsynced.contains_key(commit)
        }) {
            return Err(format!("commit {foreign} must not be there: {commits:?} of {self:?}"));
        }
        let survived = unsynced.keys().map(|commit| commits.contains(commit));
        if !survived.is_sorted_by(|earlier, later| earlier >= later) {
            return Err(format!(
                "a commit is lost that a later one follows: {commits:?} of {self:?}"
            ));
        }
        *self = Self { number: self.number, next: self.next, kept: commits, ..Self::default() };
        Ok(())
    }

    /// The head and all commits in a space; each value must be whole.
    async fn list(&self, store: &LsmStore, space: Space) -> Result<(u64, BTreeSet<u64>), String> {
        let range = KeyRange::prefix(&self.head());
        let scan = Scan::forward(range, ScanLimit::entries(10_000));
        let page = store.scan(self.shard(), space, &scan).await;
        let page = page.map_err(|error| error.full_message())?;
        let (mut head, mut commits) = (0, BTreeSet::new());
        for entry in page.entries {
            let commit = u64::from_be_bytes(entry.value[..8].try_into().unwrap());
            if entry.value != value(commit) {
                return Err(format!("the value of commit {commit} is not whole"));
            }
            if *entry.key == *self.head() {
                head = commit;
            } else if *entry.key == *self.key(commit) {
                commits.insert(commit);
            } else {
                return Err(format!("commit {commit} is found under the key {:?}", entry.key));
            }
        }
        Ok((head, commits))
    }
}

fn value(commit: u64) -> Vec<u8> {
    let mut bytes = commit.to_be_bytes().to_vec();
    let filler = fastrand::Rng::with_seed(commit).u8(1..);
    bytes.resize(8 + usize::try_from(commit % 7 * 311).unwrap(), filler);
    bytes
}
