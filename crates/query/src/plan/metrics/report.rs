//! The index metrics report.
//!
//! Owns the rules derived from recorded responses: filters are listed last to first; a path that also orders the rows
//! is omitted if there are others; equalities with one range, and groups whose keys are all fixed, suggest a composite
//! index.

use model::IndexPathSegment;

use crate::bind::{BoundOrderBy, BoundQuery, Expression, Grouping, OutputProjection, PathStep};
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
    // A path that both filters and orders is listed only if there is no other filter.
    if filters.iter().any(|(path, _)| !ordered.contains(path)) {
        filters.retain(|(path, _)| !ordered.contains(path));
    } else {
        let missing =
            ordered.iter().filter(|path| !filters.iter().any(|(known, _)| known == *path));
        let missing: Vec<_> = missing.map(|path| (path.clone(), true)).collect();
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
    let (found, suggested) = composites(query, condition, &scope, indexes);
    metrics.utilized_composite = found;
    metrics.potential_composite = suggested;
    metrics
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

fn ordered(query: &BoundQuery) -> Vec<ItemPath> {
    let keys = match &query.order_by {
        BoundOrderBy::Keys(keys) => keys.as_slice(),
        BoundOrderBy::None | BoundOrderBy::Rank(_) => &[],
    };
    keys.iter().filter_map(|key| key.path.as_ref().map(|steps| item_path(steps))).collect()
}

fn item_path(steps: &[PathStep]) -> ItemPath {
    let segment = |step: &PathStep| match step {
        PathStep::Property(name) => IndexPathSegment::Property(name.clone()),
        PathStep::Index(_) | PathStep::Nowhere => IndexPathSegment::AnyElement,
    };
    steps.iter().map(segment).collect()
}

/// Composite indexes that serve the query, and those that would.
fn composites(
    query: &BoundQuery,
    condition: &Condition,
    scope: &PathScope,
    indexes: &Indexes,
) -> (Vec<MetricIndex>, Vec<MetricIndex>) {
    let mut found = Vec::new();
    let mut suggested = Vec::new();
    for wanted in wanted(query, condition, scope) {
        let existing = indexes.composites().iter().find(|composite| {
            let paths = composite.paths.iter().map(|part| part.path.segments());
            paths.eq(wanted.iter().map(Vec::as_slice))
        });
        match existing {
            Some(composite) => {
                let specs = composite.paths.iter().map(|part| {
                    let word = match part.order {
                        model::CompositeOrder::Ascending => "ASC",
                        model::CompositeOrder::Descending => "DESC",
                    };
                    format!("{} {word}", path_text(part.path.segments()))
                });
                found.push(MetricIndex { specs: specs.collect(), is_precise: true });
            }
            None => {
                let specs = wanted.iter().map(|path| format!("{} ASC", path_text(path)));
                suggested.push(MetricIndex { specs: specs.collect(), is_precise: false });
            }
        }
    }
    (found, suggested)
}

/// The paths of composite indexes that fit a query.
fn wanted(query: &BoundQuery, condition: &Condition, scope: &PathScope) -> Vec<Vec<ItemPath>> {
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
    let scalar = |path: &&&PathCondition| !path.is_over_elements();
    let (fixed, free): (Vec<&PathCondition>, Vec<&PathCondition>) = conditions
        .iter()
        .filter(scalar)
        .partition(|path| path.test.is_none() && path.values.as_point().is_some());
    let fixed: Vec<ItemPath> = fixed.iter().map(|path| path.path.clone()).collect();
    if let Grouping::By(keys) = &query.grouping {
        let keys: Option<Vec<ItemPath>> = keys
            .iter()
            .map(|key| match scope.resolve(key) {
                Some(ResolvedPath::Path(path, _)) => Some(path),
                _ => None,
            })
            .collect();
        let keys = keys.filter(|keys| keys.len() > 1 && keys.iter().all(|key| fixed.contains(key)));
        return keys.into_iter().collect();
    }
    let order = ordered(query);
    if order.len() > 1 {
        return vec![order];
    }
    if !order.is_empty() || fixed.is_empty() {
        return Vec::new();
    }
    // Equalities first: within them the terms of the last path are one range.
    free.iter().map(|path| fixed.iter().cloned().chain([path.path.clone()]).collect()).collect()
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
