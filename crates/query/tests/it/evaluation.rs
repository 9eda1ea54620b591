//! Properties of evaluation: random queries over random items.

use proptest::prelude::*;

use model::Json;
use query::value::Value;
use query::{BoundQuery, BuiltInFunctions, Parameters, QueryExecutor, bind, parse, row_text};

use super::sqltest::rows::context;
use super::{condition, query_text};

/// Binds a text that must be a query.
pub(crate) fn bound(text: &str) -> BoundQuery {
    let tree = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    bind(&tree, &Parameters::new(), &BuiltInFunctions)
        .unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// The rows of a query that does not fail.
fn rows(text: &str, items: &[Json]) -> Vec<Value> {
    let mut executor = QueryExecutor::new(&bound(text), context());
    for item in items {
        executor.push(item).expect("the query does not fail");
    }
    executor.finish().expect("the query does not fail")
}

fn texts(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| row_text(row).unwrap_or_else(|error| error.to_string())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_queries_over_random_items_never_panic(
        text in query_text::query(),
        items in prop::collection::vec(query_text::item(), 0..4),
    ) {
        let Ok(tree) = parse(&text) else {
            return Err(TestCaseError::fail(format!("does not parse: {text}")));
        };
        let Ok(bound) = bind(&tree, &Parameters::new(), &BuiltInFunctions) else {
            return Ok(());
        };
        let mut executor = QueryExecutor::new(&bound, context());
        let pushed: Result<Vec<()>, _> = items.iter().map(|item| executor.push(item)).collect();
        let whole = pushed.and_then(|_| executor.finish());
        if let Some(mut stream) = QueryExecutor::streaming(&bound, context()) {
            let mut rows = Vec::new();
            let pushed = items.iter().try_for_each(|item| {
                stream.push_while(item, |row| {
                    rows.push(row);
                    true
                })
            });
            let streamed = pushed.and_then(|()| {
                rows.extend(stream.finish()?);
                Ok(rows)
            });
            prop_assert_eq!(streamed, whole, "{}", text);
        }
    }

    #[test]
    fn a_filter_keeps_what_the_truth_table_keeps(
        condition in condition::condition(),
        items in prop::collection::vec(query_text::item(), 0..8),
    ) {
        let text = format!("SELECT * FROM c WHERE {}", condition.text());
        let expected: Vec<String> = items
            .iter()
            .filter(|item| condition.truth(item) == Some(true))
            .map(|item| texts(&[Value::from(item)]).concat())
            .collect();
        prop_assert_eq!(texts(&rows(&text, &items)), expected, "{}", text);
    }

    #[test]
    fn a_condition_as_a_value_is_its_truth(
        condition in condition::condition(),
        item in query_text::item(),
    ) {
        let text = format!("SELECT VALUE {} AND true FROM c", condition.text());
        let expected: Vec<Value> = condition.truth(&item).map(Value::from).into_iter().collect();
        prop_assert_eq!(rows(&text, std::slice::from_ref(&item)), expected, "{}", text);
    }

    #[test]
    fn ordered_rows_are_sorted_as_stored_values_are(
        items in prop::collection::vec(query_text::item(), 0..30),
        descends in any::<bool>(),
    ) {
        let direction = if descends { "DESC" } else { "ASC" };
        let rows = rows(&format!("SELECT c.a FROM c ORDER BY c.a {direction}"), &items);
        prop_assert_eq!(rows.len(), items.len());
        let rows: Vec<Json> = rows.iter().map(|row| row.to_json().unwrap().unwrap()).collect();
        for pair in rows.windows(2) {
            let order = model::compare(pair[0].get("a"), pair[1].get("a"));
            prop_assert!(if descends { order.is_ge() } else { order.is_le() }, "{:?}", pair);
        }
    }

    #[test]
    fn the_first_rows_of_an_order_are_those_of_the_whole(
        items in prop::collection::vec(query_text::item(), 0..200),
        skip in 0..20_usize,
        take in 0..20_usize,
    ) {
        let all = rows("SELECT * FROM c ORDER BY c.a, c.b DESC", &items);
        let text = format!("SELECT * FROM c ORDER BY c.a, c.b DESC OFFSET {skip} LIMIT {take}");
        let expected: Vec<Value> = all.into_iter().skip(skip).take(take).collect();
        prop_assert_eq!(rows(&text, &items), expected);
    }

    #[test]
    fn distinct_rows_have_no_equal_pair_and_lose_none(
        items in prop::collection::vec(query_text::item(), 0..20),
    ) {
        let all = rows("SELECT c.a FROM c", &items);
        let distinct = rows("SELECT DISTINCT c.a FROM c", &items);
        for (index, row) in distinct.iter().enumerate() {
            prop_assert!(!distinct[..index].contains(row));
        }
        prop_assert!(all.iter().all(|row| distinct.contains(row)));
    }

    #[test]
    fn groups_are_the_distinct_keys_and_their_counts_add_up(
        items in prop::collection::vec(query_text::item(), 0..20),
    ) {
        let groups = rows("SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a", &items);
        let distinct = rows("SELECT DISTINCT c.a FROM c", &items);
        prop_assert_eq!(groups.len(), distinct.len());
        for (group, row) in groups.iter().zip(&distinct) {
            prop_assert_eq!(group.property("a"), row.property("a"));
        }
        let count: i64 = groups.iter().filter_map(|group| group.property("n").as_i64()).sum();
        prop_assert_eq!(count, items.len() as i64);
    }

    #[test]
    fn a_join_has_as_many_rows_as_there_are_elements(
        items in prop::collection::vec(query_text::item(), 0..10),
    ) {
        let elements: usize = items
            .iter()
            .filter_map(|item| item.get("l").and_then(Json::as_array))
            .map(|elements| elements.len() * elements.len())
            .sum();
        let text = "SELECT VALUE [x, y] FROM c JOIN x IN c.l JOIN y IN c.l";
        prop_assert_eq!(rows(text, &items).len(), elements);
        let text = "SELECT VALUE COUNT(1) FROM c JOIN x IN c.l JOIN y IN c.l";
        prop_assert_eq!(rows(text, &items), vec![Value::from(elements as i64)]);
    }
}
