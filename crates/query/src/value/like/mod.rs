//! LIKE: patterns with `%`, `_` and character classes.
//!
//! Owns parsing, classifying and matching patterns. Does not own how a plan uses the class.

mod pattern;
mod shape;

pub use pattern::LikePattern;
pub use shape::LikeShape;

#[cfg(test)]
mod tests;
