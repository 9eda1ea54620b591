//! Building blocks of rewritten trees.
//!
//! Owns the envelopes that clients expect around the values they merge by, and the placeholders that they replace. A
//! placeholder is an identifier that no user can write; it is printed unchanged.

use crate::ast::{
    BinaryOperator, Count, CountKind, Identifier, Literal, MemberStep, ObjectMember, OffsetLimit,
    QueryTree, Scalar, ScalarKind, SelectItem, Selection, Span, Top,
};
use crate::bind::{BuiltInFunctions, FunctionCatalog, FunctionKind};

/// The placeholder that a client replaces by `true` or by its resume filter.
pub(super) const FILTER_PLACEHOLDER: &str = "({documentdb-formattableorderbyquery-filter})";

pub(super) fn scalar(kind: ScalarKind) -> Scalar {
    Scalar::new(kind, Span::default())
}

/// A placeholder or an alias.
pub(super) fn identifier(name: &str) -> Scalar {
    scalar(ScalarKind::Identifier(name.to_owned()))
}

pub(super) fn literal(literal: Literal) -> Scalar {
    scalar(ScalarKind::Literal(literal))
}

pub(super) fn array(elements: Vec<Scalar>) -> Scalar {
    scalar(ScalarKind::Array(elements))
}

pub(super) fn object<'name>(members: impl IntoIterator<Item = (&'name str, Scalar)>) -> Scalar {
    let members = members.into_iter();
    let members = members.map(|(name, value)| ObjectMember { name: Identifier::new(name), value });
    scalar(ScalarKind::Object(members.collect()))
}

pub(super) fn call(function: &str, arguments: Vec<Scalar>) -> Scalar {
    scalar(ScalarKind::Call { function: Identifier::new(function), arguments })
}

/// `alias._rid`.
pub(super) fn resource_id(alias: &str) -> Scalar {
    let step = MemberStep::Property(Identifier::new("_rid"));
    Scalar::member(identifier(alias), step, Span::default())
}

/// `[{"item": a}, {"item": b}]`.
pub(super) fn items(values: impl IntoIterator<Item = Scalar>) -> Scalar {
    array(values.into_iter().map(|value| object([("item", value)])).collect())
}

pub(super) fn column(expression: Scalar, alias: Option<&str>) -> SelectItem {
    SelectItem { expression, alias: alias.map(Identifier::new) }
}

pub(super) fn and(left: Option<Scalar>, right: Scalar) -> Scalar {
    match left {
        Some(left) => Scalar::binary(left, BinaryOperator::And, right),
        None => right,
    }
}

pub(super) fn top(count: u32) -> Top {
    Top { count: number(count), span: Span::default() }
}

/// `OFFSET 0 LIMIT n`.
pub(super) fn first_rows(limit: u32) -> OffsetLimit {
    OffsetLimit { offset: number(0), limit: number(limit), span: Span::default() }
}

fn number(count: u32) -> Count {
    let kind = CountKind::Number(Literal::Integer(i64::from(count)));
    Count { kind, span: Span::default() }
}

/// The query without TOP, OFFSET and LIMIT, which apply only to the merged result.
pub(super) fn without_counts(tree: &QueryTree) -> QueryTree {
    // The tree is rewritten in a copy: the original is still needed for the plan document.
    let mut query = tree.clone();
    query.select.top = None;
    query.offset_limit = None;
    query
}

/// The alias of the first input, which `SELECT *` returns and which has a resource id.
pub(super) fn first_alias(bound: &crate::bind::BoundQuery) -> &str {
    bound.sources.first().and_then(|source| source.alias.as_deref()).unwrap_or("c")
}

/// The output of a row as a single value: the input, the value, or an object.
pub(super) fn payload(tree: &QueryTree, bound: &crate::bind::BoundQuery) -> Scalar {
    match &tree.select.selection {
        Selection::Star(_) => identifier(first_alias(bound)),
        Selection::Value(expression) => expression.as_ref().clone(),
        Selection::List(list) => {
            let values = list.iter().map(|item| item.expression.clone());
            object(bound.property_names().zip(values))
        }
    }
}

/// An aggregate call: its function in the user's spelling, its canonical name and its argument.
pub(super) fn aggregate(expression: &Scalar) -> Option<(&str, &'static str, &Scalar)> {
    let ScalarKind::Call { function, arguments } = &expression.kind else {
        return None;
    };
    let signature = BuiltInFunctions.find(&function.text)?;
    match (signature.kind, arguments.as_slice()) {
        (FunctionKind::Aggregate, [argument]) => Some((&function.text, signature.name, argument)),
        _ => None,
    }
}
