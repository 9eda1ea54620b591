//! Operators through the public ways to run a query.
