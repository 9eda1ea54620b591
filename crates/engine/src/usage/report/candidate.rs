//! Estimates what another partition key would have done to the sampled traffic.
//!
//! For each sampled item it computes the candidate key, and for each sampled query whether the filter fixes that key.
//! Samples are weighted by the number of requests they represent. The estimate knows only what was sampled: values in
//! arrays, long strings and items that no request touched are missing.

use std::collections::{BTreeMap, HashMap};

use ::query::plan::{PartitionFilter, partition_filter};
use ::query::{BoundQuery, BuiltInFunctions, Parameters, bind, parse};
use model::{Json, Object, PartitionKeyDefinition, PropertyPath};

use super::super::document::decimal;
use super::member::{list, number, ratio, sum, text};
use crate::error::Result;

const ROWS_MAX: usize = 10;
/// Samples count charges in this fraction of a request unit.
#[expect(clippy::cast_precision_loss, reason = "it is small")]
const PARTS: f64 = model::RequestCharge::PARTS_PER_REQUEST_UNIT as f64;

/// Parses a candidate partition key: one path, or the comma-separated paths of a hierarchical key.
///
/// # Errors
/// `Invalid` if the text is not a partition key.
pub fn candidate_partition_key(text: &str) -> Result<PartitionKeyDefinition> {
    let paths: Vec<&str> = text.split(',').map(str::trim).collect();
    Ok(match paths.as_slice() {
        [only] => PartitionKeyDefinition::single(only)?,
        several => PartitionKeyDefinition::hierarchical(several)?,
    })
}

/// Estimates the effect of a candidate partition key on a container.
pub(super) fn evaluate(container: &Json, candidate: &PartitionKeyDefinition) -> Json {
    let candidate_paths = paths(candidate);
    let mut object = Object::new();
    let shown = candidate_paths.iter().map(|path| Json::from(path.as_str()));
    object.insert("partitionKey", shown.collect::<Vec<_>>());
    let Some(traffic) = container.get("traffic") else {
        object.insert("note", "No traffic was recorded. Start the server with --record-traffic.");
        return Json::Object(object);
    };
    let now: Vec<String> = list(container, "partitionKey")
        .iter()
        .filter_map(Json::as_str)
        .map(|path| {
            PropertyPath::parse(path).map_or_else(|_| path.to_owned(), |path| sampled_path(&path))
        })
        .collect();
    let mut trial = Trial::new(traffic, candidate_paths);
    trial.add_items(list(traffic, "items"));
    let queries = list(traffic, "queries");
    let across = CrossPartitionQueries::count(queries, &now, &mut trial);
    object.insert("sampledItems", decimal(count(list(traffic, "items"))));
    object.insert("sampledQueries", decimal(count(queries)));
    object.insert("unreadableQueries", decimal(across.unreadable));
    object.insert("crossPartition", across.to_json(traffic));
    trial.write_to(&mut object, container, &now);
    Json::Object(object)
}

/// The paths as samples spell them: with quotes only where a name needs them.
fn paths(definition: &PartitionKeyDefinition) -> Vec<String> {
    definition.paths().iter().map(sampled_path).collect()
}

fn sampled_path(path: &PropertyPath) -> String {
    let spelled = PropertyPath::from_segments(path.segments().to_vec());
    spelled.map_or_else(|| path.to_string(), |path| path.as_str().to_owned())
}

#[expect(clippy::cast_precision_loss, reason = "samples are small")]
fn count(list: &[Json]) -> f64 {
    list.len() as f64
}

/// How many requests one sample represents.
fn weight(traffic: &Json, seen: &str, sample: &str) -> f64 {
    ratio(number(traffic, seen), count(list(traffic, sample)))
}

/// Request units and sizes by candidate key.
struct Trial {
    paths: Vec<String>,
    item_weight: f64,
    query_weight: f64,
    heat: HashMap<String, f64>,
    /// The latest size of each item, by key and id.
    sizes: BTreeMap<(String, String), f64>,
    items: f64,
    without_value: f64,
    point_reads: f64,
}

impl Trial {
    fn new(traffic: &Json, paths: Vec<String>) -> Self {
        Self {
            paths,
            item_weight: weight(traffic, "itemsSeen", "items"),
            query_weight: weight(traffic, "queriesSeen", "queries"),
            heat: HashMap::new(),
            sizes: BTreeMap::new(),
            items: 0.0,
            without_value: 0.0,
            point_reads: 0.0,
        }
    }

    fn add_items(&mut self, items: &[Json]) {
        for item in items {
            let values = item.get("values");
            let value = |path: &String| values.and_then(|values| values.get(path)).cloned();
            let components: Vec<Option<Json>> = self.paths.iter().map(value).collect();
            self.items += 1.0;
            self.without_value += f64::from(u8::from(components.iter().any(Option::is_none)));
            self.point_reads += f64::from(u8::from(text(item, "operation") == "read"));
            let key = key_text(&components);
            let id = values.and_then(|values| values.get("/id")).map(ToString::to_string);
            // An item may be sampled several times; only its last size counts.
            self.sizes.insert((key.clone(), id.unwrap_or_default()), number(item, "bytes"));
            *self.heat.entry(key).or_default() += number(item, "parts") / PARTS * self.item_weight;
        }
    }

