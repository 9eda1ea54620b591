//! No function panics, whatever its arguments.

use proptest::prelude::*;

use super::call::{evaluate_in, with_context};
use crate::function::{FunctionFamily, ReturnKind, registry};
use crate::value::Value;
use crate::value::arbitrary::{number, text, value};

/// Valid and almost valid shapes.
fn shape() -> impl Strategy<Value = Value> {
    let position = proptest::collection::vec(
        prop_oneof![Just(0.0), Just(90.0), Just(-180.0), -200.0..200.0],
        1..4,
    )
    .prop_map(|numbers| Value::array(numbers.into_iter().map(Value::from)));
    let line = proptest::collection::vec(position.clone(), 0..6).prop_map(|mut positions| {
        positions.extend(positions.first().cloned());
        Value::array(positions)
    });
    let rings = proptest::collection::vec(line.clone(), 0..3).prop_map(Value::array);
    let polygons = proptest::collection::vec(rings.clone(), 0..3).prop_map(Value::array);
    let kind = prop_oneof![
        Just("Point"),
        Just("LineString"),
        Just("Polygon"),
        Just("MultiPolygon"),
        Just("Circle")
    ];
    let matching = prop_oneof![
        position.prop_map(|coordinates| ("Point", coordinates)),
        line.prop_map(|coordinates| ("LineString", coordinates)),
        rings.prop_map(|coordinates| ("Polygon", coordinates)),
        polygons.prop_map(|coordinates| ("MultiPolygon", coordinates)),
        (kind, value()).prop_map(|(kind, coordinates)| (kind, coordinates)),
    ];
    matching.prop_map(|(kind, coordinates)| {
        Value::object([("type", Value::from(kind)), ("coordinates", coordinates)])
    })
}

fn argument() -> impl Strategy<Value = Value> {
    prop_oneof![4 => value(), 2 => number(), 2 => text().prop_map(Value::from), 1 => shape()]
}

/// Whether a result is undefined or has the declared type.
fn is_of_kind(value: &Value, kind: ReturnKind) -> bool {
    match (value, kind) {
        (Value::Undefined, _) | (_, ReturnKind::Any) => true,
        (Value::Null, ReturnKind::Null)
        | (Value::Bool(_), ReturnKind::Boolean)
        | (Value::Array(_), ReturnKind::Array)
        | (Value::Object(_), ReturnKind::Object)
        | (Value::String(_), ReturnKind::String | ReturnKind::DateTime) => true,
        (_, ReturnKind::Number) => value.is_number(),
        (_, ReturnKind::Integer) => value.as_i64().is_some(),
        _ => false,
    }
}

proptest! {
    #[test]
    fn every_function_takes_anything(arguments in proptest::collection::vec(argument(), 0..8)) {
        with_context(&[], |context| {
            for function in registry() {
                // The arguments the function declares, then whatever there is.
                let most = function.arity().max.unwrap_or(arguments.len());
                for count in [most.min(arguments.len()), arguments.len()] {
                    let result = evaluate_in(context, function.name, &arguments[..count]);
                    prop_assert!(
                        is_of_kind(&result, function.returns),
                        "{} gave {}", function.name, result
                    );
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn shapes_of_any_coordinates_have_answers(left in shape(), right in shape()) {
        with_context(&[], |context| {
            let is_spatial = |family| family == FunctionFamily::Spatial;
            for function in registry().iter().filter(|known| is_spatial(known.family)) {
                let count = function.arity().min;
                let arguments = [left.clone(), right.clone()];
                let result = evaluate_in(context, function.name, &arguments[..count]);
                if let Value::Double(double) = result {
                    prop_assert!(double >= -1e-3, "{} gave {}", function.name, double);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn undefined_in_gives_undefined_out(arguments in proptest::collection::vec(value(), 1..3)) {
        let mut arguments = arguments;
        arguments[0] = Value::Undefined;
        with_context(&[], |context| {
            for function in registry() {
                let answers_for_undefined = function.name.starts_with("IS_")
                    || matches!(function.name, "IIF" | "_TRY_ARRAY_CONTAINS")
                    || function.family == FunctionFamily::Aggregate
                    || function.required.is_empty();
                if !answers_for_undefined && function.arity().allows(arguments.len()) {
                    let result = evaluate_in(context, function.name, &arguments);
                    prop_assert!(!result.is_defined(), "{} gave {}", function.name, result);
                }
            }
            Ok(())
        })?;
    }
}
