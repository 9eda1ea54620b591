//! The index metrics report.
//!
//! Owns the rules derived from recorded responses: filters are listed last to first; a path that also orders the rows
//! is omitted if there are others and no composite index would serve them together; equalities with one range, groups
//! whose keys are all fixed, and orders of several paths suggest a composite index.

use model::{CompositeIndex, CompositeOrder, IndexPathSegment, PropertyPath};

use crate::ast::SortOrder;
use crate::bind::{
    BoundOrderBy, BoundQuery, Expression, Grouping, OrderKey, OutputProjection, PathStep,
};
use crate::plan::access::Indexes;
use crate::plan::condition::{
    Condition, Exactness, ItemPath, PathCondition, PathScope, ResolvedPath, row_condition,
};

/// Which indexes a query used, and which it misses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexMetrics {
    /// Paths whose terms were used.
    pub utilized_single: Vec<MetricIndex>,
    /// Paths whose terms would help.
    pub potential_single: Vec<MetricIndex>,
    /// Composite indexes that were used.
    pub utilized_composite: Vec<MetricIndex>,
    /// Composite indexes that would help.
    pub potential_composite: Vec<MetricIndex>,
}

/// An index in a report.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricIndex {
    /// Its paths as text: one, or those of a composite index with their directions.
    pub specs: Vec<String>,
    /// Whether it serves its conditions exactly.
    pub is_precise: bool,
}

/// Reports which indexes a query uses, and which it misses.
#[must_use]
pub fn index_metrics(query: &BoundQuery, indexes: &Indexes) -> IndexMetrics {
    index_metrics_with_condition(query, &row_condition(query), indexes)
}

/// Like [`index_metrics`], for a query whose row condition is known.
#[must_use]
pub fn index_metrics_with_condition(
    query: &BoundQuery,
    condition: &Condition,
    indexes: &Indexes,
) -> IndexMetrics {
    let scope = PathScope::for_query(query);
    let mut filters: Vec<(ItemPath, bool)> = Vec::new();
    let filtered = condition.paths();
    let filtered = filtered.iter().map(|path| (path.path.clone(), is_precise(path)));
    // The first mention of a path decides whether it is precise; filters come before the select list.
    for (path, is_precise) in filtered.chain(projected(query, &scope)) {
        if !filters.iter().any(|(known, _)| *known == path) {
            filters.push((path, is_precise));
        }
    }
    // The recorded reports list the filters of a query from the last to the first.
    filters.reverse();
    let ordered = ordered(query);
    let wanted = wanted(query, condition, &scope);
    let orders = |path: &ItemPath| ordered.iter().any(|(ordered, _)| ordered == path);
    // One composite index would serve filter and order: then all its paths are listed.
    let is_served_together = ordered.len() == 1 && !wanted.is_empty();
    let has_others = filters.iter().any(|(path, _)| !orders(path));
    if has_others && !is_served_together {
        // A path that both filters and orders is listed only if there is no other filter.
        filters.retain(|(path, _)| !orders(path));
    } else if !has_others {
        let missing =
            ordered.iter().filter(|(path, _)| !filters.iter().any(|(known, _)| known == path));
        let missing: Vec<_> = missing.map(|(path, _)| (path.clone(), true)).collect();
        filters.extend(missing);
    }
    let mut metrics = IndexMetrics::default();
    for (path, is_precise) in filters {
        let index = MetricIndex { specs: vec![format!("{}/?", path_text(&path))], is_precise };
        if indexes.covers(&path) {
            metrics.utilized_single.push(index);
        } else {
            metrics.potential_single.push(index);
        }
    }
    let (found, suggested) = composites(wanted, indexes);
    metrics.utilized_composite = found;
    metrics.potential_composite = suggested;
    metrics
}

