//! The session of a script: one snapshot of a logical partition, and the writes that the script has made on top of it.
//!
//! Owns what the script has seen, because the commit must find it unchanged. The writes are rehearsed: the script gets
//! the very items that the commit will store, with their resource ids and etags.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use model::{Etag, PartitionKey, RequestCharge, TimestampMs};
use storage::Read;

use super::overlay::OverlaidSnapshot;
use crate::catalog::ContainerEntry;
use crate::container::CompiledProperties;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::item::{ItemWrite, ItemWriteResult, locate};
use crate::key_layout::{ITEMS, ItemKey, STATE, STATE_KEY};
use crate::partition::{
    Abort, Completion, PartitionState, PartitionTransaction, PartitionWatch, PendingKeys,
    PhysicalPartition, PreparedTransaction, TransactionContext, WatchPosition,
};
use crate::query::{QueryItems, QueryPage};
use crate::record::ItemRecord;
use crate::transaction::{ItemTransaction, RehearsedItems, ReservedVersion};

/// Versions that are reserved at a time.
const VERSIONS_AT_ONCE: usize = 16;

/// Why a session cannot go on.
#[derive(Debug)]
pub(super) enum SessionEnd {
    Failed(Error),
    /// Others have changed what it has seen. It must be repeated.
    Changed,
}

impl From<Error> for SessionEnd {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<storage::Error> for SessionEnd {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Whose writes wait while a session runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionIsolation {
    /// Nobody's.
    Optimistic,
    /// Those of others to the same logical partition.
    Reserved,
}

/// The session of one attempt.
pub(super) struct ScriptSession {
    pub(super) engine: Engine,
    pub(super) container: Arc<ContainerEntry>,
    pub(super) partition_key: PartitionKey,
    pub(super) partition: Arc<PhysicalPartition>,
    pub(super) watch: PartitionWatch,
    pub(super) position: WatchPosition,
    pub(super) compiled: Arc<CompiledProperties>,
    snapshot: Arc<dyn Read>,
    state: PartitionState,
    now: TimestampMs,
    rehearsed: RehearsedItems,
    versions: VecDeque<ReservedVersion>,
    /// Writes that have succeeded, with their versions and whether they have created an item.
    pub(super) writes: Vec<(ItemWrite, Option<ReservedVersion>, bool)>,
    /// The stored versions of the items that were read or written.
    pub(super) seen: HashMap<ItemKey, Option<Etag>>,
    /// Whether more was seen than those items: the whole logical partition must be unchanged.
    pub(super) has_scanned: bool,
    /// What its reads cost.
    pub(super) read_charge: RequestCharge,
}

impl ScriptSession {
    pub(super) async fn open(
        engine: &Engine,
        container: &Arc<ContainerEntry>,
        partition_key: &PartitionKey,
        isolation: SessionIsolation,
    ) -> Result<Self> {
        let epk = container.identity.definition.effective(partition_key);
        loop {
            let partition = locate(container, &epk)?;
            let mut watch = PartitionWatch::new(&partition.published, &epk);
            if isolation == SessionIsolation::Reserved {
                watch.reserve().await;
            }
            let position = watch.position();
            let snapshot = engine.store().snapshot().await?;
            if partition.published.is_retired() {
                drop(watch);
                engine.wait_for_map_without(container, &partition).await?;
                continue;
            }
            // The state of the snapshot and not a newer one: entries on top of it follow the same policies.
            let state = snapshot.get(partition.identity.shard, STATE, STATE_KEY).await?;
            let state = state.map(|bytes| PartitionState::decode(&bytes)).transpose()?;
            return Ok(Self {
                engine: engine.clone(),
                container: Arc::clone(container),
                partition_key: partition_key.clone(),
                partition,
                watch,
                position,
                compiled: container.compiled(),
                snapshot,
                state: state.unwrap_or_default(),
                now: engine.now(),
                rehearsed: RehearsedItems::default(),
                versions: VecDeque::new(),
                writes: Vec::new(),
                seen: HashMap::new(),
                has_scanned: false,
                read_charge: RequestCharge::ZERO,
            });
        }
    }

