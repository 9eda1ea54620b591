//! Selects the access path of a query: scan, index lookup, read in index order, or MIN/MAX from the index.
//!
//! The selection depends on the plan, on the slices to read and on the continuation position: a query must continue on
//! the access path that its position belongs to.

use ::query::EvaluationContext;
use ::query::bind::Grouping;
use ::query::plan::access::{IndexOnly, Lookup, OrderAccess};
use ::query::plan::condition::{Exactness, ItemPath, PathCondition, ValueSet};
use model::{IndexPathSegment, Json, PartitionKeyDefinition};

use super::candidate::CandidateSource;
use super::creation::{CreationOrderSource, divide};
use super::filter_coverage::{self, is_path};
use super::index_values::{IndexValues, shared_values};
use super::lookup::{LookupSource, LookupStart};
use super::merged::MergedLookupSource;
use super::min_max::MinMaxSource;
use super::ordered::OrderedSource;
use super::page_reader::PageReader;
use super::scan::ScanSource;
use super::sorted::{IndexOrder, SortedLookupSource};
use super::term::{
    SCAN_FINGERPRINT, branches, composite_paths, composite_terms, lookup_fingerprint,
    order_fingerprint, ordered_path_terms,
};
use crate::error::Result;
use crate::query::continuation::{ContinuationPosition, LookupPosition, QueryProgress};
use crate::query::error::invalid_token;
use crate::query::planned::PlannedQuery;
use crate::query::target::PartitionSlice;

/// Chooses the source for a planned query.
pub(in crate::query) struct AccessPathSelector<'plan> {
    planned: &'plan PlannedQuery,
    slices: &'plan [PartitionSlice],
    context: &'plan EvaluationContext,
    /// The lookup to run: without conditions on the partition key if each slice is one logical partition.
    lookup: Lookup,
    /// Whether the slices themselves guarantee the conditions that were removed from the lookup.
    slices_imply_key: bool,
    /// Values that all items of the only slice share: those of its partition key.
    shared: Vec<(Vec<String>, Json)>,
}

impl<'plan> AccessPathSelector<'plan> {
    pub(in crate::query) fn new(
        planned: &'plan PlannedQuery,
        slices: &'plan [PartitionSlice],
        definition: &PartitionKeyDefinition,
        context: &'plan EvaluationContext,
    ) -> Self {
        let (lookup, slices_imply_key) = match slices.iter().all(|slice| slice.logical.is_some()) {
            true => {
                filter_coverage::without_partition_key(&planned.access.lookup, definition, slices)
            }
            // Nothing was removed, so nothing has to be implied.
            false => (planned.access.lookup.clone(), true),
        };
        let shared = match slices {
            // With several slices the shared values would differ from slice to slice.
            [only] if planned.needed.is_some() => {
                only.key.as_ref().map(|key| shared_values(definition, key))
            }
            _ => None,
        };
        let shared = shared.unwrap_or_default();
        Self { planned, slices, context, lookup, slices_imply_key, shared }
    }

    /// Whether every candidate of a source passes the filter.
    pub(in crate::query) fn filter_is_covered_by(&self, source: &CandidateSource) -> bool {
        let PlannedQuery { access, indexes, .. } = self.planned;
        self.slices_imply_key
            && match source {
                CandidateSource::Ordered(_) => {
                    filter_coverage::order_implies_filter(access, &self.lookup, indexes)
                }
                CandidateSource::Lookup(_) => {
                    filter_coverage::lookup_implies_filter(access, &self.lookup)
                }
                CandidateSource::Created(source) if !source.is_scan() => {
                    filter_coverage::lookup_implies_filter(access, &self.lookup)
                }
                // Other sources return candidates that were not checked against the whole filter.
                _ => false,
            }
    }

