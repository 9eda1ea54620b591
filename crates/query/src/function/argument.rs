//! Reading arguments.
//!
//! Owns how required and optional arguments are read. `None` means that the argument has the wrong type, which makes
//! the result of every function undefined.

use crate::value::Value;

/// The string at an index.
pub(super) fn text(arguments: &[Value], index: usize) -> Option<&str> {
    arguments.get(index)?.as_str()
}

/// The integer at an index.
pub(super) fn integer(arguments: &[Value], index: usize) -> Option<i64> {
    arguments.get(index)?.as_i64()
}

/// The integer at an index, or a default if the argument is missing.
pub(super) fn integer_or(arguments: &[Value], index: usize, default: i64) -> Option<i64> {
    arguments.get(index).map_or(Some(default), Value::as_i64)
}

/// The Boolean at an index, false if the argument is missing.
pub(super) fn flag(arguments: &[Value], index: usize) -> Option<bool> {
    arguments.get(index).map_or(Some(false), Value::as_bool)
}

/// The string at an index, or a default if the argument is missing.
pub(super) fn text_or<'call>(
    arguments: &'call [Value],
    index: usize,
    default: &'call str,
) -> Option<&'call str> {
    arguments.get(index).map_or(Some(default), Value::as_str)
}
