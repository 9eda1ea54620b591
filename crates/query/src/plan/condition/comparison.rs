//! Comparisons with constants.
//!
//! Owns which values make `=`, `<` and the other comparisons true, and which make them false: between types `=` is
//! false and `<` is undefined. Also covers the few functions whose comparison is a condition on their argument.

use model::{IndexPathSegment, Json, Number};

use super::cut::{Cut, ValueKind};
use super::normalize::{Truth, exists};
use super::scope::{PathScope, ResolvedPath};
use super::set::ValueSet;
use super::tree::{Condition, Exactness};
use crate::ast::{BinaryOperator, SubqueryKind};
use crate::bind::Expression;
use crate::evaluate::constant;
use crate::value::{Value, utf16};

/// The condition under which `left operator right` is true, or false.
pub(super) fn compare(
    left: &Expression,
    operator: BinaryOperator,
    right: &Expression,
    truth: Truth,
    scope: &PathScope,
) -> Condition {
    let condition = match (constant(left), constant(right)) {
        (None, Some(value)) => compare_with_constant(left, operator, &value, truth, scope),
        (Some(value), None) => {
            compare_with_constant(right, mirrored(operator), &value, truth, scope)
        }
        _ => Condition::Unknown,
    };
    // A scalar subquery without rows is undefined, and so is every comparison with it.
    let queries = [left, right].into_iter().filter_map(|operand| match operand {
        Expression::Subquery { kind: SubqueryKind::Scalar, query } => Some(exists(query, scope)),
        _ => None,
    });
    queries.fold(condition, |condition, more| Condition::all([condition, more]))
}

/// The condition under which `value IN list` is true, or false.
pub(super) fn membership(
    value: &Expression,
    list: &[Expression],
    truth: Truth,
    scope: &PathScope,
) -> Condition {
    let parts =
        list.iter().map(|candidate| compare(value, BinaryOperator::Equal, candidate, truth, scope));
    match truth {
        Truth::True => Condition::any(parts),
        Truth::False => Condition::all(parts),
    }
}

fn compare_with_constant(
    expression: &Expression,
    operator: BinaryOperator,
    value: &Value,
    truth: Truth,
    scope: &PathScope,
) -> Condition {
    if let Expression::Call { function, arguments } = expression {
        return match operator {
            BinaryOperator::Equal if truth == Truth::True => {
                function_equals(function, arguments, value, scope)
            }
            _ => Condition::Unknown,
        };
    }
    match scope.resolve(expression) {
        Some(ResolvedPath::Path(path, exactness)) => match values(operator, value, truth) {
            Some(set) => {
                let exactness = exactness.and(term_exactness(value));
                Condition::path(path, set, exactness)
            }
            None => Condition::Unknown,
        },
        Some(ResolvedPath::Absent) => Condition::Never,
        None => Condition::Unknown,
    }
}

/// Arrays and objects are indexed by their hash, which does not prove equality.
pub(super) fn term_exactness(value: &Value) -> Exactness {
    match value {
        Value::Array(_) | Value::Object(_) => Exactness::Recheck,
        _ => Exactness::Exact,
    }
}

/// The values for which a comparison is true, or false; `None` if the operator is not a comparison.
fn values(operator: BinaryOperator, value: &Value, truth: Truth) -> Option<ValueSet> {
    let is_true = truth == Truth::True;
    Some(match operator {
        BinaryOperator::Equal => equality(value, is_true),
        BinaryOperator::NotEqual => equality(value, !is_true),
        BinaryOperator::Less if is_true => lower(below(value)),
        // False, not "not true": values of other types are on neither side.
        BinaryOperator::Less => upper(below(value)),
        BinaryOperator::LessOrEqual if is_true => lower(up_to(value)),
        BinaryOperator::LessOrEqual => upper(up_to(value)),
        BinaryOperator::Greater if is_true => upper(up_to(value)),
        BinaryOperator::Greater => lower(up_to(value)),
        BinaryOperator::GreaterOrEqual if is_true => upper(below(value)),
        BinaryOperator::GreaterOrEqual => lower(below(value)),
        _ => return None,
    })
}

/// The values that equal a constant, or those that do not.
pub(super) fn equality(value: &Value, equals: bool) -> ValueSet {
    if !value.is_defined() {
        return ValueSet::none();
    }
    // A value that no item can contain (NaN, infinity) equals nothing stored.
    let set = match value.to_json() {
        Ok(Some(json)) => ValueSet::point(&json),
        _ => ValueSet::none(),
    };
    // An array that contains such a number is unequal to everything, too.
    match (equals, value) {
        (true, _) => set,
        // Hashes may collide, so an unequal array may share the term of the constant: it must not be excluded.
        (false, Value::Array(_) | Value::Object(_)) => ValueSet::defined(),
        (false, _) => set.other_values(),
    }
}

