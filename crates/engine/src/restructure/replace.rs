//! Replaces some physical partitions of a container by others while they are in use.
//!
//! Owns the steps of both split and merge:
//!
//! ```text
//! reserve shards (marked for reclaiming) ─► track writes ─► copy ─► catch up until little is missing
//!   ─► lock the catalog, pause the writers ─► catch up for the last time ─► write the states
//!   ─► one catalog commit: new map, targets kept, sources marked for reclaiming ─► retire the sources
//! ```
//!
//! The catalog commit decides. A crash before it leaves the old map, and the shards that were copied in vain are still
//! marked for reclaiming; a crash after it leaves the new map.

use std::sync::Arc;

use model::{EpkRange, Lsn};
use storage::{Shard, Stamp, WriteSet};

use super::copy::PartitionCopy;
use crate::catalog::{CatalogStore, CatalogWrite, ContainerEntry, PartitionRecord};
use crate::container::CompiledProperties;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{STATE, STATE_KEY};
use crate::partition::{PartitionState, PhysicalPartition, WriteTracker, WriterPause};
use crate::response::RestructuringResource;

/// So few touched items are caught up with while the writers are paused.
const CAUGHT_UP_ITEMS: usize = 64;
/// After so many rounds the writers are paused in any case: a partition may be written faster than it is copied.
const CATCH_UP_ROUNDS_MAX: usize = 32;

/// Replaces `sources`, which are adjacent, by partitions that own `ranges`. Returns the numbers of the new ones.
pub(super) async fn replace_partitions(
    engine: &Engine,
    container: &Arc<ContainerEntry>,
    sources: &[Arc<PhysicalPartition>],
    ranges: Vec<EpkRange>,
) -> Result<Vec<u32>> {
    // Held to the end: two splits at a time could both replace the same source.
    let _lock = container.restructuring.lock().await;
    let targets = reserve(engine, container, sources, ranges).await?;
    let shards: Vec<Shard> = targets.iter().map(|target| target.shard).collect();
    container.restructuring.publish(Some(RestructuringResource {
        partitions: sources.iter().map(|source| source.identity.number).collect(),
        into: targets.len(),
        items_copied: 0,
        items_total: sources.iter().map(|source| source.published.usage().items).sum(),
    }));
    // On failure the targets stay marked in the catalog; after `end_building` the reclaimer removes what was copied.
    let result = run(engine, container, sources, targets).await;
    engine.core.end_building(&shards);
    container.restructuring.publish(None);
    result
}

/// Reserves numbers and shards. The shards are marked for reclaiming until the switch, so that a crash leaves no
/// garbage. Until then `is_building` protects them from the reclaimer.
async fn reserve(
    engine: &Engine,
    container: &Arc<ContainerEntry>,
    sources: &[Arc<PhysicalPartition>],
    ranges: Vec<EpkRange>,
) -> Result<Vec<PartitionRecord>> {
    let mut catalog = engine.core.catalog.lock().await;
    check_stored(engine, container)?;
    let mut record = container.record();
    let mut parents: Vec<u32> = sources.iter().flat_map(|source| source.parents.clone()).collect();
    parents.extend(sources.iter().map(|source| source.identity.number));
    // Merged partitions may have a common ancestor. Numbers only grow, so that sorting puts the oldest first.
    parents.sort_unstable();
    parents.dedup();
    let mut write = CatalogWrite::default();
    let mut targets = Vec::new();
    for range in ranges {
        let shard = catalog.new_shard();
        write.reclaim(shard);
        let number = record.next_partition;
        record.next_partition += 1;
        targets.push(PartitionRecord { number, shard, range, parents: parents.clone() });
    }
    write.put_container(&container.link.database, &record);
    let shards: Vec<Shard> = targets.iter().map(|target| target.shard).collect();
    // Before the commit: once it is visible, a round of maintenance may find the mark.
    engine.core.start_building(&shards);
    if let Err(error) = catalog.commit(write).await {
        engine.core.end_building(&shards);
        return Err(error);
    }
    container.replace_record(record);
    Ok(targets)
}

