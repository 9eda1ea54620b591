//! Replacing some physical partitions of a container by others while they are in use.
//!
//! Owns the steps both split and merge take: copy while writes go on, catch up until little is missing, hold the
//! writers, catch up for good, switch the map in one catalog commit, retire the sources. A crash at any step leaves
//! either the old or the new map; what was copied in vain is reclaimed.

use std::sync::Arc;

use model::{EpkRange, Lsn};
use storage::{Shard, Stamp, WriteSet};

use super::copy::PartitionCopy;
use crate::catalog::{CatalogStore, CatalogWrite, Container, PartitionRecord};
use crate::container::ContainerLive;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::key_layout::{STATE, STATE_KEY};
use crate::partition::{Partition, PartitionState, WriteTracker, WriterPause};

/// Few enough touched items to hold the writers for them.
const CAUGHT_UP_ITEMS: usize = 64;
/// A partition written to faster than it is copied is held after so many rounds.
const CATCH_UP_ROUNDS_MAX: usize = 32;

/// Replaces `sources`, which are neighbours, by partitions that own `ranges`. Returns the numbers of the new ones.
pub(super) async fn replace_partitions(
    engine: &Engine,
    container: &Arc<Container>,
    sources: &[Arc<Partition>],
    ranges: Vec<EpkRange>,
) -> Result<Vec<u32>> {
    let _lock = container.restructuring.lock().await;
    let targets = reserve(engine, container, sources, ranges).await?;
    let shards: Vec<Shard> = targets.iter().map(|target| target.shard).collect();
    let result = run(engine, container, sources, targets).await;
    engine.core.end_building(&shards);
    result
}

/// Reserves numbers and shards. The shards are marked for reclaiming until the switch keeps them.
async fn reserve(
    engine: &Engine,
    container: &Arc<Container>,
    sources: &[Arc<Partition>],
    ranges: Vec<EpkRange>,
) -> Result<Vec<PartitionRecord>> {
    let mut catalog = engine.core.catalog.lock().await;
    check_stored(engine, container)?;
    let mut record = container.record();
    let mut parents: Vec<u32> = sources.iter().flat_map(|source| source.parents.clone()).collect();
    parents.extend(sources.iter().map(|source| source.identity.number));
    // Two that are merged may descend from the same one; numbers grow, so this is oldest first.
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
    container: &Arc<Container>,
    sources: &[Arc<Partition>],
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
    let live = container.live();
    let result = copy_and_switch(engine, container, &live, sources, targets, &trackers).await;
    trackers.iter().for_each(WriteTracker::stop);
    result
}

async fn copy_and_switch(
    engine: &Engine,
    container: &Arc<Container>,
    live: &ContainerLive,
    sources: &[Arc<Partition>],
    targets: Vec<PartitionRecord>,
    trackers: &[WriteTracker],
) -> Result<Vec<u32>> {
    let mut copies: Vec<PartitionCopy<'_>> = targets
        .iter()
        .map(|target| PartitionCopy {
            store: engine.store(),
            container: &container.identity,
            live,
            range: target.range.clone(),
            target: target.shard,
            items: 0,
            item_bytes: 0,
        })
        .collect();
    for source in sources {
        for copy in &mut copies {
            copy.copy_all(source.identity.shard).await?;
        }
    }
    for _ in 0..CATCH_UP_ROUNDS_MAX {
        if catch_up(sources, &mut copies, trackers).await? <= CAUGHT_UP_ITEMS {
            break;
        }
    }
    // Lock order: the catalog first, then the writers, like the deletion of a container. The other order could deadlock.
    let mut catalog = engine.core.catalog.lock().await;
    let mut pauses = Vec::new();
    for source in sources {
        pauses.push(require_confirmed(source.pause().await?)?);
    }
    catch_up(sources, &mut copies, trackers).await?;
    if container.live().generation != live.generation {
        return Err(Error::new(
            ErrorKind::Unavailable,
            "the indexing policy was replaced while partitions were copied; try again",
        ));
    }
    write_states(engine, sources, &copies, live.generation).await?;
    let switched = switch(engine, &mut catalog, container, sources, &targets).await;
    if switched.is_ok() || catalog.is_unknown() {
        sources.iter().for_each(|source| source.published.retire());
        pauses.into_iter().for_each(WriterPause::retire);
    }
    switched?;
    Ok(targets.into_iter().map(|target| target.number).collect())
}

