//! Classification of LIKE patterns.
//!
//! Owns the classes by which the planner chooses an index lookup. Does not own lookups.

use super::pattern::{LikePattern, PatternElement};

/// The class of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LikeShape {
    /// No wildcard: equality with this text.
    Exact(String),
    /// `abc%`: strings that start with this.
    Prefix(String),
    /// `%abc`: strings that end with this.
    Suffix(String),
    /// `%abc%`: strings that contain this.
    Contains(String),
    /// Anything else; every match starts with this prefix, which may be empty.
    General {
        /// The literal prefix of the pattern.
        prefix: String,
    },
}

impl LikePattern {
    /// Classifies the pattern.
    #[must_use]
    pub fn shape(&self) -> LikeShape {
        let (starts_open, middle) = match self.parts.as_slice() {
            [PatternElement::Run, middle @ ..] => (true, middle),
            middle => (false, middle),
        };
        let (ends_open, middle) = match middle {
            [middle @ .., PatternElement::Run] => (true, middle),
            // A lone `%` is open at both ends.
            [] => (starts_open, middle),
            middle => (false, middle),
        };
        // The class is decided by the literal part: if it covers the whole middle, there are no other wildcards.
        let literal = literal_prefix(middle);
        // Each part of the middle is one character, so equal lengths mean that all of them are literal.
        if literal.chars().count() < middle.len() {
            let prefix = if starts_open { String::new() } else { literal };
            return LikeShape::General { prefix };
        }
        match (starts_open, ends_open) {
            (false, false) => LikeShape::Exact(literal),
            (false, true) => LikeShape::Prefix(literal),
            (true, false) => LikeShape::Suffix(literal),
            (true, true) => LikeShape::Contains(literal),
        }
    }
}

/// The characters before the first wildcard; a class of one character is that character.
fn literal_prefix(parts: &[PatternElement]) -> String {
    let literal = |part: &PatternElement| match part {
        PatternElement::Literal(character) => Some(*character),
        PatternElement::Class { is_negated: false, ranges } => match ranges.as_slice() {
            [(low, high)] if low == high => Some(*low),
            _ => None,
        },
        _ => None,
    };
    parts.iter().map_while(literal).collect()
}
