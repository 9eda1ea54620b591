//! Derives term scans from lookups and orders.

use std::sync::Arc;

use ::query::plan::access::{CompositeLookup, Indexes, Lookup};
use ::query::plan::condition::{PathCondition, ValueSet};
use ::query::{EachWorkLimit, EvaluationContext, PreparedExpression, WorkGovernor};
use model::{CompositeIndex, CompositeOrder, IndexPathSegment, Json};

use super::condition::{ConditionKind, TermCondition};
use super::iterator::{TermIndex, TermScan};
use super::value_bytes::{
    ByteRange, byte_ranges, composite_ranges, encode_value, inverted_range, successor,
};
use crate::index::{composite_number, path_text};

/// One term scan of a lookup. An item is returned by the first branch that finds it.
pub(in crate::query::source) struct LookupBranch {
    pub(in crate::query::source) condition: TermCondition,
    pub(in crate::query::source) terms: TermScan,
    /// Further lookups that must find the item too.
    pub(in crate::query::source) also: Vec<(TermCondition, TermScan)>,
}

impl LookupBranch {
    /// Whether an item satisfies all conditions of the branch.
    pub(in crate::query::source) fn matches(&self, item: &Json) -> bool {
        self.condition.matches(item)
            && self.also.iter().all(|(condition, _)| condition.matches(item))
    }
}

/// The term scans that together find everything a lookup finds; `None` if all items must be read.
pub(in crate::query::source) fn branches(
    lookup: &Lookup,
    indexes: &Indexes,
    context: &EvaluationContext,
) -> Option<Vec<LookupBranch>> {
    match lookup {
        // No branch finds nothing. That differs from none, which means a scan.
        Lookup::Nothing => Some(Vec::new()),
        Lookup::Everything => None,
        Lookup::Path(condition) => Some(vec![LookupBranch {
            terms: path_terms(condition),
            condition: path_condition(condition, context),
            also: Vec::new(),
        }]),
        Lookup::Composite(lookup) => {
            let composite = indexes.composites().get(lookup.index)?;
            let paths = composite.paths.iter().map(|part| part.path.segments().to_vec()).collect();
            let kind = ConditionKind::Composite { lookup: lookup.clone(), paths };
            Some(vec![LookupBranch {
                terms: lookup_terms(lookup, composite),
                condition: TermCondition { kind, test: None },
                also: Vec::new(),
            }])
        }
        Lookup::Union(parts) => {
            let mut found = Vec::new();
            for part in parts {
                // One part of a union that needs all items makes the whole union a scan.
                found.extend(branches(part, indexes, context)?);
            }
            Some(found)
        }
        Lookup::Intersection(parts) => intersection(parts, indexes, context),
    }
}

/// The first part is scanned; the others filter its terms if they consist of a single scan without a test.
fn intersection(
    parts: &[Lookup],
    indexes: &Indexes,
    context: &EvaluationContext,
) -> Option<Vec<LookupBranch>> {
    // A part of an intersection without terms is left to the filter.
    let mut parts = parts.iter().filter_map(|part| branches(part, indexes, context));
    let mut driver = parts.next()?;
    // A union as the driver keeps its branches alone: the other parts would have to be read once per branch.
    if let [branch] = driver.as_mut_slice() {
        for part in parts {
            if let [only] = part.as_slice()
                && only.condition.test.is_none()
                && only.also.is_empty()
            {
                branch.also.push((only.condition.clone(), only.terms.clone()));
            }
        }
    }
    Some(driver)
}

/// Units of work of the test of one value. A value that needs more passes, and the filter decides on its item within
/// the budget of the request.
const TEST_UNITS_MAX: u64 = 5_000;

fn path_condition(condition: &PathCondition, context: &EvaluationContext) -> TermCondition {
    let test = condition.test.as_ref();
    // The limit is that of each value and not of the request: which term returns an item is decided by evaluating the
    // test again, also on another page, and must have the same result.
    let governor: Arc<dyn WorkGovernor> = Arc::new(EachWorkLimit { units_max: TEST_UNITS_MAX });
    let limited = || EvaluationContext { governor: Arc::clone(&governor), ..context.clone() };
    let test = test.map(|test| Arc::new((PreparedExpression::new(test), limited())));
    TermCondition { kind: ConditionKind::Path(condition.clone()), test }
}

fn path_terms(condition: &PathCondition) -> TermScan {
    ordered_path_terms(&condition.path, &condition.values, false)
}

/// The terms of a path with some values.
pub(in crate::query::source) fn ordered_path_terms(
    path: &[IndexPathSegment],
    values: &ValueSet,
    is_reversed: bool,
) -> TermScan {
    TermScan {
        index: TermIndex::Path(path_text(path)),
        paths: vec![(path.to_vec(), false)],
        ranges: byte_ranges(values),
        absent: values.undefined,
        is_reversed,
    }
}

fn lookup_terms(lookup: &CompositeLookup, composite: &CompositeIndex) -> TermScan {
    let next = lookup.next.as_ref();
    composite_terms(composite, &lookup.equal, next, false)
}

/// The terms of a composite index with equal leading values and a set of values for the next path.
pub(in crate::query::source) fn composite_terms(
    composite: &CompositeIndex,
    equal: &[Json],
    next: Option<&ValueSet>,
    is_reversed: bool,
) -> TermScan {
    let mut prefix = Vec::new();
    for (part, value) in composite.paths.iter().zip(equal) {
        let bytes = encode_value(Some(value));
        let is_descending = part.order == CompositeOrder::Descending;
        prefix.extend(bytes.iter().map(|byte| if is_descending { !byte } else { *byte }));
    }
    let ranges = match (composite.paths.get(equal.len()), next) {
        (Some(part), Some(values)) => {
            let ranges = composite_ranges(values);
            let is_descending = part.order == CompositeOrder::Descending;
            // Descending components are stored inverted_range, which also reverses the order of their ranges.
            let ranges: Vec<ByteRange> = match is_descending {
                true => ranges.iter().rev().map(inverted_range).collect(),
                false => ranges,
            };
            let with_prefix = |bytes: Vec<u8>| prefix.iter().copied().chain(bytes).collect();
            ranges.into_iter().map(|(low, high)| (with_prefix(low), with_prefix(high))).collect()
        }
        // Value marks lie between 0 and 0xFF, so this range contains all terms.
        _ if prefix.is_empty() => vec![(vec![0], vec![0xFF])],
        _ => vec![(prefix.clone(), successor(prefix))],
    };
    let index = TermIndex::Composite(composite_number(composite));
    TermScan { index, paths: composite_paths(composite), ranges, absent: false, is_reversed }
}

/// The paths of a composite index, each with whether it is descending.
pub(in crate::query::source) fn composite_paths(
    composite: &CompositeIndex,
) -> Vec<(Vec<IndexPathSegment>, bool)> {
    let parts = composite.paths.iter();
    parts
        .map(|part| (part.path.segments().to_vec(), part.order == CompositeOrder::Descending))
        .collect()
}
