//! Conditions from function calls.
//!
//! Owns, for each function that an index can serve, the argument values that make it true or false: type checks,
//! prefixes and substrings, LIKE, and array membership.

use model::{IndexPathSegment, Json};

use super::comparison::{equality, term_exactness};
use super::cut::ValueKind;
use super::normalize::Truth;
use super::scope::{ItemPath, PathScope, ResolvedPath};
use super::set::ValueSet;
use super::tree::{Condition, Exactness, PathCondition};
use crate::ast::UnaryOperator;
use crate::bind::Expression;
use crate::evaluate::constant;
use crate::value::{LikePattern, LikeShape, Value};

/// The condition under which a call is true, or false.
pub(super) fn call(
    function: &'static str,
    arguments: &[Expression],
    truth: Truth,
    scope: &PathScope,
) -> Condition {
    let name = function.to_ascii_uppercase();
    if let Some(set) = checked_type(&name) {
        return type_check(arguments, set, truth, scope);
    }
    match name.as_str() {
        "STARTSWITH" | "ENDSWITH" | "CONTAINS" | "STRINGEQUALS" | "REGEXMATCH" => {
            TextPredicate { function, name: &name, arguments, truth, scope }.condition()
        }
        "CONTAINS_ALL_CI" | "CONTAINS_ALL_CS" | "CONTAINS_ANY_CI" | "CONTAINS_ANY_CS" => {
            contains_several(function, arguments, truth, scope)
        }
        "ARRAY_CONTAINS" => array_contains(arguments, truth, scope),
        // False for anything but an array, so its falsehood says nothing about the item.
        "_TRY_ARRAY_CONTAINS" if truth == Truth::True => array_contains(arguments, truth, scope),
        "ARRAY_CONTAINS_ANY" if truth == Truth::True => {
            Condition::any(each_contained(arguments, scope))
        }
        "ARRAY_CONTAINS_ALL" if truth == Truth::True => {
            Condition::all(each_contained(arguments, scope))
        }
        _ => Condition::Unknown,
    }
}

/// The condition under which `value LIKE pattern` is true, or false.
pub(super) fn like(
    value: &Expression,
    pattern: &Expression,
    escape: Option<char>,
    truth: Truth,
    scope: &PathScope,
) -> Condition {
    let Some(ResolvedPath::Path(path, exactness)) = scope.resolve(value) else {
        return unresolved(value, scope);
    };
    let Some(constant) = constant(pattern) else {
        return Condition::Unknown;
    };
    let Some(text) = constant.as_str() else {
        return Condition::Never;
    };
    let (set, is_whole) = match LikePattern::new(text, escape).shape() {
        LikeShape::Exact(text) => (ValueSet::point(&Json::from(text)), true),
        LikeShape::Prefix(prefix) => (ValueSet::prefix(&prefix), true),
        LikeShape::General { prefix } => (ValueSet::prefix(&prefix), false),
        LikeShape::Suffix(_) | LikeShape::Contains(_) => (strings(), false),
    };
    let test = (!is_whole).then(|| Expression::Like {
        negation: crate::ast::Negation::Plain,
        value: Box::new(Expression::Input(0)),
        pattern: Box::new(pattern.clone()),
        escape,
    });
    text_condition(path, exactness, set, test, truth)
}

/// A condition on strings: those of a set that pass a test, or all others.
fn text_condition(
    path: ItemPath,
    exactness: Exactness,
    set: ValueSet,
    test: Option<Expression>,
    truth: Truth,
) -> Condition {
    let (values, test) = match (truth, test) {
        (Truth::True, test) => (set, test),
        // Other strings only: for other types the function is undefined and not false.
        (Truth::False, None) => (ValueSet::intersection([strings(), set.complement()]), None),
        (Truth::False, Some(test)) => {
            let operand = Box::new(test);
            (strings(), Some(Expression::Unary { operator: UnaryOperator::Not, operand }))
        }
    };
    Condition::tested(PathCondition { path, values, test, exactness })
}

