//! Functions on the types of values.
//!
//! Owns the IS functions, which are defined even for undefined. Does not own the STRINGTO functions that the
//! documentation lists with them: those parse text and live in `string`.

mod kind;
mod number;

pub(super) use {kind::FUNCTIONS as KIND, number::FUNCTIONS as NUMBER};
