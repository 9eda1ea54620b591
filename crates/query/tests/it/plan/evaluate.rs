//! A naive evaluation of filters and lookups, item by item, to compare plans with.

use model::VectorEmbeddingPolicy;
use model::{CompositeIndex, FullTextPolicy, GeospatialConfig, IndexPathSegment, Json};
use query::ast::{BinaryOperator, Literal, Negation, SubqueryKind, UnaryOperator};
use query::bind::{BoundQuery, Expression, Input, PathStep};
use query::function::{CallContext, FunctionBody, PatternCache, UtcDateTime, lookup};
use query::plan::access::Lookup;
use query::plan::condition::PathCondition;
use query::value::{LikePattern, Value, logic};

/// Whether some row of a query passes its filter on an item.
pub(super) fn passes(query: &BoundQuery, item: &Json) -> bool {
    rows(query, &[], &Value::from(item)).iter().any(|row| match &query.filter {
        None => true,
        Some(filter) => evaluate(filter, row).as_bool() == Some(true),
    })
}

fn rows(query: &BoundQuery, around: &[Value], item: &Value) -> Vec<Vec<Value>> {
    let mut rows = vec![around.to_vec()];
    for source in &query.sources {
        rows = rows
            .into_iter()
            .flat_map(|row| {
                let start = match &source.root {
                    Input::Container => item.clone(),
                    Input::Slot(slot) => row[*slot].clone(),
                    Input::Query(_) => panic!("not read here"),
                };
                let value = walk(start, &source.path);
                let values: Vec<Value> = if source.iterates {
                    value.as_array().unwrap_or_default().to_vec()
                } else {
                    value.is_defined().then_some(value).into_iter().collect()
                };
                values.into_iter().map(move |value| {
                    let mut row = row.clone();
                    row.truncate(source.slot);
                    row.push(value);
                    row
                })
            })
            .collect();
    }
    rows
}

fn walk(mut value: Value, steps: &[PathStep]) -> Value {
    for step in steps {
        value = match step {
            PathStep::Property(name) => value.property(name),
            PathStep::Index(index) => {
                usize::try_from(*index).map_or(Value::Undefined, |index| value.element(index))
            }
            PathStep::Nowhere => Value::Undefined,
        };
    }
    value
}

pub(super) fn evaluate(expression: &Expression, row: &[Value]) -> Value {
    let truth = |part: &Expression| evaluate(part, row).as_bool();
    let negated = |negation: Negation, answer: Option<bool>| match negation {
        Negation::Plain => Value::from(answer),
        Negation::Negated => Value::from(logic::not(answer)),
    };
    match expression {
        Expression::Literal(literal) => match literal {
            Literal::Undefined => Value::Undefined,
            Literal::Null => Value::Null,
            Literal::Bool(value) => Value::Bool(*value),
            Literal::Integer(value) => Value::Integer(*value),
            Literal::Double(value) => Value::Double(*value),
            Literal::String(text) => Value::from(text.as_str()),
        },
        Expression::Parameter(json) => Value::from(json),
        Expression::Input(slot) => row[*slot].clone(),
        Expression::Member { target, steps } => walk(evaluate(target, row), steps),
        Expression::Unary { operator: UnaryOperator::Not, operand } => {
            logic::not(truth(operand)).into()
        }
        Expression::Chain { first, rest } => {
            let first = evaluate(first, row);
            rest.iter().fold(first, |left, (operator, right)| {
                binary(&left, *operator, &evaluate(right, row))
            })
        }
        Expression::Between { negation, value, low, high } => {
            let [value, low, high] = [value, low, high].map(|part| evaluate(part, row));
            negated(*negation, query::value::between(&value, &low, &high))
        }
        Expression::In { negation, value, list } => {
            let list: Vec<Value> = list.iter().map(|part| evaluate(part, row)).collect();
            negated(*negation, query::value::in_list(&evaluate(value, row), &list))
        }
        Expression::Like { negation, value, pattern, escape } => {
            let [value, pattern] = [value, pattern].map(|part| evaluate(part, row));
            let answer = match (value.as_str(), pattern.as_str()) {
                (Some(text), Some(pattern)) => {
                    Some(LikePattern::new(pattern, *escape).matches(text))
                }
                _ => None,
            };
            negated(*negation, answer)
        }
        Expression::Array(parts) => Value::array(parts.iter().map(|part| evaluate(part, row))),
        Expression::Object(parts) => {
            Value::object(parts.iter().map(|(name, part)| (name.as_str(), evaluate(part, row))))
        }
        Expression::Call { function, arguments } => {
            call(function, &arguments.iter().map(|part| evaluate(part, row)).collect::<Vec<_>>())
        }
        Expression::Subquery { kind: SubqueryKind::Exists, query } => {
            let found = rows(query, row, &Value::Undefined).iter().any(|row| {
                query
                    .filter
                    .as_ref()
                    .is_none_or(|filter| evaluate(filter, row).as_bool() == Some(true))
            });
            Value::Bool(found)
        }
        other => panic!("not read here: {other:?}"),
    }
}

