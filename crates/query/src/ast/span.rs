//! Locations and names.
//!
//! Owns the rule that locations never take part in equality: two trees are equal if they mean the same.

use crate::error::TextLocation;

/// The location of a part of the text. All spans are equal, so that derived equality compares trees by meaning.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Span(pub TextLocation);

impl Span {
    /// From the start of this one to the end of another.
    #[must_use]
    pub fn to(self, last: Self) -> Self {
        Self(self.0.to(last.0))
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl From<TextLocation> for Span {
    fn from(location: TextLocation) -> Self {
        Self(location)
    }
}

/// A name in the text: an alias, a property, a function or a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    /// The name, with quotes and escapes resolved.
    pub text: String,
    /// Its location.
    pub span: Span,
}

impl Identifier {
    /// A name without a location, for rewritten trees.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), span: Span::default() }
    }
}