async fn run(
    engine: &Engine,
    container: &Arc<ContainerEntry>,
    sources: &[Arc<PhysicalPartition>],
    targets: Vec<PartitionRecord>,
) -> Result<Vec<u32>> {
    let mut trackers = Vec::new();
    for source in sources {
        // The pause ends at once: it is only the way to the tracker of the writer.
        trackers.push(source.pause().await?.tracker());
    }
    // Every source must track its writes before anything is copied: a write that is neither in the copy nor tracked
    // would be lost.
    trackers.iter().for_each(WriteTracker::start);
    // One policy for the whole copy; `copy_and_switch` checks at the end that it is still the current one.
    let compiled = container.compiled();
    let result = copy_and_switch(engine, container, &compiled, sources, targets, &trackers).await;
    trackers.iter().for_each(WriteTracker::stop);
    result
}

async fn copy_and_switch(
    engine: &Engine,
    container: &Arc<ContainerEntry>,
    compiled: &CompiledProperties,
    sources: &[Arc<PhysicalPartition>],
    targets: Vec<PartitionRecord>,
    trackers: &[WriteTracker],
) -> Result<Vec<u32>> {
    let mut copies: Vec<PartitionCopy<'_>> = targets
        .iter()
        .map(|target| PartitionCopy {
            engine,
            progress: &container.restructuring,
            container: &container.identity,
            compiled,
            range: target.range.clone(),
            target: target.shard,
            items: 0,
            item_bytes: 0,
        })
        .collect();
    for source in sources {
        for copy in copies.iter_mut().filter(|copy| copy.range.overlaps(&source.range)) {
            copy.copy_all(source.identity.shard).await?;
        }
    }
    // Each round copies what was written during the one before, so the rounds get shorter unless writes outrun the
    // copy.
    for _ in 0..CATCH_UP_ROUNDS_MAX {
        if catch_up(sources, &mut copies, trackers).await? <= CAUGHT_UP_ITEMS {
            break;
        }
    }
    // Lock order: the catalog first, then the writers, like the deletion of a container. The other order could
    // deadlock.
    let mut catalog = engine.core.catalog.lock().await;
    let mut pauses = Vec::new();
    for source in sources {
        pauses.push(require_confirmed(source.pause().await?)?);
    }
    catch_up(sources, &mut copies, trackers).await?;
    // The copies were built by the policy as of the start. Their terms would not match a newer one.
    // Properties change under the catalog lock, which is held: nothing can change after this check.
    if container.compiled().generation != compiled.generation {
        return Err(Error::new(
            ErrorKind::Unavailable,
            "the indexing policy was replaced while partitions were copied; try again",
        ));
    }
    // The states come last: they contain the counts of the copies, which are final only now.
    write_states(engine, sources, &copies, compiled.generation).await?;
    let switched = switch(engine, &mut catalog, container, sources, &targets).await;
    // If nobody knows whether the commit arrived, the old map may be gone: the sources must not answer either way.
    if switched.is_ok() || catalog.is_unknown() {
        sources.iter().for_each(|source| source.published.retire());
        // Otherwise the pauses are dropped with an early return, and the sources resume with the old map.
        pauses.into_iter().for_each(WriterPause::retire);
    }
    switched?;
    Ok(targets.into_iter().map(|target| target.number).collect())
}