/// The upper bound for values of the constant's type below it; `None` if nothing compares with the constant.
fn below(value: &Value) -> Option<(ValueKind, Cut)> {
    bound(value, Cut::before)
}

/// The upper bound for values of the constant's type up to it; `None` if nothing compares with the constant.
fn up_to(value: &Value) -> Option<(ValueKind, Cut)> {
    bound(value, Cut::after)
}

fn bound(value: &Value, cut: fn(&Json) -> Cut) -> Option<(ValueKind, Cut)> {
    match value {
        Value::Double(double) if double.is_nan() => None,
        // No item contains an infinity: it lies at an end of the numbers.
        Value::Double(double) if *double == f64::INFINITY => {
            Some((ValueKind::Number, ValueKind::Number.end()))
        }
        Value::Double(double) if *double == f64::NEG_INFINITY => {
            Some((ValueKind::Number, ValueKind::Number.start()))
        }
        Value::Undefined | Value::Array(_) | Value::Object(_) => None,
        scalar => {
            let json = scalar.to_json().ok()??;
            Some((ValueKind::from_json(&json), cut(&json)))
        }
    }
}

fn lower(index: Option<(ValueKind, Cut)>) -> ValueSet {
    index.map_or_else(ValueSet::none, |(kind, cut)| ValueSet::between(kind.start(), cut))
}

fn upper(index: Option<(ValueKind, Cut)>) -> ValueSet {
    index.map_or_else(ValueSet::none, |(kind, cut)| ValueSet::between(cut, kind.end()))
}

fn mirrored(operator: BinaryOperator) -> BinaryOperator {
    match operator {
        BinaryOperator::Less => BinaryOperator::Greater,
        BinaryOperator::LessOrEqual => BinaryOperator::GreaterOrEqual,
        BinaryOperator::Greater => BinaryOperator::Less,
        BinaryOperator::GreaterOrEqual => BinaryOperator::LessOrEqual,
        other => other,
    }
}

/// `ABS(path) = 1`, `LEFT(path, 2) = 'ab'`, `SUBSTRING(path, 0, 2) = 'ab'`.
fn function_equals(
    function: &str,
    arguments: &[Expression],
    value: &Value,
    scope: &PathScope,
) -> Condition {
    let Some((path, exactness)) = arguments.first().and_then(|first| resolved(first, scope)) else {
        return Condition::Unknown;
    };
    if function.eq_ignore_ascii_case("ABS") {
        return Condition::path(path, magnitudes(value), exactness);
    }
    let is_beginning = match arguments.get(1..) {
        Some([_]) => function.eq_ignore_ascii_case("LEFT"),
        Some([start, _]) => {
            function.eq_ignore_ascii_case("SUBSTRING")
                && constant(start).and_then(|start| start.as_i64()) == Some(0)
        }
        _ => false,
    };
    let units = arguments.last().and_then(constant).and_then(|units| units.as_i64());
    match (value.as_str(), units) {
        // A cut inside a surrogate pair yields U+FFFD, which is not in the stored string.
        (Some(text), Some(units)) if is_beginning && !text.contains('\u{FFFD}') => {
            // A shorter text would need the string to end there; the prefix finds longer ones too.
            let is_whole = i64::try_from(utf16::length(text)) == Ok(units);
            let exactness = if is_whole { exactness } else { Exactness::Recheck };
            Condition::path(path, ValueSet::prefix(text), exactness)
        }
        _ => Condition::Unknown,
    }
}

fn resolved(
    expression: &Expression,
    scope: &PathScope,
) -> Option<(Vec<IndexPathSegment>, Exactness)> {
    match scope.resolve(expression)? {
        ResolvedPath::Path(path, exactness) => Some((path, exactness)),
        ResolvedPath::Absent => None,
    }
}

/// The numbers with this absolute value.
fn magnitudes(value: &Value) -> ValueSet {
    let number = match value {
        Value::Integer(integer) if *integer >= 0 => Number::from(*integer),
        Value::Double(double) if *double >= 0.0 => match Number::from_f64(*double) {
            Some(number) => number,
            None => return ValueSet::none(),
        },
        _ => return ValueSet::none(),
    };
    let negative = match number.as_i64().and_then(i64::checked_neg) {
        Some(integer) => Some(Number::from(integer)),
        None => Number::from_f64(-number.as_f64()),
    };
    let negative = negative.map(Json::Number);
    let positive = Json::Number(number);
    ValueSet::points(negative.iter().chain([&positive]))
}
