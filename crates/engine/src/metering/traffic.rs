//! A bounded sample of traffic with its values, to evaluate another partition key with it.
//!
//! Owns two reservoirs per container: items that were written or read by id, with their scalar values, and queries with
//! their parameters. Every request is in the sample with the same probability. Kept only if the settings ask for it,
//! because the values are the user's.

use std::sync::{Mutex, PoisonError};

use model::{FeedRange, Json, Object, PropertyPath, RequestCharge};
use query::Parameters;

use super::operation_kind::OperationKind;

const ITEMS_MAX: usize = 2000;
const QUERIES_MAX: usize = 1000;
/// Values kept of one item.
const VALUES_MAX: usize = 64;
/// Longer texts are left out: nobody would choose them as a partition key.
const TEXT_BYTES_MAX: usize = 256;
const QUERY_BYTES_MAX: usize = 4096;

/// The sample of one container.
#[derive(Debug, Default)]
pub(crate) struct Traffic(Mutex<Reservoirs>);

/// A query as the sample keeps it.
pub(crate) struct SampledQuery<'query> {
    pub(crate) text: &'query str,
    pub(crate) parameters: &'query Parameters,
    pub(crate) feed_range: &'query FeedRange,
}

#[derive(Debug, Default)]
struct Reservoirs {
    items_seen: u64,
    items: Vec<Json>,
    queries_seen: u64,
    queries: Vec<Json>,
}

impl Traffic {
    /// One item that was written or read.
    pub(crate) fn item(
        &self,
        random: u64,
        kind: OperationKind,
        charge: RequestCharge,
        (item, bytes): (impl FnOnce() -> Json, usize),
    ) {
        let mut reservoirs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Reservoirs { items_seen, items, .. } = &mut *reservoirs;
        sample(random, items_seen, items, ITEMS_MAX, || {
            let mut values = Vec::new();
            collect_values(&item(), &mut Vec::new(), &mut values);
            let mut sampled = Object::new();
            sampled.insert("operation", kind.name());
            sampled.insert("parts", integer(charge.parts()));
            sampled.insert("bytes", integer(bytes as u64));
            let mut object = Object::new();
            values.into_iter().for_each(|(path, value)| object.insert(path, value));
            sampled.insert("values", object);
            Json::Object(sampled)
        });
    }

    /// One page of a query.
    pub(crate) fn query(&self, random: u64, query: &SampledQuery<'_>, charge: RequestCharge) {
        if query.text.len() > QUERY_BYTES_MAX {
            return;
        }
        let mut reservoirs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Reservoirs { queries_seen, queries, .. } = &mut *reservoirs;
        sample(random, queries_seen, queries, QUERIES_MAX, || {
            let mut sampled = Object::new();
            sampled.insert("text", query.text);
            sampled.insert("parts", integer(charge.parts()));
            let mut parameters = Object::new();
            for (name, value) in query.parameters.iter() {
                if let Some(value) = value.filter(|value| is_short(value)) {
                    parameters.insert(name, value.clone());
                }
            }
            sampled.insert("parameters", parameters);
            if let FeedRange::PartitionKey(key) = query.feed_range {
                sampled.insert("partitionKey", key.to_json());
            }
            Json::Object(sampled)
        });
    }

    pub(crate) fn to_json(&self) -> Json {
        let reservoirs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut object = Object::new();
        object.insert("itemsSeen", integer(reservoirs.items_seen));
        object.insert("items", reservoirs.items.clone());
        object.insert("queriesSeen", integer(reservoirs.queries_seen));
        object.insert("queries", reservoirs.queries.clone());
        Json::Object(object)
    }
}

/// Reservoir sampling: keeps one element of a stream with equal probability. `make` is called only for those kept.
fn sample(
    random: u64,
    seen: &mut u64,
    reservoir: &mut Vec<Json>,
    capacity: usize,
    make: impl FnOnce() -> Json,
) {
    *seen += 1;
    if reservoir.len() < capacity {
        reservoir.push(make());
        return;
    }
    // Outside of the reservoir for most requests: the probability to be kept falls as 1/seen, so that all are equal.
    let chosen = usize::try_from(random % *seen).unwrap_or(usize::MAX);
    if let Some(replaced) = reservoir.get_mut(chosen) {
        *replaced = make();
    }
}

fn integer(number: u64) -> Json {
    Json::from(i64::try_from(number).unwrap_or(i64::MAX))
}

fn is_short(value: &Json) -> bool {
    value.as_str().is_none_or(|text| text.len() <= TEXT_BYTES_MAX)
}

/// The scalar values of an item by path; arrays hold no partition key.
fn collect_values(value: &Json, names: &mut Vec<String>, values: &mut Vec<(String, Json)>) {
    match value {
        Json::Object(object) => {
            // System properties cannot be partition keys.
            for (name, value) in object.iter().filter(|(name, _)| !name.starts_with('_')) {
                names.push(name.to_owned());
                collect_values(value, names, values);
                names.pop();
            }
        }
        Json::Array(_) => {}
        scalar if values.len() < VALUES_MAX && is_short(scalar) => {
            // With quotes where a name needs them: `a/b` is another property than `b` inside of `a`.
            if let Some(path) = PropertyPath::from_segments(names.clone()) {
                values.push((path.as_str().to_owned(), scalar.clone()));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_has_the_same_chance() {
        let (mut seen, mut reservoir) = (0, Vec::new());
        let mut state = 1_u64;
        for number in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sample(state >> 33, &mut seen, &mut reservoir, 1000, || Json::from(number));
        }
        assert_eq!((seen, reservoir.len()), (20_000, 1000));
        let early = reservoir.iter().filter(|number| number.as_i64() < Some(10_000)).count();
        assert!((400..600).contains(&early), "{early}");
    }

    #[test]
    fn names_that_need_quotes_have_them() {
        let traffic = Traffic::default();
        let item =
            || Json::parse(br#"{"a":{"b":1},"a/b":2,"x \"y\"":{"z":3},"plain one":4}"#).unwrap();
        traffic.item(0, OperationKind::Create, RequestCharge::from_parts(7), (item, 9));
        let items = traffic.to_json();
        let sampled = items.get("items").unwrap().as_array().unwrap()[0].get("values").unwrap();
        let paths: Vec<&str> = sampled.as_object().unwrap().iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["/a/b", r#"/"a/b""#, r#"/"x \"y\""/z"#, "/plain one"]);
        for path in paths {
            let path = PropertyPath::parse(path).unwrap();
            assert!(path.resolve(&item()).is_some(), "{path:?}");
        }
    }

    #[test]
    fn long_texts_arrays_and_system_properties_are_left_out() {
        let traffic = Traffic::default();
        let long = "x".repeat(300);
        let text = format!(r#"{{"id":"1","a":{{"b":2}},"tags":[1],"_ts":5,"long":"{long}"}}"#);
        let item = || Json::parse(text.as_bytes()).unwrap();
        traffic.item(0, OperationKind::Create, RequestCharge::from_parts(7), (item, 9));
        let items = traffic.to_json();
        let sampled = items.get("items").unwrap().as_array().unwrap()[0].to_string();
        assert_eq!(
            sampled,
            r#"{"operation":"create","parts":7,"bytes":9,"values":{"/id":"1","/a/b":2}}"#
        );
    }
}
