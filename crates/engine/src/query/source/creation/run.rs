//! Divides lookups into runs: terms that are in the order of ordinals by themselves.
//!
//! The terms of one value are such a run, and so are the items without a value. Up to `RUNS_MAX` of them can be merged;
//! a range has as many as it has values, which nobody knows.

use bytes::Bytes;

use crate::ordered_bytes::UNDEFINED;
use crate::query::continuation::TermPosition;
use crate::query::source::term::{LookupBranch, TermIterator, TermScan, decode_value, successor};
use crate::query::target::PartitionSlice;

/// The most runs that are merged: each of them is open at once.
pub(super) const RUNS_MAX: usize = 64;

/// A lookup as runs.
pub(in crate::query::source) struct RunSet {
    pub(super) branches: Vec<LookupBranch>,
    pub(super) runs: Vec<Run>,
}

/// The terms of one value.
pub(super) struct Run {
    /// The branch it belongs to.
    pub(super) branch: usize,
    pub(super) terms: TermScan,
}

impl Run {
    /// Reads its terms in a slice, after an ordinal.
    pub(super) fn open(&self, slice: &PartitionSlice, after: Option<u64>) -> TermIterator {
        let value = self.terms.ranges.first();
        // A run without a range is that of the items without a value.
        let value = value.map_or([UNDEFINED].as_slice(), |(low, _)| low.as_slice());
        let value = Bytes::copy_from_slice(value);
        let after = after.map(|ordinal| TermPosition { value, ordinal });
        TermIterator::new(slice, &self.terms, after.as_ref())
    }
}

/// Divides the branches of a lookup; gives them back if some have no such order.
pub(in crate::query::source) fn divide(
    branches: Vec<LookupBranch>,
) -> Result<RunSet, Vec<LookupBranch>> {
    let mut runs = Vec::new();
    for (number, branch) in branches.iter().enumerate() {
        let terms = &branch.terms;
        let is_divisible = branch.condition.test.is_none()
            && terms.ranges.len() <= RUNS_MAX
            && terms.ranges.iter().all(|range| is_one_value(terms, range));
        if !is_divisible {
            return Err(branches);
        }
        let of_value = |range| TermScan { ranges: vec![range], absent: false, ..terms.clone() };
        let values = terms.ranges.iter().cloned().map(of_value);
        let absent = TermScan { ranges: Vec::new(), ..terms.clone() };
        let absent = terms.absent.then_some(absent);
        runs.extend(values.chain(absent).map(|terms| Run { branch: number, terms }));
    }
    if runs.len() > RUNS_MAX { Err(branches) } else { Ok(RunSet { branches, runs }) }
}

/// Whether a range of a term scan contains one value, with all its components.
fn is_one_value(terms: &TermScan, (low, high): &(Vec<u8>, Vec<u8>)) -> bool {
    if *high != successor(low.clone()) {
        return false;
    }
    let mut rest = low.as_slice();
    for (_, is_inverted) in &terms.paths {
        let inverted: Vec<u8>;
        let bytes = match is_inverted {
            true => {
                inverted = rest.iter().map(|byte| !byte).collect();
                &inverted
            }
            false => rest,
        };
        // A prefix of values, such as that of STARTSWITH, cannot be decoded. A hash can: equal values have equal ones.
        let Some((_, length)) = decode_value(bytes) else { return false };
        let Some(left) = rest.get(length..) else { return false };
        rest = left;
    }
    rest.is_empty()
}
