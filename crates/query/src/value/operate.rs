//! From operators of the tree to functions on values.
//!
//! Owns which function implements an operator, for evaluation and constant folding alike. Does not own the functions.

use super::{
    Value, arithmetic, bitwise, equal, greater, greater_or_equal, less, less_or_equal, logic,
    not_equal,
};
use crate::ast::{BinaryOperator, Literal, UnaryOperator};

/// `left operator right`.
pub(crate) fn binary(operator: BinaryOperator, left: &Value, right: &Value) -> Value {
    match operator {
        BinaryOperator::Or => logic::or(left.as_bool(), right.as_bool()).into(),
        BinaryOperator::And => logic::and(left.as_bool(), right.as_bool()).into(),
        BinaryOperator::Equal => equal(left, right).into(),
        BinaryOperator::NotEqual => not_equal(left, right).into(),
        BinaryOperator::Less => less(left, right).into(),
        BinaryOperator::LessOrEqual => less_or_equal(left, right).into(),
        BinaryOperator::Greater => greater(left, right).into(),
        BinaryOperator::GreaterOrEqual => greater_or_equal(left, right).into(),
        BinaryOperator::ShiftLeft => bitwise::shift_left(left, right),
        BinaryOperator::ShiftRight => bitwise::shift_right(left, right),
        BinaryOperator::ShiftRightUnsigned => bitwise::shift_right_unsigned(left, right),
        BinaryOperator::Concatenate => arithmetic::concatenate(left, right),
        BinaryOperator::BitwiseOr => bitwise::bit_or(left, right),
        BinaryOperator::BitwiseXor => bitwise::bit_xor(left, right),
        BinaryOperator::BitwiseAnd => bitwise::bit_and(left, right),
        BinaryOperator::Add => arithmetic::add(left, right),
        BinaryOperator::Subtract => arithmetic::subtract(left, right),
        BinaryOperator::Multiply => arithmetic::multiply(left, right),
        BinaryOperator::Divide => arithmetic::divide(left, right),
        BinaryOperator::Modulo => arithmetic::remainder(left, right),
    }
}

/// `operator operand`.
pub(crate) fn unary(operator: UnaryOperator, operand: &Value) -> Value {
    match operator {
        UnaryOperator::Not => logic::not(operand.as_bool()).into(),
        UnaryOperator::Minus => arithmetic::negate(operand),
        UnaryOperator::Plus => arithmetic::identity(operand),
        UnaryOperator::BitwiseNot => bitwise::bit_not(operand),
    }
}

impl From<&Literal> for Value {
    fn from(literal: &Literal) -> Self {
        match literal {
            Literal::Undefined => Self::Undefined,
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Integer(value) => Self::Integer(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::String(text) => Self::from(text.as_str()),
        }
    }
}
