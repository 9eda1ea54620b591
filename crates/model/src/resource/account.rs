//! The properties of the account.
//!
//! Owns its name and its default consistency level. Does not own endpoints, regions or secrets.

use crate::ConsistencyLevel;

/// The properties of the account, chosen by the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountProperties {
    /// The name of the account.
    pub id: String,
    /// The consistency level of requests that set none. No request may ask for a stronger one.
    pub default_consistency: ConsistencyLevel,
}
