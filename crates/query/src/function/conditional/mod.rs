//! Functions on conditions.

pub(super) mod iif;