impl IndexMetrics {
    /// Adds the paths of the partition key for a request that names one: it restricts the items as a filter would.
    pub fn add_partition_key(&mut self, paths: &[PropertyPath]) {
        for path in paths {
            let segments: ItemPath =
                path.segments().iter().cloned().map(IndexPathSegment::Property).collect();
            let index = precise(&segments);
            let mut known = self.utilized_single.iter().chain(&self.potential_single);
            if !known.any(|known| known.specs == index.specs) {
                self.utilized_single.push(index);
            }
        }
    }
}

fn precise(path: &[IndexPathSegment]) -> MetricIndex {
    MetricIndex { specs: vec![format!("{}/?", path_text(path))], is_precise: true }
}

fn is_precise(path: &PathCondition) -> bool {
    path.exactness == Exactness::Exact
}

/// Paths that a function in the select list could read from an index.
fn projected(query: &BoundQuery, scope: &PathScope) -> Vec<(ItemPath, bool)> {
    let expressions: Vec<&Expression> = match &query.output.projection {
        OutputProjection::Input(_) => Vec::new(),
        OutputProjection::Value(expression) => vec![expression],
        OutputProjection::Object(properties) => {
            properties.iter().map(|one| &one.expression).collect()
        }
    };
    let calls = expressions.into_iter().filter_map(|expression| match expression {
        Expression::Call { function, arguments } => Some((*function, arguments)),
        _ => None,
    });
    let indexed = calls.filter(|(function, _)| {
        crate::function::lookup(function)
            .is_some_and(|known| known.index_use != crate::function::IndexUse::None)
    });
    indexed
        .flat_map(|(_, arguments)| arguments)
        .filter_map(|argument| match scope.resolve(argument) {
            Some(ResolvedPath::Path(path, _)) if !path.is_empty() => Some((path, true)),
            _ => None,
        })
        .collect()
}

/// The paths of ORDER BY with their directions.
fn ordered(query: &BoundQuery) -> Vec<(ItemPath, SortOrder)> {
    let keys = match &query.order_by {
        BoundOrderBy::Keys(keys) => keys.as_slice(),
        BoundOrderBy::None | BoundOrderBy::Rank(_) => &[],
    };
    let path = |key: &OrderKey| {
        let order = key.order.unwrap_or(SortOrder::Ascending);
        key.path.as_ref().map(|steps| (item_path(steps), order))
    };
    keys.iter().filter_map(path).collect()
}

fn item_path(steps: &[PathStep]) -> ItemPath {
    let segment = |step: &PathStep| match step {
        PathStep::Property(name) => IndexPathSegment::Property(name.clone()),
        PathStep::Index(_) | PathStep::Nowhere => IndexPathSegment::AnyElement,
    };
    steps.iter().map(segment).collect()
}

/// A composite index that would serve a query.
#[derive(Debug, PartialEq)]
struct WantedComposite {
    paths: Vec<(ItemPath, SortOrder)>,
    /// Whether it orders the rows: then the directions matter.
    is_order: bool,
}

impl WantedComposite {
    /// An index for filters, whose directions do not matter; the service proposes ascending ones.
    fn for_filters(paths: impl Iterator<Item = ItemPath>) -> Self {
        let paths = paths.map(|path| (path, SortOrder::Ascending)).collect();
        Self { paths, is_order: false }
    }

    /// Whether an existing index is this one, or for an order this one read backwards.
    fn is_served_by(&self, index: &CompositeIndex) -> bool {
        let paths = index.paths.iter().map(|part| part.path.segments());
        let is_descending = index.paths.iter().map(|part| part.order == CompositeOrder::Descending);
        let turned = is_descending
            .zip(&self.paths)
            .map(|(stored, (_, asked))| stored != (*asked == SortOrder::Descending));
        let turned: Vec<bool> = turned.collect();
        paths.eq(self.paths.iter().map(|(path, _)| path.as_slice()))
            && (!self.is_order || turned.iter().all(|one| *one) || !turned.contains(&true))
    }

