//! A wrapper that makes any store fail and dawdle, repeatably.
//!
//! Owns when a fault happens: every choice comes from one seeded generator, and delays are counted in turns given
//! back to the executor, never in time. Does not own what survives a crash: that is [`crate::simulated_disk`].

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use async_trait::async_trait;

use crate::random::Dice;
use crate::{
    Error, ErrorKind, Read, Result, Scan, ScanPage, Shard, ShardStatistics, Space, Stamp,
    StorageKey, StorageValue, Store, WriteSet,
};

/// How often which fault happens, in parts per million of the calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// A commit fails before anything is written.
    pub commit_fails_ppm: u32,
    /// A commit is applied, and then reported as failed.
    pub acknowledgement_lost_ppm: u32,
    /// A read fails.
    pub read_fails_ppm: u32,
    /// A call is delayed.
    pub delay_ppm: u32,
    /// A delayed call gives back its turn at most this many times, and at least once.
    pub delay_turns_max: u32,
}

/// A store with faults.
#[derive(Debug)]
pub struct FaultyStore<S: ?Sized> {
    inner: Arc<S>,
    faults: Arc<Faults>,
}

#[derive(Debug)]
struct Faults {
    plan: FaultPlan,
    dice: Dice,
    healed: AtomicBool,
}

struct FaultySnapshot {
    inner: Arc<dyn Read>,
    faults: Arc<Faults>,
}

impl<S: Store + ?Sized> FaultyStore<S> {
    /// Wraps a store; the same seed and the same order of calls give the same faults.
    #[must_use]
    pub fn new(inner: Arc<S>, seed: u64, plan: FaultPlan) -> Self {
        let faults = Faults { plan, dice: Dice::new(seed), healed: AtomicBool::new(false) };
        Self { inner, faults: Arc::new(faults) }
    }

    /// The store underneath, which does not fail.
    #[must_use]
    pub fn inner(&self) -> &Arc<S> {
        &self.inner
    }

    /// Ends all faults and delays, for the part of a test that looks at the result.
    pub fn heal(&self) {
        self.faults.healed.store(true, Ordering::SeqCst);
    }
}

impl Faults {
    fn happens(&self, parts_per_million: u32) -> bool {
        !self.healed.load(Ordering::SeqCst) && self.dice.happens(parts_per_million)
    }

    async fn delay(&self) {
        if self.happens(self.plan.delay_ppm) {
            let further = u64::from(self.plan.delay_turns_max.saturating_sub(1));
            for _ in 0..=self.dice.up_to(further) {
                give_back_turn().await;
            }
        }
    }

    async fn before_read(&self) -> Result<()> {
        self.delay().await;
        if self.happens(self.plan.read_fails_ppm) {
            return Err(injected("a read failed"));
        }
        Ok(())
    }
}

/// Lets the executor run something else once.
pub(crate) async fn give_back_turn() {
    let mut given = false;
    poll_fn(|context| {
        if given {
            return Poll::Ready(());
        }
        given = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn injected(what: &str) -> Error {
    Error::new(ErrorKind::Device, format!("{what} because the fault plan said so"))
}

#[async_trait]
impl<S: Store + ?Sized> Read for FaultyStore<S> {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.faults.before_read().await?;
        self.inner.get(shard, space, key).await
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.faults.before_read().await?;
        self.inner.get_many(shard, space, keys).await
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.faults.before_read().await?;
        self.inner.scan(shard, space, scan).await
    }
}

#[async_trait]
impl<S: Store + ?Sized> Store for FaultyStore<S> {
    async fn snapshot(&self) -> Result<Arc<dyn Read>> {
        self.faults.before_read().await?;
        let inner = self.inner.snapshot().await?;
        Ok(Arc::new(FaultySnapshot { inner, faults: Arc::clone(&self.faults) }))
    }

    async fn commit(&self, shard: Shard, group: Vec<WriteSet>) -> Result<Vec<Stamp>> {
        self.faults.delay().await;
        if self.faults.happens(self.faults.plan.commit_fails_ppm) {
            return Err(injected("a commit failed and nothing was written"));
        }
        let stamps = self.inner.commit(shard, group).await?;
        // A second delay, so that the writes are visible for a while before their author knows.
        self.faults.delay().await;
        if self.faults.happens(self.faults.plan.acknowledgement_lost_ppm) {
            return Err(injected("a commit was written and its acknowledgement was lost"));
        }
        Ok(stamps)
    }

    async fn last_stamp(&self, shard: Shard) -> Result<Stamp> {
        self.faults.before_read().await?;
        self.inner.last_stamp(shard).await
    }

    async fn wait(&self, shard: Shard, after: Stamp) -> Result<Stamp> {
        self.faults.before_read().await?;
        self.inner.wait(shard, after).await
    }

    async fn statistics(&self, shard: Shard) -> Result<ShardStatistics> {
        self.faults.before_read().await?;
        self.inner.statistics(shard).await
    }

    async fn sync(&self) -> Result<()> {
        self.faults.delay().await;
        self.inner.sync().await
    }

    async fn close(&self) -> Result<()> {
        self.inner.close().await
    }
}

#[async_trait]
impl Read for FaultySnapshot {
    async fn get(&self, shard: Shard, space: Space, key: &[u8]) -> Result<Option<StorageValue>> {
        self.faults.before_read().await?;
        self.inner.get(shard, space, key).await
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> Result<Vec<Option<StorageValue>>> {
        self.faults.before_read().await?;
        self.inner.get_many(shard, space, keys).await
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> Result<ScanPage> {
        self.faults.before_read().await?;
        self.inner.scan(shard, space, scan).await
    }
}
