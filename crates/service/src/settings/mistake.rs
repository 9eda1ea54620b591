//! What is wrong with settings: a list, so that one start tells all of it.

use std::fmt;

use super::sources::Source;

/// One wrong setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The setting, or what could not be read.
    pub name: String,
    /// The value as it may be printed: of a secret, its mask.
    pub value: String,
    /// Where the value came from.
    pub source: Source,
    /// What would be right.
    pub allowed: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, source, allowed } = self;
        write!(formatter, "{name} is {value} ({source}): {allowed}")
    }
}

/// Everything that is wrong with the settings; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// These, of which there is at least one.
    pub(crate) fn all(mistakes: Vec<Mistake>) -> Self {
        debug_assert!(!mistakes.is_empty(), "settings without a mistake are no error");
        Self(mistakes)
    }

    /// The list as an error, if there is anything in it.
    pub(crate) fn unless_empty(mistakes: Vec<Mistake>) -> Result<(), Self> {
        if mistakes.is_empty() { Ok(()) } else { Err(Self(mistakes)) }
    }

    /// One by one.
    pub fn iter(&self) -> impl Iterator<Item = &Mistake> {
        self.0.iter()
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        let noun = if count == 1 { "mistake" } else { "mistakes" };
        write!(formatter, "{count} {noun} in the settings:")?;
        self.0.iter().try_for_each(|mistake| write!(formatter, "\n  {mistake}"))
    }
}

impl std::error::Error for Mistakes {}
