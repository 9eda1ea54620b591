//! Guarantees about the numbers a commit assigns.
//!
//! Owns their order and where they are written. Does not own waiting for them: see `lifecycle`.

use std::sync::Arc;

use super::check::{
    CaseResult, SHARD, bytes, commit, expect_equal, expect_error, expect_true, get, put,
};
use super::{ITEMS, LOG};
use crate::{ErrorKind, Guard, Shard, Stamp, Store, WriteSet};

pub(super) async fn stamps_are_placed_big_endian_in_keys_and_values(
    store: Arc<dyn Store>,
) -> CaseResult {
    for _ in 0..300 {
        // Past 255, so that a wrong byte order shows.
        commit(&*store, SHARD, WriteSet::new()).await?;
    }
    let mut set = WriteSet::new();
    set.put_stamped(ITEMS, b"k--------k".to_vec(), b"v--------v".to_vec(), Some(1), Some(1));
    set.put_stamped(ITEMS, b"only value".to_vec(), vec![9; 8], None, Some(0));
    set.put_stamped(LOG, vec![9; 9], bytes(b"only key"), Some(1), None);
    let stamp = commit(&*store, SHARD, set).await?;
    expect_true("the stamp needs two bytes", stamp.0 > 255)?;
    let stamped = |first: &[u8], last: &[u8]| [first, &stamp.0.to_be_bytes(), last].concat();
    let both = get(&*store, &stamped(b"k", b"k")).await?;
    expect_equal("key and value", both, Some(stamped(b"v", b"v").into()))?;
    expect_equal("the unstamped key", get(&*store, b"k--------k").await?, None)?;
    let value = get(&*store, b"only value").await?;
    expect_equal("the value alone", value, Some(stamped(b"", b"").into()))?;
    let value = store.get(SHARD, LOG, &stamped(&[9], b"")).await?;
    expect_equal("the key alone", value, Some(bytes(b"only key")))
}

pub(super) async fn the_sets_of_a_group_have_increasing_stamps(
    store: Arc<dyn Store>,
) -> CaseResult {
    let before = put(&*store, &[(b"a", b"1")]).await?;
    let set = |number: u8| {
        let mut set = WriteSet::new();
        set.put_stamped(LOG, vec![0; 8], vec![number], Some(0), None);
        set
    };
    let stamps = store.commit(SHARD, vec![set(0), set(1), set(2)]).await?;
    expect_equal("one stamp per set", stamps.len(), 3)?;
    let mut last = before;
    for (number, stamp) in stamps.iter().enumerate() {
        expect_true(&format!("{stamp:?} follows {last:?}"), *stamp > last)?;
        last = *stamp;
        let logged = store.get(SHARD, LOG, &stamp.0.to_be_bytes()).await?;
        expect_equal("each set has its own stamp", logged, Some(vec![number as u8].into()))?;
    }
    expect_equal("the last stamp", store.last_stamp(SHARD).await?, last)?;
    expect_true("the next commit follows", put(&*store, &[(b"a", b"2")]).await? > last)
}

pub(super) async fn a_stamp_is_greater_than_stamp_above(store: Arc<dyn Store>) -> CaseResult {
    let above = |stamp| WriteSet { stamp_above: Stamp(stamp), ..WriteSet::new() };
    let first = commit(&*store, SHARD, above(1000)).await?;
    expect_true("above what was asked", first > Stamp(1000))?;
    let second = commit(&*store, SHARD, above(5)).await?;
    expect_true("never backwards", second > first)?;
    // The third set asks for nothing, but must still follow the second.
    let stamps = store.commit(SHARD, vec![above(0), above(5000), above(0)]).await?;
    expect_true("inside a group", stamps.is_sorted_by(|earlier, later| earlier < later))?;
    expect_true("above in the middle of a group", stamps.get(1) > Some(&Stamp(5000)))?;
    expect_equal("the last stamp", stamps.last().copied(), Some(store.last_stamp(SHARD).await?))
}

pub(super) async fn each_shard_counts_its_own_stamps(store: Arc<dyn Store>) -> CaseResult {
    expect_equal("an unwritten shard", store.last_stamp(Shard(1)).await?, Stamp::ZERO)?;
    let above = WriteSet { stamp_above: Stamp(1_000_000), ..WriteSet::new() };
    commit(&*store, Shard(1), above).await?;
    let other = commit(&*store, Shard(2), WriteSet::new()).await?;
    expect_true("another shard starts low", other < Stamp(1_000_000))?;
    expect_true("the first went on", store.last_stamp(Shard(1)).await? > Stamp(1_000_000))?;
    expect_equal("a third is untouched", store.last_stamp(Shard(3)).await?, Stamp::ZERO)
}

pub(super) async fn a_refused_group_leaves_the_last_stamp_alone(
    store: Arc<dyn Store>,
) -> CaseResult {
    let before = put(&*store, &[(b"a", b"1")]).await?;
    let mut set = WriteSet::new();
    set.guard(ITEMS, bytes(b"a"), Guard::Absent);
    expect_true("the guard fails", commit(&*store, SHARD, set).await.is_err())?;
    expect_equal("the last stamp", store.last_stamp(SHARD).await?, before)
}

pub(super) async fn a_stamp_offset_outside_its_bytes_is_refused(
    store: Arc<dyn Store>,
) -> CaseResult {
    // Eight bytes at position 1 end at 9; the greatest position overflows when eight is added to it.
    for (key_at, value_at) in [(Some(1), None), (None, Some(1)), (Some(usize::MAX), None)] {
        let mut set = WriteSet::new();
        set.put(ITEMS, bytes(b"beside"), bytes(b"1"));
        set.put_stamped(ITEMS, vec![0; 8], vec![0; 8], key_at, value_at);
        let refused = commit(&*store, SHARD, set).await;
        expect_error("a position outside", refused, &ErrorKind::Invalid)?;
    }
    expect_equal("nothing was written", get(&*store, b"beside").await?, None)?;
    expect_equal("no stamp was used", store.last_stamp(SHARD).await?, Stamp::ZERO)
}

pub(super) async fn a_stamp_above_the_greatest_number_is_refused(
    store: Arc<dyn Store>,
) -> CaseResult {
    let before = put(&*store, &[(b"a", b"1")]).await?;
    let mut set = WriteSet { stamp_above: Stamp(u64::MAX), ..WriteSet::new() };
    set.put(ITEMS, bytes(b"a"), bytes(b"2"));
    let refused = commit(&*store, SHARD, set).await;
    expect_error("above the greatest number", refused, &ErrorKind::Invalid)?;
    expect_equal("the last stamp", store.last_stamp(SHARD).await?, before)?;
    expect_equal("nothing was written", get(&*store, b"a").await?, Some(bytes(b"1")))
}
