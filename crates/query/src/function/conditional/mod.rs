//! Functions on conditions.
//!
//! Owns IIF. Does not own the ternary and coalesce operators, which evaluate only what they need.

mod iif;

pub(super) use iif::FUNCTIONS as IIF;
