//! NUMBERBIN: numbers rounded down to a multiple of a size.
//!
//! Owns bins of numbers, exact for whole ones. Does not own bins of time: see DATETIMEBIN.

use crate::function::declaration::{Family, Function, ReturnKind, call};
use crate::value::Value;

pub(in crate::function) const FUNCTIONS: &[Function] =
    &[Function::scalar(Family::Mathematical, "NUMBERBIN", |arguments, _| match arguments {
        [number] => bin(number, &Value::Integer(1)),
        [number, size] => bin(number, size),
        _ => Value::Undefined,
    })
    .takes(&["number"])
    .may_take(&["size"])
    .gives(
        ReturnKind::Number,
        "The multiple of a size (1 unless given) whose bin a number falls into.",
    )
    .examples(&[
        call("37.752", "37"),
        call("37.752, -100", "100"),
        call("37.752, 10", "30"),
        call("37.752, 1", "37"),
        call("37.752, 0", "undefined"),
        call("37.752, 0.1", "37.7"),
        call("37.752, 0.01", "37.75"),
        call("-5, 4", "-8"),
    ])];

fn bin(number: &Value, size: &Value) -> Value {
    if let (Value::Integer(number), Value::Integer(size)) = (number, size)
        && let Some(bin) = integer_bin(*number, *size)
    {
        return Value::Integer(bin);
    }
    match (number.as_f64(), size.as_f64()) {
        (Some(number), Some(size)) if size != 0.0 => Value::Double((number / size).floor() * size),
        _ => Value::Undefined,
    }
}

/// The bin of whole numbers, exactly; none when it does not fit or the size is zero.
fn integer_bin(number: i64, size: i64) -> Option<i64> {
    let beyond = number.checked_rem(size)?;
    // The quotient is floored: when signs differ, the bin lies one size further from zero.
    let floored = if beyond != 0 && (beyond < 0) != (size < 0) { beyond + size } else { beyond };
    number.checked_sub(floored)
}
