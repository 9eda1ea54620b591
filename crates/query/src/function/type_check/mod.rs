//! Functions on the types of values.
//!
//! Owns the IS functions, which are defined even for undefined. Does not own the STRINGTO functions that the
//! documentation lists with them: those parse text and live in `string`.

pub(super) mod kind;
pub(super) mod number;