fn binary(left: &Value, operator: BinaryOperator, right: &Value) -> Value {
    match operator {
        BinaryOperator::And => logic::and(left.as_bool(), right.as_bool()).into(),
        BinaryOperator::Or => logic::or(left.as_bool(), right.as_bool()).into(),
        BinaryOperator::Equal => query::value::equal(left, right).into(),
        BinaryOperator::NotEqual => query::value::not_equal(left, right).into(),
        BinaryOperator::Less => query::value::less(left, right).into(),
        BinaryOperator::LessOrEqual => query::value::less_or_equal(left, right).into(),
        BinaryOperator::Greater => query::value::greater(left, right).into(),
        BinaryOperator::GreaterOrEqual => query::value::greater_or_equal(left, right).into(),
        other => panic!("not read here: {other:?}"),
    }
}

fn call(function: &str, arguments: &[Value]) -> Value {
    let FunctionBody::Scalar(scalar) = lookup(function).expect("the function exists").body else {
        panic!("not read here: {function}");
    };
    scalar(
        arguments,
        &CallContext {
            now: UtcDateTime::EPOCH,
            query_start: UtcDateTime::EPOCH,
            random: &|| 0.5,
            geospatial: GeospatialConfig::Geography,
            vector_embeddings: &VectorEmbeddingPolicy::default(),
            full_text: &FullTextPolicy::default(),
            argument_paths: &[],
            patterns: &PatternCache::new(),
            budget: &query::EvaluationBudget::unlimited(),
        },
    )
}

/// Whether a lookup finds an item.
pub(super) fn finds(lookup: &Lookup, item: &Json, composites: &[CompositeIndex]) -> bool {
    match lookup {
        Lookup::Nothing => false,
        Lookup::Everything => true,
        Lookup::Path(condition) => holds(condition, item),
        Lookup::Composite(composite) => {
            let index = &composites[composite.index];
            let mut values = index.paths.iter().map(|part| {
                let found = values_at(item, part.path.segments()).first().copied();
                found.filter(|value| !matches!(value, Json::Array(_) | Json::Object(_)))
            });
            let equal =
                composite.equal.iter().all(|wanted| values.next().flatten() == Some(wanted));
            equal
                && composite.next.as_ref().is_none_or(|next| next.contains(values.next().flatten()))
        }
        Lookup::Intersection(parts) => parts.iter().all(|part| finds(part, item, composites)),
        Lookup::Union(parts) => parts.iter().any(|part| finds(part, item, composites)),
    }
}

fn holds(condition: &PathCondition, item: &Json) -> bool {
    let found = values_at(item, &condition.path);
    if found.is_empty() {
        return condition.values.contains(None);
    }
    found.iter().any(|value| {
        condition.values.contains(Some(value))
            && condition
                .test
                .as_ref()
                .is_none_or(|test| evaluate(test, &[Value::from(*value)]).as_bool() == Some(true))
    })
}

/// The values with a term at a path.
pub(super) fn values_at<'item>(item: &'item Json, path: &[IndexPathSegment]) -> Vec<&'item Json> {
    let mut found = vec![item];
    for segment in path {
        found = match segment {
            IndexPathSegment::Property(name) => {
                found.into_iter().filter_map(|value| value.get(name)).collect()
            }
            IndexPathSegment::AnyElement => {
                found.into_iter().filter_map(Json::as_array).flatten().collect()
            }
        };
    }
    found
}