fn strings() -> ValueSet {
    ValueSet::kind(ValueKind::String)
}

/// The condition if the tested expression is not a path.
fn unresolved(expression: &Expression, scope: &PathScope) -> Condition {
    match scope.resolve(expression) {
        Some(ResolvedPath::Absent) => Condition::Never,
        _ => Condition::Unknown,
    }
}

/// The values for which a type check is true.
fn checked_type(name: &str) -> Option<ValueSet> {
    Some(match name {
        "IS_DEFINED" => ValueSet::defined(),
        "IS_NULL" => ValueSet::kind(ValueKind::Null),
        "IS_BOOL" | "IS_BOOLEAN" => ValueSet::kind(ValueKind::Bool),
        // Every stored number is finite.
        "IS_NUMBER" | "IS_FINITE_NUMBER" => ValueSet::kind(ValueKind::Number),
        "IS_STRING" => strings(),
        "IS_ARRAY" => ValueSet::kind(ValueKind::Array),
        "IS_OBJECT" => ValueSet::kind(ValueKind::Object),
        "IS_PRIMITIVE" => ValueSet::kinds(&[
            ValueKind::Null,
            ValueKind::Bool,
            ValueKind::Number,
            ValueKind::String,
        ]),
        _ => return None,
    })
}

/// The condition of a type check, which is never undefined: it is false for a missing value.
fn type_check(
    arguments: &[Expression],
    set: ValueSet,
    truth: Truth,
    scope: &PathScope,
) -> Condition {
    let values = match truth {
        Truth::True => set,
        Truth::False => set.complement(),
    };
    match arguments.first().and_then(|first| scope.resolve(first)) {
        Some(ResolvedPath::Path(path, exactness)) => Condition::path(path, values, exactness),
        Some(ResolvedPath::Absent) if values.undefined => Condition::Always,
        Some(ResolvedPath::Absent) => Condition::Never,
        None => Condition::Unknown,
    }
}

/// A function of two strings and optionally a flag.
struct TextPredicate<'call> {
    function: &'static str,
    name: &'call str,
    arguments: &'call [Expression],
    truth: Truth,
    scope: &'call PathScope,
}

impl TextPredicate<'_> {
    fn condition(&self) -> Condition {
        let [left, right, flags @ ..] = self.arguments else {
            return Condition::Unknown;
        };
        // STRINGEQUALS is symmetric: either argument may be the constant.
        let (value, wanted) = match (self.name, constant(left), constant(right)) {
            ("STRINGEQUALS", Some(wanted), None) => (right, wanted),
            (_, None, Some(wanted)) => (left, wanted),
            _ => return Condition::Unknown,
        };
        let Some(ResolvedPath::Path(path, exactness)) = self.scope.resolve(value) else {
            return unresolved(value, self.scope);
        };
        let Some(wanted) = wanted.as_str().map(str::to_owned) else {
            return Condition::Never;
        };
        let Some(flags) = flags.iter().map(constant).collect::<Option<Vec<Value>>>() else {
            return Condition::Unknown;
        };
        // With `ignore_case` the terms must be tested one by one: they are ordered by their exact text.
        let is_plain = matches!(flags.as_slice(), [] | [Value::Bool(false)]);
        let (set, test) = match self.name {
            "STARTSWITH" if is_plain => (ValueSet::prefix(&wanted), None),
            "STRINGEQUALS" if is_plain => (ValueSet::point(&Json::from(wanted)), None),
            _ => (strings(), Some(self.test(value))),
        };
        text_condition(path, exactness, set, test, self.truth)
    }

    /// The same call over a single input: the value at the path.
    fn test(&self, value: &Expression) -> Expression {
        let arguments = self.arguments.iter().map(|argument| {
            if argument == value { Expression::Input(0) } else { argument.clone() }
        });
        Expression::Call { function: self.function, arguments: arguments.collect() }
    }
}

