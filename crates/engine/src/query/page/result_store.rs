//! Results that are known only after all items were read, stored between the pages of a query.
//!
//! The first page computes the rows; those that do not fit on it are stored, and later pages read them by number. So a
//! query reads each item once whatever its page size, and also when the server restarts between two pages. A result is
//! kept for a limited time, and all of them within a limit of bytes; a token whose result is gone computes it again.
//!
//! A result is chunks of rows and then a header, in separate commits: without its header it does not exist, so a crash
//! leaves at most chunks that the sweep removes by their age. The header repeats what the result belongs to. A token is
//! not signed, so a reader must not trust it to name a result of its own query.

use bytes::{Buf, Bytes};
use storage::{Direction, Read, Scan, ScanLimit, Store, WriteSet};
use tokio::sync::Mutex;

use super::builder::{PageBuilder, RowPush};
use crate::error::{Error, Result};
use crate::key_layout::{RESULTS, RESULTS_SHARD, ResultKey};

/// How long a result is kept.
pub(crate) const RESULT_LIFETIME_MS: u64 = 60 * 60 * 1000;
/// Bytes of all results together; beyond it the oldest go.
const RESULTS_BYTES_MAX: u64 = 1 << 30;
/// Approximate bytes of a chunk: a page of ordinary rows reads one or two.
const CHUNK_BYTES: usize = 64 * 1024;
/// Approximate bytes of a commit. Results must not hold up the commits of items.
const COMMIT_BYTES: usize = 1024 * 1024;
/// Chunks read at a time.
const CHUNKS_PER_SCAN: usize = 16;
/// Headers read at a time.
const HEADERS_PER_SCAN: usize = 1024;
const VERSION: u8 = 1;

/// The stored results of all queries.
#[derive(Debug, Default)]
pub(crate) struct ResultStore {
    /// Bytes of all results; `None` until the headers were read. Also serializes writers, which is rare enough.
    total_bytes: Mutex<Option<u64>>,
}

/// Rows to be stored, beginning with row `first` of the result.
pub(in crate::query) struct RemainingRows {
    pub(in crate::query) first: u64,
    pub(in crate::query) texts: Vec<Bytes>,
}

impl ResultStore {
    /// Stores the rows that did not fit on a page; returns whether it did, as a very large result is not stored.
    pub(in crate::query) async fn save(
        &self,
        store: &dyn Store,
        key: ResultKey,
        owner: &[u8],
        rows: &RemainingRows,
    ) -> Result<bool> {
        let bytes = rows.texts.iter().map(|text| text.len() as u64 + 4).sum::<u64>();
        // One result must not evict all others.
        if bytes > RESULTS_BYTES_MAX / 4 {
            return Ok(false);
        }
        let mut total = self.total_bytes.lock().await;
        let mut known = match *total {
            Some(known) => known,
            None => stored_bytes(store).await?,
        };
        while known.saturating_add(bytes) > RESULTS_BYTES_MAX {
            match remove_oldest(store).await? {
                Some(removed) => known = known.saturating_sub(removed),
                None => break,
            }
        }
        // Counted before it is written: after an error it is unknown what has arrived, and too large is the safe side.
        known += bytes;
        *total = Some(known);
        write_chunks(store, key, rows).await?;
        let mut set = WriteSet::new();
        set.put(RESULTS, key.header(), header(bytes, rows, owner));
        store.commit(RESULTS_SHARD, vec![set]).await?;
        Ok(true)
    }

    /// Removes at most `entries_max` entries of results that are too old; returns how many.
    pub(crate) async fn sweep(
        &self,
        store: &dyn Store,
        now_ms: u64,
        entries_max: usize,
    ) -> Result<usize> {
        let mut total = self.total_bytes.lock().await;
        // Headers first: a result without chunks must not be found.
        for range in ResultKey::stored_before(now_ms.saturating_sub(RESULT_LIFETIME_MS)) {
            let scan = Scan::forward(range, ScanLimit::entries(entries_max));
            let page = store.scan(RESULTS_SHARD, RESULTS, &scan).await?;
            if page.entries.is_empty() {
                continue;
            }
            let mut set = WriteSet::new();
            for entry in &page.entries {
                set.remove(RESULTS, entry.key.clone());
                let bytes = ResultKey::decode_header(&entry.key)
                    .and_then(|_| ResultHeader::decode(&entry.value));
                if let (Some(total), Some(header)) = (total.as_mut(), bytes) {
                    *total = total.saturating_sub(header.bytes);
                }
            }
            store.commit(RESULTS_SHARD, vec![set]).await?;
            return Ok(page.entries.len());
        }
        Ok(0)
    }
}

