//! The inputs of authorization.
//!
//! Owns the list of what authorization may use of a gateway, so that it imports neither the gateway nor its settings.

use engine::Engine;

use super::account_key::AccountKey;
use super::issuer::Issuer;
use super::role::RoleAssignments;

/// What authorization uses of a gateway.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AuthorizationContext<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) key: &'a AccountKey,
    /// The trusted issuer of bearer tokens, if there is one.
    pub(crate) issuer: Option<&'a Issuer>,
    pub(crate) role_assignments: &'a RoleAssignments,
    /// How far the date of a signed request may be from ours. `None` accepts any date.
    pub(crate) clock_skew_max_seconds: Option<u64>,
}

impl AuthorizationContext<'_> {
    pub(super) fn now_seconds(&self) -> u64 {
        self.engine.environment().now().seconds().0
    }
}
