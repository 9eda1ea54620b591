//! ORDER BY RANK compared with the algorithm of clients: statistics, one query per score, fusion.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like tests do"
)]

use std::collections::BTreeMap;

use model::{Json, PartitionKeyDefinition};
use proptest::prelude::*;
use query::ast::SortOrder;
use query::plan::distribute::{FeatureSet, HybridInfo, PlanBody, PlanContext, distribute};
use query::value::Value;
use query::{BuiltInFunctions, Parameters, QueryExecutor, bind, parse};

use crate::sqltest::rows::context;

fn rows(text: &str, items: &[Json]) -> Vec<Value> {
    let query = bind(&parse(text).unwrap(), &Parameters::new(), &BuiltInFunctions).unwrap();
    let mut executor = QueryExecutor::new(&query, context());
    for item in items {
        executor.push(item).unwrap();
    }
    executor.finish().unwrap()
}

fn plan(text: &str) -> HybridInfo {
    let tree = parse(text).unwrap();
    let query = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
    let definition = PartitionKeyDefinition::single("/key").unwrap();
    let vectors = context().vector_embeddings;
    let features = FeatureSet::parse("HybridSearch,WeightedRankFusion");
    let context = PlanContext {
        partition_key: &definition,
        vectors: Some(&vectors),
        geospatial: model::GeospatialConfig::default(),
        features,
    };
    match distribute(&tree, &query, &context).unwrap().body {
        PlanBody::Hybrid(info) => info,
        PlanBody::Query(info) => panic!("{info:?}"),
    }
}

/// A component query with the statistics filled in, as a client sends it.
fn filled(text: &str, statistics: &Value) -> String {
    let mark = |name: &str| format!("{{documentdb-formattablehybridsearchquery-{name}}}");
    let mut text = text.replace("{documentdb-formattableorderbyquery-filter}", "true");
    let documents = statistics.property("documentCount").to_string();
    text = text.replace(&mark("totaldocumentcount"), &documents);
    let texts = statistics.property("fullTextStatistics");
    for (number, one) in texts.as_array().unwrap().iter().enumerate() {
        let (words, hits) = (one.property("totalWordCount"), one.property("hitCounts"));
        text = text.replace(&mark(&format!("totalwordcount-{number}")), &words.to_string());
        text = text.replace(&mark(&format!("hitcountsarray-{number}")), &hits.to_string());
    }
    text
}

/// The ids in the order that a client of a single partition computes.
fn ranked_by_client(info: &HybridInfo, items: &[Json]) -> Vec<String> {
    let statistics = rows(&info.statistics_query, items).remove(0);
    let mut scores: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for component in &info.components {
        for row in rows(&filled(&component.rewritten_query, &statistics), items) {
            let body = row.property("payload");
            let id = body.property("payload").to_string();
            let list = body.property("componentScores");
            let list = list.as_array().unwrap().iter().map(|one| one.as_f64().unwrap());
            scores.insert(id, list.collect());
        }
    }
    let mut sums: BTreeMap<&String, f64> = BTreeMap::new();
    for (place, component) in info.components.iter().enumerate() {
        let mut order: Vec<f64> = scores.values().map(|list| list[place]).collect();
        order.sort_by(f64::total_cmp);
        order.dedup();
        if component.order_by == [SortOrder::Descending] {
            order.reverse();
        }
        let weight = info.weights.get(place).copied().unwrap_or(1.0);
        for (id, list) in &scores {
            let rank = order.iter().position(|score| *score == list[place]).unwrap() + 1;
            *sums.entry(id).or_default() += weight / (60.0 + rank as f64);
        }
    }
    let mut ids: Vec<(&String, f64)> = sums.into_iter().collect();
    ids.sort_by(|left, right| right.1.total_cmp(&left.1));
    ids.into_iter().map(|(id, _)| id.clone()).collect()
}

fn item() -> impl Strategy<Value = (Option<Vec<&'static str>>, Option<(i8, i8)>)> {
    let word = prop::sample::select(vec!["red", "blue", "boat", "boats", "car", "the", "fast"]);
    (prop::option::of(prop::collection::vec(word, 0..8)), prop::option::of((-3..4_i8, -3..4_i8)))
}

const SCORES: [&str; 5] = [
    "FullTextScore(c.text, 'red')",
    "RRF(FullTextScore(c.text, 'red', 'boat'), VectorDistance(c.v, [1, 2]))",
    "RRF(FullTextScore(c.text, 'red'), FullTextScore(c.text, 'fast car'), [3, 0.5])",
    "RRF(VectorDistance(c.v, [1, 2]), FullTextScore(c.text, 'boat'), [-1, 2])",
    "RRF(VectorDistance(c.w, [1, 2]), FullTextScore(c.text, 'boat'), [2, -1])",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_executor_ranks_as_clients_do(
        items in prop::collection::vec(item(), 0..12),
        scores in prop::sample::select(SCORES.to_vec()),
        filter in prop::sample::select(vec!["", "WHERE c.id > 102", "WHERE IS_DEFINED(c.text)"]),
    ) {
        // Ids of equal length: ties are ordered by id, which is the order of the items.
        let items: Vec<Json> = items
            .iter()
            .enumerate()
            .map(|(number, (text, vector))| {
                let mut item = format!("{{\"id\":{}", 100 + number);
                if let Some(words) = text {
                    item += &format!(",\"text\":\"{}\"", words.join(" "));
                }
                if let Some((x, y)) = vector {
                    item += &format!(",\"v\":[{x},{y}],\"w\":[{y},{x}]");
                }
                Json::parse(format!("{item}}}").as_bytes()).unwrap()
            })
            .collect();
        let text = format!("SELECT VALUE c.id FROM c {filter} ORDER BY RANK {scores}");
        let ranked: Vec<String> = rows(&text, &items).iter().map(Value::to_string).collect();
        prop_assert_eq!(ranked, ranked_by_client(&plan(&text), &items), "{}", text);
    }
}