/// Fills a page with stored rows from number `from` on; returns whether more follow. `None` if there is no such result,
/// or if it belongs to something else.
pub(in crate::query) async fn read_stored_rows(
    snapshot: &dyn Read,
    key: ResultKey,
    owner: &[u8],
    from: u64,
    page: &mut PageBuilder,
) -> Result<Option<bool>> {
    let Some(stored) = snapshot.get(RESULTS_SHARD, RESULTS, &key.header()).await? else {
        return Ok(None);
    };
    let header = ResultHeader::decode(&stored).ok_or_else(damaged)?;
    if header.owner != owner || from < header.first_row || from > header.end_row {
        return Ok(None);
    }
    // The chunk that contains the row, then those after it.
    let mut scan = Scan {
        range: key.chunks_up_to(from),
        direction: Direction::Backward,
        limit: ScanLimit::entries(1),
    };
    let mut next = from;
    while next < header.end_row {
        let chunks = snapshot.scan(RESULTS_SHARD, RESULTS, &scan).await?.entries;
        let Some(last) = chunks.last() else { return Err(damaged()) };
        let last_row = ResultKey::first_row(&last.key).ok_or_else(damaged)?;
        for chunk in chunks {
            let first = ResultKey::first_row(&chunk.key).ok_or_else(damaged)?;
            let mut rest = chunk.value;
            let mut row = first;
            while rest.len() >= 4 {
                let length = usize::try_from(rest.get_u32()).unwrap_or(usize::MAX);
                if rest.len() < length {
                    return Err(damaged());
                }
                let text = rest.split_to(length);
                if row >= next {
                    if page.push(|| Ok::<_, Error>(text))? != RowPush::Accepted {
                        return Ok(Some(true));
                    }
                    next = row + 1;
                }
                row += 1;
            }
        }
        scan = Scan::forward(key.chunks_after(last_row), ScanLimit::entries(CHUNKS_PER_SCAN));
    }
    Ok(Some(false))
}

/// What the header of a result says.
struct ResultHeader {
    bytes: u64,
    first_row: u64,
    end_row: u64,
    owner: Bytes,
}

impl ResultHeader {
    fn decode(value: &Bytes) -> Option<Self> {
        let mut rest = value.clone();
        if rest.len() < 25 || rest.get_u8() != VERSION {
            return None;
        }
        let (bytes, first_row, end_row) = (rest.get_u64(), rest.get_u64(), rest.get_u64());
        Some(Self { bytes, first_row, end_row, owner: rest })
    }
}

fn header(bytes: u64, rows: &RemainingRows, owner: &[u8]) -> Vec<u8> {
    let mut header = vec![VERSION];
    let end = rows.first + rows.texts.len() as u64;
    for number in [bytes, rows.first, end] {
        header.extend_from_slice(&number.to_be_bytes());
    }
    header.extend_from_slice(owner);
    header
}

async fn write_chunks(store: &dyn Store, key: ResultKey, rows: &RemainingRows) -> Result<()> {
    let mut set = WriteSet::new();
    let mut chunk: Vec<u8> = Vec::new();
    let (mut first, mut set_bytes) = (rows.first, 0);
    for (number, text) in (rows.first..).zip(&rows.texts) {
        chunk.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
        chunk.extend_from_slice(text);
        if chunk.len() >= CHUNK_BYTES {
            set_bytes += chunk.len();
            set.put(RESULTS, key.chunk(first), std::mem::take(&mut chunk));
            first = number + 1;
        }
        if set_bytes >= COMMIT_BYTES {
            store.commit(RESULTS_SHARD, vec![std::mem::take(&mut set)]).await?;
            set_bytes = 0;
        }
    }
    if !chunk.is_empty() {
        set.put(RESULTS, key.chunk(first), chunk);
    }
    if !set.writes.is_empty() {
        store.commit(RESULTS_SHARD, vec![set]).await?;
    }
    Ok(())
}

async fn stored_bytes(store: &dyn Store) -> Result<u64> {
    let (mut range, mut bytes) = (ResultKey::headers(), 0_u64);
    loop {
        let scan = Scan::forward(range.clone(), ScanLimit::entries(HEADERS_PER_SCAN));
        let page = store.scan(RESULTS_SHARD, RESULTS, &scan).await?;
        for entry in &page.entries {
            let header = ResultHeader::decode(&entry.value).ok_or_else(damaged)?;
            bytes = bytes.saturating_add(header.bytes);
        }
        match page.entries.last() {
            Some(last) if page.more => {
                range = range.after(last.key.clone(), Direction::Forward);
            }
            _ => return Ok(bytes),
        }
    }
}

