//! Reclaiming: the content of a retired shard is removed.
//!
//! Owns one bounded step. Does not own the list of such shards: the catalog does.

use storage::{KeyRange, Scan, ScanLimit, Shard, Store, WriteSet};

use crate::error::Result;
use crate::key_layout::PARTITION_SPACES;

/// Removes at most `entries_max` entries and returns how many; zero means that the shard is empty.
pub(crate) async fn reclaim_shard(
    store: &dyn Store,
    shard: Shard,
    entries_max: usize,
) -> Result<usize> {
    // The state is in the last of these spaces, but nobody reads it: no map names the shard any more.
    for &space in PARTITION_SPACES {
        let scan = Scan::forward(KeyRange::all(), ScanLimit::entries(entries_max));
        let page = store.scan(shard, space, &scan).await?;
        if page.entries.is_empty() {
            continue;
        }
        let removed = page.entries.len();
        let mut set = WriteSet::new();
        for entry in page.entries {
            set.remove(space, entry.key);
        }
        // No guard and no order: a crash leaves a part, and the mark in the catalog stays until the shard is empty.
        store.commit(shard, vec![set]).await?;
        return Ok(removed);
    }
    Ok(0)
}
