//! Errors in settings. Loading reports all of them at once, so that an operator need not restart for each.

use std::fmt;

use super::builder::SettingSource;

/// One invalid setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// The setting, or the source that could not be read.
    pub name: String,
    /// The value as it may be printed: a secret is masked.
    pub value: String,
    /// The source of the value.
    pub source: SettingSource,
    /// The allowed values.
    pub allowed: String,
}

impl fmt::Display for SettingError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, source, allowed } = self;
        write!(formatter, "{name} is {value} ({source}): {allowed}")
    }
}

/// All errors in the settings; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingErrors(Vec<SettingError>);

impl SettingErrors {
    /// Creates the list, which must not be empty.
    pub(super) fn new(errors: Vec<SettingError>) -> Self {
        debug_assert!(!errors.is_empty(), "settings without an error are valid");
        Self(errors)
    }

    /// The list as an error, unless it is empty.
    pub(super) fn unless_empty(errors: Vec<SettingError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    /// The errors one by one.
    pub fn iter(&self) -> impl Iterator<Item = &SettingError> {
        self.0.iter()
    }
}

impl fmt::Display for SettingErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        let noun = if count == 1 { "error" } else { "errors" };
        write!(formatter, "{count} {noun} in the settings:")?;
        self.0.iter().try_for_each(|error| write!(formatter, "\n  {error}"))
    }
}

impl std::error::Error for SettingErrors {}
