//! Properties of plans: nothing panics, rewritten texts parse, and no plan loses an item.

use std::sync::LazyLock;

use model::{IndexingPolicy, Json, PartitionKeyDefinition};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use query::plan::access::{Indexes, OrderAccess, plan_access};
use query::plan::distribute::{FeatureSet, PlanContext, distribute};
use query::plan::metrics::index_metrics;
use query::plan::{PartitionFilter, partition_filter, simplify};
use query::{BuiltInFunctions, Parameters, bind, parse};

use super::evaluate::{evaluate, finds, passes, values_at};
use super::{bound, rewrite};
use crate::tree;

const POLICIES: [&str; 4] = [
    r#"{"includedPaths":[{"path":"/*"}]}"#,
    r#"{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/a/?"},{"path":"/t/[]/*"}]}"#,
    r#"{"includedPaths":[{"path":"/b/*"}],"excludedPaths":[{"path":"/*"}]}"#,
    r#"{"includedPaths":[{"path":"/*"}],"compositeIndexes":[
        [{"path":"/a"},{"path":"/b"}], [{"path":"/b","order":"descending"},{"path":"/a"}],
        [{"path":"/a"},{"path":"/b"},{"path":"/o/x"}]]}"#,
];

fn policy(place: usize) -> IndexingPolicy {
    let json = Json::parse(POLICIES[place].as_bytes()).unwrap();
    IndexingPolicy::from_json(&json).unwrap()
}

/// Values that items and filters share, so that they often match.
pub(crate) const VALUES: [&str; 15] = [
    "null",
    "false",
    "true",
    "-1",
    "0",
    "1",
    "1.5",
    "2",
    "\"\"",
    "\"a\"",
    "\"ab\"",
    "\"b\"",
    "[1]",
    "[]",
    "{\"x\":1}",
];

