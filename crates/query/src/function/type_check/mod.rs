//! Functions on the types of values.
//!
//! Owns the IS functions, which answer also for undefined. Does not own the STRINGTO functions the documentation lists
//! beside them: those read text and live in `string`.

pub(super) mod kind;
pub(super) mod number;
