//! A setting that is well-formed, and cannot be used.

use std::fmt;

/// A wrong setting of something that a service calls. The text names the setting and what is expected, and holds no
/// secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSettingsError {
    /// The name of the setting.
    pub setting: String,
    /// What is wrong, after the name of the setting.
    pub message: String,
}

impl ProviderSettingsError {
    /// The message follows the name of the setting, as in "is empty; set it".
    #[must_use]
    pub fn new(setting: &str, message: &str) -> Self {
        Self { setting: setting.to_owned(), message: message.to_owned() }
    }
}

impl fmt::Display for ProviderSettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.setting, self.message)
    }
}

impl std::error::Error for ProviderSettingsError {}
