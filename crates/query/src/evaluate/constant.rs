//! Constant folding.
//!
//! Owns the folding of literals, parameters and the operators between them. Functions are not folded: an expression
//! with a call is never a constant here.

use super::follow_path;
use crate::ast::BinaryOperator;
use crate::bind::Expression;
use crate::value::{Value, operate};

/// A longer result of `||` is not folded. Folding runs before the query has a budget, and copies the growing text for
/// every operand; evaluation counts the bytes first.
const FOLDED_BYTES_MAX: usize = 64 * 1024;

/// The value of an expression that depends on no row; `None` if it may depend on one.
pub(crate) fn constant(expression: &Expression) -> Option<Value> {
    // Asked first: planning looks at every level of an expression, and a large parameter must not be converted at each
    // of them only to find out that the expression depends on a row.
    is_constant(expression).then(|| fold(expression)).flatten()
}

// One frame for each level: expressions may have hundreds.
fn is_constant(expression: &Expression) -> bool {
    match expression {
        Expression::Literal(_) | Expression::Parameter(_) => true,
        Expression::Array(elements) => elements.iter().all(is_constant),
        Expression::Object(members) => members.iter().all(|(_, value)| is_constant(value)),
        Expression::Member { target: part, .. } | Expression::Unary { operand: part, .. } => {
            is_constant(part)
        }
        Expression::Chain { first, rest } => {
            is_constant(first) && rest.iter().all(|(_, operand)| is_constant(operand))
        }
        _ => false,
    }
}

fn fold(expression: &Expression) -> Option<Value> {
    match expression {
        Expression::Literal(literal) => Some(Value::from(literal)),
        Expression::Parameter(json) => Some(Value::from(json)),
        Expression::Array(elements) => {
            let elements: Option<Vec<Value>> = elements.iter().map(fold).collect();
            elements.map(Value::array)
        }
        Expression::Object(members) => {
            let members: Option<Vec<(&str, Value)>> =
                members.iter().map(|(name, value)| Some((name.as_str(), fold(value)?))).collect();
            members.map(Value::object)
        }
        Expression::Member { target, steps } => {
            // A path that leads nowhere is the constant undefined, not an unknown value.
            Some(follow_path(&fold(target)?, steps).cloned().unwrap_or_default())
        }
        Expression::Unary { operator, operand } => Some(operate::unary(*operator, &fold(operand)?)),
        Expression::Chain { first, rest } => {
            let mut value = fold(first)?;
            for (operator, operand) in rest {
                // Without the short circuit of AND and OR: all operands are constants, and three-valued logic gives
                // the same result.
                let operand = fold(operand)?;
                let is_concatenation = *operator == BinaryOperator::Concatenate;
                if is_concatenation && text_bytes(&value) + text_bytes(&operand) > FOLDED_BYTES_MAX
                {
                    return None;
                }
                value = operate::binary(*operator, &value, &operand);
            }
            Some(value)
        }
        _ => None,
    }
}

fn text_bytes(value: &Value) -> usize {
    value.as_str().map_or(0, str::len)
}
