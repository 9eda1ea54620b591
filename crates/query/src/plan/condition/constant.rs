//! Values that are the same for every row.
//!
//! Owns the folding of literals, parameters and the operators between them. Functions are left to evaluation: an
//! expression with a call is never a constant here.

use crate::ast::{BinaryOperator, UnaryOperator};
use crate::bind::{Expression, PathStep};
use crate::value::{
    Value, arithmetic, equal, greater, greater_or_equal, less, less_or_equal, logic, not_equal,
};

/// The value of an expression that depends on no row; none when it may depend on one.
pub(crate) fn constant(expression: &Expression) -> Option<Value> {
    match expression {
        Expression::Literal(literal) => Some(literal_value(literal)),
        Expression::Parameter(json) => Some(Value::from(json)),
        Expression::Array(elements) => {
            let elements: Option<Vec<Value>> = elements.iter().map(constant).collect();
            elements.map(Value::array)
        }
        Expression::Object(members) => {
            let members: Option<Vec<(&str, Value)>> = members
                .iter()
                .map(|(name, value)| Some((name.as_str(), constant(value)?)))
                .collect();
            members.map(Value::object)
        }
        Expression::Member { target, steps } => constant(target).map(|value| walk(value, steps)),
        Expression::Unary { operator, operand } => unary(*operator, &constant(operand)?),
        Expression::Chain { first, rest } => {
            let mut value = constant(first)?;
            for (operator, operand) in rest {
                value = binary(&value, *operator, &constant(operand)?)?;
            }
            Some(value)
        }
        _ => None,
    }
}

fn literal_value(literal: &crate::ast::Literal) -> Value {
    use crate::ast::Literal;
    match literal {
        Literal::Undefined => Value::Undefined,
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Integer(value) => Value::Integer(*value),
        Literal::Double(value) => Value::Double(*value),
        Literal::String(text) => Value::from(text.as_str()),
    }
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

fn unary(operator: UnaryOperator, operand: &Value) -> Option<Value> {
    match operator {
        UnaryOperator::Not => Some(logic::not(operand.as_bool()).into()),
        UnaryOperator::Minus => Some(arithmetic::negate(operand)),
        UnaryOperator::Plus => Some(arithmetic::identity(operand)),
        UnaryOperator::BitwiseNot => None,
    }
}

fn binary(left: &Value, operator: BinaryOperator, right: &Value) -> Option<Value> {
    Some(match operator {
        BinaryOperator::Or => logic::or(left.as_bool(), right.as_bool()).into(),
        BinaryOperator::And => logic::and(left.as_bool(), right.as_bool()).into(),
        BinaryOperator::Equal => equal(left, right).into(),
        BinaryOperator::NotEqual => not_equal(left, right).into(),
        BinaryOperator::Less => less(left, right).into(),
        BinaryOperator::LessOrEqual => less_or_equal(left, right).into(),
        BinaryOperator::Greater => greater(left, right).into(),
        BinaryOperator::GreaterOrEqual => greater_or_equal(left, right).into(),
        BinaryOperator::Add => arithmetic::add(left, right),
        BinaryOperator::Subtract => arithmetic::subtract(left, right),
        BinaryOperator::Multiply => arithmetic::multiply(left, right),
        BinaryOperator::Divide => arithmetic::divide(left, right),
        BinaryOperator::Modulo => arithmetic::remainder(left, right),
        BinaryOperator::Concatenate => arithmetic::concatenate(left, right),
        BinaryOperator::ShiftLeft
        | BinaryOperator::ShiftRight
        | BinaryOperator::ShiftRightUnsigned
        | BinaryOperator::BitwiseOr
        | BinaryOperator::BitwiseXor
        | BinaryOperator::BitwiseAnd => return None,
    })
}
