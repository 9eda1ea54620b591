//! Places and names.
//!
//! Owns the rule that places never take part in equality: two trees are equal when they say the same.

use crate::error::Location;

/// Where a part of the text stands. All spans are equal, so that trees compare by meaning.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Span(pub Location);

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

impl From<Location> for Span {
    fn from(location: Location) -> Self {
        Self(location)
    }
}

/// A word the user chose or spelled: an alias, a property, a function, a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word itself, quotes and escapes resolved.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

impl Name {
    /// A word that was not written anywhere, for trees made by rewriting.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), span: Span::default() }
    }
}