    fn specs(&self) -> Vec<String> {
        let spec = |(path, order): &(ItemPath, SortOrder)| {
            let word = if *order == SortOrder::Descending { "DESC" } else { "ASC" };
            format!("{} {word}", path_text(path))
        };
        self.paths.iter().map(spec).collect()
    }
}

/// Splits the composite indexes that would serve a query into those that exist and those that do not.
fn composites(
    wanted: Vec<WantedComposite>,
    indexes: &Indexes,
) -> (Vec<MetricIndex>, Vec<MetricIndex>) {
    let mut found = Vec::new();
    let mut suggested = Vec::new();
    for wanted in wanted {
        match indexes.composites().iter().find(|index| wanted.is_served_by(index)) {
            Some(composite) => {
                let specs = composite.paths.iter().map(|part| {
                    let word = match part.order {
                        CompositeOrder::Ascending => "ASC",
                        CompositeOrder::Descending => "DESC",
                    };
                    format!("{} {word}", path_text(part.path.segments()))
                });
                found.push(MetricIndex { specs: specs.collect(), is_precise: true });
            }
            None => suggested.push(MetricIndex { specs: wanted.specs(), is_precise: false }),
        }
    }
    (found, suggested)
}

/// The composite indexes that fit a query.
fn wanted(query: &BoundQuery, condition: &Condition, scope: &PathScope) -> Vec<WantedComposite> {
    let order = ordered(query);
    if order.len() > 1 {
        return vec![WantedComposite { paths: order, is_order: true }];
    }
    let (fixed, free) = scalar_conditions(condition);
    let mut wanted = Vec::new();
    if let Grouping::By(keys) = &query.grouping {
        let path = |key: &Expression| match scope.resolve(key) {
            Some(ResolvedPath::Path(path, _)) => Some(path),
            _ => None,
        };
        let keys: Option<Vec<ItemPath>> = keys.iter().map(path).collect();
        let keys = keys.filter(|keys| keys.len() > 1 && keys.iter().all(|key| fixed.contains(key)));
        wanted.extend(keys.map(|keys| WantedComposite::for_filters(keys.into_iter())));
    }
    // An order by a fixed path needs nothing of its own. An order by another path has its own index.
    if !fixed.is_empty() && order.iter().all(|(path, _)| fixed.contains(path)) {
        for path in free {
            // Equalities first: within them the terms of the last path are one range.
            let index = WantedComposite::for_filters(fixed.iter().cloned().chain([path]));
            if !wanted.contains(&index) {
                wanted.push(index);
            }
        }
    }
    wanted
}

/// The paths of the filters that must all hold: those with one value, and the others.
fn scalar_conditions(condition: &Condition) -> (Vec<ItemPath>, Vec<ItemPath>) {
    let conditions: Vec<&PathCondition> = match condition {
        Condition::Path(path) => vec![path],
        Condition::All(parts) => {
            let paths = parts.iter().filter_map(|part| match part {
                Condition::Path(path) => Some(path),
                _ => None,
            });
            paths.collect()
        }
        _ => Vec::new(),
    };
    let (mut fixed, mut free) = (Vec::new(), Vec::new());
    for condition in conditions.into_iter().filter(|path| !path.is_over_elements()) {
        match condition.test.is_none() && condition.values.as_point().is_some() {
            true => fixed.push(condition.path.clone()),
            false => free.push(condition.path.clone()),
        }
    }
    (fixed, free)
}

/// A path in the notation of the report: names that are not identifiers are quoted.
fn path_text(path: &[IndexPathSegment]) -> String {
    let mut text = String::new();
    for segment in path {
        text.push('/');
        match segment {
            IndexPathSegment::AnyElement => text.push_str("[]"),
            IndexPathSegment::Property(name) if is_identifier(name) => text.push_str(name),
            IndexPathSegment::Property(name) => {
                text.push_str(&model::Json::from(name.as_str()).to_string());
            }
        }
    }
    text
}

/// Whether a name consists of letters of any script, digits and underscores, and does not start with a digit.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|character| character.is_alphanumeric() || character == '_')
}
