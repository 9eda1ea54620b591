//! A store wrapper that injects faults and delays, repeatably.
//!
//! Owns when a fault happens. Every choice comes from one seeded generator, and a delay is a number of yields to the
//! executor, never a time, so a run replays exactly from its seed. Does not own what survives a crash: see
//! [`crate::simulated_disk`].

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use async_trait::async_trait;

use crate::random::SeededRng;
use crate::{
    Error, ErrorKind, Read, Result, Scan, ScanPage, Shard, ShardStatistics, Space, Stamp,
    StorageKey, StorageValue, Store, WriteSet,
};

/// The probability of each fault, in parts per million of the calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// A commit fails before anything is written.
    pub commit_fails_ppm: u32,
    /// A commit is applied and then reported as failed, as if its acknowledgement were lost on the way.
    pub acknowledgement_lost_ppm: u32,
    /// A read fails.
    pub read_fails_ppm: u32,
    /// A call is delayed.
    pub delay_ppm: u32,
    /// A delayed call yields to the executor at least once and at most this many times.
    pub delay_yields_max: u32,
}

/// A store with injected faults.
#[derive(Debug)]
pub struct FaultyStore<S: ?Sized> {
    inner: Arc<S>,
    faults: Arc<FaultInjector>,
}

#[derive(Debug)]
struct FaultInjector {
    plan: FaultPlan,
    rng: SeededRng,
    // A flag instead of a new plan: the generator keeps its sequence, so that a run up to the healing can be replayed.
    healed: AtomicBool,
}

struct FaultySnapshot {
    inner: Arc<dyn Read>,
    faults: Arc<FaultInjector>,
}

impl<S: Store + ?Sized> FaultyStore<S> {
    /// Wraps a store; the same seed and the same order of calls give the same faults.
    #[must_use]
    pub fn new(inner: Arc<S>, seed: u64, plan: FaultPlan) -> Self {
        let faults =
            FaultInjector { plan, rng: SeededRng::new(seed), healed: AtomicBool::new(false) };
        Self { inner, faults: Arc::new(faults) }
    }

    /// The wrapped store, which does not fail.
    #[must_use]
    pub fn inner(&self) -> &Arc<S> {
        &self.inner
    }

    /// Stops all faults and delays, so that a test can inspect the result.
    pub fn heal(&self) {
        self.faults.healed.store(true, Ordering::SeqCst);
    }
}

impl FaultInjector {
    /// Decides whether a fault of this probability happens now.
    fn roll(&self, parts_per_million: u32) -> bool {
        !self.healed.load(Ordering::SeqCst) && self.rng.chance(parts_per_million)
    }

    async fn delay(&self) {
        if self.roll(self.plan.delay_ppm) {
            let more = u64::from(self.plan.delay_yields_max.saturating_sub(1));
            // Inclusive, so that a delay yields at least once.
            for _ in 0..=self.rng.up_to(more) {
                yield_once().await;
            }
        }
    }

    async fn before_read(&self) -> Result<()> {
        self.delay().await;
        if self.roll(self.plan.read_fails_ppm) {
            return Err(injected_error("a read failed"));
        }
        Ok(())
    }
}

/// Yields to the executor once.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    poll_fn(|context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        // Woken at once: the task goes to the end of the executor's queue and does not wait for anything.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn injected_error(message: &str) -> Error {
    Error::new(ErrorKind::Device, format!("{message} (injected by the fault plan)"))
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
        if self.faults.roll(self.faults.plan.commit_fails_ppm) {
            return Err(injected_error("a commit failed and nothing was written"));
        }
        let stamps = self.inner.commit(shard, group).await?;
        // A second delay: the writes are visible for a while before their caller knows.
        self.faults.delay().await;
        if self.faults.roll(self.faults.plan.acknowledgement_lost_ppm) {
            return Err(injected_error("a commit was written and its acknowledgement was lost"));
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

    fn write_failure(&self) -> Option<String> {
        self.inner.write_failure()
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
