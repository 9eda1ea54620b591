//! From plans to terms.
//!
//! Owns which terms a lookup or an order walks, in bytes. Does not own the choice between them.

use std::sync::Arc;

use ::query::plan::access::{CompositeLookup, Indexes, Lookup};
use ::query::plan::condition::{PathCondition, ValueSet};
use ::query::{EvaluationContext, PreparedExpression};
use model::{CompositeIndex, CompositeOrder, IndexPathSegment, Json};

use super::matching::{Walked, WalkedCondition};
use super::value_bytes::{ByteRange, byte_ranges, composite_ranges, encoded, inverted, successor};
use super::walk::{TermIndex, Terms};
use crate::index::{composite_number, path_text};

/// One walk of a lookup. An item is given by the first walk that finds it.
pub(in crate::query::source) struct Branch {
    pub(in crate::query::source) walked: Walked,
    pub(in crate::query::source) terms: Terms,
    /// What else an item must be found by.
    pub(in crate::query::source) also: Vec<(Walked, Terms)>,
}

impl Branch {
    /// Whether an item is among those that the branch is for.
    pub(in crate::query::source) fn matches(&self, item: &Json) -> bool {
        self.walked.matches(item) && self.also.iter().all(|(walked, _)| walked.matches(item))
    }
}

/// The walks that together find everything a lookup finds; none when all items must be read.
pub(in crate::query::source) fn branches(
    lookup: &Lookup,
    indexes: &Indexes,
    context: &EvaluationContext,
) -> Option<Vec<Branch>> {
    match lookup {
        Lookup::Nothing => Some(Vec::new()),
        Lookup::Everything => None,
        Lookup::Path(condition) => Some(vec![Branch {
            terms: path_terms(condition),
            walked: walked_path(condition, context),
            also: Vec::new(),
        }]),
        Lookup::Composite(lookup) => {
            let composite = indexes.composites().get(lookup.index)?;
            let paths = composite.paths.iter().map(|part| part.path.segments().to_vec()).collect();
            let condition = WalkedCondition::Composite { lookup: lookup.clone(), paths };
            Some(vec![Branch {
                terms: lookup_terms(lookup, composite),
                walked: Walked { condition, test: None },
                also: Vec::new(),
            }])
        }
        Lookup::Union(parts) => {
            let mut found = Vec::new();
            for part in parts {
                found.extend(branches(part, indexes, context)?);
            }
            Some(found)
        }
        Lookup::Intersection(parts) => intersection(parts, indexes, context),
    }
}

/// The first part is walked; the others narrow what it finds, where they are simple enough.
fn intersection(
    parts: &[Lookup],
    indexes: &Indexes,
    context: &EvaluationContext,
) -> Option<Vec<Branch>> {
    let mut walks = parts.iter().filter_map(|part| branches(part, indexes, context));
    let mut driving = walks.next()?;
    if let [branch] = driving.as_mut_slice() {
        for walk in walks {
            if let [only] = walk.as_slice()
                && only.walked.test.is_none()
                && only.also.is_empty()
            {
                branch.also.push((only.walked.clone(), only.terms.clone()));
            }
        }
    }
    Some(driving)
}

fn walked_path(condition: &PathCondition, context: &EvaluationContext) -> Walked {
    let test = condition.test.as_ref();
    let test = test.map(|test| Arc::new((PreparedExpression::new(test), context.clone())));
    Walked { condition: WalkedCondition::Path(condition.clone()), test }
}

fn path_terms(condition: &PathCondition) -> Terms {
    ordered_path_terms(&condition.path, &condition.values, false)
}

/// The terms of a path with some values.
pub(in crate::query::source) fn ordered_path_terms(
    path: &[IndexPathSegment],
    values: &ValueSet,
    is_reversed: bool,
) -> Terms {
    Terms {
        index: TermIndex::Path(path_text(path)),
        paths: vec![(path.to_vec(), false)],
        ranges: byte_ranges(values),
        absent: values.undefined,
        is_reversed,
    }
}

fn lookup_terms(lookup: &CompositeLookup, composite: &CompositeIndex) -> Terms {
    let next = lookup.next.as_ref();
    composite_terms(composite, &lookup.equal, next, false)
}

/// The terms of a composite index with these first values and one of some next values.
pub(in crate::query::source) fn composite_terms(
    composite: &CompositeIndex,
    equal: &[Json],
    next: Option<&ValueSet>,
    is_reversed: bool,
) -> Terms {
    let mut prefix = Vec::new();
    for (part, value) in composite.paths.iter().zip(equal) {
        let bytes = encoded(Some(value));
        let is_descending = part.order == CompositeOrder::Descending;
        prefix.extend(bytes.iter().map(|byte| if is_descending { !byte } else { *byte }));
    }
    let ranges = match (composite.paths.get(equal.len()), next) {
        (Some(part), Some(values)) => {
            let ranges = composite_ranges(values);
            let is_descending = part.order == CompositeOrder::Descending;
            let ranges: Vec<ByteRange> = match is_descending {
                true => ranges.iter().rev().map(inverted).collect(),
                false => ranges,
            };
            let behind = |bytes: Vec<u8>| prefix.iter().copied().chain(bytes).collect();
            ranges.into_iter().map(|(low, high)| (behind(low), behind(high))).collect()
        }
        _ if prefix.is_empty() => vec![(vec![0], vec![0xFF])],
        _ => vec![(prefix.clone(), successor(prefix))],
    };
    let index = TermIndex::Composite(composite_number(composite));
    Terms { index, paths: composite_paths(composite), ranges, absent: false, is_reversed }
}

/// The paths of a composite index, each with whether it is in descending order.
pub(in crate::query::source) fn composite_paths(
    composite: &CompositeIndex,
) -> Vec<(Vec<IndexPathSegment>, bool)> {
    let parts = composite.paths.iter();
    parts
        .map(|part| (part.path.segments().to_vec(), part.order == CompositeOrder::Descending))
        .collect()
}
