//! A snapshot with the writes of a transaction on top: what a query of a script reads.
//!
//! Owns the merge of both, key by key. Does not own the writes.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use async_trait::async_trait;
use storage::{
    Direction, Entry, Read, Scan, ScanPage, ScanPageBuilder, Shard, Space, StorageKey,
    StorageValue, Write, WriteSet,
};

/// A snapshot under the writes of one shard.
pub(super) struct OverlaidSnapshot {
    base: Arc<dyn Read>,
    shard: Shard,
    /// The newest write of each key; none if it was removed.
    writes: BTreeMap<Space, BTreeMap<StorageKey, Option<StorageValue>>>,
}

impl OverlaidSnapshot {
    pub(super) fn new(base: Arc<dyn Read>, shard: Shard, set: WriteSet) -> Self {
        let mut writes: BTreeMap<Space, BTreeMap<_, _>> = BTreeMap::new();
        for write in set.writes {
            match write {
                Write::Put { space, key, value, .. } => {
                    writes.entry(space).or_default().insert(key, Some(value));
                }
                Write::Remove { space, key } => {
                    writes.entry(space).or_default().insert(key, None);
                }
            }
        }
        Self { base, shard, writes }
    }

    fn written(&self, shard: Shard, space: Space) -> Option<&Written> {
        (shard == self.shard).then(|| self.writes.get(&space)).flatten()
    }
}

type Written = BTreeMap<StorageKey, Option<StorageValue>>;

#[async_trait]
impl Read for OverlaidSnapshot {
    async fn get(
        &self,
        shard: Shard,
        space: Space,
        key: &[u8],
    ) -> storage::Result<Option<StorageValue>> {
        match self.written(shard, space).and_then(|written| written.get(key)) {
            Some(value) => Ok(value.clone()),
            None => self.base.get(shard, space, key).await,
        }
    }

    async fn get_many(
        &self,
        shard: Shard,
        space: Space,
        keys: &[StorageKey],
    ) -> storage::Result<Vec<Option<StorageValue>>> {
        let mut values = self.base.get_many(shard, space, keys).await?;
        if let Some(written) = self.written(shard, space) {
            for (value, key) in values.iter_mut().zip(keys) {
                if let Some(newer) = written.get(key) {
                    value.clone_from(newer);
                }
            }
        }
        Ok(values)
    }

    async fn scan(&self, shard: Shard, space: Space, scan: &Scan) -> storage::Result<ScanPage> {
        let mut scan = scan.clone();
        loop {
            let page = self.base.scan(shard, space, &scan).await?;
            let Some(written) = self.written(shard, space) else { return Ok(page) };
            let last = page.entries.last().map(|entry| entry.key.clone());
            let merged = merged_page(written, &scan, page);
            // Everything in the page was removed: a reader advances by the last entry, so that it needs one.
            match last {
                Some(last) if merged.entries.is_empty() && merged.more => {
                    scan.range = scan.range.after(last, scan.direction);
                }
                _ => return Ok(merged),
            }
        }
    }
}

/// A page of the snapshot with the writes of its keys.
fn merged_page(written: &Written, scan: &Scan, page: ScanPage) -> ScanPage {
    // The base page covers the keys up to its last one, or the rest of the range if nothing follows.
    let mut range = scan.range.clone();
    if page.more
        && let Some(last) = page.entries.last()
    {
        let last = Bound::Included(last.key.clone());
        match scan.direction {
            Direction::Forward => range.upper = last,
            Direction::Backward => range.lower = last,
        }
    }
    if range.is_empty() {
        return page;
    }
    let mut newer: Vec<_> = written.range((range.lower, range.upper)).collect();
    if newer.is_empty() {
        return page;
    }
    if scan.direction == Direction::Backward {
        newer.reverse();
    }
    merge(scan, page, newer)
}

/// Merges a page with newer writes of the same keys, in the direction of the scan.
fn merge(
    scan: &Scan,
    page: ScanPage,
    newer: Vec<(&StorageKey, &Option<StorageValue>)>,
) -> ScanPage {
    let is_before = |left: &StorageKey, right: &StorageKey| match scan.direction {
        Direction::Forward => left < right,
        Direction::Backward => left > right,
    };
    let mut builder = ScanPageBuilder::new(scan.limit);
    let mut newer = newer.into_iter().peekable();
    let base_has_more = page.more;
    let mut entries = page.entries.into_iter().peekable();
    loop {
        let takes_newer = match (newer.peek(), entries.peek()) {
            (Some((key, _)), Some(entry)) => !is_before(&entry.key, key),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => break,
        };
        let entry = if takes_newer {
            let Some((key, value)) = newer.next() else { break };
            // The older value of the same key.
            let _ = entries.next_if(|entry| entry.key == *key);
            match value {
                Some(value) => Entry { key: key.clone(), value: value.clone() },
                None => continue,
            }
        } else {
            let Some(entry) = entries.next() else { break };
            entry
        };
        if !builder.push(entry) {
            return builder.finish();
        }
    }
    let mut page = builder.finish();
    page.more = base_has_more;
    page
}

#[cfg(test)]
mod tests {
    use storage::memory::MemoryStore;
    use storage::{KeyRange, ScanLimit, Store};

    use super::*;

    const SPACE: Space = crate::key_layout::ITEMS;

    async fn keys(read: &dyn Read, direction: Direction, limit: usize) -> Vec<String> {
        let mut range = KeyRange::all();
        let mut found = Vec::new();
        loop {
            let scan = Scan { range: range.clone(), direction, limit: ScanLimit::entries(limit) };
            let page = read.scan(Shard(1), SPACE, &scan).await.unwrap();
            let text = |entry: &Entry| {
                let (key, value) = (entry.key.to_vec(), entry.value.to_vec());
                String::from_utf8([key, value].concat()).unwrap()
            };
            found.extend(page.entries.iter().map(text));
            let Some(last) = page.entries.last().filter(|_| page.more) else {
                if page.more && page.entries.is_empty() {
                    panic!("a page without progress");
                }
                return found;
            };
            range = range.after(last.key.clone(), direction);
        }
    }

    #[tokio::test]
    async fn a_scan_sees_stored_and_own_entries_in_order_whatever_the_page() {
        let store = MemoryStore::new();
        let mut set = WriteSet::new();
        for key in ["a", "c", "e", "g"] {
            set.put(SPACE, key.as_bytes().to_vec(), b"1".to_vec());
        }
        store.commit(Shard(1), vec![set]).await.unwrap();
        let mut own = WriteSet::new();
        own.put(SPACE, b"b".to_vec(), b"2".to_vec());
        own.put(SPACE, b"c".to_vec(), b"2".to_vec());
        own.remove(SPACE, b"e".to_vec());
        own.put(SPACE, b"h".to_vec(), b"2".to_vec());
        let overlaid = OverlaidSnapshot::new(store.snapshot().await.unwrap(), Shard(1), own);
        for limit in 1..7 {
            let forward = keys(&overlaid, Direction::Forward, limit).await;
            assert_eq!(forward, ["a1", "b2", "c2", "g1", "h2"], "{limit}");
            let backward = keys(&overlaid, Direction::Backward, limit).await;
            assert_eq!(backward, ["h2", "g1", "c2", "b2", "a1"], "{limit}");
        }
    }
}
