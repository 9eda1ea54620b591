//! NUMBERBIN: rounding down to a multiple of a size.
//!
//! Owns bins of numbers, exact for integers. Does not own bins of time: see DATETIMEBIN.

use crate::function::declaration::{Function, FunctionFamily, ReturnKind, example};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] = &[Function::scalar(
    FunctionFamily::Mathematical,
    "NUMBERBIN",
    |arguments, _| match arguments {
        [number] => bin(number, &Value::Integer(1)),
        [number, size] => bin(number, size),
        _ => Value::Undefined,
    },
)
.required(&["number"])
.optional(&["size"])
.returns(
    ReturnKind::Number,
    "The multiple of a size (1 unless given) whose bin a number falls into.",
)
.examples(&[
    example("37.752", "37"),
    example("37.752, -100", "100"),
    example("37.752, 10", "30"),
    example("37.752, 1", "37"),
    example("37.752, 0", "undefined"),
    example("37.752, 0.1", "37.7"),
    example("37.752, 0.01", "37.75"),
    example("-5, 4", "-8"),
])];

fn bin(number: &Value, size: &Value) -> Value {
    if let (Value::Integer(number), Value::Integer(size)) = (number, size)
        && let Some(bin) = integer_bin(*number, *size)
    {
        return Value::Integer(bin);
    }
    match (number.as_f64(), size.as_f64()) {
        // Also for integers whose exact bin overflows.
        (Some(number), Some(size)) if size != 0.0 => Value::Double((number / size).floor() * size),
        _ => Value::Undefined,
    }
}

/// The exact bin of an integer; `None` on overflow or if the size is zero.
fn integer_bin(number: i64, size: i64) -> Option<i64> {
    let beyond = number.checked_rem(size)?;
    // Rust truncates the quotient, the function floors it: if the signs differ, the bin is one size further down.
    let floored = if beyond != 0 && (beyond < 0) != (size < 0) { beyond + size } else { beyond };
    number.checked_sub(floored)
}
