//! The way of a large item: checked, prepared and written without holding up other requests.
//!
//! Owns which items are large, and how often a write is prepared again when the item changes meanwhile. Does not own
//! what is prepared: see `transaction`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::{EffectivePartitionKey, Json, MeasuredJson, PartitionKey};

use super::look::{ItemLook, SeenItem};
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::item::input::{self, NewItem};
use crate::item::submit::Committed;
use crate::item::write::ItemWrite;
use crate::metering::OperationKind;
use crate::response::{ItemResource, Response};
use crate::transaction::{DetachedItem, PreparationBasis, PreparedItem};

/// How often a write is prepared whose item changes in between. Then it is carried out in the writer as a whole: who
/// changes an item all the time delays only its own partition.
const ATTEMPTS_MAX: usize = 8;

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

    /// Validates an item as callers send it.
    pub(crate) async fn check_input(
        &self,
        container: &Arc<ContainerEntry>,
        partition_key: Option<PartitionKey>,
        item: MeasuredJson,
    ) -> Result<NewItem> {
        if !self.is_large(item.printed_bytes()) {
            let item = self.stored_form(item);
            return input::check(&container.identity, partition_key.as_ref(), item);
        }
        let (engine, container) = (self.clone(), Arc::clone(container));
        let check = move || {
            let item = engine.stored_form(item);
            input::check(&container.identity, partition_key.as_ref(), item)
        };
        self.run_long(check).await?
    }

    /// Submits a write; a large item is prepared before.
    pub(crate) async fn submit_item(
        &self,
        container: &Arc<ContainerEntry>,
        epk: &EffectivePartitionKey,
        mut write: ItemWrite,
    ) -> Result<Committed<ItemWrite>> {
        if !self.is_prepared(&write) {
            return self.submit(container, epk, write).await;
        }
        let Some(new) = write.new_item_mut() else {
            return self.submit(container, epk, write).await;
        };
        let mut item = std::mem::replace(&mut new.item, Json::Null);
        let mut reserved = None;
        for _ in 0..ATTEMPTS_MAX {
            let Some(mut attempt) = write.shell() else { break };
            let seen = self.look(container, epk, &attempt, reserved).await?;
            reserved = seen.reserved;
            let has_composite = seen.policy.as_ref().is_some_and(|(_, policy)| {
                // Their terms contain values that only the writer knows.
                policy.has_composite_version()
            });
            if seen.is_expired || has_composite {
                break;
            }
            let is_stale = Arc::new(AtomicBool::new(false));
            let prepared;
            (item, prepared) = self.prepare_item(&attempt, seen, item).await?;
            if let Some(new) = attempt.new_item_mut() {
                new.detached = Some(DetachedItem { prepared, is_stale: Arc::clone(&is_stale) });
            }
            match self.submit(container, epk, attempt).await {
                Err(_) if is_stale.load(Ordering::Relaxed) => {}
                Err(error) => return Err(error),
                Ok(mut committed) => {
                    if let Some(new) = committed.transaction.new_item_mut() {
                        new.item = item;
                    }
                    return Ok(committed);
                }
            }
        }
        if let Some(new) = write.new_item_mut() {
            new.item = item;
        }
        self.submit(container, epk, write).await
    }

    /// Samples a large item on a thread, where it is dropped as well: both visit every value.
    pub(crate) fn sample_large(
        &self,
        container: &Arc<ContainerEntry>,
        kind: OperationKind,
        write: ItemWrite,
        written: &Response<ItemResource>,
    ) {
        let (engine, container) = (self.clone(), Arc::clone(container));
        let (item, charge) = (written.value.clone(), written.charge);
        let sample =
            move || engine.sample_write(&container, kind, write.new_item(), (&item, charge));
        let engine = self.clone();
        // Nobody waits for it. A closed engine has nothing to report.
        self.core.environment.spawn(async move { drop(engine.run_long(sample).await) });
    }

    /// Whether a write is prepared outside of the writer.
    fn is_prepared(&self, write: &ItemWrite) -> bool {
        match write {
            ItemWrite::Create { new, explain, .. } | ItemWrite::Upsert { new, explain, .. } => {
                self.is_large(new.bytes) && !explain
            }
            ItemWrite::Replace { new, renamed_from, explain, .. } => {
                self.is_large(new.bytes) && !explain && renamed_from.is_none()
            }
            ItemWrite::Patch { .. } | ItemWrite::Delete { .. } | ItemWrite::Read { .. } => false,
        }
    }

    async fn look(
        &self,
        container: &Arc<ContainerEntry>,
        epk: &EffectivePartitionKey,
        write: &ItemWrite,
        reserved: Option<u64>,
    ) -> Result<SeenItem> {
        let Some(key) = write.new_key() else { return Err(Error::closed()) };
        let may_create = !matches!(write, ItemWrite::Replace { .. });
        let look = ItemLook { key: key.clone(), reserved, may_create };
        Ok(self.submit(container, epk, look).await?.response)
    }

    /// Prepares an item on a thread. Nothing is prepared for an item that is not there to be replaced: the writer says
    /// so.
    async fn prepare_item(
        &self,
        write: &ItemWrite,
        seen: SeenItem,
        item: Json,
    ) -> Result<(Json, Option<Box<PreparedItem>>)> {
        let SeenItem { record, reserved, policy, unique_keys, .. } = seen;
        let ordinal = record.as_ref().map(|record| record.header.position.ordinal).or(reserved);
        let (Some(ordinal), Some(key)) = (ordinal, write.new_key()) else {
            return Ok((item, None));
        };
        let basis = PreparationBasis {
            key: key.clone(),
            ordinal,
            previous: record,
            policy,
            unique_keys,
            is_indexed: write.indexes(),
        };
        let prepare = move || PreparedItem::new(basis, item);
        let (item, prepared) = self.run_long(prepare).await??;
        Ok((item, Some(Box::new(prepared))))
    }
}

impl ItemWrite {
    /// The same write without its item, to be tried several times.
    fn shell(&self) -> Option<Self> {
        let empty = |new: &NewItem| NewItem {
            key: new.key.clone(),
            item: Json::Null,
            time_to_live: new.time_to_live,
            bytes: new.bytes,
            detached: None,
        };
        match self {
            Self::Create { new, indexed, explain } => {
                Some(Self::Create { new: empty(new), indexed: *indexed, explain: *explain })
            }
            Self::Upsert { new, precondition, indexed, explain } => Some(Self::Upsert {
                new: empty(new),
                precondition: precondition.clone(),
                indexed: *indexed,
                explain: *explain,
            }),
            Self::Replace { new, renamed_from, precondition, indexed, explain } => {
                Some(Self::Replace {
                    new: empty(new),
                    renamed_from: renamed_from.clone(),
                    precondition: precondition.clone(),
                    indexed: *indexed,
                    explain: *explain,
                })
            }
            Self::Patch { .. } | Self::Delete { .. } | Self::Read { .. } => None,
        }
    }

    fn new_key(&self) -> Option<&crate::key_layout::ItemKey> {
        match self {
            Self::Create { new, .. } | Self::Upsert { new, .. } | Self::Replace { new, .. } => {
                Some(&new.key)
            }
            Self::Patch { .. } | Self::Delete { .. } | Self::Read { .. } => None,
        }
    }

    fn indexes(&self) -> bool {
        match self {
            Self::Create { indexed, .. }
            | Self::Upsert { indexed, .. }
            | Self::Replace { indexed, .. } => *indexed,
            Self::Patch { .. } | Self::Delete { .. } | Self::Read { .. } => false,
        }
    }
}