/// Items with every value at every path that filters use, and items without some of them.
static ITEMS: LazyLock<Vec<Json>> = LazyLock::new(|| {
    let value = |place: usize| VALUES[place % VALUES.len()];
    let mut items = vec!["{}".to_owned(), r#"{"o":{},"t":[]}"#.to_owned()];
    for place in 0..VALUES.len() {
        let (a, b, x) = (value(place), value(place * 4 + 1), value(place * 2 + 3));
        let (y, z) = (value(place + 1), value(place + 5));
        items.push(format!(r#"{{"a":{a},"b":{b},"o":{{"x":{x}}},"t":[{a},{y},{{"x":{z}}}]}}"#));
        items.push(format!(r#"{{"b":{a},"o":{b},"t":[{{"x":{a},"y":[{b}]}},{{"x":{z}}}]}}"#));
        items.push(format!(r#"{{"a":{a},"t":{x}}}"#));
    }
    items.iter().map(|text| Json::parse(text.as_bytes()).unwrap()).collect()
});

fn constant() -> impl Strategy<Value = String> {
    let odd = vec!["undefined", "NaN", "Infinity", "-Infinity", "{\"x\": {\"y\": 1}}"];
    prop_oneof![
        12 => prop::sample::select(VALUES.to_vec()),
        1 => prop::sample::select(odd),
    ]
    .prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["c.a", "c.b", "c.o.x", "c.o", "c.t", "c.t[0]", "c.t[1].x", "c[true]"])
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["''", "'a'", "'ab'", "'B'", "1"]).prop_map(str::to_owned)
}

/// Conditions on a path.
fn leaf(path: BoxedStrategy<&'static str>) -> BoxedStrategy<String> {
    let comparison = prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let check = prop::sample::select(vec![
        "IS_DEFINED",
        "IS_NULL",
        "IS_BOOL",
        "IS_NUMBER",
        "IS_STRING",
        "IS_ARRAY",
        "IS_OBJECT",
        "IS_PRIMITIVE",
        "IS_INTEGER",
    ]);
    let search = prop::sample::select(vec!["STARTSWITH", "ENDSWITH", "CONTAINS", "STRINGEQUALS"]);
    let several = prop::sample::select(vec!["ALL_CI", "ALL_CS", "ANY_CI", "ANY_CS"]);
    let flag = prop::sample::select(vec!["", ", true", ", false", ", 1"]);
    let pattern = prop::sample::select(vec!["a%", "%b", "%", "a_", "ab", "_b%", "[ab]%"]);
    let not = prop::sample::select(vec!["", "NOT "]);
    prop_oneof![
        8 => (path.clone(), comparison.clone(), constant())
            .prop_map(|(path, operator, value)| format!("{path} {operator} {value}")),
        2 => (constant(), comparison, path.clone())
            .prop_map(|(value, operator, path)| format!("{value} {operator} {path}")),
        1 => (path.clone(), not.clone(), prop::collection::vec(constant(), 1..4))
            .prop_map(|(path, not, list)| format!("{path} {not}IN ({})", list.join(", "))),
        1 => (path.clone(), not.clone(), constant(), constant())
            .prop_map(|(path, not, low, high)| format!("({path} {not}BETWEEN {low} AND {high})")),
        1 => (check, path.clone()).prop_map(|(check, path)| format!("{check}({path})")),
        1 => (search, path.clone(), text(), flag)
            .prop_map(|(search, path, text, flag)| format!("{search}({path}, {text}{flag})")),
        1 => (several, path.clone(), text(), text())
            .prop_map(|(name, path, one, two)| format!("CONTAINS_{name}({path}, {one}, {two})")),
        1 => (path.clone(), not, pattern)
            .prop_map(|(path, not, pattern)| format!("{path} {not}LIKE '{pattern}'")),
        1 => (path.clone(), constant(), prop::sample::select(vec!["", ", true", ", false"]))
            .prop_map(|(path, value, flag)| format!("ARRAY_CONTAINS({path}, {value}{flag})")),
        1 => (path.clone(), prop::collection::vec(constant(), 0..3))
            .prop_map(|(path, list)| format!("ARRAY_CONTAINS([{}], {path})", list.join(", "))),
        1 => (path.clone(), prop::sample::select(vec!["ANY", "ALL"]), constant(), constant())
            .prop_map(
            |(path, word, one, two)| { format!("ARRAY_CONTAINS_{word}({path}, {one}, {two})") }
        ),
        1 => (path.clone(), 0..3_i64).prop_map(|(path, value)| format!("ABS({path}) = {value}")),
        1 => (path.clone(), 0..3_i64, text())
            .prop_map(|(path, units, text)| { format!("LEFT({path}, {units}) = {text}") }),
        1 => path.prop_map(str::to_owned),
        1 => prop::sample::select(vec![
            "true",
            "false",
            "null",
            "1 = 1",
            "UPPER(c.a) = 'A'",
            "c.a = c.b"
        ])
        .prop_map(str::to_owned),
    ]
    .boxed()
}

fn filter() -> BoxedStrategy<String> {
    let element = prop::sample::select(vec!["e", "e.x", "e.y[0]", "c.a"]).boxed();
    let exists = leaf(element)
        .prop_map(|inner| format!("EXISTS(SELECT VALUE e FROM e IN c.t WHERE {inner})"));
    prop_oneof![4 => leaf(path().boxed()), 1 => exists]
        .prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                (inner.clone(), prop::sample::select(vec!["AND", "OR"]), inner.clone())
                    .prop_map(|(left, word, right)| format!("({left} {word} {right})")),
                inner.prop_map(|inner| format!("NOT ({inner})")),
            ]
        })
        .boxed()
}

/// Checks the plan of a query against all items.
fn check(text: &str, policy: &IndexingPolicy, is_joined: bool) -> TestCaseResult {
    let (_, query) = bound(text);
    let plan = plan_access(&query, &Indexes::new(policy)).unwrap();
    for item in ITEMS.iter() {
        let is_wanted = passes(&query, item);
        let is_found = finds(&plan.lookup, item, &policy.composite);
        prop_assert!(is_found || !is_wanted, "{} loses {}\n{:?}", text, item, plan.lookup);
        if !is_joined && is_found {
            let row = [query::value::Value::from(item)];
            let holds = |part| evaluate(part, &row).as_bool() == Some(true);
            let rest = plan.remaining.iter().all(holds);
            prop_assert_eq!(rest, is_wanted, "{} on {}\n{:?}", text, item, plan);
        }
        if let OrderAccess::Path { path, values, .. } = &plan.order {
            let value = values_at(item, path).first().copied();
            prop_assert!(values.contains(value) || !is_wanted, "{} on {}", text, item);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_lookup_loses_an_item(filter in filter(), place in 0..4_usize) {
        let text = format!("SELECT * FROM c WHERE {filter}");
        check(&text, &policy(place), false)?;
        check(&format!("{text} ORDER BY c.b"), &policy(place), false)?;
    }

    #[test]
    fn no_lookup_loses_a_joined_row(
        inner in leaf(prop::sample::select(vec!["e", "e.x", "c.a", "c.b"]).boxed()),
        outer in leaf(prop::sample::select(vec!["e", "e.x", "c.a"]).boxed()),
    ) {
        let text = format!("SELECT e FROM c JOIN e IN c.t WHERE {inner} AND ({outer})");
        check(&text, &policy(0), true)?;
        let text = format!("SELECT e FROM c JOIN e IN c.t JOIN c2 IN c.t WHERE NOT ({inner})");
        check(&text, &policy(0), true)?;
        let inner = inner.replace("c.", "e.");
        check(&format!("SELECT e FROM e IN c.t WHERE NOT ({inner})"), &policy(0), true)?;
    }

    #[test]
    fn no_partition_is_lost(filter in filter()) {
        let (_, query) = bound(&format!("SELECT * FROM c WHERE {filter}"));
        for paths in [&["/a"][..], &["/a", "/b"][..], &["/o/x", "/a", "/b"][..]] {
            check_partitions(&filter, &query, paths)?;
        }
    }

    #[test]
    fn a_simplified_filter_is_true_for_the_same_items(filter in filter()) {
        let (_, query) = bound(&format!("SELECT * FROM c WHERE {filter}"));
        let original = query.filter.as_ref().unwrap();
        let simple = simplify(original);
        for item in ITEMS.iter() {
            let row = [query::value::Value::from(item)];
            let is_true = |filter| evaluate(filter, &row).as_bool() == Some(true);
            prop_assert_eq!(simple.as_ref().is_none_or(is_true), is_true(original), "{}", filter);
        }
    }
}

fn check_partitions(filter: &str, query: &query::BoundQuery, paths: &[&str]) -> TestCaseResult {
    let definition = match paths {
        [path] => PartitionKeyDefinition::single(path),
        paths => PartitionKeyDefinition::hierarchical(paths),
    };
    let definition = definition.unwrap();
    let keys = partition_filter(query, &definition);
    let ranges = keys.ranges(&definition);
    prop_assert!(ranges.windows(2).all(|pair| pair[0].max <= pair[1].min));
    for item in ITEMS.iter().filter(|item| passes(query, item)) {
        let key = definition.extract(item);
        let is_kept = match &keys {
            PartitionFilter::All => true,
            PartitionFilter::Keys(list) => {
                list.iter().any(|kept| key.components().starts_with(kept.components()))
            }
        };
        prop_assert!(is_kept, "{} loses {} of {}: {}", filter, key, item, keys);
        let epk = definition.effective(&key);
        let is_covered = ranges.iter().any(|range| {
            range.min <= epk && (epk < range.max || (range.is_max_inclusive && epk == range.max))
        });
        prop_assert!(is_covered, "{} {}", filter, key);
    }
    Ok(())
}

/// Clauses from which queries are built.
pub(crate) fn query_text() -> impl Strategy<Value = String> {
    let distinct = prop::sample::select(vec!["", "DISTINCT "]);
    let top = prop::sample::select(vec!["", "TOP 3 "]);
    let selection = prop::sample::select(vec![
        "*",
        "c.a",
        "c.a, c.b AS x",
        "VALUE c.a",
        "VALUE COUNT(1)",
        "COUNT(1), c.a",
        "SUM(c.a)",
        "VALUE AVG(c.a)",
        "MIN(c.a) AS m, MAX(c.b) AS n",
        "VALUE {a: c.a}",
        "VALUE MAKESET(c.b)",
        "UPPER(c.a)",
        "COUNT(1) + 1",
    ]);
    let from = prop::sample::select(vec![
        "FROM c",
        "FROM Root c",
        "FROM c JOIN e IN c.t",
        "FROM c IN r.t",
        "",
        "FROM (SELECT DISTINCT VALUE c.a FROM c)",
        "FROM (SELECT VALUE c FROM c WHERE c.a = 1) AS c",
    ]);
    let filter = prop::option::of(filter());
    let group = prop::sample::select(vec!["", "GROUP BY c.a", "GROUP BY c.a, c.b"]);
    let order = prop::sample::select(vec![
        "",
        "ORDER BY c.a",
        "ORDER BY c.a DESC, c.b DESC",
        "ORDER BY VectorDistance(c.o, [1, 2])",
        "ORDER BY RANK FullTextScore(c.a, 'x')",
        "ORDER BY RANK RRF(FullTextScore(c.a, 'x'), VectorDistance(c.o, [1]), [1, -2])",
    ]);
    let page = prop::sample::select(vec!["", "OFFSET 1 LIMIT 2"]);
    (distinct, top, selection, from, filter, group, order, page).prop_map(
        |(distinct, top, selection, from, filter, group, order, page)| {
            let filter = filter.map(|filter| format!("WHERE {filter}")).unwrap_or_default();
            format!("SELECT {distinct}{top}{selection} {from} {filter} {group} {order} {page}")
        },
    )
}

/// Everything that may be planned; none of it may panic.
fn plan_everything(tree: &query::ast::QueryTree) -> TestCaseResult {
    let Ok(query) = bind(tree, &Parameters::new(), &BuiltInFunctions) else {
        return Ok(());
    };
    for place in 0..POLICIES.len() {
        let indexes = Indexes::new(&policy(place));
        let _ = plan_access(&query, &indexes);
        let _ = index_metrics(&query, &indexes).to_header();
    }
    let definition = PartitionKeyDefinition::hierarchical(&["/a", "/b"]).unwrap();
    for features in [
        FeatureSet::full(),
        FeatureSet::parse("HybridSearch,WeightedRankFusion,HybridSearchSkipOrderByRewrite"),
    ] {
        let context = PlanContext {
            partition_key: &definition,
            vectors: None,
            geospatial: model::GeospatialConfig::default(),
            features,
        };
        if let Ok(plan) = distribute(tree, &query, &context) {
            let _ = plan.to_json();
            prop_assert_eq!(rewrite::check_texts(&plan), Ok(()));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn rewritten_texts_parse(text in query_text()) {
        if let Ok(tree) = parse(&text) {
            plan_everything(&tree)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_tree_is_planned_without_panic(tree in tree::query()) {
        if let Ok(query) = bind(&tree, &Parameters::new(), &BuiltInFunctions) {
            let _ = plan_access(&query, &Indexes::new(&policy(3)));
            plan_everything(&tree)?;
        }
    }
}

#[test]
fn long_filters_are_planned_in_reasonable_time() {
    for (word, operator) in [("OR", "="), ("AND", "!="), ("AND", "="), ("OR", ">")] {
        let parts: Vec<String> =
            (0..5000).map(|number| format!("c.a {operator} {number}")).collect();
        let (_, query) =
            bound(&format!("SELECT * FROM c WHERE {}", parts.join(&format!(" {word} "))));
        let definition = PartitionKeyDefinition::single("/a").unwrap();
        let _ = partition_filter(&query, &definition).ranges(&definition);
        plan_access(&query, &Indexes::new(&policy(0))).unwrap();
    }
}