/// Removes the oldest result; returns its bytes, or `None` if there is none.
async fn remove_oldest(store: &dyn Store) -> Result<Option<u64>> {
    let scan = Scan::forward(ResultKey::headers(), ScanLimit::entries(1));
    let page = store.scan(RESULTS_SHARD, RESULTS, &scan).await?;
    let Some(oldest) = page.entries.first() else { return Ok(None) };
    let key = ResultKey::decode_header(&oldest.key).ok_or_else(damaged)?;
    let header = ResultHeader::decode(&oldest.value).ok_or_else(damaged)?;
    let mut set = WriteSet::new();
    set.remove(RESULTS, oldest.key.clone());
    store.commit(RESULTS_SHARD, vec![set]).await?;
    loop {
        let scan = Scan::forward(key.chunks(), ScanLimit::entries(CHUNKS_PER_SCAN));
        let page = store.scan(RESULTS_SHARD, RESULTS, &scan).await?;
        if page.entries.is_empty() {
            return Ok(Some(header.bytes));
        }
        let mut set = WriteSet::new();
        page.entries.into_iter().for_each(|entry| set.remove(RESULTS, entry.key));
        store.commit(RESULTS_SHARD, vec![set]).await?;
    }
}

fn damaged() -> Error {
    Error::corrupt("a stored query result is damaged")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use storage::memory::MemoryStore;

    use super::*;

    const KEY: ResultKey = ResultKey { created_ms: 10, random: 3 };

    fn rows(count: usize, bytes: usize) -> RemainingRows {
        let texts = (0..count).map(|number| format!("{number:0bytes$}").into());
        RemainingRows { first: 5, texts: texts.collect() }
    }

    async fn read(store: &dyn Store, owner: &[u8], from: u64) -> Option<(Vec<Bytes>, bool)> {
        let mut page = PageBuilder::without_window(1_000_000, usize::MAX);
        let read = read_stored_rows(store, KEY, owner, from, &mut page).await.unwrap();
        read.map(|more| (page.rows, more))
    }

    #[tokio::test]
    async fn rows_are_read_by_number_across_chunks() {
        let store = MemoryStore::new();
        let results = ResultStore::default();
        let saved = rows(3_000, 100);
        assert!(results.save(&store, KEY, b"owner", &saved).await.unwrap());
        for from in [5, 6, 700, 3_004, 3_005] {
            let (found, more) = read(&store, b"owner", from).await.unwrap();
            assert_eq!(found, saved.texts[usize::try_from(from).unwrap() - 5..], "from {from}");
            assert!(!more);
        }
        assert_eq!(read(&store, b"owner", 4).await, None, "an earlier row was never stored");
        assert_eq!(read(&store, b"owner", 3_006).await, None);
    }

    #[tokio::test]
    async fn a_result_is_found_only_by_its_owner() {
        let store = MemoryStore::new();
        ResultStore::default().save(&store, KEY, b"owner", &rows(3, 1)).await.unwrap();
        assert!(read(&store, b"owner", 5).await.is_some());
        assert_eq!(read(&store, b"other", 5).await, None);
    }

    #[tokio::test]
    async fn old_results_are_swept_and_their_bytes_are_no_longer_counted() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let results = ResultStore::default();
        results.save(store.as_ref(), KEY, b"owner", &rows(3, 1)).await.unwrap();
        assert!(results.total_bytes.lock().await.unwrap() > 0);
        let end = KEY.created_ms + RESULT_LIFETIME_MS;
        assert_eq!(results.sweep(store.as_ref(), end, 10).await.unwrap(), 0);
        assert_eq!(results.sweep(store.as_ref(), end + 1, 10).await.unwrap(), 1, "the header");
        assert_eq!(read(store.as_ref(), b"owner", 5).await, None);
        assert_eq!(results.sweep(store.as_ref(), end + 1, 10).await.unwrap(), 1, "the rows");
        assert_eq!(results.sweep(store.as_ref(), end + 1, 10).await.unwrap(), 0);
        assert_eq!(*results.total_bytes.lock().await, Some(0));
        // After a restart the bytes are counted from the headers.
        results.save(store.as_ref(), KEY, b"owner", &rows(3, 1)).await.unwrap();
        assert_eq!(stored_bytes(store.as_ref()).await.unwrap(), 15);
        assert_eq!(remove_oldest(store.as_ref()).await.unwrap(), Some(15));
        assert_eq!(remove_oldest(store.as_ref()).await.unwrap(), None);
    }
}