/// `CONTAINS_ALL_CI(path, constant, …)` and its variants: a test on every string.
fn contains_several(
    function: &'static str,
    arguments: &[Expression],
    truth: Truth,
    scope: &PathScope,
) -> Condition {
    let [text, parts @ ..] = arguments else {
        return Condition::Unknown;
    };
    let Some(ResolvedPath::Path(path, exactness)) = scope.resolve(text) else {
        return unresolved(text, scope);
    };
    if !parts.iter().all(|part| constant(part).is_some()) {
        return Condition::Unknown;
    }
    let arguments = std::iter::once(Expression::Input(0)).chain(parts.iter().cloned()).collect();
    let test = Some(Expression::Call { function, arguments });
    text_condition(path, exactness, strings(), test, truth)
}

fn array_contains(arguments: &[Expression], truth: Truth, scope: &PathScope) -> Condition {
    let [array, value, flags @ ..] = arguments else {
        return Condition::Unknown;
    };
    let is_partial = match flags.first().map(constant) {
        None | Some(Some(Value::Bool(false))) => false,
        Some(Some(Value::Bool(true))) => true,
        Some(_) => return Condition::Unknown,
    };
    match (constant(array), constant(value)) {
        (None, Some(value)) => contained(array, &value, is_partial, truth, scope),
        (Some(array), None) if !is_partial => among(&array, value, truth, scope),
        _ => Condition::Unknown,
    }
}

/// `ARRAY_CONTAINS(path, constant)`: some element of the array at the path has the value.
fn contained(
    array: &Expression,
    value: &Value,
    is_partial: bool,
    truth: Truth,
    scope: &PathScope,
) -> Condition {
    let Some(ResolvedPath::Path(mut path, exactness)) = scope.resolve(array) else {
        return unresolved(array, scope);
    };
    if truth == Truth::False {
        // An index has no terms for missing elements.
        return Condition::Unknown;
    }
    path.push(IndexPathSegment::AnyElement);
    if is_partial {
        return parts(&path, value).rechecked();
    }
    let exactness = exactness.and(term_exactness(value));
    Condition::path(path, equality(value, true), exactness)
}

/// What an element must contain to match every part of a value.
fn parts(path: &[IndexPathSegment], value: &Value) -> Condition {
    match value {
        Value::Object(object) if !object.is_empty() => {
            Condition::all(object.iter().map(|(name, part)| {
                let mut path = path.to_vec();
                path.push(IndexPathSegment::Property(name.to_string()));
                parts(&path, part)
            }))
        }
        Value::Object(_) => {
            Condition::path(path.to_vec(), ValueSet::kind(ValueKind::Object), Exactness::Recheck)
        }
        other => Condition::path(path.to_vec(), equality(other, true), Exactness::Recheck),
    }
}

/// `ARRAY_CONTAINS(constant, path)`: the value at the path is one of those.
fn among(array: &Value, value: &Expression, truth: Truth, scope: &PathScope) -> Condition {
    let Some(ResolvedPath::Path(path, exactness)) = scope.resolve(value) else {
        return unresolved(value, scope);
    };
    let Some(elements) = array.as_array() else {
        return Condition::Never;
    };
    let exactness = elements.iter().map(term_exactness).fold(exactness, Exactness::and);
    let sets = elements.iter().map(|element| equality(element, truth == Truth::True));
    let values = match truth {
        Truth::True => ValueSet::union(sets),
        Truth::False => ValueSet::intersection(std::iter::once(ValueSet::defined()).chain(sets)),
    };
    Condition::path(path, values, exactness)
}

/// `ARRAY_CONTAINS_ANY` and `ARRAY_CONTAINS_ALL`: one condition for each value.
fn each_contained<'call>(
    arguments: &'call [Expression],
    scope: &'call PathScope,
) -> impl Iterator<Item = Condition> {
    let (array, values) = match arguments {
        [array, values @ ..] => (Some(array), values),
        [] => (None, arguments),
    };
    values.iter().map(move |value| match (array, constant(value)) {
        (Some(array), Some(value)) => contained(array, &value, false, Truth::True, scope),
        _ => Condition::Unknown,
    })
}
