//! Stored texts produce the same rows as parsed items, whatever parts are skipped.

use model::Json;
use proptest::prelude::*;
use query::{
    BoundQuery, BuiltInFunctions, EvaluationError, Parameters, QueryExecutor, bind, parse,
};

use crate::plan::property::{VALUES, query_text};
use crate::sqltest::rows::context;

/// A property that queries read, or one that they do not.
fn property() -> impl Strategy<Value = (String, String)> {
    let names = vec!["a", "b", "o", "t", "x", "", "a\\\"", "\\u0061", "noise"];
    let value = prop_oneof![
        3 => prop::sample::select(VALUES.to_vec()).prop_map(str::to_owned),
        1 => prop::sample::select(VALUES.to_vec()).prop_map(|value| format!("{{\"x\":{value}}}")),
        1 => prop::collection::vec(prop::sample::select(VALUES.to_vec()), 0..4)
            .prop_map(|values| format!("[{}]", values.join(", "))),
        1 => Just(r#"{"y":"]}\"","x":[{"x":"\\"}, "[{"]}"#.to_owned()),
    ];
    (prop::sample::select(names).prop_map(str::to_owned), value)
}

/// An item as text, with white space and escapes as JSON allows them.
fn item() -> impl Strategy<Value = String> {
    prop::collection::vec(property(), 0..7).prop_map(|properties| {
        let properties: Vec<String> =
            properties.iter().map(|(name, value)| format!("\"{name}\" :{value}")).collect();
        format!("{{{}}}", properties.join(" ,"))
    })
}

fn rows(
    query: &BoundQuery,
    push: impl Fn(&mut QueryExecutor) -> Result<(), EvaluationError>,
) -> Result<Vec<String>, EvaluationError> {
    let mut executor = QueryExecutor::new(query, context());
    push(&mut executor)?;
    let rows = executor.finish()?;
    Ok(rows.iter().map(|row| query::row_text(row).unwrap_or_default()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn texts_produce_the_rows_of_parsed_items(
        text in query_text(),
        items in prop::collection::vec(item(), 0..6),
    ) {
        let Ok(Ok(query)) =
            parse(&text).map(|tree| bind(&tree, &Parameters::new(), &BuiltInFunctions))
        else {
            return Ok(());
        };
        let of_texts = rows(&query, |executor| {
            items.iter().try_for_each(|item| executor.push_text(item.as_bytes()))
        });
        let of_trees = rows(&query, |executor| {
            let mut trees = items.iter().map(|item| Json::parse(item.as_bytes()).unwrap());
            trees.try_for_each(|item| executor.push(&item))
        });
        prop_assert_eq!(of_texts, of_trees, "{}", text);
    }

    /// A truncated or changed text is rejected, or produces the rows of its valid part; nothing panics.
    #[test]
    fn broken_texts_do_not_panic(
        text in query_text(),
        item in item(),
        at: prop::sample::Index,
        byte: u8,
    ) {
        let Ok(Ok(query)) =
            parse(&text).map(|tree| bind(&tree, &Parameters::new(), &BuiltInFunctions))
        else {
            return Ok(());
        };
        let mut broken = item.into_bytes();
        let at = at.index(broken.len());
        broken[at] = byte;
        let of_text = rows(&query, |executor| executor.push_text(&broken));
        if let Ok(tree) = Json::parse(&broken) {
            prop_assert_eq!(of_text, rows(&query, |executor| executor.push(&tree)));
        }
        let _ = rows(&query, |executor| executor.push_text(&broken[..at]));
    }
}

#[test]
fn the_parts_that_are_read_must_be_json() {
    let run = |text: &str, item: &str| {
        let query = bind(&parse(text).unwrap(), &Parameters::new(), &BuiltInFunctions).unwrap();
        rows(&query, |executor| executor.push_text(item.as_bytes()))
    };
    let error = run("SELECT c.a FROM c", r#"{"a":tru}"#).unwrap_err();
    assert_eq!(error.to_string(), "A stored item is not JSON text: unexpected word at byte 5.");
    assert!(run("SELECT c.a FROM c WHERE c.b = 1", r#"{"b":1,"a":?}"#).is_err());
    assert!(run("SELECT * FROM c WHERE c.b = 1", r#"{"b":1,"a":[1,]}"#).is_err());
    assert_eq!(run("SELECT VALUE c.b FROM c", r#"{"b":1,"a":[1,]}"#), Ok(vec!["1".to_owned()]));
}
