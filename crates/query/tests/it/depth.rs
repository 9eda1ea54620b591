//! Long and deep queries, evaluated on the smallest stack that a thread of the server has.

use query::value::Value;
use query::{QueryExecutor, parse};

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
