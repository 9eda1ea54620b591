//! The source of a query.
//!
//! Owns the choice among the kinds of access, by the plan, by the part that is read and by the place the query goes
//! on from; and whether rows can follow the source one by one or must be computed as a whole.

use ::query::EvaluationContext;
use ::query::bind::Grouping;
use ::query::plan::access::{IndexOnly, Lookup, OrderAccess};
use ::query::plan::condition::{Exactness, ItemPath, PathCondition, ValueSet};
use model::value::structural_hash;
use model::{IndexPathSegment, Json, PartitionKeyDefinition};

use super::candidate::Batch;
use super::extreme::ExtremeWalk;
use super::index_values::{IndexValues, shared_values};
use super::lookup::LookupWalk;
use super::merged::MergedLookup;
use super::ordered::OrderedWalk;
use super::reading::Reading;
use super::scan::ItemScan;
use super::served;
use super::sorted::{IndexOrder, SortedLookup};
use super::term::{branches, composite_paths, composite_terms, ordered_path_terms};
use crate::error::Result;
use crate::query::part::Piece;
use crate::query::prepared::Prepared;
use crate::query::refusal::token_refused;
use crate::query::token::{Place, TermPlace};

/// Gives the candidates of a query.
pub(in crate::query) enum Source {
    Scan(ItemScan),
    Lookup(Box<LookupWalk>),
    Merged(MergedLookup),
    Ordered(OrderedWalk),
    Sorted(SortedLookup),
    Extreme(ExtremeWalk),
}

impl Source {
    /// Some candidates; `wanted` is how many are hoped for.
    pub(in crate::query) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Batch> {
        // The futures of lookups are large; each has a place of its own, so that the others do not carry it.
        match self {
            Self::Scan(scan) => scan.next(reading, wanted).await,
            Self::Lookup(lookup) => Box::pin(lookup.next(reading, wanted)).await,
            Self::Merged(lookup) => Box::pin(lookup.next(reading, wanted)).await,
            Self::Ordered(walk) => walk.next(reading, wanted).await,
            Self::Sorted(lookup) => Ok(lookup.next(wanted)),
            Self::Extreme(walk) => Box::pin(walk.next(reading)).await,
        }
    }
}

/// What a source is chosen for.
pub(in crate::query) struct Choice<'plan> {
    prepared: &'plan Prepared,
    pieces: &'plan [Piece],
    context: &'plan EvaluationContext,
    /// The lookups, without those that the part read answers already.
    lookup: Lookup,
    /// Whether the part read answers what was left out of the lookups.
    answers_key: bool,
    /// Values that all items read have, when the values that the query looks at are known.
    shared: Vec<(Vec<String>, Json)>,
}

impl<'plan> Choice<'plan> {
    pub(in crate::query) fn new(
        prepared: &'plan Prepared,
        pieces: &'plan [Piece],
        definition: &PartitionKeyDefinition,
        context: &'plan EvaluationContext,
    ) -> Self {
        let (lookup, answers_key) = match pieces.iter().all(|piece| piece.logical.is_some()) {
            true => without_partition_key(&prepared.access.lookup, definition, pieces),
            false => (prepared.access.lookup.clone(), true),
        };
        let shared = match pieces {
            [only] if prepared.needed.is_some() => {
                only.key.as_ref().map(|key| shared_values(definition, key))
            }
            _ => None,
        };
        let shared = shared.unwrap_or_default();
        Self { prepared, pieces, context, lookup, answers_key, shared }
    }

    /// Whether a source answers the whole filter.
    pub(in crate::query) fn is_answered_by(&self, source: &Source) -> bool {
        let Prepared { access, indexes, .. } = self.prepared;
        self.answers_key
            && match source {
                Source::Ordered(_) => served::by_order(access, &self.lookup, indexes),
                Source::Lookup(_) => served::by_lookup(access, &self.lookup),
                _ => false,
            }
    }

    /// The lookups that are carried out.
    pub(in crate::query) fn lookup(&self) -> &Lookup {
        &self.lookup
    }

