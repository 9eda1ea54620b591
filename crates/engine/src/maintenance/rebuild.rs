//! Rebuilding index terms for another indexing policy, online, in steps.
//!
//! ```text
//! look (writer: cursor, policies) ─► read a page, parse it, make its terms (thread) ─► run (writer) ─► committed
//! ```
//!
//! Items up to the cursor follow the new policy, items beyond it the old one. Every other write asks the partition's
//! state which of the two an item follows, so that the terms are consistent at any time. Owns one step; an item that
//! is written between the look and the run is indexed in the writer if it is small, and waits for the next step
//! otherwise.

use std::collections::HashMap;
use std::sync::Arc;

use ::query::WorkGovernor;
use storage::{ScanLimit, StorageKey};

use super::step::{ItemPage, MaintenanceStep, StepReport, StepTransaction, items_after};
use crate::catalog::ContainerEntry;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::index::{CompiledPolicy, terms_of};
use crate::partition::{
    Abort, Completion, PartitionTransaction, PhysicalPartition, PreparedTransaction, Rebuild,
    TransactionContext, retired_error,
};
use crate::transaction::{ItemTransaction, PreparedReindex};

/// Bytes of items whose terms one step makes: they are in memory until it is committed.
const STEP_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Where a rebuild goes on, and between which policies.
#[derive(Clone)]
struct RebuildBasis {
    rebuild: Rebuild,
    old: Arc<CompiledPolicy>,
    new: Arc<CompiledPolicy>,
}

/// Finds out where the rebuild of a partition goes on; `None` if all items follow the newest policy.
struct RebuildLook;

impl PartitionTransaction for RebuildLook {
    type Response = Option<RebuildBasis>;
    type Failure = Error;

    async fn run(
        &mut self,
        context: TransactionContext<'_>,
    ) -> std::result::Result<(PreparedTransaction, Option<RebuildBasis>), Abort> {
        let transaction = ItemTransaction::new(context);
        let basis = basis(&transaction)?;
        Ok((transaction.finish(), basis))
    }
}

/// Moves the terms of some items to the newest policy.
struct RebuildTerms {
    basis: RebuildBasis,
    prepared: HashMap<StorageKey, PreparedReindex>,
    limit: ScanLimit,
}

impl MaintenanceStep for RebuildTerms {
    async fn handle(
        &mut self,
        transaction: &mut ItemTransaction<'_>,
    ) -> std::result::Result<StepReport, Abort> {
        // The step scans items. A pending write behind the scan would keep terms of the old policy for ever.
        transaction.require_no_pending()?;
        let more = StepReport { more: true, ..StepReport::default() };
        let RebuildBasis { rebuild, old, new } = &self.basis;
        // Another policy or another step since the look: the next look sees it.
        let is_current = basis(transaction)?.is_some_and(|basis| basis.rebuild == *rebuild);
        if !is_current {
            return Ok(more);
        }
        let levels = transaction.context.container.levels();
        let place = (transaction.context.partition.shard, levels);
        let store = transaction.context.store;
        let page = items_after(store, place, &rebuild.through, self.limit).await?;
        let (mut handled, mut is_whole) = (0, true);
        let mut through = rebuild.through.clone();
        for (key, record) in &page.items {
            let prepared = self.prepared.get(key.as_bytes());
            let is_prepared =
                prepared.is_some_and(|prepared| transaction.reindex_prepared(record, prepared));
            if !is_prepared && record.header.indexed {
                // Written since the look.
                match transaction.spend(key, record.body_len()) {
                    Err(Abort::TooLong(_)) => {
                        is_whole = false;
                        break;
                    }
                    spent => spent?,
                }
                let (item, ordinal) = (record.parse()?, record.header.position.ordinal);
                let old = terms_of(old, key, ordinal, &item);
                transaction.reindex(&old, terms_of(new, key, ordinal, &item));
            }
            // The cursor passes items without terms too, so that a later write of them follows the new policy.
            through = key.as_bytes().clone();
            handled += 1;
        }
        if handled == 0 && !is_whole {
            return Ok(more);
        }
        let items_done = rebuild.items_done + handled as u64;
        let has_more = page.more || !is_whole;
        advance(
            transaction,
            Rebuild { generation: rebuild.generation, through, items_done },
            has_more,
        );
        // The policy may have been replaced again meanwhile; then another rebuild starts with the next step.
        let newest = transaction.context.compiled.generation;
        let more = has_more || transaction.state.index_generation != newest;
        Ok(StepReport { handled, more, ..StepReport::default() })
    }
}

