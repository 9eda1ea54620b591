//! Preparing a transaction that is too long for the partition writer.
//!
//! Owns how often a transaction is prepared when items change meanwhile, and whose turn it is then. Does not own what
//! is prepared: see `rehearsal`.

use std::sync::Arc;
use std::time::Duration;

use ::query::WorkGovernor;

use super::look::{ItemLook, PreparationBasis};
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::ItemKey;
use crate::partition::{Completion, PartitionTransaction, PhysicalPartition};
use crate::work::RequestWork;

/// How often a transaction is prepared at most.
const ATTEMPTS_MAX: usize = 16;

/// From this attempt on, other long writes of the partition wait: only short ones can come in between.
const LANE_FROM_ATTEMPT: usize = 3;

/// How long the preparation of one transaction may take, as long as the service runs a batch.
const TIME_MAX: Duration = Duration::from_secs(5);

/// A transaction that can be prepared outside of the writer.
pub(crate) trait PreparableTransaction: PartitionTransaction {
    /// The items that it may write.
    fn keys(&self) -> Vec<ItemKey>;

    /// How many items it may create.
    fn new_items(&self) -> usize;

    /// Bytes of the items that it holds.
    fn bytes(&self) -> usize;

    /// Does beforehand what takes long. Runs on a thread; takes a turn before each item.
    fn prepare(&mut self, basis: &PreparationBasis, turns: &PreparationTurns) -> Result<()>;
}

/// The turns of one preparation on its thread.
pub(crate) struct PreparationTurns(pub(super) Arc<RequestWork>);

impl PreparationTurns {
    /// Lets others have their turn, and ends a preparation that nobody waits for.
    pub(super) fn next(&self) -> Result<()> {
        self.0.next_slice(0).map(drop).map_err(|_| too_long())
    }

    /// The budget, for conditions.
    pub(super) fn governor(&self) -> Arc<dyn WorkGovernor> {
        Arc::clone(&self.0) as Arc<dyn WorkGovernor>
    }
}

/// The progress of a transaction that is prepared.
#[derive(Default)]
pub(crate) struct WritePreparation {
    attempts: usize,
    wanted: Option<ItemKey>,
    /// Items that were found on the way, such as expired holders of unique keys.
    further_keys: Vec<ItemKey>,
    reserved: Vec<u64>,
}

impl WritePreparation {
    /// A preparation whose new items get these ordinals.
    pub(crate) fn with_reserved(reserved: Vec<u64>) -> Self {
        Self { reserved, ..Self::default() }
    }

    /// Records the item that a run was too long for.
    pub(crate) fn want(&mut self, key: ItemKey) -> Result<()> {
        self.attempts += 1;
        if self.attempts > ATTEMPTS_MAX {
            return Err(changed_too_often());
        }
        self.wanted = Some(key);
        Ok(())
    }

    pub(crate) fn wanted(&mut self) -> Option<ItemKey> {
        self.wanted.take()
    }

    /// The right to prepare while other long writes wait, for a transaction that was prepared in vain before.
    pub(crate) async fn lane<'partition>(
        &self,
        partition: &'partition PhysicalPartition,
    ) -> Option<tokio::sync::MutexGuard<'partition, ()>> {
        if self.attempts < LANE_FROM_ATTEMPT {
            return None;
        }
        Some(partition.preparing.lock().await)
    }
}

impl Engine {
    /// Runs work that may take more than a few milliseconds on a thread where it delays nobody, such as parsing a large
    /// body.
    ///
    /// # Errors
    /// `Unavailable` when the engine is closed.
    pub async fn run_long<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let budget = self.request_work(None);
        self.evaluate(&budget, work).await
    }

    /// Whether work on a text of this size belongs on a thread, see `EngineSettings::large_item_bytes`.
    #[must_use]
    pub fn is_large(&self, bytes: usize) -> bool {
        bytes >= self.core.settings.large_item_bytes
    }

    /// Prepares a transaction on a thread, for what the writer sees now.
    pub(crate) async fn prepare<T: PreparableTransaction>(
        &self,
        container: &Arc<ContainerEntry>,
        partition: &PhysicalPartition,
        mut transaction: T,
        wanted: ItemKey,
        preparation: &mut WritePreparation,
    ) -> Result<T> {
        let mut keys = transaction.keys();
        if !keys.contains(&wanted) {
            preparation.further_keys.push(wanted);
        }
        keys.extend(preparation.further_keys.iter().cloned());
        let ordinals = transaction.new_items();
        let reserved = std::mem::take(&mut preparation.reserved);
        let seen = match partition.submit(ItemLook { keys, ordinals, reserved }).await {
            Completion::Committed(_, seen, _) => seen,
            Completion::Failed(error, _) => return Err(error),
            // Its successor looks again: the transaction is submitted as it is.
            Completion::Retired(_) | Completion::TooLong(..) => return Ok(transaction),
        };
        preparation.reserved.clone_from(&seen.reserved);
        let work = self.request_work(Some(TIME_MAX));
        let turns = PreparationTurns(Arc::clone(&work));
        let basis = PreparationBasis { container: Arc::clone(container), seen };
        let prepare = move || transaction.prepare(&basis, &turns).map(|()| transaction);
        self.evaluate(&work, prepare).await?
    }
}

fn too_long() -> Error {
    Error::new(
        ErrorKind::OutOfTime,
        format!(
            "Request timed out: indexing its items took longer than {} seconds. Write fewer or smaller items at once.",
            TIME_MAX.as_secs()
        ),
    )
}

fn changed_too_often() -> Error {
    Error::new(
        ErrorKind::OutOfTime,
        format!(
            "Request timed out: other requests changed its items each of the {ATTEMPTS_MAX} times that the write was \
             prepared. Retry, or write less often."
        ),
    )
}