    /// The plan that the access path is chosen for.
    pub(in crate::query) fn planned(&self) -> &'plan PlannedQuery {
        self.planned
    }

    /// The lookup that runs.
    pub(in crate::query) fn lookup(&self) -> &Lookup {
        &self.lookup
    }

    /// Identifies the lookup or order that a position of the query belongs to.
    pub(in crate::query) fn fingerprint(&self) -> u128 {
        match &self.planned.access.order {
            OrderAccess::Unordered => self.fingerprint_of(&self.lookup),
            order => order_fingerprint(order, &self.planned.indexes),
        }
    }

    fn fingerprint_of(&self, lookup: &Lookup) -> u128 {
        lookup_fingerprint(lookup, &self.planned.indexes)
    }

    /// Refuses a position in another order than the query follows now: its values mean something else there.
    pub(in crate::query) fn check_order(&self, progress: &QueryProgress) -> Result<()> {
        let is_ordered = matches!(progress.position, ContinuationPosition::Ordered(_));
        if is_ordered && progress.plan != self.fingerprint() {
            return Err(invalid_token(
                "the indexing policy or the order of equal values has changed since",
            ));
        }
        Ok(())
    }

    /// The source of DISTINCT rows in the order of one indexed path; `None` if the query is not of that form.
    pub(in crate::query) fn distinct(
        &self,
        position: &ContinuationPosition,
    ) -> Result<Option<CandidateSource>> {
        let Some(IndexOnly::Distinct(paths)) = &self.planned.access.index_only else {
            return Ok(None);
        };
        // Only one path: the order of its terms brings equal rows together, so that one value of memory is enough.
        let [path] = paths.as_slice() else { return Ok(None) };
        let is_reversed = match &self.planned.access.order {
            OrderAccess::Unordered => false,
            OrderAccess::Path { path: ordered, is_reversed, .. } if ordered == path => *is_reversed,
            _ => return Ok(None),
        };
        let (Some(values), Some(index_values)) =
            (self.values_at(path), self.index_values(&[(path.clone(), false)]))
        else {
            return Ok(None);
        };
        let terms = ordered_path_terms(path, &values, is_reversed);
        let after = position.in_order()?;
        let source = OrderedSource::new(self.slices, terms, Some(index_values), after);
        Ok(Some(CandidateSource::Ordered(source.distinct(after))))
    }

    /// The source of rows in index order when the filter finds few items with another index: they are loaded and
    /// sorted.
    pub(in crate::query) async fn sorted(
        &self,
        reader: &mut PageReader,
        position: &ContinuationPosition,
    ) -> Result<Option<CandidateSource>> {
        if self.lookup.is_everything() {
            return Ok(None);
        }
        let order = match &self.planned.access.order {
            OrderAccess::Path { path, is_reversed, .. } => match &self.lookup {
                // The filter and the order use the same terms: reading them in order is cheapest.
                Lookup::Path(condition) if condition.path == *path => return Ok(None),
                _ => IndexOrder { paths: vec![(path.clone(), false)], is_reversed: *is_reversed },
            },
            OrderAccess::Composite { index, is_reversed, serves_filter, .. } => {
                let composite = self.planned.indexes.composites().get(*index);
                let Some(composite) = composite else { return Ok(None) };
                let is_ordered = |path: &ItemPath| {
                    composite.paths.iter().any(|part| part.path.segments() == path.as_slice())
                };
                // The composite index answers filter and order at once.
                if *serves_filter && self.lookup_paths(&self.lookup).iter().all(is_ordered) {
                    return Ok(None);
                }
                IndexOrder { paths: composite_paths(composite), is_reversed: *is_reversed }
            }
            _ => return Ok(None),
        };
        let branches = branches(&self.lookup, &self.planned.indexes, self.context);
        let Some(branches) = branches else { return Ok(None) };
        let after = position.in_order()?;
        let open = SortedLookupSource::open(reader, self.slices, branches, &order, after);
        // The same positions work for both access paths, so each page decides anew.
        let found = Box::pin(open).await?;
        Ok(found.map(CandidateSource::Sorted))
    }

    /// The source of rows in the order of an index; `None` if no index provides the order.
    pub(in crate::query) fn ordered(
        &self,
        position: &ContinuationPosition,
    ) -> Result<Option<CandidateSource>> {
        let source = match &self.planned.access.order {
            OrderAccess::Unordered | OrderAccess::Sorted => return Ok(None),
            OrderAccess::Path { path, is_reversed, values } => {
                let terms = ordered_path_terms(path, values, *is_reversed);
                let index_values = self.index_values(&terms.paths);
                let after = position.in_order()?;
                OrderedSource::new(self.slices, terms, index_values, after)
            }
            OrderAccess::Composite { index, is_reversed, equal, next, .. } => {
                let composite = self.planned.indexes.composites().get(*index);
                let Some(composite) = composite else { return Ok(None) };
                let terms = composite_terms(composite, equal, Some(next), *is_reversed);
                let index_values = self.index_values(&composite_paths(composite));
                OrderedSource::new(self.slices, terms, index_values, position.in_order()?)
            }
        };
        Ok(Some(CandidateSource::Ordered(source)))
    }

    /// The source of rows in no particular order.
    pub(in crate::query) fn unordered(
        &self,
        position: &ContinuationPosition,
        plan_fingerprint: u128,
    ) -> Result<CandidateSource> {
        let created = match position {
            ContinuationPosition::Start => None,
            ContinuationPosition::Created(position) => Some(position),
            // A scan can always go on, even if a new indexing policy would allow a lookup now.
            ContinuationPosition::Scan(key) => {
                let scan = CreationOrderSource::scan_after(self.slices, key);
                return Ok(CandidateSource::Created(Box::new(scan)));
            }
            ContinuationPosition::Lookup(parts) => {
                return self.begun_by_value(parts, plan_fingerprint);
            }
            ContinuationPosition::Ordered(_) | ContinuationPosition::Rows { .. } => {
                return Err(invalid_token("the query uses another access path now"));
            }
        };
        let Some(branches) = branches(&self.lookup, &self.planned.indexes, self.context) else {
            // Nothing in the filter can use an index.
            let scan = CreationOrderSource::scan(self.slices, created);
            return Ok(CandidateSource::Created(Box::new(scan)));
        };
        let values = self.index_values_of(&self.lookup);
        Ok(match divide(branches) {
            Ok(runs) => {
                let source = CreationOrderSource::lookup(self.slices, runs, values, created);
                CandidateSource::Created(Box::new(source))
            }
            Err(branches) => {
                let start = created.map_or(LookupStart::Beginning, LookupStart::Created);
                let source = LookupSource::new(self.slices, branches, values, start);
                CandidateSource::Lookup(Box::new(source))
            }
        })
    }

    /// Goes on with a lookup in the order of values.
    fn begun_by_value(
        &self,
        parts: &[LookupPosition],
        plan_fingerprint: u128,
    ) -> Result<CandidateSource> {
        let lookup = self.begun_lookup(plan_fingerprint)?;
        let branches = branches(lookup, &self.planned.indexes, self.context);
        // Only a lookup has such positions, and all items are none.
        let branches = branches.ok_or_else(|| invalid_token("its position is of another kind"))?;
        let values = self.index_values_of(lookup);
        let source = LookupSource::new(self.slices, branches, values, LookupStart::Values(parts));
        Ok(CandidateSource::Lookup(Box::new(source)))
    }

    /// The lookup that a token was issued for. A token of a range may continue on one logical partition, where the
    /// lookup would lack the conditions on the partition key: then it goes on with the lookup of the range.
    fn begun_lookup(&self, fingerprint: u128) -> Result<&Lookup> {
        let lookups = [&self.lookup, &self.planned.access.lookup];
        let begun = lookups.into_iter().find(|lookup| self.fingerprint_of(lookup) == fingerprint);
        // A term position means nothing for another lookup: some items would be skipped or repeated.
        begun.ok_or_else(|| invalid_token("the indexing policy has changed since"))
    }

    /// The source of a result that needs all matching items, and the fingerprint of its order. Every page computes the
    /// result again, so all pages must use the same order: a scan is always possible, but the terms of a lookup may be
    /// gone after a change of the indexing policy.
    pub(in crate::query) fn complete(
        &self,
        begun_plan: Option<u128>,
    ) -> Result<(CandidateSource, u128)> {
        // Even if a lookup is possible now: the rows so far were counted in the order of a scan.
        if begun_plan == Some(SCAN_FINGERPRINT) {
            return Ok((
                CandidateSource::Scan(ScanSource::new(self.slices, None)),
                SCAN_FINGERPRINT,
            ));
        }
        let (source, order) = self.select_complete();
        if begun_plan.is_some_and(|begun_plan| begun_plan != order) {
            return Err(invalid_token("the indexing policy has changed since"));
        }
        Ok((source, order))
    }

    fn select_complete(&self) -> (CandidateSource, u128) {
        if let Some(source) = self.min_max() {
            return (CandidateSource::MinMax(source), self.fingerprint_of(&self.lookup));
        }
        let is_grouped = self.planned.bound().grouping != Grouping::None;
        let covering = if is_grouped { self.covering() } else { None };
        let lookup = covering.as_ref().unwrap_or(&self.lookup);
        match branches(lookup, &self.planned.indexes, self.context) {
            Some(branches) => {
                let index_values = self.index_values_of(lookup);
                let merged = MergedLookupSource::new(self.slices, branches, index_values);
                (CandidateSource::Merged(merged), self.fingerprint_of(lookup))
            }
            None => (CandidateSource::Scan(ScanSource::new(self.slices, None)), SCAN_FINGERPRINT),
        }
    }

    fn min_max(&self) -> Option<MinMaxSource> {
        let Some(IndexOnly::Extreme { path, is_greatest }) = &self.planned.access.index_only else {
            return None;
        };
        let index_values = self.index_values(&[(path.clone(), false)])?;
        let values = ValueSet::intersection([self.values_at(path)?, ValueSet::defined()]);
        MinMaxSource::new(self.slices, path, &values, *is_greatest, &index_values)
    }

    /// If there is no filter: a lookup over the terms of one path that contain all values the query uses.
    fn covering(&self) -> Option<Lookup> {
        // These aggregates return values in the order of the items, which must not depend on the access path.
        let makes_list = |name: &str| matches!(name, "MAKELIST" | "MAKESET");
        let mut aggregates = self.planned.bound().aggregates.iter();
        if !self.lookup.is_everything() || aggregates.any(|one| makes_list(one.function)) {
            return None;
        }
        let is_shared = |path: &&ItemPath| {
            let names = self.shared.iter().map(|(names, _)| names);
            names.into_iter().any(|names| is_path(path, names))
        };
        let mut other_paths = self.planned.needed.as_ref()?.iter().filter(|path| !is_shared(path));
        let (path, values) = match (other_paths.next(), other_paths.next()) {
            // Every indexed item has an id.
            // A query that needs no value (such as COUNT(1)) needs one term per item.
            (None, _) => (vec![IndexPathSegment::Property("id".to_owned())], ValueSet::defined()),
            (Some(path), None) => (path.clone(), self.counted_values()),
            _ => return None,
        };
        let is_covered = self.planned.indexes.covers(&path);
        let condition = PathCondition { path, values, test: None, exactness: Exactness::Exact };
        is_covered.then_some(Lookup::Path(condition))
    }

    /// Items without the value need not be read if only values are counted.
    fn counted_values(&self) -> ValueSet {
        match &self.planned.access.index_only {
            Some(IndexOnly::CountOf(_)) => ValueSet::defined(),
            _ => ValueSet::all(),
        }
    }

    /// The paths that a lookup reads.
    fn lookup_paths(&self, lookup: &Lookup) -> Vec<ItemPath> {
        match lookup {
            Lookup::Nothing | Lookup::Everything => Vec::new(),
            Lookup::Path(condition) => vec![condition.path.clone()],
            Lookup::Composite(lookup) => {
                let composite = self.planned.indexes.composites().get(lookup.index);
                let paths = composite.map(composite_paths).unwrap_or_default();
                paths.into_iter().map(|(path, _)| path).collect()
            }
            Lookup::Intersection(parts) | Lookup::Union(parts) => {
                parts.iter().flat_map(|part| self.lookup_paths(part)).collect()
            }
        }
    }

    /// The values that the filter allows at a path; `None` if the filter has other conditions.
    fn values_at(&self, path: &[IndexPathSegment]) -> Option<ValueSet> {
        match &self.lookup {
            Lookup::Everything => Some(ValueSet::all()),
            Lookup::Path(condition) if condition.path == path && condition.test.is_none() => {
                Some(condition.values.clone())
            }
            _ => None,
        }
    }

    fn index_values_of(&self, lookup: &Lookup) -> Option<IndexValues> {
        match lookup {
            Lookup::Path(condition) => self.index_values(&[(condition.path.clone(), false)]),
            Lookup::Composite(lookup) => {
                let composite = self.planned.indexes.composites().get(lookup.index)?;
                self.index_values(&composite_paths(composite))
            }
            _ => None,
        }
    }

    fn index_values(&self, term_paths: &[(ItemPath, bool)]) -> Option<IndexValues> {
        // Unknown needs mean that the whole item may be used.
        IndexValues::new(self.planned.needed.as_ref()?, term_paths, self.shared.clone())
    }
}
