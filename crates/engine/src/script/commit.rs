//! The commit of a session: in the partition writer, if everything the session has seen is unchanged.
//!
//! Owns the comparison and the writes, which are those of a batch. Large items are prepared outside of the writer, like
//! those of a batch.

use std::collections::HashMap;

use model::charge::ChargeProfile;
use model::{Etag, Lsn, RequestCharge};

use super::session::{ScriptSession, SessionEnd};
use crate::charge::{self, ChargeContext};
use crate::error::Result;
use crate::item::{
    ItemWrite, ItemWriteResult, PreparableTransaction, PreparationBasis, PreparationTurns,
    WritePreparation, rehearse,
};
use crate::key_layout::ItemKey;
use crate::partition::{
    Abort, Completion, PartitionTransaction, PartitionWatch, PreparedTransaction,
    TransactionContext, WatchPosition,
};
use crate::transaction::{ItemTransaction, Preparations, ReservedVersion};

/// What a session has committed.
pub(super) struct CommittedSession {
    pub(super) results: Vec<ItemWriteResult>,
    pub(super) charge: RequestCharge,
    pub(super) partition: u32,
    pub(super) lsn: Lsn,
}

struct SessionCommit {
    writes: Vec<ItemWrite>,
    versions: Vec<Option<ReservedVersion>>,
    watch: PartitionWatch,
    position: WatchPosition,
    has_scanned: bool,
    seen: HashMap<ItemKey, Option<Etag>>,
    prepared: Option<Box<Preparations>>,
}

impl ScriptSession {
    /// Commits what the session has written.
    pub(super) async fn commit(self) -> std::result::Result<CommittedSession, SessionEnd> {
        let Self { engine, container, partition, watch, position, seen, has_scanned, .. } = self;
        let number = partition.identity.number;
        let charge = self.read_charge;
        if self.writes.is_empty() {
            // It has read one snapshot and needs no commit to be consistent.
            let lsn = partition.published.lsn();
            return Ok(CommittedSession { results: Vec::new(), charge, partition: number, lsn });
        }
        let creates = |(_, version, created): &(ItemWrite, Option<ReservedVersion>, bool)| {
            version.filter(|_| *created).map(|version| version.ordinal)
        };
        let ordinals: Vec<u64> = self.writes.iter().filter_map(creates).collect();
        let (writes, versions) =
            self.writes.into_iter().map(|(write, version, _)| (write, version)).unzip();
        let prepared = None;
        let mut transaction =
            SessionCommit { writes, versions, watch, position, has_scanned, seen, prepared };
        let mut preparation = WritePreparation::with_reserved(ordinals);
        loop {
            let _lane = preparation.lane(&partition).await;
            if let Some(key) = preparation.wanted() {
                let prepare =
                    engine.prepare(&container, &partition, transaction, key, &mut preparation);
                transaction = prepare.await?;
            }
            match partition.submit(transaction).await {
                Completion::Committed(_, results, lsn) => {
                    let charge = charge + results.iter().map(write_charge).sum();
                    return Ok(CommittedSession { results, charge, partition: number, lsn });
                }
                Completion::Failed(failure, returned) => {
                    engine.discard(returned);
                    return Err(failure);
                }
                Completion::TooLong(returned, key) => {
                    transaction = returned;
                    preparation.want(key)?;
                }
                // Its successor has other numbers than those that were reserved.
                Completion::Retired(_) => return Err(SessionEnd::Changed),
            }
        }
    }
}

/// The charge of a write inside a script, where the service does not charge the removal of the old version.
fn write_charge(result: &ItemWriteResult) -> RequestCharge {
    let consistency = model::ConsistencyLevel::Session;
    match result {
        ItemWriteResult::Written { item, .. } => {
            ChargeContext { profile: ChargeProfile::Native, consistency }
                .write_charge(&item.cost, 0)
        }
        ItemWriteResult::Deleted { old, .. } => charge::delete(*old),
        ItemWriteResult::Found(_) | ItemWriteResult::NotModified(_) => RequestCharge::ZERO,
    }
}

impl SessionCommit {
    /// Compares what the session has seen with what the writer sees.
    async fn check(&self, transaction: &ItemTransaction<'_>) -> Result<(), Abort<SessionEnd>> {
        let now = self.watch.position();
        let changed = || Err(Abort::Failed(SessionEnd::Changed));
        if now.epoch != self.position.epoch {
            return changed();
        }
        if self.has_scanned {
            // Writes that are not committed are not counted yet.
            transaction.require_no_pending().map_err(session_abort)?;
            // Read again: a deferred run comes back after their commit.
            if self.watch.position().changes != self.position.changes {
                return changed();
            }
            return Ok(());
        }
        for (key, seen) in &self.seen {
            let stored = transaction.read(key).await.map_err(session_abort)?;
            if stored.map(|record| record.header.etag) != *seen {
                return changed();
            }
        }
        Ok(())
    }
}

impl PartitionTransaction for SessionCommit {
    type Response = Vec<ItemWriteResult>;
    type Failure = SessionEnd;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> Result<(PreparedTransaction, Self::Response), Abort<SessionEnd>> {
        let checked = ItemTransaction::new(context);
        self.check(&checked).await?;
        let mut transaction = checked.with_preparations(self.prepared.as_deref_mut());
        let mut results = Vec::with_capacity(self.writes.len());
        for (index, (write, version)) in self.writes.iter_mut().zip(&self.versions).enumerate() {
            transaction.begin_operation(index);
            transaction.version = *version;
            match write.apply(&mut transaction).await {
                Ok(result) => results.push(result),
                // It succeeded on what the session has seen: a unique key was taken meanwhile, or an item has expired.
                Err(Abort::Failed(_)) => return Err(Abort::Failed(SessionEnd::Changed)),
                Err(abort) => return Err(session_abort(abort)),
            }
        }
        Ok((transaction.finish(), results))
    }
}

impl PreparableTransaction for SessionCommit {
    fn keys(&self) -> Vec<ItemKey> {
        self.writes.iter().flat_map(ItemWrite::keys).flatten().cloned().collect()
    }

    fn new_items(&self) -> usize {
        self.writes.iter().filter(|write| write.may_create()).count()
    }

    fn bytes(&self) -> usize {
        self.writes.iter().map(ItemWrite::bytes).sum()
    }

    fn prepare(&mut self, basis: &PreparationBasis, turns: &PreparationTurns) -> Result<()> {
        self.prepared = Some(Box::new(rehearse(basis, turns, &mut self.writes)?));
        Ok(())
    }
}

fn session_abort(abort: Abort) -> Abort<SessionEnd> {
    match abort {
        Abort::Failed(error) => Abort::Failed(error.into()),
        Abort::Deferred => Abort::Deferred,
        Abort::TooLong(key) => Abort::TooLong(key),
    }
}