    /// Rehearses one write, or reads one item.
    pub(super) async fn apply(
        &mut self,
        mut write: ItemWrite,
    ) -> std::result::Result<ItemWriteResult, SessionEnd> {
        self.look_at(&write).await?;
        let version = match write.puts() {
            true => Some(self.next_version().await?),
            false => None,
        };
        let (snapshot, identity) =
            (Arc::clone(&self.snapshot), Arc::clone(&self.container.identity));
        let compiled = Arc::clone(&self.compiled);
        let context = TransactionContext {
            store: snapshot.as_ref(),
            container: &identity,
            compiled: &compiled,
            partition: self.partition.identity,
            now: self.now,
            pending: PendingKeys::none(),
            state: self.state.clone(),
            item_bytes_max: usize::MAX,
        };
        let rehearsed = std::mem::take(&mut self.rehearsed);
        let mut transaction = ItemTransaction::rehearsal(context, rehearsed);
        transaction.version = version;
        let result = write.apply(&mut transaction).await;
        self.rehearsed = transaction.into_rehearsed();
        match result {
            Ok(result) => {
                if !matches!(write, ItemWrite::Read { .. }) {
                    self.writes.push((write, version, result.has_created()));
                }
                Ok(result)
            }
            Err(Abort::Failed(error)) => {
                // The item that holds a unique key is not among those that were looked at.
                let holds = !self.compiled.properties.unique_keys.is_empty();
                self.has_scanned |= holds && error.kind() == ErrorKind::Conflict;
                self.versions.extend(version);
                Err(error.into())
            }
            Err(Abort::Deferred | Abort::TooLong(_)) => Err(SessionEnd::Changed),
        }
    }

    /// Runs one page of a query over the logical partition, with the session's own writes.
    pub(super) async fn query(
        &mut self,
        operation: QueryItems,
    ) -> std::result::Result<QueryPage, SessionEnd> {
        self.has_scanned = true;
        let store = self.overlaid().await?;
        let source = (Arc::clone(&self.partition), store);
        let page = self.engine.query_snapshot(&self.container, &operation, source).await?;
        self.read_charge += page.charge;
        Ok(page.value)
    }

    /// Remembers the stored versions of the items that a write looks at.
    async fn look_at(&mut self, write: &ItemWrite) -> Result<()> {
        for key in write.keys().into_iter().flatten() {
            if self.seen.contains_key(key) {
                continue;
            }
            let shard = self.partition.identity.shard;
            let stored = self.snapshot.get(shard, ITEMS, key.as_bytes()).await?;
            let record = stored.map(ItemRecord::decode).transpose()?;
            self.seen.insert(key.clone(), record.map(|record| record.header.etag));
        }
        Ok(())
    }

    async fn next_version(&mut self) -> std::result::Result<ReservedVersion, SessionEnd> {
        if self.versions.is_empty() {
            let count = VERSIONS_AT_ONCE.max(self.writes.len());
            self.versions = match self.partition.submit(ReserveVersions { count }).await {
                Completion::Committed(_, versions, _) => versions,
                Completion::Failed(error, _) => return Err(error.into()),
                Completion::Retired(_) | Completion::TooLong(..) => {
                    return Err(SessionEnd::Changed);
                }
            };
        }
        self.versions.pop_front().ok_or(SessionEnd::Changed)
    }

    /// The snapshot with everything that the writes so far would store.
    async fn overlaid(&mut self) -> std::result::Result<Arc<dyn Read>, SessionEnd> {
        if self.writes.is_empty() {
            return Ok(Arc::clone(&self.snapshot));
        }
        let context = TransactionContext {
            store: self.snapshot.as_ref(),
            container: &self.container.identity,
            compiled: &self.compiled,
            partition: self.partition.identity,
            now: self.now,
            pending: PendingKeys::none(),
            state: self.state.clone(),
            item_bytes_max: usize::MAX,
        };
        let mut transaction = ItemTransaction::new(context);
        for (write, version, _) in &mut self.writes {
            transaction.version = *version;
            match write.apply(&mut transaction).await {
                Ok(_) => {}
                Err(Abort::Failed(error)) => return Err(error.into()),
                Err(Abort::Deferred | Abort::TooLong(_)) => return Err(SessionEnd::Changed),
            }
        }
        let PreparedTransaction { set, .. } = transaction.finish();
        let base = Arc::clone(&self.snapshot);
        Ok(Arc::new(OverlaidSnapshot::new(base, self.partition.identity.shard, set)))
    }
}

/// Reserves versions in the writer. Nothing is stored: if the writer reads its state again, they are void, and the
/// session that holds them is repeated (`WatchPosition::epoch`).
struct ReserveVersions {
    count: usize,
}

impl PartitionTransaction for ReserveVersions {
    type Response = VecDeque<ReservedVersion>;
    type Failure = Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> std::result::Result<(PreparedTransaction, Self::Response), Abort> {
        let mut transaction = ItemTransaction::new(context);
        let versions = (0..self.count).map(|_| transaction.reserve_version()).collect();
        Ok((transaction.finish(), versions))
    }
}