    fn write_to(&self, object: &mut Object, container: &Json, now: &[String]) {
        let mut sizes: HashMap<&str, f64> = HashMap::new();
        for ((key, _), bytes) in &self.sizes {
            *sizes.entry(key).or_default() += bytes;
        }
        let sampled_bytes: f64 = sizes.values().sum();
        let stored_bytes = sum(list(container, "partitions"), "bytes");
        object.insert("keysSeen", decimal(count_of(sizes.len())));
        object.insert("itemsWithoutValueShare", decimal(ratio(self.without_value, self.items)));
        let is_known = |path: &String| path == "/id" || now.contains(path);
        // A point read knows the id and the current key, and nothing else of the item.
        let affected_reads = if self.paths.iter().all(is_known) { 0.0 } else { self.point_reads };
        object
            .insert("pointReadsThatNeedTheNewKeyShare", decimal(ratio(affected_reads, self.items)));
        object.insert(
            "largest",
            top_rows(sizes.into_iter(), |key, bytes| {
                let mut row = Object::new();
                row.insert("partitionKey", key);
                row.insert("share", decimal(ratio(bytes, sampled_bytes)));
                row.insert(
                    "bytesEstimate",
                    decimal((ratio(bytes, sampled_bytes) * stored_bytes).round()),
                );
                row
            }),
        );
        let heat: f64 = self.heat.values().sum();
        let keys = self.heat.iter().map(|(key, units)| (key.as_str(), *units));
        object.insert(
            "busiest",
            top_rows(keys, |key, units| {
                let mut row = Object::new();
                row.insert("partitionKey", key);
                row.insert("share", decimal(ratio(units, heat)));
                row.insert("requestUnits", decimal(units));
                row
            }),
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "samples are small")]
fn count_of(number: usize) -> f64 {
    number as f64
}

/// A key as text; an absent component is written as undefined.
fn key_text(components: &[Option<Json>]) -> String {
    let shown = components.iter().map(|component| match component {
        Some(value) => value.to_string(),
        None => "undefined".to_owned(),
    });
    format!("[{}]", shown.collect::<Vec<_>>().join(","))
}

/// The rows with the greatest amounts, in descending order.
fn top_rows<'a>(
    entries: impl Iterator<Item = (&'a str, f64)>,
    row: impl Fn(&str, f64) -> Object,
) -> Vec<Json> {
    let mut entries: Vec<(&str, f64)> = entries.collect();
    // By key among equals: the order of a hash map differs from run to run.
    entries.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(right.0)));
    entries.truncate(ROWS_MAX);
    entries.into_iter().map(|(key, amount)| Json::Object(row(key, amount))).collect()
}

/// Queries that are not confined to one partition key: with the current key (`now`) and the candidate (`then`).
#[derive(Default)]
struct CrossPartitionQueries {
    queries: f64,
    units: f64,
    now: f64,
    now_units: f64,
    then: f64,
    then_units: f64,
    unreadable: f64,
}

impl CrossPartitionQueries {
    fn count(queries: &[Json], now: &[String], trial: &mut Trial) -> Self {
        let mut counted = Self::default();
        for query in queries {
            let Some(bound) = parse_and_bind(query) else {
                counted.unreadable += 1.0;
                continue;
            };
            let units = number(query, "parts") / PARTS;
            counted.queries += 1.0;
            counted.units += units;
            if single_key(&bound, query, now, now).is_none() {
                counted.now += 1.0;
                counted.now_units += units;
            }
            match single_key(&bound, query, &trial.paths, now) {
                Some(key) => *trial.heat.entry(key).or_default() += units * trial.query_weight,
                None => {
                    counted.then += 1.0;
                    counted.then_units += units;
                }
            }
        }
        counted
    }

    fn to_json(&self, traffic: &Json) -> Json {
        let all = number(traffic, "itemsSeen") + number(traffic, "queriesSeen");
        let queries = number(traffic, "queriesSeen");
        let mut object = Object::new();
        for (name, count, units) in
            [("now", self.now, self.now_units), ("then", self.then, self.then_units)]
        {
            let share = ratio(count, self.queries);
            let mut shares = Object::new();
            shares.insert("shareOfQueries", decimal(share));
            shares.insert("shareOfQueryRequestUnits", decimal(ratio(units, self.units)));
            shares.insert("shareOfRequests", decimal(ratio(share * queries, all)));
            object.insert(name, shares);
        }
        Json::Object(object)
    }
}

fn parse_and_bind(query: &Json) -> Option<BoundQuery> {
    let tree = parse(text(query, "text")).ok()?;
    let members = query.get("parameters").and_then(Json::as_object);
    let parameters: Parameters = members
        .into_iter()
        .flat_map(Object::iter)
        .map(|(name, value)| (name.to_owned(), Some(value.clone())))
        .collect();
    bind(&tree, &parameters, &BuiltInFunctions).ok()
}

/// The key that a query is confined to; `None` if it may read several.
fn single_key(
    bound: &BoundQuery,
    query: &Json,
    paths: &[String],
    now: &[String],
) -> Option<String> {
    let request_key = list(query, "partitionKey");
    let mut components = Vec::new();
    for path in paths {
        // The request's partition key provides the values of the current key's paths.
        let by_request = now.iter().position(|known| known == path);
        let by_request = by_request.and_then(|level| request_key.get(level)).cloned();
        components.push(Some(match by_request {
            Some(value) => value,
            None => filter_value(bound, path)?,
        }));
    }
    Some(key_text(&components))
}

/// The only value that a filter allows at a path.
fn filter_value(bound: &BoundQuery, path: &str) -> Option<Json> {
    let definition = PartitionKeyDefinition::single(path).ok()?;
    match partition_filter(bound, &definition) {
        PartitionFilter::Keys(keys) => match keys.as_slice() {
            [only] => only.to_json().as_array()?.first().cloned(),
            _ => None,
        },
        PartitionFilter::All => None,
    }
}
