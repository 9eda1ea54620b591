//! Which partition keys a query can match.
//!
//! Owns the set of keys, or of prefixes of hierarchical keys, that a filter allows, and its form as ranges of effective
//! partition keys. The set may contain too many keys, never too few. Does not own where the keys are stored.

use std::collections::HashSet;

use model::{
    EffectivePartitionKey, IndexPathSegment, Json, PartitionKey, PartitionKeyDefinition,
    PartitionKeyValue,
};

use super::condition::{Condition, ValueSet, row_condition};
use crate::bind::BoundQuery;

/// Beyond this number of keys, all are searched.
const KEYS_MAX: usize = 20_000;

/// The partition keys that a query can match.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionFilter {
    /// Any.
    All,
    /// These keys or prefixes of keys; empty if no item can satisfy the filter.
    Keys(Vec<PartitionKey>),
}

/// A range of effective partition keys, as in query plans. A single key has equal ends, both inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryRange {
    /// The lowest epk inside.
    pub min: EffectivePartitionKey,
    /// The end of the range.
    pub max: EffectivePartitionKey,
    /// Whether `max` belongs to the range.
    pub is_max_inclusive: bool,
}

/// Computes the partition keys that a query can match.
///
/// ```
/// use planisphere_query::plan::partition_filter;
/// use planisphere_query::{BuiltInFunctions, Parameters, bind, parse};
///
/// let tree = parse("SELECT * FROM c WHERE c.pk IN ('a', 'b') AND c.pk != 'b'").unwrap();
/// let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
/// let definition = model::PartitionKeyDefinition::single("/pk").unwrap();
/// assert_eq!(partition_filter(&bound, &definition).to_string(), r#"["a"]"#);
/// ```
#[must_use]
pub fn partition_filter(
    query: &BoundQuery,
    definition: &PartitionKeyDefinition,
) -> PartitionFilter {
    partition_filter_with_condition(query, &row_condition(query), definition)
}

/// Like [`partition_filter`], for a query whose row condition is known.
#[must_use]
pub fn partition_filter_with_condition(
    query: &BoundQuery,
    condition: &Condition,
    definition: &PartitionKeyDefinition,
) -> PartitionFilter {
    // A query without FROM reads no items.
    if query.sources.is_empty() {
        return PartitionFilter::Keys(Vec::new());
    }
    let paths: Vec<Vec<IndexPathSegment>> = definition
        .paths()
        .iter()
        .map(|path| path.segments().iter().cloned().map(IndexPathSegment::Property).collect())
        .collect();
    let Some(choices) = choices(condition, &paths) else {
        return PartitionFilter::All;
    };
    let mut keys = Vec::new();
    for choice in &choices {
        let Some(found) = choice.keys() else {
            return PartitionFilter::All;
        };
        keys.extend(found);
        if keys.len() > KEYS_MAX {
            return PartitionFilter::All;
        }
    }
    PartitionFilter::Keys(without_covered(keys))
}

impl PartitionFilter {
    /// Whether exactly one logical partition matches.
    #[must_use]
    pub fn is_single_key(&self, definition: &PartitionKeyDefinition) -> bool {
        match self {
            Self::Keys(keys) => match keys.as_slice() {
                [only] => only.components().len() == definition.levels(),
                _ => false,
            },
            Self::All => false,
        }
    }

    /// The filter as ranges of epks: sorted and without overlaps. Never empty: a query that matches no key still runs
    /// once, at the lowest epk, because an aggregate over nothing is a row too.
    #[must_use]
    pub fn ranges(&self, definition: &PartitionKeyDefinition) -> Vec<QueryRange> {
        let keys = match self {
            Self::All => return vec![QueryRange::full()],
            Self::Keys(keys) => keys,
        };
        let mut ranges: Vec<QueryRange> =
            keys.iter().map(|key| QueryRange::for_key(key, definition)).collect();
        ranges.sort_by(|left, right| left.min.cmp(&right.min));
        ranges.dedup_by(|later, earlier| later.min == earlier.min);
        if ranges.is_empty() {
            ranges.push(QueryRange::point(EffectivePartitionKey::MIN));
        }
        ranges
    }
}

/// `all`, `none`, or the keys.
impl std::fmt::Display for PartitionFilter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => formatter.write_str("all"),
            Self::Keys(keys) if keys.is_empty() => formatter.write_str("none"),
            Self::Keys(keys) => {
                let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
                formatter.write_str(&keys.join(" "))
            }
        }
    }
}

impl QueryRange {
    fn full() -> Self {
        let (min, max) = (EffectivePartitionKey::MIN, EffectivePartitionKey::MAX);
        Self { min, max, is_max_inclusive: false }
    }

    fn point(epk: EffectivePartitionKey) -> Self {
        Self { min: epk.clone(), max: epk, is_max_inclusive: true }
    }

    fn for_key(key: &PartitionKey, definition: &PartitionKeyDefinition) -> Self {
        if key.components().len() == definition.levels() {
            return Self::point(definition.effective(key));
        }
        let range = definition.effective_range(key);
        Self { min: range.min, max: range.max, is_max_inclusive: false }
    }
}

