//! Guarantees about reading ranges.
//!
//! Owns bounds, directions, limits and the borders of shard and space. Does not own snapshots: see `commits`.

use std::ops::Bound;
use std::sync::Arc;

use super::check::{CaseResult, SHARD, bytes, commit, expect_equal, expect_true, put, scan};
use super::{ITEMS, TERMS};
use crate::{Direction, KeyRange, Scan, ScanLimit, Shard, StorageKey, Store, WriteSet};

const PLENTY: ScanLimit = ScanLimit { entries_max: 1000, bytes_max: usize::MAX };

/// Puts the keys a, b, c, d, e with themselves as values.
async fn put_five(store: &dyn Store) -> crate::Result<()> {
    let entries: [(&[u8], &[u8]); 5] =
        [(b"a", b"a"), (b"b", b"b"), (b"c", b"c"), (b"d", b"d"), (b"e", b"e")];
    put(store, &entries).await.map(drop)
}

fn keys(letters: &str) -> Vec<StorageKey> {
    letters.bytes().map(|letter| bytes(&[letter])).collect()
}

fn reversed(letters: &str) -> Vec<StorageKey> {
    keys(letters).into_iter().rev().collect()
}

pub(super) async fn every_kind_of_bound_selects_the_right_keys(
    store: Arc<dyn Store>,
) -> CaseResult {
    put_five(&*store).await?;
    let lowers = [
        (Bound::Unbounded, "abcde"),
        (Bound::Included(bytes(b"b")), "bcde"),
        (Bound::Excluded(bytes(b"b")), "cde"),
        (Bound::Included(bytes(b"bb")), "cde"),
        (Bound::Excluded(bytes(b"")), "abcde"),
    ];
    let uppers = [
        (Bound::Unbounded, "abcde"),
        (Bound::Included(bytes(b"d")), "abcd"),
        (Bound::Excluded(bytes(b"d")), "abc"),
        (Bound::Excluded(bytes(b"cc")), "abc"),
        (Bound::Included(bytes(b"zz")), "abcde"),
    ];
    for (lower, above) in &lowers {
        for (upper, below) in &uppers {
            let expected: String = above.chars().filter(|key| below.contains(*key)).collect();
            let range = KeyRange { lower: lower.clone(), upper: upper.clone() };
            let context = format!("{range:?}");
            let forward = scan(&*store, Scan::forward(range.clone(), PLENTY)).await?;
            expect_equal(&context, forward, (keys(&expected), false))?;
            let backward = scan(&*store, Scan::backward(range, PLENTY)).await?;
            expect_equal(&context, backward, (reversed(&expected), false))?;
        }
    }
    Ok(())
}

pub(super) async fn empty_and_reversed_ranges_find_nothing(store: Arc<dyn Store>) -> CaseResult {
    let nothing = scan(&*store, Scan::forward(KeyRange::all(), PLENTY)).await?;
    expect_equal("an empty space", nothing, (vec![], false))?;
    put_five(&*store).await?;
    let included = |key: &[u8]| Bound::Included(bytes(key));
    let excluded = |key: &[u8]| Bound::Excluded(bytes(key));
    let ranges = [
        (included(b"d"), included(b"b")),
        (excluded(b"d"), excluded(b"b")),
        (excluded(b"b"), excluded(b"b")),
        (included(b"b"), excluded(b"b")),
        (excluded(b"b"), included(b"b")),
        (included(b"x"), Bound::Unbounded),
        (Bound::Unbounded, excluded(b"a")),
        (Bound::Unbounded, excluded(b"")),
        (excluded(b"b"), excluded(b"c")),
    ];
    for (lower, upper) in ranges {
        let range = KeyRange { lower, upper };
        for direction in [Direction::Forward, Direction::Backward] {
            let found =
                scan(&*store, Scan { range: range.clone(), direction, limit: PLENTY }).await?;
            expect_equal(&format!("{range:?} {direction:?}"), found, (vec![], false))?;
        }
    }
    let single = KeyRange { lower: included(b"b"), upper: included(b"b") };
    expect_equal("one key", scan(&*store, Scan::forward(single, PLENTY)).await?, (keys("b"), false))
}

pub(super) async fn a_limit_in_entries_ends_the_page_and_sets_more(
    store: Arc<dyn Store>,
) -> CaseResult {
    put_five(&*store).await?;
    let limit = ScanLimit::entries(2);
    let forward = scan(&*store, Scan::forward(KeyRange::all(), limit)).await?;
    expect_equal("two from the start", forward, (keys("ab"), true))?;
    let backward = scan(&*store, Scan::backward(KeyRange::all(), limit)).await?;
    expect_equal("two from the end", backward, (reversed("de"), true))?;
    let more_than_all =
        scan(&*store, Scan::forward(KeyRange::all(), ScanLimit::entries(6))).await?;
    expect_equal("more than exist", more_than_all, (keys("abcde"), false))?;
    let none = scan(&*store, Scan::forward(KeyRange::all(), ScanLimit::entries(0))).await?;
    // A page without an entry and with `more` would make its reader ask for ever.
    expect_equal("at least one", none, (keys("a"), true))
}

