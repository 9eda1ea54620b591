//! Functions on conditions.
//!
//! Owns IIF. Does not own the ternary and coalesce operators, which evaluate only what they need.

pub(super) mod iif;
