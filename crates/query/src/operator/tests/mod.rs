//! Queries and expressions, run through the public types.

mod expression;
mod run;