pub(super) async fn a_limit_in_bytes_ends_the_page_but_never_before_one_entry(
    store: Arc<dyn Store>,
) -> CaseResult {
    put_five(&*store).await?;
    for (bytes_max, expected) in [(0, "a"), (1, "a"), (2, "a"), (3, "ab"), (4, "ab"), (5, "abc")] {
        let limit = ScanLimit { entries_max: 1000, bytes_max };
        let found = scan(&*store, Scan::forward(KeyRange::all(), limit)).await?;
        expect_equal(&format!("at {bytes_max} bytes"), found, (keys(expected), true))?;
    }
    let limit = ScanLimit { entries_max: 1000, bytes_max: 11 };
    let found = scan(&*store, Scan::forward(KeyRange::all(), limit)).await?;
    expect_equal("more bytes than exist", found, (keys("abcde"), false))
}

pub(super) async fn pages_continued_after_the_last_key_cover_the_range_once(
    store: Arc<dyn Store>,
) -> CaseResult {
    put_five(&*store).await?;
    for direction in [Direction::Forward, Direction::Backward] {
        let mut range = KeyRange::all();
        let mut covered = Vec::new();
        loop {
            let limit = ScanLimit::entries(2);
            let (found, more) =
                scan(&*store, Scan { range: range.clone(), direction, limit }).await?;
            if let Some(last) = found.last() {
                range = range.after(last.clone(), direction);
            }
            covered.extend(found);
            if !more {
                break;
            }
            // A wrong bound would return the last key again; the case must fail then and not hang.
            expect_true("a continued scan ends", covered.len() <= 5)?;
        }
        let expected = match direction {
            Direction::Forward => keys("abcde"),
            Direction::Backward => reversed("abcde"),
        };
        expect_equal("all keys once", covered, expected)?;
    }
    Ok(())
}

pub(super) async fn a_prefix_range_covers_its_prefix_even_when_it_ends_in_ff(
    store: Arc<dyn Store>,
) -> CaseResult {
    let written: [&[u8]; 8] =
        [b"", b"p", b"p\x00", b"p\xFF", b"p\xFF\xFF\xFF", b"q", b"\xFF", b"\xFF\xFF\x01"];
    let entries: Vec<(&[u8], &[u8])> = written.iter().map(|key| (*key, *key)).collect();
    put(&*store, &entries).await?;
    // The next shard begins right after the greatest key of this one.
    let mut set = WriteSet::new();
    set.put(ITEMS, bytes(b""), bytes(b"next shard"));
    commit(&*store, Shard(SHARD.0 + 1), set).await?;
    for prefix in [b"".as_slice(), b"p", b"p\xFF", b"\xFF", b"\xFF\xFF", b"\xFF\xFF\xFF"] {
        let mut expected: Vec<StorageKey> =
            written.iter().filter(|key| key.starts_with(prefix)).map(|key| bytes(key)).collect();
        expected.sort();
        let context = format!("the prefix {prefix:?}");
        let forward = Scan::forward(KeyRange::prefix(prefix), PLENTY);
        expect_equal(&context, scan(&*store, forward).await?, (expected.clone(), false))?;
        expected.reverse();
        let backward = Scan::backward(KeyRange::prefix(prefix), PLENTY);
        expect_equal(&context, scan(&*store, backward).await?, (expected, false))?;
    }
    Ok(())
}

pub(super) async fn a_scan_stays_inside_its_shard_and_space(store: Arc<dyn Store>) -> CaseResult {
    for shard in [0, 6, 7, 8, u32::MAX] {
        // Neighbours and both ends: a store that puts the shard into the key must not run over into the next one.
        for space in [ITEMS, TERMS] {
            let mut set = WriteSet::new();
            set.put(space, bytes(b"key"), format!("{shard} {}", space.name).into_bytes());
            commit(&*store, Shard(shard), set).await?;
        }
    }
    for shard in [0, 6, 7, 8, u32::MAX] {
        for direction in [Direction::Forward, Direction::Backward] {
            let everything = Scan { range: KeyRange::all(), direction, limit: PLENTY };
            let page = store.scan(Shard(shard), ITEMS, &everything).await?;
            let values: Vec<_> = page.entries.into_iter().map(|entry| entry.value).collect();
            let expected = format!("{shard} {}", ITEMS.name).into_bytes().into();
            expect_equal("only the entry of this shard", values, vec![expected])?;
        }
    }
    Ok(())
}

pub(super) async fn removed_keys_do_not_appear(store: Arc<dyn Store>) -> CaseResult {
    put_five(&*store).await?;
    let mut set = WriteSet::new();
    set.remove(ITEMS, bytes(b"a"));
    set.remove(ITEMS, bytes(b"c"));
    commit(&*store, SHARD, set).await?;
    let two = Scan::forward(KeyRange::all(), ScanLimit::entries(2));
    expect_equal("removed keys do not count", scan(&*store, two).await?, (keys("bd"), true))?;
    let all = Scan::backward(KeyRange::all(), PLENTY);
    expect_equal("what is left", scan(&*store, all).await?, (reversed("bde"), false))
}
