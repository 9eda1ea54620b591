//! What must hold of any text, as a query and as an item. Panics are the failures.
//!
//! Shared with the targets in `fuzz/`, so it names nothing of the tests.

use model::{IndexingPolicy, Json, Object, PartitionKeyDefinition};
use query::function::UtcDateTime;
use query::plan::access::{Indexes, plan_access};
use query::plan::distribute::{FeatureSet, PlanContext, distribute};
use query::plan::metrics::index_metrics;
use query::plan::partition_filter;
use query::{
    BuiltInFunctions, EvaluationContext, ItemPredicate, Parameters, QueryExecutor, bind, parse,
    print,
};

/// An item that many queries find something in.
const ITEM: &[u8] = br#"{"id":"a","a":1,"b":[1,{"x":"y"}],"c":{"d":null},"key":"k","name":"n"}"#;

/// Bytes of rows a fuzzed query may hold.
const HELD_BYTES_MAX: usize = 1 << 16;

/// A query is refused or understood: then its printed text is the same query, and plans and rows can be asked for.
pub(crate) fn check_query(text: &str) {
    let _ = ItemPredicate::parse(text);
    let Ok(tree) = parse(text) else { return };
    let printed = print(&tree);
    assert_eq!(parse(&printed).as_ref(), Ok(&tree), "printed as {printed}");
    let Ok(bound) = bind(&tree, &Parameters::new(), &BuiltInFunctions) else { return };
    let indexes = Indexes::new(&IndexingPolicy::default());
    let _ = plan_access(&bound, &indexes);
    let _ = index_metrics(&bound, &indexes).to_header();
    let definition = PartitionKeyDefinition::single("/key").expect("a path is a definition");
    let _ = partition_filter(&bound, &definition).ranges(&definition);
    let features = FeatureSet::full();
    let context = PlanContext {
        partition_key: &definition,
        vectors: None,
        geospatial: model::GeospatialConfig::default(),
        features,
    };
    if let Ok(plan) = distribute(&tree, &bound, &context) {
        let _ = plan.to_json();
    }
    let start = UtcDateTime::from_milliseconds(0).expect("1970 is known");
    let context = EvaluationContext {
        held_bytes_max: HELD_BYTES_MAX,
        ..EvaluationContext::starting_at(start)
    };
    let mut executor = QueryExecutor::new(&bound, context);
    if executor.push_text(ITEM).is_ok() {
        let _ = executor.finish();
    }
}

/// An item is refused or read; and if the whole of it can be read, so can its parts, to the same values.
pub(crate) fn check_item(text: &[u8]) {
    for parity in 0..2 {
        let is_wanted = |name: &[u8]| name.iter().fold(0, |sum, byte| sum ^ (byte & 1)) == parity;
        let read = Json::parse_properties(text, is_wanted);
        let Ok(whole) = Json::parse(text) else { continue };
        let read = read.expect("a part of what can be read can be read");
        let expected = match &whole {
            Json::Object(object) => {
                let mut kept = Object::new();
                for (name, value) in object.iter().filter(|(name, _)| is_wanted(name.as_bytes())) {
                    kept.insert(name, value.clone());
                }
                Json::Object(kept)
            }
            other => other.clone(),
        };
        assert_eq!(read.to_string(), expected.to_string());
    }
}