async fn catch_up(
    sources: &[Arc<PhysicalPartition>],
    copies: &mut [PartitionCopy<'_>],
    trackers: &[WriteTracker],
) -> Result<usize> {
    let mut caught = 0;
    for (source, tracker) in sources.iter().zip(trackers) {
        // Taken once per source and used for every copy: each copy skips the items outside its range.
        let touched = tracker.take();
        caught += touched.len();
        for copy in copies.iter_mut() {
            copy.catch_up(source.identity.shard, &touched).await?;
        }
    }
    Ok(caught)
}

/// Writes the state of every copy, with an lsn above those of all sources: lsns must grow along the lineage of a
/// partition, because session tokens and feed positions are compared with them.
async fn write_states(
    engine: &Engine,
    sources: &[Arc<PhysicalPartition>],
    copies: &[PartitionCopy<'_>],
    generation: u32,
) -> Result<()> {
    let mut merged: Option<(EpkRange, PartitionState)> = None;
    let mut newest = Lsn::ZERO;
    for source in sources {
        // The writer is paused and confirmed, so the stored state is the newest one.
        let stored = engine.store().get(source.identity.shard, STATE, STATE_KEY).await?;
        let state =
            stored.map_or(Ok(PartitionState::default()), |bytes| PartitionState::decode(&bytes))?;
        newest = newest.max(source.published.lsn());
        merged = Some(match merged {
            None => (source.range.clone(), state),
            Some(other) => merge_states(other, (source.range.clone(), state), newest),
        });
    }
    let merged = merged.map(|(_, state)| state).unwrap_or_default();
    for copy in copies {
        let state = PartitionState {
            // The partition number is new, so that ordinals and etags cannot repeat although the counters start again.
            created: 0,
            writes: 0,
            items: copy.items,
            item_bytes: copy.item_bytes,
            index_generation: generation,
            rebuild: None,
            unlisted_after: None,
            // The cursor is a position in the versions of one source; after a merge, versions of the other one may lie
            // before it.
            trim_after: Default::default(),
            trimmed: merged.trimmed.within(&copy.range),
            ..merged.clone()
        };
        // So far the shard has low stamps, one per commit of the copy. This one lifts it above all sources.
        let mut set = WriteSet { stamp_above: Stamp(newest.0), ..WriteSet::new() };
        set.put(STATE, STATE_KEY, state.encode());
        engine.store().commit(copy.target, vec![set]).await?;
    }
    Ok(())
}

/// The state that holds for two partitions together: sweeps resume from the earlier cursor, and trimmed versions stay
/// known for each range. Up to `newest` the log is ordered by lsn but no longer by time.
fn merge_states(
    (left_range, left): (EpkRange, PartitionState),
    (right_range, right): (EpkRange, PartitionState),
    newest: Lsn,
) -> (EpkRange, PartitionState) {
    let state = PartitionState {
        // The later one: timestamps must not go back for the items of either.
        timestamp_seconds: left.timestamp_seconds.max(right.timestamp_seconds),
        // A sweep that repeats finds nothing to do; one that skips leaves items for ever.
        expiry_after: left.expiry_after.min(right.expiry_after),
        expiry_from_second: left.expiry_from_second.min(right.expiry_from_second),
        trimmed: left.trimmed.merge(&left_range, right.trimmed, &right_range),
        interleaved: newest,
        ..PartitionState::default()
    };
    let range = left_range.merge(&right_range).unwrap_or(left_range);
    (range, state)
}

/// Switches to the targets in one catalog commit. After it the sources never answer again.
async fn switch(
    engine: &Engine,
    catalog: &mut CatalogStore,
    container: &Arc<ContainerEntry>,
    sources: &[Arc<PhysicalPartition>],
    targets: &[PartitionRecord],
) -> Result<()> {
    // Writers are started before the commit: if one fails to start, the old map stays in use.
    let mut started = Vec::new();
    for target in targets {
        started.push(container.start_partition(engine, target).await?);
    }
    check_stored(engine, container)?;
    let mut record = container.record();
    let is_source = |shard: Shard| sources.iter().any(|source| source.identity.shard == shard);
    record.partitions.retain(|partition| !is_source(partition.shard));
    record.partitions.extend_from_slice(targets);
    record.partitions.sort_by(|left, right| left.range.min.cmp(&right.range.min));
    // Clients that cache the map compare the generation (it is part of the etag of the list of ranges).
    record.map_generation += 1;
    let mut write = CatalogWrite::default();
    write.put_container(&container.link.database, &record);
    for target in targets {
        write.keep(target.shard);
    }
    for source in sources {
        write.reclaim(source.identity.shard);
    }
    catalog.commit(write).await?;
    // The handles of untouched partitions are reused: their writers keep running.
    let kept = container.map().partitions.clone();
    let kept = kept.into_iter().filter(|partition| !is_source(partition.identity.shard));
    // Retired before the map is replaced: a reader that still has the old map checks this flag after its read.
    for source in sources {
        source.published.retire();
    }
    container.replace_map(record.map_generation, kept.chain(started).collect());
    container.replace_record(record);
    Ok(())
}

/// Refuses to write the record of a container that was deleted meanwhile: that would restore it.
fn check_stored(engine: &Engine, container: &Arc<ContainerEntry>) -> Result<()> {
    match engine.container(&container.link) {
        Ok(known) if Arc::ptr_eq(&known, container) => Ok(()),
        Ok(_) => Err(Error::owner_not_found("container", &container.link)),
        Err(error) => Err(error),
    }
}

/// Refuses to switch while a writer does not know what its last commit has left in the store: its tracker may lack
/// items.
fn require_confirmed(pause: WriterPause) -> Result<WriterPause> {
    if pause.is_confirmed() {
        return Ok(pause);
    }
    Err(Error::new(
        ErrorKind::Unavailable,
        "the store failed and does not say what became of the last write; try again",
    ))
}