/// One way to satisfy a filter: the values allowed at each level of the key; `None` if all are.
#[derive(Clone, Debug)]
struct KeyChoice {
    levels: Vec<Option<Vec<PartitionKeyValue>>>,
}

impl KeyChoice {
    fn free(levels: usize) -> Self {
        Self { levels: vec![None; levels] }
    }

    /// What both allow; `None` if that is nothing.
    fn and(&self, other: &Self) -> Option<Self> {
        let mut levels = Vec::with_capacity(self.levels.len());
        for (left, right) in self.levels.iter().zip(&other.levels) {
            levels.push(match (left, right) {
                (None, other) | (other, None) => other.clone(),
                (Some(left), Some(right)) => {
                    let right: HashSet<&PartitionKeyValue> = right.iter().collect();
                    let both: Vec<_> =
                        left.iter().filter(|value| right.contains(value)).cloned().collect();
                    if both.is_empty() {
                        return None;
                    }
                    Some(both)
                }
            });
        }
        Some(Self { levels })
    }

    /// The keys, or their prefixes up to the first unrestricted level; `None` if the first level is unrestricted.
    fn keys(&self) -> Option<Vec<PartitionKey>> {
        let mut prefixes: Vec<Vec<PartitionKeyValue>> = vec![Vec::new()];
        for values in self.levels.iter().map_while(Option::as_ref) {
            // Stopping early leaves shorter prefixes, which match more keys.
            if prefixes.len().saturating_mul(values.len()) > KEYS_MAX {
                break;
            }
            prefixes = prefixes
                .iter()
                .flat_map(|prefix| {
                    values.iter().map(|value| {
                        let mut longer = prefix.clone();
                        longer.push(value.clone());
                        longer
                    })
                })
                .collect();
        }
        if prefixes.iter().any(Vec::is_empty) {
            return None;
        }
        Some(prefixes.into_iter().map(PartitionKey::from_values).collect())
    }
}

/// The ways to satisfy a condition; `None` if it does not restrict the key, or if there are too many.
fn choices(condition: &Condition, paths: &[Vec<IndexPathSegment>]) -> Option<Vec<KeyChoice>> {
    match condition {
        Condition::Never => Some(Vec::new()),
        Condition::Always | Condition::Unknown => None,
        Condition::Path(known) => {
            let level = paths.iter().position(|path| *path == known.path)?;
            let values = key_values(&known.values)?;
            let mut choice = KeyChoice::free(paths.len());
            if let Some(allowed) = choice.levels.get_mut(level) {
                *allowed = Some(values);
            }
            Some(vec![choice])
        }
        Condition::Any(parts) => {
            let mut found = Vec::new();
            for part in parts {
                found.extend(choices(part, paths)?);
            }
            (found.len() <= KEYS_MAX).then_some(found)
        }
        Condition::All(parts) => {
            let mut found: Option<Vec<KeyChoice>> = None;
            for more in parts.iter().filter_map(|part| choices(part, paths)) {
                found = Some(match found {
                    None => more,
                    // Ignoring a conjunct only allows more keys.
                    Some(known) if known.len().saturating_mul(more.len()) > KEYS_MAX => known,
                    Some(known) => known
                        .iter()
                        .flat_map(|left| more.iter().filter_map(|right| left.and(right)))
                        .collect(),
                });
            }
            found
        }
    }
}

/// The key values of a set of values; `None` if they cannot be enumerated.
fn key_values(values: &ValueSet) -> Option<Vec<PartitionKeyValue>> {
    // The common case, `key = constant`, without building a set.
    if let Some(only) = values.as_point() {
        return Some(vec![key_value(only)]);
    }
    // Undefined is a key value of its own, but not a value of the set: it is added separately.
    let mut defined = values.clone();
    defined.undefined = false;
    let mut found = Vec::new();
    let mut known = HashSet::new();
    let undefined = values.undefined.then_some(PartitionKeyValue::Undefined);
    let defined = defined.as_points()?;
    for value in undefined.into_iter().chain(defined.iter().map(key_value)) {
        if known.insert(value.clone()) {
            found.push(value);
        }
    }
    Some(found)
}

/// As in stored items, an array or object counts as a missing key value.
fn key_value(value: &Json) -> PartitionKeyValue {
    match value {
        Json::Null => PartitionKeyValue::Null,
        Json::Bool(value) => PartitionKeyValue::Bool(*value),
        Json::Number(number) => PartitionKeyValue::Number(number.as_f64()),
        Json::String(text) => PartitionKeyValue::String(text.clone()),
        Json::Array(_) | Json::Object(_) => PartitionKeyValue::Undefined,
    }
}

/// Removes duplicates and keys that have another one as a prefix.
fn without_covered(keys: Vec<PartitionKey>) -> Vec<PartitionKey> {
    if keys.len() < 2 {
        return keys;
    }
    let known: HashSet<PartitionKey> = keys.iter().cloned().collect();
    let mut unique = HashSet::new();
    let is_covered = |key: &PartitionKey| {
        (1..key.components().len()).any(|levels| {
            let prefix = key.components().iter().take(levels).cloned();
            known.contains(&PartitionKey::from_values(prefix))
        })
    };
    keys.into_iter().filter(|key| !is_covered(key) && unique.insert(key.clone())).collect()
}