async fn catch_up(
    sources: &[Arc<Partition>],
    copies: &mut [PartitionCopy<'_>],
    trackers: &[WriteTracker],
) -> Result<usize> {
    let mut caught = 0;
    for (source, tracker) in sources.iter().zip(trackers) {
        let touched = tracker.take();
        caught += touched.len();
        for copy in copies.iter_mut() {
            copy.catch_up(source.identity.shard, &touched).await?;
        }
    }
    Ok(caught)
}

/// Gives every copy its counters and cursors, and an lsn that continues the sequence of all sources.
async fn write_states(
    engine: &Engine,
    sources: &[Arc<Partition>],
    copies: &[PartitionCopy<'_>],
    generation: u32,
) -> Result<()> {
    let mut merged: Option<(EpkRange, PartitionState)> = None;
    let mut newest = Lsn::ZERO;
    for source in sources {
        let stored = engine.store().get(source.identity.shard, STATE, STATE_KEY).await?;
        let state =
            stored.map_or(Ok(PartitionState::default()), |bytes| PartitionState::decode(&bytes))?;
        newest = newest.max(source.published.lsn());
        merged = Some(match merged {
            None => (source.range.clone(), state),
            Some(other) => interleave(other, (source.range.clone(), state), newest),
        });
    }
    let merged = merged.map(|(_, state)| state).unwrap_or_default();
    for copy in copies {
        let state = PartitionState {
            created: 0,
            writes: 0,
            items: copy.items,
            item_bytes: copy.item_bytes,
            index_generation: generation,
            rebuild: None,
            trim_after: Default::default(),
            trimmed: merged.trimmed.within(&copy.range),
            ..merged.clone()
        };
        let mut set = WriteSet { stamp_above: Stamp(newest.0), ..WriteSet::new() };
        set.put(STATE, STATE_KEY, state.encode());
        engine.store().commit(copy.target, vec![set]).await?;
    }
    Ok(())
}

/// What is true of both: sweeps resume from the earlier cursor; what is gone stays known for each.
fn interleave(
    (left_range, left): (EpkRange, PartitionState),
    (right_range, right): (EpkRange, PartitionState),
    newest: Lsn,
) -> (EpkRange, PartitionState) {
    let state = PartitionState {
        timestamp_seconds: left.timestamp_seconds.max(right.timestamp_seconds),
        expiry_after: left.expiry_after.min(right.expiry_after),
        expiry_from_second: left.expiry_from_second.min(right.expiry_from_second),
        trimmed: left.trimmed.merge(&left_range, right.trimmed, &right_range),
        interleaved: newest,
        ..PartitionState::default()
    };
    let range = left_range.merge(&right_range).unwrap_or(left_range);
    (range, state)
}

/// One catalog commit decides; after it the sources never answer again.
async fn switch(
    engine: &Engine,
    catalog: &mut CatalogStore,
    container: &Arc<Container>,
    sources: &[Arc<Partition>],
    targets: &[PartitionRecord],
) -> Result<()> {
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
    let kept = container.map().partitions.clone();
    let kept = kept.into_iter().filter(|partition| !is_source(partition.identity.shard));
    for source in sources {
        source.published.retire();
    }
    container.replace_map(record.map_generation, kept.chain(started).collect());
    container.replace_record(record);
    Ok(())
}

/// Refuses to write a container that was deleted meanwhile: that would bring it back.
fn check_stored(engine: &Engine, container: &Arc<Container>) -> Result<()> {
    match engine.container(&container.link) {
        Ok(known) if Arc::ptr_eq(&known, container) => Ok(()),
        Ok(_) => Err(Error::owner_not_found("container", &container.link)),
        Err(error) => Err(error),
    }
}

/// Refuses to switch while a writer does not know what its last commit has left in the store: its tracker may lack items.
fn require_confirmed(pause: WriterPause) -> Result<WriterPause> {
    if pause.is_confirmed() {
        return Ok(pause);
    }
    Err(Error::new(
        ErrorKind::Unavailable,
        "the store failed and does not say what became of the last write; try again",
    ))
}
