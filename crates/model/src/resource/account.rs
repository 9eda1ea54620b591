//! The properties of the account.
//!
//! Owns its name and its default consistency level. Does not own endpoints, regions or secrets.

use crate::ConsistencyLevel;

/// What the operator says about the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountProperties {
    /// The name of the account.
    pub id: String,
    /// The consistency level of requests that name none; none may ask for a stronger one.
    pub default_consistency: ConsistencyLevel,
}
