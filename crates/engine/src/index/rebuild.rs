//! Rebuilds terms for a new indexing policy, online, in steps.
//!
//! Items up to the cursor follow the new policy, items after it the old one. Every write in between asks the partition
//! state which of the two its item follows, so terms are correct at any time.

use storage::{Direction, KeyRange, Scan, ScanLimit, StorageKey};

use super::term::terms_of;
use crate::error::Error;
use crate::item::{Halt, ItemRecord, Turn};
use crate::key_layout::{ITEMS, ItemKey};
use crate::partition::Rebuild;

/// The result of one step.
pub(crate) struct RebuildStep {
    pub(crate) handled: usize,
    pub(crate) more: bool,
}

/// Moves some items to the newest policy. Does nothing if all items follow it.
pub(crate) async fn rebuild_step(
    turn: &mut Turn<'_>,
    items_max: usize,
) -> Result<RebuildStep, Halt> {
    turn.require_first()?;
    let newest = turn.context.live.generation;
    let from = turn.state.index_generation;
    let Some(rebuild) = next_rebuild(turn, newest) else {
        return Ok(RebuildStep { handled: 0, more: false });
    };
    let (Some(old), Some(new)) = (
        turn.context.live.policy(from).cloned(),
        turn.context.live.policy(rebuild.generation).cloned(),
    ) else {
        return Err(
            Error::corrupt("an indexing policy that stored terms still follow is missing").into()
        );
    };
    let range = KeyRange::all().after(rebuild.through.clone(), Direction::Forward);
    let shard = turn.context.partition.shard;
    let scan = Scan::forward(range, ScanLimit::entries(items_max));
    let page = turn.context.store.scan(shard, ITEMS, &scan).await?;
    let levels = turn.context.container.levels();
    let handled = page.entries.len();
    let mut through = rebuild.through;
    for entry in page.entries {
        through = entry.key.clone();
        let key = ItemKey::decode(entry.key, levels)
            .ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
        let record = ItemRecord::decode(entry.value)?;
        if record.header.indexed {
            let item = record.parse()?;
            let ordinal = record.header.position.ordinal;
            let (old, new) =
                (terms_of(&old, &key, ordinal, &item), terms_of(&new, &key, ordinal, &item));
            turn.reindex(&old, new);
        }
    }
    let items_done = rebuild.items_done + handled as u64;
    advance(turn, rebuild.generation, through, items_done, page.more);
    Ok(RebuildStep { handled, more: page.more || turn.state.index_generation != newest })
}

/// The rebuild to continue, or a new one. A running rebuild is finished first, even if there is a newer policy.
fn next_rebuild(turn: &Turn<'_>, newest: u32) -> Option<Rebuild> {
    if let Some(rebuild) = &turn.state.rebuild {
        return Some(rebuild.clone());
    }
    let is_outdated = turn.state.index_generation != newest;
    is_outdated.then(|| Rebuild { generation: newest, through: StorageKey::new(), items_done: 0 })
}

fn advance(turn: &mut Turn<'_>, generation: u32, through: StorageKey, items_done: u64, more: bool) {
    if more {
        turn.state.rebuild = Some(Rebuild { generation, through, items_done });
    } else {
        turn.state.rebuild = None;
        turn.state.index_generation = generation;
    }
    // The catalog drops a policy once no partition needs it. If the cursor on disk were behind, a restart would need the
    // dropped policy.
    turn.force_commit();
}
