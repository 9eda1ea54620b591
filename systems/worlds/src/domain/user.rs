//! The user for whom a request acts.

use std::fmt;

use client::Json;
use serde::{Deserialize, Serialize};

const CHARS_MAX: usize = 256;

/// The id of a user, as the issuer of the tokens names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorldUser(String);

impl WorldUser {
    /// The one user of a service without sign-in.
    pub const ANONYMOUS: &'static str = "_anonymous";

    /// Parses the id of a user.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        if text.is_empty() || text.chars().count() > CHARS_MAX || text.contains(char::is_control) {
            return Err(format!("is no user: 1 to {CHARS_MAX} characters are allowed"));
        }
        Ok(Self(text))
    }

    /// The user of a service without sign-in.
    #[must_use]
    pub fn anonymous() -> Self {
        Self(Self::ANONYMOUS.to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorldUser {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&WorldUser> for Json {
    fn from(user: &WorldUser) -> Self {
        user.as_str().into()
    }
}