    /// Marks the lookups that a place belongs to.
    pub(in crate::query) fn fingerprint(&self) -> u128 {
        fingerprint(&self.lookup)
    }

    /// The source of distinct rows that come in the order of one indexed path; none when they do not.
    pub(in crate::query) fn distinct(&self, place: &Place) -> Result<Option<Source>> {
        let Some(IndexOnly::Distinct(paths)) = &self.prepared.access.index_only else {
            return Ok(None);
        };
        let [path] = paths.as_slice() else { return Ok(None) };
        let is_reversed = match &self.prepared.access.order {
            OrderAccess::Unordered => false,
            OrderAccess::Path { path: ordered, is_reversed, .. } if ordered == path => *is_reversed,
            _ => return Ok(None),
        };
        let (Some(values), Some(held)) =
            (self.values_at(path), self.held(&[(path.clone(), false)]))
        else {
            return Ok(None);
        };
        let terms = ordered_path_terms(path, &values, is_reversed);
        let after = ordered_place(place)?;
        let walk = OrderedWalk::new(self.pieces, terms, Some(held), after);
        Ok(Some(Source::Ordered(walk.distinct(after))))
    }

    /// The source of rows in the order of an index, when the filter finds few items by another one.
    pub(in crate::query) async fn sorted(
        &self,
        reading: &mut Reading,
        place: &Place,
    ) -> Result<Option<Source>> {
        if self.lookup.is_everything() {
            return Ok(None);
        }
        let order = match &self.prepared.access.order {
            OrderAccess::Path { path, is_reversed, .. } => match &self.lookup {
                // The order is read from the very terms that the filter leaves.
                Lookup::Path(condition) if condition.path == *path => return Ok(None),
                _ => IndexOrder { paths: vec![(path.clone(), false)], is_reversed: *is_reversed },
            },
            OrderAccess::Composite { index, is_reversed, serves_filter, .. } => {
                let composite = self.prepared.indexes.composites().get(*index);
                let Some(composite) = composite else { return Ok(None) };
                let is_ordered = |path: &ItemPath| {
                    composite.paths.iter().any(|part| part.path.segments() == path.as_slice())
                };
                if *serves_filter && self.looked_up(&self.lookup).iter().all(is_ordered) {
                    return Ok(None);
                }
                IndexOrder { paths: composite_paths(composite), is_reversed: *is_reversed }
            }
            _ => return Ok(None),
        };
        let walks = branches(&self.lookup, &self.prepared.indexes, self.context);
        let Some(walks) = walks else { return Ok(None) };
        let after = ordered_place(place)?;
        let open = SortedLookup::open(reading, self.pieces, walks, &order, after);
        let found = Box::pin(open).await?;
        Ok(found.map(Source::Sorted))
    }

    /// The source of rows in the order of an index; none when the query asks for no such order.
    pub(in crate::query) fn ordered(&self, place: &Place) -> Result<Option<Source>> {
        let walk = match &self.prepared.access.order {
            OrderAccess::Unordered | OrderAccess::Sorted => return Ok(None),
            OrderAccess::Path { path, is_reversed, values } => {
                let terms = ordered_path_terms(path, values, *is_reversed);
                let held = self.held(&terms.paths);
                let after = ordered_place(place)?;
                OrderedWalk::new(self.pieces, terms, held, after)
            }
            OrderAccess::Composite { index, is_reversed, equal, next, .. } => {
                let composite = self.prepared.indexes.composites().get(*index);
                let Some(composite) = composite else { return Ok(None) };
                let terms = composite_terms(composite, equal, Some(next), *is_reversed);
                let held = self.held(&composite_paths(composite));
                OrderedWalk::new(self.pieces, terms, held, ordered_place(place)?)
            }
        };
        Ok(Some(Source::Ordered(walk)))
    }

