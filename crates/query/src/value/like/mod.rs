//! LIKE: patterns with `%`, `_` and character classes.
//!
//! Owns reading, classifying and matching of patterns. Does not own how a plan uses the class.

mod pattern;
mod shape;

pub use pattern::LikePattern;
pub use shape::LikeShape;

#[cfg(test)]
mod tests;