impl Engine {
    /// Runs one step of the rebuild of a partition. Does nothing if all of its items follow the newest policy.
    pub(super) async fn rebuild(
        &self,
        container: &Arc<ContainerEntry>,
        partition: &PhysicalPartition,
        items_max: usize,
    ) -> Result<StepReport> {
        // Asked first: a transaction for nothing, in every partition and every round, would not be free.
        if partition.published.index_progress().1 == container.compiled().generation {
            return Ok(StepReport::default());
        }
        let basis = match partition.submit(RebuildLook).await {
            Completion::Committed(_, Some(basis), _) => basis,
            Completion::Committed(_, None, _) => return Ok(StepReport::default()),
            Completion::Failed(error, _) => return Err(error),
            Completion::Retired(_) | Completion::TooLong(..) => {
                return Err(retired_error(partition.identity.number));
            }
        };
        let limit = ScanLimit { bytes_max: STEP_BYTES_MAX, ..ScanLimit::entries(items_max) };
        let place = (partition.identity.shard, container.identity.levels());
        // Not a snapshot: the run compares each item with the version that was read here.
        let page = items_after(self.store(), place, &basis.rebuild.through, limit).await?;
        let work = self.request_work(None);
        let (prepared_basis, turns) = (basis.clone(), Arc::clone(&work));
        let prepare = move || prepare_terms(&prepared_basis, &page, turns.as_ref());
        let prepared = self.evaluate(&work, prepare).await??;
        let step = StepTransaction::new(RebuildTerms { basis, prepared, limit });
        self.run_step(partition, step).await
    }
}

/// Parses items and makes their terms, with a turn before each.
fn prepare_terms(
    basis: &RebuildBasis,
    page: &ItemPage,
    turns: &dyn WorkGovernor,
) -> Result<HashMap<StorageKey, PreparedReindex>> {
    let mut prepared = HashMap::with_capacity(page.items.len());
    for (key, record) in page.items.iter().filter(|(_, record)| record.header.indexed) {
        turns.next_slice(0).map_err(|_| Error::closed())?;
        let reindex = PreparedReindex::new(key, record, (&basis.old, &basis.new))?;
        prepared.insert(key.as_bytes().clone(), reindex);
    }
    Ok(prepared)
}

/// The rebuild to continue, or a new one. A policy that was replaced again during a rebuild waits until it is finished:
/// terms follow two generations at most.
fn basis(transaction: &ItemTransaction<'_>) -> Result<Option<RebuildBasis>> {
    let (state, compiled) = (&transaction.state, transaction.context.compiled);
    let newest = compiled.generation;
    let is_outdated = state.index_generation != newest;
    // An empty key at the start: every item key is greater.
    let begun = || {
        is_outdated.then(|| Rebuild {
            generation: newest,
            through: StorageKey::new(),
            items_done: 0,
        })
    };
    let Some(rebuild) = state.rebuild.clone().or_else(begun) else { return Ok(None) };
    let policy = |generation| {
        let missing = "an indexing policy that stored terms still follow is missing";
        compiled.policy(generation).cloned().ok_or_else(|| Error::corrupt(missing))
    };
    let (old, new) = (policy(state.index_generation)?, policy(rebuild.generation)?);
    Ok(Some(RebuildBasis { rebuild, old, new }))
}

fn advance(transaction: &mut ItemTransaction<'_>, reached: Rebuild, more: bool) {
    if more {
        transaction.state.rebuild = Some(reached);
    } else {
        transaction.state.rebuild = None;
        transaction.state.index_generation = reached.generation;
    }
    // The catalog drops a policy once no partition needs it. If the cursor on disk were behind, terms would follow a
    // policy that is gone after a crash.
    transaction.force_commit();
}