    /// The source of rows in no particular order.
    pub(in crate::query) fn unordered(&self, place: &Place, plan: u128) -> Result<Source> {
        let place = match place {
            Place::Start => None,
            Place::Scan(key) => return Ok(Source::Scan(ItemScan::new(self.pieces, Some(key)))),
            Place::Lookup(parts) => Some(parts.as_slice()),
            Place::Ordered(_) | Place::Rows(_) => return Err(other_kind()),
        };
        let walks = branches(&self.lookup, &self.prepared.indexes, self.context);
        match (walks, place) {
            (None, None) => Ok(Source::Scan(ItemScan::new(self.pieces, None))),
            (Some(walks), None) => {
                let held = self.held_by(&self.lookup);
                Ok(Source::Lookup(Box::new(LookupWalk::new(self.pieces, walks, held, None))))
            }
            (Some(walks), Some(place)) if plan == self.fingerprint() => {
                let held = self.held_by(&self.lookup);
                let walk = LookupWalk::new(self.pieces, walks, held, Some(place));
                Ok(Source::Lookup(Box::new(walk)))
            }
            (_, Some(_)) => Err(token_refused("the indexing policy has changed since")),
        }
    }

    /// The source of an answer that needs all items, as little as the index allows, and what marks its order. A
    /// query that goes on keeps the order it has begun with: a scan is always possible, terms may be gone.
    pub(in crate::query) fn whole(&self, begun: Option<u128>) -> Result<(Source, u128)> {
        if begun == Some(SCAN) {
            return Ok((Source::Scan(ItemScan::new(self.pieces, None)), SCAN));
        }
        let (source, order) = self.whole_from_start();
        if begun.is_some_and(|begun| begun != order) {
            return Err(token_refused("the indexing policy has changed since"));
        }
        Ok((source, order))
    }

    fn whole_from_start(&self) -> (Source, u128) {
        if let Some(extreme) = self.extreme() {
            return (Source::Extreme(extreme), fingerprint(&self.lookup));
        }
        let is_grouped = self.prepared.bound().grouping != Grouping::None;
        let covering = if is_grouped { self.covering() } else { None };
        let lookup = covering.as_ref().unwrap_or(&self.lookup);
        match branches(lookup, &self.prepared.indexes, self.context) {
            Some(walks) => {
                let held = self.held_by(lookup);
                let merged = MergedLookup::new(self.pieces, walks, held);
                (Source::Merged(merged), fingerprint(lookup))
            }
            None => (Source::Scan(ItemScan::new(self.pieces, None)), SCAN),
        }
    }

    fn extreme(&self) -> Option<ExtremeWalk> {
        let Some(IndexOnly::Extreme { path, is_greatest }) = &self.prepared.access.index_only
        else {
            return None;
        };
        let held = self.held(&[(path.clone(), false)])?;
        let values = ValueSet::intersection([self.values_at(path)?, ValueSet::defined()]);
        ExtremeWalk::new(self.pieces, path, &values, *is_greatest, &held)
    }

    /// Without a lookup: the terms of one path that hold all values the query looks at.
    fn covering(&self) -> Option<Lookup> {
        // Lists show the order in which their items came.
        let makes_list = |name: &str| matches!(name, "MAKELIST" | "MAKESET");
        let mut aggregates = self.prepared.bound().aggregates.iter();
        if !self.lookup.is_everything() || aggregates.any(|one| makes_list(one.function)) {
            return None;
        }
        let is_shared = |path: &&ItemPath| {
            let names = self.shared.iter().map(|(names, _)| names);
            names.into_iter().any(|names| is_path(path, names))
        };
        let mut open = self.prepared.needed.as_ref()?.iter().filter(|path| !is_shared(path));
        let (path, values) = match (open.next(), open.next()) {
            // Every indexed item has an id.
            (None, _) => (vec![IndexPathSegment::Property("id".to_owned())], ValueSet::defined()),
            (Some(path), None) => (path.clone(), self.counted_values()),
            _ => return None,
        };
        let is_covered = self.prepared.indexes.covers(&path);
        let condition = PathCondition { path, values, test: None, exactness: Exactness::Exact };
        is_covered.then_some(Lookup::Path(condition))
    }

