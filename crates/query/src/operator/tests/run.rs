//! Operators through the public ways to run a query.

use model::Json;

use crate::bind::{BoundQuery, BuiltInFunctions, Parameters};
use crate::budget::BudgetError;
use crate::evaluate::{EvaluationContext, EvaluationError};
use crate::function::UtcDateTime;
use crate::operator::*;
use crate::value::Value;

fn bound(text: &str) -> BoundQuery {
    crate::bind(&crate::parse(text).unwrap(), &Parameters::new(), &BuiltInFunctions).unwrap()
}

fn context(held_bytes_max: usize) -> EvaluationContext {
    EvaluationContext {
        held_bytes_max,
        ..EvaluationContext::starting_at(UtcDateTime::from_milliseconds(0).unwrap())
    }
}

fn item(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

fn numbered(count: usize) -> impl Iterator<Item = Json> {
    (0..count).map(|n| item(&format!(r#"{{"n": {n}, "text": "{}"}}"#, "x".repeat(100))))
}

/// Runs a query over numbered items with a bound of bytes.
fn run(text: &str, items: usize, held_bytes_max: usize) -> Result<Vec<Value>, EvaluationError> {
    let mut executor = QueryExecutor::new(&bound(text), context(held_bytes_max));
    for item in numbered(items) {
        executor.push(&item)?;
    }
    executor.finish()
}

#[test]
fn kept_rows_are_limited() {
    for text in [
        "SELECT * FROM c ORDER BY c.n",
        "SELECT DISTINCT VALUE c.n FROM c",
        "SELECT c.n FROM c GROUP BY c.n",
        "SELECT VALUE MAKELIST(c.text) FROM c",
        "SELECT VALUE s FROM (SELECT DISTINCT VALUE c.n FROM c) AS s",
    ] {
        let error = EvaluationError::Budget(BudgetError::HeldBytes { bytes_max: 5_000 });
        assert_eq!(run(text, 1_000, 5_000), Err(error), "{text}");
        assert!(run(text, 1_000, 5_000_000).is_ok(), "{text}");
    }
}

#[test]
fn rows_that_are_passed_on_are_not_kept() {
    for text in [
        "SELECT * FROM c",
        "SELECT VALUE COUNT(1) FROM c",
        "SELECT DISTINCT VALUE 1 FROM c",
        "SELECT c.n > 3 AS k, COUNT(1) AS n FROM c GROUP BY c.n > 3",
        "SELECT TOP 2 * FROM c ORDER BY c.n",
        "SELECT VALUE ARRAY(SELECT DISTINCT VALUE x FROM x IN (SELECT VALUE [c.n, 2])) FROM c",
    ] {
        assert!(run(text, 5_000, 60_000).is_ok(), "{text}");
    }
}

#[test]
fn held_bytes_return_to_zero_between_items() {
    let text = "SELECT VALUE ARRAY(SELECT DISTINCT VALUE x FROM x IN (SELECT VALUE [1, 2])) FROM c";
    let mut executor = QueryExecutor::new(&bound(text), context(100_000));
    for item in numbered(10) {
        executor.push(&item).unwrap();
        assert_eq!(executor.held_bytes(), 0);
    }
}

#[test]
fn a_product_is_not_kept_while_it_is_counted() {
    let elements = format!(r#"{{"l": [{}]}}"#, ["1"; 40].join(","));
    let text = "SELECT VALUE COUNT(1) FROM c JOIN x IN c.l JOIN y IN c.l JOIN z IN c.l";
    let mut executor = QueryExecutor::new(&bound(text), context(1_000));
    executor.push(&item(&elements)).unwrap();
    assert_eq!(executor.finish(), Ok(vec![Value::from(64_000)]));
}

#[test]
fn a_product_collected_into_an_array_is_limited() {
    let elements = format!(r#"{{"l": [{}]}}"#, ["1"; 100].join(","));
    let text =
        "SELECT VALUE ARRAY(SELECT VALUE 1 FROM x IN c.l JOIN y IN c.l JOIN z IN c.l) FROM c";
    let mut executor = QueryExecutor::new(&bound(text), context(100_000));
    let error = EvaluationError::Budget(BudgetError::HeldBytes { bytes_max: 100_000 });
    assert_eq!(executor.push(&item(&elements)), Err(error));
}

#[test]
fn the_top_of_an_order_is_that_of_the_whole_order() {
    let mut all = run("SELECT VALUE c.n FROM c ORDER BY c.n DESC", 1_000, 1 << 20).unwrap();
    let some = run("SELECT VALUE c.n FROM c ORDER BY c.n DESC OFFSET 5 LIMIT 7", 1_000, 1 << 20);
    all.truncate(12);
    assert_eq!(some.unwrap(), all.split_off(5));
}

#[test]
fn a_stream_gives_the_rows_of_each_item_and_ends() {
    let query = bound("SELECT TOP 3 VALUE x FROM c JOIN x IN c.l WHERE x != 2");
    let mut stream = QueryExecutor::streaming(&query, context(0)).unwrap();
    let push = |stream: &mut QueryExecutor, text: &str| {
        stream.push(&item(text)).map(|()| stream.take_rows())
    };
    assert_eq!(push(&mut stream, r#"{"l": [1, 2]}"#), Ok(vec![Value::from(1)]));
    assert_eq!(push(&mut stream, "{}"), Ok(vec![]));
    assert!(!stream.is_complete());
    let last = push(&mut stream, r#"{"l": [3, 4, 5, 6]}"#);
    assert_eq!(last, Ok(vec![Value::from(3), Value::from(4)]));
    assert!(stream.is_complete());
    assert_eq!(push(&mut stream, r#"{"l": [7]}"#), Ok(vec![]));
    assert_eq!(stream.finish(), Ok(vec![]));
}

#[test]
fn only_rows_that_need_not_wait_are_streamed() {
    let is_streamed = |text: &str| QueryExecutor::streaming(&bound(text), context(0)).is_some();
    assert!(is_streamed("SELECT DISTINCT TOP 1 c.a FROM c WHERE c.b = 1"));
    assert!(is_streamed("SELECT VALUE s FROM (SELECT VALUE c.a FROM c) AS s"));
    assert!(is_streamed("SELECT 1"));
    assert!(!is_streamed("SELECT * FROM c ORDER BY c.a"));
    assert!(!is_streamed("SELECT COUNT(1) FROM c"));
    assert!(!is_streamed("SELECT c.a FROM c GROUP BY c.a"));
    assert!(!is_streamed("SELECT VALUE s FROM (SELECT VALUE COUNT(1) FROM c) AS s"));
}

#[test]
fn a_query_without_items_is_complete_from_the_start() {
    let executor = QueryExecutor::new(&bound("SELECT VALUE 1"), context(0));
    assert!(executor.is_complete());
    assert_eq!(executor.finish(), Ok(vec![Value::from(1)]));
    assert!(QueryExecutor::new(&bound("SELECT TOP 0 * FROM c"), context(0)).is_complete());
    assert!(!QueryExecutor::new(&bound("SELECT * FROM c"), context(0)).is_complete());
}

#[test]
fn a_running_query_can_move_between_threads() {
    fn assert_send<T: Send>() {}
    assert_send::<QueryExecutor>();
    assert_send::<PreparedExpression>();
}
