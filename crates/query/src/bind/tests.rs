//! The result of binding. Rejected queries are covered by the text cases in `tests/it`.

use model::Json;

use super::*;
use crate::ast::{Literal, SortOrder};
use crate::parse;

fn bound(text: &str) -> BoundQuery {
    let parameters: Parameters = [
        ("@name", Some(Json::from("a"))),
        ("@place", Some(Json::from(2))),
        ("@list", Some(Json::Array(vec![Json::from(1)]))),
        ("@nothing", None),
    ]
    .into_iter()
    .collect();
    bind(&parse(text).unwrap(), &parameters, &BuiltInFunctions).unwrap()
}

fn value(query: &BoundQuery) -> &Expression {
    match &query.output.projection {
        OutputProjection::Value(value) => value,
        other => panic!("{other:?}"),
    }
}

fn property(name: &str) -> PathStep {
    PathStep::Property(name.to_owned())
}

fn member(target: Expression, steps: Vec<PathStep>) -> Expression {
    Expression::Member { target: Box::new(target), steps }
}

#[test]
fn inputs_fill_slots_in_order() {
    let query = bound("SELECT VALUE y FROM Root.a r JOIN x IN r.b JOIN y IN x");
    let summary: Vec<_> = query
        .sources
        .iter()
        .map(|source| (source.alias.as_deref(), source.slot, source.root.clone(), source.iterates))
        .collect();
    assert_eq!(
        summary,
        [
            (Some("r"), 0, Input::Container, false),
            (Some("x"), 1, Input::Slot(0), true),
            (Some("y"), 2, Input::Slot(1), true),
        ]
    );
    assert_eq!(value(&query), &Expression::Input(2));
}

#[test]
fn a_subquery_adds_its_slots_after_those_around_it() {
    let query =
        bound("SELECT VALUE ARRAY(SELECT VALUE [c, d, x] FROM x IN d.a) FROM c JOIN d IN c.d");
    let Expression::Subquery { query: inner, .. } = value(&query) else { panic!() };
    assert_eq!(inner.sources[0].slot, 2);
    assert_eq!(inner.sources[0].root, Input::Slot(1));
    let slots = Expression::Array((0..3).map(Expression::Input).collect());
    assert_eq!(value(inner), &slots);
}

#[test]
fn a_subquery_of_from_leaves_its_slot_to_its_alias() {
    let query = bound("SELECT VALUE s FROM (SELECT VALUE x FROM c JOIN x IN c.a) s JOIN y IN s.b");
    let Input::Query(inner) = &query.sources[0].root else { panic!() };
    assert_eq!(inner.sources.iter().map(|source| source.slot).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(query.sources.iter().map(|source| source.slot).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(query.sources[1].root, Input::Slot(0));
}

#[test]
fn an_inner_alias_hides_an_outer_one() {
    let query = bound("SELECT VALUE ARRAY(SELECT VALUE c FROM c IN c.a) FROM c");
    let Expression::Subquery { query: inner, .. } = value(&query) else { panic!() };
    assert_eq!(inner.sources[0].root, Input::Slot(0));
    assert_eq!(value(inner), &Expression::Input(1));
}

#[test]
fn indexes_become_constant_steps() {
    let query =
        bound("SELECT VALUE c.x[\"y\"][0][@name][@place][@list][@nothing][1.5][null][-1] FROM c");
    let steps = vec![
        property("x"),
        property("y"),
        PathStep::Index(0),
        property("a"),
        PathStep::Index(2),
        PathStep::Nowhere,
        PathStep::Nowhere,
        PathStep::Nowhere,
        PathStep::Nowhere,
        PathStep::Index(-1),
    ];
    assert_eq!(value(&query), &member(Expression::Input(0), steps));
}

#[test]
fn parameters_become_values_and_the_rest_is_undefined() {
    let query = bound("SELECT VALUE [@place, @nothing, @unknown]");
    assert_eq!(
        value(&query),
        &Expression::Array(vec![
            Expression::Parameter(Json::from(2)),
            Expression::Literal(Literal::Undefined),
            Expression::Literal(Literal::Undefined),
        ])
    );
}

#[test]
fn functions_are_called_by_their_canonical_name() {
    let query = bound("SELECT VALUE is_boolean(1)");
    let arguments = vec![Expression::Literal(Literal::Integer(1))];
    assert_eq!(value(&query), &Expression::Call { function: "IS_BOOL", arguments });
}

#[test]
fn groups_are_seen_through_their_expressions_and_aggregates() {
    let query = bound(
        "SELECT VALUE [UPPER(c[\"a\"]), c.a.b, COUNT(1), SUM(c.z), COUNT(1)] FROM c GROUP BY c.k, c.a",
    );
    assert!(query.is_aggregate());
    let functions: Vec<_> = query.aggregates.iter().map(|aggregate| aggregate.function).collect();
    assert_eq!(functions, ["COUNT", "SUM"]);
    assert_eq!(query.aggregates[1].argument, member(Expression::Input(0), vec![property("z")]));
    let upper = Expression::Call { function: "UPPER", arguments: vec![Expression::GroupKey(1)] };
    assert_eq!(
        value(&query),
        &Expression::Array(vec![
            upper,
            member(Expression::GroupKey(1), vec![property("b")]),
            Expression::Aggregate(0),
            Expression::Aggregate(1),
            Expression::Aggregate(0),
        ])
    );
}

#[test]
fn an_aggregate_alone_makes_one_group() {
    assert_eq!(bound("SELECT VALUE COUNT(1) FROM c").grouping, Grouping::Whole);
    assert_eq!(bound("SELECT VALUE c FROM c").grouping, Grouping::None);
}

#[test]
fn an_order_key_knows_its_path_inside_the_item() {
    let query = bound("SELECT * FROM c.a[1] AS x ORDER BY x.b DESC, x[@name]");
    let BoundOrderBy::Keys(keys) = &query.order_by else { panic!() };
    let start = [property("a"), PathStep::Index(1)];
    let path = |last: &str| Some([start.to_vec(), vec![property(last)]].concat());
    assert_eq!(keys[0].path, path("b"));
    assert_eq!(keys[0].order, Some(SortOrder::Descending));
    assert_eq!(keys[1].path, path("a"));
    assert_eq!(keys[1].order, None);
}

#[test]
fn an_order_key_of_a_group_is_its_expression() {
    let query = bound("SELECT c.g FROM c GROUP BY c.g ORDER BY c[\"g\"]");
    let BoundOrderBy::Keys(keys) = &query.order_by else { panic!() };
    assert_eq!(keys[0].expression, Expression::GroupKey(0));
}

#[test]
fn a_distance_to_order_by_has_no_path() {
    let query = bound("SELECT * FROM c ORDER BY VectorDistance(c.v, [1])");
    let BoundOrderBy::Keys(keys) = &query.order_by else { panic!() };
    assert_eq!(keys[0].path, None);
}

#[test]
fn counts_are_numbers_however_they_came() {
    let query = bound("SELECT TOP @place * FROM c OFFSET 7 LIMIT @place");
    assert_eq!((query.top, query.offset, query.limit), (Some(2), Some(7), Some(2)));
}

#[test]
fn star_is_the_slot_of_its_input() {
    let query = bound("SELECT * FROM c");
    assert_eq!(query.output.projection, OutputProjection::Input(0));
    let query = bound("SELECT VALUE (SELECT * FROM c) FROM c");
    let Expression::Subquery { query: inner, .. } = value(&query) else { panic!() };
    assert_eq!(inner.output.projection, OutputProjection::Input(1));
}
