//! Which terms of a branch lead to a row: those whose value passes the test of the branch, and of several terms of one
//! item only the first.

use crate::error::Result;
use crate::key_layout::TermHit;
use crate::query::source::candidate::ItemContent;
use crate::query::source::page_reader::PageReader;
use crate::query::source::term::{LookupBranch, TermIterator, TermValue, decode_value};

/// Evaluates the test of a branch once per distinct value, and skips all terms of a value that fails.
pub(in crate::query::source) async fn filter_by_test(
    reader: &mut PageReader,
    branch: &LookupBranch,
    iterator: &mut TermIterator,
    hits: Vec<TermHit>,
) -> Vec<TermHit> {
    if branch.condition.test.is_none() {
        return hits;
    }
    /// Values that are tested before other tasks get their turn: each may take a fraction of a millisecond.
    const VALUES_AT_ONCE: usize = 16;
    let mut kept = Vec::with_capacity(hits.len());
    let runs = hits.chunk_by(|left, right| left.value == right.value);
    for (tested, run) in runs.enumerate() {
        let Some(first) = run.first() else { continue };
        if tested % VALUES_AT_ONCE == VALUES_AT_ONCE - 1 {
            tokio::task::yield_now().await;
        }
        // The service reads an index entry per distinct value; count it once even if its terms span batches.
        if iterator.enter_value(&first.value) {
            reader.charges.counters.index_entries += 1;
        }
        let passes = match decode_value(&first.value) {
            Some((TermValue::Value(value), _)) => branch.condition.passes(&value),
            // A hash instead of a value, or no value: only the item decides.
            _ => true,
        };
        if passes {
            kept.extend_from_slice(run);
        } else {
            iterator.skip_value(&first.value);
        }
    }
    kept
}

/// Whether an item is to be returned at this term, and not at an earlier term or branch that also finds it. Decided
/// from the item alone, so pages need no memory of what was returned.
pub(in crate::query::source) fn should_emit(
    branches: &[LookupBranch],
    branch: usize,
    content: &ItemContent,
    hit: &TermHit,
) -> Result<bool> {
    let Some(own) = branches.get(branch) else { return Ok(false) };
    // Items decoded from terms come only from lookups that find each item once; see `new`.
    let ItemContent::Record(record) = content else { return Ok(true) };
    let is_multi_valued = own.condition.is_multi_valued();
    if branches.len() == 1 && !is_multi_valued {
        return Ok(true);
    }
    let item = record.parse()?;
    let mut earlier = branches.iter().take(branch);
    // If the branch itself does not match the item (a range may contain more), a later branch may return it.
    Ok(own.matches(&item)
        && !earlier.any(|earlier| earlier.matches(&item))
        && (!is_multi_valued || own.condition.is_first_term(&item, &hit.value)))
}