    /// Absence need not be walked when only values are counted.
    fn counted_values(&self) -> ValueSet {
        match &self.prepared.access.index_only {
            Some(IndexOnly::CountOf(_)) => ValueSet::defined(),
            _ => ValueSet::all(),
        }
    }

    /// The paths that a lookup is about.
    fn looked_up(&self, lookup: &Lookup) -> Vec<ItemPath> {
        match lookup {
            Lookup::Nothing | Lookup::Everything => Vec::new(),
            Lookup::Path(condition) => vec![condition.path.clone()],
            Lookup::Composite(lookup) => {
                let composite = self.prepared.indexes.composites().get(lookup.index);
                let paths = composite.map(composite_paths).unwrap_or_default();
                paths.into_iter().map(|(path, _)| path).collect()
            }
            Lookup::Intersection(parts) | Lookup::Union(parts) => {
                parts.iter().flat_map(|part| self.looked_up(part)).collect()
            }
        }
    }

    /// What the filter leaves at a path, when that is all it says.
    fn values_at(&self, path: &[IndexPathSegment]) -> Option<ValueSet> {
        match &self.lookup {
            Lookup::Everything => Some(ValueSet::all()),
            Lookup::Path(condition) if condition.path == path && condition.test.is_none() => {
                Some(condition.values.clone())
            }
            _ => None,
        }
    }

    fn held_by(&self, lookup: &Lookup) -> Option<IndexValues> {
        match lookup {
            Lookup::Path(condition) => self.held(&[(condition.path.clone(), false)]),
            Lookup::Composite(lookup) => {
                let composite = self.prepared.indexes.composites().get(lookup.index)?;
                self.held(&composite_paths(composite))
            }
            _ => None,
        }
    }

    fn held(&self, walked: &[(ItemPath, bool)]) -> Option<IndexValues> {
        IndexValues::new(self.prepared.needed.as_ref()?, walked, self.shared.clone())
    }
}

/// Marks the order of a scan; no lookup has it.
const SCAN: u128 = 0;

fn fingerprint(lookup: &Lookup) -> u128 {
    structural_hash(&Json::from(format!("{lookup:?}"))).max(SCAN + 1)
}

fn is_path(path: &[IndexPathSegment], names: &[String]) -> bool {
    path.len() == names.len()
        && path.iter().zip(names).all(
            |(segment, name)| matches!(segment, IndexPathSegment::Property(known) if known == name),
        )
}

/// Conditions on the partition key say nothing more inside a logical partition. Gives what is left, and whether the
/// partition answers the others to the last digit.
fn without_partition_key(
    lookup: &Lookup,
    definition: &PartitionKeyDefinition,
    pieces: &[Piece],
) -> (Lookup, bool) {
    let parts = match lookup {
        Lookup::Intersection(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    let level =
        |path: &ItemPath| definition.paths().iter().position(|key| is_path(path, key.segments()));
    let mut answers_key = true;
    let mut left = Vec::new();
    for part in parts {
        let key = match part {
            Lookup::Path(condition) => level(&condition.path).map(|level| (condition, level)),
            _ => None,
        };
        let Some((condition, level)) = key else {
            left.push(part.clone());
            continue;
        };
        answers_key &= pieces.iter().all(|piece| {
            let value = piece.key.as_ref().and_then(|key| key.components().get(level));
            value.is_some_and(|value| served::by_partition_key(condition, value))
        });
    }
    let lookup = match left.pop() {
        None => Lookup::Everything,
        Some(only) if left.is_empty() => only,
        Some(last) => {
            left.push(last);
            Lookup::Intersection(left)
        }
    };
    (lookup, answers_key)
}

fn ordered_place(place: &Place) -> Result<Option<&TermPlace>> {
    match place {
        Place::Start => Ok(None),
        Place::Ordered(term) => Ok(Some(term)),
        _ => Err(other_kind()),
    }
}

fn other_kind() -> crate::Error {
    token_refused("the query is served in another way now")
}
