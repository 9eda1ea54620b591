//! What a reader came across and tells.

use std::fmt;

use crate::schema::origin::Origin;

/// Something in a file that is no part of the schema, or was understood in a way worth saying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where; none when it is in no file.
    pub origin: Option<Origin>,
    /// What it is.
    pub what: String,
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Some(origin) => write!(formatter, "{origin}: {}", self.what),
            None => formatter.write_str(&self.what),
        }
    }
}
