//! Arguments taken apart.
//!
//! Owns how an optional argument and its default are read. Does not own what a function does with none: that is always
//! undefined.

use crate::value::Value;

/// The text at a place.
pub(super) fn text(arguments: &[Value], place: usize) -> Option<&str> {
    arguments.get(place)?.as_str()
}

/// The whole number at a place.
pub(super) fn integer(arguments: &[Value], place: usize) -> Option<i64> {
    arguments.get(place)?.as_i64()
}

/// The whole number at a place, or this one when the call ends before.
pub(super) fn integer_or(arguments: &[Value], place: usize, default: i64) -> Option<i64> {
    arguments.get(place).map_or(Some(default), Value::as_i64)
}

/// The Boolean at a place, false when the call ends before; none for any other type.
pub(super) fn flag(arguments: &[Value], place: usize) -> Option<bool> {
    arguments.get(place).map_or(Some(false), Value::as_bool)
}

/// The text at a place, or this one when the call ends before.
pub(super) fn text_or<'call>(
    arguments: &'call [Value],
    place: usize,
    default: &'call str,
) -> Option<&'call str> {
    arguments.get(place).map_or(Some(default), Value::as_str)
}
