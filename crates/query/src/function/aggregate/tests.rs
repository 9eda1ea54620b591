//! Aggregates over rows, whole and in parts.

use proptest::prelude::*;

use super::Aggregate;
use crate::value::Value;
use crate::value::arbitrary::value;

const ALL: [Aggregate; 8] = [
    Aggregate::Average,
    Aggregate::Count,
    Aggregate::CountIf,
    Aggregate::MakeList,
    Aggregate::MakeSet,
    Aggregate::Max,
    Aggregate::Min,
    Aggregate::Sum,
];

fn partial(aggregate: Aggregate, values: &[Value]) -> String {
    let mut state = aggregate.start();
    values.iter().for_each(|value| state.add(value.clone()));
    state.partial().to_string()
}

#[test]
fn partial_results_have_the_form_that_clients_merge() {
    let numbers = [Value::from(1), Value::Undefined, Value::from(3)];
    let poisoned = [Value::from(1), Value::array([])];
    assert_eq!(partial(Aggregate::Average, &numbers), r#"{"sum":4,"count":2}"#);
    assert_eq!(partial(Aggregate::Average, &poisoned), r#"{"count":2}"#);
    assert_eq!(partial(Aggregate::Average, &[]), r#"{"sum":0,"count":0}"#);
    assert_eq!(partial(Aggregate::Min, &numbers), r#"{"min":1,"count":2}"#);
    assert_eq!(partial(Aggregate::Max, &numbers), r#"{"max":3,"count":2}"#);
    assert_eq!(partial(Aggregate::Min, &poisoned), r#"{"count":2}"#);
    assert_eq!(partial(Aggregate::Min, &[]), r#"{"count":0}"#);
    assert_eq!(partial(Aggregate::Sum, &numbers), "4");
    assert_eq!(partial(Aggregate::Sum, &poisoned), "undefined");
    assert_eq!(partial(Aggregate::Count, &poisoned), "2");
}

#[test]
fn a_partition_without_values_does_not_poison() {
    let mut state = Aggregate::Min.start();
    state.merge(Aggregate::Min.start());
    state.add(Value::from(2));
    state.merge(Aggregate::Min.start());
    assert_eq!(state.finish(), Value::from(2));
}

#[test]
fn partial_results_of_another_aggregate_are_rejected() {
    assert!(Aggregate::Average.resume(&Value::from(1)).is_none());
    assert!(Aggregate::Count.resume(&Value::from("x")).is_none());
    assert!(Aggregate::MakeSet.resume(&Value::from(1)).is_none());
    assert!(Aggregate::Min.resume(&Value::object([("min", Value::from(1))])).is_none());
}

/// Values whose sums do not depend on the order they are added in.
fn exact() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-9i64..10).prop_map(Value::from),
        value().prop_filter("exact", |value| {
            !matches!(value, Value::Double(_) | Value::Integer(_))
        })
    ]
}

proptest! {
    #[test]
    fn merging_parts_gives_the_whole(
        left in proptest::collection::vec(exact(), 0..6),
        right in proptest::collection::vec(exact(), 0..6),
    ) {
        for aggregate in ALL {
            let fill = |values: &[Value]| {
                let mut state = aggregate.start();
                values.iter().for_each(|value| state.add(value.clone()));
                state
            };
            let whole = fill(&[left.clone(), right.clone()].concat()).finish();
            let mut merged = fill(&left);
            merged.merge(fill(&right));
            prop_assert_eq!(&merged.finish(), &whole, "{:?}", aggregate);

            let mut resumed = aggregate.resume(&fill(&left).partial()).unwrap();
            resumed.merge(aggregate.resume(&fill(&right).partial()).unwrap());
            prop_assert_eq!(&resumed.finish(), &whole, "{:?} resumed", aggregate);
        }
    }
}
