//! Long and deep queries, evaluated on the smallest stack that a thread of the server has.

use query::plan::condition::{Condition, row_condition};
use query::plan::simplify;
use query::value::Value;
use query::{BuiltInFunctions, Parameters, QueryExecutor, bind, parse};

use super::evaluation::bound;
use super::sqltest::rows::context;

fn evaluate(text: &str, item: &str) -> Vec<Value> {
    let item = model::Json::parse(item.as_bytes()).expect("the item is JSON");
    let mut executor = QueryExecutor::new(&bound(text), context());
    executor.push(&item).expect("the query does not fail");
    executor.finish().expect("the query does not fail")
}

fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(check);
    thread.expect("a thread starts").join().expect("the check holds");
}

/// The deepest text of a shape that is accepted: `levels` times `before` and `after` around a core.
fn deepest(before: &str, core: &str, after: &str) -> String {
    let text = |levels: usize| {
        format!("SELECT VALUE {}{core}{} FROM c", before.repeat(levels), after.repeat(levels))
    };
    let levels = (1..1_000).take_while(|levels| parse(&text(*levels)).is_ok()).last();
    text(levels.expect("one level is accepted"))
}

#[test]
fn thousands_of_conditions_on_one_path_are_planned() {
    // Each leaves two ranges; intersected one after the other they would be read 400 million times.
    let conditions: String = (1..20_000).map(|number| format!(" AND c.a != {number}")).collect();
    let condition = row_condition(&bound(&format!("SELECT * FROM c WHERE c.a != 0{conditions}")));
    let paths = condition.paths();
    assert_eq!(paths.len(), 1);
    let ranges = paths[0].values.ranges();
    assert_eq!(ranges.len(), 20_001);
    assert!(ranges.iter().all(|range| !range.contains(&model::Json::from(7))));
    assert!(ranges.iter().any(|range| range.contains(&model::Json::from(20_000))));
}

#[test]
fn a_large_parameter_below_many_levels_is_planned() {
    // Converted and cloned at each level, it would be read 500 times.
    let elements = vec!["[1]"; 100_000].join(",");
    let parameter = model::Json::parse(format!("[{elements}]").as_bytes()).unwrap();
    let parameters: Parameters = [("@p", Some(parameter))].into_iter().collect();
    for (before, after) in [("NOT (", ")"), ("(1 = 1 AND ", ")"), ("(1 = 2 OR ", ")")] {
        let text = (1..500)
            .map(|levels| {
                let (before, after) = (before.repeat(levels), after.repeat(levels));
                format!("SELECT * FROM c WHERE {before} @p = c.a {after}")
            })
            .take_while(|text| parse(text).is_ok())
            .last()
            .unwrap();
        assert!(text.len() > 1000, "{text}");
        let parameters = parameters.clone();
        on_a_small_stack(move || {
            let bound = bind(&parse(&text).unwrap(), &parameters, &BuiltInFunctions).unwrap();
            // Nothing is known of what lies so deep, and the filter stays.
            assert_eq!(row_condition(&bound), Condition::Unknown);
            assert!(simplify(bound.filter.as_ref().unwrap()).is_some());
        });
    }
}

#[test]
fn chains_of_twenty_thousand_operands_are_evaluated() {
    on_a_small_stack(|| {
        let chain = |operator: &str| format!(" {operator} c.a = 1").repeat(20_000);
        let text = format!("SELECT VALUE 1 FROM c WHERE c.a = 1{}", chain("AND"));
        assert_eq!(evaluate(&text, r#"{"a": 1}"#).len(), 1);
        let text = format!("SELECT VALUE 1 FROM c WHERE c.a = 2{}", chain("OR"));
        assert_eq!(evaluate(&text, r#"{"a": 1}"#).len(), 1);
        assert_eq!(evaluate(&text, r#"{"a": 3}"#).len(), 0);
        let text = format!("SELECT VALUE 0{} FROM c", " + c.a".repeat(20_000));
        assert_eq!(evaluate(&text, r#"{"a": 1}"#), [Value::from(20_000)]);
        let text = format!("SELECT VALUE c.a IN (0{}) FROM c", ", c.b".repeat(20_000));
        assert_eq!(evaluate(&text, r#"{"a": 1, "b": 2}"#), [Value::from(false)]);
        let text = format!("SELECT VALUE {}1 FROM c", "c.nope ?? ".repeat(20_000));
        assert_eq!(evaluate(&text, "{}"), [Value::from(1)]);
    });
}

#[test]
fn the_deepest_accepted_texts_are_evaluated() {
    on_a_small_stack(|| {
        for (before, core, after) in [
            ("(", "1", " + 1) * 1"),
            ("(NOT ", "c.a", ")"),
            ("ABS(", "1", ")"),
            ("[", "1", "]"),
            ("{a: ", "1", "}"),
            ("(SELECT VALUE ", "1", ")"),
            ("ARRAY(SELECT VALUE ", "c.a", ")"),
            ("EXISTS(SELECT VALUE 1 WHERE ", "true", ")"),
            ("(SELECT VALUE COUNT(1) FROM (SELECT VALUE ", "1", ") AS s)"),
            ("(true ? ", "1", " : 2)"),
            ("(1 IN (", "1", "))"),
            ("({a: ", "1", "}.a)"),
        ] {
            evaluate(&deepest(before, core, after), r#"{"a": true}"#);
        }
    });
}
